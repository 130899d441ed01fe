/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - clock arithmetic, sampling and rates, with scripted clocks. */
#include "clock/clock.h"
#include "clock/rate.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline_layout.h>

/* A counter of 2 GHz; the script sets the time of each reading. */
struct script {
	uint64_t tsc;
	int64_t utc_ns;
	const uint64_t *widths; /* widths of the brackets, used in turn */
	size_t count;
	size_t reads;
	bool stuck;
};

static uint64_t
script_tsc(void *context)
{
	struct script *s = context;

	s->tsc += 2; /* 1 ns */
	return s->tsc;
}

static int64_t
script_utc(void *context)
{
	struct script *s = context;
	const uint64_t width = s->widths[s->reads++ % s->count];

	s->tsc += width / 2;
	const int64_t ns = s->stuck ? 5 : (int64_t)(s->tsc / 2);

	s->tsc += width - width / 2;
	return ns;
}

static struct tl_clock_source
source_of(struct script *script)
{
	return (struct tl_clock_source){ .tsc = script_tsc,
		.utc = script_utc,
		.context = script,
		.kind = TIMELINE_CLOCK_TSC };
}

/* The reference: compute ticks * mult >> 63 by shifts and additions. */
static __int128
dumb_ns(int64_t ticks, uint64_t mult)
{
	const uint64_t size = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
	unsigned __int128 sum = 0;
	bool rest = false;

	for (int bit = 63; bit >= 0; bit--) {
		sum <<= 1;
		if (mult >> bit & 1)
			sum += size;
	}
	rest = (sum & (TL_MULT_ONE - 1)) != 0;
	const __int128 ns = (__int128)(sum >> 63);

	return ticks < 0 ? -ns - rest : ns;
}

static uint64_t
random_64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> (*state % 61);
}

TEST(ticks_become_nanoseconds_as_by_shifting_and_adding)
{
	uint64_t state = 1;

	for (int i = 0; i < 100000; i++) {
		const int64_t ticks =
		    (int64_t)random_64(&state) * (i % 2 ? 1 : -1);
		const uint64_t mult = random_64(&state) << (i % 5);
		__int128 want = dumb_ns(ticks, mult);

		want = want > INT64_MAX ? INT64_MAX : want;
		want = want < INT64_MIN ? INT64_MIN : want;
		ck_assert_int_eq(tl_ticks_to_ns(ticks, mult), (int64_t)want);
	}
}

TEST(arithmetic_is_held_at_the_ends_of_its_range)
{
	ck_assert_int_eq(tl_ticks_to_ns(INT64_MAX, UINT64_MAX), INT64_MAX);
	ck_assert_int_eq(tl_ticks_to_ns(INT64_MIN, UINT64_MAX), INT64_MIN);
	ck_assert_int_eq(tl_ticks_to_ns(INT64_MIN, TL_MULT_ONE), INT64_MIN);
	ck_assert_int_eq(tl_add_ns(INT64_MAX, 1), INT64_MAX);
	ck_assert_int_eq(tl_add_ns(INT64_MIN, -1), INT64_MIN);
	ck_assert_int_eq(tl_ticks_between(0, UINT64_MAX), INT64_MAX);
	ck_assert_int_eq(tl_ticks_between(UINT64_MAX, 0), INT64_MIN);
	ck_assert_int_eq(tl_ticks_between(7, 4), -3);
	ck_assert(tl_ns_to_ticks(UINT64_MAX, 1) == UINT64_MAX);
	ck_assert(tl_ns_to_ticks(1, 0) == UINT64_MAX);
	ck_assert(tl_clock_mult(5, 0) == 0);
	ck_assert(tl_clock_mult(UINT64_MAX, 1) == 0);
}

TEST(a_quotient_of_more_than_64_bits_is_held_at_their_end)
{
	const uint64_t by[] = { 1, 5, 1000000000, UINT64_MAX };

	ck_assert_uint_eq(tl_divide(0, 0), UINT64_MAX);
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		const unsigned __int128 whole = (unsigned __int128)by[i] << 64;

		ck_assert_uint_eq(tl_divide(whole, by[i]), UINT64_MAX);
		ck_assert_uint_eq(tl_divide(whole - 1, by[i]), UINT64_MAX);
		ck_assert_uint_eq(tl_divide(whole - by[i] - 1, by[i]),
		    UINT64_MAX - 1);
		ck_assert_uint_eq(tl_divide(by[i] - 1, by[i]), 0);
	}
}

