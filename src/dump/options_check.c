/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_check.c - which options go together.
 */
#include "dump/options_parse.h"

#include <unistd.h>

static int
check_diff(struct tl_option_parse *p)
{
	const struct tl_options *o = p->options;
	const bool diff = o->mode == TL_MODE_DIFF;

	if (!diff && (o->only_changes || o->by_index || o->values ||
			 o->threshold_given || o->as_trace))
		return tl_option_usage(p, "only for --diff",
		    "--only-changes, --by-index, --values, --threshold, "
		    "--as-trace");
	if (!diff)
		return 0;
	if (o->file_count != 2)
		return tl_option_usage(p, "two files are compared", "--diff");
	if (o->format != TL_FORMAT_TEXT || o->explain)
		return tl_option_usage(p, "not in this format", "--diff");
	if (o->as_trace && !o->output && isatty(STDOUT_FILENO))
		return tl_option_usage(p,
		    "not for a terminal: name a file by -o", "--as-trace");
	return 0;
}

/* Do they go with trees, or with anything else? */
static int
check_tree(struct tl_option_parse *p)
{
	const struct tl_options *o = p->options;
	const bool tree = o->mode == TL_MODE_TREE;
	const bool browse = o->mode == TL_MODE_BROWSE;

	if (o->path && !tree && !browse)
		return tl_option_usage(p, "only for --tree and --browse",
		    "--path");
	if (!tree && (o->depth != UINT64_MAX || o->children != UINT64_MAX))
		return tl_option_usage(p, "only for --tree",
		    "--depth, --children");
	if (o->lincheck && (o->mode != TL_MODE_TREE ||
			       o->format != TL_FORMAT_TEXT || o->paths))
		return tl_option_usage(p,
		    "only for --tree as text, without --paths", "--style");
	if (!tree && o->paths)
		return tl_option_usage(p, "only for --tree", "--paths");
	if (!tree && o->mode != TL_MODE_DIFF && o->verbose)
		return tl_option_usage(p, "only for --tree and --diff",
		    "--verbose");
	if (!tree && !browse)
		return check_diff(p);
	if (o->explain)
		return tl_option_usage(p, "does not go with --explain",
		    p->mode_name);
	if (o->format == TL_FORMAT_CSV || (browse && o->format))
		return tl_option_usage(p, "not in this format", p->mode_name);
	if (browse && o->output)
		return tl_option_usage(p, "does not go with --output",
		    "--browse");
	if (browse && !isatty(STDOUT_FILENO))
		return tl_option_usage(p, "standard output is no terminal",
		    "--browse");
	return 0;
}

int
tl_option_check(struct tl_option_parse *p)
{
	const struct tl_options *o = p->options;
	const bool entries = o->mode == TL_MODE_ENTRIES;
	const bool scripted =
	    o->mode == TL_MODE_SCRIPT || o->mode == TL_MODE_VIEW;

	if (o->follow && !entries)
		return tl_option_usage(p, "does not go with --follow",
		    p->mode_name);
	if (o->follow && o->output)
		return tl_option_usage(p,
		    "a file that appears when it is whole does not go "
		    "with "
		    "--follow",
		    "--output");
	if (o->follow && o->selection.hosts.pair_count > 0)
		return tl_option_usage(p,
		    "pairs are looked for in all entries, of which --follow "
		    "does not know the last",
		    "--pair");
	if (o->max_given && !entries)
		return tl_option_usage(p, "does not go with --max",
		    p->mode_name);
	if (o->oldest_first && !entries)
		return tl_option_usage(p, "does not go with --oldest-first",
		    p->mode_name);
	if (o->columns_given && (!entries || o->format != TL_FORMAT_TEXT))
		return tl_option_usage(p, "only for entries as text",
		    "--columns");
	if (scripted && o->format != TL_FORMAT_TEXT)
		return tl_option_usage(p, "writes text of its own",
		    p->mode_name);
	if (o->mode == TL_MODE_INFO && o->format == TL_FORMAT_CSV)
		return tl_option_usage(p, "has no CSV", "--info");
	if (o->trusted && !scripted && !o->selection.expression)
		return tl_option_usage(p, "there is no script", "--trusted");
	return check_tree(p);
}
