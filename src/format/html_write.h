/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_write.h - the page: lanes over time, levels as colours, spans as bars,
 * search, statistics, the text of each entry.  One file without requests to
 * anywhere: around the entries of a cursor, or live, from a daemon.
 */
#ifndef TL_FORMAT_HTML_WRITE_H
#define TL_FORMAT_HTML_WRITE_H

#include "event/cursor.h"
#include "format/out.h"

#include <stdbool.h>

/* A sink: put events oldest first, finish writes the end of the page.
 * title stands on top.  0 or -ENOMEM. */
int tl_html_write_new(struct tl_sink **sink, const char *title, tl_write *write,
    void *context);
void tl_html_write_free(struct tl_sink *sink);

/* The page that asks /timelines.json and /live.json of where it came from. */
void tl_html_live(struct tl_text *text);

/*
 * What the page draws, as one JSON object: messages, and the events of a
 * cursor that yields oldest first, the newest max of them, after the one
 * marked by after ("" all; the object's "next" is the mark for the next call,
 * and anything else does no harm).  Entries between the mark and the first
 * that is given are said as lost.  The format is private between these files
 * and the page's script (html_chunk.h).
 */
int tl_html_events(struct tl_text *text, struct tl_cursor *cursor,
    const char *after, size_t max);

#endif
