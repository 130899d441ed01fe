/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto.c - Perfetto traces, read by the field numbers that Perfetto
 * publishes.
 */
#include "format/perfetto/write.h"

#include "base/array.h"
#include "lib/perfetto_read.h"
#include "lib/random.h"
#include "lib/test.h"
#include "lib/viewers.h"
#include "writer_fixture.h"

#include <errno.h>

static const struct tl_origin origin = { .machine = "host-a",
	.command = "server",
	.pid = 40,
	.monotonic_ns = VIEWERS_NS - 1000,
	.boottime_ns = VIEWERS_NS + 1 };

static void
setup(void)
{
	writer_setup(tl_perfetto_write_new);
	tl_writer_facts(writer)->origin = origin;
}

static void
put_set(enum viewers_set set, uint64_t count)
{
	struct tl_event event = { 0 };

	for (uint64_t i = 0; i < count && viewers_event(set, i, &event); i++)
		put(&event);
	finish();
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

static void
is_argument(size_t i, const char *name, uint32_t number, uint64_t value)
{
	const struct field field = argument(events[i], name);

	ck_assert_uint_eq(field.number, number);
	ck_assert_uint_eq(field.value, value);
}

static void
is_string(size_t i, const char *name, const char *string)
{
	const struct field field = argument(events[i], name);

	ck_assert_uint_eq(field.number, 17);
	ck_assert(pb_is(text(VALUE, field.value), string));
}

static bool
is_named(size_t i, const char *name)
{
	return pb_is(text(NAME, pb_value(events[i], 10)), name);
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 600);

TEST(every_event_is_there_with_its_time)
{
	struct tl_event event = { 0 };

	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	for (size_t i = 0; i < event_count; i++) {
		ck_assert(viewers_event(VIEWERS_PLAIN, i, &event));
		ck_assert_int_eq(times[i], event.ns);
	}
	ck_assert(!viewers_event(VIEWERS_PLAIN, event_count, &event));
}

TEST(arguments_keep_all_their_bits)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	ck_assert_uint_eq(pb_value(events[0], 9), 3);
	ck_assert(is_named(0, "processed tcp, udp, and other"));
	ck_assert(pb_is(text(CATEGORY, pb_value(events[0], 3)), "net"));
	is_argument(0, "tcp", 3, UINT64_MAX);
	is_argument(0, "udp", 4, (uint64_t)INT64_MIN);
	is_argument(0, "other", 7, UINT64_MAX);
	is_argument(0, "cpu", 3, 0);
	is_string(0, "priority", "trace");
	is_argument(4, "r", 5, HALF);
	is_argument(4, "t", 4, (uint64_t)-1500);
	is_string(1, "path", "/index");
	ck_assert_uint_eq(argument(events[15], "path").number, 6);
	ck_assert(pb_is(argument(events[15], "path").bytes, "#77"));
}

TEST(spans_begin_and_end_by_name_on_their_tracks)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	ck_assert_uint_eq(pb_value(events[1], 9), 1);
	ck_assert_uint_eq(pb_value(events[6], 9), 2);
	ck_assert(is_named(6, "request id to path"));
	ck_assert_uint_eq(pb_value(events[1], 11), pb_value(events[6], 11));
	/* a span of scope TIMELINE_SOURCE: any thread may end it */
	ck_assert_uint_eq(pb_value(events[2], 11), pb_value(events[7], 11));
	ck_assert(is_named(11, "GameThread"));
	ck_assert(
	    pb_is(pb_bytes(tracks[pb_value(events[11], 11)], 2), "GameThread"));
}

TEST(threads_stand_under_their_process)
{
	struct tl_bytes track, process;

	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	track = tracks[pb_value(events[5], 11)];
	ck_assert_uint_eq(pb_value(pb_bytes(track, 4), 1), 41);
	ck_assert_uint_eq(pb_value(pb_bytes(track, 4), 2), 52);
	process = pb_bytes(tracks[pb_value(track, 5)], 3);
	ck_assert_uint_eq(pb_value(process, 1), 41);
	track = tracks[pb_value(events[0], 11)];
	process = pb_bytes(tracks[pb_value(track, 5)], 3);
	ck_assert(pb_is(pb_bytes(process, 6), "server"));
}

