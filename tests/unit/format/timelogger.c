/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger.c - TimeLogger files: the meaning of records, the faults of files,
 * and that no event is lost on the way through a timeline.
 */
#include "lib/timelogger.h"
#include "event/spans.h"
#include "format/timelogger/timelogger.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>

static struct foreign f;

static void
run(void)
{
	const struct tl_bytes in = tl_bytes(file.data, file.size);

	foreign_check_pieces(tl_timelogger_read_new, in);
	foreign_run(&f, tl_timelogger_read_new, tl_timelogger_write_new, in, 0);
}

/* Check the events and the diagnostics; the file starts anew. */
static void
check(const char *events, const char *said)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), events);
	ck_assert_str_eq(tl_text_string(&f.said.text), said);
	foreign_free(&f);
}

/* The file is written again as it was, without diagnostics. */
static void
check_exact(void)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(tl_text_string(&f.out), tl_text_string(&file),
	    file.size);
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
	tl_text_clear(&file);
}

/* The bytes of a file, as DataOutputStream writes them. */
static const char by_hand[] = "\0"
			      "\0\0\0\0"
			      "\0\0\0\0\0\0\x03\xe8"
			      "\0\x0a"
			      "GameThread"
			      "\x01"
			      "\0\0\0\0"
			      "\0\0\0\0\0\0\x07\xd0"
			      "\x02"
			      "\0\0\0\0"
			      "\0\0\0\0\0\0\x0b\xb8";

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_file_is_read)
{
	tl_put_bytes(&file, tl_bytes(by_hand, sizeof(by_hand) - 1));
	ck_assert_uint_eq(file.size, 25 + 13 + 13);
	check("1000 timelogger source id(0) is name(GameThread)\n"
	      "2000 source > GameThread\n3000 source < GameThread\n",
	    "");
	check_exact();
}

TEST(times_and_ids_at_the_edge_are_kept)
{
	put_source(INT32_MAX, INT64_MIN, "last");
	put_open(INT32_MAX, -1);
	put_close(INT32_MAX, INT64_MAX);
	put_source(INT32_MIN, INT64_MAX, "first");
	check("-9223372036854775808 timelogger source id(2147483647) is "
	      "name(last)\n-1 source > last\n"
	      "9223372036854775807 source < last\n"
	      "9223372036854775807 timelogger source id(-2147483648) is "
	      "name(first)\n",
	    "");
}

TEST(names_come_back_whatever_they_are)
{
	char all[TL_FAULT_TEXT_MAX] = { 0 };

	put_source(0, 1, "");
	put_open(0, 2);
	put_source(1, 3, "costs $5 and $x%d");
	put_open(1, 3);
	put_close(1, 3);
	put_source(2, 3, "two\nlines");
	put_open(2, 3);
	put_source_bytes(3, 3,
	    "a\xc0\x80z \xed\xa0\xbd\xed\xb8\x80 \xed\xa0\x80", 15);
	put_open(3, 3);
	put_source(4, 3, "$a $b $c $d $e $a");
	put_source(5, 3, "name (overlap)");
	put_open(5, 3);
	put_open(5, 3);
	put_close(5, 3);
	put_close(5, 3);
	put_close(5, 3);
	put_source(6, 3, "name (below 0)\nsource 5");
	put_open(6, 3);
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = 'x';
	put_source_bytes(7, 4, all, sizeof(all));
	check_exact();
}

TEST(the_longest_name_comes_back)
{
	char *name = malloc(65535);

	ck_assert_ptr_nonnull(name);
	memset(name, 'n', 65535);
	put_source_bytes(0, 1, name, 65535);
	put_open(0, 2);
	put_close(0, 3);
	put_source_bytes(1, 4, name, 65535);
	put_open(1, 5);
	put_close(1, 6);
	check_exact();
	free(name);
}

TEST(two_sources_of_one_name_stay_two)
{
	put_source(0, 1, "flushTask");
	put_source(1, 1, "flushTask");
	put_open(0, 2);
	put_open(1, 3);
	put_close(0, 4);
	put_close(1, 5);
	check("1 timelogger source id(0) is name(flushTask)\n"
	      "1 timelogger source id(1) is name(flushTask)\n"
	      "2 source > flushTask\n3 source > flushTask\n"
	      "4 source < flushTask\n5 source < flushTask\n",
	    "");
	check_exact();
}

TEST(activity_above_1_is_an_overlap)
{
	put_source(0, 0, "lock");
	for (int i = 1; i <= 3; i++)
		put_open(0, i);
	for (int i = 4; i <= 6; i++)
		put_close(0, i);
	check("0 timelogger source id(0) is name(lock)\n1 source > lock\n"
	      "2 source > lock (overlap)\n3 source > lock (overlap)\n"
	      "4 source < lock (overlap)\n5 source < lock (overlap)\n"
	      "6 source < lock\n",
	    "0 32 open of a source that is open: an overlap (2 times)\n");
	check_exact();
}

