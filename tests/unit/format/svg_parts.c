/* SPDX-License-Identifier: Apache-2.0 */
/* svg_parts.c - axes, grids and tracks, compared with simple references. */
#include "lib/test.h"
#include "svg_fixture.h"

#include "format/svg/axis.h"
#include "format/svg/grid.h"
#include "format/svg/tracks.h"

#include <math.h>
#include <string.h>

static bool
is_near(double a, double b)
{
	return a - b < 1e-6 && b - a < 1e-6;
}

TEST_FILE(.timeout = 60);

TEST(logarithms_are_those_of_the_library)
{
	uint64_t state = 3;

	ck_assert(tl_svg_log2(0) == 0);
	ck_assert(tl_svg_log2(1) == 0);
	for (unsigned i = 0; i < 64; i++)
		ck_assert(tl_svg_log2(UINT64_C(1) << i) == i);
	for (unsigned i = 0; i < 1000; i++) {
		const uint64_t n = random_next(&state) >> i % 63 | 1;

		if (!is_near(tl_svg_log2(n), log2((double)n)))
			ck_abort_msg("%llu", (unsigned long long)n);
	}
}

TEST(a_row_holds_a_quarter_of_a_doubling)
{
	uint64_t state = 3;

	ck_assert_uint_eq(tl_svg_row(0), 0);
	ck_assert_uint_eq(tl_svg_row(1), 0);
	ck_assert_uint_eq(tl_svg_row(2), 4);
	ck_assert_uint_eq(tl_svg_row(UINT64_MAX), SVG_GRID_ROWS - 1);
	for (unsigned i = 0; i < 1000; i++) {
		const uint64_t n = random_next(&state) >> i % 63 | 1;
		const unsigned row = tl_svg_row(n);

		if (tl_svg_row_log2(row) > tl_svg_log2(n) + 1e-6 ||
		    tl_svg_row_log2(row + 1) < tl_svg_log2(n) - 1e-6)
			ck_abort_msg("%llu", (unsigned long long)n);
	}
}

TEST(ticks_ascend_and_have_units)
{
	struct svg_tick tick;
	double before = -1;
	unsigned majors = 0;
	char all[1024] = "";

	for (unsigned i = 0; tl_svg_log_tick(&i, &tick);) {
		ck_assert(tick.log2 > before);
		before = tick.log2;
		if (!tick.major)
			continue;
		majors++;
		strcat(all, tick.label);
		strcat(all, " ");
	}
	ck_assert_str_eq(all,
	    "1ns 10ns 100ns 1us 10us 100us 1ms 10ms 100ms 1s 10s 1m 10m 1h "
	    "10h 1d 10d 100d 1000d 10000d 100000d ");
	ck_assert_uint_eq(majors, 21);
}

TEST(an_axis_of_logarithms_is_never_empty)
{
	static const uint64_t ends[] = { 0, 1, 2, 3, 1000, INT64_MAX };

	for (size_t i = 0; i < 6; i++) {
		for (size_t k = i; k < 6; k++) {
			const struct svg_log log =
			    tl_svg_log_around(ends[i], ends[k]);

			ck_assert(log.from >= 0);
			ck_assert(log.to - log.from >= 2 - 1e-9);
			ck_assert(log.from <= tl_svg_log2(ends[i]) + 1e-9);
			ck_assert(log.to >= tl_svg_log2(ends[k]) - 1e-9);
		}
	}
}

/* Return the labels of an axis of time. */
static const char *
labels(int64_t from_ns, uint64_t length_ns)
{
	static char all[2048];
	const struct svg_time time = { from_ns, length_ns,
		{ 100, 0, 1000, 10 } };
	struct tl_text text = { 0 };
	const char *at;

	tl_svg_time_labels(&text, &time, 20);
	all[0] = '\0';
	for (at = tl_text_string(&text); (at = strchr(at, '>'));) {
		const size_t size = strcspn(++at, "<");

		strncat(all, at, size);
		strcat(all, " ");
		at = strchr(at, '\n');
	}
	tl_text_free(&text);
	return all;
}

