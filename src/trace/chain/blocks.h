/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.h - find the traces of a stream of concatenated traces.
 *
 *	header block block EOF | header block EOF | ??? | header block ...
 *	  ^      ^ from header to header,                 ^ after damage, the
 *	  |        not by looking at what is inside         next magic
 *	  the seed of all its checksums
 *
 * The bytes lie in a file, which may still grow.  Of each trace its place is
 * found, and what is defined in it; its events are read when it is opened.  A
 * header of a trace that lies in a message is not taken for one, as long as
 * the block around it is whole.
 */
#ifndef TL_TRACE_CHAIN_BLOCKS_H
#define TL_TRACE_CHAIN_BLOCKS_H

#include "base/text.h"
#include "trace/context.h"
#include "trace/read.h"

enum {
	/* Content that turned out damaged and was read twice; beyond it
	 * what a header claims is passed over. */
	TL_BLOCKS_TWICE_MAX = 64 << 20
};

/* A trace, and where it lies. */
struct tl_blocks_trace {
	uint64_t at;
	uint64_t size;
	struct tl_trace_header header;
	struct tl_context context; /* what is defined in it */
	uint64_t events;
	int64_t min_ns; /* of them; INT64_MAX and INT64_MIN without */
	int64_t max_ns;
	bool whole; /* has an end, and nothing is wrong before it */
};

struct tl_blocks {
	int fd; /* the caller's */
	struct tl_trace_report report;
	struct tl_blocks_trace trace; /* the last one found */
	bool inside;                  /* its blocks are being read */
	bool lost;                    /* what is damaged is passed over */
	uint64_t lost_from;
	uint32_t seed;
	uint64_t at;     /* scanned up to here */
	uint64_t twice;  /* bytes */
	uint64_t damage; /* places that belong to no trace */
	struct tl_text content;
	struct tl_text window; /* bytes of the file */
	uint64_t window_at;    /* offset of the window in the file */
};

/* The report gets what belongs to no trace. */
void tl_blocks_init(struct tl_blocks *blocks, int fd,
    const struct tl_trace_report *report);
void tl_blocks_free(struct tl_blocks *blocks);

/*
 * The next trace that ends among the first size bytes of the file: 1, and
 * blocks->trace is it until the next call; 0 there is none, ask again when
 * there are more bytes; -ENOMEM, -errno of reading.  last: there will be no
 * more, so that what was not finished is a trace, too.
 */
int tl_blocks_next(struct tl_blocks *blocks, uint64_t size, bool last);

/*
 * Is there more in the file of fd than the trace that it begins with?  An index
 * beside path (NULL: none) that covers the whole file answers at once; without
 * one the file is read.  1, 0, or -errno.
 */
int tl_blocks_is_stream(int fd, const char *path);

#endif
