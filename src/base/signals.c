/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - a program that is told to end. */
#include "base/signals.h"

#include <stdlib.h>
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
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
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
