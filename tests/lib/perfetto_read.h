/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_read.h - read a Perfetto trace by the field numbers that Perfetto
 * publishes, and check that the trace defines everything before it refers to
 * it.
 */
#ifndef TESTS_LIB_PERFETTO_READ_H
#define TESTS_LIB_PERFETTO_READ_H

#include "base/array.h"
#include "base/text.h"
#include "protobuf_read.h"

enum { KINDS = 4, TEXTS_MAX = 4096, TRACKS_MAX = 64, EVENTS_MAX = 4096 };
enum { CATEGORY, NAME, ARGUMENT, VALUE };

/* The definitions so far. */
static struct tl_bytes texts[KINDS][TEXTS_MAX];
static unsigned text_count[KINDS];
static struct tl_bytes tracks[TRACKS_MAX]; /* descriptors by uuid */
static struct tl_bytes events[EVENTS_MAX]; /* packets */
static int64_t times[EVENTS_MAX];
static size_t event_count;
static struct tl_bytes snapshot;
/* Check that an interned text has the next number and is new. */
static inline void
learn_text(unsigned kind, struct tl_bytes entry)
{
	const struct tl_bytes text = pb_bytes(entry, 2);

	for (unsigned i = 0; i < text_count[kind]; i++)
		ck_assert(!tl_bytes_equal(texts[kind][i], text));
	ck_assert_uint_eq(pb_value(entry, 1), text_count[kind] + 1);
	ck_assert_uint_lt(text_count[kind], TEXTS_MAX);
	texts[kind][text_count[kind]++] = text;
}

static inline void
learn_texts(struct tl_bytes interned)
{
	struct field field;

	while (pb_next(&interned, &field)) {
		switch (field.number) {
		case 1:
			learn_text(CATEGORY, field.bytes);
			break;
		case 2:
			learn_text(NAME, field.bytes);
			break;
		case 3:
			learn_text(ARGUMENT, field.bytes);
			break;
		case 29:
			learn_text(VALUE, field.bytes);
			break;
		default:
			ck_assert_uint_eq(field.number, 4);
		}
	}
}

static inline struct tl_bytes
text(unsigned kind, uint64_t id)
{
	ck_assert_uint_ge(id, 1);
	ck_assert_uint_le(id, text_count[kind]);
	return texts[kind][id - 1];
}

/* Check that everything an event refers to is defined. */
static inline void
check_event(struct tl_bytes event)
{
	struct field field, inner;
	struct tl_bytes annotation;

	ck_assert(tracks[pb_value(event, 11)].data != NULL);
	while (pb_next(&event, &field)) {
		if (field.number == 3)
			text(CATEGORY, field.value);
		if (field.number == 10)
			text(NAME, field.value);
		if (field.number != 4)
			continue;
		annotation = field.bytes;
		text(ARGUMENT, pb_value(annotation, 1));
		if (pb_find(annotation, 17, &inner))
			text(VALUE, inner.value);
	}
}

static inline void
learn_track(struct tl_bytes track)
{
	const uint64_t uuid = pb_value(track, 1);
	struct field field;

	ck_assert_uint_ge(uuid, 1);
	ck_assert_uint_lt(uuid, TRACKS_MAX);
	/* each track is described once */
	ck_assert_ptr_null(tracks[uuid].data);
	if (pb_find(track, 5, &field))
		ck_assert_ptr_nonnull(tracks[field.value].data);
	tracks[uuid] = track;
}

/* Take the next packet; clock is the base of its time stamps. */
static inline void
learn_packet(struct tl_bytes packet, int64_t *clock)
{
	struct field field;

	if (pb_find(packet, 12, &field))
		learn_texts(field.bytes);
	if (pb_find(packet, 60, &field))
		learn_track(field.bytes);
	if (pb_find(packet, 6, &field))
		snapshot = field.bytes;
	if (!pb_find(packet, 11, &field))
		return;
	check_event(field.bytes);
	ck_assert_uint_lt(event_count, EVENTS_MAX);
	events[event_count] = field.bytes;
	if (pb_find(packet, 58, &field)) { /* the event has its own clock */
		ck_assert_uint_eq(field.value, 1);
		times[event_count++] = (int64_t)pb_value(packet, 8);
		return;
	}
	*clock += (int64_t)pb_value(packet, 8);
	times[event_count++] = *clock;
}

