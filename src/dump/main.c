/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timeline-dump: options, inputs, one view, exit status.
 *
 * The only file that prints errors and exits: 0 success, 1 damage or failure, 2
 * usage error.  views.h describes how a view is called.
 */
#include "base/file.h"
#include "base/options.h"
#include "base/process.h"
#include "dump/tree/tree.h"
#include "dump/views.h"
#include "format/registry.h"
#include "snap/shm.h"
#include "source/selection.h"
#include "source/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

static const char program[] = "timeline-dump";

static struct tl_output output;
static struct tl_sources inputs;
static bool nothing_passed; /* no entry passed the selection */
/* The whole error of a script, because a fault may cut the text. */
static struct tl_text script_error;

/* Print "timeline-dump: NAME: byte N: TEXT".  name may be NULL. */
static void
report(const char *name, const struct tl_fault *fault)
{
	/* the text of a script error is already escaped */
	if (!name && script_error.size > 0)
		fprintf(stderr, "timeline-dump: %s\n",
		    tl_text_string(&script_error));
	else
		tl_fault_print(program, name, fault);
}

/* Remove an incomplete output file.  Called in a signal handler. */
static void
remove_unfinished(void)
{
	tl_output_abandon(&output);
}

/* What a report needs. */
enum {
	EACH = 1 << 0,     /* nothing is shown of entries that do not pass */
	READ = 1 << 1,     /* the same, if it has read any */
	TOGETHER = 1 << 2, /* counts the entries of all inputs together */
	IN_ORDER = 1 << 3, /* shows entries of several hosts in one order */
	KERNEL = 1 << 4    /* uses the kernel events beside a file */
};

