/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_threads.c - more threads than a Lincheck trace may have: the rest is
 * left out, and reported.
 */
#include "format/lincheck/lincheck.h"
#include "lib/lincheck.h"
#include "lib/test.h"

enum { TOO_MANY = 20000 };

TEST_FILE(.timeout = 600);

TEST(threads_beyond_the_limit_are_left_out)
{
	struct tl_message message = { .category = tl_bytes_of("net"),
		.kind = TIMELINE_RECORD_INSTANT };
	struct tl_event event = { .message = &message,
		.kind = TL_INSTANT,
		.cpu = TL_CPU_UNKNOWN,
		.pid = 1 };
	struct foreign f;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("hello")));
	message.level = event.level = (uint8_t)tl_level_parse("info");
	foreign_init(&f);
	ck_assert_ok(tl_lincheck_write_new(&f.writer, foreign_write, &f.out,
	    &f.noted.report));
	for (event.tid = 1; event.tid <= TL_LINCHECK_THREADS_MAX + TOO_MANY;
	     event.tid++)
		ck_assert_ok(f.writer->sink.put(&f.writer->sink, &event));
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.noted.text),
	    "too much for one trace: event left out (20000 times)"));
	foreign_free(&f);
}
