/* SPDX-License-Identifier: Apache-2.0 */
/* svg_charts.c - the places of marks and shapes in each chart. */
#include "lib/test.h"
#include "svg_fixture.h"

#include <math.h>

enum { VALUES = 20000, MARKS = 5 };

static int64_t values[VALUES];

static int
compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The value at a percentile of the sorted values, by the nearest rank. */
static int64_t
dumb_percentile(unsigned count, double percent)
{
	const size_t rank = (size_t)ceil(percent * count / 100 - 1e-6);

	return values[rank > 0 ? rank - 1 : 0];
}

/* Parse "p50 1.234us" into nanoseconds, and find the middle of the text. */
static int64_t
read_mark(const char *name, double *x)
{
	const char *svg = tl_text_string(&f.out);
	char start[24], duration[32];
	const char *at;
	int64_t ns;

	snprintf(start, sizeof(start), ">%s ", name);
	ck_assert_ptr_nonnull(at = strstr(svg, start));
	snprintf(duration, sizeof(duration), "%.*s",
	    (int)strcspn(at + strlen(start), "<"), at + strlen(start));
	ck_assert_int_eq(tl_parse_duration(duration, &ns), 0);
	while (strncmp(at, " x=\"", 4) != 0)
		at--;
	*x = strtod(at + 4, NULL);
	return ns;
}

static void
check_percentiles(unsigned count)
{
	static const struct {
		const char *name;
		double percent;
	} marks[MARKS] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 },
		{ "p99.9", 99.9 }, { "max", 100 } };
	double x, before_x = -100;
	int64_t ns, before = 0;

	qsort(values, count, sizeof(values[0]), compare);
	for (unsigned i = 0; i < MARKS; i++) {
		const int64_t want = dumb_percentile(count, marks[i].percent);

		ns = read_mark(marks[i].name, &x);
		ck_assert_int_ge(ns, before);
		/* both the bucket and the text keep three digits */
		ck_assert_msg(ns >= want - want / 500 - 1 &&
				  ns <= want + want / 500 + 1,
		    "%s: %lld, not %lld", marks[i].name, (long long)ns,
		    (long long)want);
		ck_assert_msg(x >= before_x + 40 && x > 0 && x < 1200,
		    "%s at %f after %f", marks[i].name, x, before_x);
		before = ns;
		before_x = x;
	}
}

TEST_FILE(.timeout = 60);

TEST(percentiles_are_those_of_sorted_values)
{
	uint64_t state = 7;

	for (unsigned round = 0; round < 40; round++) {
		const unsigned count =
		    round < 5 ? round + 1 : 1 + round * round * 12;
		const unsigned bits = 1 + round % 50;

		svg_start(TL_SVG_LATENCY);
		for (unsigned i = 0; i < count; i++) {
			values[i] =
			    (int64_t)(random_next(&state) >>
				      (random_below(&state, bits) + 64 - bits));
			/* from a minute on texts read 1m23s */
			if (values[i] > INT64_C(50000000000))
				values[i] %= INT64_C(50000000000);
			svg_event(TL_INSTANT, &waited, SVG_NS, 1,
			    (uint64_t)values[i]);
		}
		svg_finish();
		check_percentiles(count);
		foreign_free(&f);
	}
}

/*
 * Bars of 92 pixels: the highest bar is full, and half as many values make half
 * the height.
 */
TEST(a_histogram_has_a_bar_for_each_duration)
{
	svg_start(TL_SVG_LATENCY);
	for (unsigned i = 0; i < 10; i++)
		svg_event(TL_INSTANT, &waited, SVG_NS + i, 1, 1000);
	for (unsigned i = 0; i < 5; i++)
		svg_event(TL_INSTANT, &waited, SVG_NS + i, 1, 1000000);
	svg_event(TL_INSTANT, &waited, SVG_NS + 20, 1, 30000);
	svg_finish();
	svg_has(">net $time: waited time</text>");
	svg_has(">16 values, least 1us, mean ");
	svg_has(">p50 1us<");
	svg_has(">max 1ms<");
	ck_assert_uint_eq(svg_count("class=\"bar\""), 3);
	svg_has(
	    "class=\"bar\" x=\"88\" y=\"156\" width=\"5.46\" height=\"92\"");
	svg_has("y=\"202\" width=\"5.46\" height=\"46\"");
	svg_has(">10<");
	svg_has(">5<");
	svg_has(">1us<");
	svg_has(">10us<");
	svg_has(">100us<");
	svg_has(">1ms<");
	foreign_free(&f);
}