/* The time of a clock in the snapshot; -1: the snapshot has no such clock. */
static inline int64_t
clock_of(uint64_t id)
{
	struct tl_bytes in = snapshot;
	struct field field;

	while (pb_next(&in, &field)) {
		if (field.number == 1 && pb_value(field.bytes, 1) == id)
			return (int64_t)pb_value(field.bytes, 2);
	}
	return -1;
}

static inline void
read_all(struct tl_bytes in)
{
	struct field field;
	int64_t clock = 0;

	memset(text_count, 0, sizeof(text_count));
	memset(tracks, 0, sizeof(tracks));
	event_count = 0;

	for (unsigned i = 0; pb_next(&in, &field); i++) {
		ck_assert_uint_eq(field.number, 1);
		ck_assert_uint_eq(pb_value(field.bytes, 10), 1);
		/*
		 * the first packet starts the state that the later packets need
		 */
		ck_assert_uint_eq(pb_value(field.bytes, 13), i == 0 ? 1 : 2);
		learn_packet(field.bytes, &clock);
		if (i == 1)
			clock = clock_of(64);
	}
}

/* The kinds of messages, and of values: a text has the id of one of KINDS. */
enum pb_kind {
	PB_PACKET,
	PB_CLOCKS,
	PB_CLOCK,
	PB_MACHINE,
	PB_TRACK,
	PB_PROCESS,
	PB_THREAD,
	PB_COUNTER,
	PB_EVENT,
	PB_ARGUMENT,
	PB_BUNDLE,
	PB_FTRACE,
	PB_SWITCH,
	PB_WAKING,
	PB_UNSIGNED,
	PB_SIGNED,
	PB_DOUBLE,
	PB_STRING,
	PB_TEXT /* and KINDS - 1 more */
};

/* What is printed of a trace; a field that is not here is printed by its
 * number. */