static unsigned
needs_of(const struct tl_options *options)
{
	static const uint8_t needs[] = {
#define REPORT(constant, name, formats, options, show, needs) \
	[TL_MODE_##constant] = needs,
#include "dump/reports.def"
#undef REPORT
	};

	return needs[options->mode];
}

static int
show_entries(const struct tl_options *options, struct tl_select *select)
{
	return options->follow
		   ? tl_follow_show(&inputs, select, options, &output)
		   : tl_entries_show(&inputs, select, options, &output);
}

static int
run_mode(const struct tl_options *options, struct tl_select *select,
    struct tl_fault *fault)
{
	switch (options->mode) {
#define REPORT(constant, name, formats, options_taken, show, needs) \
	case TL_MODE_##constant: \
		return show;
#include "dump/reports.def"
#undef REPORT
	default:
		return -EINVAL;
	}
}

static int
open_inputs(const struct tl_options *options)
{
	struct tl_progress progress;
	int rc;
	const struct tl_remote_plan remote =
	    tl_selection_remote(&options->selection, options->follow);
	const struct tl_source_plan plan = { .formats = &tl_formats_read,
		.format =
		    options->from ? tl_format_reading(options->from) : NULL,
		.tail = options->follow ? 1
			: options->mode == TL_MODE_ENTRIES
			    ? tl_entries_tail(options)
			    : 0,
		.follow = options->follow,
		.check = options->mode == TL_MODE_CHECK,
		.kernel = needs_of(options) & KERNEL,
		.little = options->mode == TL_MODE_TREE,
		.trees = options->mode == TL_MODE_TREE &&
			 !tl_selection_is_any(&options->selection),
		.remote = &remote,
		.progress = &progress };

	tl_progress_start(&progress, !options->no_progress);
	rc = tl_sources_open(&inputs, options->files, options->file_count,
	    &plan);
	tl_progress_end(&progress);
	return rc;
}

static bool
any_is_open(void)
{
	for (size_t i = 0; i < inputs.count; i++) {
		if (tl_source_is_open(&inputs.items[i]))
			return true;
	}
	return false;
}

/* Is the view empty because no entry passed the selection? */
static bool
is_empty(const struct tl_options *options, const struct tl_select *select)
{
	if (select->all || options->follow ||
	    (options->max_given && options->max == 0))
		return false;
	if (options->mode == TL_MODE_LIST)
		return select->messages_passed == 0 ||
		       (select->on_condition && select->passed == 0);
	return select->passed == 0 &&
	       (needs_of(options) & EACH ||
		   (needs_of(options) & READ && select->read > 0));
}

/* Show the view of the open files.  -ENOENT and a fault: no file could be
 * opened. */
static int
run(const struct tl_options *options, struct tl_fault *fault)
{
	const struct tl_script_io io = tl_scripting_io(&output);
	const struct tl_script_limits limits = tl_options_limits(options);
	struct tl_fault unknown = { 0 };
	struct tl_select select;
	int rc = tl_select_init(&select, &options->selection, &limits, &io,
	    &inputs, fault);

	if (rc < 0)
		return rc;
	select.early_end = tl_sources_are_steady(&inputs);
	select.entries =
	    options->mode == TL_MODE_ENTRIES || options->mode == TL_MODE_LIST;
	tl_progress_start(&select.progress,
	    !options->no_progress && !options->follow &&
		(!output.terminal || options->mode != TL_MODE_ENTRIES));
	/* other modes read the entries twice */
	if (options->mode == TL_MODE_ENTRIES)
		select.progress.total = tl_sources_entries(&inputs);
	if (options->follow) /* --follow opens the inputs again itself */
		tl_sources_close(&inputs);
	rc = run_mode(options, &select, fault);
	tl_progress_end(&select.progress);
	if (rc < 0 && select.fault.rc < 0)
		*fault = select.fault;
	if ((rc == 0 || (rc == -ENOENT && fault->rc < 0)) &&
	    is_empty(options, &select) && any_is_open()) {
		*fault = (struct tl_fault){ 0 };
		nothing_passed = tl_select_nothing(&select, &options->selection,
				     &inputs, fault) < 0;
	} else if (rc == 0 && tl_select_unknown(&select, &unknown)) {
		report(NULL, &unknown);
	}
	tl_select_free(&select);
	return rc;
}

/* Are entries of several hosts shown in one order? */
static bool
is_in_order(const struct tl_options *options)
{
	return needs_of(options) & IN_ORDER && !options->follow;
}

static int
show(const struct tl_options *options)
{
	struct tl_fault fault = { 0 };
	const char *place = NULL;
	bool damaged;
	int rc, close_rc;

	if (options->output)
		tl_signals_clean_up(remove_unfinished);
	rc = tl_output_open(&output, options);
	if (rc < 0) {
		tl_fail(&fault, rc, "%s", tl_file_error(rc));
		report(options->output, &fault);
		return TL_FAILED;
	}
	rc = open_inputs(options);
	if (rc == 0)
		rc = tl_selection_hosts(&options->selection, &inputs, report,
		    is_in_order(options), &fault);
	if (rc == -EINVAL) {
		/* Report a failure before any text was written. */
		(void)tl_output_close(&output, false);
		tl_sources_free(&inputs);
		return tl_program_usage(program, &fault);
	}
	if (rc == 0 && (is_in_order(options) || needs_of(options) & TOGETHER))
		tl_selection_copies(&inputs, report);
	if (rc == 0)
		rc = run(options, &fault);
	damaged = options->follow ? rc < 0 : tl_sources_are_damaged(&inputs);
	close_rc = tl_output_close(&output, rc == 0);
	if (output.rc < 0 || (rc == 0 && close_rc < 0))
		place = options->output;
	if (rc == 0)
		rc = close_rc;
	if (options->mode != TL_MODE_CHECK) /* --check lists faults itself */
		tl_warn_sources(report, &inputs, false);
	tl_sources_free(&inputs);
	if (rc == -EPIPE) /* a reader that leaves early is no error */
		return TL_DONE;
	if (nothing_passed && options->file_count == 1)
		place = options->files[0];
	/* -ENOENT without a fault: no file could be opened, which has been
	 * reported. */
	if (nothing_passed || (rc < 0 && (rc != -ENOENT || fault.rc < 0))) {
		tl_fail(&fault, rc, "%s", tl_file_error(rc));
		report(place, &fault);
	}
	tl_text_free(&script_error);
	return rc < 0 || damaged || nothing_passed ? TL_FAILED : TL_DONE;
}

/* Without FILE: print the names of the timelines of this machine. */
static int
print_names(void)
{
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	if (tl_shm_list(&text) > 0) {
		if (isatty(STDOUT_FILENO) == 1)
			tl_put_string(&text,
			    "\nShow one: timeline-dump NAME\n");
		return tl_program_print(program, &text);
	}
	tl_text_free(&text);
	tl_fail(&fault, -EINVAL,
	    "no FILE given, TIMELINE is not set, and there is no timeline in "
	    "/dev/shm: \"timelinectl create NAME\" creates one");
	report(NULL, &fault);
	return TL_USAGE;
}

int
main(int argc, char **argv)
{
	static struct tl_options options;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	tl_fill_standard_fds();
	tl_signals_leave_to_write();
	if (tl_options_parse(&options, argc, argv, &fault) < 0)
		return tl_program_usage(program, &fault);
	switch (options.mode) {
	case TL_MODE_HELP:
		if (tl_options_help(&options, &text, &fault) < 0)
			return tl_program_usage(program, &fault);
		return tl_program_print(program, &text);
	case TL_MODE_NAMES:
		return print_names();
	case TL_MODE_VERSION:
		tl_put_string(&text, "timeline-dump " TIMELINE_VERSION "\n");
		return tl_program_print(program, &text);
	default:
		return show(&options);
	}
}
