/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - parse the command line, by the table options.def.
 */
#include "dump/options.h"

#include "base/array.h"
#include "base/file.h"
#include "base/options.h"
#include "dump/tree/walk.h"
#include "format/choose.h"
#include "source/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS "dump/options.def"
#include "script/option_values.def"

#include "script/option_rows.def"

static const char *const column_names[] = {
#define COLUMN(constant, name) name,
#include "dump/columns.def"
#undef COLUMN
	NULL
};

/* State of parsing. */
struct parse {
	struct tl_options *options;
	struct tl_fault *fault;
	char *argument;  /* argument of the current option */
	char **operands; /* in the order of the command line */
	int operand_count;
	int before_script; /* operands before -s or --view */
	int before_glob;   /* operands before --brief without a glob, plus 1 */
	uint64_t given;    /* options, as bits */
	const char *mode_name;
};

/* -EINVAL and the fault "VALUE: WHAT". */
static int
usage(struct parse *p, const char *what, const char *value)
{
	return tl_usage(p->fault, value, what);
}

/* == reports == */

/* The formats and the options of a report, as bits. */
enum {
	TEXT = 1 << TL_FORMAT_TEXT,
	JSON = 1 << TL_FORMAT_JSON,
	CSV = 1 << TL_FORMAT_CSV
};
#define O(constant) (UINT64_C(1) << (OPTION_##constant - OPTION_FIRST))
_Static_assert(OPTION_VERSION - OPTION_FIRST < 64, "a bit for each option");

struct report {
	const char *name;
	unsigned formats;
	uint64_t options;
};
static const struct report reports[] = {
#define REPORT(constant, name, formats, options, show, needs) \
	[TL_MODE_##constant] = { name, formats, options },
#include "dump/reports.def"
#undef REPORT
};
enum { REPORTS = TL_COUNT(reports), TAKERS_MAX = 96 };

/* 0: an option that chooses entries, which goes with every report. */
static uint64_t
bit_of(int value)
{
	return value > OPTION_FIRST && value <= OPTION_VERSION
		   ? UINT64_C(1) << (value - OPTION_FIRST)
		   : 0;
}

static int
refuse_without_file(struct parse *p)
{
	return tl_fail(p->fault, -EINVAL,
	    "no FILE given, and TIMELINE is not set");
}

/* Refuse an option that the report does not take.  If the option belongs to
 * other reports, the error names these. */
static int
refuse(struct parse *p, const struct tl_option *row)
{
	const uint64_t option = bit_of(row->value);
	char takers[TAKERS_MAX] = "";

	if (p->options->mode == TL_MODE_NAMES)
		return refuse_without_file(p);
	if (reports[TL_MODE_ENTRIES].options & option)
		return tl_fail(p->fault, -EINVAL,
		    "%s: cannot be combined with --%s", p->mode_name,
		    row->name);
	for (size_t i = 0; i < REPORTS; i++) {
		const size_t size = strlen(takers);

		if (reports[i].options & option)
			snprintf(takers + size, sizeof(takers) - size, "%s%s",
			    size ? " or " : "", reports[i].name);
	}
	return tl_fail(p->fault, -EINVAL, "--%s: needs %s", row->name, takers);
}

static int
take_mode(struct parse *p, enum tl_mode mode, const char *name)
{
	if (p->mode_name && strcmp(p->mode_name, name) != 0)
		return tl_fail(p->fault, -EINVAL,
		    "%s cannot be combined with %s", name, p->mode_name);
	p->mode_name = name;
	p->options->mode = mode;
	return 0;
}

static int
take_report(struct parse *p, enum tl_mode mode)
{
	return take_mode(p, mode, reports[mode].name);
}

/* == which options go together == */

/* Refuse a format or an option that the row of the report does not have. */
static int
check_report(struct parse *p)
{
	const struct report *report = &reports[p->options->mode];
	uint64_t refused = 0;

	for (size_t i = 0; i < REPORTS; i++)
		refused |= reports[i].options;
	refused &= p->given & ~report->options;
	for (size_t i = 0; i < ROWS; i++) {
		if (refused & bit_of(rows[i].value))
			return refuse(p, &rows[i]);
	}
	if (report->formats & 1U << p->options->format)
		return 0;
	if (p->options->mode == TL_MODE_NAMES)
		return refuse_without_file(p);
	return usage(p,
	    report->formats == TEXT ? "writes text only"
				    : "writes text or JSON, not CSV",
	    p->mode_name);
}

static int
check_options(struct parse *p)
{
	/* options that need text, whatever the report */
	static const struct {
		uint64_t option;
		const char *name;
		const char *what;
	} text_only[] = {
		{ O(COLUMNS), "--columns", "works only for entries as text" },
		{ O(TIME), "--time", "works only for entries as text" },
		{ O(STYLE), "--style",
		    "needs --tree as text, without --paths" },
	};
	const struct tl_options *o = p->options;
	const bool scripted =
	    o->mode == TL_MODE_SCRIPT || o->mode == TL_MODE_VIEW;
	const int rc = check_report(p);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < TL_COUNT(text_only); i++) {
		if (o->format != TL_FORMAT_TEXT &&
		    p->given & text_only[i].option)
			return usage(p, text_only[i].what, text_only[i].name);
	}
	if (o->follow && o->output)
		return usage(p,
		    "cannot be combined with --follow: the file appears "
		    "when it is complete",
		    "--output");
	if (o->lincheck && o->paths)
		return usage(p, "needs --tree as text, without --paths",
		    "--style");
	if (o->slower_ns > 0 && o->slowest > 0)
		return usage(p, "cannot be combined with --slowest",
		    "--slower");
	if (o->trusted && !scripted && !o->selection.expression)
		return usage(p, "needs --script, --view or --expression",
		    "--trusted");
	return 0;
}

