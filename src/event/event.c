/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - the words for what an event is. */
#include "event/event.h"

const char *
tl_kind_name(unsigned kind)
{
	switch (kind) {
	case TL_INSTANT:
		return "instant";
	case TL_BEGIN:
		return "begin";
	case TL_END:
		return "end";
	case TL_COUNTER:
		return "counter";
	case TL_LOST:
		return "lost";
	default:
		return "?";
	}
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
	switch (kind) {
	case TIMELINE_RECORD_SPAN:
		return "span";
	case TIMELINE_RECORD_COUNTER:
		return "counter";
	default:
		return "instant";
	}
}
