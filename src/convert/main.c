/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timeline-convert: read the options, convert, report faults.  The
 * only file that prints diagnostics and exits: 0 success, 1 damage or failure,
 * 2 usage error.
 */
#include "base/fields.h"
#include "base/file.h"
#include "base/options.h"
#include "base/process.h"
#include "convert/convert.h"
#include "source/selection.h"
#include "source/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

static const char program[] = "timeline-convert";

static struct tl_output output;
static struct tl_sources inputs;
static bool nothing_passed; /* no entry passed the selection */
static struct tl_conversion conversion;

/* Print "timeline-convert: NAME: byte N: TEXT"; name may be NULL. */
static void
warn(const char *name, const struct tl_fault *fault)
{
	tl_fault_print(program, name, fault);
}

/* Report damage, and notes about hosts and the output. */
static void
complain_notes(const char *name, const struct tl_faults *notes, bool quiet)
{
	for (size_t i = 0; i < notes->count && i < TL_SNAP_FAULTS_MAX; i++) {
		if (!quiet || notes->list[i].rc == -EBADMSG)
			warn(name, &notes->list[i]);
	}
	if (notes->count > TL_SNAP_FAULTS_MAX)
		tl_warn_more(warn, name, notes->count - TL_SNAP_FAULTS_MAX);
}

static const char *
output_name(const struct tl_options *options)
{
	return options->output ? options->output : "standard output";
}

/* Remove an unfinished file. */
static void
remove_unfinished(void)
{
	tl_output_abandon(&output);
}

/* An expression prints to standard error, not into the output. */
static int
print(void *context, const char *data, size_t size)
{
	(void)context;
	return tl_write_all(STDERR_FILENO, data, size);
}

/* An expression does not come back: in a signal handler. */
static void
killed(void *context, const char *message, size_t size)
{
	tl_output_abandon(context);
	tl_die(message, size);
}

/* Files open: choose entries, write them. */
static int
run(const struct tl_options *options, struct tl_fault *fault)
{
	const struct tl_script_limits limits = { .trusted = options->trusted,
		.lifted_by = "--trusted" };
	const struct tl_script_io io = { .write = print,
		.killed = killed,
		.context = &output };
	struct tl_fault unknown = { 0 };
	struct tl_select select;
	int rc = tl_select_init(&select, &options->selection, &limits, &io,
	    &inputs, fault);

	if (rc < 0)
		return rc;
	/* Not while entries scroll by. */
	tl_progress_start(&select.progress,
	    !options->no_progress && !output.terminal);
	select.progress.total = tl_sources_entries(&inputs);
	rc = tl_convert(&conversion, &inputs, &select, options, &output, fault);
	tl_progress_end(&select.progress);
	if (rc == 0 && !select.all && select.passed == 0)
		nothing_passed = tl_select_nothing(&select, &options->selection,
				     &inputs, fault) < 0;
	else if (rc == 0 && tl_select_unknown(&select, &unknown))
		warn(NULL, &unknown);
	tl_select_free(&select);
	return rc;
}

/* A diagnostic about an input, or (NULL) about hosts or the output. */
static void
put_said(struct tl_fields *f, const char *name, const struct tl_fault *fault)
{
	tl_fields_object(f, NULL);
	if (name)
		tl_fields_string(f, "input", name);
	else
		tl_fields_null(f, "input");
	if (fault->at != TL_FAULT_NOWHERE)
		tl_fields_unsigned(f, "byte", fault->at);
	else
		tl_fields_null(f, "byte");
	tl_fields_bool(f, "damage",
	    fault->rc == -EBADMSG || (name && fault->rc != 0));
	tl_fields_string(f, "text", fault->text);
	tl_fields_object_end(f);
}

static void
put_faults(struct tl_fields *f, const struct tl_faults *notes)
{
	for (size_t k = 0; k < notes->count && k < TL_SNAP_FAULTS_MAX; k++)
		put_said(f, NULL, &notes->list[k]);
}

/* Put the summary, as a line of JSON. */
static void
put_summary(struct tl_text *text, const struct tl_options *options)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_string(&f, "output", options->output);
	tl_fields_string(&f, "format", options->to->name);
	tl_fields_unsigned(&f, "read", conversion.read);
	tl_fields_unsigned(&f, "written", conversion.written);
	tl_fields_unsigned(&f, "kept_out",
	    conversion.read - conversion.written);
	tl_fields_unsigned(&f, "lost", conversion.lost);
	tl_fields_unsigned(&f, "overwritten", conversion.overwritten);
	tl_fields_bool(&f, "damaged",
	    conversion.damaged || tl_sources_are_damaged(&inputs));
	tl_fields_array(&f, "inputs");
	for (size_t i = 0; i < inputs.count; i++) {
		const struct tl_source *input = &inputs.items[i];
		const bool open = tl_source_is_open(input);

		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "name", input->name);
		if (open)
			tl_fields_string(&f, "format", input->format);
		else
			tl_fields_null(&f, "format");
		tl_fields_bool(&f, "damaged", tl_source_is_damaged(input));
		tl_fields_unsigned(&f, "faults", tl_source_fault_count(input));
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_array(&f, "notes");
	for (size_t i = 0; i < inputs.count; i++) {
		const struct tl_source *input = &inputs.items[i];
		const size_t kept = tl_source_faults_kept(input);

		for (size_t k = 0; k < kept; k++)
			put_said(&f, input->name, tl_source_fault(input, k));
	}
	put_faults(&f, &conversion.hosts);
	put_faults(&f, &conversion.notes);
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

