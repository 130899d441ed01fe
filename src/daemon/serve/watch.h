/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - count all entries of a timeline for the pages that show it.
 *
 * A watch starts with the first question and the entries that the timeline
 * holds then, reads each new entry once, and ends a minute after the last
 * question: a timeline that no page shows costs nothing.  A watch has a cursor
 * of its own, so that triggers and metrics do not wait for it.
 */
#ifndef TL_DAEMON_SERVE_WATCH_H
#define TL_DAEMON_SERVE_WATCH_H

#include "base/text.h"
#include "daemon/target.h"
#include "format/html/summary.h"

/* Append the answer of format/html/summary.h to text, and start a watch if
 * there is none.  The caller sets the ranges of the question.  Returns 0, or
 * -errno with a fault. */
int tl_watch_ask(struct tl_target *target, struct tl_text *text,
    struct tl_html_question question, struct tl_fault *fault);
/* End a target's watch, if it has one. */
void tl_watch_end(struct tl_target *target);

#endif
