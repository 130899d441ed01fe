/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - an event is a packet:
 *
 *	stamp, sequence, flags, event: type, track, head, annotations
 *	                                            ^ kept for its message
 *
 * Strings and tracks are written before the event that needs them; the event is
 * then written in place, into room for the whole event.
 *
 * Perfetto gives an end to the last begin of its track, and draws a begin
 * without an end up to the end of the trace.  A begin is therefore written when
 * its end comes, with the begin's time: viewers sort packets by time.  A begin
 * or end that is not known to be part of a span becomes an instant.
 *
 * By then it is known which spans of its track it crosses.  A span that crosses
 * spans of the track goes to the first lane whose spans it does not cross:
 *
 *	track      | a       |  | c |
 *	lane 1         | b       |
 *
 * Packets of one time stay in the order in which they were written.  So a begin
 * that is still open is written before a begin of the same time inside it.
 */
#include "format/perfetto/write.h"

#include "base/array.h"
#include "event/spans.h"
#include "format/perfetto/perfetto.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[EARLY] = { -ENOTSUP,
	    "Perfetto has no time before 1970: taken for its begin" },
	[COUNTERS_LARGE] = { -ENOTSUP,
	    "Perfetto has no counters of 2^63 and above: rounded to a double" },
	[COUNTERS_TEXT] = { -ENOTSUP, "Perfetto has no counters of text: the "
				      "string's number is written" },
	[EXPLAINED] = { -ENOTSUP,
	    "Perfetto has no place for a message's explanation: left out" },
	[LANES] = { -ENOSPC,
	    "a span crosses spans in 64 lanes: written as two instants" },
	[TRACKS] = { -ENOSPC, "too many tracks: event on the track of all" },
};

/* The arguments of an event, with strings interned. */
struct args {
	const struct tl_event *event;
	const struct perfetto_message *kept;
	bool alone;                           /* not part of a span */
	uint64_t name;                        /* id of the name; 0: in head */
	uint64_t strings[TL_ARGS_MAX];        /* ids; 0: in inlined */
	struct tl_bytes inlined[TL_ARGS_MAX]; /* texts without an id */
	size_t room;
};

void
tl_perfetto_open(struct perfetto_write *w, uint32_t field)
{
	assert(w->depth < PERFETTO_NESTED_MAX);
	w->nested[w->depth++] = tl_pb_open(&w->writer.out.text, field);
}

/* Close the message that was opened last. */
static void
close_last(struct perfetto_write *w)
{
	tl_pb_close(&w->writer.out.text, w->nested[--w->depth]);
}