TEST(a_counter_has_a_track_for_each_process)
{
	struct tl_bytes track;
	double nearest = 18446744073709551616.0;
	uint64_t bits;

	memcpy(&bits, &nearest, sizeof(bits));
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	ck_assert_uint_eq(pb_value(events[3], 9), 4);
	ck_assert_uint_eq(pb_value(events[3], 30), 3);
	ck_assert_uint_eq(pb_value(events[9], 44), bits);
	ck_assert_uint_eq(pb_value(events[13], 44), HALF);
	ck_assert_uint_eq(pb_value(events[3], 11), pb_value(events[9], 11));
	ck_assert_uint_ne(pb_value(events[3], 11), pb_value(events[10], 11));
	track = tracks[pb_value(events[3], 11)];
	ck_assert(pb_is(pb_bytes(track, 2), "depth length"));
	ck_assert(pb_is(pb_bytes(pb_bytes(track, 8), 2), "queue"));
	ck_assert_str_eq(said[0],
	    "Perfetto has no counters of 2^63 and above: rounded to a double");
}

TEST(a_counter_of_durations_is_one_of_nanoseconds)
{
	put_set(VIEWERS_HOSTILE, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(pb_value(pb_bytes(tracks[pb_value(events[3], 11)], 8),
			      3),
	    1);
}

TEST(the_snapshot_tells_every_clock_there_was)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_int_eq(clock_of(1), VIEWERS_NS);
	ck_assert_int_eq(clock_of(64), VIEWERS_NS);
	ck_assert_int_eq(clock_of(3), 1000);
	ck_assert_int_eq(clock_of(6), -1); /* this clock began later */
	ck_assert_uint_eq(pb_value(snapshot, 2), 1);
	ck_assert(pb_is(pb_bytes(machine, 17), "host-a"));
}

