/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - the page of write.h as the daemon serves it. */
#ifndef TL_FORMAT_HTML_LIVE_H
#define TL_FORMAT_HTML_LIVE_H

#include "base/text.h"
#include "event/cursor.h"

/* The page that asks /timelines.json, /live.json and /recordings.json of where
 * it came from. */
void tl_html_live(struct tl_text *text);

/*
 * What the page draws, as one JSON object: messages, and the events of a cursor
 * that yields oldest first, the newest max of them, after the one marked by
 * after ("" all; the object's "next" is the mark for the next call, and
 * anything else does no harm).  Entries between the mark and the first event in
 * the object are reported as not shown: they were overwritten meanwhile, or are
 * more than max.  "from" is the time since which nothing is missing.  The
 * format is private between these files and the page's script (chunk.h).
 */
struct tl_html_range {
	const char *after;
	size_t max;
	int64_t from_ns; /* none before this */
	int64_t to_ns;   /* none from here on */
};

int tl_html_events(struct tl_text *text, struct tl_cursor *cursor,
    const struct tl_html_range *range);

#endif
