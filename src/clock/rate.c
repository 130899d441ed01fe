/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.c - find the rate of the TSC.
 *
 * The kernel converts ticks to ns with a mult and a shift, in a page that it
 * shares with every process for clock_gettime.  That page is private to the
 * kernel and its layout moves, so none of its contents are trusted: anything
 * that looks like a line is compared with the clock itself before it is used.
 * The page is never read by a load of ours, which could end in SIGBUS, but by a
 * write to a pipe, for which the kernel returns EFAULT instead.
 */
#include "clock/rate.h"

#include "base/array.h"
#include "base/ns.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/timex.h>
#include <timeline_layout.h>
#include <unistd.h>

enum {
	PAGE_SIZE = 4096, /* also PIPE_BUF: such a write is whole */
	PAGES_MAX = 12,   /* pages searched downwards from the vDSO */
	CHECKS = 16,      /* brackets that must contain the line */
	CHECKS_TRIED_MAX = 64,
	CHECK_BASELINE_NS = 500000,
	CPUID_ERROR_PPB = 50000, /* of the nominal rate; kernels refine it */
	MODE_TSC = 1,            /* clock_mode of a page that uses rdtsc */
	SHIFT_MAX = 31,
	RATE_SECONDS = 600 /* within which mult must not overflow */
};

/* The offset of mult, before the base of CLOCK_REALTIME: two known layouts. */
static const struct layout {
	size_t mult;
	size_t size;
} layouts[] = { { 24, 48 }, { 32, 56 } };
enum { LAYOUTS = TL_COUNT(layouts) };

/* A pipe to copy pages through. */
struct peeper {
	int fds[2]; /* to read from, to write to */
	unsigned char page[PAGE_SIZE];
};

/* Copy the page at an address, if there is a page. */
static bool
peek(struct peeper *peeper, uintptr_t address)
{
	const ssize_t put =
	    write(peeper->fds[1], (const void *)address, PAGE_SIZE);

	if (put <= 0)
		return false;
	return read(peeper->fds[0], peeper->page, PAGE_SIZE) == PAGE_SIZE;
}

