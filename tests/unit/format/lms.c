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

/* The file is written again as it was. */
static void
check_exact(const char *file)
{
	run(file);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.out), file);
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
}

static const char example[] = "2,0,reader\n0,0,10\n1,0,990\n2,1,writer\n"
			      "0,1,0\n1,1,200\n0,0,10\n1,0,700\n";

TEST_FILE(.timeout = 60);

TEST(the_example_is_read)
{
	check(example,
	    "10000 lms > reader\n1000000 lms < reader\n"
	    "1000000 lms > writer\n1200000 lms < writer\n"
	    "1210000 lms > reader\n1910000 lms < reader\n",
	    "");
	check_exact(example);
}

/* Spans as text. */
struct intervals {
	struct tl_sink sink;
	struct tl_spans *spans;
	struct tl_text text;
};

static int
put_interval(struct tl_sink *sink, const struct tl_event *event)
{
	struct intervals *i = (struct intervals *)(void *)sink;
	struct tl_span span;

	if (tl_spans_put(i->spans, event, &span) != 1)
		return 0;
	tl_put_bytes(&i->text, span.message->line1);
	tl_put_format(&i->text, " (%lld,%lld)\n",
	    (long long)span.begin_ns / 1000, (long long)span.end_ns / 1000);
	return i->text.rc;
}

TEST(the_example_gives_its_three_intervals)
{
	struct intervals i = { .sink = { put_interval, NULL } };
	struct tl_reader *reader;

	ck_assert_int_eq(tl_spans_new(&i.spans), 0);
	ck_assert_int_eq(tl_lms_read_new(&reader, &i.sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(example)), 0);
	ck_assert_int_eq(reader->finish(reader), 0);
	ck_assert_str_eq(tl_text_string(&i.text),
	    "reader (10,1000)\nwriter (1000,1200)\nreader (1210,1910)\n");
	reader->free(reader);
	tl_spans_free(i.spans);
	tl_text_free(&i.text);
}

TEST(differences_may_be_negative)
{
	check("2,0,a\n0,0,100\n2,1,b\n0,1,-30\n1,1,5\n1,0,-200\n",
	    "100000 lms > a\n70000 lms > b\n75000 lms < b\n-125000 lms < a\n",
	    "0 20 time goes back (2 times)\n");
	check_exact("2,0,a\n0,0,100\n2,1,b\n0,1,-30\n1,1,5\n1,0,-200\n");
}

TEST(a_label_goes_to_the_end_of_its_line)
{
	check("2,0,a,b,,c\n0,0,1\n", "1000 lms > a,b,,c\n",
	    "-61 - begin without an end\n");
	check("2,7, \"x\" \n1,7,1\n", "1000 lms <  \"x\" \n",
	    "0 10 end without a begin\n");
	check_exact("2,0,a,b,,c\n0,0,1\n1,0,2\n");
	check_exact("2,0, \"x\" \n0,0,1\n1,0,2\n");
}

TEST(any_label_comes_back)
{
	check_exact("2,0,\n0,0,1\n1,0,2\n");
	check_exact("2,0,costs $5 and $x%d\n0,0,1\n1,0,2\n");
	check_exact("2,0,$a $b $c $d $e\n0,0,1\n1,0,2\n");
	check_exact("2,0,\x01\xff\xc3\n0,0,1\n1,0,2\n");
	check("2,0,costs $5\n0,0,1\n1,0,2\n",
	    "1000 lms > label(costs $5)\n3000 lms < label(costs $5)\n", "");
}

TEST(two_ids_of_one_label_stay_two)
{
	check_exact("2,0,a\n0,0,1\n2,1,a\n0,1,2\n1,0,3\n1,1,4\n");
	check_exact("2,0,$a\n0,0,1\n2,1,$a\n0,1,2\n1,0,3\n1,1,4\n");
}

TEST(blank_lines_are_nothing)
{
	check("\n2,0,a\n\n0,0,1\n\n\n1,0,2\n\n", "1000 lms > a\n3000 lms < a\n",
	    "");
}

TEST(a_label_may_have_lines)
{
	check("2,0,one\n\ntwo\n\n0,0,1\n1,0,1\n",
	    "1000 lms > label(one\\n\\ntwo)\n2000 lms < label(one\\n\\ntwo)\n",
	    "0 9 label of several lines\n");
	check_exact("2,0,one\n\ntwo, 3\n4\n0,0,1\n1,0,2\n");
}

TEST(windows_ends_of_lines_are_read)
{
	check("2,0,a\r\n0,0,1\r\n1,0,2\r\n", "1000 lms > a\n3000 lms < a\n",
	    "");
}

TEST(an_end_without_a_begin_is_said)
{
	check("2,0,a\n1,0,5\n0,0,1\n1,0,1\n",
	    "5000 lms < a\n6000 lms > a\n7000 lms < a\n",
	    "0 6 end without a begin\n");
}

