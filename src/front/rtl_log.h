/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_log.h - the log file of RTL_LOGFILE, line by line as the macros are met:
 *
 *	opening log file 996739200.000000 seconds past January 1st 1970
 *	corresponding to 0 ms after timer start
 *	Process id is 4711
 *	000000 11 { desktop (cd100003) ::Desktop::Main
 *	000003 11 | desktop (cd100003) ::Desktop::Main : words
 *	closing log file at 000004
 */
#ifndef TL_FRONT_RTL_LOG_H
#define TL_FRONT_RTL_LOG_H

#include <stdbool.h>
#include <timeline_rtl.h>

/* Open name_<pid>.log, or a name that ends in ".nopid" as it is.  Errors as
 * tl_log_file_open.  Once; a forked process opens a log of its own with its
 * first line, unless the name is without a process. */
int tl_rtl_log_open(const char *name);
bool tl_rtl_log_is_open(void);
/* NULL: none. */
const char *tl_rtl_log_path(void);
/* Lines that could not be written. */
uint64_t tl_rtl_log_lost(void);

/* A scope begins ('{') or ends ('}'). */
void tl_rtl_log_scope(char brace, const struct timeline_rtl_context *context);
/* A message: format is one of printf with argc values, or with none a text. */
void tl_rtl_log_words(const struct timeline_rtl_context *context,
    const char *format, unsigned argc, const uint64_t *values);

#endif
