/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.h - find the traces of a stream of concatenated traces.
 *
 *	header block block EOF | header block EOF | ??? | header block ...
 *	  ^      ^ from header to header,                 ^ after damage, the
 *	  |        without reading the content              next magic
 *	  the seed of all its checksums
 *
 * The bytes are in a file, which may still grow.  The place and the definitions
 * of each trace are found; the events are read when the trace is opened.  Bytes
 * of a message that look like the header of a trace are not mistaken for a
 * header if the block around them is whole.
 */
#ifndef TL_TRACE_CHAIN_BLOCKS_H
#define TL_TRACE_CHAIN_BLOCKS_H

#include "trace/context.h"
#include "trace/scan.h"

enum {
	/* Bytes of damaged content that were read twice.  Beyond this limit a
	 * damaged block is skipped by the size in its header. */
	TL_BLOCKS_TWICE_MAX = 64 << 20
};

/* A trace and its place. */
struct tl_blocks_trace {
	uint64_t at;
	uint64_t size;
	struct tl_trace_header header;
	struct tl_context context; /* definitions of the trace */
	uint64_t events;
	int64_t min_ns; /* times of the events; INT64_MAX and INT64_MIN: none */
	int64_t max_ns;
	bool whole; /* the trace has an end, and no damage before */
};

struct tl_blocks {
	struct tl_scan scan;
	struct tl_trace_read_options options; /* of the scan */
	struct tl_blocks_trace trace;         /* the trace found last */
	bool inside;     /* blocks of the trace are being read */
	uint64_t twice;  /* bytes that were read twice */
	uint64_t damage; /* damaged places outside of traces */
};

/* Start.  The report is for damage outside of traces.  The caller closes fd
 * after the blocks.  0 or -ENOMEM. */
int tl_blocks_init(struct tl_blocks *blocks, int fd,
    const struct tl_trace_report *report);
void tl_blocks_free(struct tl_blocks *blocks);

/*
 * Find the next trace that ends within the first `size` bytes of the file.  1:
 * the trace is in blocks->trace until the next call; 0: none, call again with
 * more bytes; -ENOMEM; -errno of reading.  last: no more bytes will come, so an
 * unfinished trace counts.
 */
int tl_blocks_next(struct tl_blocks *blocks, uint64_t size, bool last);

/*
 * Does the file of fd contain more than one trace?  The file is one trace if
 * the index beside path (NULL: none) covers the whole file; without an index
 * the file is read.  1, 0, or -errno.
 */
int tl_blocks_is_stream(int fd, const char *path);

#endif
