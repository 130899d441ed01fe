/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - where all text goes.
 */
#include "dump/output.h"
#include "base/process.h"
#include "dump/pager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --color overrides what is known of the terminal. */
static bool
wants_color(const struct tl_output *output, enum tl_color color)
{
	if (color != TL_COLOR_AUTO)
		return color == TL_COLOR_ALWAYS;
	return tl_terminal_wants_color(output->fd);
}

static bool
wants_pager(const struct tl_options *options)
{
	return !options->no_pager && !options->follow &&
	       options->mode != TL_MODE_BROWSE;
}

int
tl_output_open(struct tl_output *output, const struct tl_options *options)
{
	const char *given = getenv("COLUMNS");
	uint64_t columns;
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
	if (given && tl_parse_unsigned(given, &columns) == 0 &&
	    columns >= TL_COLUMNS_DEFAULT / 4 && columns <= UINT16_MAX)
		output->columns = (unsigned)columns;
	output->color = wants_color(output, options->color);
	if (output->terminal) {
		tl_terminal_size(output->fd, &output->columns, &output->rows);
		if (wants_pager(options))
			output->pager_command = tl_pager_command();
	}
	return 0;
}

/* Lines that are wrapped count once: less -F knows better. */
static bool
fits(const struct tl_output *output)
{
	const char *at = output->text.data;
	const char *end = at + output->text.size;
	unsigned lines = 0;

	while (lines < output->rows && at < end &&
	       (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		lines++;
	}
	return lines < output->rows;
}

/* Without one, the text goes to the terminal. */
static void
start_pager(struct tl_output *output)
{
	const pid_t pager = tl_pager_start(output->pager_command, &output->fd);

	output->pager_command = NULL;
	if (pager > 0)
		output->pager = pager;
}

int
tl_output_flush(struct tl_output *output)
{
	int rc = output->text.rc;

	if (output->pager_command && rc == 0 && !fits(output))
		start_pager(output);
	if (output->text.size > 0) /* it has begun without one */
		output->pager_command = NULL;
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
	if (output->pager > 0)
		tl_pager_end(output->pager, output->fd);
	output->pager = 0;
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
