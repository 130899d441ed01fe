/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - signals that ask a program to end.  The program either sets a
 * flag and stops in its loop, or cleans up at once and ends by the signal.
 */
#ifndef TL_BASE_PROCESS_H
#define TL_BASE_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Ignore SIGPIPE and SIGXFSZ: write returns EPIPE and EFBIG instead. */
void tl_signals_leave_to_write(void);

/* On SIGINT, SIGTERM and SIGHUP, unless they are ignored (nohup), call clean()
 * in the signal handler, then end. */
void tl_signals_clean_up(void (*clean)(void));

/* On SIGINT, SIGTERM and, with hangup, SIGHUP, only ask for a stop. */
void tl_signals_ask_to_stop(bool hangup);
bool tl_stop_is_asked(void);
/* The flag of tl_stop_is_asked(), which is not 0 after a stop was asked for. */
const volatile sig_atomic_t *tl_stop_flag(void);

/* For signal handlers: write words to standard error, and exit with status
 * 1. */
_Noreturn void tl_die(const char *words, size_t size);

/*
 * == terminal ==
 *
 * The output of a program: a terminal with its size and colours, or not.
 */

enum {
	TL_COLUMNS_DEFAULT = 80, /* without a terminal to ask */
	TL_ROWS_DEFAULT = 24
};

/* May the output have colours?  Only on a terminal whose user has not refused
 * them. */
bool tl_terminal_wants_color(int fd);
/* Get the size of a terminal, within sane limits.  Either pointer may be
 * NULL. */
void tl_terminal_size(int fd, unsigned *columns, unsigned *rows);

/* Start a thread of this name in which all signals are blocked.  0 or
 * -errno. */
int tl_thread_start(pthread_t *thread, void *(*run)(void *context),
    void *context, const char *name);

/* Raise the limit of open descriptors as far as the system lets this
 * process. */
void tl_raise_fds_max(void);
/* Is there room for count more descriptors? */
bool tl_fds_have_room(unsigned count);

/* Open the descriptors 0 to 2 if they are closed.  Otherwise a file that is
 * opened could become standard output. */
void tl_fill_standard_fds(void);

#endif
