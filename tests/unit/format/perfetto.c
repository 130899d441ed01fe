/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto.c - spans of Perfetto traces, and texts beyond what is kept; cases.c
 * has the other tests.
 */
#include "format/perfetto/write.h"

#include "base/array.h"
#include "lib/perfetto_read.h"
#include "lib/random.h"
#include "lib/test.h"
#include "lib/viewers.h"
#include "writer_fixture.h"

#include <errno.h>

static void
setup(void)
{
	writer_setup(tl_perfetto_write_new);
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 600);

TEST(a_trace_of_now_knows_this_machine)
{
	struct tl_event event = { 0 };
	struct tl_origin here;

	tl_origin_here(&here);
	ck_assert_int_gt(here.monotonic_ns, 0);
	ck_assert_int_le(here.boottime_ns, here.monotonic_ns + 1000000000);
	tl_writer_facts(writer)->origin = here;
	for (uint64_t i = 0; viewers_event(VIEWERS_BACK, i, &event); i++)
		put(&event);
	finish();
	read_all(tl_bytes(got.data, got.size));
	ck_assert_int_eq(clock_of(6), -1); /* the clock would read 1970 */
}

enum { LETTERS = 4, SCRIPT_MAX = 400 };

static struct tl_message letters[LETTERS];

/* Letters begin a span, capital letters end it: "abAB" are two that cross.
 * each is the number of events at one time. */
static void
put_spans(const char *script, uint64_t observed, unsigned each)
{
	struct tl_event event = { .pid = 4, .tid = 5, .observed = observed };

	for (unsigned i = 0; i < LETTERS; i++) {
		letters[i] = (struct tl_message){ .kind = TIMELINE_RECORD_SPAN,
			.level = 6,
			.category = tl_bytes_of("c") };
		ck_assert_ok(
		    tl_message_parse(&letters[i], tl_bytes(&"abcd"[i], 1)));
	}
	for (size_t i = 0; script[i]; i++) {
		event.kind = script[i] >= 'a' ? TL_BEGIN : TL_END;
		event.message = &letters[(script[i] | 32) - 'a'];
		event.ns = VIEWERS_NS + (int64_t)(i / each);
		event.tsc = i / each;
		put(&event);
	}
	finish();
}

struct drawn_span {
	char letter;
	int64_t from_ns;
	int64_t to_ns; /* INT64_MAX: the span is open at the end */
};

static int
compare_drawn(const void *one, const void *other)
{
	const struct drawn_span *a = one, *b = other;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	if (a->to_ns != b->to_ns)
		return a->to_ns < b->to_ns ? -1 : 1;
	return a->letter - b->letter;
}

/* The spans of a script, each end for the last begin of its letter. */
static size_t
spans_of(const char *script, unsigned each, struct drawn_span *spans)
{
	size_t count = 0;

	for (size_t i = 0; script[i]; i++) {
		const int64_t ns = VIEWERS_NS + (int64_t)(i / each);
		size_t k = count;

		if (script[i] >= 'a') {
			spans[count++] =
			    (struct drawn_span){ script[i], ns, INT64_MAX };
			continue;
		}
		while (k > 0 && (spans[k - 1].letter != (script[i] | 32) ||
				    spans[k - 1].to_ns != INT64_MAX))
			k--;
		if (k > 0)
			spans[k - 1].to_ns = ns;
	}
	qsort(spans, count, sizeof(*spans), compare_drawn);
	return count;
}

/* The spans as Perfetto draws them: it sorts events by time, and an end ends
 * the last begin of its track. */
static size_t
drawn_of(struct drawn_span *spans)
{
	static size_t open[TRACKS_MAX][SCRIPT_MAX];
	size_t depth[TRACKS_MAX] = { 0 }, count = 0, left = event_count, next;
	static bool taken[EVENTS_MAX];

	memset(taken, 0, sizeof(taken));
	for (; left > 0; left--) {
		uint64_t track;

		next = event_count;
		for (size_t i = 0; i < event_count; i++)
			if (!taken[i] &&
			    (next == event_count || times[i] < times[next]))
				next = i;
		taken[next] = true;
		track = pb_value(events[next], 11);
		if (pb_value(events[next], 9) == 1) {
			open[track][depth[track]++] = count;
			spans[count++] = (struct drawn_span){
				text(NAME, pb_value(events[next], 10)).data[0],
				times[next], INT64_MAX
			};
		} else if (pb_value(events[next], 9) == 2) {
			ck_assert_uint_gt(depth[track], 0);
			spans[open[track][--depth[track]]].to_ns = times[next];
		}
	}
	qsort(spans, count, sizeof(*spans), compare_drawn);
	return count;
}

