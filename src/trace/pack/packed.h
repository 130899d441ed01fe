/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packed.h - a recorded trace in one file, NAME.packedtrace: a zip.
 *
 *	+----------+-------------+-----------+-------------------+
 *	| info.txt | trace.trace | trace.idx | central directory |
 *	+----------+-------------+-----------+-------------------+
 *
 * Entries are stored, not compressed, so that each entry is read in place like
 * a file; an entry that another program compressed is unpacked into an unnamed
 * file.  A zip is untrusted: no name of an entry becomes a path, and sizes are
 * limited to the free space.
 */
#ifndef TL_TRACE_PACK_PACKED_H
#define TL_TRACE_PACK_PACKED_H

#include "base/file.h"
#include "event/writer.h"
#include "trace/read.h"

#define TL_PACKED_INFO  "info.txt"
#define TL_PACKED_DATA  "trace.trace"
#define TL_PACKED_INDEX "trace.idx"
/* The name of the data in traces of JetBrains Lincheck 3.2.2 to 3.3. */
#define TL_PACKED_DATA_BEFORE "trace.data"

/* Do the first bytes look like a packed trace?  0: no; 100: the first entry is
 * one of these three; 30: a zip whose directory must be read. */
unsigned tl_packed_recognise(struct tl_bytes first);

/* == reading == */

struct tl_packed {
	struct tl_storage *data;
	struct tl_storage *index; /* NULL: no readable index */
};

/*
 * Open a packed file, which is taken over, even on failure.  The storages do
 * not depend on each other or on packed, but one thread at a time may use them.
 * 0; -EBADMSG: not a packed trace, or damaged; -ENOTSUP: encrypted, or
 * compressed in an unknown way; -ENOSPC: no room for unpacking; -ENOMEM;
 * -errno; with a fault.
 */
int tl_packed_open(struct tl_packed *packed, struct tl_storage *file,
    struct tl_fault *fault);
/* Free the parts that were not passed on. */
void tl_packed_close(struct tl_packed *packed);

/* == writing == */

/*
 * Write the three entries to the file of fd, which must be empty and seekable.
 * created_ns is the time of the entries.  0, -ENOMEM, -errno.
 */
int tl_packed_write(int fd, struct tl_storage *data, struct tl_bytes index,
    struct tl_bytes info, int64_t created_ns);

tl_writer_at tl_packed_write_at;

#endif
