/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.c - what --help says, from the table options.def.
 */
#include "dump/options.h"

struct row {
	int letter; /* 0: none; -1: a group whose title is help */
	const char *name;
	const char *argument;
	const char *help;
};

static const struct row rows[] = {
#define GROUP(title) { -1, NULL, NULL, title },
#define OPTION(letter, name, argument, constant, help) \
	{ letter, name, argument, help },
#include "dump/options.def"
#undef OPTION
#undef GROUP
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), HELP_COLUMN = 28 };

static void
put_option(struct tl_text *text, const struct row *row)
{
	const size_t start = text->size;

	tl_put_string(text, "  ");
	if (row->letter) {
		tl_put_char(text, '-');
		tl_put_char(text, (char)row->letter);
		tl_put_string(text, ", ");
	} else {
		tl_put_string(text, "    ");
	}
	tl_put_string(text, "--");
	tl_put_string(text, row->name);
	if (row->argument) {
		tl_put_char(text, ' ');
		tl_put_string(text, row->argument);
	}
	if (text->size - start < HELP_COLUMN)
		tl_put_repeat(text, ' ', HELP_COLUMN - (text->size - start));
	tl_put_char(text, ' ');
	tl_put_string(text, row->help);
	tl_put_char(text, '\n');
}

void
tl_options_help(struct tl_text *text)
{
	tl_put_string(text,
	    "timeline-dump [options] [FILE...]\n"
	    "Show timelines, newest entry first: live ones (/name) and "
	    "snapshots,\nseveral merged by time.  Without FILE: the one that "
	    "TIMELINE names.\n");
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].letter >= 0) {
			put_option(text, &rows[i]);
			continue;
		}
		tl_put_char(text, '\n');
		tl_put_string(text, rows[i].help);
		tl_put_string(text, ":\n");
	}
	tl_put_string(text,
	    "\nColumns: time cpu pid tid priority delta-cycles delta-ns tsc "
	    "clock-error\ncategory message.  See timeline-dump(1).\n");
}
