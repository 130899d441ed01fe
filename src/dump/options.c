/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line, from the table options.def.
 */
#include "dump/options_parse.h"
#include "trace/diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/option_rows.def"

static int
take_mode(struct tl_option_parse *p, enum tl_mode mode, const char *name)
{
	if (p->mode_name && strcmp(p->mode_name, name) != 0)
		return tl_fault(p->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "%s does not go with %s", name, p->mode_name);
	p->mode_name = name;
	p->options->mode = mode;
	return 0;
}

static int
take_script(struct tl_option_parse *p, enum tl_mode mode, const char *name)
{
	if (p->options->script)
		return tl_option_usage(p, "one script or view is enough", name);
	p->options->script = p->argument;
	p->before_script = p->operand_count;
	return take_mode(p, mode, name);
}

static int
take_max(struct tl_option_parse *p)
{
	if (tl_parse_unsigned(p->argument, &p->options->max) < 0)
		return tl_option_usage(p, "not a number of entries",
		    p->argument);
	p->options->max_given = true;
	return 0;
}

/* The index of a word in a list of words; -1 when it is none of them. */
static int
find_word(const char *const *words, size_t count, const char *word, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(words[i]) == size &&
		    memcmp(words[i], word, size) == 0)
			return (int)i;
	}
	return -1;
}

static int
take_columns(struct tl_option_parse *p)
{
	static const char *const names[] = {
#define COLUMN(constant, name) name,
#include "dump/columns.def"
#undef COLUMN
	};
	struct tl_options *o = p->options;
	const char *at = p->argument;

	o->column_count = 0;
	o->columns_given = true;
	for (;;) {
		const size_t size = strcspn(at, ",");
		const int column = find_word(names, TL_COLUMNS, at, size);

		if (column < 0)
			return tl_option_usage(p, "no such column in the list",
			    p->argument);
		if (o->column_count == TL_COLUMNS_SHOWN)
			return tl_option_usage(p, "too many columns",
			    p->argument);
		o->columns[o->column_count++] = (uint8_t)column;
		if (at[size] == '\0')
			return 0;
		at += size + 1;
	}
}

static int
take_format(struct tl_option_parse *p, const char *word)
{
	static const char *const names[] = { "text", "json", "csv" };
	const int format = find_word(names, 3, word, strlen(word));

	if (format < 0)
		return tl_option_usage(p, "not a format (text, json, csv)",
		    word);
	p->options->format = (enum tl_format)format;
	return 0;
}

static int
take_color(struct tl_option_parse *p)
{
	static const char *const names[] = { "auto", "always", "never" };
	const int color = find_word(names, 3, p->argument, strlen(p->argument));

	if (color < 0)
		return tl_option_usage(p, "not one of auto, always, never",
		    p->argument);
	p->options->color = (enum tl_color)color;
	return 0;
}

/* Options that do something else instead; 1 for another kind. */
static int
take_instead(struct tl_option_parse *p, int value)
{
	switch (value) {
	case OPTION_LIST:
		return take_mode(p, TL_MODE_LIST, "--list");
	case OPTION_STATS:
		return take_mode(p, TL_MODE_STATS, "--stats");
	case OPTION_INFO:
		return take_mode(p, TL_MODE_INFO, "--info");
	case OPTION_CHECK:
		return take_mode(p, TL_MODE_CHECK, "--check");
	case OPTION_TREE:
		return take_mode(p, TL_MODE_TREE, "--tree");
	case OPTION_BROWSE:
		return take_mode(p, TL_MODE_BROWSE, "--browse");
	case OPTION_DIFF:
		return take_mode(p, TL_MODE_DIFF, "--diff");
	case OPTION_SCRIPT:
		return take_script(p, TL_MODE_SCRIPT, "--script");
	case OPTION_VIEW:
		return take_script(p, TL_MODE_VIEW, "--view");
	default:
		return 1;
	}
}

static int
take_rest(struct tl_option_parse *p, int value)
{
	switch (value) {
	case OPTION_MAX:
		return take_max(p);
	case OPTION_OLDEST_FIRST:
		p->options->oldest_first = true;
		return 0;
	case OPTION_FOLLOW:
		p->options->follow = true;
		return 0;
	case OPTION_COLUMNS:
		return take_columns(p);
	case OPTION_EXPLAIN:
		p->options->explain = true;
		return 0;
	case OPTION_FORMAT:
		return take_format(p, p->argument);
	case OPTION_JSON:
		return take_format(p, "json");
	case OPTION_COLOR:
		return take_color(p);
	case OPTION_NO_PROGRESS:
		p->options->no_progress = true;
		return 0;
	case OPTION_OUTPUT:
		p->options->output = p->argument;
		return 0;
	case OPTION_TRUSTED:
		p->options->trusted = true;
		return 0;
	default:
		return tl_option_usage(p, "unknown option", "?");
	}
}

