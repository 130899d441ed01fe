/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - getopt_long, help and suggestions, all from one table. */
#include "base/options.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "base/process.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { HELP_COLUMN = 28 };

static int
has_argument(const struct tl_option *option)
{
	if (!option->argument)
		return no_argument;
	return option->argument[0] == '[' ? optional_argument
					  : required_argument;
}

void
tl_options_start(struct tl_option_reader *reader, const struct tl_option *table,
    size_t count)
{
	/* "-": operands are returned in place; ":": getopt prints nothing. */
	size_t l = 0, n = 0;

	assert(count <= TL_OPTIONS_MAX);
	*reader = (struct tl_option_reader){ .table = table, .count = count };
	reader->letters[l++] = '-';
	reader->letters[l++] = ':';
	for (size_t i = 0; i < count; i++) {
		if (table[i].letter == TL_OPTION_GROUP)
			continue;
		if (table[i].letter > 0) {
			reader->letters[l++] = (char)table[i].letter;
			if (has_argument(&table[i]) == required_argument)
				reader->letters[l++] = ':';
		}
		reader->names[n++] = (struct option){ .name = table[i].name,
			.has_arg = has_argument(&table[i]),
			.val = table[i].value };
	}
	opterr = 0;
	optind = 0; /* makes glibc start again at the beginning */
}

int
tl_usage(struct tl_fault *fault, const char *word, const char *what)
{
	return tl_fail(fault, -EINVAL, "%s: %s", word, what);
}

/* List the options that begin with the letters of word, if there are
 * several. */
static int
report_ambiguous(const struct tl_option_reader *reader, const char *word,
    size_t size, struct tl_fault *fault)
{
	char list[TL_FAULT_TEXT_MAX / 2] = "";
	size_t count = 0;

	for (const struct option *o = reader->names; o->name; o++) {
		if (strncmp(o->name, word, size) != 0 ||
		    strlen(list) + strlen(o->name) + 5 > sizeof(list))
			continue;
		strcat(strcat(list, count++ > 0 ? ", --" : "--"), o->name);
	}
	return count < 2 ? 0
			 : tl_fail(fault, -EINVAL, "--%.*s: ambiguous: %s",
			       (int)size, word, list);
}

/* Report a word that begins with "--" and is no option. */
static int
report_unknown(const struct tl_option_reader *reader, const char *word,
    struct tl_fault *fault)
{
	char name[TL_NEAR_MAX + 3];
	const size_t size = strcspn(word + 2, "=");
	struct tl_near near;
	int rc;

	if (size > TL_NEAR_MAX)
		return tl_usage(fault, word, "no such option");
	rc = report_ambiguous(reader, word + 2, size, fault);
	if (rc < 0)
		return rc;
	memcpy(name, word, size + 2);
	name[size + 2] = '\0';
	near = tl_near_to(name + 2);
	for (const struct option *o = reader->names; o->name; o++)
		tl_near_try(&near, o->name);
	if (near.best[0])
		return tl_fail(fault, -EINVAL,
		    "%s: no such option; did you mean --%s?", name, near.best);
	return tl_usage(fault, name, "no such option");
}

/* Report an error of getopt_long(): ':' or '?', and optopt. */
static int
report_wrong(const struct tl_option_reader *reader, int value, char **argv,
    struct tl_fault *fault)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	const char *word = argv[optind - 1];
	const bool is_long = strncmp(word, "--", 2) == 0;

	if (value == '?' && optopt == 0)
		return report_unknown(reader, word, fault);
	for (size_t i = 0; i < reader->count; i++) {
		const struct tl_option *o = &reader->table[i];

		if (o->letter == TL_OPTION_GROUP ||
		    (o->value != optopt && o->letter != optopt))
			continue;
		if (value == '?')
			return tl_usage(fault, word, "takes no value");
		return tl_fail(fault, -EINVAL, "%s: needs a value: %s",
		    is_long ? word : letter, o->argument);
	}
	return tl_usage(fault, letter, "no such option");
}

int
tl_options_next(struct tl_option_reader *reader, int argc, char **argv,
    char **argument, int *rest, struct tl_fault *fault)
{
	int index = -1;
	const int value =
	    getopt_long(argc, argv, reader->letters, reader->names, &index);

	reader->is_letter = index < 0;
	*argument = optarg;
	*rest = optind;
	if (value == -1)
		return 0;
	if (value == ':' || value == '?')
		return report_wrong(reader, value, argv, fault);
	for (size_t i = 0; i < reader->count; i++) {
		if (reader->table[i].letter > 0 &&
		    reader->table[i].letter == value)
			return reader->table[i].value;
	}
	return value;
}

