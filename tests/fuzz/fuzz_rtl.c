/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_rtl.c - any bytes as a log of RTL_LOGFILE.  Pieces read the same as the
 * whole.  The log that is written again reads without a fault and gives the
 * same number of events.
 */
#include "base/text.h"
#include "format/rtl/rtl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Counts events, mixes them into a sum, and passes them on. */
struct count {
	struct tl_sink sink;
	struct tl_sink *next;
	uint64_t events;
	uint64_t sum;
	uint64_t faults;
};

static void
mix(struct count *c, struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		c->sum = (c->sum ^ (uint8_t)bytes.data[i]) * 1099511628211u;
}

static int
put(struct tl_sink *sink, const struct tl_event *e)
{
	struct count *c = (struct count *)(void *)sink;

	assert(e->kind >= TL_INSTANT && e->kind <= TL_END && e->message);
	assert(e->number == c->events);
	c->events++;
	c->sum = c->sum * 31 + (uint64_t)e->ns + e->kind * 7 + e->tid;
	mix(c, e->message->category);
	mix(c, e->message->text);
	for (unsigned i = 0; i < e->message->argc; i++) {
		if (e->message->args[i].format != TIMELINE_ARG_STRING)
			continue; /* a value of the header */
		const struct tl_bytes string =
		    tl_message_string(e->message, e->args[i]);

		assert(string.data);
		mix(c, string);
	}
	return c->next ? c->next->put(c->next, e) : 0;
}

static void
say(void *context, const struct tl_fault *fault)
{
	assert(fault->text[0]);
	((struct count *)context)->faults++;
}

static int
keep(void *context, const char *data, size_t size)
{
	tl_put_bytes(context, tl_bytes(data, size));
	return 0;
}

/* Read the log in pieces of so many bytes. */
static int
read_in(struct count *c, struct tl_bytes bytes, size_t piece)
{
	const struct tl_report report = { say, c };
	struct tl_reader *reader;
	int rc = tl_rtl_read_new(&reader, &c->sink, &report);

	assert(rc == 0);
	for (size_t at = 0; rc == 0 && at < bytes.size; at += piece) {
		const size_t left = bytes.size - at;

		rc = reader->feed(reader,
		    tl_bytes(bytes.data + at, left < piece ? left : piece));
	}
	if (rc == 0)
		rc = reader->finish(reader);
	assert(rc == 0 || rc == -EBADMSG);
	assert(rc == 0 || c->faults > 0);
	reader->free(reader);
	return rc;
}

/* The writer takes the events while the reader still exists. */
static int
rewrite(struct count *c, struct tl_bytes bytes, struct tl_text *text)
{
	struct tl_writer *writer;
	int rc = tl_rtl_write_new(&writer, keep, text, NULL);

	assert(rc == 0);
	tl_writer_set(writer, true);
	c->next = &writer->sink;
	rc = read_in(c, bytes, SIZE_MAX / 2);
	if (rc == 0) {
		rc = writer->sink.finish(&writer->sink);
		assert(rc == 0);
	}
	tl_writer_free(writer);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes bytes = tl_bytes(data, size);
	struct count whole = { .sink.put = put }, pieces = whole, back = whole;
	struct tl_text text = { 0 };

	assert(tl_rtl_recognise(bytes) <= 100);
	if (rewrite(&whole, bytes, &text) == 0 &&
	    read_in(&pieces, bytes, size > 512 ? 7 : 1) == 0) {
		assert(pieces.events == whole.events);
		assert(pieces.sum == whole.sum);
		assert(pieces.faults == whole.faults);
		assert(
		    read_in(&back, tl_bytes(text.data, text.size), 4096) == 0);
		assert(back.events == whole.events);
	}
	tl_text_free(&text);
	return 0;
}