TEST(a_trace_of_now_knows_this_machine)
{
	struct tl_origin here;

	tl_origin_here(&here);
	ck_assert_int_gt(here.monotonic_ns, 0);
	ck_assert_int_le(here.boottime_ns, here.monotonic_ns + 1000000000);
	tl_writer_facts(writer)->origin = here;
	put_set(VIEWERS_BACK, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_int_eq(clock_of(6), -1); /* the clock would read 1970 */
}

TEST(a_clock_that_is_set_back_is_told_as_it_is)
{
	put_set(VIEWERS_BACK, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, 4);
	ck_assert_int_eq(times[0], 0);
	ck_assert_int_eq(times[1], VIEWERS_NS);
	ck_assert_int_eq(times[2], VIEWERS_NS - 20);
	ck_assert_int_eq(times[3], VIEWERS_NS + 10);
	ck_assert_str_eq(said[0],
	    "Perfetto has no time before 1970: taken for its begin");
}

TEST(losses_have_a_track)
{
	put_set(VIEWERS_LOSSY, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, 6);
	ck_assert(is_named(3, "entries lost"));
	is_argument(3, "lost", 3, 500);
	is_argument(3, "lane", 3, 0);
	is_argument(3, "cpu", 3, 0);
	ck_assert_uint_eq(pb_value(events[3], 11), pb_value(events[5], 11));
}

TEST(overwritten_entries_are_counted_by_that_name)
{
	struct tl_event event = { 0 };
	size_t losses = 0;

	for (uint64_t i = 0; viewers_event(VIEWERS_LOSSY, i, &event); i++) {
		event.overwritten = !event.message;
		put(&event);
	}
	finish();
	read_all(tl_bytes(got.data, got.size));
	for (size_t i = 0; i < event_count; i++) {
		if (!is_named(i, "entries overwritten"))
			continue;
		if (losses++ == 0)
			is_argument(i, "overwritten", 3, 11);
	}
	ck_assert_uint_gt(losses, 0);
}

TEST(overlaps_with_another_host_are_an_argument)
{
	static const struct tl_origin hosts[] = { { .machine = "a" },
		{ .timeline = "file" }, { .machine = "b" },
		{ .machine = "a", .timeline = "two" } };
	struct tl_event event = { 0 };

	tl_writer_set_sources(writer, hosts, 4);
	for (uint64_t i = 0; i < 12; i++) {
		ck_assert(viewers_event(VIEWERS_MANY, i, &event));
		event.source = (uint16_t)(i % 4);
		event.overlaps = i == 5;
		put(&event);
	}
	finish();
	ck_assert_uint_eq(said_count, 1);
	read_all(tl_bytes(got.data, got.size));
	sort_events();
	is_argument(5, "overlaps", 3, 1);
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

TEST(hostile_texts_steer_nothing)
{
	put_set(VIEWERS_HOSTILE, UINT64_MAX);
	read_all(tl_bytes(got.data, got.size));
	ck_assert(pb_is(text(CATEGORY, pb_value(events[0], 3)),
	    "a\"b\\\\c*/\\n\\x1b[2J\\xe2\\x80\\xae"));
	is_string(0, "int", "\"; }\\x00*/ \\x1b]0;x\\x07 \xc3\xa9 \\xff");
	is_argument(0, "9x", 4, 1);
	is_string(1, "int", "");
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

TEST(a_trace_without_events_is_one)
{
	finish();
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, 0);
	ck_assert_int_eq(clock_of(1), 0);
}

TEST(an_error_of_the_output_stops_the_caller)
{
	write_rc = -ENOSPC;
	ck_assert_int_eq(writer->sink.finish(&writer->sink), -ENOSPC);
}

TEST(what_a_viewer_does_not_get_is_said_once)
{
	put_set(VIEWERS_MANY, 1000);
	ck_assert_uint_eq(said_count, 1);
	ck_assert_str_eq(said[0], "Perfetto has no place for a message's "
				  "explanation: left out");
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, 1000);
	ck_assert_uint_eq(text_count[CATEGORY], 4);
}

enum { STATE = 1, OTHER, CONTEXT };

static struct tl_bytes
get_sched(const struct tl_strings *strings, uint64_t n)
{
	static const char *const words[] = { "", "D", "another", "interrupt" };

	(void)strings;
	return n < 4 ? tl_bytes_of(words[n]) : tl_bytes(NULL, 0);
}

/* Read the bundles and the one event in each of them. */
static unsigned
read_bundles(struct tl_bytes cpu_and_event[8])
{
	struct tl_bytes in = tl_bytes(got.data, got.size);
	struct field packet, bundle;
	unsigned count = 0;

	while (pb_next(&in, &packet))
		if (pb_find(packet.bytes, 1, &bundle)) {
			ck_assert_uint_lt(count, 8);
			cpu_and_event[count++] = bundle.bytes;
		}
	return count;
}

static void
put_sched(struct tl_message *m, const char *text, int64_t ns, uint32_t tid,
    uint32_t cpu, const uint64_t args[3])
{
	static const struct tl_strings strings = { get_sched };
	struct tl_event event = { .kind = TL_INSTANT,
		.message = m,
		.ns = ns,
		.tid = tid,
		.pid = 7,
		.cpu = cpu };

	if (m->line1.size == 0) {
		*m = (struct tl_message){ .kind = TIMELINE_RECORD_INSTANT,
			.category = tl_bytes_of("sched"),
			.level = 6,
			.strings = &strings };
		ck_assert_ok(tl_message_parse(m, tl_bytes_of(text)));
	}
	memcpy(event.args, args, 3 * sizeof(args[0]));
	put(&event);
}

/*
 * Thread 8 runs on CPU 1 and waits for I/O while another thread runs.  It is
 * woken in an interrupt on CPU 0 and runs again on CPU 1.  The interrupt
 * remains a slice.
 */
static void
put_wait(int64_t from)
{
	static struct tl_message out, in, woken, fault;
	const uint64_t none[3] = { 0 };

	out = in = woken = fault = (struct tl_message){ 0 };
	put_sched(&in, "switched in", from, 8, 1, none);
	put_sched(&out, "switched out as $state%s for $next $name%s", from + 10,
	    8, 1, (uint64_t[]){ STATE, 99, OTHER });
	put_sched(&woken, "woken by $by $name%s in $context%s", from + 20, 8, 0,
	    (uint64_t[]){ 42, OTHER, CONTEXT });
	put_sched(&in, "switched in", from + 30, 8, 1, none);
	put_sched(&out, "switched out as $state%s for $next $name%s", from + 40,
	    8, 1, (uint64_t[]){ STATE, 9, OTHER });
	/* repeats the switch before it */
	put_sched(&in, "switched in", from + 40, 9, 1, none);
	put_sched(&fault, "fault at $address%x", from + 50, 9, 1, none);
	put_sched(&in, "switched in", from + 60, 8, 4096, none);
	finish();
}

TEST(switches_and_wakings_of_the_kernel_are_ftrace_events)
{
	static const uint32_t pids[5][2] = { { 0, 8 }, { 8, 99 }, { 0, 0 },
		{ 99, 8 }, { 8, 9 } };
	struct tl_bytes bundles[8], event, inner;
	struct tl_origin booted = origin;

	booted.boottime_ns = VIEWERS_NS - 500;
	tl_writer_facts(writer)->origin = booted;
	put_wait(VIEWERS_NS);
	read_all(tl_bytes(got.data, got.size));
	/* the fault, and the switch on CPU 4096 */
	ck_assert_uint_eq(event_count, 2);
	ck_assert_uint_eq(read_bundles(bundles), 5);
	for (unsigned i = 0; i < 5; i++) {
		event = pb_bytes(bundles[i], 2);
		ck_assert_uint_eq(pb_value(bundles[i], 1), i != 2);
		ck_assert_uint_eq(pb_value(event, 1), 500 + 10 * i);
		ck_assert_uint_eq(pb_value(event, 2), i == 2 ? 42 : pids[i][0]);
		if (i == 2)
			continue;
		inner = pb_bytes(event, 4);
		ck_assert_uint_eq(pb_value(inner, 2), pids[i][0]);
		ck_assert_uint_eq(pb_value(inner, 6), pids[i][1]);
		ck_assert_uint_eq(pb_value(inner, 4), i % 3 == 1 ? 2 : 0);
	}
	ck_assert(pb_is(pb_bytes(pb_bytes(pb_bytes(bundles[1], 2), 4), 5),
	    "another"));
	event = pb_bytes(bundles[2], 2);
	ck_assert_uint_eq(pb_value(event, 5), 8);
	ck_assert_uint_eq(pb_value(pb_bytes(event, 20), 2), 8);
}

TEST(without_boottime_they_stay_instants)
{
	struct tl_bytes bundles[8];

	/* these times are before the start of the machine */
	put_wait(VIEWERS_NS);
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, 8);
	ck_assert_uint_eq(read_bundles(bundles), 0);
}

