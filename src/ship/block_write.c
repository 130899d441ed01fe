/* SPDX-License-Identifier: Apache-2.0 */
/* block_write.c - a trace that holds INFOs and at most a loss. */
#include "ship/block_write.h"

#include "trace/write.h"

#include <stdio.h>

enum { RANGE_MAX = 2 * TL_UNSIGNED_MAX + 2 };

static int
append(void *context, const void *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

static int
write_info(struct tl_trace_writer *writer, const char *name, const char *value)
{
	if (value[0] == '\0')
		return 0;
	return tl_trace_write_info(writer, tl_bytes_of(name),
	    tl_bytes_of(value));
}

static int
write_number(struct tl_trace_writer *writer, const char *name, uint64_t number)
{
	char words[TL_UNSIGNED_MAX + 1];

	snprintf(words, sizeof(words), "%llu", (unsigned long long)number);
	return write_info(writer, name, words);
}

static int
write_numbers(struct tl_trace_writer *writer,
    const struct tl_block_facts *facts)
{
	const uint64_t first = facts->block.number;
	char words[RANGE_MAX];
	int rc = write_number(writer, TL_INFO_BLOCK, first);

	if (rc == 0 && facts->sent > 0)
		rc = write_number(writer, TL_INFO_SENT, facts->sent);
	if (rc < 0 || !facts->dropped)
		return rc;
	snprintf(words, sizeof(words), "%llu-%llu", (unsigned long long)first,
	    (unsigned long long)facts->last);
	return write_info(writer, TL_INFO_DROPPED, words);
}

static int
write_positions(struct tl_trace_writer *writer, const char *name,
    const struct tl_text *positions)
{
	if (positions->size == 0)
		return 0;
	return tl_trace_write_info(writer, tl_bytes_of(name),
	    tl_bytes(positions->data, positions->size));
}

static int
write_infos(struct tl_trace_writer *writer, const struct tl_block_facts *facts)
{
	const struct tl_block *b = &facts->block;
	int rc;

	if ((rc = write_info(writer, "host", b->host)) < 0 ||
	    (rc = write_info(writer, "command", "timeline-ship")) < 0 ||
	    (rc = write_info(writer, "boot", facts->boot)) < 0 ||
	    (rc = write_info(writer, "timeline", b->timeline)) < 0 ||
	    (rc = write_info(writer, TL_INFO_CHAIN, b->chain)) < 0 ||
	    (rc = write_numbers(writer, facts)) < 0 ||
	    (rc = write_info(writer, TL_INFO_IDENTITY, facts->identity)) < 0)
		return rc;
	rc = write_positions(writer, TL_INFO_BEGINS, &facts->begins);
	return rc < 0 ? rc
		      : write_positions(writer, TL_INFO_POSITIONS,
			    &facts->positions);
}

/* Of no thread, as the recorder has it. */
static int
write_loss(struct tl_trace_writer *writer, const struct tl_block *block)
{
	const struct tl_event loss = { .kind = TL_LOST,
		.lost = block->lost,
		.cpu = TL_CPU_UNKNOWN,
		.ns = block->from_ns };
	struct tl_trace_stream *stream;
	const int rc = tl_trace_stream_new(&stream, writer, 0, 0,
	    tl_bytes_of(block->timeline));

	return rc < 0 ? rc : tl_trace_stream_put(stream, &loss);
}

int
tl_block_make(struct tl_text *text, const struct tl_block_facts *facts)
{
	const struct tl_trace_options options = { .data = append,
		.context = text,
		.created_ns = facts->block.from_ns };
	struct tl_trace_writer *writer;
	int rc = tl_trace_writer_new(&writer, &options);

	if (rc < 0)
		return rc;
	rc = write_infos(writer, facts);
	if (rc == 0 && facts->dropped && facts->block.lost > 0)
		rc = write_loss(writer, &facts->block);
	if (rc == 0)
		rc = tl_trace_writer_finish(writer);
	tl_trace_writer_free(writer);
	return rc;
}
