/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of a command line, from a table.
 *
 * The table is the only place where an option is written down: reading, help
 * and the tests of man page and completion go by it.
 */
#ifndef TL_BASE_OPTIONS_H
#define TL_BASE_OPTIONS_H

#include "base/fault.h"
#include "base/text.h"

#include <getopt.h>

enum {
	TL_OPTIONS_MAX = 96,      /* rows of a table */
	TL_OPTION_GROUP = -1,     /* letter of a row that is a title: help */
	TL_OPTION_OPERAND = 1,    /* read: no option but a word of its own */
	TL_OPTION_VALUE_MIN = 256 /* values of options: beyond every letter */
};

struct tl_option {
	int letter; /* 0: none */
	const char *name;
	const char *argument; /* what it is called in the help; NULL: none */
	const char *help;
	int value;
};

struct tl_option_reader {
	const struct tl_option *table;
	size_t count;
	char letters[2 * TL_OPTIONS_MAX + 3];
	struct option names[TL_OPTIONS_MAX + 1];
};

/* Begin to read a command line: one at a time, for getopt has but one
 * state. */
void tl_options_start(struct tl_option_reader *reader,
    const struct tl_option *table, size_t count);
/*
 * The next option's value, or TL_OPTION_OPERAND in its place; *argument is its
 * word.  0 at the end and at "--", what is left begins at *rest; -EINVAL and
 * a fault for a usage error.
 */
int tl_options_next(struct tl_option_reader *reader, int argc, char **argv,
    char **argument, int *rest, struct tl_fault *fault);

/* -EINVAL and the fault "WORD: WHAT is wrong with it". */
int tl_usage(struct tl_fault *fault, const char *word, const char *what);

/* A line for one option, or a title. */
void tl_option_help(struct tl_text *text, const struct tl_option *option);

/* == * control.h - where timelined listens and timelinectl speaks == */

/* Unless TIMELINED_SOCKET in the environment says otherwise. */
#define TL_CONTROL_SOCKET "/run/timeline/timelined.sock"

#endif
