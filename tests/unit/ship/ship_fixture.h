/* SPDX-License-Identifier: Apache-2.0 */
/* ship_fixture.h - a folder for each test, and real blocks. */
#ifndef TESTS_UNIT_SHIP_FIXTURE_H
#define TESTS_UNIT_SHIP_FIXTURE_H

#include "lib/test.h"
#include "ship/block.h"
#include "trace/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static uint64_t said; /* number of reports */

static inline void
ship_setup(void)
{
	strcpy(folder, "/tmp/test-ship-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	said = 0;
}

static inline void
ship_teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static inline void
ship_say(void *context, const struct tl_fault *fault)
{
	(void)context;
	said += fault->rc < 0;
	if (getenv("V"))
		fprintf(stderr, "  %s\n", fault->text);
}

static inline int
ship_append(void *context, const void *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

static inline void
ship_info(struct tl_trace_writer *writer, const char *name, const char *value)
{
	ck_assert_ok(
	    tl_trace_write_info(writer, tl_bytes_of(name), tl_bytes_of(value)));
}

static inline void
ship_loss(struct tl_trace_writer *writer, int64_t ns, uint64_t lost)
{
	const struct tl_event event = { .kind = TL_LOST,
		.lost = lost,
		.ns = ns,
		.cpu = TL_CPU_UNKNOWN };
	struct tl_trace_stream *stream;

	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 0, 0, tl_bytes_of("holes")));
	ck_assert_ok(tl_trace_stream_put(stream, &event));
}

static inline void
ship_events(struct tl_trace_writer *writer, int64_t from_ns, uint64_t entries)
{
	static struct tl_message message;
	struct tl_trace_stream *stream;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("tick $n")));
	message.category = tl_bytes_of("test");
	message.kind = TIMELINE_RECORD_INSTANT;
	message.level = 5;
	ck_assert_ok(tl_trace_stream_new(&stream, writer, 10, 11,
	    tl_bytes_of("thread")));
	for (uint64_t i = 0; i < entries; i++) {
		const struct tl_event event = { .kind = TL_INSTANT,
			.message = &message,
			.ns = from_ns + (int64_t)i,
			.args = { i },
			.pid = 10,
			.tid = 11 };

		ck_assert_ok(tl_trace_stream_put(stream, &event));
	}
}

/*
 * Fill in the times and the data of a block whose other members, counts
 * included, are set. text holds the data.
 */
static inline void
ship_block(struct tl_text *text, struct tl_block *block, int64_t from_ns,
    const char *positions)
{
	const struct tl_trace_options options = { .data = ship_append,
		.context = text,
		.created_ns = from_ns };
	struct tl_trace_writer *writer;
	char number[32];

	snprintf(number, sizeof(number), "%llu",
	    (unsigned long long)block->number);
	ck_assert_ok(tl_trace_writer_new(&writer, &options));
	ship_info(writer, "host", block->host);
	ship_info(writer, "timeline", block->timeline);
	ship_info(writer, TL_INFO_CHAIN, block->chain);
	ship_info(writer, TL_INFO_BLOCK, number);
	ship_info(writer, TL_INFO_IDENTITY, "identity");
	ship_info(writer, TL_INFO_POSITIONS, positions);
	if (block->lost > 0)
		ship_loss(writer, from_ns, block->lost);
	ship_events(writer, from_ns, block->entries);
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
	block->from_ns = from_ns;
	block->to_ns = from_ns + (int64_t)block->entries - 1;
	block->data = tl_bytes(text->data, text->size);
}

#endif