static const struct pb_named {
	enum pb_kind of;
	uint32_t number;
	const char *name;
	enum pb_kind is;
} pb_names[] = {
	{ PB_PACKET, 1, "bundle", PB_BUNDLE },
	{ PB_PACKET, 6, "clocks", PB_CLOCKS },
	{ PB_PACKET, 8, "at", PB_UNSIGNED },
	{ PB_PACKET, 11, "event", PB_EVENT },
	{ PB_PACKET, 45, "system", PB_MACHINE },
	{ PB_PACKET, 58, "clock", PB_UNSIGNED },
	{ PB_PACKET, 60, "track", PB_TRACK },
	{ PB_CLOCKS, 1, "clock", PB_CLOCK },
	{ PB_CLOCKS, 2, "primary", PB_UNSIGNED },
	{ PB_CLOCK, 1, "id", PB_UNSIGNED },
	{ PB_CLOCK, 2, "ns", PB_UNSIGNED },
	{ PB_MACHINE, 17, "machine", PB_STRING },
	{ PB_TRACK, 1, "id", PB_UNSIGNED },
	{ PB_TRACK, 2, "name", PB_STRING },
	{ PB_TRACK, 3, "process", PB_PROCESS },
	{ PB_TRACK, 4, "thread", PB_THREAD },
	{ PB_TRACK, 5, "parent", PB_UNSIGNED },
	{ PB_TRACK, 8, "counter", PB_COUNTER },
	{ PB_PROCESS, 1, "pid", PB_UNSIGNED },
	{ PB_PROCESS, 6, "name", PB_STRING },
	{ PB_THREAD, 1, "pid", PB_UNSIGNED },
	{ PB_THREAD, 2, "tid", PB_UNSIGNED },
	{ PB_THREAD, 5, "name", PB_STRING },
	{ PB_COUNTER, 2, "category", PB_STRING },
	{ PB_COUNTER, 3, "unit", PB_UNSIGNED },
	{ PB_EVENT, 3, "category", PB_TEXT + CATEGORY },
	{ PB_EVENT, 4, "argument", PB_ARGUMENT },
	{ PB_EVENT, 9, "type", PB_UNSIGNED },
	{ PB_EVENT, 10, "name", PB_TEXT + NAME },
	{ PB_EVENT, 11, "track", PB_UNSIGNED },
	{ PB_EVENT, 30, "value", PB_SIGNED },
	{ PB_EVENT, 44, "double", PB_DOUBLE },
	{ PB_ARGUMENT, 1, "name", PB_TEXT + ARGUMENT },
	{ PB_ARGUMENT, 3, "unsigned", PB_UNSIGNED },
	{ PB_ARGUMENT, 4, "signed", PB_SIGNED },
	{ PB_ARGUMENT, 5, "double", PB_DOUBLE },
	{ PB_ARGUMENT, 6, "inline", PB_STRING },
	{ PB_ARGUMENT, 7, "pointer", PB_UNSIGNED },
	{ PB_ARGUMENT, 17, "string", PB_TEXT + VALUE },
	{ PB_BUNDLE, 1, "cpu", PB_UNSIGNED },
	{ PB_BUNDLE, 2, "event", PB_FTRACE },
	{ PB_FTRACE, 1, "at", PB_UNSIGNED },
	{ PB_FTRACE, 2, "pid", PB_UNSIGNED },
	{ PB_FTRACE, 4, "switch", PB_SWITCH },
	{ PB_FTRACE, 20, "waking", PB_WAKING },
	{ PB_SWITCH, 1, "prev_comm", PB_STRING },
	{ PB_SWITCH, 2, "prev", PB_UNSIGNED },
	{ PB_SWITCH, 4, "state", PB_UNSIGNED },
	{ PB_SWITCH, 5, "comm", PB_STRING },
	{ PB_SWITCH, 6, "next", PB_UNSIGNED },
	{ PB_WAKING, 1, "comm", PB_STRING },
	{ PB_WAKING, 2, "pid", PB_UNSIGNED },
};

static inline void
pb_print(struct tl_text *out, enum pb_kind of, struct tl_bytes in)
{
	struct field field;

	while (pb_next(&in, &field)) {
		const struct pb_named *n = pb_names;
		const struct pb_named *end = n + TL_COUNT(pb_names);
		double number;

		while (n < end && (n->of != of || n->number != field.number))
			n++;
		/* of each packet: the sequence, flags, and texts */
		if (n == end && of == PB_PACKET)
			continue;
		if (out->size > 0 && out->data[out->size - 1] != '\n')
			tl_put_char(out, ' ');
		if (n == end) {
			tl_put_format(out, "%u=%llu", field.number,
			    (unsigned long long)field.value);
			continue;
		}
		tl_put_format(out,
		    n->is < PB_UNSIGNED ? "%s {" : "%s=", n->name);
		if (n->is < PB_UNSIGNED) {
			pb_print(out, n->is, field.bytes);
			tl_put_string(out, " }");
		} else if (n->is >= PB_TEXT || n->is == PB_STRING) {
			tl_put_char(out, '"');
			tl_put_plain(out,
			    n->is == PB_STRING
				? field.bytes
				: text(n->is - PB_TEXT, field.value));
			tl_put_char(out, '"');
		} else if (n->is == PB_DOUBLE) {
			memcpy(&number, &field.value, sizeof(number));
			tl_put_format(out, "%.17g", number);
		} else if (n->is == PB_SIGNED) {
			tl_put_signed(out, (int64_t)field.value);
		} else {
			tl_put_unsigned(out, field.value);
		}
	}
}

/* Check a trace, and print its packets, one on each line. */
static inline void
print_perfetto(struct tl_text *out, struct tl_bytes in)
{
	struct field packet;
	size_t before;

	read_all(in);
	while (pb_next(&in, &packet)) {
		before = out->size;
		pb_print(out, PB_PACKET, packet.bytes);
		if (out->size > before)
			tl_put_char(out, '\n');
	}
}

#endif
