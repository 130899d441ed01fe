/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - the events that are a side of a pair, and their values. */
#include "analysis/pairs.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>

static struct tl_message sent, received, other, span;
static const struct tl_strings *names;

static void
setup(void)
{
	static const char *const texts[] = { "sent $id to $peer",
		"got $peer $id%x", "nothing $id", "call $n" };
	struct tl_message *all[] = { &sent, &received, &other, &span };

	for (size_t i = 0; i < 4; i++) {
		*all[i] = (struct tl_message){ .strings = names };
		all[i]->category = tl_bytes_of(i == 1 ? "rx" : "tx");
		ck_assert_ok(tl_message_parse(all[i], tl_bytes_of(texts[i])));
	}
}

static struct tl_pair_rule
rule_of(const char *text)
{
	struct tl_pair_rule rule;
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_pair_parse(&rule, text, &fault) == 0, "%s",
	    fault.text);
	return rule;
}

/*
 * Return the sides that an event is on: "RULE:SIDE VALUE", each with a comma.
 */
static const char *
seen_of(const struct tl_pair_rule *rules, size_t count,
    const struct tl_event *event)
{
	struct tl_pair_matcher matcher = { .rules = rules,
		.rule_count = count };
	struct tl_pair_seen seen[TL_PAIR_SEEN_MAX];
	static char text[256];
	int size = 0, n = 0;

	text[0] = '\0';
	/* the second call uses the matcher's cache */
	for (int i = 0; i < 2; i++)
		n = tl_pair_match(&matcher, event, seen);
	for (int i = 0; i < n; i++)
		size += snprintf(text + size, sizeof(text) - (size_t)size,
		    "%u:%s %lu,", seen[i].rule,
		    seen[i].side == TL_PAIR_SENT ? "sent" : "got",
		    seen[i].value);
	tl_pair_matcher_free(&matcher);
	return text;
}

static struct tl_event
event_of(const struct tl_message *message, unsigned kind, uint64_t first,
    uint64_t second)
{
	return (struct tl_event){ .message = message,
		.kind = (uint8_t)kind,
		.args = { first, second } };
}

TEST_FILE(.setup = setup, .timeout = 60);

TEST(a_pair_is_two_globs_and_an_argument)
{
	struct tl_pair_rule rule = rule_of("tx:sent $id* = got * $id*");

	ck_assert_str_eq(rule.sides[0].glob, "tx:sent $id*");
	ck_assert_str_eq(rule.sides[0].name, "id");
	ck_assert_str_eq(rule.sides[1].glob, "got * $id*");
	ck_assert_str_eq(rule.sides[1].name, "id");
	rule = rule_of("sent*=  < serve *  ");
	ck_assert_str_eq(rule.sides[0].glob, "sent*");
	ck_assert_str_eq(rule.sides[0].name, "");
	ck_assert_str_eq(rule.sides[1].glob, "serve *");
	ck_assert(!rule.sides[0].of_ends && rule.sides[1].of_ends);
	rule = rule_of("a=1 = b=2 $");
	ck_assert_str_eq(rule.sides[0].glob, "a=1");
	ck_assert_str_eq(rule.sides[1].glob, "b=2 $");
	ck_assert_str_eq(rule.sides[1].name, "");
}

TEST(what_is_no_pair_is_refused)
{
	static const char *const words[] = { "", "sent", "=", "sent=", "=got",
		" = ", "  =got" };
	char longest[2 * TL_PAIR_GLOB_MAX];
	struct tl_pair_rule rule;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tl_fault fault = { 0 };

		ck_assert_int_eq(tl_pair_parse(&rule, words[i], &fault),
		    -EINVAL);
		ck_assert_int_eq(fault.rc, -EINVAL);
	}
	memset(longest, '$', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	longest[2] = '=';
	ck_assert_int_eq(tl_pair_parse(&rule, longest, NULL), -EINVAL);
}

TEST(the_argument_of_the_name_is_the_value)
{
	const struct tl_pair_rule rule = rule_of("sent $id* = got * $id*");
	struct tl_event event = event_of(&sent, TL_INSTANT, 7, 8);

	ck_assert_str_eq(seen_of(&rule, 1, &event), "0:sent 7,");
	event = event_of(&received, TL_INSTANT, 7, 8);
	ck_assert_str_eq(seen_of(&rule, 1, &event), "0:got 8,");
	event = event_of(&other, TL_INSTANT, 7, 8);
	ck_assert_str_eq(seen_of(&rule, 1, &event), "");
}

TEST(a_category_and_the_first_argument_will_do)
{
	const struct tl_pair_rule rules[] = { rule_of("rx:* = tx:s*"),
		rule_of("*:nothing * = call $n") };
	struct tl_event event = event_of(&received, TL_INSTANT, 3, 4);

	ck_assert_str_eq(seen_of(rules, 2, &event), "0:sent 3,");
	event = event_of(&sent, TL_INSTANT, 3, 4);
	ck_assert_str_eq(seen_of(rules, 2, &event), "0:got 3,");
	event = event_of(&other, TL_INSTANT, 3, 0);
	ck_assert_str_eq(seen_of(rules, 2, &event), "1:sent 3,");
}

TEST(ends_of_spans_are_asked_for)
{
	const struct tl_pair_rule rules[] = { rule_of("call $n = got *"),
		rule_of("< call $n = sent *") };
	struct tl_event event = event_of(&span, TL_BEGIN, 1, 0);

	ck_assert_str_eq(seen_of(rules, 2, &event), "0:sent 1,");
	event.kind = TL_END;
	ck_assert_str_eq(seen_of(rules, 2, &event), "1:sent 1,");
	event.bare = true; /* without arguments */
	ck_assert_str_eq(seen_of(rules, 2, &event), "");
}

TEST(what_is_sent_and_received_alike_is_sent)
{
	const struct tl_pair_rule rule = rule_of("sent * = sent *");
	const struct tl_event event = event_of(&sent, TL_INSTANT, 5, 0);

	ck_assert_str_eq(seen_of(&rule, 1, &event), "0:sent 5,");
}

static struct tl_bytes
two_words(const struct tl_strings *strings, uint64_t n)
{
	static const char *const words[] = { "left", "right" };
	const struct tl_bytes none = { NULL, 0 };

	/* the numbers of another timeline start at ten */
	(void)strings;
	n %= 10;
	return n < 2 ? tl_bytes_of(words[n]) : none;
}

TEST(texts_are_compared_by_what_they_say)
{
	static const struct tl_strings strings = { two_words };
	const struct tl_pair_rule rule = rule_of("put $w* = take $w*");
	struct tl_message from = { .strings = &strings }, to = from;
	struct tl_event event;
	char value[256];

	ck_assert_ok(tl_message_parse(&from, tl_bytes_of("put $w%s")));
	ck_assert_ok(tl_message_parse(&to, tl_bytes_of("take $w%s")));
	event = event_of(&from, TL_INSTANT, 1, 0);
	snprintf(value, sizeof(value), "%s",
	    strchr(seen_of(&rule, 1, &event), ' '));
	event = event_of(&to, TL_INSTANT, 11, 0);
	ck_assert_str_eq(strchr(seen_of(&rule, 1, &event), ' '), value);
	event = event_of(&to, TL_INSTANT, 10, 0);
	ck_assert_str_ne(strchr(seen_of(&rule, 1, &event), ' '), value);
}
