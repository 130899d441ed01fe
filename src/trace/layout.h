/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - the bytes of a recorded trace: data file and index.
 *
 *	data   header | block | block | ... | EOF
 *	block  BLOCK_START(thread ...) | object | object | ... | BLOCK_END
 *	object kind | fields
 *
 *	index  magic | version | cell | cell | ... | EOF cell | magic
 *	cell   kind 1 | id 4 | start 8 | end 8
 *
 * A trace holds everything that a program logged, for minutes or hours, and is
 * larger than memory.  It has three aims: a crash at any byte loses only
 * unwritten data; a reader finds child 1,000,000 of a span without reading the
 * children before; and damage in one place affects only that place.
 *
 * Blocks.  A block holds objects of one thread, so that threads write without
 * waiting for each other; blocks of TL_TRACE_DEFINITIONS hold the definitions
 * for all threads.  The concatenated contents of a thread's blocks are its
 * stream.  A place in the stream is a logical offset, a place in the file a
 * physical one.  The header of a block carries the logical offset, the number
 * of spans open there, and two checksums, seeded with the id of the trace; so a
 * reader can begin at any block, and a block of another file is not mistaken
 * for a block of this file.
 *
 * Index.  One cell for each block, and in addition:
 *
 *	SPAN	the begin and end of the content of a large container
 *	MARK	the number and place of a child, every TL_TRACE_MARK_EVERY bytes
 *	ROOT	the number of children of a thread
 *	OPEN	the number of children of a span without a footer
 *
 *	stream	| SPAN [ child child child | child child | ... ] FOOTER |
 *	cells	  start            mark            mark           end
 *
 * A container with less content than TL_TRACE_CELL_MIN has no cell, because
 * reading its content is cheaper.  An index can always be rebuilt from the
 * data; writer and builder share point.h, so both make the same cells.  A cell
 * is compared with the data before the cell is used.
 *
 * Rejected: an index inside the data file (a crash would leave both without
 * an end, and data would have to be moved to grow it); one stream for all
 * threads (a lock per event, and no tree per thread); a cell for each span
 * (an index as large as the data).
 *
 * Numbers are big-endian; timeline-trace(5) draws every field.  Lincheck
 * traces have cells and blocks of the same shape.
 */
#ifndef TL_TRACE_LAYOUT_H
#define TL_TRACE_LAYOUT_H

#include "base/bytes.h"
#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

/* The checksum of bytes, continued from the checksum of the bytes before (0:
 * none).  Uses the instruction of the CPU if the CPU has one, else tables. */
uint32_t tl_crc32c(uint32_t crc, const void *data, size_t size);

/* Like tl_crc32c(), with tables only. */
uint32_t tl_crc32c_by_table(uint32_t crc, const void *data, size_t size);

/* 0x89 and the letters TLTRACE; the magic of an index is its complement. */
#define TL_TRACE_MAGIC       UINT64_C(0x89544c5452414345)
#define TL_TRACE_INDEX_MAGIC (~TL_TRACE_MAGIC)
#define TL_TRACE_VERSION     1

/* Features that a reader must know; unknown ones cause -EPROTO.  Unknown
 * features in the other word only forbid writing to the file. */
#define TL_TRACE_PACKED   UINT64_C(1) /* blocks may be compressed */
#define TL_TRACE_PROOFS   UINT64_C(2) /* end events may be proven */
#define TL_TRACE_SAID     UINT64_C(4) /* end events may say their begins */
#define TL_TRACE_INCOMPAT (TL_TRACE_PACKED | TL_TRACE_PROOFS | TL_TRACE_SAID)
#define TL_TRACE_COMPAT   UINT64_C(0)

enum tl_trace_kind {
	TL_TRACE_STRING = 0, /* for all threads */
	TL_TRACE_CATEGORY = 1,
	TL_TRACE_LOCATION = 2,
	TL_TRACE_MESSAGE = 3,
	TL_TRACE_PROCESS = 4,
	TL_TRACE_THREAD = 5,
	TL_TRACE_KNOT = 6,
	TL_TRACE_INFO = 7,
	TL_TRACE_POINT = 16, /* of one thread: instants, counters, ... */
	TL_TRACE_LOSS = 17,
	TL_TRACE_SPAN = 18,   /* container: its content follows */
	TL_TRACE_FOOTER = 19, /* the end of a container */
	TL_TRACE_MARK = 32,   /* in an index only: a place among children */
	TL_TRACE_SELF = 33,   /* in an index only: the id of the trace */
	TL_TRACE_ROOT = 34,   /* in an index only: a thread, at its end */
	TL_TRACE_OPEN = 35,   /* in an index only: a span without a footer */
	TL_TRACE_BLOCK_START = 0xb5,
	TL_TRACE_BLOCK_END = 0xb6,
	TL_TRACE_EOF = 0xbf
};

