/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.c - a command line is parsed as the manual describes it. */
#include "ctl/ctl.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 12 };

static struct tl_call call;

/*
 * Parse a command line as main does. argv is a copy, because getopt permutes
 * it.
 */
static int
parse(const char *line)
{
	static char copy[256];
	char *argv[WORDS_MAX + 1] = { 0 };
	char *rest = NULL;
	int argc = 0;

	tl_text_free(&call.out);
	memset(&call, 0, sizeof(call));
	strncpy(copy, line, sizeof(copy) - 1);
	for (char *word = strtok_r(copy, " ", &rest); word && argc < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return tl_verbs_parse(&call, argc, argv);
}

TEST(words_and_options_come_in_any_order)
{
	static const char *const lines[] = {
		"ctl level --category net demo *x off",
		"ctl --category net level demo *x off",
		"ctl level demo --category=net *x off",
		"ctl level demo *x --category net -- off",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_int_eq(parse(lines[i]), 0);
		ck_assert_str_eq(call.verb->name, "level");
		ck_assert_uint_eq(call.operand_count, 3);
		ck_assert_str_eq(call.operands[0], "demo");
		ck_assert_str_eq(call.operands[1], "*x");
		ck_assert_str_eq(call.operands[2], "off");
		ck_assert_str_eq(call.given[TL_CTL_CATEGORY], "net");
		ck_assert_ptr_null(call.given[TL_CTL_JSON]);
	}
}

TEST(short_options_are_the_long_ones)
{
	ck_assert_int_eq(parse("ctl top -n3 -d 2s -s total"), 0);
	ck_assert_str_eq(call.given[TL_CTL_COUNT], "3");
	ck_assert_str_eq(call.given[TL_CTL_DELAY], "2s");
	ck_assert_str_eq(call.given[TL_CTL_SORT], "total");
}

TEST(what_does_not_suit_the_verb_is_a_usage_error)
{
	static const char *const lines[] = { "ctl", "ctl nothing",
		"ctl status x", "ctl remove", "ctl remove a b", "ctl burst a b",
		"ctl list -n 3", "ctl reload --json", "ctl top -n",
		"ctl list --json=yes", "ctl -x list", "ctl --",
		"ctl -- status x" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_msg(parse(lines[i]) == -EINVAL, "%s", lines[i]);
		ck_assert(call.usage);
		ck_assert_str_ne(call.fault.text, "");
	}
}

TEST(help_and_version_are_answered_at_once)
{
	ck_assert_int_eq(parse("ctl --help"), 1);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&call.out), "burst NAME"));
	ck_assert_int_eq(parse("ctl burst -h"), 1);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&call.out), "--help"));
	ck_assert_int_eq(parse("ctl -V"), 1);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&call.out), "timelinectl"));
}

TEST(a_name_is_found_with_and_without_its_slash)
{
	struct tl_name name;

	ck_assert_int_eq(parse("ctl top demo"), 0);
	ck_assert_ok(tl_call_name(&call, 0, &name));
	ck_assert_str_eq(name.shown, "/demo");
	ck_assert_str_eq(name.path, "/dev/shm/demo");
	ck_assert_int_eq(parse("ctl top /demo"), 0);
	ck_assert_ok(tl_call_name(&call, 0, &name));
	ck_assert_str_eq(name.path, "/dev/shm/demo");
	ck_assert_int_eq(parse("ctl top ./demo"), 0);
	ck_assert_ok(tl_call_name(&call, 0, &name));
	ck_assert_str_eq(name.path, "./demo");
	setenv("TIMELINE", "other", 1);
	ck_assert_int_eq(parse("ctl top"), 0);
	ck_assert_ok(tl_call_name(&call, 0, &name));
	ck_assert_str_eq(name.path, "/dev/shm/other");
	unsetenv("TIMELINE");
	ck_assert_int_eq(tl_call_name(&call, 0, &name), -EINVAL);
	ck_assert(call.usage);
}

TEST(names_that_cannot_be_are_refused)
{
	static char lengthy[TL_PATH_MAX + 10];
	static const char *const words[] = { "", "/", ".", "..", lengthy };
	struct tl_name name;

	memset(lengthy, 'x', sizeof(lengthy) - 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ck_assert_int_eq(parse("ctl top"), 0);
		ck_assert_int_eq(tl_call_resolve(&call, words[i], &name),
		    -EINVAL);
	}
}