/* One option, or an operand in its place. */
static int
take(struct tl_option_parse *p, int value)
{
	int rc;

	if (value == TL_OPTION_OPERAND) {
		p->operands[p->operand_count++] = p->argument;
		return 0;
	}
	rc = tl_selection_take(&p->options->selection, value, p->argument,
	    p->fault);
	if (rc == 1)
		rc = take_instead(p, value);
	if (rc == 1)
		rc = tl_option_take_tree(p, value);
	return rc == 1 ? take_rest(p, value) : rc;
}

static int
add_file(struct tl_option_parse *p, const char *name)
{
	struct tl_options *o = p->options;

	if (o->file_count == TL_INPUTS_MAX)
		return tl_option_usage(p, "too many files", name);
	o->files[o->file_count++] = name;
	return 0;
}

/*
 * Which operands are files and which are words for the script: those behind
 * "--" are for the script; those left of -s or --view are files; those right
 * of it are words too, unless no file stands left of it.
 */
static int
share_operands(struct tl_option_parse *p, int count, char **argv, int dashes)
{
	struct tl_options *o = p->options;
	int files = p->operand_count;
	int rc = 0;

	if (!o->script && dashes < count) /* plain operands behind "--" */
		while (dashes < count)
			p->operands[p->operand_count++] = argv[dashes++];
	if (!o->script)
		files = p->operand_count;
	else if (p->before_script > 0)
		files = p->before_script;
	for (int i = 0; i < files && rc == 0; i++)
		rc = add_file(p, p->operands[i]);
	while (dashes < count)
		p->operands[p->operand_count++] = argv[dashes++];
	o->script_argv = p->operands + files;
	o->script_argc = p->operand_count - files;
	return rc;
}

static int
default_file(struct tl_option_parse *p)
{
	const char *name = getenv("TIMELINE");

	if (p->options->file_count > 0)
		return 0;
	if (p->options->mode == TL_MODE_VIEW &&
	    strcmp(p->options->script, "help") == 0)
		return 0;
	if (!name || name[0] == '\0')
		return tl_fault(p->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "no file given, and TIMELINE is not set");
	return add_file(p, name);
}

static void
set_defaults(struct tl_options *o)
{
	static const uint8_t columns[] = { TL_COLUMN_TIME, TL_COLUMN_CATEGORY,
		TL_COLUMN_MESSAGE };

	*o = (struct tl_options){ 0 };
	o->depth = UINT64_MAX;
	o->children = UINT64_MAX;
	o->percent = TL_DIFF_PERCENT;
	o->least_ns = TL_DIFF_LEAST_NS;
	tl_selection_init(&o->selection);
	memcpy(o->columns, columns, sizeof(columns));
	o->column_count = sizeof(columns);
}

int
tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault)
{
	struct tl_option_reader reader;
	/* The operands are gathered in argv itself: behind what getopt has
	 * read there is always room. */
	struct tl_option_parse p = { .options = options,
		.fault = fault,
		.operands = argv };
	int value, rest, rc;

	set_defaults(options);
	tl_options_start(&reader, rows, ROWS);
	while ((value = tl_options_next(&reader, argc, argv, &p.argument, &rest,
		    fault)) > 0) {
		if (value == OPTION_HELP) {
			options->mode = TL_MODE_HELP;
			return 0;
		}
		if (value == OPTION_VERSION) {
			options->mode = TL_MODE_VERSION;
			return 0;
		}
		if ((rc = take(&p, value)) < 0)
			return rc;
	}
	if (value < 0)
		return value;
	if ((rc = share_operands(&p, argc, argv, rest)) < 0 ||
	    (rc = default_file(&p)) < 0 ||
	    (rc = tl_selection_defaults(&options->selection, fault)) < 0)
		return rc;
	return tl_option_check(&p);
}

struct tl_script_limits
tl_options_limits(const struct tl_options *options)
{
	return (struct tl_script_limits){ .trusted = options->trusted };
}

void
tl_options_help(struct tl_text *text)
{
	tl_put_string(text,
	    "timeline-dump [options] [FILE...]\n"
	    "Show timelines, newest entry first: live ones (/name) and "
	    "snapshots,\nseveral merged by time.  Without FILE: the "
	    "one that "
	    "TIMELINE names.\n");
	for (size_t i = 0; i < ROWS; i++)
		tl_option_help(text, &rows[i]);
	tl_put_string(text,
	    "\nColumns: time cpu pid tid priority delta-cycles "
	    "delta-ns tsc "
	    "clock-error\ncategory message.  See timeline-dump(1).\n");
}
