/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - the writer of a trace, shared by the files that write it.
 *
 * The lock of a stream is taken before the lock of the writer.
 */
#ifndef TL_TRACE_WRITER_H
#define TL_TRACE_WRITER_H

#include "base/text.h"
#include "event/message_map.h"
#include "event/spans.h"
#include "trace/point.h"
#include "trace/write.h"

#include <pthread.h>

/* A message with its id in the file. */
struct tl_defined {
	uint32_t id;
	/* a bit for each argument that is the number of a string */
	uint8_t strings;
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
	struct tl_text text; /* starts with room for the header of a block */
	struct tl_text cells;
	uint64_t logical;
	int32_t next[TL_TRACE_INFO + 1]; /* the next id of each kind */
	struct tl_text_ids ids;
	struct tl_id_map pids; /* pids with a name, numbered */
	int32_t *processes;    /* by the number of the pid: the last PROCESS */
	size_t process_capacity;
	struct tl_message_map messages; /* messages -> struct tl_defined */
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
	pthread_mutex_t lock; /* protects the fields below */
	int32_t id;
	/* content, after room for the header of a block */
	struct tl_data_out out;
	uint8_t *buffer;
	struct tl_trace_block block; /* the block being filled */
	struct tl_point_state state;
	struct tl_shape shape;
	struct tl_message_map messages; /* messages -> struct stream_message */
	struct tl_string_seen *strings; /* TL_STREAM_STRINGS, or NULL: none */
	struct tl_kept *kept, **kept_end;
	uint64_t kept_size; /* size of the kept blocks */
	uint8_t *packed;
	int64_t last_ns;
	uint64_t losses;  /* number of losses put */
	uint64_t counted; /* bytes of the stream that are counted in waiting */
};

struct tl_trace_writer {
	struct tl_trace_options options;
	struct tl_trace_header header;
	uint32_t seed;
	pthread_mutex_t lock; /* protects the fields below */
	/* the first error; nothing is written after an error */
	int rc;
	bool finished;
	uint64_t data_at;
	/* shared word: data_at and the waiting definitions */
	uint64_t settled;
	uint64_t waiting; /* bytes in all streams, if one thread writes */
	uint32_t index_crc;
	uint64_t cell_count;
	struct tl_definitions definitions;
	struct tl_trace_stream **streams;
	size_t stream_count;
	size_t stream_capacity;
	struct tl_trace_sink *sink;
	void (*release)(void *context); /* frees options.context */
};

/* == block.c: definitions; the lock of the writer is held == */

int tl_definitions_init(struct tl_definitions *definitions);
void tl_definitions_free(struct tl_definitions *definitions);
/* The id of a message; a new message is defined.  NULL: error in *rc. */
const struct tl_defined *tl_define_message(struct tl_definitions *definitions,
    const struct tl_message *message, int *rc);
/* The id of a STRING or CATEGORY; a new text is defined.  Negative: -errno. */
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

/* == block.c: blocks == */

/* Write a block with its cells.  The block follows room for its header.  0 or
 * -errno. */
int tl_block_write(struct tl_trace_writer *writer, struct tl_trace_block *block,
    uint8_t *bytes, const uint8_t *cells, size_t cells_size);
/* Write the waiting definitions.  The lock of the writer is held.  0 or
 * -errno. */
int tl_block_write_definitions(struct tl_trace_writer *writer);
/* Write the waiting definitions if they fill a block.  Called with the lock
 * after definitions were added.  0 or -errno. */
int tl_block_settle(struct tl_trace_writer *writer);
/* The same, and unlock the writer.  rc is the result of adding the definitions,
 * which is returned if it is negative. */
int tl_block_unlock(struct tl_trace_writer *writer, int64_t rc);
int tl_block_begin_files(struct tl_trace_writer *writer);
int tl_block_end_files(struct tl_trace_writer *writer);

/* == stream.c; the lock of the stream is held == */

int tl_trace_stream_flush(struct tl_trace_stream *stream);
/* Flush for a timer.  Frees the buffer of a thread that writes nothing. */
int tl_stream_rest(struct tl_trace_stream *stream);
/* End open spans, and write the last block. */
int tl_trace_stream_finish(struct tl_trace_stream *stream);
int tl_trace_stream_write_kept(struct tl_trace_stream *stream);
void tl_trace_stream_free(struct tl_trace_stream *stream);

/* End the open spans of a stream that are not around an event, which was put
 * into spans and comes next, without an end event.  An end of a span ends the
 * spans inside by itself.  Takes the lock of the stream.  0, -ENOMEM or an
 * error of writing. */
int tl_trace_stream_leave(struct tl_trace_stream *stream,
    struct tl_spans *spans, const struct tl_event *event);

/* == sink.c == */

void tl_trace_sink_free(struct tl_trace_sink *sink);

#endif