enum {
	TL_TRACE_HEADER_SIZE = 64,
	TL_TRACE_ID_SIZE = 16,
	TL_TRACE_BLOCK_HEADER = 54,
	TL_TRACE_BLOCK_SIZE = 128 << 10, /* largest content that is written */
	TL_TRACE_BLOCK_MAX = 16 << 20,   /* largest content that is read */
	TL_TRACE_DEFINITIONS = -1,       /* the thread number of definitions */
	TL_TRACE_TEXT_MAX = 1 << 20,
	TL_TRACE_DEPTH_MAX = 1 << 24,
	TL_TRACE_NONE = -1, /* no id */
	/* A container with less content has no cell. */
	TL_TRACE_CELL_MIN = 4096,
	/* The distance of marks among the children of a container. */
	TL_TRACE_MARK_EVERY = 16 << 10,
	TL_CELL_SIZE = 21,
	TL_INDEX_HEADER_SIZE = 16,
	TL_INDEX_FOOTER_SIZE = TL_CELL_SIZE + 8
};

/* The name of a thread whose name is unknown.  An empty name stands for the
 * name of the process. */
#define TL_TRACE_UNNAMED "?"
/* The INFO of an entry that changes gates; the digit is the gate then.  The
 * value is the first line of the message; empty: any messages. */
#define TL_TRACE_GATE "gate 0"
/* The INFOs of what was observed, before the first event and after the last;
 * see event/observe/said.c. */
#define TL_TRACE_OBSERVED "observed"
#define TL_TRACE_ENDS     "observed at the end"

struct tl_trace_header {
	uint64_t compat;
	uint64_t incompat;
	/* random; identifies the blocks and the index of the file */
	uint8_t id[TL_TRACE_ID_SIZE];
	int64_t created_ns;
	uint8_t codec; /* of packed blocks; 0: none */
};

void tl_trace_header_put(uint8_t to[TL_TRACE_HEADER_SIZE],
    const struct tl_trace_header *header);
/* Parse the header.  0; -ENODATA: truncated; -EBADMSG: not a trace, or damaged;
 * -EPROTO: another version, or unknown features. */
int tl_trace_header_get(struct tl_trace_header *header, struct tl_bytes first,
    struct tl_fault *fault);
/* The seed of all checksums of a file. */
uint32_t tl_trace_seed(const struct tl_trace_header *header);

/* The suffix of the index, which lies beside the data file. */
#define TL_TRACE_INDEX_SUFFIX ".idx"

enum { TL_BLOCK_PACKED = 1 << 0 };

struct tl_trace_block {
	int32_t thread;
	uint8_t flags;
	uint32_t stored;  /* bytes of the content in the file */
	uint32_t size;    /* bytes of the content in the stream */
	uint64_t logical; /* logical offset of the content */
	/* number of containers open at the start of the content */
	uint32_t depth;
	uint32_t events;
	int64_t min_ns; /* times of the events */
	int64_t max_ns;
	uint32_t crc; /* of the stored content */
};

void tl_trace_block_put(uint8_t to[TL_TRACE_BLOCK_HEADER],
    const struct tl_trace_block *block, uint32_t seed);
/* Parse a whole header of a block of this file.  false: not such a header. */
bool tl_trace_block_get(struct tl_trace_block *block, const uint8_t *from,
    uint32_t seed);
/* The size of a block in the file. */
static inline uint64_t
tl_trace_block_size(const struct tl_trace_block *block)
{
	return (uint64_t)TL_TRACE_BLOCK_HEADER + block->stored + 1;
}

/* A cell of an index, in this format or in that of Lincheck. */
struct tl_cell {
	uint8_t kind;
	int32_t id;
	int64_t start;
	int64_t end;
};

void tl_cell_put(uint8_t to[TL_CELL_SIZE], const struct tl_cell *cell);
struct tl_cell tl_cell_get(const uint8_t from[TL_CELL_SIZE]);

/*
 * The compression of blocks.  Both functions may be called by several threads
 * at once.
 */
struct tl_trace_codec {
	uint8_t number; /* 1: zstd frames */
	/* Pack.  Returns the packed size; 0: packing would not save bytes;
	 * -errno. */
	int64_t (*pack)(void *context, void *to, size_t room, const void *from,
	    size_t size);
	/* Unpack exactly size bytes.  0, -EBADMSG, -errno. */
	int (*unpack)(void *context, void *to, size_t size, const void *from,
	    size_t packed);
	void *context;
};

enum { TL_TRACE_ZSTD = 1, TL_TRACE_ZSTD_LEVEL = 3 };

/* Compresses with TL_TRACE_ZSTD_LEVEL; the level does not matter for
 * reading. */
extern const struct tl_trace_codec tl_trace_zstd;
/* Like tl_trace_zstd, with another level, 1 to 19. */
struct tl_trace_codec tl_trace_zstd_at(int level);

#endif
