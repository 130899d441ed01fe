/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - parse the command line, by the table options.def.
 */
#include "dump/options.h"

#include "base/options.h"
#include "dump/tree/walk.h"
#include "format/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS "dump/options.def"
#include "script/option_values.def"

#include "script/option_rows.def"

/* State of parsing. */
struct parse {
	struct tl_options *options;
	struct tl_fault *fault;
	char *argument;  /* of the current option */
	char **operands; /* in the order of the command line */
	int operand_count;
	int before_script; /* operands before -s or --view */
	const char *mode_name;
};

/* -EINVAL and the fault "VALUE: WHAT". */
static int
usage(struct parse *p, const char *what, const char *value)
{
	return tl_usage(p->fault, value, what);
}

/* == options of trees == */

static int
take_path(struct parse *p)
{
	const char *path = p->argument;
	uint64_t number;
	int rc;

	while ((rc = tl_tree_path_take(&path, &number)) > 0)
		;
	if (rc < 0 || p->argument[0] == '\0')
		return usage(p, "not a path like 3/0/17", p->argument);
	p->options->path = p->argument;
	return 0;
}

static int
take_count(struct parse *p, uint64_t *count, const char *what)
{
	if (tl_parse_unsigned(p->argument, count) < 0)
		return usage(p, what, p->argument);
	return 0;
}

/* == options of --why == */

static int take_mode(struct parse *p, enum tl_mode mode, const char *name);

static int
take_slowest(struct parse *p)
{
	char *end;
	const double percent = strtod(p->argument, &end);

	if (end != p->argument && *end == '%')
		end++;
	if (end == p->argument || *end != '\0' || !(percent > 0) ||
	    !(percent < 100))
		return usage(p, "not a percentage above 0 and below 100",
		    p->argument);
	p->options->slowest = percent;
	return 0;
}

/* Take an option of --why.  1: it is another option. */
static int
take_why(struct parse *p, int value)
{
	struct tl_options *o = p->options;

	switch (value) {
	case OPTION_WHY:
		if (o->why)
			return usage(p, "a second --why", p->argument);
		o->why = p->argument;
		return take_mode(p, TL_MODE_WHY, "--why");
	case OPTION_BRIEF:
		o->brief = p->argument ? p->argument : "*";
		return take_mode(p, TL_MODE_BRIEF, "--brief");
	case OPTION_SLOWEST:
		return take_slowest(p);
	case OPTION_ALL:
		o->all = true;
		return 0;
	default:
		return 1;
	}
}

static int
take_style(struct parse *p)
{
	static const char *const names[] = { "lincheck", "lincheck-3.1" };
	const int style =
	    tl_option_choose(names, 2, p->argument, "style", p->fault);

	p->options->lincheck = style >= 0;
	p->options->lincheck_3_1 = style == 1;
	return style < 0 ? style : 0;
}

/* Take an option of trees and of their comparison.  1: it is another option. */
static int
take_tree(struct parse *p, int value)
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
		return take_style(p);
	case OPTION_PATHS:
		o->paths = true;
		return 0;
	default:
		return 1;
	}
}

/* == which options go together == */

/* Refuse options that do not go together with trees, or with other modes. */
static int
check_tree(struct parse *p)
{
	const struct tl_options *o = p->options;
	const bool tree = o->mode == TL_MODE_TREE;
	const bool browse = o->mode == TL_MODE_BROWSE;

	if (o->path && !tree && !browse)
		return usage(p, "needs --tree or --browse", "--path");
	if (!tree && (o->depth != UINT64_MAX || o->children != UINT64_MAX))
		return usage(p, "needs --tree", "--depth, --children");
	if (o->lincheck && (o->mode != TL_MODE_TREE ||
			       o->format != TL_FORMAT_TEXT || o->paths))
		return usage(p, "needs --tree as text, without --paths",
		    "--style");
	if (!tree && o->paths)
		return usage(p, "needs --tree", "--paths");
	if (!tree && o->verbose)
		return usage(p, "needs --tree", "--verbose");
	if (!tree && !browse)
		return 0;
	if (o->explain)
		return usage(p, "cannot be combined with --explain",
		    p->mode_name);
	if (o->format == TL_FORMAT_CSV || (browse && o->format))
		return usage(p, "not available in this format", p->mode_name);
	if (browse && o->output)
		return usage(p, "cannot be combined with --output", "--browse");
	if (browse && !isatty(STDOUT_FILENO))
		return usage(p, "standard output is not a terminal",
		    "--browse");
	return 0;
}

