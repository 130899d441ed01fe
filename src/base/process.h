/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - signals that ask a program to end.  It either sets a flag and
 * stops in its loop, or cleans up at once and ends by that signal.
 */
#ifndef TL_BASE_PROCESS_H
#define TL_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Ignore SIGPIPE and SIGXFSZ: write returns EPIPE and EFBIG instead. */
void tl_signals_leave_to_write(void);

/* SIGINT, SIGTERM and SIGHUP, unless they are ignored as nohup wants it: clean,
 * which runs in the handler, then the end. */
void tl_signals_clean_up(void (*clean)(void));

/* SIGINT, SIGTERM and, with hangup, SIGHUP no more than ask for a stop. */
void tl_signals_ask_to_stop(bool hangup);
bool tl_stop_is_asked(void);
/* The same as a flag, which is not 0 then. */
const volatile sig_atomic_t *tl_stop_flag(void);

/* In a signal handler: these words on standard error, and exit status 1. */
_Noreturn void tl_die(const char *words, size_t size);

/*
 * == terminal ==
 *
 * where a program's text goes: a terminal with its size and its
 * colours, or not.
 */

enum {
	TL_COLUMNS_DEFAULT = 80, /* where there is no terminal to ask */
	TL_ROWS_DEFAULT = 24
};

/* Colours are for terminals whose user did not refuse them. */
bool tl_terminal_wants_color(int fd);
/* Its size, never absurd; either may be NULL. */
void tl_terminal_size(int fd, unsigned *columns, unsigned *rows);

/* Write all of it wherever it goes: 0 or -errno. */
int tl_write_all(int fd, const void *data, size_t size);

/* A file that is opened must not become standard output because that was
 * closed: fill 0 to 2. */
void tl_fill_standard_fds(void);

#endif
