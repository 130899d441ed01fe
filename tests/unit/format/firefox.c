/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox.c - profiles: columns of threads and counters, schemas
 * of messages.
 */
#include "event/spans.h"
#include "firefox_fixture.h"
#include "lib/random.h"
#include "lib/test.h"

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(threads_and_counters_are_tables)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	ck_assert_uint_eq(check_tables(), SHARED_TABLES + 2 * 5 + 3);
	is_at("meta.preprocessedProfileVersion", "63");
	is_at("meta.startTime", "1795202658000");
	is_at("meta.profilingStartTime", "123.456789");
	is_at("meta.profilingEndTime", "1123.458924");
	is_at("threads.0.markers.length", "3");
	is_at("threads.1.markers.length", "1");
	is_at("threads.2.markers.length", "3");
	is_at("threads.3.markers.length", "1");
	is_at("threads.4.markers.length", "1");
	is_at("threads.5.markers.length", "");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - raw stamp, number, lane and error of an event have no "
	    "place in the format (17 times)\n"
	    "-95 - a counter's value of 2^53 or more is rounded\n");
}

TEST(an_instant_has_its_arguments_with_all_their_bits)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	is_at(MARKERS "phase.0", "0");
	is_at(MARKERS "startTime.0", "123.456789");
	is_at(MARKERS "endTime.0", "null");
	is_at(MARKERS "category.0", "1");
	is_at("meta.categories.1.name", "'net'");
	is_at("meta.categories.2.name", "'http'");
	is_at("meta.categories.5.name", "");
	is_at(MARKERS "name.0", "1");
	is_at("shared.stringArray.1", "'processed tcp, udp, and other'");
	is_at(MARKERS "data.0.type", "'m0'");
	is_at(MARKERS "data.0.$priority", "'trace'");
	is_at(MARKERS "data.0.tcp", "'18446744073709551615'");
	is_at(MARKERS "data.0.udp", "'-9223372036854775808'");
	is_at(MARKERS "data.0.other", "'0xffffffffffffffff'");
	is_at(MARKERS "data.0.$cpu", "0");
	is_at(MARKERS "data.2.tcp", "1");
	is_at(MARKERS "data.2.$cpu", ""); /* unknown */
	is_at("threads.3.markers.data.0.r", "0.5");
	is_at("threads.3.markers.data.0.t", "-0.001500");
	is_at("threads.2.markers.data.1.r", "'NaN'");
}

TEST(a_message_has_a_schema)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	is_at("meta.markerSchema.0.name", "'m0'");
	is_at("meta.markerSchema.0.tableLabel",
	    "'processed tcp({marker.data.tcp}), udp({marker.data.udp}), "
	    "and other({marker.data.other})'");
	is_at("meta.markerSchema.0.description",
	    "'Priority trace, src/server.c:101. Packets of one pass.'");
	is_at("meta.markerSchema.0.fields.1.key", "'tcp'");
	is_at("meta.markerSchema.0.fields.1.format", "'integer'");
	is_at("meta.markerSchema.0.fields.3.format", "'string'");
	is_at("meta.markerSchema.1.fields.1.format", "'string'");
	is_at("meta.markerSchema.1.fields.2.format", "'duration'");
	is_at("meta.markerSchema.2.fields.2.format", "'unique-string'");
	is_at("meta.markerSchema.5.name", "'lost'");
}

TEST(a_span_is_one_marker)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	is_at(MARKERS "phase.1", "1");
	is_at(MARKERS "startTime.1", "123.456799");
	is_at(MARKERS "endTime.1", "123.457909");
	is_at(MARKERS "data.1.id", "7");
	is_at(MARKERS "data.1.path", "4");
	is_at("shared.stringArray.4", "'/index'");
	is_at(MARKERS "data.1.id$end", ""); /* the same */
	is_at("threads.2.markers.data.0.id", "8");
	is_at("threads.2.markers.data.0.id$end", ""); /* bare */
	/* A begin without an end stands last. */
	is_at("threads.2.markers.phase.2", "2");
	is_at("threads.2.markers.endTime.2", "null");
	is_at("threads.2.markers.data.2.path", "9");
	is_at("shared.stringArray.9", "'#77'");
}

TEST(an_end_tells_what_has_changed)
{
	struct tl_event e = { .message = &b,
		.ns = 5,
		.kind = TL_BEGIN,
		.cpu = 2,
		.pid = 41,
		.tid = 41,
		.args = { 1, 2 } };

	put(&e);
	e.kind = TL_END;
	e.args[0] = UINT64_C(1) << 53;
	e.cpu = 3;
	put(&e);
	finish();
	is_at(MARKERS "data.0.x", "1");
	is_at(MARKERS "data.0.x$end", "'9007199254740992'");
	is_at(MARKERS "data.0.y$end", "");
	is_at(MARKERS "data.0.$cpu", "2");
	is_at(MARKERS "data.0.$cpu$end", "3");
	is_at("threads.0.isMainThread", "true");
	is_at("threads.0.name", "'process 41'");
}

