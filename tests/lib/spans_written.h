/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans_written.h - put spans into a writer.
 */
#ifndef TESTS_LIB_SPANS_WRITTEN_H
#define TESTS_LIB_SPANS_WRITTEN_H

#include "foreign.h"

#include <timeline.h>

static struct foreign f;
static struct tl_message a, b, c, lock;

static inline void
make_message(struct tl_message *message, uint8_t scope, const char *text)
{
	*message = (struct tl_message){ .category = tl_bytes_of("net"),
		.kind = TIMELINE_RECORD_SPAN,
		.scope = scope,
		.level = 6 };
	ck_assert_ok(tl_message_parse(message, tl_bytes_of(text)));
}

static inline void
start_writer(tl_writer_new *write)
{
	foreign_init(&f);
	make_message(&a, TIMELINE_THREAD, "a");
	make_message(&b, TIMELINE_THREAD, "b $x and $y%s");
	make_message(&c, TIMELINE_THREAD, "c");
	make_message(&lock, TIMELINE_SOURCE, "lock");
	ck_assert_int_eq(write(&f.writer, foreign_write, &f.out,
			     &f.noted.report),
	    0);
}

static inline void
put_event(uint8_t kind, const struct tl_message *message, int64_t ns,
    uint32_t tid)
{
	const struct tl_event e = { .message = message,
		.ns = ns,
		.kind = kind,
		.level = 6,
		.cpu = 1,
		.pid = tid ? 41 : 0,
		.tid = tid };

	ck_assert_ok(f.writer->sink.put(&f.writer->sink, &e));
}

static inline void
begin(const struct tl_message *message, int64_t ns, uint32_t tid)
{
	put_event(TL_BEGIN, message, ns, tid);
}

static inline void
end(const struct tl_message *message, int64_t ns, uint32_t tid)
{
	put_event(TL_END, message, ns, tid);
}

static inline void
check_written(const char *written, const char *noted)
{
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_str_eq(tl_text_string(&f.out), written);
	ck_assert_str_eq(tl_text_string(&f.noted.text), noted);
	foreign_free(&f);
}

#endif
