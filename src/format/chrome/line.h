/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - one of Chrome's trace events as bytes: numbers, then pieces
 * of its message:
 *
 *	{"ph":"I","s":"t","pid":1,"tid":2,"ts":3.004 | ,"cat":"c","name":
 *	"n","args":{ | "tcp": | 10 | ,"priority":"trace"}}
 *
 * The arguments of an end have the pieces of those of its begin once more,
 * cut into: "tcp$end":.
 */
#ifndef TL_FORMAT_CHROME_LINE_H
#define TL_FORMAT_CHROME_LINE_H

#include "event/message_map.h"
#include "format/chrome/names.h"

/* Starts from all zeros; see tl_chrome_lines_make. */
struct tl_chrome_lines {
	struct tl_text *text; /* where they go */
	struct tl_pieces_cache cache;
	struct tl_chrome_names names;
	int64_t base_ns;
};

/* A line for an event that tl_chrome_names_put has converted. */
struct tl_chrome_line {
	const struct tl_event *event;
	const struct tl_event *end; /* of a whole span; else NULL */
	int64_t duration_ns;        /* of one, whatever its clock was set to */
	bool is_alone; /* a begin or end that is not part of a span */
};

void
tl_chrome_lines_make(struct tl_chrome_lines *lines, struct tl_writer *writer);
void tl_chrome_lines_free(struct tl_chrome_lines *lines);

/* 0 or -ENOMEM; that of the text stays there. */
int tl_chrome_line_put(struct tl_chrome_lines *lines,
    const struct tl_chrome_line *line);
/* Missing entries, at the place where that is found. */
void tl_chrome_line_put_lost(struct tl_chrome_lines *lines, int64_t ns,
    const struct tl_event *event);

#endif