void
tl_perfetto_begin(struct perfetto_write *w)
{
	struct tl_text *text = &w->writer.out.text;

	tl_perfetto_open(w, TRACE_PACKET);
	tl_pb_put_unsigned(text, PACKET_SEQUENCE_ID, SEQUENCE);
	tl_pb_put_unsigned(text, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
}

void
tl_perfetto_end(struct perfetto_write *w)
{
	while (w->depth > 0)
		close_last(w);
}

static void
put_defaults(struct perfetto_write *w)
{
	struct tl_text *text = &w->writer.out.text;

	tl_perfetto_open(w, TRACE_PACKET);
	tl_pb_put_unsigned(text, PACKET_SEQUENCE_ID, SEQUENCE);
	tl_pb_put_unsigned(text, PACKET_SEQUENCE_FLAGS, FLAG_CLEARED);
	tl_pb_put_unsigned(text, PACKET_FIRST, 1);
	tl_perfetto_open(w, PACKET_DEFAULTS);
	tl_pb_put_unsigned(text, DEFAULTS_CLOCK_ID, CLOCK_OWN);
	tl_perfetto_end(w);
}

static void
put_clock(struct perfetto_write *w, unsigned id, int64_t ns)
{
	struct tl_text *text = &w->writer.out.text;

	tl_perfetto_open(w, SNAPSHOT_CLOCKS);
	tl_pb_put_unsigned(text, CLOCK_ID, id);
	tl_pb_put_unsigned(text, CLOCK_TIMESTAMP, (uint64_t)ns);
	if (id == CLOCK_OWN)
		tl_pb_put_unsigned(text, CLOCK_INCREMENTAL, 1);
	close_last(w);
}

/*
 * Write the clocks at Unix time ns.  CLOCK_MONOTONIC and CLOCK_BOOTTIME have no
 * time before the start of the machine.
 */
static void
put_snapshot(struct perfetto_write *w, int64_t ns)
{
	const struct tl_origin *o = &w->writer.facts.origin;

	tl_perfetto_begin(w);
	tl_perfetto_open(w, PACKET_CLOCK_SNAPSHOT);
	put_clock(w, CLOCK_UTC, ns);
	if (o->monotonic_ns > 0 && ns >= o->monotonic_ns)
		put_clock(w, CLOCK_MONO, ns - o->monotonic_ns);
	w->has_boottime = o->boottime_ns > 0 && ns >= o->boottime_ns;
	if (w->has_boottime)
		put_clock(w, CLOCK_BOOT, ns - o->boottime_ns);
	put_clock(w, CLOCK_OWN, ns);
	tl_pb_put_unsigned(&w->writer.out.text, SNAPSHOT_PRIMARY, CLOCK_UTC);
	tl_perfetto_end(w);
}

/* Intern names whose ids are constants: levels and common arguments. */
static int
intern_constants(struct perfetto_write *w)
{
	static const char *const names[] = { [ARGUMENT_CPU] = "cpu",
		[ARGUMENT_PRIORITY] = "priority",
		[ARGUMENT_LOST] = "lost",
		[ARGUMENT_LANE] = "lane",
		[ARGUMENT_OVERLAPS] = "overlaps",
		[ARGUMENT_ALONE] = "alone",
		[ARGUMENT_OVERWRITTEN] = "overwritten" };
	uint64_t id;
	int rc = 0;

	for (unsigned i = 1; rc == 0 && i <= VALUE_END; i++) {
		rc = tl_perfetto_intern(w, VALUES,
		    tl_bytes_of(i == VALUE_END     ? "end"
				: i == VALUE_BEGIN ? "begin"
						   : tl_level_name(i - 1)),
		    &id);
		assert(rc < 0 || id == i); /* for write_head() */
	}
	for (unsigned i = ARGUMENT_CPU; rc == 0 && i <= ARGUMENT_OVERWRITTEN;
	     i++) {
		rc = tl_perfetto_intern(w, ARGUMENTS, tl_bytes_of(names[i]),
		    &id);
		assert(rc < 0 || id == i);
	}
	return rc;
}

static int
start(struct perfetto_write *w, int64_t ns)
{
	const char *machine = w->writer.facts.origin.machine;

	if (w->started)
		return 0;
	w->started = true;
	w->last_ns = ns;
	put_defaults(w);
	put_snapshot(w, ns);
	if (machine[0] != '\0') {
		tl_perfetto_begin(w);
		tl_perfetto_open(w, PACKET_SYSTEM_INFO);
		tl_pb_put_plain(&w->writer.out.text, SYSTEM_MACHINE_NAME,
		    tl_bytes_of(machine));
		tl_perfetto_end(w);
	}
	return intern_constants(w);
}

static int64_t
time_of(struct perfetto_write *w, const struct tl_event *event)
{
	if (event->ns >= 0)
		return event->ns;
	tl_note(&w->writer.notes, EARLY, TL_FAULT_NOWHERE);
	return 0;
}

/*
 * Write the time since the event before.  If a clock was set back, that time
 * would be negative, so the time since 1970 on CLOCK_UTC is written.
 */
static char *
write_time(struct perfetto_write *w, char *to, int64_t ns)
{
	if (ns < w->last_ns) {
		to = tl_pb_write_unsigned(to, PACKET_TIMESTAMP, (uint64_t)ns);
		return tl_pb_write_unsigned(to, PACKET_CLOCK_ID, CLOCK_UTC);
	}
	to = tl_pb_write_unsigned(to, PACKET_TIMESTAMP,
	    (uint64_t)ns - (uint64_t)w->last_ns);
	w->last_ns = ns;
	return to;
}

static char *
write_frame(struct perfetto_write *w, char *to, int64_t ns)
{
	to = write_time(w, to, ns);
	to = tl_pb_write_unsigned(to, PACKET_SEQUENCE_ID, SEQUENCE);
	return tl_pb_write_unsigned(to, PACKET_SEQUENCE_FLAGS,
	    FLAG_NEEDS_STATE);
}

static char *
write_known(char *to, unsigned name, uint64_t n)
{
	return tl_perfetto_write_known(to, name, ANNOTATION_UNSIGNED, n);
}

static char *
write_value(char *to, const struct args *args, unsigned i)
{
	const uint64_t value = args->event->args[i];

	switch (args->event->message->args[i].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		return tl_pb_write_unsigned(to, ANNOTATION_SIGNED, value);
	case TIMELINE_ARG_HEX:
		return tl_pb_write_unsigned(to, ANNOTATION_POINTER, value);
	case TIMELINE_ARG_DOUBLE:
		return tl_pb_write_fixed64(to, ANNOTATION_DOUBLE, value);
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		if (args->strings[i] != 0)
			return tl_pb_write_unsigned(to, ANNOTATION_STRING_ID,
			    args->strings[i]);
		to = tl_pb_write_tag(to, ANNOTATION_STRING, TL_PB_BYTES);
		to = tl_pb_write_varint(to, args->inlined[i].size);
		if (args->inlined[i].size > 0)
			memcpy(to, args->inlined[i].data,
			    args->inlined[i].size);
		return to + args->inlined[i].size;
	default:
		return tl_pb_write_unsigned(to, ANNOTATION_UNSIGNED, value);
	}
}

/* Write a 64-bit value in a form that Perfetto has for counters. */
static char *
write_counter(struct perfetto_write *w, char *to, const struct tl_event *event)
{
	const uint64_t value = event->args[0];
	const unsigned format = event->message->args[0].format;

	if (format == TIMELINE_ARG_DOUBLE)
		return tl_pb_write_fixed64(to, EVENT_COUNTER_DOUBLE, value);
	if (tl_arg_is_text(&event->message->args[0]))
		tl_note(&w->writer.notes, COUNTERS_TEXT, TL_FAULT_NOWHERE);
	if (format == TIMELINE_ARG_SIGNED || format == TIMELINE_ARG_DURATION ||
	    value <= INT64_MAX)
		return tl_pb_write_unsigned(to, EVENT_COUNTER, value);
	tl_note(&w->writer.notes, COUNTERS_LARGE, TL_FAULT_NOWHERE);
	return tl_pb_write_fixed64(to, EVENT_COUNTER_DOUBLE,
	    tl_bits_of((double)value));
}

static unsigned
type_of(unsigned kind)
{
	switch (kind) {
	case TL_BEGIN:
		return TYPE_BEGIN;
	case TL_END:
		return TYPE_END;
	case TL_COUNTER:
		return TYPE_COUNTER;
	default:
		return TYPE_INSTANT;
	}
}

static char *
write_event(struct perfetto_write *w, char *to, const struct args *args,
    uint64_t track)
{
	const struct tl_event *event = args->event;
	const unsigned argc = event->bare ? 0 : event->message->argc;

	to = tl_pb_write_unsigned(to, EVENT_TYPE,
	    type_of(args->alone ? TL_INSTANT : event->kind));
	to = tl_pb_write_unsigned(to, EVENT_TRACK, track);
	memcpy(to, args->kept->head, sizeof(args->kept->head));
	to += args->kept->head_size;
	if (args->name != 0)
		to = tl_pb_write_unsigned(to, EVENT_NAME, args->name);
	if (event->kind == TL_COUNTER)
		to = write_counter(w, to, event);
	for (unsigned i = 0; i < argc; i++) {
		char *content = to = tl_pb_write_open(to, EVENT_ANNOTATION);

		memcpy(to, args->kept->arg[i], sizeof(args->kept->arg[i]));
		to = write_value(to + args->kept->arg_size[i], args, i);
		to = tl_pb_write_close(content, to);
	}
	if (event->cpu != TL_CPU_UNKNOWN)
		to = write_known(to, ARGUMENT_CPU, event->cpu);
	if (event->overlaps)
		to = write_known(to, ARGUMENT_OVERLAPS, 1);
	if (!args->alone)
		return to;
	return tl_perfetto_write_known(to, ARGUMENT_ALONE, ANNOTATION_STRING_ID,
	    event->kind == TL_BEGIN ? VALUE_BEGIN : VALUE_END);
}

/*
 * Append a string without an id to values, escaped; if the string is missing,
 * append its number.
 */
static void
inline_string(struct perfetto_write *w, struct args *args, unsigned i)
{
	const struct tl_message *message = args->event->message;
	const uint64_t number = args->event->args[i];
	const struct tl_bytes string =
	    tl_message_text(message, i, &args->event->args[i]);
	const size_t at = w->values.size;

	if (string.data) {
		tl_put_plain(&w->values, string);
	} else {
		tl_put_char(&w->values, '#');
		tl_put_unsigned(&w->values, number);
	}
	/* values may still move: the address is set later */
	args->inlined[i] = (struct tl_bytes){ NULL, w->values.size - at };
	args->room += args->inlined[i].size;
}

/* Look up the strings of an event; strings without an id go to values. */
static int
prepare_strings(struct perfetto_write *w, struct args *args)
{
	const struct tl_event *event = args->event;
	const char *at;
	int rc = 0;

	tl_text_clear(&w->values);
	for (unsigned i = 0; rc == 0 && i < event->message->argc; i++) {
		const struct tl_id_key key = { event->args[i],
			(uintptr_t)event->message->strings };

		if (!tl_arg_is_text(&event->message->args[i]))
			continue;
		if (event->message->args[i].format == TIMELINE_ARG_STRING)
			rc = tl_perfetto_string(w, VALUES, key,
			    tl_message_string(event->message, key.a),
			    &args->strings[i]);
		if (args->strings[i] == 0)
			inline_string(w, args, i);
	}
	at = w->values.data;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++) {
		args->inlined[i].data = at;
		at = at ? at + args->inlined[i].size : NULL;
	}
	return rc < 0 ? rc : w->values.rc;
}

