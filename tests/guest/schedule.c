/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - change the guest's clock in all ways of NTP daemons,
 * administrators and leap seconds, in random order and with random numbers.
 *
 * Rates change at most once in 1.6 seconds, except where the kernel itself
 * changes them each second: in its phase-locked loop and at the end of an
 * adjtime.
 */
#include "guest.h"

#include <stddef.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <x86intrin.h>

enum {
	TICK_US = 10000,
	PPM = 65536, /* the unit of timex.freq */
	SETTLE_MS = 1700,
	DAY_S = 86400,
	EVE_S = 5, /* seconds before midnight */
	TAI_S = 37
};

static struct jump jumps[GUEST_JUMPS_MAX];
static unsigned jump_count;
static long base_freq; /* the rate to which the clock returns */

const struct jump *
played_jumps(unsigned *count)
{
	*count = jump_count;
	return jumps;
}

static void
add_jump(const char *name, uint64_t tsc, bool leap)
{
	if (jump_count < GUEST_JUMPS_MAX)
		jumps[jump_count++] =
		    (struct jump){ .name = name, .tsc = tsc, .leap = leap };
}

static void
adjust(struct timex *t)
{
	if (adjtimex(t) < 0)
		report(false, "adjtimex with modes %#x", t->modes);
}

/* A number from -n to n - 1. */
static long
within(long n)
{
	return (long)chance((uint64_t)n * 2) - n;
}

static void
probe_for_ms(uint64_t least, uint64_t more)
{
	probe_for((int64_t)(least + chance(more + 1)) * 1000000);
}

static void
set_freq(long freq)
{
	struct timex t = { .modes = ADJ_FREQUENCY, .freq = freq };

	adjust(&t);
}

static void
stay_quiet(void)
{
	note("nothing");
	probe_for_ms(4000, 2000);
}

static void
change_freq(void)
{
	base_freq = within(100 * PPM);
	note("another rate: %+ld ppb", base_freq * 1000 / PPM);
	set_freq(base_freq);
	probe_for_ms(3000, 2000);
}

/* Change the rate often, as chrony does to keep the error small. */
static void
change_often(void)
{
	note("+-1.5 ppm every 1.63 s");
	for (int i = 0; i < 8; i++) {
		set_freq(base_freq + within(PPM * 3 / 2));
		probe_for_ms(1630, 300);
	}
	set_freq(base_freq);
	probe_for_ms(SETTLE_MS, 1000);
}

/* The kernel slews by 500 ppm, and by less in the last second. */
static void
slew_slowly(void)
{
	struct timex t = { .modes = ADJ_OFFSET_SINGLESHOT };
	const long us = within(2000);
	const long size = us < 0 ? -us : us;

	note("adjtime %+ld us", us);
	t.offset = us;
	adjust(&t);
	probe_for_ms((uint64_t)size * 2 + SETTLE_MS, 1000);
}

static void
slew_fast(long us, uint64_t ms)
{
	struct timex t = { .modes = ADJ_TICK, .tick = TICK_US + us };

	note("tick %+ld ppm", us * 100);
	adjust(&t);
	probe_for_ms(ms, 1000);
	t = (struct timex){ .modes = ADJ_TICK, .tick = TICK_US };
	adjust(&t);
	probe_for_ms(SETTLE_MS, 1000);
}

static void
slew_some(void)
{
	slew_fast(within(100), 2000);
}

static void
slew_most(void)
{
	slew_fast(within(1000), 2000);
}

static void
set_status(int status)
{
	struct timex t = { .modes = ADJ_STATUS, .status = status };

	adjust(&t);
}

static void
lock_phase(void)
{
	struct timex t = { .modes = ADJ_STATUS | ADJ_TIMECONST | ADJ_OFFSET,
		.status = STA_PLL,
		.constant = (long)chance(4) };

	t.offset = within(2000);
	note("phase-locked loop, %+ld us, time constant %ld", t.offset,
	    t.constant);
	adjust(&t);
	probe_for_ms(12000, 1000);
	t = (struct timex){ .modes =
				ADJ_OFFSET }; /* without ADJ_OFFSET the rest
					       * stays */
	adjust(&t);
	set_status(STA_UNSYNC);
	set_freq(base_freq);
	probe_for_ms(SETTLE_MS, 1000);
}

