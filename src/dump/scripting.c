/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripting.c - run a Lua script or a stock view over the inputs.
 */
#include "dump/views.h"

#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
write_output(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	tl_put_bytes(&output->text, tl_bytes(data, size));
	return tl_output_more(output);
}

/* Report the time-out of a script that does not return.  Called in a signal
 * handler. */
static void
killed(void *context, const char *message, size_t size)
{
	tl_output_abandon(context);
	tl_die(message, size);
}

struct tl_script_io
tl_scripting_io(struct tl_output *output)
{
	return (struct tl_script_io){ .write = write_output,
		.killed = killed,
		.context = output,
		.terminal = output->terminal,
		.columns = output->columns };
}

/* A script's input.  The selection of the command line applies. */
struct chosen {
	const struct tl_source *input;
	struct tl_select *select;
	uint16_t source; /* number of the input on the command line */
};

/* A cursor that sets the source of events, because the filter may need their
 * host. */
struct numbered {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	uint16_t source;
};

static int
numbered_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct numbered *n = (struct numbered *)(void *)cursor;
	const int rc = tl_cursor_next(n->inner, event);

	event->source = n->source;
	return rc;
}

static void
numbered_close(struct tl_cursor *cursor)
{
	struct numbered *n = (struct numbered *)(void *)cursor;

	tl_cursor_close(n->inner);
	free(n);
}

/* 0; -errno: no cursor. */
static int
open_numbered(const struct chosen *chosen, enum tl_order order,
    struct tl_cursor **cursor)
{
	int rc = tl_source_cursor(chosen->input, order, cursor);
	struct numbered *n;

	if (rc < 0)
		*cursor = NULL;
	if (rc < 0 || !chosen->select->expression)
		return rc;
	n = calloc(1, sizeof(*n));
	if (n) {
		*n = (struct numbered){ { numbered_next, numbered_close },
			*cursor, chosen->source };
	} else {
		tl_cursor_close(*cursor);
		rc = -ENOMEM;
	}
	*cursor = n ? &n->cursor : NULL;
	return rc;
}

static int
open_input(const struct tl_script_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	const struct chosen *chosen = input->context;
	struct tl_cursor *inner, *scout = NULL;
	int rc = open_numbered(chosen, order, &inner);

	if (rc == 0 && tl_select_scouts(chosen->select))
		rc = open_numbered(chosen, order, &scout);
	if (rc < 0) {
		tl_cursor_close(inner);
		return rc;
	}
	return tl_select_cursor(chosen->select, order, inner, scout, cursor);
}

static int
find_kept(const struct tl_script_input *input, struct tl_observed_from *kept)
{
	const struct chosen *chosen = input->context;

	return tl_source_complete(chosen->input, kept);
}

static bool
selects(const struct tl_script_input *input, const struct tl_message *message)
{
	const struct chosen *chosen = input->context;

	return tl_filter_message(&chosen->select->filter, message);
}

/* The open inputs, described for scripts. */
struct described {
	struct tl_script_input *inputs;
	struct chosen *chosen;
	size_t count;
};

/* Describe the open inputs.  0; -ENOENT: no input is open; -ENOMEM. */
static int
describe_all(struct described *d, const struct tl_sources *inputs,
    struct tl_select *select)
{
	d->inputs = calloc(inputs->count + 1, sizeof(*d->inputs));
	d->chosen = calloc(inputs->count + 1, sizeof(*d->chosen));
	if (!d->inputs || !d->chosen)
		return -ENOMEM;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *input = &inputs->items[i];
		struct tl_script_input *described = &d->inputs[d->count];
		struct tl_event cut;

		if (!tl_source_is_open(input))
			continue;
		d->chosen[d->count] =
		    (struct chosen){ input, select, (uint16_t)i };
		*described = (struct tl_script_input){ .name = input->name,
			.snap = tl_source_snap(input),
			.source = input,
			.messages = tl_source_messages(input),
			.message_count = tl_source_message_count(input),
			.format = input->format,
			.open = open_input,
			.context = &d->chosen[d->count],
			.kept = find_kept,
			.selects = selects,
			.clock = input->host,
			.is_of_several =
			    input->host && input->host->is_marked };
		if (tl_source_cut(input, &cut)) {
			const int64_t until_ns = select->filter.until_ns;

			described->complete_to_ns =
			    cut.ns < until_ns ? cut.ns : until_ns;
		}
		/* an unknown host has a name only among several hosts */
		if (input->host &&
		    (input->host->is_marked || input->host->origin.machine[0]))
			described->host = input->host->name;
		d->inputs[d->count].machine = inputs->hosts->machine_of[i];
		d->count++;
	}
	return d->count > 0 ? 0 : -ENOENT;
}

static int
load(struct tl_script *script, const struct tl_options *options,
    struct tl_fault *fault)
{
	if (options->mode == TL_MODE_VIEW)
		return tl_script_load_view(script, options->script,
		    options->script_argc, options->script_argv, fault);
	return tl_script_load_file(script, options->script,
	    options->script_argc, options->script_argv, fault);
}

static int
run(const struct described *d, const struct tl_options *options,
    struct tl_output *output, struct tl_text *error, struct tl_fault *fault)
{
	const struct tl_script_limits limits = tl_options_limits(options);
	const struct tl_script_io io = tl_scripting_io(output);
	struct tl_script *script;
	int rc = tl_script_new(&script, &limits, &io, fault);

	if (rc < 0)
		return rc;
	rc = load(script, options, fault);
	if (rc == 0)
		rc = tl_script_run(script, d->inputs, d->count, fault);
	if (rc < 0)
		tl_put_string(error, tl_script_error(script));
	tl_script_free(script);
	return rc;
}

int
tl_scripting_run(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault)
{
	struct described described = { 0 };
	int rc;

	if (options->mode == TL_MODE_VIEW &&
	    strcmp(options->script, "help") == 0) {
		/* Print the list of views for "--view help". */
		const struct tl_script_view *view = tl_script_views();

		tl_put_padded(&output->text, "states", 12);
		tl_put_string(&output->text,
		    "what threads of spans waited for, by kernel events\n");
		for (; view->name; view++) {
			tl_put_padded(&output->text, view->name, 12);
			tl_put_string(&output->text, view->description);
			tl_put_char(&output->text, '\n');
		}
		return 0;
	}
	select->levels = true;
	rc = options->view_usage ? 0 : describe_all(&described, inputs, select);
	if (rc == 0)
		rc = run(&described, options, output, error, fault);
	free(described.inputs);
	free(described.chosen);
	return rc;
}
