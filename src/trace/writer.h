/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - the writer of a trace, shared by the files that write it.
 *
 * Locks are taken in this order: that of a stream, that of the writer.
 */
#ifndef TL_TRACE_WRITER_H
#define TL_TRACE_WRITER_H

#include "base/text.h"
#include "event/message_map.h"
#include "trace/id_table.h"
#include "trace/point.h"
#include "trace/write.h"

#include <pthread.h>

/* A message with its id in the file. */
struct tl_defined {
	uint32_t id;
	uint8_t strings; /* arguments that are numbers of strings, as bits */
};

/* Ids by kind and text. */
struct tl_text_ids {
	struct tl_table table; /* of the list, by kind and text */
	struct tl_text_id *list;
	size_t count;
	size_t capacity;
};

/* Definitions that wait for the next block. */
struct tl_definitions {
	struct tl_text text; /* after room for the header of a block */
	struct tl_text cells;
	uint64_t logical;
	int32_t next[TL_TRACE_INFO + 1]; /* of each kind: the next id */
	struct tl_text_ids ids;
	struct tl_id_table pids; /* pids with a name, numbered */
	int32_t *processes;      /* by that number: the last PROCESS */
	size_t process_capacity;
	struct tl_message_map messages; /* to struct tl_defined */
};

/* A block that waits for the end, with TL_TRACE_COLLECT. */
struct tl_kept {
	struct tl_kept *next;
	struct tl_trace_block block;
	size_t cells_size;
	uint8_t bytes[]; /* header, content, end; cells */
};

enum {
	TL_STREAM_STRINGS = 64,
	/* header and end of a block */
	TL_BLOCK_AROUND = TL_TRACE_BLOCK_HEADER + 1
};

/* The number of a source's string, and its id in the file. */
struct tl_string_seen {
	const struct tl_strings *strings;
	uint64_t number;
	uint64_t id;
};

struct tl_trace_stream {
	struct tl_trace_writer *writer;
	pthread_mutex_t lock; /* of the fields below */
	int32_t id;
	struct tl_data_out out; /* content, after room for the header */
	uint8_t *buffer;
	struct tl_trace_block block; /* the block that is being filled */
	struct tl_point_state state;
	struct tl_shape shape;
	struct tl_message_map messages; /* to struct stream_message */
	struct tl_string_seen *strings; /* TL_STREAM_STRINGS, or NULL: none */
	struct tl_kept *kept, **kept_end;
	uint64_t kept_size; /* of the blocks that are kept */
	uint8_t *packed;
	int64_t last_ns;
	uint64_t losses;  /* that were put */
	uint64_t counted; /* bytes of this stream that are counted in waiting */
};

struct tl_trace_writer {
	struct tl_trace_options options;
	struct tl_trace_header header;
	uint32_t seed;
	pthread_mutex_t lock; /* of the fields below */
	/* the first error, after which nothing is written */
	int rc;
	bool finished;
	uint64_t data_at;
	/* shared word: data_at and the definitions that wait */
	uint64_t settled;
	uint64_t waiting; /* shared word: bytes in all streams, if sized */
	uint32_t index_crc;
	uint64_t cell_count;
	struct tl_definitions definitions;
	struct tl_trace_stream **streams;
	size_t stream_count;
	size_t stream_capacity;
	struct tl_trace_sink *sink;
	void (*release)(void *context); /* frees options.context */
};

/* == define.c; all need the lock of the writer == */

int tl_definitions_init(struct tl_definitions *definitions);
void tl_definitions_free(struct tl_definitions *definitions);
/* The id of a message, which is defined if it is new.  NULL: error in *rc. */
const struct tl_defined *tl_define_message(struct tl_definitions *definitions,
    const struct tl_message *message, int *rc);
/* The id of a STRING or CATEGORY, which is defined if it is new; < 0:
 * -errno. */
int64_t tl_define_text(struct tl_definitions *definitions,
    enum tl_trace_kind kind, struct tl_bytes text);
int tl_define_process(struct tl_definitions *definitions, uint32_t pid,
    struct tl_bytes command);
int tl_define_thread(struct tl_definitions *definitions, int32_t id,
    uint32_t pid, uint32_t tid, struct tl_bytes name);
int tl_define_info(struct tl_definitions *definitions, struct tl_bytes name,
    struct tl_bytes value);
int tl_define_knot(struct tl_definitions *definitions,
    const struct timeline_knot *knot);

/* == block.c == */

/* Write a block, which must be after room for its header, with its cells. */
int tl_block_write(struct tl_trace_writer *writer, struct tl_trace_block *block,
    uint8_t *bytes, const uint8_t *cells, size_t cells_size);
/* Write the definitions that wait, with the lock. */
int tl_block_write_definitions(struct tl_trace_writer *writer);
/* The same if there are enough of them; call with the lock after adding
 * some. */
int tl_block_settle(struct tl_trace_writer *writer);
int tl_block_begin_files(struct tl_trace_writer *writer);
int tl_block_end_files(struct tl_trace_writer *writer);

/* == stream.c; with the lock of the stream == */

int tl_trace_stream_flush(struct tl_trace_stream *stream);
/* The same for a timer; frees the buffer of a thread that writes nothing. */
int tl_stream_rest(struct tl_trace_stream *stream);
/* End open spans, and write the last block. */
int tl_trace_stream_finish(struct tl_trace_stream *stream);
int tl_trace_stream_write_kept(struct tl_trace_stream *stream);
void tl_trace_stream_free(struct tl_trace_stream *stream);

/* == sink.c == */

void tl_trace_sink_free(struct tl_trace_sink *sink);

#endif