/*
 * Probe before the keeper can have seen the jump, and after; half of the time a
 * reader comes in between.
 */
static void
look_at_jump(void)
{
	probe_at_once();
	if (chance(2))
		probe_reader();
	probe_closely_for(GUEST_SECOND / 100);
	probe_for_ms(SETTLE_MS, 1500);
}

static void
set_clock(const char *name, int64_t ns)
{
	struct timespec now;

	probe_for(GUEST_SECOND / 4);
	note("clock_settime %+lld ns", (long long)ns);
	probe_at_once();
	clock_gettime(CLOCK_REALTIME, &now);
	ns += now.tv_sec * GUEST_SECOND + now.tv_nsec;
	now.tv_sec = ns / GUEST_SECOND;
	now.tv_nsec = ns % GUEST_SECOND;
	/* before the set: a probe may run right after it */
	add_jump(name, __rdtsc(), false);
	if (clock_settime(CLOCK_REALTIME, &now) < 0)
		report(false, "clock_settime");
	look_at_jump();
}

static void
step_widely(void)
{
	const int64_t size = 250000000;

	set_clock("a step forward", size);
	set_clock("a step back", -size);
}

static void
shift_clock(const char *name, int64_t ns)
{
	struct timex t = { .modes = ADJ_SETOFFSET | ADJ_NANO };

	note("ADJ_SETOFFSET %+lld ns", (long long)ns);
	t.time.tv_sec = ns < 0 ? -1 : 0;
	t.time.tv_usec = ns < 0 ? ns + GUEST_SECOND : ns;
	probe_at_once();
	add_jump(name, __rdtsc(), false);
	adjust(&t);
	look_at_jump();
}

static void
step_narrowly(void)
{
	shift_clock("10 us back", -10000);
	shift_clock("10 us forward", 10000);
	shift_clock("some ms", within(5000000));
}

/* Step the clock to shortly before midnight, set TAI, and insert a second. */
static void
leap(void)
{
	struct timex t = { .modes = ADJ_TAI, .constant = TAI_S };
	struct timespec now;
	uint64_t first, tsc;

	clock_gettime(CLOCK_REALTIME, &now);
	set_clock("a step to the eve",
	    (DAY_S - now.tv_sec % DAY_S - EVE_S) * GUEST_SECOND - now.tv_nsec);
	note("TAI %d, and a leap second is due", TAI_S);
	adjust(&t);
	set_status(STA_UNSYNC | STA_INS);
	first = probe_count();
	clock_gettime(CLOCK_REALTIME, &now);
	probe_for((DAY_S - now.tv_sec % DAY_S) * GUEST_SECOND - now.tv_nsec -
		  GUEST_SECOND / 10);
	probe_closely_for(GUEST_SECOND / 5);
	tsc = probe_back(first);
	report(tsc != 0, "the kernel inserted a leap second");
	if (tsc != 0)
		add_jump("the leap second", tsc, true);
	probe_for_ms(SETTLE_MS, 1000);
	set_status(STA_UNSYNC);
	probe_for_ms(SETTLE_MS, 1000);
}

void
play_schedule(void)
{
	void (*acts[])(void) = { stay_quiet, change_freq, change_often,
		slew_slowly, slew_slowly, slew_some, slew_most, lock_phase,
		step_widely, step_narrowly, leap };
	const size_t count = sizeof(acts) / sizeof(acts[0]);

	for (size_t i = count; i > 0; i--) {
		const size_t k = chance(i);
		void (*act)(void) = acts[k];

		acts[k] = acts[i - 1];
		acts[i - 1] = act;
		act();
		probe_for_ms(1000, 4000);
	}
}
