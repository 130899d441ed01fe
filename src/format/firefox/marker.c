/* SPDX-License-Identifier: Apache-2.0 */
/* marker.c - append a marker: one value to each column of its thread. */
#include "format/firefox/firefox.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <timeline.h>

/* Nanoseconds as milliseconds, all of them: at most 20 digits and a point. */
static void
put_ms(struct tl_text *text, bool minus, uint64_t ns)
{
	enum { NS_PER_MS = 1000000, PLACES = 6, MS_SIZE_MAX = 32 };
	char *to = tl_text_reserve(text, MS_SIZE_MAX);
	unsigned rest = (unsigned)(ns % NS_PER_MS);

	if (!to)
		return;
	if (minus)
		*to++ = '-';
	to = tl_write_unsigned(to, ns / NS_PER_MS);
	*to++ = '.';
	for (unsigned i = PLACES; i-- > 0; rest /= 10)
		to[i] = (char)('0' + rest % 10);
	text->size = (size_t)(to + PLACES - text->data);
}

void
tl_firefox_put_time(struct firefox_write *w, struct tl_text *text, int64_t ns)
{
	const bool minus = ns < w->base_ns;
	const uint64_t past = minus ? (uint64_t)w->base_ns - (uint64_t)ns
				    : (uint64_t)ns - (uint64_t)w->base_ns;

	if (past >= FIREFOX_EXACT_NS_MAX)
		tl_note(&w->notes, FIREFOX_FAR, TL_FAULT_NOWHERE);
	put_ms(text, minus, past);
}

/* A value, in quotes where a double would change it. */
static void
put_integer(struct tl_text *text, bool minus, uint64_t size)
{
	const bool quoted = size >= FIREFOX_EXACT_MAX;

	if (quoted)
		tl_put_char(text, '"');
	if (minus)
		tl_put_char(text, '-');
	tl_put_unsigned(text, size);
	if (quoted)
		tl_put_char(text, '"');
}

static void
put_duration(struct tl_text *text, bool minus, uint64_t ns)
{
	const bool quoted = ns >= FIREFOX_EXACT_NS_MAX;

	if (quoted)
		tl_put_char(text, '"');
	put_ms(text, minus, ns);
	if (quoted)
		tl_put_char(text, '"');
}