/* Look up the name of an event whose string argument is in its name. */
static int
prepare_name(struct perfetto_write *w, struct args *args)
{
	const struct tl_event *event = args->event;
	const struct tl_event any = { .message = event->message, .bare = true };
	const struct tl_id_key key = { event->args[0],
		(uintptr_t)event->message };
	int rc;

	if (!args->kept->named || event->bare || event->kind == TL_COUNTER)
		return 0;
	rc = tl_perfetto_string(w, NAMES, key, tl_perfetto_name(w, event),
	    &args->name);
	if (rc < 0 || args->name != 0)
		return rc;
	return tl_perfetto_intern(w, NAMES, tl_perfetto_name(w, &any),
	    &args->name);
}

static int
put_one(struct perfetto_write *w, const struct tl_event *event, bool alone,
    unsigned lane)
{
	const int64_t ns = time_of(w, event);
	struct args args = { .event = event, .alone = alone };
	struct perfetto_message *kept;
	struct tl_text *text = &w->writer.out.text;
	uint64_t track;
	char *to, *packet, *content;
	int rc;

	if ((rc = tl_perfetto_message(w, event->message, &kept)) < 0)
		return rc;
	args.kept = kept;
	if ((rc = prepare_strings(w, &args)) < 0 ||
	    (rc = prepare_name(w, &args)) < 0 ||
	    (rc = tl_perfetto_lane(w, event, lane, &track)) < 0)
		return rc;
	to = tl_text_reserve(text,
	    args.room + PERFETTO_FRAME_MAX + TL_ARGS_MAX * PERFETTO_ARG_MAX);
	if (!to)
		return text->rc;
	packet = to = tl_pb_write_open(to, TRACE_PACKET);
	to = write_frame(w, to, ns);
	content = to = tl_pb_write_open(to, PACKET_TRACK_EVENT);
	to = tl_pb_write_close(content, write_event(w, to, &args, track));
	to = tl_pb_write_close(packet, to);
	text->size = (size_t)(to - text->data);
	return 0;
}

