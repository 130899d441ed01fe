/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line, from the table options.def.
 */
#include "convert/convert.h"

#include "base/fields.h"
#include "base/options.h"
#include "format/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTIONS "convert/options.def"
#include "script/option_values.def"

#include "script/option_rows.def"

/* == formats == */

enum {
	NAME_COLUMN = 12, /* of the list: where the next one begins */
	SUFFIX_COLUMN = 18
};

static bool
is_written(const struct tl_format_row *row, const char *path)
{
	(void)path;
	return tl_format_is_written(row);
}

/* The slashes behind a directory's name are no part of it. */
static bool
ends_with(const char *path, const char *end)
{
	size_t size = strlen(path);

	while (size > 0 && path[size - 1] == '/')
		size--;
	return tl_bytes_end_with(tl_bytes(path, size), end);
}

/* Would a longer suffix select it, as .trace.json does? */
static bool
is_near(const struct tl_format_row *row, const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') && tl_format_is_written(row) &&
	       ends_with(row->suffix, dot);
}

/* Does a row speak for a name better than the best so far? */
static bool
is_better(const struct tl_format_row *row, const struct tl_format_row *best)
{
	const size_t size = strlen(row->suffix);
	const size_t best_size = best ? strlen(best->suffix) : 0;

	return size > best_size ||
	       (size == best_size && strcmp(row->suffix + 1, row->name) == 0);
}

/*
 * The format that is written to files with the suffix of path: the longest
 * suffix; among equal ones the format that is called like its suffix.  NULL:
 * none, or several.
 */
static const struct tl_format_row *
of_suffix(const char *path)
{
	const struct tl_format_row *row, *best = NULL;
	const bool packed = ends_with(path, ".tl.zst");
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (tl_format_is_written(row) &&
		    (ends_with(path, row->suffix) ||
			(packed && strcmp(row->suffix, ".tl") == 0)) &&
		    is_better(row, best))
			best = row;
	}
	if (!best && dot && (row = tl_formats_find(dot + 1)) &&
	    tl_format_is_written(row))
		best = row; /* as in x.sqlite */
	return best;
}

/* The same; NULL and a fault that lists the formats to choose from. */
static const struct tl_format_row *
of_file(const char *path, struct tl_fault *fault)
{
	const struct tl_format_row *row = of_suffix(path);
	struct tl_text near = { 0 };
	struct stat st;

	if (row)
		return row;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		tl_usage(fault, path, "a directory; name a file in it");
	else if (tl_formats_put(&near, is_near, path) > 0)
		tl_formats_refuse(fault, path,
		    "only a part of a suffix; use --to", is_near);
	else
		tl_formats_refuse(fault, path, "unknown suffix; use --to",
		    is_written);
	tl_text_free(&near);
	return NULL;
}

void
tl_options_formats(struct tl_text *text, bool json)
{
	const struct tl_format_row *row;

	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (json) {
			struct tl_fields f = { .text = text, .json = true };

			tl_fields_object(&f, NULL);
			tl_fields_string(&f, "name", row->name);
			tl_fields_bool(&f, "read", tl_format_is_read(row));
			tl_fields_bool(&f, "write", tl_format_is_written(row));
			tl_fields_bool(&f, "pipe", row->write_new != NULL);
			tl_fields_bool(&f, "directory",
			    row->flags & TL_FORMAT_FOLDER);
			tl_fields_string(&f, "suffix", row->suffix);
			tl_fields_string(&f, "help", row->help);
			tl_fields_object_end(&f);
		} else {
			tl_put_padded(text, row->name, NAME_COLUMN);
			tl_put_string(text,
			    tl_format_is_read(row) ? "read  " : "-     ");
			tl_put_string(text,
			    tl_format_is_written(row) ? "write  " : "-      ");
			tl_put_padded(text, row->suffix, SUFFIX_COLUMN);
			tl_put_string(text, row->help);
			tl_put_char(text, '\n');
		}
	}
}

/* == options == */

static int
take_file(struct tl_options *o, const char *name, struct tl_fault *fault)
{
	if (o->file_count == TL_SOURCES_MAX)
		return tl_usage(fault, name, TL_SOURCES_MANY);
	for (size_t i = 0; i < o->file_count; i++) {
		if (strcmp(name, "-") == 0 && strcmp(o->files[i], "-") == 0)
			return tl_usage(fault, name,
			    "standard input can be read only once");
	}
	o->files[o->file_count++] = name;
	return 0;
}

/* One option, or an operand in its place. */
static int
take(struct tl_options *o, int value, const char *argument,
    struct tl_fault *fault)
{
	int rc;

