/* SPDX-License-Identifier: Apache-2.0 */
/* The control plane without a cluster: requests, answers, and what is done. */
#include "event/cursor.h"
#include "event/message.h"
#include "lib/random.h"
#include "lib/test.h"
#include "ring/ring.h"
#include "ship/answer.h"
#include "ship/ask.h"
#include "snap/snap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

static char path[64], folder[64];
static struct timeline *tl;
static const char *paths[] = { path };
static struct tl_allow_options options;
static struct tl_ask_answer answer;
static char account[TL_ASK_ACCOUNT_MAX];

static void
setup(void)
{
	account[0] = '\0';
	snprintf(path, sizeof(path), "/tl-ask-%d", (int)getpid());
	snprintf(folder, sizeof(folder), "/tmp/tl-ask-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	timeline_remove(path);
	ck_assert_int_eq(timeline_new(&tl, path, NULL), 0);
	options = (struct tl_allow_options){ .verbs = 0xf,
		.host = "web1",
		.timelines = paths,
		.timeline_count = 1,
		.snapshots = folder };
}

static void
teardown(void)
{
	char command[128];

	timeline_close(tl);
	timeline_remove(path);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Ask for words, as the program does: was there an answer? */
static bool
ask(const char *host, const char *timeline, const char *words)
{
	struct tl_ask_request request = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_text json = { 0 }, text = { 0 };
	const char *list[4];
	char copy[64];
	size_t count = 0;
	bool is;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		list[count++] = w;
	ck_assert_int_eq(tl_ship_ask_parse(&request, list, count, &fault), 0);
	strcpy(request.host, host);
	strcpy(request.timeline, timeline);
	strcpy(request.account, account);
	strcpy(request.from, "desk1");
	tl_ask_request_put(&json, &request);
	is = tl_allow_answer(&options, tl_bytes(json.data, json.size), &text);
	if (is)
		ck_assert_int_eq(tl_ask_answer_parse(&answer,
				     tl_bytes(text.data, text.size), &fault),
		    0);
	tl_text_free(&json);
	tl_text_free(&text);
	return is;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 30);

TEST(a_host_answers_what_is_asked_of_it)
{
	ck_assert(ask("", "", "list"));
	ck_assert(answer.ok);
	ck_assert_str_eq(answer.host, "web1");
	ck_assert_uint_eq(answer.count, 1);
	ck_assert_str_eq(answer.timelines[0].name, path + 1);
	ck_assert_uint_gt(answer.timelines[0].size, 0);
	ck_assert(ask("web*", "tl-*", "list"));
	ck_assert_uint_eq(answer.count, 1);
	ck_assert(!ask("db*", "", "list"));
	ck_assert(ask("web1", "other", "list"));
	ck_assert_uint_eq(answer.count, 0);
}

TEST(levels_and_bursts_are_set)
{
	ck_assert(ask("", "", "priority error"));
	ck_assert_str_eq(answer.timelines[0].level, "error");
	ck_assert(ask("", "", "burst trace 1m"));
	ck_assert_str_eq(answer.timelines[0].level, "trace");
	ck_assert_str_eq(answer.timelines[0].base, "error");
	ck_assert_uint_gt(answer.timelines[0].burst_left_ns,
	    UINT64_C(50000000000));
	ck_assert(ask("", "", "priority off"));
	ck_assert_str_eq(answer.timelines[0].base, "off");
	ck_assert(ask("", "", "burst trace 2h"));
	ck_assert(!answer.ok);
	ck_assert(!answer.timelines[0].ok);
	ck_assert_str_ne(answer.timelines[0].error, "");
}

/* == the record == */

/* The newest changes that were asked for, as "VERB LEVEL ACCOUNT FROM", up to
 * max; how many there are.  Each comes before what it did. */
static size_t
read_records(char records[][256], size_t max)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t count = 0;

	ck_assert_int_eq(tl_follow_open_fd(&cursor, tl->fd, UINT64_MAX, &fault),
	    0);
	while (tl_cursor_next(cursor, &event) > 0) {
		const struct tl_message *m = event.message;
		struct tl_text text = { 0 };

		if (event.kind == TL_LOST || m->builtin != TIMELINE_BUILTIN_ASK)
			continue;
		ck_assert(tl_bytes_equal(m->category, tl_bytes_of("timeline")));
		ck_assert_uint_ge(event.level, TIMELINE_LEVEL_KEEP);
		for (int i = 0; i < 4; i++) {
			const struct tl_bytes word =
			    m->strings->get(m->strings, event.args[i]);

			tl_put_format(&text, "%s%.*s", i > 0 ? " " : "",
			    (int)word.size, word.data);
		}
		ck_assert_uint_lt(count, max);
		ck_assert_uint_lt(text.size, 256);
		strcpy(records[count++], tl_text_string(&text));
		tl_text_free(&text);
	}
	tl_cursor_close(cursor);
	return count;
}

TEST(who_asked_for_a_change_is_recorded)
{
	char records[8][256];

	strcpy(account, "ann");
	ck_assert(ask("", "", "list")); /* changes nothing */
	ck_assert_uint_eq(read_records(records, 8), 0);
	ck_assert(ask("", "", "priority off"));
	ck_assert(ask("", "", "burst trace 1m"));
	ck_assert(ask("", "", "priority off"));
	ck_assert(ask("", "", "snapshot"));
	ck_assert(answer.ok);
	ck_assert_uint_eq(read_records(records, 8), 4);
	ck_assert_str_eq(records[0], "priority off ann desk1");
	ck_assert_str_eq(records[1], "burst trace ann desk1");
	ck_assert_str_eq(records[2], "priority off ann desk1");
	ck_assert_str_eq(records[3], "snapshot - ann desk1");
}

TEST(what_a_hostile_account_is_called_is_escaped_and_bounded)
{
	char records[4][256];

	strcpy(account, "a\033[2J\n\"");
	ck_assert(ask("", "", "priority info"));
	memset(account, '\001', TL_ASK_ACCOUNT_MAX - 1);
	ck_assert(ask("", "", "priority info"));
	ck_assert_uint_eq(read_records(records, 4), 2);
	ck_assert_str_eq(records[0], "priority info a\\x1b[2J\\n\" desk1");
	ck_assert_uint_le(strlen(records[1]),
	    64 + strlen("priority info  desk1"));
}

TEST(accounts_do_not_fill_the_timeline)
{
	uint64_t tail = 0;

	for (int i = 0; i < 600; i++) {
		if (i == 300)
			tail = tl->header->strings_tail;
		snprintf(account, sizeof(account), "ann%d", i);
		ck_assert(ask("", "", "priority info"));
		ck_assert(answer.ok);
	}
	ck_assert_uint_eq(tl->header->strings_tail, tail);
}

TEST(a_change_that_cannot_be_recorded_is_not_made)
{
	static const struct timeline_options small = { .entries = 64,
		.stringtablesize = 4096 };
	uint64_t number;
	char text[64];

	timeline_close(tl);
	timeline_remove(path);
	ck_assert_int_eq(timeline_new(&tl, path, &small), 0);
	for (int i = 0; snprintf(text, sizeof(text), "text %d", i) > 0 &&
			timeline_string(tl, text, &number) == 0;
	     i++)
		continue;
	ck_assert_int_eq(timeline_priority(tl, "info"), 0);
	ck_assert(ask("", "", "priority trace"));
	ck_assert(!answer.ok);
	ck_assert_str_eq(answer.timelines[0].error,
	    "the request cannot be recorded in the timeline");
	ck_assert_uint_eq(tl->header->levels & 0xff, 6);
}

TEST(a_snapshot_is_saved_and_told_of)
{
	ck_assert(ask("", "", "snapshot"));
	ck_assert(answer.ok);
	ck_assert_int_eq(access(answer.timelines[0].path, R_OK), 0);
	ck_assert_uint_gt(answer.timelines[0].size, 0);
	options.snapshots = NULL;
	ck_assert(ask("", "", "snapshot"));
	ck_assert(!answer.ok);
}

TEST(a_folder_of_snapshots_does_not_grow_without_bound)
{
	char name[128];

	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "%s/%d", folder, i);
		ck_assert_ptr_nonnull(freopen(name, "w", stdin));
	}
	ck_assert(ask("", "", "snapshot"));
	ck_assert(!answer.ok);
	ck_assert_str_eq(answer.timelines[0].path, "");
}