/* == spans == */

static int
opens_of(struct perfetto_write *w, const struct tl_event *event,
    struct perfetto_opens **opens, uint64_t *track)
{
	const int rc = tl_perfetto_track(w, event, track);

	if (rc < 0)
		return rc;
	if (*track >= w->opens_capacity &&
	    TL_ARRAY_ZEROS(w->opens, w->opens_capacity, *track) < 0)
		return -ENOMEM;
	*opens = &w->opens[*track];
	return 0;
}

/* The index after the begin of a span; 0: it is not there. */
static size_t
find_open(const struct perfetto_opens *opens, const struct tl_span *span)
{
	size_t i = opens->count;

	while (i > 0 && (opens->list[i - 1].message != span->message ||
			    opens->list[i - 1].ns != span->begin_ns ||
			    opens->list[i - 1].tsc != span->begin_tsc ||
			    opens->list[i - 1].epoch != span->begin_epoch))
		i--;
	return i;
}

/* The lanes that the begins from index i on are written in. */
static uint64_t
written_from(const struct perfetto_opens *opens, size_t i)
{
	uint64_t lanes = 0;

	for (; i < opens->count; i++)
		if (opens->list[i].written)
			lanes |= UINT64_C(1) << opens->list[i].lane;
	return lanes;
}

