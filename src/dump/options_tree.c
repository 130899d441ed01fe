/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_tree.c - the options of trees and of their comparison.
 */
#include "dump/options_parse.h"
#include "dump/tree_walk.h"

static int
take_path(struct tl_option_parse *p)
{
	const char *path = p->argument;
	uint64_t number;
	int rc;

	while ((rc = tl_tree_path_take(&path, &number)) > 0)
		;
	if (rc < 0 || p->argument[0] == '\0')
		return tl_option_usage(p, "not a path like 3/0/17",
		    p->argument);
	p->options->path = p->argument;
	return 0;
}

static int
take_count(struct tl_option_parse *p, uint64_t *count, const char *what)
{
	if (tl_parse_unsigned(p->argument, count) < 0)
		return tl_option_usage(p, what, p->argument);
	return 0;
}

/* Options of a comparison; 1 for another kind. */
static int
take_diff(struct tl_option_parse *p, int value)
{
	struct tl_options *o = p->options;

	switch (value) {
	case OPTION_ONLY_CHANGES:
		o->only_changes = true;
		return 0;
	case OPTION_BY_INDEX:
		o->by_index = true;
		return 0;
	case OPTION_VALUES:
		o->values = true;
		return 0;
	case OPTION_AS_TRACE:
		o->as_trace = true;
		return 0;
	default:
		return 1;
	}
}

int
tl_option_take_tree(struct tl_option_parse *p, int value)
{
	struct tl_options *o = p->options;

	switch (value) {
	case OPTION_PATH:
		return take_path(p);
	case OPTION_DEPTH:
		return take_count(p, &o->depth, "not a number of levels");
	case OPTION_CHILDREN:
		return take_count(p, &o->children, "not a number of children");
	case OPTION_VERBOSE:
		o->verbose = true;
		return 0;
	case OPTION_PATHS:
		o->paths = true;
		return 0;
	default:
		return take_diff(p, value);
	}
}