TEST(the_most_frequent_names_have_panels, .to = TL_SVG_SPANS)
{
	static struct tl_message messages[12];
	static char texts[12][16];

	svg_start(_i);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(texts[i], sizeof(texts[i]), "span %02u", i);
		svg_message(&messages[i], TIMELINE_RECORD_SPAN, TIMELINE_THREAD,
		    texts[i]);
		for (unsigned k = 0; k <= i; k++)
			svg_span(&messages[i], SVG_NS + 10 * k,
			    SVG_NS + 10 * k + 5, 1);
	}
	svg_finish();
	ck_assert_uint_eq(svg_count("class=\"name\""), 8);
	svg_has(">net: span 04<");
	svg_has_not(">net: span 03<");
	ck_assert(
	    strstr(f.out.data, "span 11") < strstr(f.out.data, "span 10"));
	svg_has(">not shown: 10 values of 4 further names<");
	foreign_free(&f);
}

TEST(a_heat_map_counts_cells)
{
	svg_start(TL_SVG_HEAT);
	for (unsigned i = 0; i < 100; i++)
		svg_event(TL_INSTANT, &waited, SVG_NS, 1, 1000);
	svg_event(TL_INSTANT, &waited, SVG_NS + 1000000, 1, 1000000);
	svg_finish();
	svg_has(">101 values<");
	/* 1 to 64+ are seven steps, two of which are used */
	svg_has(">64+<");
	ck_assert_uint_eq(svg_count("<path class=\"cells h"), 7);
	ck_assert_uint_eq(svg_count("d=\"M"), 2);
	svg_has("<path class=\"cells h8\" d=\"M88 ");
	foreign_free(&f);
}

TEST(losses_and_levels_are_marked, .from = TL_SVG_HEAT, .to = TL_SVG_CHARTS)
{
	struct tl_message burst = { .category = tl_bytes_of("timeline"),
		.builtin = TIMELINE_BUILTIN_BURST };

	ck_assert_int_eq(tl_message_parse(&burst,
			     tl_bytes_of("burst: $level $base")),
	    0);
	svg_start(_i);
	svg_lose(7, INT64_MAX);
	svg_span(&work, SVG_NS, SVG_NS + 1000, 1);
	svg_lose(9, 0);
	svg_event(TL_INSTANT, &burst, SVG_NS + 500000, 1, 4);
	svg_event(TL_INSTANT, &burst, SVG_NS + 600000, 1, 10);
	svg_event(TL_INSTANT, &burst, SVG_NS + 700000, 1, 99);
	svg_span(&work, SVG_NS + 999000, SVG_NS + 1000000, 1);
	svg_finish();
	svg_has("<title>16 lost</title>");
	ck_assert_uint_eq(svg_count("class=\"lost-mark\""), 1);
	ck_assert_uint_eq(svg_count("class=\"level\""), 2);
	svg_has(">trace</text>");
	svg_has(">nothing</text>");
	svg_has("UTC  (1ms)<");
	foreign_free(&f);
}

TEST(overwritten_entries_are_no_loss, .from = TL_SVG_HEAT, .to = TL_SVG_CHARTS)
{
	const struct tl_event overwritten = { .kind = TL_LOST,
		.lost = 5,
		.overwritten = true };

	svg_start(_i);
	svg_put(&overwritten);
	svg_span(&work, SVG_NS, SVG_NS + 1000, 1);
	svg_finish();
	svg_has(", none lost");
	ck_assert_uint_eq(svg_count("class=\"lost-mark\""), 0);
	foreign_free(&f);
}

/*
 * The plot is 944 pixels wide from 216 on; time ends with a column of 2048 ns.
 */
TEST(spans_lie_over_time_one_in_the_other)
{
	svg_start(TL_SVG_SPANS);
	svg_event(TL_BEGIN, &work, 0, 7, 0);
	svg_span(&part, 262144, 524288, 7);
	svg_event(TL_INSTANT, &note, 524288, 7, 0);
	svg_event(TL_END, &work, 1048575, 7, 0);
	svg_finish();
	svg_has(">41/7</text>");
	svg_has("x=\"216\" y=\"148.5\" width=\"944\" height=\"15\"><title>"
		"net: work 1.048ms</title></rect>");
	svg_has("x=\"452\" y=\"165.5\" width=\"236\" height=\"15\"><title>"
		"net: part n 262.144us</title></rect>");
	svg_has(">work</text>");
	svg_has(">part n</text>");
	svg_has("class=\"i1\" x=\"688\" y=\"139.5\" width=\"1\"");
	svg_has(">3 spans and instants in 3 shapes: ");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
}

