/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - a program that is asked to end.
 */
#include "base/process.h"

#include "base/array.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void (*clean_up)(void);
static volatile sig_atomic_t stop_asked;

void
tl_signals_leave_to_write(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static void
clean_and_end(int signal_number)
{
	clean_up();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void
tl_signals_clean_up(void (*clean)(void))
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = clean_and_end };
	struct sigaction before;

	clean_up = clean;
	for (size_t i = 0; i < TL_COUNT(ends); i++) {
		sigaction(ends[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
}

static void
ask_stop(int signal_number)
{
	(void)signal_number;
	stop_asked = 1;
}

void
tl_signals_ask_to_stop(bool hangup)
{
	const struct sigaction action = { .sa_handler = ask_stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (hangup)
		sigaction(SIGHUP, &action, NULL);
}

bool
tl_stop_is_asked(void)
{
	return stop_asked != 0;
}

const volatile sig_atomic_t *
tl_stop_flag(void)
{
	return &stop_asked;
}

void
tl_die(const char *words, size_t size)
{
	if (write(STDERR_FILENO, words, size) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

/* == standard output and its reader == */

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
tl_thread_start(pthread_t *thread, void *(*run)(void *context), void *context,
    const char *name)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		pthread_setname_np(*thread, name);
	return -rc;
}

void
tl_raise_fds_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

bool
tl_fds_have_room(unsigned count)
{
	struct rlimit limit;
	const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return errno != EMFILE;
	close(fd);
	return getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	       (rlim_t)fd + count < limit.rlim_cur;
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