/* The lanes in which a span that has ended has another begin and ends after the
 * begin of this one. */
static uint64_t
drawn_across(const struct perfetto_write *w, uint64_t track, int64_t from_ns)
{
	uint64_t lanes = 0;

	for (unsigned i = 0; i < w->drawn_count; i++) {
		const struct perfetto_drawn *d = &w->drawn[i];

		if (d->track == track && d->from_ns < from_ns &&
		    d->to_ns > from_ns)
			lanes |= UINT64_C(1) << d->lane;
	}
	return lanes;
}

static int
put_begin_of(struct perfetto_write *w, const struct tl_span *span, bool alone,
    unsigned lane)
{
	const struct tl_event begin = tl_span_begin(span);

	return put_one(w, &begin, alone, lane);
}

/* Write a begin that is still open before a begin of the same time that lies
 * inside it. */
static int
put_early(struct perfetto_write *w, struct perfetto_opens *opens, size_t i)
{
	struct perfetto_open *o = &opens->list[i];
	const uint64_t lanes = o->crossed | written_from(opens, i + 1);
	struct tl_span span;
	uint32_t index = 0;

	while (tl_spans_open(w->writer.spans, &index, &span)) {
		const struct perfetto_opens one = { .list = o, .count = 1 };

		if (find_open(&one, &span) == 0 || ~lanes == 0)
			continue;
		o->written = true;
		o->lane = (uint8_t)__builtin_ctzll(~lanes);
		return put_begin_of(w, &span, false, o->lane);
	}
	return 0;
}

/* Write the begins of the same time around a begin, the outermost first. */
static int
put_around(struct perfetto_write *w, struct perfetto_opens *opens, size_t i)
{
	const int64_t ns = opens->list[i].ns;
	size_t first = i;
	int rc = 0;

	while (first > 0 && opens->list[first - 1].ns == ns)
		first--;
	for (; first < i && rc == 0; first++)
		if (!opens->list[first].written && opens->list[first].whole)
			rc = put_early(w, opens, first);
	return rc;
}

static void
remove_open(struct perfetto_opens *opens, size_t i)
{
	opens->count--;
	memmove(&opens->list[i], &opens->list[i + 1],
	    (opens->count - i) * sizeof(*opens->list));
}

