/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - the page and the data of its script. */
#include "format/html/chunk.h"
#include "format/html/live.h"
#include "format/html/write.h"
#include "lib/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tl_text got;
static size_t largest; /* the largest write */
static int write_rc;
static struct tl_writer *writer;
static struct tl_sink *sink;
static struct tl_message message;
static struct tl_event event;

static int
take(void *context, const char *data, size_t size)
{
	ck_assert_ptr_eq(context, &got);
	ck_assert_uint_gt(size, 0);
	if (size > largest)
		largest = size;
	tl_put_bytes(&got, tl_bytes(data, size));
	return write_rc;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("say \"</script>\"\n") : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
setup(void)
{
	got = (struct tl_text){ 0 };
	largest = 0;
	write_rc = 0;
	ck_assert_ok(tl_html_write_new(&writer, take, &got, NULL));
	tl_writer_facts(writer)->title = "a <b> & \"c\" \x1b";
	sink = &writer->sink;
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.file = tl_bytes_of("a.c"),
		.line = 7,
		.kind = 1,
		.level = 4,
		.gate = 5,
		.strings = &strings };
	ck_assert_ok(tl_message_parse(&message,
	    tl_bytes_of("processed $tcp%u, $udp%u!\nmore\nlines")));
	event = (struct tl_event){ .ns = 1795202658123456789,
		.tsc = 18446744073709551615u,
		.cpu = 1,
		.pid = 41,
		.tid = 4294967295,
		.lane = 2,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 10, 20 } };
}

static void
teardown(void)
{
	tl_writer_free(writer);
	tl_text_free(&got);
}

static void
parse(const char *text)
{
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(text)));
}

static void
put(void)
{
	ck_assert_ok(sink->put(sink, &event));
}

static const char *
finish(void)
{
	ck_assert_ok(sink->finish(sink));
	return tl_text_string(&got);
}

/* The text between two others, at the first place. */
static const char *
between(const char *text, const char *from, const char *to)
{
	static char part[1 << 20];
	const char *start = strstr(text, from), *end;

	ck_assert_msg(start, "no %s", from);
	start += strlen(from);
	ck_assert_ptr_nonnull(end = strstr(start, to));
	ck_assert_uint_lt((size_t)(end - start), sizeof(part));
	memcpy(part, start, (size_t)(end - start));
	part[end - start] = '\0';
	return part;
}

#define CHUNK "<script type=\"application/json\" class=\"chunk\">"

static void
check_chunk(const char *want)
{
	ck_assert_str_eq(between(finish(), CHUNK, "</script>"), want);
}

static void
check_events(const char *want)
{
	ck_assert_str_eq(between(finish(), "\"events\":[", "]}</script>"),
	    want);
}

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(a_chunk_tells_events_and_what_they_name)
{
	put();
	event.ns += 250;
	event.tsc = 7;
	event.epoch = 1;
	event.args[0] = 11;
	put();
	check_chunk("{\"base\":\"1795202658123456789\",\"clock\":["
		    "\"18446744073709551615\",\"1795202658123456789\",0,0,"
		    "\"7\",\"1795202658123457039\",1,0],\"messages\":["
		    "[\"example\",4,1,0,0,5,\"a.c\",7,\"more\\nlines\",\"!\","
		    "\"tcp\",0,\"processed \",\"udp\",0,\", \"]],"
		    "\"strings\":[],\"places\":[41,4294967295,1,2,0],"
		    "\"events\":[0,1,0,10,20,250,1,0,11,20]}");
}

static const struct tl_origin origins[] = { { .machine = "<web>" },
	{ .machine = "db" }, { .machine = "<web>" } };

/* Put an event of a source whose clock has this error. */
static void
put_of(uint16_t source, uint32_t error_ns, uint32_t sync_us, bool overlaps)
{
	event.source = source;
	event.error_ns = error_ns;
	event.sync_us = sync_us;
	event.overlaps = overlaps;
	put();
}

