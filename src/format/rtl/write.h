/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write events as the log that RTL_LOGFILE makes.
 *
 * Lines are as the original really wrote them, see front/rtl_text.h for how
 * a message becomes one.  Of messages that come from elsewhere the category
 * is the project and "-" the author.  A span that was logged with arguments
 * has them in a line of its own behind it.  Nothing of an event can break a
 * line: control bytes and what is no UTF-8 are written as \n, \xNN.
 */
#ifndef TL_FORMAT_RTL_WRITE_H
#define TL_FORMAT_RTL_WRITE_H

#include "event/writer.h"

/* Its setting (tl_writer_set): times in microseconds instead of milliseconds. */
tl_writer_new tl_rtl_write_new;

/*
 * What stands in the line of an event behind its mark, "project (author) name
 * : words", which filters of such logs compare: *label is the writer's, ends
 * with a NUL and lives until the next call; empty for a loss.  Of a writer that
 * is used for nothing else.  0 or -ENOMEM.
 */
int tl_rtl_write_label(struct tl_writer *writer, const struct tl_event *event,
    const char **label);

#endif
