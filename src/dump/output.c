/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - where all text goes.
 */
#include "dump/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, COLUMNS_MIN = 20, COLUMNS_MAX = 1000 };

/* Colours are for terminals whose user did not refuse them. */
static bool
wants_color(const struct tl_output *output, enum tl_color color)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color != TL_COLOR_AUTO)
		return color == TL_COLOR_ALWAYS;
	if (no_color && no_color[0] != '\0')
		return false;
	return output->terminal && term && strcmp(term, "dumb") != 0;
}

static unsigned
terminal_columns(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < COLUMNS_MIN ||
	    size.ws_col > COLUMNS_MAX)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

int
tl_output_open(struct tl_output *output, const struct tl_options *options)
{
	int rc;

	*output = (struct tl_output){ .fd = STDOUT_FILENO,
		.columns = COLUMNS_DEFAULT };
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
		output->columns = terminal_columns(output->fd);
	return 0;
}

int
tl_output_flush(struct tl_output *output)
{
	const char *data = output->text.data;
	size_t left = output->text.size;

	if (output->text.rc < 0)
		return output->text.rc;
	while (left > 0) {
		const ssize_t n = write(output->fd, data, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			tl_text_clear(&output->text);
			return n < 0 ? -errno : -EIO;
		}
		data += n;
		left -= (size_t)n;
	}
	tl_text_clear(&output->text);
	return 0;
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