TEST(several_hosts_are_told_with_their_sources)
{
	tl_writer_set_sources(writer, origins, 3);
	put_of(1, 0, 0, false);
	ck_assert_str_eq(between(finish(), "2,1],", ",\"events"),
	    "\"hosts\":[[\"\\u003cweb>\",0,2],[\"db\",1]],"
	    "\"bounds\":[0,1,0],\"overlaps\":[]");
}

TEST(a_bound_is_told_when_it_changes)
{
	tl_writer_set_sources(writer, origins, 3);
	put_of(0, 31, 0, false); /* unchanged */
	put_of(2, 31, 0, false); /* the same host */
	put_of(1, 33, 1, false); /* 1033 is rounded up to 17 * 64 */
	put_of(1, 50, 1, false); /* the same bound */
	put_of(1, 90, 1, false); /* 1090 needs another bound */
	put_of(0, 31, TL_SYNC_UNBOUNDED, false);
	put_of(0, UINT32_MAX, TL_SYNC_UNBOUNDED - 1, false);
	ck_assert_str_eq(between(finish(), "\"bounds\":[", "]"),
	    "0,0,31,2,1,1088,4,1,1152,5,0,-1,6,0,4398046511104");
}

/* A bound is rounded up, but not by much. */
TEST(a_bound_is_rounded_up_a_little)
{
	uint64_t ns = 1;

	tl_writer_set_sources(writer, origins, 3);
	for (unsigned i = 0; i < 40; i++, ns = ns * 7 / 4 + 1) {
		put_of(0, (uint32_t)(ns % 1000), (uint32_t)(ns / 1000), false);
		put_of(0, 0, 0, false);
	}
	ns = 1;
	for (const char *at = strstr(finish(), "\"bounds\":[") + 9;
	     ns < UINT64_C(1) << 30; ns = ns * 7 / 4 + 1) {
		uint64_t index, bound;

		ck_assert_int_eq(sscanf(at + 1, "%lu,0,%lu", &index, &bound),
		    2);
		ck_assert_uint_ge(bound, ns);
		ck_assert_uint_le(bound, ns + ns / 16);
		for (unsigned commas = 0; commas < 6; commas++)
			at = strchr(at + 1, ',');
	}
}

TEST(what_overlaps_is_told_by_distances)
{
	tl_writer_set_sources(writer, origins, 3);
	for (unsigned i = 0; i < 10; i++)
		put_of(0, 0, 0, i == 2 || i == 3 || i == 9);
	ck_assert_str_eq(between(finish(), "\"overlaps\":[", "]"), "3,1,6");
}

TEST(one_host_is_told_nothing_of_hosts)
{
	static const struct tl_origin same[] = { { .machine = "a" },
		{ .machine = "a" } };

	tl_writer_set_sources(writer, same, 2);
	put_of(1, 5, 5, true);
	put_of(0, 5, 5, true);
	ck_assert_ptr_null(
	    strstr(between(finish(), CHUNK, "</script>"), "bounds"));
}

TEST(values_that_a_double_cannot_hold_are_digits)
{
	double tenth = 0.1, infinite = -INFINITY;

	parse("$a $b%d $c%f $d%f");
	event.args[0] = (UINT64_C(1) << 53) - 1;
	event.args[1] = (uint64_t) - (INT64_C(1) << 53);
	memcpy(&event.args[2], &tenth, sizeof(tenth));
	memcpy(&event.args[3], &infinite, sizeof(infinite));
	put();
	event.args[0]++;
	event.args[1]++;
	put();
	check_events("0,1,0,9007199254740991,\"-9007199254740992\",0.1,"
		     "\"-inf\",0,1,0,\"9007199254740992\",-9007199254740991,"
		     "0.1,\"-inf\"");
}

TEST(texts_are_told_once)
{
	parse("$a%s $b%s");
	event.args[0] = 1;
	event.args[1] = 77;
	put();
	event.args[1] = 1;
	put();
	check_events("0,1,0,0,\"#77\",0,1,0,0,0");
	ck_assert_uint_eq(count(got.data, "say \\\""), 1);
}

