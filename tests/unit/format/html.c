/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - the page and the data of its script. */
#include "format/html/chunk.h"
#include "format/html/live.h"
#include "format/html/write.h"
#include "lib/writer_text.h"

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

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

/* Write the events of lines (writer_text.h), and print the title and the
 * chunks. */
static void
write_html(struct tl_text *out, const char *options, struct tl_bytes in)
{
	const char *at;

	(void)options;
	writer_text_put_all(writer, in);
	at = tl_text_string(&got);
	tl_put_format(out, "%s\n", between(at, "<title>", "</title>"));
	while ((at = strstr(at, CHUNK))) {
		tl_put_format(out, "%s\n", between(at, CHUNK, "</script>"));
		at += sizeof(CHUNK);
	}
	tl_text_clear(&got);
	tl_writer_free(writer);
	ck_assert_ok(tl_html_write_new(&writer, take, &got, NULL));
}

TEST_TEXTS(pages, "tests/unit/format/write_html.cases", write_html);

/* A bound is rounded up, but not by much. */
TEST(a_bound_is_rounded_up_a_little)
{
	static const struct tl_origin hosts[] = { { .machine = "a" },
		{ .machine = "b" } };
	uint64_t ns = 1;

	tl_writer_set_sources(writer, hosts, 2);
	for (unsigned i = 0; i < 40; i++, ns = ns * 7 / 4 + 1) {
		event.error_ns = (uint32_t)(ns % 1000);
		event.sync_us = (uint32_t)(ns / 1000);
		put();
		event.error_ns = event.sync_us = 0;
		put();
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

/* The events of a timeline, as words: "lost", and an entry with its lane and its
 * number, "0:5"; "0:5p" is the first of its two events, "0:5..9" are five. */
struct listed {
	struct tl_cursor cursor;
	const char *next;
	uint64_t number, last;
	uint32_t lane;
	bool within; /* a range */
};

static int
listed_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct listed *l = (struct listed *)(void *)cursor;
	int size = 0;

	*e = event;
	if (!l->within && strncmp(l->next, " lost", 5) == 0) {
		l->next += 5;
		e->message = NULL;
		e->kind = TL_LOST;
		e->lost = 99;
		return 1;
	}
	if (!l->within) {
		if (sscanf(l->next, " %u:%lu%n", &l->lane, &l->number, &size) !=
		    2)
			return 0;
		l->next += size;
		l->last = l->number;
		if (sscanf(l->next, "..%lu%n", &l->last, &size) == 1)
			l->next += size;
		e->paired = *l->next == 'p';
		l->next += e->paired;
	}
	e->lane = l->lane;
	e->number = e->args[0] = l->number++;
	l->within = l->number <= l->last;
	return 1;
}

/* answer "MARK" MAX EVENTS: prints the next mark, and the events. */
static void
answer(struct tl_text *out, const char *line)
{
	struct listed list = { .cursor = { .next = listed_next } };
	struct tl_html_range range = { .from_ns = INT64_MIN,
		.to_ns = INT64_MAX };
	char mark[64];
	int size = 0;

	if (sscanf(line, "answer \"%63[^\"]\" %zu%n", mark, &range.max,
		&size) != 2) {
		mark[0] = '\0';
		ck_assert_int_eq(sscanf(line, "answer \"\" %zu%n", &range.max,
				     &size),
		    1);
	}
	mark[golden_unescape(mark, strlen(mark))] = '\0';
	range.after = mark;
	list.next = line + size;
	parse("$n");
	tl_text_clear(&got);
	ck_assert_ok(tl_html_events(&got, &list.cursor, &range));
	tl_put_format(out, " = %s",
	    between(tl_text_string(&got), "\"next\":\"", "\"}"));
	if (!strstr(got.data, "\"chunks\":[]"))
		tl_put_format(out, ": %s",
		    between(got.data, "\"events\":[", "]"));
}

TEST_LINES(answers, "tests/unit/format/html_live.cases", answer);

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
	const struct tl_html_range r = { .after = "",
		.max = 10,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX };

	ck_assert_int_eq(tl_html_events(&got, &cursor, &r), -EIO);
}
