/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_parse.h - what the files that read the command line share.
 */
#ifndef TL_DUMP_OPTIONS_PARSE_H
#define TL_DUMP_OPTIONS_PARSE_H

#include "base/options.h"
#include "dump/options.h"

#define OPTIONS "dump/options.def"
#include "script/option_values.def"

/* Where parsing stands. */
struct tl_option_parse {
	struct tl_options *options;
	struct tl_fault *fault;
	char *argument;  /* of the option in hand */
	char **operands; /* in the order of the command line */
	int operand_count;
	int before_script; /* operands left of -s or --view */
	const char *mode_name;
};

/* -EINVAL and the fault "VALUE: WHAT". */
static inline int
tl_option_usage(struct tl_option_parse *p, const char *what, const char *value)
{
	return tl_usage(p->fault, value, what);
}

/* Options of trees and of their comparison; 1 for another kind. */
int tl_option_take_tree(struct tl_option_parse *p, int value);

/* Do the options that were given go together? */
int tl_option_check(struct tl_option_parse *p);

#endif