TEST(bare_ends_and_losses_have_codes_of_their_own)
{
	event.kind = TL_END;
	event.bare = true;
	put();
	event = (struct tl_event){ .kind = TL_LOST,
		.lost = UINT64_MAX,
		.ns = event.ns,
		.cpu = TL_CPU_UNKNOWN };
	put();
	check_events("0,11,0,0,5,1,\"18446744073709551615\"");
}

TEST(no_text_can_leave_its_script)
{
	char odd[256];

	for (size_t i = 0; i < sizeof(odd); i++)
		odd[i] = (char)i;
	message.category = tl_bytes_of("</script><!--<script>");
	message.file = tl_bytes(odd, sizeof(odd));
	parse("\xe2\x80\xa8</script>\xe2\x80\xae $a%s\n<!-- \xe2\x80\xae");
	event.args[0] = 1;
	put();
	ck_assert_ptr_null(
	    strchr(between(finish(), CHUNK, "</script>\n"), '<'));
	ck_assert_ptr_null(strstr(got.data, "\xe2\x80\xa8"));
	ck_assert_ptr_null(strstr(got.data, "\xe2\x80\xae"));
	ck_assert_ptr_nonnull(strstr(got.data, "\\u003c/script>"));
}

TEST(the_title_is_text)
{
	finish();
	ck_assert_str_eq(between(got.data, "<title>", "</title>"),
	    "a &lt;b&gt; &amp; &quot;c&quot; \\x1b");
}

TEST(a_page_without_entries_is_a_page)
{
	finish();
	ck_assert_uint_eq(count(got.data, CHUNK), 0);
	ck_assert_int_eq(strncmp(got.data, "<!DOCTYPE html>", 15), 0);
	ck_assert_str_eq(got.data + got.size - 8, "</html>\n");
	ck_assert_ptr_nonnull(strstr(got.data, "default-src 'none'"));
	ck_assert_ptr_null(strstr(got.data, "connect-src"));
}

TEST(the_live_page_may_ask_where_it_came_from)
{
	tl_html_live(&got);
	tl_text_string(&got);
	ck_assert_ptr_nonnull(strstr(got.data, "connect-src 'self'"));
	ck_assert_ptr_nonnull(strstr(got.data, "data-mode=\"live\""));
	ck_assert_ptr_null(strstr(got.data, "http://"));
	ck_assert_ptr_null(strstr(got.data, "https://"));
}

TEST(many_entries_are_handed_on_as_they_come)
{
	for (unsigned i = 0; i < 100000; i++) {
		event.ns += 1000;
		event.args[0] = i;
		put();
	}
	ck_assert_uint_gt(got.size, 1000000);
	finish();
	ck_assert_uint_gt(count(got.data, CHUNK), 10);
	ck_assert_uint_eq(count(got.data, "\"processed \""), 1);
	ck_assert_uint_lt(largest, 512 << 10);
}

TEST(a_long_way_starts_a_new_chunk)
{
	put();
	event.ns = INT64_MIN;
	put();
	event.ns = INT64_MAX;
	put();
	finish();
	ck_assert_uint_eq(count(got.data, CHUNK), 3);
	ck_assert_uint_eq(count(got.data, "\"events\":[0,1,0,10,20]"), 3);
	ck_assert_ptr_nonnull(
	    strstr(got.data, "\"base\":\"-9223372036854775808\""));
}

TEST(what_write_says_is_returned)
{
	int rc = 0;

	write_rc = -ENOSPC;
	for (unsigned i = 0; i < 100000 && rc == 0; i++)
		rc = sink->put(sink, &event);
	ck_assert_int_eq(rc, -ENOSPC);
	ck_assert_int_eq(sink->finish(sink), -ENOSPC);
}

TEST(a_full_table_forgets_and_goes_on_counting)
{
	struct tl_html_table table = { 0 };
	struct tl_html_key key = { 0 };
	uint32_t number;

	for (uint32_t i = 0; i < TL_HTML_TABLE_MAX; i++) {
		key.b = i;
		ck_assert_ok(tl_html_table_number(&table, &key, &number));
		ck_assert_uint_eq(number, i);
	}
	key.b = 5;
	ck_assert_int_eq(tl_html_table_number(&table, &key, &number), 1);
	ck_assert_uint_eq(number, 5);
	key.c = 1;
	ck_assert_ok(tl_html_table_number(&table, &key, &number));
	ck_assert_uint_eq(number, TL_HTML_TABLE_MAX);
	key.c = 0;
	ck_assert_ok(tl_html_table_number(&table, &key, &number));
	ck_assert_uint_eq(number, TL_HTML_TABLE_MAX + 1);
	tl_html_table_free(&table);
}

