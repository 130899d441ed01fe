/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - is a command line read by its table, and is the help
 * made of the same?
 */
#include "base/options.h"
#include "lib/test.h"

#include <errno.h>
#include <string.h>

enum { FAST = TL_OPTION_VALUE_MIN, SIZE, QUIET, WORDS_MAX = 8 };

static const struct tl_option table[] = {
	{ TL_OPTION_GROUP, NULL, NULL, "How", 0 },
	{ 'f', "fast", NULL, "not slowly", FAST },
	{ 's', "size", "N", "so large", SIZE },
	{ 0, "quiet", NULL, "without a word", QUIET },
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

static struct tl_fault fault;
static int rest;

/* What comes of the words, as "value:argument " each, then "|" and the
 * rest. */
static const char *
read_all(const char *line, int *end)
{
	static char words[256];
	static char seen[256];
	struct tl_option_reader reader;
	char *argv[WORDS_MAX + 1] = { 0 };
	char *argument, *next = NULL;
	int argc = 0, value;

	strncpy(words, line, sizeof(words) - 1);
	for (char *w = strtok_r(words, " ", &next); w && argc < WORDS_MAX;
	     w = strtok_r(NULL, " ", &next))
		argv[argc++] = w;
	seen[0] = '\0';
	fault = (struct tl_fault){ 0 };
	tl_options_start(&reader, table, ROWS);
	while ((value = tl_options_next(&reader, argc, argv, &argument, &rest,
		    &fault)) > 0) {
		strcat(seen, value == FAST                ? "fast"
			     : value == SIZE              ? "size"
			     : value == QUIET             ? "quiet"
			     : value == TL_OPTION_OPERAND ? "word"
							  : "?");
		strcat(seen, ":");
		strcat(seen, argument ? argument : "");
		strcat(seen, " ");
	}
	for (strcat(seen, "|"); value == 0 && rest < argc; rest++)
		strcat(seen, argv[rest]);
	*end = value;
	return seen;
}

static void
expect(const char *line, const char *want)
{
	int end;

	ck_assert_str_eq(read_all(line, &end), want);
	ck_assert_int_eq(end, 0);
}

TEST(options_and_words_come_as_they_stand)
{
	expect("x", "|");
	expect("x -f a --size 3 b --quiet",
	    "fast: word:a size:3 word:b quiet: |");
	expect("x -fs3 --size=4 --si 5", "fast: size:3 size:4 size:5 |");
}

TEST(two_dashes_end_the_options)
{
	expect("x a -- -f b", "word:a |-fb");
	expect("x --", "|");
}

TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *line;
		const char *what;
	} wrong[] = { { "x --nose", "--nose: no such option" },
		{ "x -x", "-x: no such option" },
		{ "x --size", "--size: needs a value" },
		{ "x -s", "-s: needs a value" },
		{ "x --fast=2", "--fast=2: no such option, or one that" } };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int end;

		read_all(wrong[i].line, &end);
		ck_assert_int_eq(end, -EINVAL);
		ck_assert_msg(strncmp(fault.text, wrong[i].what,
				  strlen(wrong[i].what)) == 0,
		    "%s", fault.text);
	}
}

TEST(the_help_has_every_row)
{
	struct tl_text text = { 0 };

	for (size_t i = 0; i < ROWS; i++)
		tl_option_help(&text, &table[i]);
	ck_assert_str_eq(tl_text_string(&text),
	    "\nHow:\n"
	    "  -f, --fast                 not slowly\n"
	    "  -s, --size N               so large\n"
	    "      --quiet                without a word\n");
	tl_text_free(&text);
}
