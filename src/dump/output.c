/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - where all text goes.
 */
#include "dump/output.h"
#include "base/process.h"

#include <errno.h>
#include <unistd.h>

/* --color overrides what is known of the terminal. */
static bool
wants_color(const struct tl_output *output, enum tl_color color)
{
	if (color != TL_COLOR_AUTO)
		return color == TL_COLOR_ALWAYS;
	return tl_terminal_wants_color(output->fd);
}

int
tl_output_open(struct tl_output *output, const struct tl_options *options)
{
	int rc;

	*output = (struct tl_output){ .fd = STDOUT_FILENO,
		.columns = TL_COLUMNS_DEFAULT };
	if (options->output) {
		rc = tl_file_new_begin(&output->file, options->output);
		if (rc < 0)
			return rc;
		output->fd = output->file.fd;
		output->to_file = true;
	}
	output->terminal = isatty(output->fd) == 1;
	output->color = wants_color(output, options->color);
	if (output->terminal)
		tl_terminal_size(output->fd, &output->columns, NULL);
	return 0;
}

int
tl_output_flush(struct tl_output *output)
{
	int rc = output->text.rc;

	if (rc == 0)
		rc = tl_write_all(output->fd, output->text.data,
		    output->text.size);
	tl_text_clear(&output->text);
	return rc;
}

int
tl_output_close(struct tl_output *output, bool whole)
{
	int rc = tl_output_flush(output);

	if (output->to_file && whole && rc == 0)
		rc = tl_file_new_commit(&output->file);
	else if (output->to_file)
		tl_file_new_abort(&output->file);
	tl_text_free(&output->text);
	return rc;
}

void
tl_output_abandon(struct tl_output *output)
{
	if (output->to_file) {
		tl_file_new_abort(&output->file);
		return;
	}
	if (write(output->fd, output->text.data, output->text.size) < 0)
		return;
}
