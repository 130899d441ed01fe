/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_blocks.c - write blocks like a shipper's to standard output.
 *
 *	make_blocks HOST CHAIN FIRST [LAST [DROPPED]]
 *
 * Each block from FIRST to LAST of a chain (a number, or - for none) has four
 * entries "tick $n", inside of a span "job" that began in block 0.  A block
 * that replaces blocks DROPPED ("17-42") has a loss of 100 entries instead.
 * SYNC_US in the environment is the error bound of the block's clock; without
 * it the clock has no bound.  With END in the environment each block has the end
 * of "job", too.
 */
#include "trace/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICKS = 4, LOST = 100, MS = 1000000, INFO = 6 };

static const int64_t begin_ns = INT64_C(1767225600000000000);
static struct tl_message tick, job;

static int
append(void *context, const void *data, size_t size)
{
	(void)context;
	return fwrite(data, 1, size, stdout) == size ? 0 : -1;
}

static void
define(struct tl_message *message, const char *text, uint8_t kind)
{
	tl_message_parse(message, tl_bytes_of(text));
	message->category = tl_bytes_of("work");
	message->kind = kind;
	message->level = message->gate = INFO;
}

static void
say(struct tl_trace_writer *writer, const char *name, const char *value)
{
	if (tl_trace_write_info(writer, tl_bytes_of(name), tl_bytes_of(value)) <
	    0)
		exit(1);
}

static void
put(struct tl_sink *sink, const struct tl_event *event)
{
	if (sink->put(sink, event) < 0)
		exit(1);
}

static void
put_events(struct tl_sink *sink, unsigned number, const char *dropped)
{
	struct tl_event event = { .kind = TL_BEGIN,
		.message = &job,
		.ns = begin_ns,
		.pid = 7,
		.tid = 7,
		.level = INFO,
		.continued = number > 0 };

	if (!dropped)
		put(sink, &event);
	event.ns += (int64_t)number * TICKS * MS;
	event.kind = TL_INSTANT;
	event.message = &tick;
	event.continued = false;
	for (unsigned i = 0; i < TICKS && !dropped; i++) {
		event.args[0] = (uint64_t)number * TICKS + i;
		event.ns += MS;
		put(sink, &event);
	}
	if (getenv("END")) {
		event.kind = TL_END;
		event.message = &job;
		event.args[0] = 0;
		put(sink, &event);
	}
	event.kind = TL_LOST;
	event.message = NULL;
	event.lost = LOST;
	event.args[0] = 0;
	if (dropped)
		put(sink, &event);
}

/* Put the clock knot with the bound of SYNC_US. */
static void
put_knot(struct tl_trace_writer *writer)
{
	const char *sync_us = getenv("SYNC_US");
	const struct timeline_knot knot = { .utc_ns = begin_ns,
		.sync_err_us = sync_us ? (uint32_t)atoi(sync_us) : 0 };

	if (sync_us && tl_trace_write_knot(writer, &knot) < 0)
		exit(1);
}

static void
make_block(const char *host, const char *chain, unsigned number,
    const char *dropped)
{
	const struct tl_trace_options options = { .strategy =
						      TL_TRACE_STREAMING,
		.data = append,
		.created_ns = begin_ns + (int64_t)number * TICKS * MS };
	struct tl_trace_writer *writer;
	struct tl_sink *sink;
	char text[40];

	if (tl_trace_writer_new(&writer, &options) < 0 ||
	    tl_trace_sink(writer, &sink) < 0)
		exit(1);
	say(writer, "host", host);
	say(writer, "timeline", "demo");
	snprintf(text, sizeof(text), "%032x", (unsigned)strlen(host));
	say(writer, "boot", text);
	snprintf(text, sizeof(text), "%032d", atoi(chain));
	if (strcmp(chain, "-") != 0)
		say(writer, "chain", text);
	snprintf(text, sizeof(text), "%u", number);
	say(writer, "block", text);
	say(writer, "continued", number > 0 && !dropped ? "1" : "0");
	if (dropped)
		say(writer, "dropped", dropped);
	put_knot(writer);
	put_events(sink, number, dropped);
	if (sink->finish(sink) < 0)
		exit(1);
	tl_trace_writer_free(writer);
}

int
main(int argc, char **argv)
{
	unsigned first, last;

	if (argc < 4)
		return 2;
	first = (unsigned)atoi(argv[3]);
	last = argc > 4 ? (unsigned)atoi(argv[4]) : first;
	define(&tick, "tick $n", TIMELINE_RECORD_INSTANT);
	define(&job, "job", TIMELINE_RECORD_SPAN);
	for (unsigned i = first; i <= last; i++)
		make_block(argv[1], argv[2], i, argc > 5 ? argv[5] : NULL);
	return fflush(stdout) == 0 ? 0 : 1;
}
