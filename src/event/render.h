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
 * "processed tcp(10), udp(20), and other(3)".  Spans are led by "> " and
 * "< " for begin and end, counters by "= ".
 */
void tl_render_line(struct tl_text *text, const struct tl_event *event);

/* One argument's value as its format says: 10, -3, 0x1f, 2.5, 1.234us, or the
 * interned text (escaped; #7 when string 7 is unknown). */
void tl_render_arg(
    struct tl_text *text, const struct tl_event *event, unsigned index);

/*
 * The same as one JSON value: a plain integer, for %f a number (null when
 * not finite), for %s the text in quotes.
 */
void tl_render_arg_json(
    struct tl_text *text, const struct tl_event *event, unsigned index);

#endif