static int
put_begin(struct perfetto_write *w, const struct tl_event *event)
{
	struct perfetto_opens *opens;
	uint64_t track;
	const int rc = opens_of(w, event, &opens, &track);

	if (rc < 0)
		return rc;
	if (TL_ARRAY_ROOM(opens->list, opens->capacity, opens->count) < 0)
		return -ENOMEM;
	opens->list[opens->count++] =
	    (struct perfetto_open){ .message = event->message,
		    .ns = event->ns,
		    .tsc = event->tsc,
		    .epoch = event->epoch,
		    .whole = event->observed == TL_OBSERVED };
	return 0;
}

/* Write the events of a span as instants. */
static int
put_instants(struct perfetto_write *w, const struct tl_event *end,
    const struct tl_span *span)
{
	const int rc = put_begin_of(w, span, true, 0);

	return rc < 0 ? rc : put_one(w, end, true, 0);
}

/* Keep a span that is written, and forget the spans within it. */
static void
keep_drawn(struct perfetto_write *w, struct perfetto_drawn it)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < w->drawn_count; i++) {
		const struct perfetto_drawn *d = &w->drawn[i];

		if (d->track != it.track || d->lane != it.lane ||
		    d->from_ns < it.from_ns)
			w->drawn[kept++] = *d;
	}
	if (kept == PERFETTO_DRAWN_MAX) {
		kept /= 2;
		memmove(w->drawn, w->drawn + kept, kept * sizeof(*w->drawn));
	}
	w->drawn[kept++] = it;
	w->drawn_count = kept;
}

/* Write a span that has ended.  at is the index after its begin; 0: the begin
 * did not come. */
static int
put_span(struct perfetto_write *w, const struct tl_event *end,
    const struct tl_span *span, struct perfetto_opens *opens, size_t at,
    uint64_t track)
{
	const struct perfetto_open *o = at > 0 ? &opens->list[at - 1] : NULL;
	const bool written = o && o->written;
	uint64_t lanes =
	    o ? o->crossed : drawn_across(w, track, span->begin_ns);
	size_t inner = at;
	unsigned lane;
	int rc;

	/* begins inside the span, whose spans end after it */
	while (!o && inner < opens->count &&
	       opens->list[inner].ns <= span->begin_ns)
		inner++;
	lanes |= written_from(opens, inner);
	if (!written && ~lanes == 0) {
		tl_note(&w->writer.notes, LANES, TL_FAULT_NOWHERE);
		return put_instants(w, end, span);
	}
	lane = written ? o->lane : (unsigned)__builtin_ctzll(~lanes);
	for (size_t i = inner; i < opens->count; i++)
		opens->list[i].crossed |= UINT64_C(1) << lane;
	keep_drawn(w, (struct perfetto_drawn){ track, span->begin_ns, end->ns,
			  (uint8_t)lane });
	rc = o && !written ? put_around(w, opens, at - 1) : 0;
	if (rc == 0 && !written)
		rc = put_begin_of(w, span, false, lane);
	return rc < 0 ? rc : put_one(w, end, false, lane);
}

static int
put_end(struct perfetto_write *w, const struct tl_event *event)
{
	const struct tl_span *span = w->writer.span;
	struct tl_event end = *event;
	struct perfetto_opens *opens;
	struct tl_event begin;
	uint64_t track;
	size_t at;
	int rc;

	if (!span)
		return put_one(w, event, true, 0);
	begin = tl_span_begin(span);
	if (span->handed)
		end.tid = span->tid;
	if ((rc = opens_of(w, &begin, &opens, &track)) < 0)
		return rc;
	at = span->alone ? 0 : find_open(opens, span);
	if (tl_span_is_sure(span) || (at > 0 && opens->list[at - 1].written))
		rc = put_span(w, &end, span, opens, at, track);
	else
		rc = put_instants(w, &end, span);
	if (at > 0)
		remove_open(opens, at - 1);
	return rc;
}