static void
check_drawn(const char *script, uint64_t observed, unsigned each)
{
	static struct drawn_span truth[SCRIPT_MAX], drawn[SCRIPT_MAX];
	size_t count;

	put_spans(script, observed, each);
	read_all(tl_bytes(got.data, got.size));
	count = spans_of(script, each, truth);
	ck_assert_uint_eq(drawn_of(drawn), count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(compare_drawn(&truth[i], &drawn[i]) == 0,
		    "%s: %c from %lld to %lld is drawn %c from %lld to %lld",
		    script, truth[i].letter, (long long)truth[i].from_ns,
		    (long long)truth[i].to_ns, drawn[i].letter,
		    (long long)drawn[i].from_ns, (long long)drawn[i].to_ns);
	ck_assert_uint_eq(said_count, 0);
}

static const struct {
	const char *script;
	unsigned lanes;
} crossings[] = { { "aAbB", 1 }, { "abBA", 1 }, { "aAbBabBA", 1 },
	{ "abAB", 2 }, { "abABabBA", 2 }, { "abA", 2 }, { "abcABC", 3 },
	{ "abcACB", 2 }, { "abABcdCD", 2 } };

TEST(spans_that_cross_have_their_lengths, .to = 2 * TL_COUNT(crossings))
{
	unsigned lanes = 0;

	check_drawn(crossings[_i / 2].script, _i % 2 ? 7 : TL_OBSERVED, 1);
	for (unsigned i = 0; i < TRACKS_MAX; i++) {
		struct field thread;

		if (!tracks[i].data)
			continue;
		if (pb_find(tracks[i], 4, &thread)) {
			lanes++;
		} else if (!pb_find(tracks[i], 3, &thread)) {
			lanes++;
			ck_assert(pb_is(pb_bytes(tracks[i], 2), "thread 5"));
			ck_assert(pb_find(tracks[pb_value(tracks[i], 5)], 4,
			    &thread));
		}
	}
	ck_assert_uint_eq(lanes, crossings[_i / 2].lanes);
}

/* Foreign files have times that several events share. */
TEST(spans_that_begin_at_one_time_nest_as_they_were)
{
	check_drawn("abcCdDBAaA", TL_OBSERVED, 3);
}

TEST(spans_that_cross_at_random_have_their_lengths, .to = 20)
{
	uint64_t state = (uint64_t)_i + 1;
	char script[SCRIPT_MAX / 2 + 1];
	unsigned open[LETTERS] = { 0 }, all = 0;

	for (unsigned i = 0; i < SCRIPT_MAX / 2; i++) {
		const unsigned letter = (unsigned)random_below(&state, LETTERS);
		const bool begins = open[letter] == 0 ||
				    (all < 12 && random_below(&state, 2) == 0);

		script[i] = (char)((begins ? 'a' : 'A') + (int)letter);
		open[letter] += begins ? 1 : -1u;
		all += begins ? 1 : -1u;
	}
	script[SCRIPT_MAX / 2] = 0;
	check_drawn(script, _i % 2 ? 7 : TL_OBSERVED, 1);
}

/* Find the value of an event's annotation. */
static struct field
argument(struct tl_bytes event, const char *name)
{
	struct field field, value;

	while (pb_next(&event, &field)) {
		if (field.number != 4 ||
		    !pb_is(text(ARGUMENT, pb_value(field.bytes, 1)), name))
			continue;
		ck_assert(pb_next(&field.bytes, &value));
		ck_assert(pb_next(&field.bytes, &value));
		ck_assert_uint_eq(field.bytes.size, 0);
		return value;
	}
	ck_abort_msg("no argument %s", name);
}

static char many[60000];

static struct tl_bytes
get_large(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	memset(many, 'x', sizeof(many));
	memcpy(many, &(uint32_t){ (uint32_t)n | 0x40404040 }, 4);
	return tl_bytes(many, sizeof(many));
}

TEST(strings_beyond_what_is_kept_are_written_in_full)
{
	static const struct tl_strings strings = { get_large };
	struct tl_message message = { .kind = TIMELINE_RECORD_INSTANT,
		.level = 6,
		.strings = &strings };
	struct tl_event event = { .kind = TL_INSTANT, .message = &message };
	struct field first, last;

	ck_assert_ok(
	    tl_message_parse(&message, tl_bytes_of("a $x%s and $y%s")));
	for (uint64_t i = 0; i < 700; i++) {
		event.args[0] = 2 * i;
		event.args[1] = 2 * i + 1;
		put(&event);
	}
	event.args[0] = 0; /* interned since the first event */
	put(&event);
	finish();
	read_all(tl_bytes(got.data, got.size));
	first = argument(events[0], "x");
	last = argument(events[699], "x");
	ck_assert_uint_eq(first.number, 17);
	ck_assert_uint_eq(last.number, 6);
	ck_assert_uint_eq(last.bytes.size, sizeof(many));
	ck_assert_uint_eq(argument(events[699], "y").bytes.size, sizeof(many));
	ck_assert_mem_ne(last.bytes.data, argument(events[699], "y").bytes.data,
	    4);
	ck_assert_uint_eq(argument(events[700], "x").value, first.value);
}

TEST(an_error_of_the_output_stops_the_caller)
{
	write_rc = -ENOSPC;
	ck_assert_int_eq(writer->sink.finish(&writer->sink), -ENOSPC);
}
