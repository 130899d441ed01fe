/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - read the stamp counter and the wall clock as one pair.
 *
 * Problem.  A log call may cost no more than reading the counter (TSC), yet its
 * entry must show Unix time, on machines whose wall clock is slewed, set and
 * suspended, and must compare with entries of other processes.
 *
 *	ns ^            . tail: the newest point, moved by each measurement
 *	   |         .-'
 *	   |      .-'  knot: a corner of the line, never changed
 *	   |   .-'
 *	   | knot
 *	   +------------------> stamps
 *
 * So entries carry only stamps, and the file carries a line from stamps to
 * time: calibrate.c measures points (clock.c), drops points that lie on the
 * line and commits corners; keeper.c does the same for the daemon, more often
 * and with the daemon's knowledge of sleep and set clocks; convert.c turns
 * stamps of a frozen copy into time, each with a bound of its error.
 *
 * Invariants.  A knot is written before the count that shows it.  The tail has
 * a lock of one word that includes its owner: no process waits for the lock,
 * and the lock of a dead owner is taken over.  A counter that begins again
 * (another boot) or runs back begins an epoch; times of two epochs are never
 * interpolated.
 *
 * Rejected: reading CLOCK_REALTIME for each entry (twice the cost of the whole
 * append), the kernel's vDSO page (its layout is private), and one rate for the
 * whole file (a slew of 500 ppm is 1.8 s an hour).
 *
 * A stamp is a raw TSC value or, if no TSC can be trusted, CLOCK_REALTIME in
 * nanoseconds; the same code serves both.  Rates are ns per tick times 2^63 in
 * 64 bits (Q1.63, so a counter runs faster than 500 MHz); there is no floating
 * point anywhere.  Time is read through a source, a table of functions, so that
 * tests can script the truth.
 */
#ifndef TL_CLOCK_CLOCK_H
#define TL_CLOCK_CLOCK_H

#include "base/ns.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The rate of a counter that counts nanoseconds. */
#define TL_MULT_ONE ((uint64_t)1 << 63)

enum {
	TL_CLOCK_TRIES_MAX = 16,   /* readings for one point */
	TL_CLOCK_STEER_PPM = 500,  /* largest slew of a kernel */
	TL_CLOCK_COARSE_PPB = 500, /* least error of a 10 ms rate */
	TL_CLOCK_TRAPPED_NS = 200  /* slower: rdtsc is emulated */
};

/* The origin of a rate: header.rate_source. */
enum {
	TL_RATE_UNKNOWN = 0,
	TL_RATE_KERNEL = 1, /* the kernel's own mult, from the vDSO data */
	/* nominal kHz of CPUID, rounded as in the kernel */
	TL_RATE_CPUID = 2,
	TL_RATE_MEASURED = 3, /* measured over a short time: coarse */
	TL_RATE_EXACT = 4     /* stamps are nanoseconds */
};

struct tl_rate {
	uint64_t mult; /* Q1.63 */
	uint64_t tsc_khz;
	uint32_t error_ppb;
	uint32_t source; /* TL_RATE_* */
};

/* The quality of the kernel's clock, as adjtimex reports it. */
struct tl_clock_sync {
	bool steered;         /* the clock is disciplined */
	uint32_t error_us;    /* bound of the error; ~0: unknown */
	int16_t tai_offset_s; /* 0: unknown */
};

/* One moment on all clocks: utc_ns was read within half_ticks of tsc. */
struct tl_clock_point {
	uint64_t tsc;
	int64_t utc_ns;
	uint64_t half_ticks;
	uint64_t raw_tsc; /* stamp of raw_ns; 0: unknown */
	int64_t raw_ns;   /* CLOCK_MONOTONIC_RAW */
	struct tl_clock_sync sync;
};

/* The functions that read time.  sync, raw and rate may be NULL. */
struct tl_clock_source {
	uint64_t (*tsc)(void *context);
	int64_t (*utc)(void *context); /* CLOCK_REALTIME, ns */
	int64_t (*raw)(void *context); /* CLOCK_MONOTONIC_RAW, ns */
	void (*sync)(void *context, struct tl_clock_sync *sync);
	/* Get the rate without waiting.  Returns 0, or -errno if the rate is
	 * not available. */
	int (*rate)(void *context, struct tl_rate *rate);
	void *context;
	uint32_t kind; /* TIMELINE_CLOCK_TSC, TIMELINE_CLOCK_REALTIME */
};

/* Read a clock of the kernel, in ns; 0 if there is no such clock. */
int64_t tl_clock_read(clockid_t clock);

/* The clocks of this machine for stamps of a kind, or NULL for an unknown
 * kind. */
const struct tl_clock_source *tl_clock_source(uint32_t kind);

/* Take the best of up to 16 sandwiches.  Returns 0, or -EIO if the clock goes
 * backwards or stands still inside every bracket. */
int tl_clock_sample(const struct tl_clock_source *source,
    struct tl_clock_point *point);

/* Get the rate of the source, at once or by measuring over 10 ms.  Returns 0 or
 * -errno. */
int tl_clock_rate(const struct tl_clock_source *source, struct tl_rate *rate);

/* Choose the kind of stamp for this machine and set TIMELINE_CPU_* flags.
 * TIMELINE_CLOCK_TSC is chosen only if the counter can be trusted. */
uint32_t tl_clock_choose(uint32_t *cpu_flags);
/* Does the kernel list the TSC among its clocks?  The kernel removes a TSC that
 * it found unstable.  -1: unknown. */
int tl_clock_kernel_lists_tsc(void);
/* The file with the kernel's list; tests set another file. */
extern const char *tl_clock_sources_file;

/* The stamp that a log call of a kind would take now. */
uint64_t tl_clock_now(uint32_t kind);

/* The signed distance in ticks from one stamp to another, saturating. */
static inline int64_t
tl_ticks_between(uint64_t from, uint64_t to)
{
	if (to >= from)
		return to - from > INT64_MAX ? INT64_MAX : (int64_t)(to - from);
	return from - to > INT64_MAX ? INT64_MIN : -(int64_t)(from - to);
}

/* Convert ticks to ns, rounded down, saturating.  The product needs 63 + 64
 * bits, which fit. */
static inline int64_t
tl_ticks_to_ns(int64_t ticks, uint64_t mult)
{
	const __int128 ns = ((__int128)ticks * (__int128)mult) >> 63;

	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

/* a + b, saturating. */
uint32_t tl_add_32(uint64_t a, uint64_t b);

/* n / by, rounded down; UINT64_MAX if the quotient is larger or by is 0.  One
 * instruction; the compiler would call a function that divides 128 bits by
 * 128. */
uint64_t tl_divide(unsigned __int128 n, uint64_t by);

/* Convert ns to ticks, rounded up, saturating; mult 0 gives UINT64_MAX. */
uint64_t tl_ns_to_ticks(uint64_t ns, uint64_t mult);

/* The rate at which ticks take ns: Q1.63; 0 if there is none. */
uint64_t tl_clock_mult(uint64_t ns, uint64_t ticks);

#endif
