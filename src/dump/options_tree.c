/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_tree.c - the options of trees and of their comparison.
 */
#include "dump/options_parse.h"
#include "dump/tree_walk.h"

#include <string.h>

enum { LIMIT_SIZE_MAX = 64 };

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

/* A part of the time, "25%", or a time, "100us". */
static bool
take_limit(struct tl_options *o, const char *word, size_t size)
{
	char text[LIMIT_SIZE_MAX + 1];
	uint64_t percent;
	int64_t ns;

	if (size == 0 || size > LIMIT_SIZE_MAX)
		return false;
	memcpy(text, word, size);
	text[size] = '\0';
	if (text[size - 1] == '%') {
		text[size - 1] = '\0';
		if (tl_parse_unsigned(text, &percent) < 0 ||
		    percent > UINT32_MAX)
			return false;
		o->percent = (uint32_t)percent;
		return true;
	}
	if (text[size - 1] >= '0' && text[size - 1] <= '9') /* of what? */
		return false;
	if (tl_parse_duration(text, &ns) < 0 || ns < 0)
		return false;
	o->least_ns = ns;
	return true;
}

/* What is not named is not asked for. */
static int
take_threshold(struct tl_option_parse *p)
{
	struct tl_options *o = p->options;
	const char *at = p->argument;

	o->threshold_given = true;
	o->percent = 0;
	o->least_ns = 0;
	for (;;) {
		const size_t size = strcspn(at, ",");

		if (!take_limit(o, at, size))
			return tl_option_usage(p,
			    "not a threshold like 25%, 100us or 25%,100us",
			    p->argument);
		if (at[size] == '\0')
			return 0;
		at += size + 1;
	}
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
	case OPTION_THRESHOLD:
		return take_threshold(p);
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
	case OPTION_STYLE:
		o->lincheck_3_1 = strcmp(p->argument, "lincheck-3.1") == 0;
		o->lincheck =
		    o->lincheck_3_1 || strcmp(p->argument, "lincheck") == 0;
		return o->lincheck
			   ? 0
			   : tl_option_usage(p,
				 "not a style: lincheck or lincheck-3.1",
				 p->argument);
	case OPTION_PATHS:
		o->paths = true;
		return 0;
	default:
		return take_diff(p, value);
	}
}
