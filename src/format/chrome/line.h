/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - the lines of a written file.  Each process, thread and source is
 * named before its first event (names.c).  A line of an event (line.c) has
 * numbers, then pieces of the message:
 *
 *	{"ph":"I","s":"t","pid":1,"tid":2,"ts":3.004 | ,"cat":"c","name":
 *	"n","args":{ | "tcp": | 10 | ,"priority":"trace"}}
 *
 * The arguments of an end use the pieces of the begin's arguments again, with
 * $end put into the piece: "tcp$end":.
 */
#ifndef TL_FORMAT_CHROME_LINE_H
#define TL_FORMAT_CHROME_LINE_H

#include "base/table.h"
#include "event/message_map.h"
#include "event/writer.h"

/* What the writer notes. */
enum {
	TL_CHROME_STAMPS,
	TL_CHROME_COUNTER,
	TL_CHROME_TEXT,
	TL_CHROME_DOUBLES,
	TL_CHROME_SOURCES,
	TL_CHROME_LANES
};

/*
 * The spans of a lane that are in no other span of the lane, in order of time.
 */
struct tl_chrome_lane {
	struct tl_chrome_drawn {
		int64_t from_ns, to_ns;
	} * spans;
	size_t count, capacity;
};

/* Starts from all zeros except for writer. */
struct tl_chrome_names {
	struct tl_writer *writer;
	struct tl_id_map processes;
	struct tl_id_map threads;
	struct tl_id_map sources; /* messages with their own thread */
	uint32_t *source_pids;    /* by number of a source */
	size_t source_capacity;
	struct tl_id_map lanes;       /* threads and sources, lane */
	struct tl_chrome_lane *drawn; /* by number of a lane */
	size_t drawn_capacity;
	struct tl_text scratch;
	bool follows; /* an event was written before */
};

/* Write the separator between two events, two bytes at most. */
static inline char *
tl_chrome_comma(struct tl_chrome_names *names, char *to)
{
	if (names->follows)
		*to++ = ',';
	*to++ = '\n';
	names->follows = true;
	return to;
}

/*
 * Append the name of an event (format/label.h) without arguments that only
 * follow the text: "read: $size $from%s" becomes read.
 */
void tl_chrome_put_name(struct tl_text *text, const struct tl_event *event);

/*
 * Write the names of an event's process and thread that were not written yet,
 * and move an event of a source to the thread of the source.  If there are too
 * many sources, the event stays on its own thread and is noted.  0, -ENOMEM.
 */
int tl_chrome_names_put(struct tl_chrome_names *names, struct tl_event *event);

/*
 * Set *tid to the row of a span: the thread of its begin, or the first lane of
 * the thread whose spans the span does not cross.  A new lane is named.  A span
 * that finds no lane stays on the thread and is noted.  0, -ENOMEM.
 */
int tl_chrome_lane(struct tl_chrome_names *names, const struct tl_event *begin,
    int64_t to_ns, uint32_t *tid);
void tl_chrome_names_free(struct tl_chrome_names *names);

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
	uint32_t row;               /* of a span, tl_chrome_lane() */
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