	switch (value) {
	case TL_OPTION_OPERAND:
		return take_file(o, argument, fault);
	case OPTION_FROM:
		o->from = tl_formats_choose_read(argument, fault);
		return o->from ? 0 : -EINVAL;
	case OPTION_TO:
		o->to = tl_formats_choose_written(argument, fault);
		return o->to ? 0 : -EINVAL;
	case OPTION_OUTPUT:
		if (o->output)
			return tl_usage(fault, argument,
			    "--output is given twice");
		if (argument[0] == '\0')
			return tl_usage(fault, "--output", "empty file name");
		o->output = argument;
		return 0;
	case OPTION_PARQUET_TIME:
		o->parquet_time_given = true;
		return tl_parquet_time_parse(argument, &o->parquet_time) == 0
			   ? 0
			   : tl_usage(fault, argument,
				 "no such unit of --parquet-time: nanos or "
				 "micros");
	case OPTION_LIST_FORMATS:
		o->mode = TL_MODE_FORMATS;
		return 0;
	case OPTION_RTL_US:
		o->rtl_us = true;
		return 0;
	case OPTION_FORCE:
		o->force = true;
		return 0;
	case OPTION_QUIET:
		o->quiet = true;
		return 0;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_NO_PROGRESS:
		o->no_progress = true;
		return 0;
	case OPTION_TRUSTED:
		o->trusted = true;
		return 0;
	default:
		rc = tl_selection_take(&o->selection, value, argument, fault);
		return rc == 1 ? tl_usage(fault, "?", "unknown option") : rc;
	}
}

/* Without --to the suffix of the output determines the format. */
static int
default_format(struct tl_options *o, struct tl_fault *fault)
{
	const char *last =
	    o->file_count > 1 ? o->files[o->file_count - 1] : NULL;

	if (o->output && strcmp(o->output, "-") == 0)
		o->output = NULL;
	if (o->to)
		return 0;
	if (!o->output && last && of_suffix(last) && access(last, F_OK) != 0)
		return tl_fail(fault, -EINVAL,
		    "%s: no such file; use -o %s to write it", last, last);
	if (!o->output)
		return tl_fail(fault, -EINVAL,
		    "no output given; use -o FILE, or --to FORMAT for standard "
		    "output");
	o->to = of_file(o->output, fault);
	return o->to ? 0 : -EINVAL;
}

int
tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault)
{
	const char *name = getenv("TIMELINE");
	struct tl_option_reader reader;
	int value, rest, rc;
	char *argument;

	*options = (struct tl_options){ 0 };
	tl_selection_init(&options->selection);
	tl_options_start(&reader, rows, ROWS);
	while ((value = tl_options_next(&reader, argc, argv, &argument, &rest,
		    fault)) > 0) {
		if (value == OPTION_HELP || value == OPTION_VERSION) {
			options->mode = value == OPTION_HELP ? TL_MODE_HELP
							     : TL_MODE_VERSION;
			options->help = argument;
			return 0;
		}
		if ((rc = take(options, value, argument, fault)) < 0)
			return rc;
	}
	if (value < 0)
		return value;
	for (; rest < argc; rest++) {
		if ((rc = take_file(options, argv[rest], fault)) < 0)
			return rc;
	}

	/* Complete the options of a conversion; other requests need nothing. */
	if (options->mode != TL_MODE_CONVERT)
		return 0;
	if (options->file_count == 0) {
		if (!name || name[0] == '\0')
			return tl_fail(fault, -EINVAL,
			    "no file given, and TIMELINE is not set");
		options->files[options->file_count++] = name;
	}
	if ((rc = default_format(options, fault)) < 0 ||
	    (rc = tl_selection_defaults(&options->selection, fault)) < 0)
		return rc;

	/* Do the options that were given go together? */
	if (!options->to->write_new && !options->output)
		return tl_usage(fault, options->to->name,
		    "cannot be written to a pipe; use -o");
	if (options->json && !options->output)
		return tl_usage(fault, "--json",
		    "the summary goes to standard output; use -o");
	if (options->rtl_us && !(options->to->flags & TL_FORMAT_MICROSECONDS))
		return tl_usage(fault, "--rtl-us", "only for rtl");
	if (options->parquet_time_given &&
	    !(options->to->flags & TL_FORMAT_UNITS))
		return tl_usage(fault, "--parquet-time", "only for parquet");
	if (options->trusted && !options->selection.expression)
		return tl_usage(fault, "--trusted", "needs an expression");
	return 0;
}

int
tl_options_help(const struct tl_options *options, struct tl_text *text,
    struct tl_fault *fault)
{
	static const struct tl_help help = {
		.usage = "timeline-convert [options] [IN...] -o OUT\n"
			 "Convert timelines, live (NAME in /dev/shm) or saved, "
			 "and files of other formats,\nmerged by time, to the "
			 "format of OUT's suffix.  Without IN: the timeline "
			 "that\nTIMELINE names.  - is standard input or "
			 "output.\n",
		.common = "output force to from list-formats since message "
			  "expression json help",
		.end = "--list-formats shows the formats.  See "
		       "timeline-convert(1).\n"
	};

	return tl_help_put(text, &help, rows, ROWS, options->help, fault);
}
