/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - the page without its entries; and as the daemon serves it. */
#ifndef TL_FORMAT_HTML_LIVE_H
#define TL_FORMAT_HTML_LIVE_H

#include "base/text.h"
#include "event/cursor.h"

/* == page.c: the page without its entries, from src/format/html/page/ == */

/* Append everything before the entries; title may be any text. */
void tl_html_page_start(struct tl_text *text, const char *title, bool live);
/* Append everything after the entries: the script. */
void tl_html_page_end(struct tl_text *text);

/* == live.c: the page of write.h as the daemon serves it == */

/*
 * Append the page.  The page asks its server for /timelines.json, /live.json
 * and /recordings.json.
 */
void tl_html_live(struct tl_text *text);

/*
 * Append the events that the page draws, as one JSON object.  The cursor yields
 * events oldest first; the object has the newest max of them after the mark
 * range->after.  A mark is the member "next" of an earlier object; "" or an
 * invalid mark: all events.  Entries between the mark and the first event of
 * the object are reported as not shown, because they were overwritten or exceed
 * max.  "from" is the time since which no entry is missing.  The format is
 * private between these files and the page's script (chunk.h).  0, -ENOMEM, or
 * the error of the cursor.
 */
struct tl_html_range {
	const char *after;
	size_t max;
	int64_t from_ns; /* earliest time */
	int64_t to_ns;   /* first time beyond */
};

int tl_html_events(struct tl_text *text, struct tl_cursor *cursor,
    const struct tl_html_range *range);

#endif
