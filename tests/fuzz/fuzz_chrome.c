/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_chrome.c - any bytes as Chrome's trace events, read at once and in
 * pieces that the bytes choose.  Written again in order of time, they must read
 * as the same number of events at the same times.  Unpaired events come back as
 * instants.
 */
#include "foreign.h"
#include "format/chrome/chrome.h"

#include <stdlib.h>

enum { EVENTS_MAX = 4096 };

/* The events of a file, as far as there is room, and their messages. */
struct file {
	struct tl_sink sink; /* first: the reader sees this member */
	struct tl_reader *reader;
	struct tl_event *events;
	size_t count;
	int rc;
};

static int
keep(struct tl_sink *sink, const struct tl_event *event)
{
	struct file *f = (struct file *)(void *)sink;

	if (f->count < EVENTS_MAX)
		f->events[f->count++] = *event;
	return 0;
}

/* Events of one time stay in the order of the file. */
static void
sort(struct file *f)
{
	for (size_t i = 1; i < f->count; i++) {
		const struct tl_event event = f->events[i];
		size_t to = i;

		for (; to > 0 && f->events[to - 1].ns > event.ns; to--)
			f->events[to] = f->events[to - 1];
		f->events[to] = event;
	}
}

static void
open_file(struct file *f, struct tl_bytes in)
{
	*f = (struct file){ .sink = { keep, NULL },
		.events = malloc(EVENTS_MAX * sizeof(*f->events)) };
	assert(f->events);
	f->rc = tl_chrome_read_new(&f->reader, &f->sink, NULL);
	assert(f->rc == 0);
	f->rc = f->reader->feed(f->reader, in);
	if (f->rc == 0)
		f->rc = f->reader->finish(f->reader);
	sort(f);
}

static void
close_file(struct file *f)
{
	f->reader->free(f->reader);
	free(f->events);
}

static void
write_file(const struct file *f, struct tl_text *out)
{
	struct tl_writer *writer;
	int rc = tl_chrome_write_new(&writer, foreign_write, out, NULL);

	for (size_t i = 0; rc == 0 && i < f->count; i++)
		rc = writer->sink.put(&writer->sink, &f->events[i]);
	assert(rc == 0);
	rc = writer->sink.finish(&writer->sink);
	assert(rc == 0);
	tl_writer_free(writer);
}

static void
check_same(const struct file *a, const struct file *b)
{
	size_t begins = 0;

	assert(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert(a->events[i].ns == b->events[i].ns);
		begins += a->events[i].kind == TL_BEGIN;
		begins -= b->events[i].kind == TL_BEGIN;
	}
	assert(begins <= a->count); /* no event is new */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes in = tl_bytes(data, size);
	struct foreign whole, pieces;
	struct file file, again;
	struct tl_text out = { 0 };

	assert(tl_chrome_recognise(in) <= 100);
	foreign_read(&whole, tl_chrome_read_new, in, 0, NULL);
	foreign_read(&pieces, tl_chrome_read_new, in,
	    size > 0 ? 1 + data[size - 1] % 16u : 1, NULL);
	assert(pieces.rc == whole.rc && pieces.all == whole.all &&
	       pieces.faults == whole.faults);
	open_file(&file, in);
	write_file(&file, &out);
	open_file(&again, tl_bytes(out.data, out.size));
	assert(again.rc == 0);
	check_same(&file, &again);
	close_file(&file);
	close_file(&again);
	tl_text_free(&out);
	return 0;
}