TEST(activity_below_0_is_a_span_of_its_own)
{
	put_source(0, 0, "lock");
	put_close(0, 1);
	put_close(0, 2);
	put_open(0, 3);
	put_open(0, 4);
	put_open(0, 5);
	put_close(0, 6);
	check("0 timelogger source id(0) is name(lock)\n"
	      "1 source > lock (below 0)\n2 source > lock (below 0)\n"
	      "3 source < lock (below 0)\n4 source < lock (below 0)\n"
	      "5 source > lock\n6 source < lock\n",
	    "0 19 close of a source that is not open: below 0 (2 times)\n");
	check_exact();
}

/* Pairs spans, and adds up the outermost ones. */
struct pairs {
	struct tl_sink sink;
	struct tl_spans *spans;
	int64_t busy_ns;
};

static int
put_pair(struct tl_sink *sink, const struct tl_event *event)
{
	struct pairs *p = (struct pairs *)(void *)sink;
	struct tl_span span;

	ck_assert(event->kind != TL_END || event->proven);
	if (tl_spans_put(p->spans, event, &span) == 1 &&
	    tl_bytes_equal(span.message->line1, tl_bytes_of("s"))) {
		ck_assert_uint_eq(span.depth, 0);
		p->busy_ns += span.duration_ns;
	}
	return 0;
}

/*
 * Open and close a source at random until it is closed; returns how long its
 * activity was 1 or more.
 */
static int64_t
put_random_activity(uint64_t state)
{
	int64_t activity = 0, busy_ns = 0;

	for (int64_t ns = 1; ns < 900 || activity != 0; ns++) {
		const bool opens =
		    ns < 900 ? random_below(&state, 2) == 0 : activity < 0;

		busy_ns += activity > 0;
		activity += opens ? 1 : -1;
		put_record(opens ? 1 : 2, 0, ns);
	}
	return busy_ns;
}

TEST(spans_of_any_activity_are_paired)
{
	struct pairs p = { .sink = { put_pair, NULL } };
	struct tl_spans_count count;
	struct tl_reader *reader;
	int64_t busy_ns;

	put_source(0, 0, "s");
	busy_ns = put_random_activity(5);
	ck_assert_int_eq(tl_spans_new(&p.spans), 0);
	ck_assert_int_eq(tl_timelogger_read_new(&reader, &p.sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes(file.data, file.size)),
	    0);
	ck_assert_int_eq(reader->finish(reader), 0);
	tl_spans_counts(p.spans, &count);
	ck_assert_uint_gt(count.paired, 400);
	ck_assert_uint_eq(count.lonely_begins, 0);
	ck_assert_uint_eq(count.lonely_ends, 0);
	ck_assert_int_gt(busy_ns, 0);
	ck_assert_int_eq(p.busy_ns, busy_ns);
	reader->free(reader);
	tl_spans_free(p.spans);
}

/*
 * The file holds several logs: a span left open in one does not surround the
 * next.
 */
TEST(a_source_defined_again_starts_closed)
{
	struct pairs p = { .sink = { put_pair, NULL } };
	struct tl_spans_count count;
	struct tl_reader *reader;

	for (int i = 0; i < 3; i++) {
		put_source(0, i * 10, "s");
		put_open(0, i * 10 + 1);
		put_open(0, i * 10 + 2);
		put_close(0, i * 10 + 3);
		if (i == 2)
			put_close(0, i * 10 + 4);
	}
	ck_assert_int_eq(tl_spans_new(&p.spans), 0);
	ck_assert_int_eq(tl_timelogger_read_new(&reader, &p.sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes(file.data, file.size)),
	    0);
	ck_assert_int_eq(reader->finish(reader), 0);
	tl_spans_counts(p.spans, &count);
	ck_assert_uint_eq(count.paired, 4);
	ck_assert_uint_eq(count.lonely_begins, 2);
	ck_assert_int_eq(p.busy_ns, 3);
	reader->free(reader);
	tl_spans_free(p.spans);
}

/*
 * Threads queue their records, so the time of a record counts, and not its
 * place.
 */
TEST(activity_is_counted_in_order_of_time)
{
	put_source(0, 10, "a");
	put_open(0, 50);
	put_open(0, 101);
	put_close(0, 100);
	put_close(0, 150);
	check("10 timelogger source id(0) is name(a)\n50 source > a\n"
	      "100 source < a\n101 source > a\n150 source < a\n",
	    "0 42 time is before the one of an earlier record\n");
	tl_text_clear(&file);
	put_source(0, 10, "a");
	put_open(0, 20);
	put_close(0, 30);
	put_open(0, 25);
	put_close(0, 29);
	check("10 timelogger source id(0) is name(a)\n20 source > a\n"
	      "25 source > a (overlap)\n29 source < a (overlap)\n"
	      "30 source < a\n",
	    "0 42 open of a source that is open: an overlap\n"
	    "0 42 time is before the one of an earlier record (2 times)\n");
}

TEST(a_source_that_was_not_defined_is_said)
{
	put_source(0, 1, "a");
	put_open(7, 2);
	put_close(7, 3);
	put_open(0, 4);
	put_source(7, 5, "late");
	put_open(7, 6);
	check("1 timelogger source id(0) is name(a)\n2 source > source 7\n"
	      "3 source < source 7\n4 source > a\n"
	      "5 timelogger source id(7) is name(late)\n6 source > late\n",
	    "-74 16 source that was never defined\n");
	check_exact();
}

