/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counter.c - values of counters, as differences that the viewer adds
 * up again.
 */
#include "format/firefox/firefox.h"

#include "base/array.h"
#include "format/label.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* The counter of an event, which belongs to its process; made when it is
 * new. */
static int
find(struct firefox_write *w, const struct tl_event *event, uint32_t thread,
    struct firefox_counter **counter)
{
	const struct tl_id_key key = { (uintptr_t)event->message, event->pid };
	uint32_t number;
	const int found = tl_id_map_get(&w->counter_keys, key, &number);
	int rc;

	if (found < 0)
		return found;
	if (number >= FIREFOX_COUNTERS_MAX)
		return -ENOSPC;
	rc = TL_ARRAY_ZEROS(w->counters, w->counter_capacity, number);
	if (rc < 0)
		return rc;
	*counter = &w->counters[number];
	if (found == 0)
		return 0;
	w->counter_count = number + 1;
	**counter = (struct firefox_counter){ .message = event->message,
		.last_ns = event->ns,
		.pid = event->pid,
		.thread = thread };
	return 0;
}

static bool
is_rounded(uint64_t size)
{
	return size >= FIREFOX_EXACT_MAX;
}

static double
value_of(struct firefox_write *w, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const uint64_t value = event->args[0];
	const bool minus = (int64_t)value < 0;
	double number;

	switch (message->argc > 0 ? message->args[0].format : 0) {
	case TIMELINE_ARG_DOUBLE:
		memcpy(&number, &value, sizeof(number));
		return number;
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		if (is_rounded(minus ? -value : value))
			tl_note(&w->notes, FIREFOX_COUNTER_ROUNDED,
			    TL_FAULT_NOWHERE);
		return (double)(int64_t)value;
	default:
		if (is_rounded(value))
			tl_note(&w->notes, FIREFOX_COUNTER_ROUNDED,
			    TL_FAULT_NOWHERE);
		return (double)value;
	}
}

static void
put_sample(struct firefox_write *w, struct firefox_counter *counter, double by)
{
	if (counter->samples++ > 0) {
		tl_put_char(&counter->time.text, ',');
		tl_put_char(&counter->count.text, ',');
	}
	tl_firefox_put_time(w, &counter->time.text, counter->last_ns);
	tl_put_double(&counter->count.text, by);
	counter->sum += by;
}

/* Time within a counter does not go back. */
static void
advance(struct firefox_write *w, struct firefox_counter *counter, int64_t ns)
{
	if (ns < counter->last_ns)
		tl_note(&w->notes, FIREFOX_BACK, TL_FAULT_NOWHERE);
	else
		counter->last_ns = ns;
}

int
tl_firefox_counter(struct firefox_write *w, const struct tl_event *event)
{
	struct firefox_counter *counter;
	struct firefox_thread *thread;
	double by;
	int rc;

	if ((rc = tl_firefox_thread(w, event, &thread)) < 0 ||
	    (rc = find(w, event, (uint32_t)(thread - w->threads), &counter)) <
		0)
		return rc;
	if (event->message->argc > 1)
		tl_note(&w->notes, FIREFOX_COUNTER_ARGS, TL_FAULT_NOWHERE);
	advance(w, counter, event->ns);
	if (counter->samples == 0)
		put_sample(w, counter, 0);
	by = value_of(w, event) - counter->sum;
	if (isfinite(by))
		put_sample(w, counter, by);
	else
		tl_note(&w->notes, FIREFOX_NOT_A_NUMBER, TL_FAULT_NOWHERE);
	rc = tl_column_spill_full(&w->spill, &counter->time);
	return rc < 0 ? rc : tl_column_spill_full(&w->spill, &counter->count);
}

static void
put_name(struct firefox_write *w, const struct firefox_counter *counter)
{
	const struct tl_event event = { .message = counter->message };

	tl_text_clear(&w->scratch);
	tl_label_put(&w->scratch, &event, "");
	tl_firefox_put_text(&w->writer.out.text,
	    tl_bytes(w->scratch.data, w->scratch.size));
}

static void
put_display(struct firefox_write *w, const struct firefox_counter *counter,
    uint32_t number)
{
	static const char *const colors[] = { "blue", "green", "orange",
		"purple", "teal", "magenta", "ink", "yellow", "red", "grey" };
	const struct tl_message *message = counter->message;
	const bool is_duration = message->argc > 0 && message->args[0].format ==
							  TIMELINE_ARG_DURATION;
	struct tl_text *text = &w->writer.out.text;

	tl_put_string(text,
	    "\"display\":{\"graphType\":\"line-accumulated\",\"unit\":\"");
	tl_put_string(text, is_duration ? "ns" : "");
	tl_put_string(text, "\",\"color\":\"");
	tl_put_string(text,
	    colors[number % (sizeof(colors) / sizeof(colors[0]))]);
	tl_put_string(text, "\",\"markerSchemaLocation\":null,"
			    "\"sortWeight\":50,\"label\":");
	put_name(w, counter);
	tl_put_string(text, ",\"tooltipRows\":[{\"type\":\"value\","
			    "\"source\":\"accumulated\","
			    "\"format\":{\"unit\":\"number\"},\"label\":");
	put_name(w, counter);
	tl_put_string(text, "},{\"type\":\"value\","
			    "\"source\":\"count-range\","
			    "\"format\":{\"unit\":\"number\"},"
			    "\"label\":\"range in the graph\"}]}");
}

static int
put_samples(struct firefox_write *w, const struct firefox_counter *counter)
{
	struct tl_text *text = &w->writer.out.text;
	int rc;

	tl_put_string(text, "\"samples\":{\"length\":");
	tl_put_unsigned(text, counter->samples);
	tl_put_string(text, ",\n\"time\":[");
	rc = tl_column_write(&w->spill, &counter->time, &w->writer.out);
	tl_put_string(text, "],\n\"count\":[");
	if (rc == 0)
		rc =
		    tl_column_write(&w->spill, &counter->count, &w->writer.out);
	tl_put_string(text, "]},");
	return rc;
}

static int
put_counter(struct firefox_write *w, const struct firefox_counter *counter,
    uint32_t number)
{
	struct tl_text *text = &w->writer.out.text;
	int rc;

	tl_put_string(text, number > 0 ? ",\n{\"name\":" : "\n{\"name\":");
	put_name(w, counter);
	tl_put_string(text, ",\"category\":");
	tl_firefox_put_text(text, counter->message->category);
	tl_put_string(text, ",\"description\":");
	tl_firefox_put_text(text, counter->message->explain);
	tl_put_format(text, ",\"pid\":\"%u\",\"mainThreadIndex\":%u,",
	    counter->pid,
	    tl_firefox_main_thread(w, counter->pid, counter->thread));
	rc = put_samples(w, counter);
	put_display(w, counter, number);
	tl_put_char(text, '}');
	return rc < 0 ? rc : tl_out_flush_full(&w->writer.out);
}

int
tl_firefox_put_counters(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	tl_put_string(text, ",\n\"counters\":[");
	for (uint32_t i = 0; rc == 0 && i < w->counter_count; i++)
		rc = put_counter(w, &w->counters[i], i);
	tl_put_char(text, ']');
	return rc;
}

void
tl_firefox_counters_free(struct firefox_write *w)
{
	for (size_t i = 0; i < w->counter_capacity; i++) {
		tl_column_free(&w->counters[i].time);
		tl_column_free(&w->counters[i].count);
	}
	free(w->counters);
	tl_id_map_free(&w->counter_keys);
}