/* NaN and infinities are written as in JavaScript. */
static void
put_double(struct tl_text *text, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (isfinite(value))
		tl_put_double(text, value);
	else if (isnan(value))
		tl_put_string(text, "\"NaN\"");
	else
		tl_put_string(text,
		    value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static int
put_string_argument(struct firefox_write *w, struct tl_text *text,
    const struct tl_message *message, uint64_t value)
{
	uint64_t number = 0;
	const int rc = tl_firefox_string(w, message, value, &number);

	tl_put_unsigned(text, number);
	return rc;
}

static int
put_value(struct firefox_write *w, struct tl_text *text,
    const struct tl_message *message, unsigned i, uint64_t value)
{
	const bool minus = (int64_t)value < 0;
	const uint64_t size = minus ? -value : value;

	switch (message->args[i].format) {
	case TIMELINE_ARG_SIGNED:
		put_integer(text, minus, size);
		return 0;
	case TIMELINE_ARG_DURATION:
		put_duration(text, minus, size);
		return 0;
	case TIMELINE_ARG_DOUBLE:
		put_double(text, value);
		return 0;
	case TIMELINE_ARG_STRING:
		return put_string_argument(w, text, message, value);
	case TIMELINE_ARG_HEX:
		tl_put_char(text, '"');
		tl_put_hex(text, value);
		tl_put_char(text, '"');
		return 0;
	default:
		put_integer(text, false, value);
		return 0;
	}
}

/* The arguments of an event: of the end of a span, those that changed. */
static int
put_arguments(struct firefox_write *w, struct tl_text *text,
    const struct tl_event *event, const struct tl_event *before)
{
	const struct tl_message *message = event->message;
	const unsigned argc = event->bare ? 0 : message->argc;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < argc; i++) {
		if (before && before->args[i] == event->args[i])
			continue;
		tl_put_string(text, ",\"");
		tl_firefox_put_key(text, message->args[i].name);
		tl_put_string(text, before ? "$end\":" : "\":");
		rc = put_value(w, text, message, i, event->args[i]);
	}
	return rc;
}

/* The CPU, and where the thread of the marker is none, the thread. */
static void
put_place(struct tl_text *text, const struct tl_event *event,
    const struct tl_event *before)
{
	const char *end = before ? "$end" : "";

	if (event->cpu != TL_CPU_UNKNOWN &&
	    (!before || before->cpu != event->cpu)) {
		tl_put_string(text, ",\"$cpu");
		tl_put_string(text, end);
		tl_put_string(text, "\":");
		tl_put_unsigned(text, event->cpu);
	}
	if (event->message->scope != TIMELINE_SOURCE ||
	    (before && before->pid == event->pid && before->tid == event->tid))
		return;
	tl_put_string(text, ",\"$thread");
	tl_put_string(text, end);
	tl_put_string(text, "\":\"");
	tl_put_unsigned(text, event->pid);
	tl_put_char(text, '/');
	tl_put_unsigned(text, event->tid);
	tl_put_char(text, '"');
}

static int
put_data(struct firefox_write *w, struct tl_text *text,
    const struct firefox_marker *marker, uint32_t number)
{
	const struct tl_event *first =
	    marker->begin ? marker->begin : marker->end;
	int rc;

	tl_put_string(text, "\n{\"type\":\"m");
	tl_put_unsigned(text, number);
	tl_put_string(text, "\",\"$priority\":\"");
	tl_put_string(text, tl_level_name(first->message->level));
	tl_put_char(text, '"');
	rc = put_arguments(w, text, first, NULL);
	put_place(text, first, NULL);
	if (rc == 0 && marker->phase == INTERVAL) {
		rc = put_arguments(w, text, marker->end, first);
		put_place(text, marker->end, first);
	}
	if (marker->lossy)
		tl_put_string(text,
		    ",\"$lossy\":\"entries were lost before its end\"");
	tl_put_char(text, '}');
	return rc;
}

/* A span ends no earlier than it begins. */
static void
put_times(struct firefox_write *w, struct firefox_thread *thread,
    const struct firefox_marker *marker)
{
	struct tl_text *start = &thread->columns[FIREFOX_START].text;
	struct tl_text *end = &thread->columns[FIREFOX_END].text;
	int64_t end_ns = marker->end ? marker->end->ns : 0;

	if (marker->begin)
		tl_firefox_put_time(w, start, marker->begin->ns);
	else
		tl_put_string(start, "null");
	if (marker->begin && marker->end && end_ns < marker->begin->ns) {
		tl_note(&w->notes, FIREFOX_BACK, TL_FAULT_NOWHERE);
		end_ns = marker->begin->ns;
	}
	if (marker->end)
		tl_firefox_put_time(w, end, end_ns);
	else
		tl_put_string(end, "null");
}

static void
put_commas(struct firefox_thread *thread)
{
	if (thread->markers++ == 0)
		return;
	for (unsigned i = 0; i < FIREFOX_FIELDS; i++)
		tl_put_char(&thread->columns[i].text, ',');
}

static int
spill_full(struct firefox_write *w, struct firefox_thread *thread)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < FIREFOX_FIELDS; i++)
		rc = tl_column_spill_full(&w->spill, &thread->columns[i]);
	return rc;
}

static void
put_numbers(struct firefox_thread *thread, uint64_t name, unsigned phase,
    uint32_t category)
{
	tl_put_unsigned(&thread->columns[FIREFOX_NAME].text, name);
	tl_put_unsigned(&thread->columns[FIREFOX_PHASE].text, phase);
	tl_put_unsigned(&thread->columns[FIREFOX_CATEGORY].text, category);
}

int
tl_firefox_marker(struct firefox_write *w, const struct firefox_marker *marker)
{
	const struct tl_event *first =
	    marker->begin ? marker->begin : marker->end;
	struct firefox_thread *thread;
	uint32_t number;
	int rc;

	if ((rc = tl_firefox_message(w, first, &number)) < 0 ||
	    (rc = tl_firefox_thread(w, first, &thread)) < 0)
		return rc;
	put_commas(thread);
	put_numbers(thread, w->messages[number].name, marker->phase,
	    w->messages[number].category);
	put_times(w, thread, marker);
	rc = put_data(w, &thread->columns[FIREFOX_DATA].text, marker, number);
	return rc < 0 ? rc : spill_full(w, thread);
}

int
tl_firefox_lost(struct firefox_write *w, const struct tl_event *event)
{
	struct firefox_thread *thread;
	struct tl_text *text;
	int rc = tl_firefox_lost_thread(w, &thread);

	if (rc < 0)
		return rc;
	put_commas(thread);
	put_numbers(thread, FIREFOX_LOST_NAME, INSTANT, 0);
	tl_firefox_put_time(w, &thread->columns[FIREFOX_START].text, event->ns);
	tl_put_string(&thread->columns[FIREFOX_END].text, "null");
	text = &thread->columns[FIREFOX_DATA].text;
	tl_put_string(text, "\n{\"type\":\"lost\",\"lost\":");
	put_integer(text, false, event->lost);
	tl_put_string(text, ",\"lane\":");
	tl_put_unsigned(text, event->lane);
	if (event->cpu != TL_CPU_UNKNOWN) {
		tl_put_string(text, ",\"$cpu\":");
		tl_put_unsigned(text, event->cpu);
	}
	tl_put_char(text, '}');
	return spill_full(w, thread);
}
