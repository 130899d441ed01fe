/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lms.c - LMS profiles: the example of the original, the faults of files, and
 * that no event is lost on the way through a timeline.
 */
#include "format/lms/lms.h"
#include "event/spans.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <timeline.h>

static struct foreign f;

static void
run(const char *file)
{
	foreign_check_pieces(tl_lms_read_new, tl_bytes_of(file));
	foreign_run(&f, tl_lms_read_new, tl_lms_write_new, tl_bytes_of(file),
	    0);
}

static void
check(const char *file, const char *events, const char *said)
{
	run(file);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), events);
	ck_assert_str_eq(tl_text_string(&f.said.text), said);
	foreign_free(&f);
}

static const char example[] = "2,0,reader\n0,0,10\n1,0,990\n2,1,writer\n"
			      "0,1,0\n1,1,200\n0,0,10\n1,0,700\n";

TEST_FILE(.timeout = 60);

/* Spans as text. */
struct intervals {
	struct tl_sink sink;
	struct tl_spans *spans;
	struct tl_text text;
};

TEST(another_file_is_refused)
{
	struct tl_text text = { 0 };

	run("hello\nworld\n");
	ck_assert_int_eq(f.rc, -EBADMSG);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-74 0 not an LMS profile\n");
	foreign_free(&f);
	for (unsigned i = 0; i < 1000; i++)
		tl_put_string(&text, "x\n");
	run(tl_text_string(&text));
	ck_assert_int_eq(f.rc, -EBADMSG);
	foreign_free(&f);
	tl_text_free(&text);
	check("", "", ""); /* an empty profile */
}

TEST(a_long_line_is_cut)
{
	struct tl_text text = { 0 };

	tl_put_string(&text, "2,0,");
	tl_put_repeat(&text, 'x', 100000);
	tl_put_string(&text, "\n0,0,1\n");
	tl_put_repeat(&text, '0', 100000);
	tl_put_string(&text, "\n1,0,1\n");
	run(tl_text_string(&text));
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, 2);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-74 100011 not a line of an LMS profile, skipped\n"
	    "-74 0 line is too long: cut (2 times)\n");
	foreign_free(&f);
	tl_text_free(&text);
}

/* A label leaves out lines that would make it too long. */
TEST(a_label_does_not_grow_without_bound)
{
	struct tl_text text = { 0 }, want = { 0 };

	tl_put_string(&text, "2,0,a\n");
	for (unsigned i = 0; i < 20; i++) {
		tl_put_repeat(&text, 'x', 60000);
		tl_put_char(&text, '\n');
	}
	tl_put_string(&want, "2,0,a\n");
	tl_put_repeat(&want, 'x', 60000);
	tl_put_string(&want, "\n0,0,1\n1,0,1\n");
	tl_put_string(&text, "0,0,1\n1,0,1\n");
	run(tl_text_string(&text));
	ck_assert_int_eq(f.rc, 0);
	ck_assert(tl_bytes_equal(tl_bytes(f.out.data, f.out.size),
	    tl_bytes(want.data, want.size)));
	foreign_free(&f);
	tl_text_free(&text);
	tl_text_free(&want);
}

TEST(what_the_sink_says_is_returned)
{
	struct tl_reader *reader;

	foreign_init(&f);
	f.sink.rc = -ENOSPC;
	ck_assert_ok(tl_lms_read_new(&reader, &f.sink.sink, &f.said.report));
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(example)), -ENOSPC);
	ck_assert_uint_eq(f.sink.count, 1);
	reader->free(reader);
	foreign_free(&f);
}

/* Put an event of a timeline into the writer. */
static struct tl_message message;

static void
put_event(uint8_t kind, int64_t ns)
{
	const struct tl_event e = { .message = &message,
		.ns = ns,
		.kind = kind,
		.level = message.level,
		.cpu = 1,
		.pid = 4,
		.tid = 5 };

	ck_assert_ok(f.writer->sink.put(&f.writer->sink, &e));
}

static void
start_writer(const char *category, const char *text)
{
	foreign_init(&f);
	message = (struct tl_message){ .category = tl_bytes_of(category),
		.kind = TIMELINE_RECORD_SPAN,
		.level = 4 };
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(text)));
	ck_assert_ok(tl_lms_write_new(&f.writer, foreign_write, &f.out,
	    &f.noted.report));
}

/* The first line of a message has no newline, but its category may have any. */
TEST(a_label_cannot_forge_lines)
{
	static const char *const labels[] = { "a\n0,0,5", "a\n", "\n", "a\r",
		"a\n\nb\n \n", "a\n2,9,x\nb", "a\nb\n0,0,5\n\n" };

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct foreign again;
		struct tl_text out;

		start_writer(labels[i], "x");
		put_event(TL_BEGIN, 1000);
		put_event(TL_END, 2000);
		ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
		out = f.out;
		foreign_run(&again, tl_lms_read_new, tl_lms_write_new,
		    tl_bytes(out.data, out.size), 0);
		ck_assert_int_eq(again.rc, 0);
		ck_assert_uint_eq(again.sink.count, 2);
		ck_assert_str_eq(tl_text_string(&again.out),
		    tl_text_string(&out));
		foreign_free(&again);
		foreign_free(&f);
	}
}

/* Random profiles that the original could have written. */
TEST(profiles_come_back_byte_for_byte, .to = 8)
{
	uint64_t state = (uint64_t)_i + 1;
	struct tl_text file = { 0 };
	unsigned ids = 0;

	for (unsigned k = 0; k < 2000; k++) {
		const unsigned id =
		    (unsigned)random_below(&state, ids < 50 ? ids + 1 : ids);

		if (id == ids)
			tl_put_format(&file, "2,%u,%s.%llx\n", ids++,
			    id % 3 ? "runtime" : "a,$b",
			    (unsigned long long)random_next(&state));
		tl_put_format(&file, "%u,%u,%lld\n",
		    (unsigned)random_below(&state, 2), id,
		    (long long)random_below(&state, 100000) - 50);
	}
	foreign_run(&f, tl_lms_read_new, tl_lms_write_new,
	    tl_bytes(file.data, file.size), random_below(&state, 100));
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, 2000);
	ck_assert_str_eq(tl_text_string(&f.out), tl_text_string(&file));
	foreign_free(&f);
	tl_text_free(&file);
}

/*
 * Everything but fractions of a microsecond survives, whatever the times are.
 */
TEST(spans_of_a_timeline_come_back, .to = 4)
{
	uint64_t state = (uint64_t)_i + 1;
	struct foreign again;
	struct tl_text want = { 0 };
	int64_t first_us = 0;

	start_writer("net", "x, $y");
	for (unsigned k = 0; k < 500; k++) {
		const int64_t us = (int64_t)random_next(&state) / 8192;
		const bool begins = random_below(&state, 2);

		if (k == 0)
			first_us = us;
		put_event(begins ? TL_BEGIN : TL_END, us * 1000);
		tl_put_format(&want, "%lld lms %c net.x, y\n",
		    (long long)(us - first_us) * 1000, begins ? '>' : '<');
	}
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	foreign_run(&again, tl_lms_read_new, NULL,
	    tl_bytes(f.out.data, f.out.size), 1 + random_below(&state, 50));
	ck_assert_int_eq(again.rc, 0);
	ck_assert_str_eq(tl_text_string(&again.sink.text),
	    tl_text_string(&want));
	foreign_free(&again);
	foreign_free(&f);
	tl_text_free(&want);
}
