/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.h - an event's message as a person reads it.
 */
#ifndef TL_EVENT_RENDER_H
#define TL_EVENT_RENDER_H

#include "base/text.h"
#include "event/event.h"

/*
 * The first line with every $name as name(value), escaped for a terminal:
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

/* The same of a TL_LOST event, with the CPU whose lane it is missing from:
 * "... 1234 entries lost here (cpu 0)", "(no cpu)" of a fallback lane. */
void tl_render_loss(struct tl_text *text, const struct tl_event *event);

/* The line of a node of a call tree.  A span stands for its begin, its end and
 * all between, so it bears no mark. */
void tl_render_node(struct tl_text *text, const struct tl_event *event,
    bool is_span);

/* Its time, or "step 17" where its message counts steps. */
void tl_render_time(struct tl_text *text, const struct tl_event *event);

/* The value of an argument in its format: 10, -3, 0x1f, 2.5, 1.234us, or the
 * interned text (escaped; #7 when string 7 is unknown). */
void tl_render_arg(struct tl_text *text, const struct tl_event *event,
    unsigned index);

/*
 * The same as one JSON value: a plain integer, for %f a number (null when
 * not finite), for %s the text in quotes.
 */
void tl_render_arg_json(struct tl_text *text, const struct tl_event *event,
    unsigned index);

/* The same for a line that is written where there is room: to is how far it
 * got.  Returns where it goes on, with room for the rest again; NULL without
 * memory. */
char *tl_write_arg_json(struct tl_text *text, char *to,
    const struct tl_event *event, unsigned index, size_t room);

/*
 * For listings of millions of events: the same text as tl_render_line, from
 * pieces that are escaped once for each message and kept.  When there is no
 * memory for them the event is rendered all the same.  One tl_render may see
 * the messages of several sources and must be freed, or made anew, before any
 * of them closes.
 */
struct tl_render;

int tl_render_new(struct tl_render **render);
void tl_render_free(struct tl_render *render);
void tl_render_cached(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event);
/* The message's category, escaped and padded to TL_CATEGORY_WIDTH columns,
 * and a space. */
enum { TL_CATEGORY_WIDTH = 10 };
void tl_render_category(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event);

#endif
