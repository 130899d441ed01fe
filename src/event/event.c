/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - names of the kinds of events, the order of events of equal time,
 * the time between two events, and the proof of an end. */
#include "event/cursor.h"

#include <errno.h>

int
tl_event_compare_tied(const struct tl_event *a, const struct tl_event *b)
{
	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

int64_t
tl_event_between(const struct tl_event *from, const struct tl_event *to)
{
	const bool compare =
	    from->source == to->source && from->epoch == to->epoch;
	const __int128 ns =
	    (__int128)to->ns - from->ns -
	    (compare ? (__int128)to->steps_ns - from->steps_ns : 0);

	return ns < 0 ? 0 : ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

int64_t
tl_event_time_at(const struct tl_event *a, const struct tl_event *b,
    uint64_t tsc)
{
	if (tsc <= a->tsc || b->tsc <= a->tsc)
		return a->ns;
	if (tsc >= b->tsc)
		return b->ns;
	return a->ns +
	       (int64_t)((__int128)(tsc - a->tsc) * ((__int128)b->ns - a->ns) /
			 (__int128)(b->tsc - a->tsc));
}

void
tl_event_prove(struct tl_event *end, int64_t begun_ns)
{
	const struct tl_event begin = { .ns = begun_ns };

	if (end->ns < begun_ns)
		return;
	end->proven = true;
	end->begun_ns = begun_ns;
	end->begun_tsc = (uint64_t)begun_ns;
	end->duration_ns = tl_event_between(&begin, end);
}

const char *
tl_event_kind_name(const struct tl_event *event)
{
	return event->kind == TL_LOST && event->overwritten
		   ? "overwritten"
		   : tl_kind_name(event->kind);
}

const char *
tl_kind_name(unsigned kind)
{
	static const char *const names[] = {
		"?", [TL_INSTANT] = "instant", [TL_BEGIN] = "begin",
		[TL_END] = "end", [TL_COUNTER] = "counter", [TL_LOST] = "lost"
	};

	return names[kind <= TL_LOST ? kind : 0];
}

uint8_t
tl_record_kind_of(unsigned kind)
{
	switch (kind) {
	case TL_BEGIN:
	case TL_END:
		return TIMELINE_RECORD_SPAN;
	case TL_COUNTER:
		return TIMELINE_RECORD_COUNTER;
	default:
		return TIMELINE_RECORD_INSTANT;
	}
}

const char *
tl_record_kind_name(unsigned kind)
{
	return kind == TIMELINE_RECORD_SPAN      ? "span"
	       : kind == TIMELINE_RECORD_COUNTER ? "counter"
						 : "instant";
}

const char *
tl_arg_format_name(unsigned format)
{
	static const char *const names[] = { [TIMELINE_ARG_UNSIGNED] =
						 "unsigned",
		[TIMELINE_ARG_SIGNED] = "signed",
		[TIMELINE_ARG_HEX] = "hex",
		[TIMELINE_ARG_DOUBLE] = "double",
		[TIMELINE_ARG_DURATION] = "duration",
		[TIMELINE_ARG_STRING] = "string",
		[TIMELINE_ARG_TEXT8] = "string",
		[TIMELINE_ARG_OCTAL] = "octal" };

	return format < sizeof(names) / sizeof(names[0]) ? names[format]
							 : "unsigned";
}

int
tl_cursor_newest(struct tl_cursor *cursor, int64_t *ns)
{
	struct tl_event event = { .kind = TL_LOST };
	int rc;

	do
		rc = tl_cursor_next(cursor, &event);
	while (rc > 0 && event.kind == TL_LOST);
	tl_cursor_close(cursor);
	if (rc > 0)
		*ns = event.ns;
	return rc > 0 ? 0 : rc == 0 ? -ENODATA : rc;
}
