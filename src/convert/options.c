/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line, from the table options.def.
 */
#include "convert/options.h"

#include "base/options.h"
#include "convert/table.h"
#include "format/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS "convert/options.def"
#include "script/option_values.def"

#include "script/option_rows.def"

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
	if (!o->output && last && tl_table_of_suffix(last) &&
	    access(last, F_OK) != 0)
		return tl_fail(fault, -EINVAL,
		    "%s: no such file; use -o %s to write it", last, last);
	if (!o->output)
		return tl_fail(fault, -EINVAL,
		    "no output given; use -o FILE, or --to FORMAT for standard "
		    "output");
	o->to = tl_table_of_file(o->output, fault);
	return o->to ? 0 : -EINVAL;
}

/* Do the options that were given go together? */
static int
check_options(const struct tl_options *o, struct tl_fault *fault)
{
	if (!o->to->write_new && !o->output)
		return tl_usage(fault, o->to->name,
		    "cannot be written to a pipe; use -o");
	if (o->json && !o->output)
		return tl_usage(fault, "--json",
		    "the summary goes to standard output; use -o");
	if (o->rtl_us && !(o->to->flags & TL_FORMAT_MICROSECONDS))
		return tl_usage(fault, "--rtl-us", "only for rtl");
	if (o->parquet_time_given && !(o->to->flags & TL_FORMAT_UNITS))
		return tl_usage(fault, "--parquet-time", "only for parquet");
	if (o->trusted && !o->selection.expression)
		return tl_usage(fault, "--trusted", "needs an expression");
	return 0;
}

/* Complete the options of a conversion; other requests need nothing. */
static int
complete(struct tl_options *o, struct tl_fault *fault)
{
	const char *name = getenv("TIMELINE");
	int rc;

	if (o->mode != TL_MODE_CONVERT)
		return 0;
	if (o->file_count == 0) {
		if (!name || name[0] == '\0')
			return tl_fail(fault, -EINVAL,
			    "no file given, and TIMELINE is not set");
		o->files[o->file_count++] = name;
	}
	if ((rc = default_format(o, fault)) < 0 ||
	    (rc = tl_selection_defaults(&o->selection, fault)) < 0)
		return rc;
	return check_options(o, fault);
}

int
tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault)
{
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
	return complete(options, fault);
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
