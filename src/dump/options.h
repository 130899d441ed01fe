/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of the command line.
 */
#ifndef TL_DUMP_OPTIONS_H
#define TL_DUMP_OPTIONS_H

#include "analysis/pairs.h"
#include "base/fault.h"
#include "base/text.h"
#include "script/script.h"
#include "source/selection.h"
#include "source/sources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_column {
#define COLUMN(constant, name) TL_COLUMN_##constant,
#include "dump/columns.def"
#undef COLUMN
	TL_COLUMNS
};

enum {
	TL_COLUMNS_SHOWN = 32, /* a column may be given more than once */
	TL_FOLLOW_SHOWN = 10   /* entries that --follow starts with */
};

enum tl_mode {
#define REPORT(constant, name, formats, options, show, needs) \
	TL_MODE_##constant,
#include "dump/reports.def"
#undef REPORT
	TL_MODE_HELP,
	TL_MODE_VERSION
};

enum tl_format { TL_FORMAT_TEXT, TL_FORMAT_JSON, TL_FORMAT_CSV };

/* The form of times. */
enum tl_time_form {
	TL_TIME_UTC,
	TL_TIME_LOCAL,
	TL_TIME_DELTA,   /* seconds since the previous entry */
	TL_TIME_RELATIVE /* seconds since the first line */
};

enum tl_color { TL_COLOR_AUTO, TL_COLOR_ALWAYS, TL_COLOR_NEVER };

struct tl_options {
	const char *files[TL_SOURCES_MAX];
	size_t file_count;
	const struct tl_format_row *from; /* NULL: detected by content */
	enum tl_mode mode;
	const char *help; /* the argument of --help; NULL: the common options */
	enum tl_format format;
	enum tl_color color;
	uint64_t max; /* 0: all */
	bool max_given;
	bool oldest_first;
	bool follow;
	bool explain;
	bool no_progress;
	bool no_pager;
	bool trusted;
	struct tl_selection selection;
	uint8_t columns[TL_COLUMNS_SHOWN];
	size_t column_count;
	bool columns_given;
	enum tl_time_form time;
	const char *output; /* NULL: standard output */
	const char *path;   /* of a node; NULL: all trees */
	uint64_t depth;     /* levels to show below the node */
	uint64_t children;  /* children to show of a node, at most */
	bool verbose;
	bool paths;
	bool lincheck;        /* in the form of Lincheck */
	const char *critical; /* the argument of --critical or --path-of */
	bool path_of;
	struct tl_pair_rule pairs[TL_PAIR_RULES_MAX]; /* of --critical */
	size_t pair_count;
	const char *why; /* glob of the spans to explain */
	/* least duration of a slow span; 0: found from the spans */
	int64_t slower_ns;
	/* percentage of slow spans; 0: found from the spans */
	double slowest;
	bool all;           /* fold nothing: --why, --critical, --by */
	const char *by;     /* the argument that divides --stats; NULL: none */
	const char *brief;  /* glob of the spans of --brief */
	const char *script; /* a file or a view */
	char **script_argv; /* arguments of the script */
	int script_argc;
	bool view_usage; /* print that of the view, and read no file */
};

/*
 * Read the command line and TIMELINE from the environment.  Elements of argv
 * may be moved, and argv must outlive the options.  0; -EINVAL with a fault:
 * usage error.
 */
int tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault);

/* Make the text of --help.  0; -EINVAL with a fault. */
int tl_options_help(const struct tl_options *options, struct tl_text *text,
    struct tl_fault *fault);

/* The limits of scripts and expressions. */
struct tl_script_limits tl_options_limits(const struct tl_options *options);

#endif