/* Put an event of one message, a nanosecond later each time. */
static void
put_job(unsigned kind, uint64_t observed)
{
	static struct tl_message job;
	static int64_t ns;
	struct tl_event event = { .message = &job,
		.kind = (uint8_t)kind,
		.ns = VIEWERS_NS + ++ns,
		.pid = 41,
		.tid = 42,
		.cpu = 3,
		.level = 4,
		.observed = observed,
		.args = { 7 } };

	if (!job.category.data) {
		job = (struct tl_message){ .category = tl_bytes_of("net"),
			.kind = TIMELINE_RECORD_SPAN,
			.level = 4 };
		ck_assert_ok(tl_message_parse(&job, tl_bytes_of("job $id")));
	}
	put(&event);
}

/*
 * Check the types of all events, a digit each: 1 begins, 2 ends, 3 is an
 * instant.
 */
static void
has_types(const char *types)
{
	finish();
	read_all(tl_bytes(got.data, got.size));
	ck_assert_uint_eq(event_count, strlen(types));
	for (size_t i = 0; i < event_count; i++)
		ck_assert_uint_eq(pb_value(events[i], 9),
		    (uint64_t)(types[i] - '0'));
}

TEST(a_begin_and_an_end_of_two_observed_intervals_are_instants)
{
	put_job(TL_BEGIN, 5);
	put_job(TL_END, 6);
	put_job(TL_BEGIN, 6);
	put_job(TL_END, 6);
	has_types("3123");
	is_string(0, "alone", "end");
	is_string(3, "alone", "begin");
	ck_assert_int_eq(times[3], VIEWERS_NS + 1);
	is_argument(3, "id", 4, 7);
	is_argument(3, "cpu", 3, 3);
	ck_assert_int_eq(times[1], VIEWERS_NS + 3);
}

TEST(a_pair_of_time_that_is_not_observed_is_two_instants)
{
	put_job(TL_BEGIN, TL_UNOBSERVED);
	put_job(TL_END, TL_UNOBSERVED);
	has_types("33");
}

TEST(an_end_without_a_begin_is_an_instant)
{
	put_job(TL_END, TL_OBSERVED);
	has_types("3");
}

TEST(a_span_that_is_open_at_the_end_has_its_begin)
{
	put_job(TL_BEGIN, 5);
	put_job(TL_INSTANT, 5);
	has_types("31");
}
