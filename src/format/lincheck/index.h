/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - the index beside a Lincheck trace.  The index consists of a cell
 * for each definition, each finished container and each block:
 *
 *	definition	offset of its first byte in the file
 *	container	content in the stream of its thread: begin, footer
 *	block		first and last byte in the file
 *
 * A reader that has read the whole file checks the index (check).  A reader of
 * trees reads the file through the index (open, find).  The cells stay in their
 * file, because there may be as many as calls:
 *
 *	cells	| block | definitions and containers of it | block | ...
 *	lane	  place   +- chunk: 256 cells -+- chunk -+
 *
 * The cells of the containers of a thread are ordered by the ends of the
 * containers.  A chunk keeps the last end and the least start of its cells, so
 * a container is found in the memory of its chunk.
 *
 * Until it is checked, an index may contain anything.  Opening checks the order
 * of the cells, reads every definition that a cell points to, and compares both
 * ends of every block with the data.  The cell of a container is compared with
 * the data when the cell is used (trees.c).
 */
#ifndef TL_FORMAT_LINCHECK_INDEX_H
#define TL_FORMAT_LINCHECK_INDEX_H

#include "base/fault.h"
#include "base/file.h"
#include "base/table.h"
#include "format/lincheck/context.h"
#include "trace/layout.h"
#include "trace/read.h"

/* == check == */

/* Count and sum of the cells' hashes.  Starts from all zeros. */
struct tl_lincheck_cells {
	uint64_t count;
	uint64_t sum;
};

/*
 * Count a cell; kind is the kind in the file.  The end counts only for calls
 * and blocks, because the end of a definition has no meaning.
 */
void tl_lincheck_cells_add(struct tl_lincheck_cells *cells, uint32_t version,
    uint8_t kind, int32_t id, uint64_t start, uint64_t end);

/* Check header and footer, and that whole cells lie between them. */
int tl_lincheck_index_ends(struct tl_storage *index, uint32_t version,
    struct tl_fault *fault);

/*
 * Compare an index with the cells of a file of this version: 0, and *by_memory
 * is set if Lincheck wrote the index from memory; -EBADMSG and a fault at a
 * byte of the index; -errno of reading.
 */
int tl_lincheck_index_check(struct tl_storage *index, uint32_t version,
    const struct tl_lincheck_cells *cells, bool *by_memory,
    struct tl_fault *fault);

/* == bytes of the data == */

/* A part of a storage in memory.  Starts from all zeros but storage. */
struct tl_lincheck_window {
	struct tl_storage *storage;
	struct tl_text bytes;
	uint64_t at; /* offset of bytes in the storage */
};

enum { TL_LINCHECK_WINDOW = 16 << 10 /* bytes read at once */ };

/*
 * Parse the object at a byte of the storage, all of which lies before end: the
 * size of the object, -EBADMSG if there is none, or -errno.  The object is
 * valid until the next call.  read_size: bytes to read if the window has none.
 */
int64_t tl_lincheck_window_parse(struct tl_lincheck_window *window, uint64_t at,
    uint64_t end, size_t read_size, struct tl_lincheck_dialect *dialect,
    struct tl_lincheck_object *object);

/* == open == */

struct tl_lincheck_block {
	uint64_t at;      /* offset of the first object in the file */
	uint64_t logical; /* the same in the stream */
	uint64_t size;
};

struct tl_lincheck_chunk {
	uint64_t cell; /* number of the first cell */
	uint64_t count;
	uint64_t start_min;
	uint64_t end_max;
};

/* The stream of a thread. */
struct tl_lincheck_lane {
	int32_t thread;
	uint64_t name;   /* string number; 0: no name */
	bool has_points; /* set by the trees */
	uint64_t size;
	struct tl_lincheck_block *blocks;
	size_t block_count;
	size_t block_capacity;
	struct tl_lincheck_chunk *chunks;
	size_t chunk_count;
	size_t chunk_capacity;
};

enum { TL_LINCHECK_CHUNK = 256 /* cells */ };

/* Starts from all zeros. */
struct tl_lincheck_index {
	struct tl_storage *storage;
	uint32_t version;
	uint64_t count; /* of cells, without that of EOF */
	uint8_t piece[TL_LINCHECK_CHUNK * TL_CELL_SIZE];
	uint64_t piece_first; /* number of the first cell in piece */
	uint64_t piece_count; /* 0: nothing was read */
	/* in the order in which blocks and names name their threads */
	struct tl_lincheck_lane *lanes;
	size_t lane_count;
	size_t lane_capacity;
	struct tl_id_map numbers;
	/* the place behind the cell that was found last, and the end of its
	 * container; next_lane is NULL: none was found */
	const struct tl_lincheck_lane *next_lane;
	size_t next_chunk;
	uint64_t next_cell;
	uint64_t last_end;
};

/*
 * Open an index, and put all definitions and names of threads into messages,
 * whose version is set.  Both storages must outlive the index.  0; -EBADMSG:
 * the index does not fit the data, or the data is not whole; -errno.
 */
int tl_lincheck_index_open(struct tl_lincheck_index *index,
    struct tl_storage *storage, struct tl_lincheck_window *data,
    struct tl_lincheck_messages *messages);
void tl_lincheck_index_free(struct tl_lincheck_index *index);

/*
 * Find the cell of the container whose content begins at start: 1, 0, -errno.
 */
int tl_lincheck_index_find(struct tl_lincheck_index *index,
    const struct tl_lincheck_lane *lane, uint64_t start, struct tl_cell *cell);

/*
 * == trees: the trees of a trace, read in place through its index ==
 *
 *	index --open--> definitions, blocks, threads
 *	node --load--> walk along its content --+-- leaf: parsed
 *	                                        +-- container: its header, a
 *	                                            jump to its footer
 *
 * The nodes are those that a recorded trace made of all events of the file has.
 * The format counts no children, so to load a container is to walk along its
 * children once, and to load a child is to walk along those before it.  Calls
 * inside a child are not read, except to find its last point, whose number is
 * the step at which the child ends; untimed trees have no such steps.
 *
 * The cell of a container is used only if the data have that container's header
 * before its content, and a footer at its end, inside the container around it.
 * Otherwise the cell is reported, and the content is read once up to the
 * footer.
 *
 * Refused, so that the file is read whole: a file that is damaged or not whole,
 * as far as the index shows, an outermost call without a footer, and version
 * 18, whose first breakpoint decides how breakpoints are read.
 */
struct tl_lincheck_trees;

/*
 * Make the trees.  Definitions go into messages; messages, storages and report
 * must outlive the trees.  0; -EBADMSG: the index does not fit the data;
 * -errno.
 */
int tl_lincheck_trees_new(struct tl_lincheck_trees **trees,
    struct tl_lincheck_messages *messages, struct tl_storage *data,
    struct tl_storage *index, const struct tl_report *report);
void tl_lincheck_trees_free(struct tl_lincheck_trees *trees);
struct tl_trees *tl_lincheck_trees_base(struct tl_lincheck_trees *trees);

/* Thread number i in the order of the file, also one without points, which has
 * no tree.  NULL: no such thread. */
const struct tl_lincheck_lane *
tl_lincheck_trees_lane(const struct tl_lincheck_trees *trees, size_t i);

#endif