/* == all options == */

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

/* Take one of the names that end with NULL. */
static int
take_choice(struct parse *p, const char *word, const char *what,
    const char *const *names, unsigned *choice)
{
	unsigned count = 0;
	int i;

	while (names[count])
		count++;
	i = tl_option_choose(names, count, word, what, p->fault);
	if (i < 0)
		return i;
	*choice = (unsigned)i;
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
take_script(struct parse *p, enum tl_mode mode)
{
	if (p->options->script)
		return usage(p, "more than one script or view",
		    reports[mode].name);
	p->options->script = p->argument;
	p->before_script = p->operand_count;
	return take_report(p, mode);
}

static int
take_columns(struct parse *p)
{
	struct tl_options *o = p->options;
	const char *at = p->argument;
	char name[TL_NEAR_MAX + 1];

	o->column_count = 0;
	o->columns_given = true;
	for (;;) {
		const size_t size = strcspn(at, ",");
		unsigned column;
		int rc;

		if (size > TL_NEAR_MAX)
			return usage(p, "no such column", at);
		memcpy(name, at, size);
		name[size] = '\0';
		rc = take_choice(p, name, "column", column_names, &column);
		if (rc < 0)
			return rc;
		if (o->column_count == TL_COLUMNS_SHOWN)
			return usage(p, "too many columns", p->argument);
		o->columns[o->column_count++] = (uint8_t)column;
		if (at[size] == '\0')
			return 0;
		at += size + 1;
	}
}

/* Take a stock view, or "help" for their list. */
static int
take_view(struct parse *p)
{
	const struct tl_script_view *view = tl_script_views();
	struct tl_near near = tl_near_to(p->argument);

	if (strcmp(p->argument, "states") == 0)
		return take_report(p, TL_MODE_STATES);
	if (strcmp(p->argument, "help") == 0)
		return take_script(p, TL_MODE_VIEW);
	for (; view->name; view++) {
		if (strcmp(view->name, p->argument) == 0)
			return take_script(p, TL_MODE_VIEW);
		tl_near_try(&near, view->name);
	}
	return tl_usage_near(p->fault, &near,
	    near.best[0] ? "no such view"
			 : "no such view; --view help lists them");
}

/* Take an option that is given or not.  false: the option is another. */
static bool
take_flag(struct tl_options *o, int value)
{
	const struct {
		int value;
		bool *flag;
	} flags[] = { { OPTION_ALL, &o->all }, { OPTION_VERBOSE, &o->verbose },
		{ OPTION_PATHS, &o->paths },
		{ OPTION_OLDEST_FIRST, &o->oldest_first },
		{ OPTION_FOLLOW, &o->follow }, { OPTION_EXPLAIN, &o->explain },
		{ OPTION_NO_PAGER, &o->no_pager },
		{ OPTION_NO_PROGRESS, &o->no_progress },
		{ OPTION_TRUSTED, &o->trusted } };

	for (size_t i = 0; i < TL_COUNT(flags); i++) {
		if (flags[i].value == value)
			return *flags[i].flag = true;
	}
	return false;
}

/* Take one option or operand. */
static int
take(struct parse *p, int value)
{
	static const char *const styles[] = { "lincheck", NULL },
				 *const formats[] = { "text", "json", "csv",
					 NULL },
				 *const times[] = { "utc", "local", "delta",
					 "relative", NULL },
				 *const colors[] = { "auto", "always", "never",
					 NULL };
	struct tl_options *o = p->options;
	unsigned style;
	int rc;

	if (value == TL_OPTION_OPERAND) {
		p->operands[p->operand_count++] = p->argument;
		return 0;
	}
	p->given |= bit_of(value);
	rc = tl_selection_take(&o->selection, value, p->argument, p->fault);
	if (rc != 1 || take_flag(o, value))
		return rc == 1 ? 0 : rc;
	switch (value) {
	case OPTION_LIST:
		return take_report(p, TL_MODE_LIST);
	case OPTION_STATS:
		return take_report(p, TL_MODE_STATS);
	case OPTION_BY:
		o->by = p->argument;
		return 0;
	case OPTION_INFO:
		return take_report(p, TL_MODE_INFO);
	case OPTION_CHECK:
		return take_report(p, TL_MODE_CHECK);
	case OPTION_TREE:
		return take_report(p, TL_MODE_TREE);
	case OPTION_CRITICAL:
	case OPTION_PATH_OF:
		o->critical = p->argument;
		o->path_of = value == OPTION_PATH_OF;
		return take_mode(p, TL_MODE_CRITICAL,
		    o->path_of ? "--path-of" : "--critical");
	case OPTION_PAIR:
		return take_pair(p);
	case OPTION_SCRIPT:
		return take_script(p, TL_MODE_SCRIPT);
	case OPTION_VIEW:
		return take_view(p);
	case OPTION_WHY:
		if (o->why)
			return usage(p, "a second --why", p->argument);
		o->why = p->argument;
		return take_report(p, TL_MODE_WHY);
	case OPTION_BRIEF:
		o->brief = p->argument ? p->argument : "*";
		p->before_glob = p->argument ? 0 : p->operand_count + 1;
		return take_report(p, TL_MODE_BRIEF);
	case OPTION_SLOWEST:
		return take_slowest(p);
	case OPTION_PATH:
		return take_path(p);
	case OPTION_DEPTH:
		return take_count(p, &o->depth, "not a number of levels");
	case OPTION_CHILDREN:
		return take_count(p, &o->children, "not a number of children");
	case OPTION_STYLE:
		rc = take_choice(p, p->argument, "style", styles, &style);
		o->lincheck = rc == 0;
		return rc;
	case OPTION_FROM:
		o->from = tl_formats_choose_read(p->argument, p->fault);
		return o->from ? 0 : -EINVAL;
	case OPTION_MAX:
		o->max_given = true;
		return take_count(p, &o->max, "not a number of entries");
	case OPTION_COLUMNS:
		return take_columns(p);
	case OPTION_FORMAT:
	case OPTION_JSON:
		return take_choice(p,
		    value == OPTION_JSON ? "json" : p->argument, "format",
		    formats, &o->format);
	case OPTION_TIME:
		return take_choice(p, p->argument, "form of time", times,
		    &o->time);
	case OPTION_COLOR:
		return take_choice(p, p->argument, "color", colors, &o->color);
	case OPTION_OUTPUT:
		o->output = p->argument;
		return 0;
	default:
		return usage(p, "unknown option", "?");
	}
}

static int
add_file(struct parse *p, const char *name)
{
	struct tl_options *o = p->options;

	if (o->file_count == TL_SOURCES_MAX)
		return usage(p, TL_SOURCES_MANY, name);
	o->files[o->file_count++] = name;
	return 0;
}

/*
 * Divide the operands into files and arguments of the script.  Operands before
 * -s or --view are files, operands after "--" are arguments.  Operands in
 * between are arguments if there is a file before -s or --view, else files.
 */
static int
share_operands(struct parse *p, int count, char **argv, int dashes)
{
	struct tl_options *o = p->options;
	int files = p->operand_count;
	int rc = 0;

	/* without a script, operands after "--" are files */
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

/* The operand behind --brief is its glob if a file follows, or TIMELINE names
 * one, and the operand names none. */
static void
find_glob(struct parse *p)
{
	const int at = p->before_glob - 1;
	const char *word = at < 0 ? NULL : p->operands[at];
	char path[TL_PATH_MAX];

	if (at < 0 || at == p->operand_count ||
	    (p->operand_count == 1 && !getenv("TIMELINE")) ||
	    strcmp(word, "-") == 0 || tl_remote_is_name(word) ||
	    (tl_name_find(word, path) == 0 && access(path, F_OK) == 0))
		return;
	p->options->brief = word;
	p->operand_count--;
	memmove(p->operands + at, p->operands + at + 1,
	    (size_t)(p->operand_count - at) * sizeof(*p->operands));
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
	return refuse_without_file(p);
}

int
tl_options_parse(struct tl_options *o, int argc, char **argv,
    struct tl_fault *fault)
{
	/* --view NAME --help: run the view with that as its only argument */
	static char help[] = "--help";
	static char *view_arguments[] = { help, NULL };
	struct tl_option_reader reader;
	/* operands are collected in argv itself: getopt has already read these
	 * elements */
	struct parse p = { .options = o, .fault = fault, .operands = argv };
	int value, rest, rc;

	*o = (struct tl_options){ .depth = UINT64_MAX,
		.children = UINT64_MAX,
		.columns = { TL_COLUMN_TIME, TL_COLUMN_CATEGORY,
		    TL_COLUMN_MESSAGE },
		.column_count = 3 };
	tl_selection_init(&o->selection);
	tl_options_start(&reader, rows, ROWS);
	while ((value = tl_options_next(&reader, argc, argv, &p.argument, &rest,
		    fault)) > 0) {
		if (value == OPTION_HELP && o->mode == TL_MODE_VIEW &&
		    strcmp(o->script, "help") != 0) {
			o->view_usage = true;
			o->file_count = 0;
			o->script_argv = view_arguments;
			o->script_argc = 1;
			return 0;
		}
		if (value == OPTION_HELP) {
			o->mode = TL_MODE_HELP;
			o->help = p.argument;
			return 0;
		}
		if (value == OPTION_VERSION) {
			o->mode = TL_MODE_VERSION;
			return 0;
		}
		if ((rc = take(&p, value)) < 0)
			return rc;
	}
	if (value < 0)
		return value;
	find_glob(&p);
	if ((rc = share_operands(&p, argc, argv, rest)) < 0 ||
	    (rc = default_file(&p)) < 0 ||
	    (rc = tl_selection_defaults(&o->selection, fault)) < 0)
		return rc;
	/* reports about slow spans are made from all entries */
	if (o->mode == TL_MODE_WHY || o->mode == TL_MODE_CRITICAL ||
	    o->mode == TL_MODE_BRIEF) {
		o->slower_ns = o->selection.slower_ns;
		o->selection.slower_ns = 0;
	}
	return check_options(&p);
}

struct tl_script_limits
tl_options_limits(const struct tl_options *options)
{
	return (struct tl_script_limits){ .trusted = options->trusted,
		.lifted_by = "--trusted" };
}

/* Append the names of the columns, in lines that fit the terminal. */
static void
put_columns(struct tl_text *text)
{
	enum { WIDTH = 78 };
	size_t start = text->size;

	tl_put_string(text, "Columns:");
	for (size_t i = 0; i < TL_COLUMNS; i++) {
		if (text->size - start + strlen(column_names[i]) > WIDTH) {
			tl_put_string(text, "\n ");
			start = text->size;
		}
		tl_put_char(text, ' ');
		tl_put_string(text, column_names[i]);
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
