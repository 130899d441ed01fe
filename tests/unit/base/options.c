/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - a command line is read by its table, and the help text comes from
 * the same table.
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

/*
 * Read a command line; returns "value:argument " for each option, then "|" and
 * the rest.
 */
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
		{ "x --size", "--size: needs a value: N" },
		{ "x -s", "-s: needs a value: N" },
		{ "x --sizzle=3", "--sizzle: no such option" },
		{ "x --qiuet",
		    "--qiuet: no such option; did you mean --quiet?" },
		{ "x --fast=2", "--fast=2: takes no value" } };

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

TEST(rows_without_help_share_the_line_below)
{
	static const struct tl_option joined[] = { { TL_OPTION_GROUP, NULL,
						       NULL, "Who", 0 },
		{ 0, "pid", "N", "", FAST }, { 't', "tid", "N", "", SIZE },
		{ 0, "cpu", NULL, "of these", QUIET } };
	static const char line[] =
	    "      --pid, -t, --tid N, --cpu  of these\n";
	static const struct tl_help help = { "x\n", "tid", "" };
	struct tl_text text = { 0 };

	ck_assert_int_eq(tl_help_put(&text, &help, joined, 4, "who", NULL), 0);
	ck_assert_str_eq(tl_text_string(&text) + strlen("Who:\n"), line);
	tl_text_clear(&text);
	ck_assert_int_eq(tl_help_put(&text, &help, joined, 4, NULL, NULL), 0);
	ck_assert_int_eq(strncmp(tl_text_string(&text) + strlen("x\n\n"), line,
			     strlen(line)),
	    0);
	tl_text_free(&text);
}

TEST(a_typo_is_met_with_the_nearest_word)
{
	static const char *const words[] = { "list", "burst", "status", "watch",
		"priority", "top", "reload", "save", "messages", "--category" };
	static const struct {
		const char *typo;
		const char *word;
	} known[] = { { "lst", "list" }, { "lisst", "list" },
		{ "BURST", "burst" }, { "brust", "burst" },
		{ "stauts", "status" }, { "wacth", "watch" },
		{ "priorty", "priority" }, { "prio", "priority" },
		{ "tpo", "top" }, { "realod", "reload" }, { "safe", "save" },
		{ "mesages", "messages" }, { "--catgory", "--category" },
		{ "xylophone", "" }, { "", "" }, { "zz", "" }, { "tp", "" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaa",
		    "" } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct tl_near near = tl_near_to(known[i].typo);

		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			tl_near_try(&near, words[k]);
		ck_assert_str_eq(near.best, known[i].word);
	}
}

/* The number of letters to change, by trying all ways. */
static unsigned
dumb_distance(const char *a, const char *b)
{
	unsigned best, d;

	if (!*a || !*b)
		return (unsigned)(strlen(a) + strlen(b));
	best = dumb_distance(a + 1, b + 1) + (*a != *b);
	if ((d = dumb_distance(a + 1, b) + 1) < best)
		best = d;
	if ((d = dumb_distance(a, b + 1) + 1) < best)
		best = d;
	if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0] &&
	    (d = dumb_distance(a + 2, b + 2) + 1) < best)
		best = d;
	return best;
}

TEST(the_distance_is_that_of_trying_all_ways)
{
	uint32_t state = 1;

	for (int round = 0; round < 2000; round++) {
		char word[7] = "", other[7] = "";
		struct tl_near near = tl_near_to(word);

		for (size_t i = 0; i < 6; i++) {
			state = state * 1103515245 + 12345;
			word[i] = (char)('a' + (state >> 16) % 3);
			other[i] = (char)('a' + (state >> 20) % 3);
		}
		other[3 + (state >> 24) % 4] = '\0';
		tl_near_try(&near, other);
		if (near.best[0])
			ck_assert_uint_eq(near.distance,
			    dumb_distance(word, other));
		else
			ck_assert_uint_gt(dumb_distance(word, other), 2);
	}
}

TEST(a_word_of_a_list_is_chosen_or_suggested)
{
	static const char *const names[] = { "auto", "always", "never" };
	static const struct {
		const char *word;
		int index;
		const char *text;
	} cases[] = { { "always", 1, "" },
		{ "alway", -EINVAL,
		    "alway: no such color; did you mean always?" },
		{ "blue", -EINVAL, "blue: no such color: auto, always, never" },
		{ "", -EINVAL, ": no such color: auto, always, never" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_fault wrong = { 0 };

		ck_assert_int_eq(tl_option_choose(names, 3, cases[i].word,
				     "color", &wrong),
		    cases[i].index);
		ck_assert_str_eq(wrong.text, cases[i].text);
	}
}

TEST(a_duration_needs_a_unit)
{
	static const struct {
		const char *word;
		const char *text;
	} cases[] = { { "100us", "" }, { "0", "" },
		{ "100", "100: a duration needs a unit: 100us or 100s?" },
		{ "-1.5", "-1.5: a duration needs a unit: -1.5us or -1.5s?" },
		{ "soon", "soon: not a duration like 100us or 1.5s" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_fault wrong = { 0 };
		int64_t ns;

		ck_assert_int_eq(tl_option_duration(cases[i].word, &ns, &wrong),
		    cases[i].text[0] ? -EINVAL : 0);
		ck_assert_str_eq(wrong.text, cases[i].text);
	}
}

TEST(help_shows_common_options_all_or_a_group)
{
	static const struct tl_help help = { "x\n", "size fast", "End.\n" };
	static const struct {
		const char *what;
		const char *text;
	} cases[] = { { NULL,
			  "x\n\n"
			  "  -s, --size N               so large\n"
			  "  -f, --fast                 not slowly\n\nEnd.\n" },
		{ "all",
		    "x\n\nHow:\n"
		    "  -f, --fast                 not slowly\n"
		    "  -s, --size N               so large\n"
		    "      --quiet                without a word\n\nEnd.\n" },
		{ "how", "How:\n"
			 "  -f, --fast                 not slowly\n"
			 "  -s, --size N               so large\n"
			 "      --quiet                without a word\n" },
		{ "hwo", NULL } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_fault wrong = { 0 };
		struct tl_text text = { 0 };
		const int rc = tl_help_put(&text, &help, table, ROWS,
		    cases[i].what, &wrong);

		ck_assert_int_eq(rc, cases[i].text ? 0 : -EINVAL);
		if (cases[i].text)
			ck_assert_str_eq(tl_text_string(&text), cases[i].text);
		else
			ck_assert_str_eq(wrong.text,
			    "hwo: no such group of options; did you mean How?");
		tl_text_free(&text);
	}
}