TEST(a_source_has_a_thread_of_its_own)
{
	begin(&a, 10, 1);
	begin(&lock, 20, 1);
	end(&lock, 30, 2);
	end(&a, 40, 1);
	finish();
	is_at("threads.0.name", "'thread 1'");
	is_at("threads.1.name", "'lock'");
	is_at("threads.1.tid", "'source 1'");
	is_at("threads.1.pid", "'41'");
	is_at("threads.1.markers.length", "1");
	is_at("threads.1.markers.phase.0", "1");
	is_at("threads.1.markers.data.0.$thread", "'41/1'");
	is_at("threads.1.markers.data.0.$thread$end", "'41/2'");
	is_at("threads.2.name", "");
}

TEST(lonely_spans_are_begins_and_ends)
{
	end(&a, 10, 1);
	begin(&a, 20, 1);
	begin(&a, 30, 1);
	end(&a, 50, 1);
	end(&c, 60, 1);
	finish();
	is_at(MARKERS "length", "4");
	is_at(MARKERS "phase.0", "3");
	is_at(MARKERS "startTime.0", "null");
	is_at(MARKERS "endTime.0", "0.000010");
	is_at(MARKERS "phase.1", "1");
	is_at(MARKERS "startTime.1", "0.000030");
	is_at(MARKERS "phase.2", "3");
	is_at(MARKERS "phase.3", "2");
	is_at(MARKERS "startTime.3", "0.000020");
	ck_assert_uint_eq(check_tables(), SHARED_TABLES + 2);
}

/* Phase 0 is an instant. */
TEST(what_is_not_known_to_be_a_span_is_instants)
{
	static const uint64_t observed[] = { 5, 6, 6, 6 };
	static const uint8_t kinds[] = { TL_BEGIN, TL_END, TL_BEGIN, TL_END };

	for (unsigned i = 0; i < 4; i++) {
		const struct tl_event event = { .message = &a,
			.kind = kinds[i],
			.ns = 10 + i,
			.pid = 41,
			.tid = 1,
			.observed = observed[i] };

		ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &event),
		    0);
	}
	finish();
	is_at(MARKERS "length", "3");
	is_at(MARKERS "phase.0", "0");
	is_at(MARKERS "phase.1", "1");
	is_at(MARKERS "phase.2", "0");
}

TEST(begins_are_not_forgotten)
{
	const uint32_t count = TL_SPANS_OPEN_MAX + 3;
	struct phases phases;

	for (uint32_t i = 0; i < count; i++)
		begin(&a, i, 1);
	end(&a, count, 1);
	finish();
	phases = count_phases();
	ck_assert_uint_eq(phases.count[1], 1);
	ck_assert_uint_eq(phases.count[2], count - 1);
	ck_assert_uint_eq(phases.count[3], 0);
}

TEST(a_span_outlasts_many_others)
{
	const int64_t count = TL_SPANS_OPEN_MAX + 3;
	struct phases phases;

	begin(&c, 0, 1);
	for (int64_t i = 0; i < count; i++) {
		begin(&a, i, 1);
		end(&a, i, 1);
	}
	end(&c, count, 1);
	finish();
	phases = count_phases();
	ck_assert_uint_eq(phases.count[1], (uint64_t)count + 1);
	ck_assert_uint_eq(phases.count[2], 0);
}

TEST(a_span_ends_no_earlier_than_it_begins)
{
	begin(&a, 500, 1);
	end(&a, 400, 1);
	finish();
	is_at(MARKERS "startTime.0", "0.000500");
	is_at(MARKERS "endTime.0", "0.000500");
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.noted.text),
	    "-95 - a time that goes back within a span or a counter stands "
	    "still\n"));
}

TEST(a_duration_that_a_double_changes_is_a_string)
{
	struct tl_event e = { .message = &a, .kind = TL_INSTANT };

	make_message(&a, TIMELINE_THREAD, "$x%t");
	e.args[0] = (UINT64_C(1) << 33) * 1000000 - 1;
	put(&e);
	e.args[0]++;
	put(&e);
	e.args[0] = (uint64_t)INT64_MIN;
	put(&e);
	finish();
	is_at(MARKERS "data.0.x", "8589934591.999999");
	is_at(MARKERS "data.1.x", "'8589934592.000000'");
	is_at(MARKERS "data.2.x", "'-9223372036854.775808'");
}

/* Begins and ends in any order, and stacks that pair them. */
TEST(every_event_is_told_of_once)
{
	enum { THREADS = 3, EVENTS = 5000 };
	const struct tl_message *const messages[] = { &a, &b, &c };
	uint64_t open[THREADS][3] = { { 0 } }, state = 11;
	struct phases want = { 0 }, got;

	for (int64_t i = 0; i < EVENTS; i++) {
		const uint32_t tid = (uint32_t)random_below(&state, THREADS);
		const uint64_t which = random_below(&state, 3);
		const uint64_t kind = random_below(&state, 3);

		if (kind == 0) {
			put_event(TL_INSTANT, messages[which], i, tid + 1);
			want.count[0]++;
		} else if (kind == 1) {
			begin(messages[which], i, tid + 1);
			open[tid][which]++;
		} else {
			end(messages[which], i, tid + 1);
			want.count[open[tid][which] > 0 ? 1 : 3]++;
			open[tid][which] -= open[tid][which] > 0;
		}
	}
	for (unsigned i = 0; i < THREADS * 3; i++)
		want.count[2] += open[i / 3][i % 3];
	finish();
	got = count_phases();
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(got.count[i], want.count[i]);
	ck_assert_uint_eq(check_tables(), SHARED_TABLES + 2 * THREADS);
}

