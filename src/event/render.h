/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.h - the text of an event for a person.
 */
#ifndef TL_EVENT_RENDER_H
#define TL_EVENT_RENDER_H

#include "base/text.h"
#include "event/event.h"

/*
 * Put the first line with every $name as name(value), escaped for a terminal:
 * "processed tcp(10), udp(20), and other(3)".
 *
 *	> job id(594)			begin of a span
 *	< job id(594)  531.2us		its end, and how long it took
 *	< job id(594)  531.2us?		the same; entries were lost in between
 *	< job id			an end without arguments whose begin
 *					is not known
 *	= backlog of 3000		a counter: the value stands where its
 *					$name does, after it if that is first
 *	burst to trace for 100us	a change of levels
 *	... 1234 entries lost here	TL_LOST
 *	... 1234 entries overwritten before this
 *	... 1234 entries overwritten before they were read
 */
void tl_render_line(struct tl_text *text, const struct tl_event *event);

/* Put the line of a TL_LOST event, with the CPU whose lane misses the entries:
 * "... 1234 entries lost here (cpu 0)", "(no cpu)" for a fallback lane. */
void tl_render_loss(struct tl_text *text, const struct tl_event *event);

/* Put the line of a node of a call tree.  A span stands for its begin, its end
 * and everything in between, so its line has no mark. */
void tl_render_node(struct tl_text *text, const struct tl_event *event,
    bool is_span);

/* Put the time of the event, or "step 17" if the message counts steps. */
void tl_render_time(struct tl_text *text, const struct tl_event *event);

/* Put the value of an argument in its format: 10, -3, 0x1f, 2.5, 1.234us, or
 * the interned text (escaped; #7 when string 7 is unknown). */
void tl_render_arg(struct tl_text *text, const struct tl_event *event,
    unsigned index);

/* Put the value of an argument exactly: a plain integer, for %f a double that
 * reads back the same, for %s the text by put (#7 when string 7 is unknown). */
void tl_render_arg_exact(struct tl_text *text, const struct tl_event *event,
    unsigned index, void (*put)(struct tl_text *, struct tl_bytes));

/*
 * Put the value of an argument as JSON: a plain integer, for %f a number (null
 * when not finite), for %s the text in quotes.
 */
void tl_render_arg_json(struct tl_text *text, const struct tl_event *event,
    unsigned index);

/* Like tl_render_arg_json, for a line that is written directly into reserved
 * memory: to is the end of the line so far.  Returns the new end, with room for
 * room bytes again, or NULL without memory. */
char *tl_write_arg_json(struct tl_text *text, char *to,
    const struct tl_event *event, unsigned index, size_t room);

/*
 * For listings of millions of events: the same text as tl_render_line, from
 * pieces that are escaped once for each message and kept.  The event is
 * rendered even when there is no memory for the pieces.  One tl_render may see
 * the messages of several sources; it must be freed, or made anew, before any
 * of the sources closes.
 */
struct tl_render;

int tl_render_new(struct tl_render **render);
void tl_render_free(struct tl_render *render);
void tl_render_cached(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event);
/* Put the message's category, escaped and padded to TL_CATEGORY_WIDTH columns,
 * and a space. */
enum { TL_CATEGORY_WIDTH = 10 };
void tl_render_category(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event);

/* "#5", which stands for the text of a string that the source does not have. */
enum { TL_MISSING_MAX = 21 };
struct tl_bytes tl_render_missing(char to[TL_MISSING_MAX], uint64_t number);

#endif
