/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - open what the project itself writes: timelines and traces.
 *
 *	path, descriptor, memory
 *	  | a pipe is copied to a file without a name
 *	  v
 *	first bytes --+-- a timeline, maybe compressed --> snap, or follow
 *	              +-- a trace ----------------------> trace
 *	              +-- traces behind each other -----> chains
 *	              +-- else -ENOTSUP
 *
 * Foreign formats are not here: this layer needs libc and zstd only, so that
 * a program which reads timelines links neither sqlite nor libzip.
 */
#ifndef TL_READ_FILE_H
#define TL_READ_FILE_H

#include "snap/snap.h"
#include "trace/chain/chain.h"
#include "trace/read.h"

/* One of the first four is set. */
struct tl_read_file {
	struct tl_snap *snap;
	struct tl_cursor *follow; /* oldest first; owned by the file */
	struct tl_trace *trace;
	struct tl_chain **chains;
	size_t chain_count;
};

/* Starts from all zeros. */
struct tl_read_plan {
	uint64_t tail;    /* newest entries of each lane of a live one; 0 all */
	bool follow;      /* only of live timelines */
	bool is_readonly; /* write no index beside a trace */
	struct tl_trace_report report; /* of a trace; outlives the file */
	size_t memory_max;             /* of its nodes; 0: no bound */
};

/*
 * Open path ("/name", "-", a file), a descriptor, which stays the caller's, or
 * a block of memory, which stays where it is.  0; on failure the file is all
 * zeros and the fault is set: -ENOTSUP: another format; -ENODATA: it is empty;
 * -EINVAL: it cannot be followed; see tl_snap_open_fd and tl_trace_open.
 */
int tl_read_file_open(struct tl_read_file *file, const char *path,
    const struct tl_read_plan *plan, struct tl_fault *fault);
int tl_read_file_open_fd(struct tl_read_file *file, int fd,
    const struct tl_read_plan *plan, struct tl_fault *fault);
int tl_read_file_open_memory(struct tl_read_file *file, struct tl_bytes bytes,
    const struct tl_read_plan *plan, struct tl_fault *fault);
void tl_read_file_close(struct tl_read_file *file);

/* A new cursor over all events, unless the file is followed. */
int tl_read_file_cursor(const struct tl_read_file *file, enum tl_order order,
    struct tl_cursor **cursor);

#endif
