/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timeline-convert: read the options, convert, say what is wrong.
 *
 * The only file that prints errors and exits: 0 done, 1 something was damaged
 * or failed, 2 the command line makes no sense.
 */
#include "base/terminal.h"
#include "convert/convert.h"
#include "convert/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };

static struct tl_output output;
static struct tl_inputs inputs;
static struct tl_conversion conversion;

/* Say "timeline-convert: NAME: byte N: TEXT"; name may be NULL. */
static void
complain(const char *name, const struct tl_fault *fault)
{
	struct tl_text text = { 0 };

	tl_put_fault(&text, "timeline-convert", name, fault);
	fputs(tl_text_string(&text), stderr);
	tl_text_free(&text);
}

static void
complain_more(const char *name, int rc, size_t count)
{
	struct tl_fault more = { 0 };

	tl_fault(&more, rc, TL_FAULT_NOWHERE, "and %zu more", count);
	complain(name, &more);
}

/* What is damaged, and what is good to know, of one file. */
static void
complain_input(const struct tl_input *input, bool quiet)
{
	const size_t count = tl_input_fault_count(input);
	const size_t kept = tl_input_faults_kept(input);

	for (size_t k = 0; k < kept; k++) {
		const struct tl_fault *fault = tl_input_fault(input, k);

		if (fault->text[0] && !(quiet && fault->rc == 0))
			complain(input->name, fault);
	}
	if (count > kept)
		complain_more(input->name, -EBADMSG, count - kept);
}

/* The same of what was written. */
static void
complain_output(const char *name, bool quiet)
{
	const struct tl_faults *notes = &conversion.notes;

	for (size_t i = 0; i < notes->count && i < TL_SNAP_FAULTS_MAX; i++) {
		if (!quiet || notes->list[i].rc == -EBADMSG)
			complain(name, &notes->list[i]);
	}
	if (notes->count > TL_SNAP_FAULTS_MAX)
		complain_more(name, 0, notes->count - TL_SNAP_FAULTS_MAX);
}

static const char *
output_name(const struct tl_options *options)
{
	return options->output ? options->output : "standard output";
}

static void
complain_all(const struct tl_options *options)
{
	for (size_t i = 0; i < inputs.count; i++)
		complain_input(&inputs.items[i], options->quiet);
	complain_output(output_name(options), options->quiet);
}

/* An unfinished file is no use to anybody. */
static void
remove_unfinished(int signal_number)
{
	tl_output_abandon(&output);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void
set_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = remove_unfinished };
	struct sigaction before;

	signal(SIGPIPE, SIG_IGN); /* a reader that leaves: write says so */
	signal(SIGXFSZ, SIG_IGN); /* a file too large: write says so */
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaction(ends[i], NULL, &before);
		if (before.sa_handler != SIG_IGN) /* as nohup wants it */
			sigaction(ends[i], &action, NULL);
	}
}

/* What an expression prints: the output is no place for it. */
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
	if (write(STDERR_FILENO, message, size) < 0)
		_exit(FAILED);
	_exit(FAILED);
}

/* What relative times count from; 0 when nobody asks. */
static int64_t
newest_ns(const struct tl_options *options)
{
	int64_t ns = 0;

	if (options->selection.since.relative ||
	    options->selection.until.relative)
		(void)tl_inputs_newest(&inputs, &ns);
	return ns;
}

static void
open_inputs(const struct tl_options *options)
{
	struct tl_progress progress;
	const struct tl_input_plan plan = { .format = options->from,
		.progress = &progress };

	tl_progress_start(&progress, !options->no_progress);
	tl_inputs_open(&inputs, options->files, options->file_count, &plan);
	tl_progress_end(&progress);
}

/* Files open: choose entries, write them. */
static int
run(const struct tl_options *options, struct tl_fault *fault)
{
	const struct tl_script_limits limits = { .trusted = options->trusted };
	const struct tl_script_io io = { .write = print,
		.killed = killed,
		.context = &output };
	struct tl_select select;
	int rc = tl_select_init(&select, &options->selection, &limits, &io,
	    newest_ns(options), fault);

	if (rc < 0)
		return rc;
	/* Not while entries scroll by. */
	tl_progress_start(&select.progress,
	    !options->no_progress && !output.terminal);
	select.progress.total = tl_inputs_entries(&inputs);
	rc = tl_convert(&conversion, &inputs, &select, options, &output, fault);
	tl_progress_end(&select.progress);
	tl_select_free(&select);
	return rc;
}

/* For what goes to standard output beside a conversion. */
static int
say(struct tl_text *text)
{
	const int rc =
	    text->rc < 0 ? text->rc
			 : tl_write_all(STDOUT_FILENO, text->data, text->size);

	tl_text_free(text);
	return rc < 0 && rc != -EPIPE ? FAILED : DONE;
}

static int
say_summary(const struct tl_options *options)
{
	struct tl_text text = { 0 };

	tl_conversion_show(&conversion, &inputs, options, &text);
	return say(&text);
}

/* Inputs read, output closed: what came of it. */
static int
finish(const struct tl_options *options, int rc, const struct tl_fault *fault)
{
	const bool of_output = conversion.output_failed;
	int status = DONE;

	complain_all(options);
	if (rc == 0 && options->json)
		status = say_summary(options);
	if (rc == -EPIPE) /* a reader that left early is no error */
		return DONE;
	if (fault->rc < 0) /* else no file could be opened, which was said */
		complain(of_output ? output_name(options) : NULL, fault);
	if (rc < 0 || conversion.damaged || tl_inputs_are_damaged(&inputs))
		return FAILED;
	return status;
}

static bool
is_any_open(void)
{
	for (size_t i = 0; i < inputs.count; i++) {
		if (tl_input_is_open(&inputs.items[i]))
			return true;
	}
	return false;
}

static int
convert(const struct tl_options *options)
{
	struct tl_fault fault = { 0 };
	int rc, close_rc, status;

	set_signals();
	if (tl_output_open(&output, options, &fault) < 0) {
		complain(output_name(options), &fault);
		return FAILED;
	}
	open_inputs(options);
	rc = is_any_open() ? run(options, &fault) : -ENOENT;
	close_rc = tl_output_close(&output, rc == 0, &fault);
	if (rc == 0 && close_rc < 0) {
		rc = close_rc;
		conversion.output_failed = true;
	}
	status = finish(options, rc, &fault);
	tl_inputs_close(&inputs);
	return status;
}

static int
say_usage(const struct tl_fault *fault)
{
	complain(NULL, fault);
	fputs("Try timeline-convert --help.\n", stderr);
	return USAGE;
}

int
main(int argc, char **argv)
{
	static struct tl_options options;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	tl_fill_standard_fds();
	if (tl_options_parse(&options, argc, argv, &fault) < 0)
		return say_usage(&fault);
	switch (options.mode) {
	case TL_MODE_HELP:
		tl_options_help(&text);
		return say(&text);
	case TL_MODE_VERSION:
		tl_put_string(&text, "timeline-convert " TIMELINE_VERSION "\n");
		return say(&text);
	case TL_MODE_FORMATS:
		tl_table_show(&text, options.json);
		return say(&text);
	case TL_MODE_CHARTS:
		tl_table_show_charts(&text);
		return say(&text);
	default:
		return convert(&options);
	}
}