TEST(time_is_told_as_its_length_asks)
{
	ck_assert_str_eq(labels(0, 1), "+0ns +1ns offset ");
	ck_assert_str_eq(labels(SVG_NS, 4000),
	    "+0ns +500ns +1us +1.5us +2us +2.5us +3us +3.5us +4us offset ");
	ck_assert_str_eq(labels(SVG_NS, 4000000000),
	    "19:24:18.500 19:24:19.000 19:24:19.500 19:24:20.000 "
	    "19:24:20.500 19:24:21.000 19:24:21.500 19:24:22.000 UTC ");
	ck_assert_str_eq(labels(SVG_NS, UINT64_C(3600000000000)),
	    "19:30:00 19:40:00 19:50:00 20:00:00 20:10:00 20:20:00 UTC ");
	ck_assert_str_eq(labels(-INT64_C(86400000000000),
			     2 * 86400 * 1000000000ull),
	    "00:00:00 06:00:00 12:00:00 18:00:00 00:00:00 06:00:00 12:00:00 "
	    "18:00:00 00:00:00 UTC ");
	ck_assert_str_eq(labels(INT64_MIN, UINT64_MAX),
	    "1696-03-17 1833-02-08 1970-01-01 2106-11-24 2243-10-17 UTC ");
}

TEST(time_labels_do_not_meet)
{
	uint64_t state = 5;

	for (unsigned i = 0; i < 500; i++) {
		const struct svg_time time = { (int64_t)random_next(&state),
			random_next(&state) >> i % 64 | 1,
			{ 100, 0, 1000, 10 } };
		struct tl_text text = { 0 };
		double before = -200;
		const char *at;

		tl_svg_time_labels(&text, &time, 20);
		for (at = tl_text_string(&text);
		     (at = strstr(at, "mid\" x=\""));) {
			const double x = strtod(at += 8, NULL);

			ck_assert(x - before > 90 && x >= 100 && x <= 1100);
			before = x;
		}
		tl_text_free(&text);
	}
}

enum { TIMES = 400 };

/* Folded columns must hold the same counts as columns of the final width. */
TEST(folded_columns_are_wide_columns)
{
	static struct svg_grid grid, copy;
	static uint64_t dumb[SVG_COLUMNS][3];
	static int64_t times[TIMES];
	static const unsigned rows[3] = { 0, 17, 255 };
	uint64_t state = 9;

	for (unsigned round = 0; round < 60; round++) {
		struct svg_columns c = { .count = SVG_COLUMNS };
		const unsigned bits = round % 64;

		memset(&grid, 0, sizeof(grid));
		memset(dumb, 0, sizeof(dumb));
		for (unsigned i = 0; i < TIMES; i++) {
			unsigned doublings;

			times[i] = (int64_t)(random_next(&state) >> bits);
			doublings = tl_svg_columns_doublings(&c, times[i]);
			if (doublings > 0)
				tl_svg_grid_fold(&grid, &copy, &c, doublings);
			tl_svg_columns_stretch(&c, times[i]);
			tl_svg_grid_add(&grid,
			    tl_svg_columns_place(&c, times[i]), rows[i % 3]);
		}
		for (unsigned i = 0; i < TIMES; i++)
			dumb[tl_svg_columns_place(&c, times[i])][i % 3]++;
		for (unsigned i = 0; i < SVG_COLUMNS; i++) {
			for (unsigned k = 0; k < 3; k++)
				if (grid.cells[i][rows[k]] != dumb[i][k])
					ck_abort_msg("column %u", i);
		}
	}
}

/*
 * Check that every span is in a shape of its row, and that the shapes of a row
 * do not overlap.
 */
static uint64_t
check_rows(const struct svg_tracks *t, const struct svg_track *track)
{
	uint64_t count = 0;

	for (unsigned k = 0; k < SVG_ROWS; k++) {
		const struct svg_row *row = &track->rows[k];

		for (size_t i = 0; i < row->count; i++) {
			const struct svg_shape *s = &row->shapes[i];

			count += s->count;
			ck_assert_uint_le(s->from, s->to);
			if (i > 0)
				ck_assert_uint_ge(s->from, s[-1].from);
			if (i > 0 && s->count == 1 && s[-1].count == 1)
				ck_assert_uint_ge(s->from, s[-1].to);
		}
		ck_assert_uint_le(row->count,
		    2 * (t->grains.last - t->grains.first) / tl_svg_grain(t) +
			4);
	}
	return count;
}

