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

/* Open the file name_<pid>.log, or the name itself if the name ends in
 * ".nopid".  Call once.  A forked process opens a log of its own with its first
 * line, unless the name ends in ".nopid".  Returns 0, -ENOMEM, or an error of
 * tl_log_file_open. */
int tl_rtl_log_open(const char *name);
bool tl_rtl_log_is_open(void);
/* The path of the open log; NULL: no log is open. */
const char *tl_rtl_log_path(void);
/* The number of lines that could not be written. */
uint64_t tl_rtl_log_lost(void);

/* Write the line of a scope that begins ('{') or ends ('}'). */
void tl_rtl_log_scope(char brace, const struct timeline_rtl_context *context);
/* Write the line of a message.  The format is one of printf with argc values;
 * without values the format is a plain text. */
void tl_rtl_log_words(const struct timeline_rtl_context *context,
    const char *format, unsigned argc, const uint64_t *values);

#endif