static uint64_t
field_64(const unsigned char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static uint32_t
field_32(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* Could this be the line of a TSC clock?  Cheap tests only. */
static bool
read_line(const unsigned char *at, const struct layout *layout,
    struct tl_kernel_line *line)
{
	*line = (struct tl_kernel_line){
		.sequence = field_32(at),
		.tsc = field_64(at + 8),
		.mult = field_32(at + layout->mult),
		.shift = field_32(at + layout->mult + 4),
		.utc_s = field_64(at + layout->mult + 8),
		.utc_shifted = field_64(at + layout->mult + 16),
	};
	if (field_32(at + 4) != MODE_TSC || line->sequence % 2 != 0)
		return false;
	if (line->mult == 0 || line->shift == 0 || line->shift > SHIFT_MAX)
		return false;
	/* slower than a rate can express, or no time of day */
	return (uint64_t)line->mult >> (line->shift + 1) == 0 &&
	       line->utc_s < INT64_MAX / TL_NS_PER_S - 1 &&
	       line->utc_shifted >> line->shift < 2000000000;
}

bool
tl_kernel_line_find(const unsigned char *page, size_t size, size_t *place,
    struct tl_kernel_line *line)
{
	for (; *place / LAYOUTS * 8 < size; ++*place) {
		const struct layout *layout = &layouts[*place % LAYOUTS];
		const size_t at = *place / LAYOUTS * 8;

		if (layout->size > size - at)
			continue;
		if (read_line(page + at, layout, line)) {
			++*place;
			return true;
		}
	}
	return false;
}

int64_t
tl_kernel_line_at(const struct tl_kernel_line *line, uint64_t tsc)
{
	const __int128 shifted =
	    (__int128)line->utc_shifted +
	    (__int128)tl_ticks_between(line->tsc, tsc) * line->mult;
	const __int128 ns =
	    (shifted >> line->shift) + (__int128)line->utc_s * TL_NS_PER_S;

	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

/* Read the line at a place that was found before, in a fresh copy of its
 * page. */
static bool
peek_line(struct peeper *peeper, uintptr_t address, size_t place,
    struct tl_kernel_line *line)
{
	const struct layout *layout = &layouts[(place - 1) % LAYOUTS];

	return peek(peeper, address) &&
	       read_line(peeper->page + (place - 1) / LAYOUTS * 8, layout,
		   line);
}

/*
 * Does the clock stay on the line in each of 16 brackets?  The page is copied
 * before and after each bracket: a bracket counts only if the kernel did not
 * change the page meanwhile.
 */
static bool
line_holds(struct peeper *peeper, uintptr_t address, size_t place,
    struct tl_kernel_line *line)
{
	const struct tl_clock_source *clock =
	    tl_clock_source(TIMELINE_CLOCK_TSC);
	int held = 0;

	for (int i = 0; i < CHECKS_TRIED_MAX && held < CHECKS; i++) {
		struct tl_kernel_line before;

		if (!peek_line(peeper, address, place, &before))
			continue;
		const uint64_t a = clock->tsc(clock->context);
		const int64_t ns = clock->utc(clock->context);
		const uint64_t b = clock->tsc(clock->context);

		if (!peek_line(peeper, address, place, line) ||
		    line->sequence != before.sequence)
			continue;
		if (tl_kernel_line_at(line, a) > tl_add_ns(ns, 1) ||
		    tl_kernel_line_at(line, b) < tl_add_ns(ns, -1))
			return false;
		held++;
	}
	return held == CHECKS;
}

/* Search the line in one page. */
static bool
search_page(struct peeper *peeper, uintptr_t address,
    struct tl_kernel_line *line)
{
	unsigned char page[PAGE_SIZE];
	size_t place = 0;

	if (!peek(peeper, address))
		return false;
	memcpy(page, peeper->page, sizeof(page));
	while (tl_kernel_line_find(page, sizeof(page), &place, line))
		if (line_holds(peeper, address, place, line))
			return true;
	return false;
}

int
tl_clock_rate_kernel(struct tl_rate *rate)
{
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct tl_kernel_line line;
	struct peeper peeper;
	bool found = false;

	if (vdso < (PAGES_MAX + 1) * (uintptr_t)PAGE_SIZE)
		return -ENODATA;
	if (pipe2(peeper.fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	/* The data pages lie right below the code. */
	for (uintptr_t i = 1; i <= PAGES_MAX && !found; i++)
		found = search_page(&peeper, vdso - i * PAGE_SIZE, &line);
	close(peeper.fds[0]);
	close(peeper.fds[1]);
	if (!found)
		return -ENODATA;
	*rate = (struct tl_rate){ .mult = (uint64_t)line.mult
					  << (63 - line.shift),
		.tsc_khz = (((uint64_t)1000000 << line.shift) + line.mult / 2) /
			   line.mult,
		/* a steered kernel alternates between two neighbours */
		.error_ppb = TL_NS_PER_S / line.mult + 1,
		.source = TL_RATE_KERNEL };
	return 0;
}

/*
 * The rate as kernels round it: the largest shift at which mult * ticks of 600
 * seconds still fits 64 bits.
 */
uint64_t
tl_clock_round(uint64_t khz)
{
	uint64_t overflow = khz * 1000 * RATE_SECONDS >> 32;
	unsigned bits = 32;

	if (khz == 0 || khz > UINT32_MAX)
		return 0;
	for (; overflow != 0; overflow >>= 1)
		bits--;
	for (unsigned shift = 32; shift > 0; shift--) {
		const uint64_t mult =
		    (((uint64_t)1000000 << shift) + khz / 2) / khz;

		if (mult >> bits == 0)
			return mult >> (shift + 1) == 0 ? mult << (63 - shift)
							: 0;
	}
	return 0;
}

/* The frequency from the hypervisor, or 0: VMware's leaf, which other
 * hypervisors imitate. */
static uint64_t
hypervisor_khz(void)
{
	unsigned a, b, c, d;

	__cpuid(1, a, b, c, d);
	if (!(c & 1u << 31))
		return 0;
	__cpuid(0x40000000, a, b, c, d);
	if (a < 0x40000010 || a > 0x400000ff)
		return 0;
	__cpuid(0x40000010, a, b, c, d);
	return a;
}

/* The frequency that CPUID reports, or 0: the crystal's frequency times the
 * ratio (leaf 0x15) or, without the crystal's frequency, the base frequency of
 * the CPU (leaf 0x16). */
static uint64_t
crystal_khz(void)
{
	unsigned denominator, numerator, hz, mhz, b, c, d;
	const unsigned leaves = __get_cpuid_max(0, NULL);

	if (leaves < 0x15)
		return 0;
	__cpuid_count(0x15, 0, denominator, numerator, hz, d);
	if (denominator == 0 || numerator == 0)
		return 0;
	if (hz != 0)
		return (uint64_t)hz * numerator / denominator / 1000;
	if (leaves < 0x16)
		return 0;
	__cpuid_count(0x16, 0, mhz, b, c, d);
	return (uint64_t)(mhz & 0xffff) * 1000;
}

/* The correction that a daemon set, in 2^-16 ppm of the nominal rate. */
static int64_t
steered_by(void)
{
	struct timex t;

	memset(&t, 0, sizeof(t));
	return adjtimex(&t) < 0 ? 0 : t.freq;
}

int
tl_clock_rate_cpuid(struct tl_rate *rate)
{
	struct tl_rate seen;
	uint64_t khz = hypervisor_khz();
	int rc;

	if (khz == 0)
		khz = crystal_khz();
	uint64_t mult = tl_clock_round(khz);

	if (mult == 0)
		return -ENODATA;
	const int64_t steer = steered_by();
	const uint64_t part =
	    tl_divide((unsigned __int128)mult * (uint64_t)llabs(steer),
		UINT64_C(65536) * 1000000);

	mult = steer < 0 ? mult - part : mult + part;
	rc = tl_clock_rate_measure(tl_clock_source(TIMELINE_CLOCK_TSC),
	    CHECK_BASELINE_NS, &seen);
	if (rc < 0)
		return rc;
	/* Is the frequency that of this counter? */
	const uint64_t apart =
	    seen.mult > mult ? seen.mult - mult : mult - seen.mult;
	const uint64_t allowed =
	    (uint64_t)seen.error_ppb + TL_CLOCK_STEER_PPM * 1000;

	if ((unsigned __int128)apart * TL_NS_PER_S >
	    (unsigned __int128)mult * allowed)
		return -ENODATA;
	*rate = (struct tl_rate){ .mult = mult,
		.tsc_khz = khz,
		.error_ppb = CPUID_ERROR_PPB,
		.source = TL_RATE_CPUID };
	return 0;
}

int
tl_clock_rate_machine(struct tl_rate *rate)
{
	if (tl_clock_rate_kernel(rate) == 0)
		return 0;
	return tl_clock_rate_cpuid(rate);
}

int
tl_clock_rate_measure(const struct tl_clock_source *source,
    uint64_t baseline_ns, struct tl_rate *rate)
{
	struct tl_clock_point first, last;
	int rc = tl_clock_sample(source, &first);

	if (rc < 0)
		return rc;
	for (int i = 0; i < TL_CLOCK_MEASURE_LOOPS_MAX; i++)
		if (source->utc(source->context) - first.utc_ns >=
		    (int64_t)baseline_ns)
			break;
	if ((rc = tl_clock_sample(source, &last)) < 0)
		return rc;
	/* the clock was set meanwhile, or stands still */
	if (last.utc_ns <= first.utc_ns || last.tsc <= first.tsc)
		return -EIO;
	const uint64_t ns = (uint64_t)(last.utc_ns - first.utc_ns);
	const uint64_t ticks = last.tsc - first.tsc;
	const uint64_t mult = tl_clock_mult(ns, ticks);
	/* Both ends may be off by half a bracket and by rounding. */
	const uint64_t both = first.half_ticks + last.half_ticks;
	const uint64_t error =
	    (uint64_t)tl_ticks_to_ns((int64_t)both, mult) + 2;
	const uint64_t ppb =
	    tl_divide((unsigned __int128)error * TL_NS_PER_S, ns);

	if (mult == 0)
		return -ERANGE;
	*rate = (struct tl_rate){ .mult = mult,
		.tsc_khz = tl_divide((unsigned __int128)ticks * 1000000, ns),
		.error_ppb = tl_add_32(ppb, TL_CLOCK_COARSE_PPB),
		.source = TL_RATE_MEASURED };
	return 0;
}