TEST(what_is_not_allowed_is_not_done)
{
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(tl_allow_parse(&options.verbs, "list", &fault), 0);
	ck_assert_int_eq(timeline_priority(tl, "warning"), 0);
	ck_assert(ask("", "", "priority trace"));
	ck_assert(!answer.ok);
	ck_assert_uint_eq(answer.count, 0);
	ck_assert(ask("", "", "list"));
	ck_assert_str_eq(answer.timelines[0].level, "warning");
	ck_assert_int_eq(tl_allow_parse(&options.verbs, "list,burst", &fault),
	    0);
	ck_assert_uint_eq(options.verbs, 1 << TL_ASK_LIST | 1 << TL_ASK_BURST);
	ck_assert_int_eq(tl_allow_parse(&options.verbs, "list,", &fault),
	    -EINVAL);
	ck_assert_int_eq(tl_allow_parse(&options.verbs, "", &fault), -EINVAL);
}

TEST(globs_of_timelines_mean_timelines_only)
{
	char glob[64], other[80];
	FILE *file;

	snprintf(glob, sizeof(glob), "tl-ask-%d*", (int)getpid());
	snprintf(other, sizeof(other), "/dev/shm%s-none", path);
	file = fopen(other, "w");
	ck_assert_ptr_nonnull(file);
	fputs("not a timeline", file);
	fclose(file);
	paths[0] = glob;
	ck_assert(ask("", "", "list"));
	paths[0] = path;
	remove(other);
	ck_assert(answer.ok);
	ck_assert_uint_eq(answer.count, 1);
}