TEST(nanoseconds_and_back_is_never_too_short)
{
	uint64_t state = 2;

	for (int i = 0; i < 10000; i++) {
		const uint64_t ns = random_64(&state) >> 24;
		const uint64_t mult = TL_MULT_ONE / 4 + random_64(&state) / 2;
		const uint64_t ticks = tl_ns_to_ticks(ns, mult);
		const int64_t back = tl_ticks_to_ns((int64_t)ticks, mult);

		ck_assert_int_ge(back, (int64_t)ns);
		ck_assert_int_le(back, (int64_t)ns + 2);
	}
}

TEST(the_narrowest_bracket_is_taken_and_the_cold_one_is_not)
{
	/* the first bracket would be the narrowest, but is discarded */
	static const uint64_t widths[] = { 10, 4000, 900, 100, 5000, 300, 700,
		2500, 1000, 9000, 20000, 1500, 7000, 3300, 60000, 440, 12000 };
	struct script script = { .tsc = 1000, .widths = widths, .count = 17 };
	const struct tl_clock_source source = source_of(&script);
	struct tl_clock_point point;

	ck_assert_ok(tl_clock_sample(&source, &point));
	ck_assert_int_le((int64_t)point.half_ticks, 53);
	ck_assert_int_ge((int64_t)point.half_ticks, 50);
	const int64_t off = point.utc_ns - (int64_t)(point.tsc / 2);

	ck_assert_int_le(off < 0 ? -off : off,
	    (int64_t)point.half_ticks / 2 + 1);
	ck_assert_uint_le(script.reads, TL_CLOCK_TRIES_MAX + 1);
}

TEST(sampling_stops_early_when_brackets_agree)
{
	static const uint64_t widths[] = { 100 };
	struct script script = { .tsc = 1000, .widths = widths, .count = 1 };
	const struct tl_clock_source source = source_of(&script);
	struct tl_clock_point point;

	ck_assert_ok(tl_clock_sample(&source, &point));
	ck_assert_uint_lt(script.reads, 8);
}

TEST(a_measured_rate_keeps_its_bound)
{
	static const uint64_t widths[] = { 80, 100, 130, 90, 110000 };
	struct script script = { .tsc = 1000, .widths = widths, .count = 5 };
	const struct tl_clock_source source = source_of(&script);
	struct tl_rate rate;

	ck_assert_ok(tl_clock_rate(&source, &rate));
	ck_assert_uint_eq(rate.source, TL_RATE_MEASURED);
	ck_assert_uint_ge(rate.error_ppb, TL_CLOCK_COARSE_PPB);
	ck_assert_uint_le(rate.error_ppb, 100000);
	const uint64_t truth = TL_MULT_ONE / 2;
	const uint64_t apart =
	    rate.mult > truth ? rate.mult - truth : truth - rate.mult;

	ck_assert((unsigned __int128)apart * 1000000000 <=
		  (unsigned __int128)truth * rate.error_ppb);
	ck_assert_uint_ge(rate.tsc_khz, 1999800);
	ck_assert_uint_le(rate.tsc_khz, 2000200);
}

TEST(a_clock_that_stands_still_has_no_rate)
{
	static const uint64_t widths[] = { 80 };
	struct script script = { .tsc = 1000,
		.widths = widths,
		.count = 1,
		.stuck = true };
	const struct tl_clock_source source = source_of(&script);
	struct tl_rate rate;

	ck_assert_int_eq(tl_clock_rate(&source, &rate), -EIO);
}

TEST(rates_are_rounded_as_kernels_round_them)
{
	/* mult and shift as seen on machines of these frequencies */
	ck_assert(tl_clock_round(2100000) == (uint64_t)7989150 << 39);
	ck_assert(tl_clock_round(2596128) == (uint64_t)6462399 << 39);
	ck_assert(tl_clock_round(0) == 0);
	ck_assert(tl_clock_round(UINT64_MAX) == 0);
	ck_assert(tl_clock_round(400000) == 0); /* too slow for Q1.63 */
}