/* Write a begin without an end; only a sure span is known to be open. */
static int
perfetto_put_lonely(struct tl_writer *writer, const struct tl_span *span)
{
	struct perfetto_write *w = (void *)writer;
	const struct tl_event begin = tl_span_begin(span);
	struct perfetto_opens *opens;
	uint64_t track, lanes = 0;
	size_t at;
	bool alone;
	int rc = opens_of(w, &begin, &opens, &track);

	if (rc < 0)
		return rc;
	if ((at = find_open(opens, span)) > 0) {
		const struct perfetto_open open = opens->list[at - 1];

		remove_open(opens, at - 1);
		if (open.written)
			return 0;
		lanes = open.crossed;
	}
	alone = !tl_span_is_sure(span) || ~lanes == 0;
	return put_one(w, &begin, alone,
	    alone ? 0 : (unsigned)__builtin_ctzll(~lanes));
}

static int
put_lost(struct perfetto_write *w, const struct tl_event *event)
{
	const bool overwritten = event->overwritten;
	int64_t ns = time_of(w, event);
	struct tl_text *text = &w->writer.out.text;
	uint64_t track, name;
	char *to, *packet, *content;
	int rc;

	if ((rc = tl_perfetto_intern(w, NAMES,
		 tl_bytes_of(
		     overwritten ? "entries overwritten" : "entries lost"),
		 &name)) < 0 ||
	    (rc = tl_perfetto_track(w, event, &track)) < 0)
		return rc;
	if (!(to = tl_text_reserve(text, PERFETTO_FRAME_MAX)))
		return text->rc;
	if (ns < w->last_ns) /* the time of a loss is unknown */
		ns = w->last_ns;
	packet = to = tl_pb_write_open(to, TRACE_PACKET);
	to = write_frame(w, to, ns);
	content = to = tl_pb_write_open(to, PACKET_TRACK_EVENT);
	to = tl_pb_write_unsigned(to, EVENT_TYPE, TYPE_INSTANT);
	to = tl_pb_write_unsigned(to, EVENT_TRACK, track);
	to = tl_pb_write_unsigned(to, EVENT_NAME, name);
	to = write_known(to, overwritten ? ARGUMENT_OVERWRITTEN : ARGUMENT_LOST,
	    event->lost);
	to = write_known(to, ARGUMENT_LANE, event->lane);
	if (event->cpu != TL_CPU_UNKNOWN)
		to = write_known(to, ARGUMENT_CPU, event->cpu);
	to = tl_pb_write_close(content, to);
	to = tl_pb_write_close(packet, to);
	text->size = (size_t)(to - text->data);
	return 0;
}

static int
perfetto_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct perfetto_write *w = (void *)writer;
	int rc = start(w, event->ns > 0 ? event->ns : 0);

	if (rc < 0)
		return rc;
	if ((rc = tl_perfetto_sched(w, event)) != 0)
		return rc < 0 ? rc : 0;
	if (!event->message)
		return put_lost(w, event);
	switch (event->kind) {
	case TL_BEGIN:
		return put_begin(w, event);
	case TL_END:
		return put_end(w, event);
	default:
		return put_one(w, event, false, 0);
	}
}

static int
perfetto_end(struct tl_writer *writer)
{
	return start((void *)writer, 0);
}

static void
perfetto_free(struct tl_writer *writer)
{
	struct perfetto_write *w = (void *)writer;

	tl_perfetto_texts_free(w);
	tl_id_map_free(&w->tracks);
	for (size_t i = 0; i < w->opens_capacity; i++)
		free(w->opens[i].list);
	free(w->opens);
	tl_text_free(&w->scratch);
	tl_text_free(&w->values);
}

static const struct tl_writer_kind perfetto_kind = { .put = perfetto_put,
	.end = perfetto_end,
	.notes = kinds,
	.free = perfetto_free,
	.pairs = true,
	.put_lonely = perfetto_put_lonely,
	.is_of_one_machine = true };

int
tl_perfetto_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct perfetto_write *w;
	int rc = tl_writer_make(writer, sizeof(*w), &perfetto_kind, write,
	    context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	tl_origin_here(&w->writer.facts.origin);
	for (unsigned i = 0; rc == 0 && i < PERFETTO_KINDS; i++)
		rc = tl_interner_new(&w->texts[i].interner);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