TEST(words_that_make_no_sense_are_refused)
{
	static const char *const wrong[][4] = { { "" }, { "look" },
		{ "list", "x" }, { "priority" }, { "priority", "loud" },
		{ "priority", "trace+++++++++++++++++++++++" },
		{ "burst", "trace" }, { "burst", "off", "1s" },
		{ "burst", "trace", "0" }, { "burst", "trace", "-1s" },
		{ "burst", "trace", "soon" }, { "snapshot", "x" } };
	struct tl_ask_request request = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_fault fault = { 0 };
		size_t n = 0;

		while (n < 4 && wrong[i][n])
			n++;
		ck_assert_msg(tl_ship_ask_parse(&request, wrong[i], n,
				  &fault) == -EINVAL,
		    "%s", wrong[i][0]);
		ck_assert_int_eq(fault.rc, -EINVAL);
	}
}

static int
parse(const char *json)
{
	struct tl_ask_request request;
	struct tl_fault fault = { 0 };

	return tl_ask_request_parse(&request, tl_bytes_of(json), &fault);
}

TEST(hostile_requests_are_refused)
{
	char large[TL_ASK_SIZE_MAX + 2];

	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"list\"}"), 0);
	ck_assert_int_eq(
	    parse("{\"version\":1,\"verb\":\"list\",\"x\":[{\"verb\":1}]}"), 0);
	ck_assert_int_eq(parse("{\"version\":2,\"verb\":\"list\"}"), -EPROTO);
	ck_assert_int_eq(parse("{\"verb\":\"list\"}"), -EPROTO);
	ck_assert_int_eq(parse("{\"version\":1}"), -EINVAL);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"shell\"}"), -EINVAL);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":7}"), -EBADMSG);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"list\",\"host\":"
			       "\"\\u0000\"}"),
	    -EBADMSG);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"burst\",\"level\":"
			       "\"trace\"}"),
	    -EINVAL);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"burst\",\"level\":"
			       "\"trace\",\"duration_ns\":-1}"),
	    -EBADMSG);
	ck_assert_int_eq(parse(""), -EBADMSG);
	ck_assert_int_eq(parse("[]"), -EBADMSG);
	ck_assert_int_eq(parse("7"), -EBADMSG);
	ck_assert_int_eq(parse("{}{}"), -EBADMSG);
	ck_assert_int_eq(parse("{\"version\":1,\"verb\":\"list\""), -EBADMSG);
	memset(large, ' ', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	ck_assert_int_eq(parse(large), -EBADMSG);
}

TEST(an_answer_with_anything_in_it_comes_back)
{
	static struct tl_ask_answer got;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	struct tl_ask_timeline *t = answer.timelines;

	memset(&answer, 0, sizeof(answer));
	strcpy(answer.host, "\"h\\\n\x1b[31m");
	answer.ok = true;
	answer.count = TL_ASK_TIMELINES_MAX;
	for (size_t i = 0; i < answer.count; i++) {
		snprintf(t[i].name, sizeof(t[i].name), "n%zu", i);
		t[i].entries = UINT64_MAX - i;
		t[i].kept_ns = INT64_MIN;
		t[i].ok = i % 2;
	}
	tl_ask_answer_put(&text, &answer);
	ck_assert_int_eq(tl_ask_answer_parse(&got,
			     tl_bytes(text.data, text.size), &fault),
	    0);
	ck_assert_int_eq(memcmp(&got, &answer, sizeof(got)), 0);
	text.size = 0;
	tl_put_string(&text, "{\"timelines\":[");
	for (size_t i = 0; i <= TL_ASK_TIMELINES_MAX; i++)
		tl_put_string(&text, i ? ",{}" : "{}");
	tl_put_string(&text, "]}");
	ck_assert_int_eq(tl_ask_answer_parse(&got,
			     tl_bytes(text.data, text.size), &fault),
	    -ENOSPC);
	tl_text_free(&text);
}

TEST(requests_with_flipped_bytes_break_nothing)
{
	struct tl_ask_request request = { .verb = TL_ASK_BURST,
		.duration_ns = 1000,
		.host = "web*",
		.level = "trace" };
	struct tl_text json = { 0 }, text = { 0 };
	uint64_t state = 7;

	tl_ask_request_put(&json, &request);
	for (int i = 0; i < 20000; i++) {
		const size_t at = random_below(&state, json.size);
		const char was = json.data[at];

		json.data[at] = (char)random_next(&state);
		tl_text_clear(&text);
		tl_allow_answer(&options,
		    tl_bytes(json.data, random_below(&state, json.size + 1)),
		    &text);
		json.data[at] = was;
	}
	tl_text_free(&json);
	tl_text_free(&text);
}
