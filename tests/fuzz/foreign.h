/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.h - properties that hold for any reader and writer of a format and
 * any bytes: pieces read as the whole does, and the output of the writer reads
 * as the spans that it was written from.
 */
#ifndef TESTS_FUZZ_FOREIGN_H
#define TESTS_FUZZ_FOREIGN_H

#include "event/render.h"
#include "event/writer.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A fuzzer sets the texts of reports.  If a reader reports the first text and
 * any other one for an input, the input has spans that its format cannot
 * express again.
 */
enum { FOREIGN_INEXACT_MAX = 3 };
static const char *foreign_inexact[FOREIGN_INEXACT_MAX];

/*
 * One reading: a hash of all events, and a hash of the times and kinds of
 * spans.
 */
struct foreign {
	struct tl_sink sink; /* first: the reader sees this member */
	struct tl_sink *next;
	struct tl_text text;
	uint64_t all;
	uint64_t spans;
	uint64_t faults;
	bool inexact[FOREIGN_INEXACT_MAX]; /* whether each text was reported */
	int rc;
};

static inline uint64_t
foreign_hash(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static inline int
foreign_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct foreign *f = (struct foreign *)(void *)sink;

	assert(event->message || event->kind == TL_LOST);
	tl_text_clear(&f->text);
	tl_render_line(&f->text, event);
	f->all = foreign_hash(f->all, &event->ns, sizeof(event->ns));
	f->all = foreign_hash(f->all, f->text.data, f->text.size);
	if (event->kind == TL_BEGIN || event->kind == TL_END) {
		f->spans =
		    foreign_hash(f->spans, &event->ns, sizeof(event->ns));
		f->spans = foreign_hash(f->spans, &event->kind, 1);
	}
	return f->next ? f->next->put(f->next, event) : 0;
}

static inline void
foreign_say(void *context, const struct tl_fault *fault)
{
	struct foreign *f = context;

	assert(fault->text[0]);
	f->faults = foreign_hash(f->faults, &fault->at, sizeof(fault->at));
	f->faults = foreign_hash(f->faults, fault->text, strlen(fault->text));
	for (int i = 0; i < FOREIGN_INEXACT_MAX; i++)
		f->inexact[i] |= foreign_inexact[i] &&
				 strstr(fault->text, foreign_inexact[i]);
}

static inline int
foreign_write(void *context, const char *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

/*
 * Read all of the input in pieces of step bytes (0: at once), and pass the
 * events to next unless it is NULL.
 */
static inline void
foreign_read(struct foreign *f, tl_reader_new *read, struct tl_bytes in,
    size_t step, struct tl_sink *next)
{
	const struct tl_report report = { foreign_say, f };
	struct tl_reader *reader;
	int rc;

	*f = (struct foreign){ .sink = { foreign_put, NULL }, .next = next };
	rc = read(&reader, &f->sink, &report);
	assert(rc == 0);
	while (f->rc == 0 && in.size > 0) {
		const size_t size =
		    step == 0 || step > in.size ? in.size : step;

		f->rc = reader->feed(reader, tl_bytes(in.data, size));
		in.data += size;
		in.size -= size;
	}
	if (f->rc == 0)
		f->rc = reader->finish(reader);
	if (f->rc == 0 && next) {
		rc = next->finish(next);
		assert(rc == 0);
	}
	reader->free(reader);
	tl_text_free(&f->text);
}

static inline void
foreign_check(tl_reader_new *read, tl_writer_new *write,
    tl_recognise *recognise, struct tl_bytes in)
{
	struct foreign whole, pieces, again;
	struct tl_text out = { 0 };
	struct tl_writer *writer;
	int rc = write(&writer, foreign_write, &out, NULL);

	assert(rc == 0 && recognise(in) <= 100);
	foreign_read(&whole, read, in, 0, &writer->sink);
	tl_writer_free(writer);
	foreign_read(&pieces, read, in,
	    in.size > 0 ? 1 + (uint8_t)in.data[in.size - 1] % 16 : 1, NULL);
	assert(pieces.rc == whole.rc && pieces.all == whole.all &&
	       pieces.faults == whole.faults);
	if (whole.rc == 0 && out.size > 0) {
		foreign_read(&again, read, tl_bytes(out.data, out.size), 0,
		    NULL);
		assert(again.rc == 0);
		assert(again.spans == whole.spans ||
		       (whole.inexact[0] &&
			   (whole.inexact[1] || whole.inexact[2])));
	}
	tl_text_free(&out);
}

#endif
