/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripting.c - run a Lua script or a stock view over the inputs.
 */
#include "dump/views.h"

#include "base/process.h"

#include <errno.h>
#include <string.h>

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
	return (struct tl_script_io){ .write = tl_output_write,
		.killed = killed,
		.context = output,
		.terminal = output->terminal,
		.columns = output->columns };
}

int
tl_scripting_run(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault)
{
	const struct tl_script_limits limits = tl_options_limits(options);
	const struct tl_script_io io = tl_scripting_io(output);
	const bool is_view = options->mode == TL_MODE_VIEW;
	struct tl_script *script;
	size_t i = 0;
	int rc;

	if (is_view && strcmp(options->script, "help") == 0) {
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
	while (i < inputs->count && !tl_source_is_open(&inputs->items[i]))
		i++;
	if (i == inputs->count && !options->view_usage)
		return -ENOENT;
	select->levels = true;
	if ((rc = tl_script_new(&script, &limits, &io, fault)) < 0)
		return rc;
	rc = (is_view ? tl_script_load_view : tl_script_load_file)(script,
	    options->script, options->script_argc, options->script_argv, fault);
	if (rc == 0)
		rc = tl_script_run(script, inputs, select, fault);
	if (rc < 0)
		tl_put_string(error, tl_script_error(script));
	tl_script_free(script);
	return rc;
}
