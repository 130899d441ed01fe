/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripting.c - run a Lua script or a stock view over the inputs.
 */
#include "dump/scripting.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int
write_output(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	tl_put_bytes(&output->text, tl_bytes(data, size));
	return tl_output_more(output);
}

/* The time is up and the script does not answer: in a signal handler. */
static void
killed(void *context, const char *message, size_t size)
{
	tl_output_abandon(context);
	if (write(STDERR_FILENO, message, size) < 0)
		_exit(1);
	_exit(1);
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

/* The command line chooses what a script sees. */
struct chosen {
	const struct tl_input *input;
	struct tl_select *select;
};

static int
open_input(const struct tl_script_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	const struct chosen *chosen = input->context;
	struct tl_cursor *inner;
	int rc = tl_input_cursor(chosen->input, order, &inner);

	if (rc < 0)
		return rc;
	return tl_select_cursor(chosen->select, order, inner, cursor);
}

static struct tl_script_input
describe(const struct tl_input *input, struct chosen *chosen)
{
	struct tl_script_input described = { .name = input->name,
		.snap = input->snap,
		.format = tl_input_format(input),
		.open = open_input,
		.context = chosen };

	if (input->import) {
		described.messages = tl_import_messages(input->import);
		described.message_count = tl_input_message_count(input);
	}
	return described;
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

/* "--view help": what there is. */
static int
list_views(struct tl_output *output)
{
	const struct tl_script_view *view = tl_script_views();

	for (; view->name; view++) {
		const size_t size = strlen(view->name);

		tl_put_string(&output->text, view->name);
		tl_put_repeat(&output->text, ' ', size < 12 ? 12 - size : 1);
		tl_put_string(&output->text, view->description);
		tl_put_char(&output->text, '\n');
	}
	return 0;
}

int
tl_scripting_run(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault)
{
	const struct tl_script_limits limits = tl_options_limits(options);
	const struct tl_script_io io = tl_scripting_io(output);
	struct tl_script_input script_inputs[TL_INPUTS_MAX];
	struct chosen chosen[TL_INPUTS_MAX];
	struct tl_script *script;
	size_t count = 0;
	int rc;

	if (options->mode == TL_MODE_VIEW &&
	    strcmp(options->script, "help") == 0)
		return list_views(output);
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_input *input = &inputs->items[i];

		if (!tl_input_is_open(input))
			continue;
		chosen[count] = (struct chosen){ input, select };
		script_inputs[count] = describe(input, &chosen[count]);
		count++;
	}
	if (count == 0)
		return -ENOENT;
	rc = tl_script_new(&script, &limits, &io, fault);
	if (rc < 0)
		return rc;
	rc = load(script, options, fault);
	if (rc == 0)
		rc = tl_script_run(script, script_inputs, count, fault);
	if (rc < 0)
		tl_put_string(error, tl_script_error(script));
	tl_script_free(script);
	return rc;
}
