/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.h - a program that is told to end: it stops when it gets round to
 * it, or cleans up at once and ends by the signal, as who sent it expects.
 */
#ifndef TL_BASE_SIGNALS_H
#define TL_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* A reader that leaves and a file that grows too large are no reason to die:
 * write says so. */
void tl_signals_leave_to_write(void);

/* SIGINT, SIGTERM and SIGHUP, unless they are ignored as nohup wants it: clean,
 * which runs in the handler, then the end. */
void tl_signals_clean_up(void (*clean)(void));

/* SIGINT, SIGTERM and, with hangup, SIGHUP no more than ask for a stop. */
void tl_signals_ask_to_stop(bool hangup);
bool tl_stop_is_asked(void);
/* ... for who is given a flag to look at: not 0 then. */
const volatile sig_atomic_t *tl_stop_flag(void);

/* In a signal handler: these words on standard error, and exit status 1. */
_Noreturn void tl_die(const char *words, size_t size);

#endif