TEST(a_begin_inside_another_is_said)
{
	check("2,0,a\n0,0,1\n0,0,1\n1,0,1\n1,0,1\n0,0,1\n",
	    "1000 lms > a\n2000 lms > a\n3000 lms < a\n4000 lms < a\n"
	    "5000 lms > a\n",
	    "-61 - begin without an end\n"
	    "0 12 begin inside another of the same label\n");
}

TEST(an_id_without_a_label_is_said)
{
	check("2,0,a\n0,3,1\n1,3,1\n1,3,1\n",
	    "0 lms id(0) is name(a)\n"
	    "1000 lms > id 3\n2000 lms < id 3\n3000 lms < id 3\n",
	    "-74 6 id without a label\n0 18 end without a begin\n");
}

TEST(an_id_may_get_another_label)
{
	check("2,0,a\n0,0,1\n1,0,1\n2,0,b\n0,0,1\n1,0,1\n2,0,b\n0,0,1\n"
	      "1,0,1\n",
	    "1000 lms > a\n2000 lms < a\n3000 lms > b\n4000 lms < b\n"
	    "4000 lms id(0) is name(b)\n5000 lms > b\n6000 lms < b\n",
	    "0 24 id gets another label\n");
}

/* Note the duration of each end that is proven, and ? for any other end. */
static int
put_duration(struct tl_sink *sink, const struct tl_event *event)
{
	struct intervals *i = (struct intervals *)(void *)sink;

	if (event->kind == TL_END && event->proven)
		tl_put_format(&i->text, "%lld ", (long long)event->duration_ns);
	else if (event->kind == TL_END)
		tl_put_string(&i->text, "? ");
	return 0;
}

static void
lasts(const char *file, const char *durations)
{
	struct intervals i = { .sink = { put_duration, NULL } };
	struct tl_reader *reader;

	ck_assert_int_eq(tl_lms_read_new(&reader, &i.sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(file)), 0);
	ck_assert_int_eq(reader->finish(reader), 0);
	ck_assert_str_eq(tl_text_string(&i.text), durations);
	reader->free(reader);
	tl_text_free(&i.text);
}

TEST(an_end_belongs_to_the_last_begin_of_its_id_in_the_file)
{
	lasts("2,0,a\n0,0,1\n0,0,2\n1,0,3\n1,0,4\n1,0,5\n", "3000 9000 ? ");
	lasts("2,0,a\n2,1,b\n0,0,0\n0,1,1\n1,0,1\n1,1,1\n", "2000 2000 ");
	/* back in time: two spans of one id cross, a span has no length */
	lasts("2,0,a\n0,0,0\n1,0,10\n0,0,-8\n1,0,13\n", "10000 13000 ");
	lasts("2,0,a\n0,0,0\n1,0,-1\n", "? ");
	/* the label is another */
	lasts("2,0,a\n0,0,0\n2,0,b\n1,0,1\n0,0,1\n1,0,1\n", "? 1000 ");
}

TEST(what_is_no_line_is_skipped)
{
	check("2,0,a\n0,0,1\nhello\n3,0,1\n0,0\n0,0,x\n0,0,1,2\n"
	      "0,99999999999999999999,1\n0,0,9223372036854775808\n"
	      "1,0,1\n",
	    "1000 lms > a\n2000 lms < a\n",
	    "-74 12 not a line of an LMS profile, skipped (7 times)\n");
}

TEST(numbers_at_the_edge_are_read)
{
	check("2,-9223372036854775808,a\n"
	      "0,-9223372036854775808,9223372036854775807\n"
	      "1,-9223372036854775808,-9223372036854775808\n",
	    "9223372036854775000 lms > a\n-9223372036854775000 lms < a\n",
	    "0 68 time goes back\n"
	    "-34 25 time is out of range: cut (2 times)\n");
}

/* "1,0,9" may be the start of "1,0,990", so the line has no meaning. */
TEST(a_file_cut_inside_a_line_is_unfinished)
{
	check("2,0,a\n0,0,1\n1,0,9", "1000 lms > a\n",
	    "-61 - begin without an end\n"
	    "-61 12 the file ends inside its last line, left out\n");
	check("2,0,a\n0,0,1\n1,0,1\n2,1,writ", "1000 lms > a\n2000 lms < a\n",
	    "-61 18 the file ends inside its last line, left out\n");
	check("2,0,a\n0,0,1\n1,0,1\n ", "1000 lms > a\n2000 lms < a\n", "");
}

TEST(a_malformed_line_is_no_part_of_a_label)
{
	check("2,0,a\n0,0,abc\n0,0,1\n1,0,2\n", "1000 lms > a\n3000 lms < a\n",
	    "-74 6 not a line of an LMS profile, skipped\n");
	check("2,0,a\n1,\n7,0,1\n0,0,1\n1,0,2\n",
	    "1000 lms > a\n3000 lms < a\n",
	    "-74 6 not a line of an LMS profile, skipped (2 times)\n");
}

