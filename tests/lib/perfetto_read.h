/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_read.h - read a Perfetto trace by the field numbers that Perfetto
 * publishes, and check that the trace defines everything before it refers to
 * it.
 */
#ifndef TESTS_LIB_PERFETTO_READ_H
#define TESTS_LIB_PERFETTO_READ_H

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
static struct tl_bytes snapshot, machine;
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
	if (pb_find(packet, 45, &field))
		machine = field.bytes;
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

/* Sort the events by time as viewers do; events of one time keep their order. */
static inline void
sort_events(void)
{
	for (size_t i = 1; i < event_count; i++) {
		for (size_t k = i; k > 0 && times[k - 1] > times[k]; k--) {
			const struct tl_bytes event = events[k];
			const int64_t ns = times[k];

			events[k] = events[k - 1];
			times[k] = times[k - 1];
			events[k - 1] = event;
			times[k - 1] = ns;
		}
	}
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

#endif