void
tl_option_help(struct tl_text *text, const struct tl_option *option)
{
	const bool joined = /* the row continues the line above */
	    text->size > 0 && text->data[text->size - 1] == ' ';
	size_t start = text->size;

	if (option->letter == TL_OPTION_GROUP) {
		tl_put_char(text, '\n');
		tl_put_string(text, option->help);
		tl_put_string(text, ":\n");
		return;
	}
	while (joined && start > 0 && text->data[start - 1] != '\n')
		start--;
	if (!joined)
		tl_put_string(text, option->letter ? "  " : "      ");
	if (option->letter) {
		tl_put_char(text, '-');
		tl_put_char(text, (char)option->letter);
		tl_put_string(text, ", ");
	}
	tl_put_string(text, "--");
	tl_put_string(text, option->name);
	if (option->argument &&
	    (option->help[0] ||
		strcmp(option->argument,
		    option[1].argument ? option[1].argument : "") != 0)) {
		if (option->argument[0] != '[')
			tl_put_char(text, ' ');
		tl_put_string(text, option->argument);
	}
	if (option->help[0] == '\0') {
		tl_put_string(text, ", ");
		return;
	}
	if (text->size - start < HELP_COLUMN)
		tl_put_repeat(text, ' ', HELP_COLUMN - (text->size - start));
	else if (joined)
		tl_put_char(text, ' ');
	tl_put_char(text, ' ');
	tl_put_string(text, option->help);
	tl_put_char(text, '\n');
}

/* The row of the group whose title begins with what.  count, with a fault:
 * none. */
static size_t
find_group(const struct tl_option *table, size_t count, const char *what,
    struct tl_fault *fault)
{
	struct tl_near near = tl_near_to(what);

	for (size_t i = 0; i < count; i++) {
		if (table[i].letter != TL_OPTION_GROUP)
			continue;
		if (strncasecmp(table[i].help, what, strlen(what)) == 0)
			return i;
		tl_near_try(&near, table[i].help);
	}
	tl_near_try(&near, "all");
	tl_usage_near(fault, &near, "no such group of options");
	return count;
}

int
tl_help_put(struct tl_text *text, const struct tl_help *help,
    const struct tl_option *table, size_t count, const char *what,
    struct tl_fault *fault)
{
	size_t i = 0;

	if (what && strcmp(what, "all") != 0) {
		if ((i = find_group(table, count, what, fault)) == count)
			return -EINVAL;
		tl_put_string(text, table[i].help);
		tl_put_string(text, ":\n");
		for (i++; i < count && table[i].letter != TL_OPTION_GROUP; i++)
			tl_option_help(text, &table[i]);
		return 0;
	}
	tl_put_string(text, help->usage);
	if (what) {
		if (count > 0 && table[0].letter != TL_OPTION_GROUP)
			tl_put_char(text, '\n');
		for (; i < count; i++)
			tl_option_help(text, &table[i]);
	} else {
		tl_put_char(text, '\n');
		for (const char *at = help->common; *at;
		     at += strspn(at, " ")) {
			const size_t size = strcspn(at, " ");
			size_t k = 0;

			while (k < count &&
			       (table[k].letter == TL_OPTION_GROUP ||
				   strlen(table[k].name) != size ||
				   memcmp(table[k].name, at, size) != 0))
				k++;
			while (
			    k < count && k > 0 && table[k - 1].help[0] == '\0')
				k--;
			while (k < count && table[k].help[0] == '\0')
				tl_option_help(text, &table[k++]);
			if (k < count)
				tl_option_help(text, &table[k]);
			at += size;
		}
	}
	tl_put_char(text, '\n');
	tl_put_string(text, help->end);
	return 0;
}

/* == near == */

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The number of letters that must be changed, added, removed, or swapped with
 * the next letter to turn a into b.  Dynamic programming with three rows. */