TEST(mappings_given_up_front_keep_their_ids)
{
	check("2,7,a\n2,3,b\n2,9,unused\n0,3,1\n1,3,2\n0,7,0\n1,7,1\n",
	    "0 lms id(7) is name(a)\n0 lms id(3) is name(b)\n"
	    "0 lms id(9) is name(unused)\n1000 lms > b\n3000 lms < b\n"
	    "3000 lms > a\n4000 lms < a\n",
	    "");
	check_exact("2,7,a\n2,3,b\n2,9,unused\n0,3,1\n1,3,2\n0,7,0\n1,7,1\n");
	check_exact("2,0,a\n2,1,b\n");
	check_exact("2,0,a\n0,0,1\n1,0,1\n2,5,late\n");
	check_exact("2,1,a\n0,1,1\n1,1,1\n2,0,b\n0,0,1\n1,0,1\n");
	check_exact("2,-4,a\n0,-4,1\n1,-4,1\n");
}

TEST(another_label_comes_back)
{
	check_exact("2,0,a\n0,0,1\n1,0,1\n2,0,b\n0,0,1\n1,0,1\n"
		    "2,0,a\n0,0,1\n1,0,1\n2,0,a\n0,0,1\n1,0,1\n");
}

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
	ck_assert_int_eq(tl_lms_read_new(&reader, &f.sink.sink, &f.said.report),
	    0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(example)), -ENOSPC);
	ck_assert_uint_eq(f.sink.count, 1);
	reader->free(reader);
	foreign_free(&f);
}

static unsigned
recognised(const char *text)
{
	return tl_lms_recognise(tl_bytes_of(text));
}

TEST(a_profile_is_recognised)
{
	ck_assert_uint_ge(recognised(example), 80);
	ck_assert_uint_ge(recognised("2,0,a\n0,0,1\n1,0,"), 80);
	ck_assert_uint_eq(recognised("0,0,1\n1,0,1\n"), 0);
	ck_assert_uint_eq(recognised(""), 0);
	ck_assert_uint_eq(recognised("2,0,a\n"), 0);
	ck_assert_uint_eq(recognised("time,cpu\n1,2\n"), 0);
	ck_assert_uint_eq(recognised("{\"ns\":1}\n0,0,1\n"), 0);
}

TEST(a_short_profile_with_a_bad_line_is_recognised)
{
	ck_assert_uint_ge(recognised("2,0,a\n0,0,10\n1,x\n1,0,990\n"), 60);
	ck_assert_uint_ge(recognised("junk\n2,0,a\n0,0,10\n1,0,990\n"), 60);
	ck_assert_uint_eq(recognised("2,0,a\n0,0,10\n1,x\n2,x,y\n"), 0);
	ck_assert_uint_eq(recognised("2,9,a\n0,0,10\n1,x\n1,0,990\n"), 0);
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

	ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &e), 0);
}

static void
start_writer(const char *category, const char *text)
{
	foreign_init(&f);
	message = (struct tl_message){ .category = tl_bytes_of(category),
		.kind = TIMELINE_RECORD_SPAN,
		.level = 4 };
	ck_assert_int_eq(tl_message_parse(&message, tl_bytes_of(text)), 0);
	ck_assert_int_eq(tl_lms_write_new(&f.writer, foreign_write, &f.out,
			     &f.noted.report),
	    0);
}

TEST(spans_of_a_timeline_are_written)
{
	const struct tl_event lost = { .kind = TL_LOST, .lost = 3 };

	start_writer("net", "processed $tcp and $udp%d, all\nin one go");
	put_event(TL_BEGIN, 1795202658123456789);
	put_event(TL_END, 1795202658123457000);
	put_event(TL_BEGIN, -1);
	put_event(TL_INSTANT, 0);
	put_event(TL_COUNTER, 0);
	ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &lost), 0);
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&f.out),
	    "2,0,net.processed tcp and udp, all\n0,0,0\n"
	    "1,0,1\n0,0,-1795202658123458\n");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - an instant is left out\n"
	    "-95 - a value of a counter is left out\n"
	    "-95 - lost entries are left out\n"
	    "-95 - the arguments of a message are left out\n"
	    "-95 - the priority of a message is left out\n"
	    "-95 - the CPUs of a message are left out\n"
	    "-95 - the threads of a message are left out\n"
	    "-95 - a time is cut to microseconds (2 times)\n"
	    "-95 - the time of day is left out: times count from the first "
	    "mark\n");
	foreign_free(&f);
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
		ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
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
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	foreign_run(&again, tl_lms_read_new, NULL,
	    tl_bytes(f.out.data, f.out.size), 1 + random_below(&state, 50));
	ck_assert_int_eq(again.rc, 0);
	ck_assert_str_eq(tl_text_string(&again.sink.text),
	    tl_text_string(&want));
	foreign_free(&again);
	foreign_free(&f);
	tl_text_free(&want);
}
