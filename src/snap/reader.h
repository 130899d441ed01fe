/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - an open timeline, shared by the files that read it.
 */
#ifndef TL_SNAP_READER_H
#define TL_SNAP_READER_H

#include "base/file.h"
#include "clock/convert.h"
#include "event/observe.h"
#include "snap/lane.h"
#include "snap/snap.h"
#include "snap/take.h"

struct tl_snap {
	struct tl_storage *frozen; /* the file, or a copy in memory */
	bool was_live;
	bool owns_messages;
	bool
	    /* the round of a follower, which counts the losses of fallback
	     * lanes */
	    is_round;
	uint64_t tail; /* most newest entries of each lane; 0: all */
	uint64_t size; /* of the unpacked file */
	uint64_t used; /* bytes that the file takes; 0: unknown */
	struct timeline_header header;
	struct tl_snap_lane *lanes;
	size_t lane_count;
	struct tl_messages *messages;
	struct tl_snap_builtins *builtins; /* by lane; NULL: not read yet */
	struct tl_time time;
	struct tl_faults faults;
	/* the newest entry, if the programs have ended */
	struct tl_event end;
};

/* How to copy a live file, and the state kept between copies. */
struct tl_snap_plan {
	uint64_t tail;
	const uint64_t *from;         /* as in struct tl_take */
	const struct tl_holes *holes; /* as in struct tl_take */
	struct tl_holes *found;
	struct tl_parts
	    /* as in struct tl_take; must live until the snapshot is closed */
	    *parts;
	bool finish;
	struct tl_messages *messages; /* to be updated; NULL: make new ones */
	/* The geometry for which from and messages were made.  The file must be
	 * live, whole and of this geometry; else -EBADMSG or -ENODATA.  NULL:
	 * any file. */
	const struct timeline_header *geometry;
};

/* Are the entries of a lane sorted by stamp when they are read?  The entries of
 * an imported file are already sorted. */
static inline bool
tl_snap_is_sorted(const struct tl_snap *snap, uint32_t lane)
{
	return snap->header.state != TIMELINE_IMPORTED &&
	       timeline_lane_is_fallback(&snap->header, lane);
}

/* Get the status of a file, and check that the file is regular.  0; -errno with
 * a fault. */
int tl_snap_check_kind(int fd, struct stat *st, struct tl_fault *fault);
/* Check a header of which n bytes (or -errno) were read.  The geometry is only
 * checked for consistency.  Fills in the fields that an older version lacks.
 * 0; -errno with a fault. */
int tl_snap_check_header(struct timeline_header *header, int64_t n,
    struct tl_fault *fault);

/* An entry of a builtin message, or an entry that matters for observation: the
 * first entry of its lane, or the first after a loss. */
struct tl_builtin_entry {
	struct timeline_entry entry;
	const struct tl_message *message; /* NULL: not defined */
	struct tl_observed_from at;
	uint64_t number;
	uint64_t lost; /* incomplete entries before the entry */
	/* the whole entry before, if follows is set */
	struct tl_observed_from before;
	uint64_t before_number;
	uint32_t lane;
	bool follows; /* there is an entry before in the lane */
};

/* Get these entries of a lane, oldest first.  Each lane is read for them once,
 * and the list lives as long as the snapshot.  0 or -errno. */
int tl_snap_builtins(struct tl_snap *snap, uint32_t lane,
    const struct tl_builtin_entry **list, size_t *count);
void tl_snap_free_builtins(struct tl_snap *snap);
/* Open a lane, oldest first; if it is sorted by stamp, only if the snapshot has
 * a tail.  chunk entries are read at a time.  0 or -errno. */
int tl_snap_open_lane(struct tl_snap *snap, uint32_t number, uint64_t chunk,
    struct tl_lane *lane);
/* The place in time of an entry of a lane. */
struct tl_observed_from tl_snap_place(const struct tl_snap *snap, uint32_t lane,
    uint64_t number, uint64_t tsc);

/* Initialise an observer for all events in an order.  0 or -errno. */
int tl_snap_observe(struct tl_snap *snap, enum tl_order order,
    struct tl_observer *observer);

/* Find the gates, before the first entry, of messages whose gates were changed
 * later.  is_whole: the snapshot lacks no entry.  0 or -errno. */
int tl_snap_gates_before(struct tl_snap *snap, bool is_whole,
    struct tl_observed_start *start);
int tl_snap_read(struct tl_snap **snap, int fd, const struct tl_snap_plan *plan,
    struct tl_fault *fault);

#endif
