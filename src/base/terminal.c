/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - standard output and what stands behind it. */
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_MIN = 20, COLUMNS_MAX = 1000, ROWS_MIN = 4, ROWS_MAX = 500 };

bool
tl_terminal_wants_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && no_color[0] != '\0')
		return false;
	return isatty(fd) == 1 && term && strcmp(term, "dumb") != 0;
}

void
tl_terminal_size(int fd, unsigned *columns, unsigned *rows)
{
	struct winsize size = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){ 0 };
	if (columns)
		*columns =
		    size.ws_col < COLUMNS_MIN || size.ws_col > COLUMNS_MAX
			? TL_COLUMNS_DEFAULT
			: size.ws_col;
	if (rows)
		*rows = size.ws_row < ROWS_MIN || size.ws_row > ROWS_MAX
			    ? TL_ROWS_DEFAULT
			    : size.ws_row;
}

int
tl_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		const ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

void
tl_fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}