/* These reports are of the slow spans, but are made of all entries. */
static void
keep_all_entries(struct tl_options *o)
{
	if (o->mode != TL_MODE_WHY && o->mode != TL_MODE_CRITICAL &&
	    o->mode != TL_MODE_BRIEF)
		return;
	o->slower_ns = o->selection.slower_ns;
	o->selection.slower_ns = 0;
}

static int
check_options(struct parse *p)
{
	const struct tl_options *o = p->options;
	const bool entries = o->mode == TL_MODE_ENTRIES;
	const bool scripted =
	    o->mode == TL_MODE_SCRIPT || o->mode == TL_MODE_VIEW;

	if (o->follow && !entries)
		return usage(p, "cannot be combined with --follow",
		    p->mode_name);
	if (o->follow && o->output)
		return usage(p,
		    "cannot be combined with --follow: the file appears "
		    "when it is complete",
		    "--output");
	if (o->pair_count > 0 && o->mode != TL_MODE_CRITICAL)
		return usage(p, "works only with --critical", "--pair");
	if (o->max_given && !entries)
		return usage(p, "cannot be combined with --max", p->mode_name);
	if (o->oldest_first && !entries)
		return usage(p, "cannot be combined with --oldest-first",
		    p->mode_name);
	if (o->columns_given && (!entries || o->format != TL_FORMAT_TEXT))
		return usage(p, "works only for entries as text", "--columns");
	if (o->time != TL_TIME_UTC && (!entries || o->format != TL_FORMAT_TEXT))
		return usage(p, "works only for entries as text", "--time");
	if (scripted && o->format != TL_FORMAT_TEXT)
		return usage(p, "prints text: cannot be combined with --format",
		    p->mode_name);
	if ((o->mode == TL_MODE_INFO || o->mode == TL_MODE_CRITICAL) &&
	    o->format == TL_FORMAT_CSV)
		return usage(p, "not available as CSV", p->mode_name);
	if (o->mode == TL_MODE_BRIEF && o->format != TL_FORMAT_TEXT)
		return usage(p, "is text for people: --why has JSON",
		    "--brief");
	if (o->mode != TL_MODE_WHY && o->slowest > 0)
		return usage(p, "needs --why", "--slowest");
	if (o->mode != TL_MODE_WHY && o->all)
		return usage(p, "needs --why", "--all");
	if (o->slower_ns > 0 && o->slowest > 0)
		return usage(p, "cannot be combined with --slowest",
		    "--slower");
	if (o->mode == TL_MODE_WHY &&
	    (o->format == TL_FORMAT_CSV || o->explain))
		return usage(p, "writes text or JSON, without --explain",
		    "--why");
	if (o->trusted && !scripted && !o->selection.expression)
		return usage(p, "needs --script, --view or --expression",
		    "--trusted");
	return check_tree(p);
}

/* == all options == */

static int
take_mode(struct parse *p, enum tl_mode mode, const char *name)
{
	if (p->mode_name && strcmp(p->mode_name, name) != 0)
		return tl_fault(p->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "%s cannot be combined with %s", name, p->mode_name);
	p->mode_name = name;
	p->options->mode = mode;
	return 0;
}

static int
take_pair(struct parse *p)
{
	struct tl_options *o = p->options;
	int rc;

	if (o->pair_count == TL_PAIR_RULES_MAX)
		return usage(p, "too many pairs", "--pair");
	rc = tl_pair_parse(&o->pairs[o->pair_count], p->argument, p->fault);
	if (rc == 0)
		o->pair_count++;
	return rc;
}

static int
take_script(struct parse *p, enum tl_mode mode, const char *name)
{
	if (p->options->script)
		return usage(p, "more than one script or view", name);
	p->options->script = p->argument;
	p->before_script = p->operand_count;
	return take_mode(p, mode, name);
}

static int
take_max(struct parse *p)
{
	if (tl_parse_unsigned(p->argument, &p->options->max) < 0)
		return usage(p, "not a number of entries", p->argument);
	p->options->max_given = true;
	return 0;
}

/* One name of a list of columns. */
static int
take_column(struct parse *p, const char *name)
{
	static const char *const names[] = {
#define COLUMN(constant, name) name,
#include "dump/columns.def"
#undef COLUMN
	};
	struct tl_options *o = p->options;
	const int column =
	    tl_option_choose(names, TL_COLUMNS, name, "column", p->fault);

	if (column < 0)
		return column;
	if (o->column_count == TL_COLUMNS_SHOWN)
		return usage(p, "too many columns", p->argument);
	o->columns[o->column_count++] = (uint8_t)column;
	return 0;
}