/* Report the result, after inputs were read and the output was closed. */
static int
finish(const struct tl_options *options, int rc, const struct tl_fault *fault)
{
	const bool of_output = conversion.output_failed;
	int status = TL_DONE;

	tl_warn_sources(warn, &inputs, options->quiet);
	complain_notes(NULL, &conversion.hosts, options->quiet);
	complain_notes(output_name(options), &conversion.notes, options->quiet);
	if (rc == 0 && options->json) {
		struct tl_text text = { 0 };

		put_summary(&text, options);
		status = tl_program_print(program, &text);
	}
	if (rc == -EPIPE) /* a reader that left early is no error */
		return TL_DONE;
	/* -ENOENT: no file could be opened, which was reported */
	if (fault->rc < 0 || (rc < 0 && rc != -ENOENT))
		warn(of_output ? output_name(options)
		     : nothing_passed && options->file_count == 1
			 ? options->files[0]
			 : NULL,
		    fault->rc < 0 ? fault
				  : &(struct tl_fault){ .rc = rc,
					.at = TL_FAULT_NOWHERE });
	if (rc < 0 || fault->rc < 0 || conversion.damaged ||
	    tl_sources_are_damaged(&inputs))
		return TL_FAILED;
	return status;
}

static bool
is_any_open(void)
{
	for (size_t i = 0; i < inputs.count; i++) {
		if (tl_source_is_open(&inputs.items[i]))
			return true;
	}
	return false;
}

/* Reported at the end, and in the summary. */
static void
keep_of_hosts(const char *name, const struct tl_fault *fault)
{
	(void)name;
	*tl_faults_next(&conversion.hosts) = *fault;
}

static int
open_inputs(const struct tl_options *options)
{
	struct tl_progress progress;
	const struct tl_remote_plan remote =
	    tl_selection_remote(&options->selection, false);
	const struct tl_source_plan plan = { .formats = &tl_formats_read,
		.format =
		    options->from ? tl_format_reading(options->from) : NULL,
		.kernel = options->to->flags & TL_FORMAT_KERNEL,
		.remote = &remote,
		.progress = &progress };
	int rc;

	tl_progress_start(&progress, !options->no_progress);
	rc = tl_sources_open(&inputs, options->files, options->file_count,
	    &plan);
	tl_progress_end(&progress);
	return rc;
}

static int
convert(const struct tl_options *options)
{
	struct tl_fault fault = { 0 };
	int rc, close_rc, status;

	tl_signals_clean_up(remove_unfinished);
	if (tl_output_open(&output, options, &fault) < 0) {
		warn(output_name(options), &fault);
		return TL_FAILED;
	}
	rc = open_inputs(options);

	/* Only users that can read each input can read the output. */
	for (size_t i = 0; i < inputs.count; i++)
		tl_umask_add(inputs.items[i].withheld);
	if (rc == 0)
		rc = tl_selection_hosts(&options->selection, &inputs,
		    keep_of_hosts, true, &fault);
	if (rc == -EINVAL) {
		/* Nothing was written yet. */
		struct tl_fault ignored = { 0 };

		(void)tl_output_close(&output, false, &ignored);
		tl_sources_free(&inputs);
		return tl_program_usage(program, &fault);
	}
	if (rc == 0)
		tl_selection_copies(&inputs, keep_of_hosts);
	if (rc == 0)
		rc = is_any_open() ? run(options, &fault) : -ENOENT;
	close_rc = tl_output_close(&output, rc == 0, &fault);
	if (rc == 0 && close_rc < 0) {
		rc = close_rc;
		conversion.output_failed = true;
	}
	status = finish(options, rc, &fault);
	tl_sources_free(&inputs);
	return status;
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
	case TL_MODE_VERSION:
		tl_put_string(&text, "timeline-convert " TIMELINE_VERSION "\n");
		return tl_program_print(program, &text);
	case TL_MODE_FORMATS:
		tl_options_formats(&text, options.json);
		return tl_program_print(program, &text);
	default:
		return convert(&options);
	}
}
