/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of a command line, from a table; the nearest match of
 * a mistyped word.
 *
 * Each option is written down only in the table: parsing, help, and the tests
 * of man page and completion use the table.
 */
#ifndef TL_BASE_OPTIONS_H
#define TL_BASE_OPTIONS_H

#include "base/fault.h"
#include "base/text.h"

#include <getopt.h>

enum {
	TL_OPTIONS_MAX = 96,   /* rows of a table */
	TL_OPTION_GROUP = -1,  /* letter of a row with a title (help) */
	TL_OPTION_OPERAND = 1, /* returned for a word that is no option */
	/* values of options are larger than any letter */
	TL_OPTION_VALUE_MIN = 256
};

struct tl_option {
	int letter; /* 0: none */
	const char *name;
	/* The argument's name in the help; NULL: no argument; "[=WHAT]": an
	 * optional argument. */
	const char *argument;
	const char *help; /* "": on the same line as the row below */
	int value;
};

struct tl_option_reader {
	const struct tl_option *table;
	size_t count;
	char letters[2 * TL_OPTIONS_MAX + 3];
	struct option names[TL_OPTIONS_MAX + 1];
	bool is_letter; /* the option before was given by its letter */
};

/* Begin to read a command line.  Only one at a time, because getopt has a
 * single state. */
void tl_options_start(struct tl_option_reader *reader,
    const struct tl_option *table, size_t count);
/*
 * Get the value of the next option, or TL_OPTION_OPERAND; *argument is its
 * argument.  0: the end or "--", and *rest is the index of the remaining words;
 * -EINVAL with a fault: usage error.
 */
int tl_options_next(struct tl_option_reader *reader, int argc, char **argv,
    char **argument, int *rest, struct tl_fault *fault);

/* Set the fault "WORD: WHAT is wrong".  Returns -EINVAL. */
int tl_usage(struct tl_fault *fault, const char *word, const char *what);

/* Append a line for an option, a title, or part of a line if the help is "". */
void tl_option_help(struct tl_text *text, const struct tl_option *option);

/*
 * The help of a program.  --help shows the few options that most people need,
 * on one screen of 24 lines; --help=all shows all options by group;
 * --help=GROUP shows one group, given by the first letters of its title.
 */
struct tl_help {
	const char *usage; /* the lines above the options */
	/* The names that --help shows, in this order: "max since".  Names that
	 * the table lacks are left out. */
	const char *common;
	const char *end; /* the lines below */
};

/* Append the help.  what is the argument of --help, or NULL.  0; -EINVAL with a
 * fault. */
int tl_help_put(struct tl_text *text, const struct tl_help *help,
    const struct tl_option *table, size_t count, const char *what,
    struct tl_fault *fault);

/*
 * == near ==
 *
 * The candidate that a mistyped word probably means.
 */

enum { TL_NEAR_MAX = 64 /* bytes of a word; longer words match none */ };

struct tl_near {
	const char *word;
	unsigned distance;          /* of the best candidate */
	char best[TL_NEAR_MAX + 1]; /* "": no candidate is near */
};

static inline struct tl_near
tl_near_to(const char *word)
{
	return (struct tl_near){ .word = word, .distance = TL_NEAR_MAX };
}
/* Keep the candidate if it is the nearest so far.  Case is ignored.  A letter
 * changed, added, removed or swapped with the next counts 1, up to 3 in a long
 * word.  A candidate that begins with the word is near. */
void tl_near_try(struct tl_near *near, const char *candidate);
/* Set the fault "WORD: WHAT; did you mean BEST?".  Returns -EINVAL. */
int tl_usage_near(struct tl_fault *fault, const struct tl_near *near,
    const char *what);

/* The index of a word among the names of a KIND ("color").  -EINVAL with the
 * fault "WORD: no such KIND; did you mean NAME?", or with all names. */
int tl_option_choose(const char *const *names, size_t count, const char *word,
    const char *kind, struct tl_fault *fault);
/* Parse a duration with its unit.  0; -EINVAL with a fault. */
int tl_option_duration(const char *word, int64_t *ns, struct tl_fault *fault);
/* Parse the argument of --since or --until.  0; -EINVAL with a fault. */
int tl_option_bound(const char *word, struct tl_bound *bound,
    struct tl_fault *fault);

/* == programs == */

/* The exit status of a program. */
enum { TL_DONE = 0, TL_FAILED = 1, TL_USAGE = 2 };

/* Print the text of --help or --version, and free the text.  A reader that left
 * early is no error.  Returns TL_DONE, or TL_FAILED after a diagnostic. */
int tl_program_print(const char *program, struct tl_text *text);
/* Print a usage error, and how to get help.  Returns TL_USAGE. */
int tl_program_usage(const char *program, const struct tl_fault *fault);

/* == the control socket of timelined == */

/* TIMELINED_SOCKET in the environment overrides this path. */
#define TL_CONTROL_SOCKET "/run/timeline/timelined.sock"

#endif