static int
take_columns(struct parse *p)
{
	const char *at = p->argument;
	char name[TL_NEAR_MAX + 1];
	int rc = 0;

	p->options->column_count = 0;
	p->options->columns_given = true;
	for (;;) {
		const size_t size = strcspn(at, ",");

		if (size > TL_NEAR_MAX)
			return usage(p, "no such column", at);
		memcpy(name, at, size);
		name[size] = '\0';
		if ((rc = take_column(p, name)) < 0 || at[size] == '\0')
			return rc;
		at += size + 1;
	}
}

static int
take_format(struct parse *p, const char *word)
{
	static const char *const names[] = { "text", "json", "csv" };
	const int format = tl_option_choose(names, 3, word, "format", p->fault);

	if (format < 0)
		return format;
	p->options->format = (enum tl_format)format;
	return 0;
}

static int
take_time(struct parse *p)
{
	static const char *const names[] = { "utc", "local", "delta",
		"relative" };
	const int form =
	    tl_option_choose(names, 4, p->argument, "form of time", p->fault);

	if (form < 0)
		return form;
	p->options->time = (enum tl_time_form)form;
	return 0;
}

static int
take_color(struct parse *p)
{
	static const char *const names[] = { "auto", "always", "never" };
	const int color =
	    tl_option_choose(names, 3, p->argument, "color", p->fault);

	if (color < 0)
		return color;
	p->options->color = (enum tl_color)color;
	return 0;
}

/* Is it a stock view, or "help" to list them? */
static int
check_view(struct parse *p)
{
	const struct tl_script_view *view = tl_script_views();
	struct tl_near near = tl_near_to(p->argument);

	if (strcmp(p->argument, "help") == 0)
		return 0;
	for (; view->name; view++) {
		if (strcmp(view->name, p->argument) == 0)
			return 0;
		tl_near_try(&near, view->name);
	}
	return tl_usage_near(p->fault, &near,
	    near.best[0] ? "no such view"
			 : "no such view; --view help lists them");
}

/* Take an option that chooses a view.  1: it is another option. */
static int
set_view(struct parse *p, int value)
{
	int rc;

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
	case OPTION_CRITICAL:
	case OPTION_PATH_OF:
		p->options->critical = p->argument;
		p->options->path_of = value == OPTION_PATH_OF;
		return take_mode(p, TL_MODE_CRITICAL,
		    value == OPTION_PATH_OF ? "--path-of" : "--critical");
	case OPTION_PAIR:
		return take_pair(p);
	case OPTION_SCRIPT:
		return take_script(p, TL_MODE_SCRIPT, "--script");
	case OPTION_VIEW:
		if (strcmp(p->argument, "states") == 0)
			return take_mode(p, TL_MODE_STATES, "--view states");
		if ((rc = check_view(p)) < 0)
			return rc;
		return take_script(p, TL_MODE_VIEW, "--view");
	default:
		return 1;
	}
}

static int
take_from(struct parse *p)
{
	p->options->from = tl_formats_choose_read(p->argument, p->fault);
	return p->options->from ? 0 : -EINVAL;
}

static int
take_rest(struct parse *p, int value)
{
	switch (value) {
	case OPTION_FROM:
		return take_from(p);
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
	case OPTION_TIME:
		return take_time(p);
	case OPTION_COLOR:
		return take_color(p);
	case OPTION_NO_PAGER:
		p->options->no_pager = true;
		return 0;
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
		return usage(p, "unknown option", "?");
	}
}

/* Take one option or operand. */
static int
take(struct parse *p, int value)
{
	int rc;

	if (value == TL_OPTION_OPERAND) {
		p->operands[p->operand_count++] = p->argument;
		return 0;
	}
	rc = tl_selection_take(&p->options->selection, value, p->argument,
	    p->fault);
	if (rc == 1)
		rc = set_view(p, value);
	if (rc == 1)
		rc = take_why(p, value);
	if (rc == 1)
		rc = take_tree(p, value);
	return rc == 1 ? take_rest(p, value) : rc;
}

static int
add_file(struct parse *p, const char *name)
{
	struct tl_options *o = p->options;

	if (o->file_count == TL_SOURCES_MAX)
		return usage(p, "too many files", name);
	o->files[o->file_count++] = name;
	return 0;
}

/*
 * Divide operands into files and arguments of the script: those before -s or
 * --view are files, those after "--" are arguments.  Those between are
 * arguments as well if there is a file before -s or --view, else files.
 */