static unsigned
distance(const char *a, size_t m, const char *b, size_t n)
{
	unsigned rows[3][TL_NEAR_MAX + 1];

	for (size_t k = 0; k <= n; k++)
		rows[0][k] = (unsigned)k;
	for (size_t i = 1; i <= m; i++) {
		unsigned *const row = rows[i % 3];
		const unsigned *const above = rows[(i - 1) % 3];

		row[0] = (unsigned)i;
		for (size_t k = 1; k <= n; k++) {
			row[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]),
			    least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1])
				row[k] =
				    least(row[k], rows[(i - 2) % 3][k - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

/* Copy a word in lower case.  Returns its size; 0: too long to compare. */
static size_t
fold(const char *word, char folded[TL_NEAR_MAX + 1])
{
	const size_t size = strnlen(word, TL_NEAR_MAX + 1);

	if (size > TL_NEAR_MAX)
		return 0;
	for (size_t i = 0; i <= size; i++)
		folded[i] = (char)tolower((unsigned char)word[i]);
	return size;
}

void
tl_near_try(struct tl_near *near, const char *candidate)
{
	enum { PREFIX_MIN = 3, STEP = 3, FAR = 3 };
	char a[TL_NEAR_MAX + 1], b[TL_NEAR_MAX + 1];
	const size_t m = fold(near->word, a), n = fold(candidate, b);
	/* one mistake in a word of 3 letters, two in 6, three in 9 */
	const size_t far = m / STEP < FAR ? m / STEP : FAR;
	unsigned d;

	if (m == 0 || n == 0)
		return;
	d = distance(a, m, b, n);
	if (d > far && m >= PREFIX_MIN && strncmp(a, b, m) == 0)
		d = FAR;
	else if (d > far || d >= n)
		return;
	if (d >= near->distance)
		return;
	near->distance = d;
	memcpy(near->best, candidate, n + 1);
}

int
tl_usage_near(struct tl_fault *fault, const struct tl_near *near,
    const char *what)
{
	if (!near->best[0])
		return tl_usage(fault, near->word, what);
	return tl_fail(fault, -EINVAL, "%s: %s; did you mean %s?", near->word,
	    what, near->best);
}

int
tl_option_choose(const char *const *names, size_t count, const char *word,
    const char *kind, struct tl_fault *fault)
{
	struct tl_near near = tl_near_to(word);
	char list[TL_FAULT_TEXT_MAX] = "";

	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], word) == 0)
			return (int)i;
		tl_near_try(&near, names[i]);
	}
	if (near.best[0])
		return tl_fail(fault, -EINVAL,
		    "%s: no such %s; did you mean %s?", word, kind, near.best);
	for (size_t i = 0; i < count; i++) {
		if (strlen(list) + strlen(names[i]) + 3 > sizeof(list))
			break;
		strcat(strcat(list, i > 0 ? ", " : ""), names[i]);
	}
	return tl_fail(fault, -EINVAL, "%s: no such %s: %s", word, kind, list);
}

/* Report a number without a unit, and suggest two units. */
static int
report_no_unit(const char *word, const char *unit, const char *other,
    struct tl_fault *fault)
{
	return tl_fail(fault, -EINVAL,
	    "%s: a duration needs a unit: %s%s or %s%s?", word, word, unit,
	    word, other);
}

/* Is the word only digits, with a sign in front or a point? */
static bool
is_bare_number(const char *word)
{
	const size_t sign = strspn(word, "+-") > 0;

	return word[sign] >= '0' && word[sign] <= '9' &&
	       word[strspn(word, "+-0123456789.")] == '\0';
}

int
tl_option_duration(const char *word, int64_t *ns, struct tl_fault *fault)
{
	if (tl_parse_duration(word, ns) == 0)
		return 0;
	if (is_bare_number(word) && !strchr(word + 1, '-'))
		return report_no_unit(word, "us", "s", fault);
	return tl_usage(fault, word, "not a duration like 100us or 1.5s");
}

int
tl_option_bound(const char *word, struct tl_bound *bound,
    struct tl_fault *fault)
{
	static const char *const days[] = { "now", "today", "yesterday",
		"tomorrow" };
	struct tl_near near = tl_near_to(word);
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	if (tl_parse_bound(word,
		(int64_t)now.tv_sec * TL_NS_PER_S + now.tv_nsec, bound) == 0)
		return 0;
	if (is_bare_number(word) && !strchr(word + 1, '-'))
		return report_no_unit(word, "s", "m", fault);
	for (size_t i = 0; i < TL_COUNT(days); i++)
		tl_near_try(&near, days[i]);
	return tl_usage_near(fault, &near,
	    near.best[0] ? "not a time"
			 : "not a time like 10:00, 5m, \"5 min ago\", "
			   "yesterday or 2026-11-20T19:24:18");
}

/* == programs == */

int
tl_program_print(const char *program, struct tl_text *text)
{
	struct tl_fault fault = { 0 };
	int rc = text->rc;

	if (rc == 0)
		rc = tl_write_all(STDOUT_FILENO, text->data, text->size);
	tl_text_free(text);
	if (rc == 0 || rc == -EPIPE)
		return TL_DONE;
	tl_fail(&fault, rc, "%s", tl_file_error(rc));
	tl_fault_print(program, NULL, &fault);
	return TL_FAILED;
}

int
tl_program_usage(const char *program, const struct tl_fault *fault)
{
	tl_fault_print(program, NULL, fault);
	fprintf(stderr, "Try %s --help.\n", program);
	return TL_USAGE;
}
