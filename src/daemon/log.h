/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - lines on stderr.
 *
 * Only the thread of the loop may call these functions.  No function waits.
 */
#ifndef TL_DAEMON_LOG_H
#define TL_DAEMON_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TL_LOG_ERROR = 3,
	TL_LOG_WARNING = 4,
	TL_LOG_NOTICE = 5,
	TL_LOG_INFO = 6
};
extern int tl_daemon_log_least; /* less urgent lines are dropped */

/*
 * Write a line, escaped, with the priority that the journal reads ("<4>") if
 * stderr is the journal's.  A line for which stderr has no room is dropped and
 * counted; the next line that is written reports the number of dropped lines.
 */
void tl_daemon_log(int priority, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Find out how to write without waiting.  Call this before rights are
 * dropped. */
void tl_daemon_log_open(void);
uint64_t tl_daemon_log_dropped(void);

/* A warning that is logged at most once in TL_LOG_LIMIT_S, with the number of
 * times that it was suppressed.  Starts zeroed. */
enum { TL_LOG_LIMIT_S = 60 };
struct tl_log_limit {
	double logged_s;
	uint64_t suppressed;
	bool any;
};
void tl_daemon_log_limited(struct tl_log_limit *limit, double now_s,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