/* The content of a timeline: entries [first, end) of two lanes, in turn. */
struct feed {
	struct tl_cursor cursor;
	uint64_t at[2];
	uint64_t end[2];
	unsigned turn;
	bool said;
};

static int
feed_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct feed *f = (struct feed *)(void *)cursor;
	unsigned lane = f->turn++ % 2;

	*e = event;
	/* every cursor that starts in a tail may begin with a loss */
	if (!f->said) {
		f->said = true;
		e->message = NULL;
		e->kind = TL_LOST;
		e->lost = 99;
		return 1;
	}
	if (f->at[lane] == f->end[lane])
		lane = !lane;
	if (f->at[lane] == f->end[lane])
		return 0;
	e->lane = lane;
	e->number = f->at[lane]++;
	e->args[0] = e->number;
	return 1;
}

static struct feed
feed(uint64_t first0, uint64_t end0, uint64_t first1, uint64_t end1)
{
	parse("$n");
	return (struct feed){ .cursor = { .next = feed_next },
		.at = { first0, first1 },
		.end = { end0, end1 } };
}

static struct tl_html_range
range(const char *after, size_t max)
{
	return (struct tl_html_range){ .after = after,
		.max = max,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX };
}

static void
check_answer(struct feed f, const char *after, size_t max, const char *want)
{
	const struct tl_html_range r = range(after, max);

	tl_text_clear(&got);
	ck_assert_ok(tl_html_events(&got, &f.cursor, &r));
	ck_assert_str_eq(between(tl_text_string(&got), "\"next\":\"", "\"}"),
	    want);
}

static void
check_answer_events(const char *want)
{
	ck_assert_str_eq(between(got.data, "\"events\":[", "]"), want);
}

TEST(a_mark_yields_what_is_newer)
{
	check_answer(feed(0, 3, 0, 1), "", 100, "0:3,1:1");
	check_answer_events("0,1,0,0,0,1,1,0,0,1,1,1,0,1,1,2");
	check_answer(feed(0, 4, 0, 2), "0:3,1:1", 100, "0:4,1:2");
	check_answer_events("0,1,0,1,0,1,1,3");
	check_answer(feed(0, 4, 0, 2), "0:4,1:2", 100, "0:4,1:2");
	ck_assert_ptr_nonnull(strstr(got.data, "\"chunks\":[]"));
}

TEST(what_lies_between_a_mark_and_the_tail_is_not_shown_but_not_lost)
{
	check_answer(feed(10, 12, 0, 0), "0:3", 100, "0:12");
	check_answer_events("0,13,0,7,0,1,1,10,0,1,1,11");
}

TEST(of_too_many_the_newest_stay)
{
	check_answer(feed(0, 100, 0, 0), "", 2, "0:100");
	check_answer_events("0,1,0,98,0,1,0,99");
	check_answer(feed(0, 100, 0, 1), "", 2, "0:100,1:1");
	check_answer_events("0,1,0,98,0,1,0,99");
	check_answer(feed(0, 100, 0, 1), "0:0,1:0", 2, "0:100,1:1");
	check_answer_events("0,13,0,1,0,13,1,98,0,1,2,98,0,1,2,99");
	check_answer(feed(0, 100, 0, 0), "0:100", 0, "0:100");
	check_answer(feed(0, 100, 0, 0), "", 0, "0:100");
}

TEST(a_lane_before_its_mark_is_another_timeline)
{
	check_answer(feed(0, 2, 0, 0), "0:5000,1:7", 100, "0:2,1:7");
	check_answer_events("0,1,0,0,0,1,0,1");
}