TEST(hostile_texts_are_texts)
{
	put_set(VIEWERS_HOSTILE, UINT64_MAX);
	ck_assert_uint_eq(check_tables(), SHARED_TABLES + 2 + 1);
	for (size_t i = 0; i < f.out.size; i++) {
		const unsigned char byte = (unsigned char)f.out.data[i];

		MUST(byte == '\n' || (byte >= 0x20 && byte != 0x7f));
	}
	/* U+FFFD for what is no UTF-8, and no braces that ask for values */
	is_at("meta.markerSchema.0.tableLabel",
	    "'evil \" */ ); int({marker.data.int}) 'x' "
	    "\xef\xbf\xbd\xef\xbf\xbd \x7f ?\?/ 9x({marker.data.9x})'");
	is_at(MARKERS "length", "3");
	is_at(MARKERS "data.0.int", "2");
	is_at("shared.stringArray.3", "''");
	is_at("shared.stringArray.4", "'#6'");
}

TEST(names_that_the_viewer_asks_for_are_marked)
{
	make_message(&a, TIMELINE_THREAD,
	    "$type of {$cause%x} in $__proto__ and $types");
	put_event(TL_INSTANT, &a, 7, 1);
	finish();
	is_at(MARKERS "data.0.type", "'m0'");
	is_at(MARKERS "data.0.$type", "0");
	is_at(MARKERS "data.0.$cause", "'0x0'");
	is_at(MARKERS "data.0.$__proto__", "0");
	is_at(MARKERS "data.0.types", "0");
	is_at("meta.markerSchema.0.fields.1.key", "'$type'");
	is_at("meta.markerSchema.0.fields.1.label", "'type'");
	is_at("meta.markerSchema.0.tableLabel",
	    "'type({marker.data.$type}) of (cause({marker.data.$cause})) in "
	    "__proto__({marker.data.$__proto__}) and "
	    "types({marker.data.types})'");
}

TEST(holes_have_a_thread_of_their_own)
{
	put_set(VIEWERS_LOSSY, UINT64_MAX);
	is_at("threads.0.name", "'entries lost'");
	is_at("threads.0.tid", "'lost'");
	is_at(MARKERS "length", "3");
	is_at(MARKERS "name.0", "0");
	is_at("shared.stringArray.0", "'entries lost'");
	is_at(MARKERS "data.0.lost", "11");
	is_at(MARKERS "data.1.lost", "500");
	is_at(MARKERS "data.2.lost", "3");
	is_at("threads.1.markers.length", "3");
}

TEST(a_hole_without_a_time_stands_where_it_is_met)
{
	struct tl_event hole = { .kind = TL_LOST, .lost = 5, .lane = 2 };

	put(&hole);
	put(&hole);
	begin(&a, VIEWERS_NS, 1);
	put(&hole);
	end(&a, VIEWERS_NS + 1000, 1);
	finish();
	is_at("meta.startTime", "1795202658000");
	is_at(MARKERS "length", "2");
	is_at(MARKERS "startTime.0", "123.456789");
	is_at(MARKERS "data.0.lost", "10");
	is_at(MARKERS "startTime.1", "123.456789");
	is_at("threads.1.markers.data.0.$lossy",
	    "'entries were lost before its end'");
}

TEST(nothing_is_a_profile_too)
{
	finish();
	ck_assert_uint_eq(check_tables(), SHARED_TABLES + 2);
	is_at("threads.0.name", "'timeline'");
	is_at("threads.1.name", "");
	is_at("meta.startTime", "0");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
}

TEST(an_origin_is_told)
{
	const struct tl_origin origin = { .machine = "host \"a\"",
		.command = "server",
		.pid = 41,
		.monotonic_ns = INT64_C(1795202000000000000) };

	tl_writer_set_origin(f.writer, &origin);
	tl_writer_set_title(f.writer, "a day");
	put_event(TL_INSTANT, &a, VIEWERS_NS, 41);
	put_event(TL_INSTANT, &a, VIEWERS_NS, 42);
	finish();
	is_at("meta.product", "'a day'");
	is_at("meta.device", "'host \"a\"'");
	is_at("meta.extra.0.entries.1.value", "'server'");
	is_at("meta.extra.0.entries.2.value", "'41'");
	is_at("meta.startTimeAsClockMonotonicNanosecondsSinceBoot",
	    "658000000000");
	is_at("threads.0.name", "'server'");
	is_at("threads.1.name", "'thread 42'");
	is_at("threads.1.processName", "'server'");
}