/* Put a line into a page at a place, in one of the two layouts. */
static void
put_line(unsigned char *page, size_t at, size_t mult_at)
{
	const uint32_t head[2] = { 42, 1 }, rate[2] = { 7989150, 24 };
	const uint64_t tsc = 123456789,
		       base[2] = { 1700000000, (uint64_t)5 << 24 };

	memcpy(page + at, head, 8);
	memcpy(page + at + 8, &tsc, 8);
	memcpy(page + at + mult_at, rate, 8);
	memcpy(page + at + mult_at + 8, base, 16);
}

TEST(a_line_is_found_in_either_layout)
{
	static const size_t mults[] = { 24, 32 };

	for (size_t i = 0; i < 2; i++) {
		unsigned char page[4096] = { 0 };
		struct tl_kernel_line line;
		size_t place = 0;

		put_line(page, 128, mults[i]);
		ck_assert(tl_kernel_line_find(page, 4096, &place, &line));
		ck_assert_uint_eq(line.mult, 7989150);
		ck_assert_uint_eq(line.shift, 24);
		ck_assert_int_eq(tl_kernel_line_at(&line, 123456789),
		    1700000000000000005);
		ck_assert_int_eq(tl_kernel_line_at(&line, 123456789 + 2100),
		    1700000000000001004);
		ck_assert(!tl_kernel_line_find(page, 4096, &place, &line));
	}
}

TEST(no_bytes_make_the_search_of_a_page_go_wrong)
{
	unsigned char page[4096];
	uint64_t state = 3;

	for (int round = 0; round < 200; round++) {
		struct tl_kernel_line line;
		size_t place = 0;
		size_t found = 0;

		for (size_t i = 0; i < sizeof(page); i += 4) {
			/* small words look like lines */
			const uint32_t word =
			    (uint32_t)(random_64(&state) % (round + 2));

			memcpy(page + i, &word, 4);
		}
		while (tl_kernel_line_find(page, 4096, &place, &line)) {
			(void)tl_kernel_line_at(&line, random_64(&state));
			found++;
		}
		ck_assert_uint_le(found, 1024);
	}
}

TEST(the_clocks_of_this_machine_can_be_read)
{
	uint32_t flags;
	const uint32_t kind = tl_clock_choose(&flags);
	const struct tl_clock_source *source = tl_clock_source(kind);
	struct tl_clock_point point;
	struct tl_rate rate;

	ck_assert_ptr_nonnull(source);
	ck_assert_ptr_null(tl_clock_source(0));
	ck_assert_ok(tl_clock_rate(source, &rate));
	ck_assert(rate.mult != 0);
	ck_assert_ok(tl_clock_sample(source, &point));
	ck_assert_int_gt(point.utc_ns, 1500000000000000000);
	ck_assert(tl_clock_now(kind) >= point.tsc);
	ck_assert_ok(
	    tl_clock_rate(tl_clock_source(TIMELINE_CLOCK_REALTIME), &rate));
	ck_assert(rate.mult == TL_MULT_ONE);
	ck_assert_uint_eq(rate.source, TL_RATE_EXACT);
}

TEST(the_rate_of_the_kernel_is_the_measured_one)
{
	struct tl_rate told, seen;
	uint32_t flags;

	if (tl_clock_choose(&flags) != TIMELINE_CLOCK_TSC ||
	    tl_clock_rate_kernel(&told) < 0)
		return; /* there is nothing to compare */
	ck_assert_ok(tl_clock_rate_measure(tl_clock_source(TIMELINE_CLOCK_TSC),
	    TL_CLOCK_MEASURE_NS, &seen));
	const uint64_t apart = told.mult > seen.mult ? told.mult - seen.mult
						     : seen.mult - told.mult;

	/* the kernel may begin to slew the clock just now */
	ck_assert((unsigned __int128)apart * 1000000000 <=
		  (unsigned __int128)seen.mult *
		      (seen.error_ppb + TL_CLOCK_STEER_PPM * 1000));
	ck_assert_uint_eq(told.source, TL_RATE_KERNEL);
}
