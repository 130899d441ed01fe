/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - one of Chrome's trace events as bytes: numbers, then pieces of the
 * message:
 *
 *	{"ph":"I","s":"t","pid":1,"tid":2,"ts":3.004 | ,"cat":"c","name":
 *	"n","args":{ | "tcp": | 10 | ,"priority":"trace"}}
 *
 * The arguments of an end use the pieces of the begin's arguments again, with
 * $end put into the piece: "tcp$end":.
 */
#ifndef TL_FORMAT_CHROME_LINE_H
#define TL_FORMAT_CHROME_LINE_H

#include "event/message_map.h"
#include "format/chrome/names.h"

/* Starts from all zeros; see tl_chrome_lines_make(). */
struct tl_chrome_lines {
	struct tl_text *text; /* the output */
	struct tl_pieces_cache cache;
	struct tl_chrome_names names;
	int64_t base_ns;
};

/* A line for an event that tl_chrome_names_put() has converted. */
struct tl_chrome_line {
	const struct tl_event *event;
	const struct tl_event *end; /* end of a whole span; else NULL */
	int64_t duration_ns;        /* duration of a whole span, by stamps */
	bool is_alone;              /* begin or end outside of a span */
};

void
tl_chrome_lines_make(struct tl_chrome_lines *lines, struct tl_writer *writer);
void tl_chrome_lines_free(struct tl_chrome_lines *lines);

/* Append a line: 0, -ENOMEM.  A failure of the text stays in the text. */
int tl_chrome_line_put(struct tl_chrome_lines *lines,
    const struct tl_chrome_line *line);
/* Append an event that says that entries are missing before time ns. */
void tl_chrome_line_put_lost(struct tl_chrome_lines *lines, int64_t ns,
    const struct tl_event *event);

#endif