TEST(a_source_defined_again_is_another_one)
{
	put_source(0, 1, "a");
	put_open(0, 2);
	put_source(0, 3, "a");
	put_open(0, 4);
	put_close(0, 5);
	put_source(0, 6, "b");
	put_open(0, 7);
	put_close(0, 8);
	check("1 timelogger source id(0) is name(a)\n2 source > a\n"
	      "3 timelogger source id(0) is name(a)\n4 source > a\n"
	      "5 source < a\n6 timelogger source id(0) is name(b)\n"
	      "7 source > b\n8 source < b\n",
	    "0 29 source defined again (2 times)\n");
	check_exact();
}

TEST(unknown_types_are_skipped)
{
	put_source(0, 1, "a");
	put_record(3, 0, 2);
	put_open(0, 3);
	put_record(0xff, 0, 4);
	put_close(0, 5);
	check("1 timelogger source id(0) is name(a)\n3 source > a\n"
	      "5 source < a\n",
	    "-74 16 record of an unknown type, skipped (2 times)\n");
}

TEST(a_name_that_is_not_modified_utf8_is_said)
{
	put_source(0, 1, "\xff");
	put_open(0, 2);
	check("1 timelogger source id(0) is name(\xef\xbf\xbd)\n"
	      "2 source > \xef\xbf\xbd\n",
	    "-74 0 name is not modified UTF-8\n");
}

TEST(a_tail_that_is_cut_is_said)
{
	put_source(0, 1, "a");
	put_open(0, 2);
	put_source(1, 3, "name");
	for (size_t whole = file.size; file.size > 16 + 13 + 1;) {
		file.size--;
		check("1 timelogger source id(0) is name(a)\n2 source > a\n",
		    "-61 29 the file ends inside its last record\n");
		ck_assert_uint_gt(whole, file.size);
	}
}

TEST(another_file_is_refused)
{
	tl_put_repeat(&file, 'x', 10000);
	run();
	ck_assert_int_eq(f.rc, -EBADMSG);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-74 819 not a TimeLogger file\n");
	foreign_free(&f);
	tl_text_clear(&file);
	tl_put_repeat(&file, 'x', 20);
	run();
	ck_assert_int_eq(f.rc, -EBADMSG);
	foreign_free(&f);
	tl_text_clear(&file);
	check("", ""); /* an empty log */
}

TEST(what_the_sink_says_is_returned)
{
	struct tl_reader *reader;

	put_source(0, 1, "a");
	put_open(0, 2);
	foreign_init(&f);
	f.sink.rc = -ENOSPC;
	ck_assert_int_eq(tl_timelogger_read_new(&reader, &f.sink.sink, NULL),
	    0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes(file.data, file.size)),
	    0);
	ck_assert_int_eq(reader->finish(reader), -ENOSPC);
	ck_assert_uint_eq(f.sink.count, 1);
	reader->free(reader);
	foreign_free(&f);
}

static unsigned
recognised(void)
{
	const unsigned n =
	    tl_timelogger_recognise(tl_bytes(file.data, file.size));

	tl_text_clear(&file);
	return n;
}

TEST(a_file_is_recognised)
{
	put_source(0, 1, "a");
	ck_assert_uint_ge(recognised(), 80);
	put_source(0, 1, "a");
	put_open(0, 1);
	put_source(1, 1, "b");
	put_record(1, 1, 2);
	put_n(1, 1);
	ck_assert_uint_ge(recognised(), 80);
	ck_assert_uint_eq(recognised(), 0);
	tl_put_repeat(&file, '\0', 4096);
	ck_assert_uint_eq(recognised(), 0);
	tl_put_string(&file, "2,0,reader\n0,0,10\n1,0,990\n");
	ck_assert_uint_eq(recognised(), 0);
	put_source(7, 1, "a"); /* one source, not the first one */
	put_open(7, 2);
	ck_assert_uint_ge(recognised(), 80);
	put_open(0, 1); /* an undefined source: the file could be anything */
	ck_assert_uint_eq(recognised(), 0);
}

TEST(a_file_with_a_few_bad_records_is_recognised)
{
	put_source(0, 1, "a");
	put_open(0, 2);
	put_record(9, 0, 3); /* an unknown type */
	put_record(2, 0, 4);
	ck_assert_uint_ge(recognised(), 70);
	put_record(9, 0, 1); /* before all other records */
	put_source(0, 2, "a");
	put_open(0, 3);
	put_record(2, 0, 4);
	ck_assert_uint_ge(recognised(), 70);
	put_source(0, 1, "a");
	put_open(7, 2); /* an undefined source */
	put_open(0, 3);
	put_record(2, 0, 4);
	ck_assert_uint_ge(recognised(), 70);
	put_source(0, 1, "a"); /* as many bad records as good ones */
	put_open(0, 2);
	put_record(9, 0, 3);
	put_record(9, 0, 4);
	ck_assert_uint_eq(recognised(), 0);
}
