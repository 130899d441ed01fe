/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - the page: lanes over time, levels as colours, spans as bars,
 * search, statistics, the text of each entry.  The page is one file that
 * requests nothing, around entries oldest first; live.h serves the page live.
 * Entries of several hosts (event/hosts/hosts.h) have their rows host by host,
 * and the page draws the time in which each entry may have been.
 */
#ifndef TL_FORMAT_HTML_WRITE_H
#define TL_FORMAT_HTML_WRITE_H

#include "event/writer.h"

/* The page shows the writer's title on top. */
tl_writer_new tl_html_write_new;

/*
 * Set the answers to the question why spans are slow: a JSON object a line, as
 * timelined answers for its page.  Call before the writer finishes; the text
 * stays valid until then.
 */
void tl_html_write_set_why(struct tl_writer *writer, struct tl_bytes answers);

#endif