TEST(tracks_keep_every_span_in_little_room)
{
	struct tl_writer writer = { 0 };
	uint64_t state = 11;

	for (unsigned round = 0; round < 20; round++) {
		struct svg_tracks t = { .grains = { .count = SVG_PIXELS },
			.writer = &writer };
		const struct tl_event event = { .message = &work, .tid = 1 };
		struct svg_track *track;
		uint64_t now = tl_svg_offset(SVG_NS);
		const unsigned count = 100 * round * round + 1;

		ck_assert_int_eq(tl_svg_tracks_get(&t, &event, &track), 0);
		for (unsigned i = 0; i < count; i++) {
			const uint64_t length =
			    random_next(&state) >> (40 + round);
			struct svg_shape s = { .to = now += length / 2,
				.count = 1 };
			const struct svg_shape tick = { .from = now,
				.to = now,
				.count = 1 };
			const unsigned deep =
			    round % 2 ? 0 : random_below(&state, 20);

			s.from = s.to - length;
			tl_svg_tracks_stretch(&t,
			    (int64_t)tl_svg_offset((int64_t)s.from));
			tl_svg_tracks_stretch(&t,
			    (int64_t)tl_svg_offset((int64_t)s.to));
			if (tl_svg_tracks_add(&t, track, deep, &s) < 0 ||
			    tl_svg_tracks_tick(&t, track, &tick) < 0)
				ck_abort_msg("no memory");
		}
		ck_assert_uint_eq(check_rows(&t, track), 2 * count);
		ck_assert_uint_eq(track->entries, 2 * count);
		tl_svg_tracks_coarsen(&t);
		ck_assert_uint_eq(check_rows(&t, track), 2 * count);
		tl_svg_tracks_free(&t);
	}
}

TEST(plain_text_is_cut_between_characters)
{
	static const struct {
		const char *in, *out;
		unsigned columns;
	} cases[] = { { "abc", "abc", 3 }, { "abcd", "ab\xe2\x80\xa6", 3 },
		{ "abcd", "", 0 }, { "", "", 3 },
		{ "\xe4\xb8\xad\xe6\x96\x87", "\xe2\x80\xa6", 2 },
		{ "\xe4\xb8\xad\xe6\x96\x87", "\xe4\xb8\xad\xe2\x80\xa6", 3 },
		{ "\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9", 2 },
		{ "a\nb", "a\\nb", 4 } };
	char marks[4000];
	struct tl_text text = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tl_text_clear(&text);
		tl_svg_plain(&text, tl_bytes_of(cases[i].in), cases[i].columns);
		ck_assert_str_eq(tl_text_string(&text), cases[i].out);
	}
	/* combining marks take no column, but must not make the text endless */
	for (size_t i = 0; i < sizeof(marks); i += 2)
		memcpy(marks + i, "\xcc\x81", 2);
	tl_text_clear(&text);
	tl_svg_plain(&text, tl_bytes(marks, sizeof(marks)), 10);
	ck_assert_uint_le(text.size, SVG_NAME_SIZE);
	tl_text_free(&text);
}

TEST(numbers_are_short)
{
	static const struct {
		double in;
		const char *out;
	} cases[] = { { 0, "0" }, { 1, "1" }, { 1.5, "1.5" }, { 1.25, "1.25" },
		{ 1.05, "1.05" }, { -2.5, "-2.5" }, { 0.001, "0" },
		{ -0.001, "0" }, { 1e300, "1000000" }, { -1e300, "-1000000" } };
	struct tl_text text = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tl_text_clear(&text);
		tl_svg_number(&text, cases[i].in);
		ck_assert_str_eq(tl_text_string(&text), cases[i].out);
	}
	tl_text_clear(&text);
	tl_svg_count(&text, 1234567);
	tl_put_char(&text, ' ');
	tl_svg_count(&text, 123);
	tl_put_char(&text, ' ');
	tl_svg_count(&text, UINT64_MAX);
	ck_assert_str_eq(tl_text_string(&text),
	    "1,234,567 123 18,446,744,073,709,551,615");
	tl_text_free(&text);
}
