/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_read.c - Chrome's trace events: the meaning of each phase, the faults
 * of files, and that our own files are read as they were written.
 */
#include "event/names.h"
#include "event/spans.h"
#include "format/chrome/chrome.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <math.h>
#include <timeline.h>

static struct foreign f;

TEST_FILE(.timeout = 60);

struct last {
	struct tl_sink sink; /* first: the reader sees this member */
	struct tl_event event;
};

TEST(too_many_open_spans_are_reported_as_such)
{
	enum { BEGINS = 300000 };
	struct tl_text file = { 0 };

	tl_put_char(&file, '[');
	for (unsigned i = 0; i < BEGINS; i++)
		tl_put_format(&file,
		    "%s{\"ph\":\"B\",\"ts\":%u,\"name\":\"a\"}",
		    i > 0 ? "," : "", i);
	tl_put_char(&file, ']');
	foreign_run(&f, tl_chrome_read_new, NULL,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, BEGINS);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-28 - more than 262144 spans are open at once: the span does not "
	    "end; complete events (X) have no such limit (37856 times)\n");
	foreign_free(&f);
	tl_text_free(&file);
}

TEST(an_event_has_a_bound)
{
	struct tl_text file = { 0 };

	tl_put_string(&file,
	    "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{");
	for (unsigned i = 0; i < 6; i++) {
		tl_put_format(&file, "%s\"k%u\":\"", i > 0 ? "," : "", i);
		tl_put_repeat(&file, 'x', 1000000);
		tl_put_char(&file, '"');
	}
	tl_put_string(&file, "}},{\"ph\":\"i\",\"ts\":2,\"name\":\"b\"}]");
	foreign_run(&f, tl_chrome_read_new, NULL,
	    tl_bytes(file.data, file.size), 4096);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), "2000  b\n");
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-28 1 event is too large: left out\n");
	foreign_free(&f);
	tl_text_free(&file);
}

TEST(what_the_sink_says_is_returned)
{
	static const char file[] = "[{\"ph\":\"X\",\"ts\":1,\"dur\":1}]";

	foreign_init(&f);
	f.sink.rc = -ENOSPC;
	ck_assert_ok(tl_chrome_read_new(&f.reader, &f.sink.sink, NULL));
	ck_assert_ok(f.reader->feed(f.reader, tl_bytes_of(file)));
	ck_assert_int_eq(f.reader->finish(f.reader), -ENOSPC);
	foreign_free(&f);
}
