/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_sampler.c - read the clocks of the machine, and detect suspends,
 * another boot and an unstable TSC.
 *
 * A point is a bracket: TSC, clock, TSC.  A bracket that is four times as wide
 * as usual was interrupted in all of its sixteen attempts; no point is better
 * than such a point.  The usual width is the median of the last fifteen
 * brackets, rejected brackets included, so that a machine that became slow is
 * accepted after eight brackets.
 */
#include "daemon/clock_sampler.h"

#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum {
	TOO_WIDE = 4, /* factor of the median */
	/* points per check of the kernel and the raw clock: a minute */
	CHECK_TAKES = 120,
	SLEPT_NS = 10000000,
	SUSPECT_PPB = 1000,
	DOUBTS_MAX = 2, /* consecutive checks */
	ASLEEP_TRIES = 4,
	ASLEEP_NEAR_NS = 1000000
};

/* The difference of both clocks, read as close together as possible. */
static int64_t
asleep_ns(void *context)
{
	int64_t asleep = 0;

	(void)context;
	for (int i = 0; i < ASLEEP_TRIES; i++) {
		const int64_t before = tl_clock_read(CLOCK_MONOTONIC);
		const int64_t boot = tl_clock_read(CLOCK_BOOTTIME);
		const int64_t after = tl_clock_read(CLOCK_MONOTONIC);

		asleep = boot - before;
		if (after - before < ASLEEP_NEAR_NS)
			break;
	}
	return asleep;
}

static bool
uses_counter(void *context)
{
	static const char path[] = "/sys/devices/system/clocksource/"
				   "clocksource0/current_clocksource";
	char line[64];

	(void)context;
	tl_read_start(line, sizeof(line), path);
	return strcmp(line, "tsc\n") == 0;
}

static void
boot_id(void *context, uint8_t id[16])
{
	(void)context;
	tl_boot_id_read(id);
}

const struct tl_sampler_machine *
tl_sampler_machine(void)
{
	static const struct tl_sampler_machine machine = {
		.asleep_ns = asleep_ns,
		.uses_counter = uses_counter,
		.boot_id = boot_id,
	};

	return &machine;
}

void
tl_sampler_init(struct tl_sampler *s, const struct tl_clock_source *clock,
    const struct tl_sampler_machine *machine)
{
	static const struct tl_sampler_machine none;

	memset(s, 0, sizeof(*s));
	s->clock = clock;
	s->machine = machine ? machine : &none;
	machine = s->machine;
	if (machine->asleep_ns)
		s->asleep_ns = machine->asleep_ns(machine->context);
	if (machine->uses_counter)
		s->used_counter = machine->uses_counter(machine->context);
	if (machine->boot_id)
		machine->boot_id(machine->context, s->boot_id);
}

/* Detect another boot: the process was moved or restored. */
static void
check_boot(struct tl_sampler *s, struct tl_keep_news *news)
{
	static const uint8_t unknown[16];
	uint8_t id[16];

	if (!s->machine->boot_id)
		return;
	s->machine->boot_id(s->machine->context, id);
	if (memcmp(id, unknown, sizeof(id)) == 0 ||
	    memcmp(id, s->boot_id, sizeof(id)) == 0)
		return;
	memcpy(s->boot_id, id, sizeof(id));
	news->restarted = true;
	s->raw_tsc = 0;
	s->raw_mult = 0;
}

static bool
is_off(uint64_t a, uint64_t b)
{
	const uint64_t apart = a > b ? a - b : b - a;

	return (unsigned __int128)apart * TL_NS_PER_S >
	       (unsigned __int128)b * SUSPECT_PPB;
}

/* The raw clock is the counter at a rate that never changes.  If the rate
 * changes, the kernel uses another clock. */
static void
check_raw(struct tl_sampler *s, const struct tl_clock_point *point)
{
	const int64_t ns = point->raw_ns - s->raw_ns;
	uint64_t mult = 0;

	if (point->raw_tsc == 0)
		return;
	if (s->raw_tsc != 0 && point->raw_tsc > s->raw_tsc && ns > 0)
		mult = tl_clock_mult((uint64_t)ns, point->raw_tsc - s->raw_tsc);
	s->raw_tsc = point->raw_tsc;
	s->raw_ns = point->raw_ns;
	if (mult == 0)
		return;
	if (s->raw_mult == 0)
		s->raw_mult = mult;
	s->raw_doubts = is_off(mult, s->raw_mult) ? s->raw_doubts + 1 : 0;
	if (s->raw_doubts >= DOUBTS_MAX)
		s->suspect = true;
}

static bool
is_too_wide(struct tl_sampler *s, uint64_t half_ticks)
{
	const size_t seen =
	    s->takes < TL_SAMPLER_WIDTHS ? s->takes : TL_SAMPLER_WIDTHS;
	bool wide = false;

	/* Is the median less than a quarter of this bracket? */
	if (seen > TL_SAMPLER_WIDTHS / 3) {
		size_t narrow = 0;

		for (size_t i = 0; i < seen; i++)
			narrow += s->widths[i] < half_ticks / TOO_WIDE;
		wide = narrow > seen / 2;
	}
	s->widths[s->takes % TL_SAMPLER_WIDTHS] = half_ticks;
	return wide;
}

int
tl_sampler_take(struct tl_sampler *s, struct tl_clock_point *point,
    struct tl_keep_news *news)
{
	const bool check = s->takes % CHECK_TAKES == 0;
	int rc;

	if (s->machine->asleep_ns) {
		const int64_t now = s->machine->asleep_ns(s->machine->context);

		if (now - s->asleep_ns > SLEPT_NS) {
			news->slept = true;
			/* the raw clock stood still; the counter may not
			 * have */
			s->raw_tsc = 0;
		}
		s->asleep_ns = now;
	}
	if (check) {
		check_boot(s, news);

		/* A kernel that stops using the counter has a reason to
		 * distrust it.  A kernel that never used the counter proves
		 * nothing (kvm-clock and others are derived from it). */
		if (s->used_counter && s->machine->uses_counter &&
		    !s->machine->uses_counter(s->machine->context))
			s->suspect = true;
	}
	if ((rc = tl_clock_sample(s->clock, point)) < 0)
		return rc;
	if (is_too_wide(s, point->half_ticks))
		rc = -EAGAIN;
	else if (check)
		check_raw(s, point);
	s->rejected += rc == -EAGAIN;
	s->takes++;
	news->suspect = s->suspect;
	return rc;
}
