/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - the page: lanes over time, levels as colours, spans as bars,
 * search, statistics, the text of each entry.  One file without requests to
 * anywhere, around entries oldest first; live.h serves it live.  Entries of
 * several hosts (event/hosts/hosts.h) have their rows host by host, and the
 * time in which each may have been is drawn.
 */
#ifndef TL_FORMAT_HTML_WRITE_H
#define TL_FORMAT_HTML_WRITE_H

#include "event/writer.h"

/* Its title stands on top of the page. */
tl_writer_new tl_html_write_new;

/* Before the writer finishes: what the page answers where one asks why spans are
 * slow, a JSON object a line, as timelined answers for its page.  The text is
 * valid until then. */
void tl_html_write_set_why(struct tl_writer *writer, struct tl_bytes answers);

#endif