TEST(what_has_no_end_goes_to_the_end)
{
	svg_start(TL_SVG_SPANS);
	svg_event(TL_BEGIN, &work, 0, 7, 0);
	svg_event(TL_BEGIN, &lock, 524288, 7, 0);
	svg_event(TL_INSTANT, &note, 1048575, 0, 0);
	svg_finish();
	svg_has(" open\" x=\"216\"");
	svg_has("<title>net: work 1.048ms, not ended</title>");
	svg_has(" open\" x=\"688\"");
	svg_has("<title>net: lock 524.287us, not ended</title>");
	svg_has(">no thread</text>");
	svg_has(">lock</text>");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
}

TEST(what_is_not_known_to_be_a_span_is_not_drawn)
{
	svg_start(TL_SVG_SPANS);
	svg_observed(5);
	svg_event(TL_BEGIN, &work, 0, 7, 0);
	svg_event(TL_BEGIN, &part, 0, 7, 0);
	svg_observed(6);
	svg_event(TL_END, &work, 1048575, 7, 0);
	svg_event(TL_BEGIN, &part, 1048575, 7, 0);
	svg_event(TL_END, &part, 1048575, 7, 0);
	svg_observed(TL_UNOBSERVED);
	svg_event(TL_BEGIN, &lock, 0, 7, 0);
	svg_event(TL_END, &lock, 1048575, 7, 0);
	svg_observed(TL_OBSERVED);
	svg_finish();
	svg_has(">1 spans and instants in 1 shape: ");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - a span during which entries may be missing is left out\n"
	    "-95 - a begin without an end is left out (2 times)\n"
	    "-95 - an end without a begin is left out\n");
	foreign_free(&f);
}

TEST(spans_that_cross_do_not_cover_each_other)
{
	svg_start(TL_SVG_SPANS);
	svg_event(TL_BEGIN, &work, 0, 7, 0);
	svg_event(TL_BEGIN, &part, 100000, 7, 0);
	svg_event(TL_END, &work, 200000, 7, 0);
	svg_span(&work, 250000, 900000, 7);
	svg_event(TL_END, &part, 1000000, 7, 0);
	svg_finish();
	svg_has("y=\"138.5\" "); /* work */
	svg_has("y=\"155.5\" "); /* the second work, one deeper */
	svg_has("y=\"172.5\" "); /* part, around the second work */
	foreign_free(&f);
}

TEST(small_neighbours_are_one_shape)
{
	svg_start(TL_SVG_SPANS);
	for (unsigned i = 0; i < 50000; i++)
		svg_span(i % 2 ? &work : &part, SVG_NS + i * 1000,
		    SVG_NS + i * 1000 + 500, 1);
	svg_finish();
	svg_has(">50,000 spans and instants in ");
	ck_assert_uint_lt(svg_count("<rect"), 2 * 2048 + 100);
	ck_assert_uint_gt(svg_count("class=\"mix\""), 100);
	foreign_free(&f);
}

TEST(the_busiest_of_many_threads_are_drawn)
{
	svg_start(TL_SVG_SPANS);
	for (unsigned i = 1; i <= 300; i++) {
		svg_span(&work, SVG_NS + i * 1000, SVG_NS + i * 1000 + 500, i);
		if (i > 200 && i <= 230)
			svg_span(&work, SVG_NS + i * 1000 + 600,
			    SVG_NS + i * 1000 + 700, i);
	}
	svg_finish();
	ck_assert_uint_eq(svg_count("class=\"name\""), 40);
	svg_has(">41/201</text>");
	svg_has(">41/230</text>");
	svg_has("; not shown: 216 quieter tracks with 216<");
	svg_has(">44 entries of too many threads left out<");
	foreign_free(&f);
}

TEST(what_is_too_deep_is_said)
{
	svg_start(TL_SVG_SPANS);
	for (unsigned i = 0; i < 20; i++)
		svg_event(TL_BEGIN, &work, SVG_NS + i * 1000000, 1, 0);
	for (unsigned i = 0; i < 20; i++)
		svg_event(TL_END, &work, SVG_NS + (20 + i) * 1000000, 1, 0);
	svg_finish();
	svg_has(">20 spans and instants in 16 shapes: ");
	svg_has(">5 spans too deep drawn with others<");
	foreign_free(&f);
}
