/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of a command line, from a table; what is near to a
 * mistyped word.
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
	/* Its name in the help; NULL: none; "[=WHAT]": it is optional. */
	const char *argument;
	const char *help; /* "": on one line with the row below */
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
 * The value of the next option, or TL_OPTION_OPERAND; *argument is its
 * argument.  0: the end or "--", and *rest is the index of the remaining words;
 * -EINVAL and a fault: usage error.
 */
int tl_options_next(struct tl_option_reader *reader, int argc, char **argv,
    char **argument, int *rest, struct tl_fault *fault);

/* -EINVAL and the fault "WORD: WHAT is wrong with it". */
int tl_usage(struct tl_fault *fault, const char *word, const char *what);

/* A line for one option, or a title; part of one if its help is "". */
void tl_option_help(struct tl_text *text, const struct tl_option *option);

/*
 * The help of a program.  --help shows the few options that most people need,
 * on one screen of 24 lines; --help=all all, by group; --help=GROUP one group,
 * by its title or the first letters of it.
 */
struct tl_help {
	const char *usage; /* the lines above the options */
	/* The names that --help shows, in this order: "max since".  Those that
	 * are not in the table are left out. */
	const char *common;
	const char *end; /* the lines below */
};

/* what is the argument of --help, or NULL.  0, -EINVAL and a fault. */
int tl_help_put(struct tl_text *text, const struct tl_help *help,
    const struct tl_option *table, size_t count, const char *what,
    struct tl_fault *fault);

/*
 * == near ==
 *
 * The candidate that was probably meant by a mistyped word.
 */

enum { TL_NEAR_MAX = 64 /* bytes of a word; longer ones are near to none */ };

struct tl_near {
	const char *word;
	unsigned distance;          /* of the best */
	char best[TL_NEAR_MAX + 1]; /* "": none is near */
};

static inline struct tl_near
tl_near_to(const char *word)
{
	return (struct tl_near){ .word = word, .distance = TL_NEAR_MAX };
}
/* Keep the candidate if it is the nearest so far.  Letters of either case are
 * the same; a letter changed, added, left out or swapped with the next counts
 * 1, up to 3 in a long word; a candidate that begins with word is near. */
void tl_near_try(struct tl_near *near, const char *candidate);
/* -EINVAL and the fault "WORD: WHAT; did you mean BEST?". */
int tl_usage_near(struct tl_fault *fault, const struct tl_near *near,
    const char *what);

/* The index of a word among the names of a KIND ("color"); -EINVAL and the
 * fault "WORD: no such KIND; did you mean NAME?", or with all names. */
int tl_option_choose(const char *const *names, size_t count, const char *word,
    const char *kind, struct tl_fault *fault);
/* A duration with its unit; -EINVAL and a fault. */
int tl_option_duration(const char *word, int64_t *ns, struct tl_fault *fault);
/* The argument of --since or --until; -EINVAL and a fault. */
int tl_option_bound(const char *word, struct tl_bound *bound,
    struct tl_fault *fault);

/* == the control socket of timelined == */

/* TIMELINED_SOCKET in the environment names another one. */
#define TL_CONTROL_SOCKET "/run/timeline/timelined.sock"

#endif