static int
share_operands(struct parse *p, int count, char **argv, int dashes)
{
	struct tl_options *o = p->options;
	int files = p->operand_count;
	int rc = 0;

	/* operands after "--" are files without a script */
	if (!o->script && dashes < count)
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
default_file(struct parse *p)
{
	const char *name = getenv("TIMELINE");

	if (p->options->file_count > 0)
		return 0;
	if (p->options->mode == TL_MODE_VIEW &&
	    strcmp(p->options->script, "help") == 0)
		return 0;
	if (name && name[0])
		return add_file(p, name);
	if (p->options->mode == TL_MODE_ENTRIES && !p->options->follow) {
		p->options->mode = TL_MODE_NAMES;
		return 0;
	}
	if (p->options->why && access(p->options->why, F_OK) == 0)
		return tl_fail(p->fault, -EINVAL,
		    "--why %s: needs a message before FILE: --why '*' %s",
		    p->options->why, p->options->why);
	if (p->options->critical && access(p->options->critical, F_OK) == 0)
		return tl_fail(p->fault, -EINVAL,
		    "--critical %s: needs a message before FILE: "
		    "--critical '*' %s",
		    p->options->critical, p->options->critical);
	return tl_fail(p->fault, -EINVAL,
	    "no FILE given, and TIMELINE is not set");
}

static void
set_defaults(struct tl_options *o)
{
	static const uint8_t columns[] = { TL_COLUMN_TIME, TL_COLUMN_CATEGORY,
		TL_COLUMN_MESSAGE };

	*o = (struct tl_options){ 0 };
	o->depth = UINT64_MAX;
	o->children = UINT64_MAX;
	tl_selection_init(&o->selection);
	memcpy(o->columns, columns, sizeof(columns));
	o->column_count = sizeof(columns);
}

/* Is a stock view chosen that can say how it is used? */
static bool
is_scripted(const struct tl_options *o)
{
	return o->mode == TL_MODE_VIEW && strcmp(o->script, "help") != 0;
}

/* --view NAME --help: run the view with that as its only argument. */
static void
ask_view(struct tl_options *o)
{
	static char help[] = "--help";
	static char *arguments[] = { help, NULL };

	o->view_usage = true;
	o->file_count = 0;
	o->script_argv = arguments;
	o->script_argc = 1;
}

int
tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault)
{
	struct tl_option_reader reader;
	/* operands are collected in argv itself: getopt has read those elements
	 * already */
	struct parse p = { .options = options,
		.fault = fault,
		.operands = argv };
	int value, rest, rc;

	set_defaults(options);
	tl_options_start(&reader, rows, ROWS);
	while ((value = tl_options_next(&reader, argc, argv, &p.argument, &rest,
		    fault)) > 0) {
		if (value == OPTION_HELP && is_scripted(options)) {
			ask_view(options);
			return 0;
		}
		if (value == OPTION_HELP) {
			options->mode = TL_MODE_HELP;
			options->help = p.argument;
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
	keep_all_entries(options);
	return check_options(&p);
}

struct tl_script_limits
tl_options_limits(const struct tl_options *options)
{
	return (struct tl_script_limits){ .trusted = options->trusted,
		.lifted_by = "--trusted" };
}

/* The names of the columns, in lines that fit the terminal. */
static void
put_columns(struct tl_text *text)
{
	static const char *const names[] = {
#define COLUMN(constant, name) name,
#include "dump/columns.def"
#undef COLUMN
	};
	enum { WIDTH = 78 };
	size_t start = text->size;

	tl_put_string(text, "Columns:");
	for (size_t i = 0; i < TL_COLUMNS; i++) {
		if (text->size - start + strlen(names[i]) > WIDTH) {
			tl_put_string(text, "\n ");
			start = text->size;
		}
		tl_put_char(text, ' ');
		tl_put_string(text, names[i]);
	}
	tl_put_string(text, ".\n");
}

int
tl_options_help(const struct tl_options *options, struct tl_text *text,
    struct tl_fault *fault)
{
	struct tl_help help = {
		.usage =
		    "timeline-dump [options] [FILE...]\n"
		    "Show timelines, newest entry first: live ones (NAME in "
		    "/dev/shm) and files,\nseveral merged by time.  Without "
		    "FILE: the one that TIMELINE names, or a "
		    "list.\n",
		.common = "max follow since message min-priority expression "
			  "columns json stats why view tree help"
	};
	struct tl_text end = { 0 };
	int rc;

	if (options->help)
		put_columns(&end);
	tl_put_string(&end, "See timeline-dump(1).\n");
	help.end = tl_text_string(&end);
	rc = tl_help_put(text, &help, rows, ROWS, options->help, fault);
	tl_text_free(&end);
	return rc;
}
