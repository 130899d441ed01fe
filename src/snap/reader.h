/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - what the files of the read side share about an open timeline.
 */
#ifndef TL_SNAP_READER_H
#define TL_SNAP_READER_H

#include "base/storage.h"
#include "snap/faults.h"
#include "snap/messages.h"
#include "snap/time.h"

struct tl_snap {
	struct tl_storage *frozen; /* the file, or a copy in memory */
	bool was_live;
	bool owns_messages;
	struct timeline_header header;
	struct tl_snap_lane *lanes;
	size_t lane_count;
	struct tl_messages *messages;
	struct tl_time time;
	struct tl_faults faults;
};

/* How a live file is copied, and what is kept from one copy to the next. */
struct tl_snap_plan {
	uint64_t tail;
	const uint64_t *from;         /* as in struct tl_take */
	struct tl_messages *messages; /* brought up to date; NULL: make */
	/* The file must be live and whole and have this geometry, for which
	 * from and messages were made; else -EBADMSG or -ENODATA.  NULL: any
	 * file will do. */
	const struct timeline_header *geometry;
};

/* Is this a header that can be read, of which n bytes were got (or -errno)?
 * Geometry is checked against itself alone.  Fills in what an older version
 * did not have. */
int tl_snap_check_header(struct timeline_header *header, int64_t n,
    struct tl_fault *fault);

int tl_snap_read(struct tl_snap **snap, int fd, const struct tl_snap_plan *plan,
    struct tl_fault *fault);

#endif