/* Entries of one lane, some of which became two events. */
struct half {
	unsigned number;
	bool paired;
};

struct split {
	struct tl_cursor cursor;
	const struct half *at;
	const struct half *end;
};

static int
split_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct split *s = (struct split *)(void *)cursor;

	if (s->at == s->end)
		return 0;
	*e = event;
	e->lane = 0;
	e->number = e->args[0] = s->at->number;
	e->paired = s->at++->paired;
	return 1;
}

static void
check_split(const struct half *events, size_t count, const char *after,
    const char *want)
{
	struct split s = { .cursor = { .next = split_next }, .at = events };
	const struct tl_html_range r = range(after, 100);

	s.end = s.at + count;
	parse("$n");
	tl_text_clear(&got);
	ck_assert_ok(tl_html_events(&got, &s.cursor, &r));
	check_answer_events(want);
}

TEST(both_events_of_an_entry_are_shown)
{
	static const struct half timer[] = { { 0, false }, { 2, true },
		{ 1, false }, { 2, false } },
				 holes[] = { { 5, true }, { 3, false },
					 { 5, false } },
				 alone[] = { { 7, true }, { 7, false } },
				 next[] = { { 3, false }, { 4, false },
					 { 4, true }, { 5, false } };

	check_split(timer, 4, "", "0,1,0,0,0,1,0,2,0,1,0,1,0,1,0,2");
	ck_assert_ptr_nonnull(strstr(got.data, "\"next\":\"0:3\""));
	check_split(timer, 4, "0:2", "0,1,0,2,0,1,0,2");
	check_split(timer, 4, "0:0", "0,1,0,0,0,1,0,2,0,1,0,1,0,1,0,2");
	check_split(holes, 3, "0:0",
	    "0,1,0,5,0,13,1,3,0,1,0,3,0,13,1,1,0,1,0,5");
	check_split(alone, 2, "", "0,1,0,7,0,1,0,7");
	check_split(alone, 2, "0:7", "0,1,0,7,0,1,0,7");
	check_split(next, 4, "0:4", "0,1,0,4,0,1,0,4,0,1,0,5");
	check_split(next, 4, "0:5", "0,1,0,5");
}

/*
 * Two events of an entry also count once in a lane whose numbers are in no
 * order.
 */
TEST(both_events_of_an_entry_are_one_entry_of_a_mixed_lane)
{
	static const struct half mixed[] = { { 2, true }, { 2, false },
		{ 0, false }, { 1, false } };

	check_split(mixed, 4, "0:0", "0,1,0,2,0,1,0,2,0,1,0,0,0,1,0,1");
	ck_assert_ptr_nonnull(strstr(got.data, "\"next\":\"0:3\""));
}

TEST(hostile_marks_do_no_harm)
{
	static const char *const marks[] = { ":", "0", "0:", "x:1", "-1:5",
		"0:1:2", "99999999:5", "18446744073709551616:1",
		"0:99999999999999999999", ",,,", "\x01\xff", "1:2,", "32768:1",
		" 0:1" };
	char *at;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct feed f = feed(0, 2, 0, 0);
		const struct tl_html_range r = range(marks[i], SIZE_MAX);

		tl_text_clear(&got);
		ck_assert_ok(tl_html_events(&got, &f.cursor, &r));
		at = strstr(tl_text_string(&got), "\"next\":\"0:2");
		ck_assert_msg(at, "%s: %s", marks[i], got.data);
	}
	check_answer(feed(0, 2, 0, 0), "0:18446744073709551615", 9, "0:2");
	check_answer(feed(0, 2, 0, 0), "0:0,0:1", 9, "0:2");
	check_answer_events("0,1,0,1");
}

static int
fail_next(struct tl_cursor *cursor, struct tl_event *e)
{
	(void)cursor;
	(void)e;
	return -EIO;
}

TEST(an_error_of_the_cursor_is_returned)
{
	struct tl_cursor cursor = { .next = fail_next };
	const struct tl_html_range r = range("", 10);

	ck_assert_int_eq(tl_html_events(&got, &cursor, &r), -EIO);
}
