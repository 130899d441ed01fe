/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_ours.c - our lines for a comparison with other tracers, measured as
 * theirs are: one line a mode,
 *
 *	peer=timeline mode=ev4 cyc= ns= min= max= quiet=median/rounds rdtsc=
 *	    workers= n= rounds=
 *
 * ev4 logs four integers, ev0 none, off a disabled event; x2t and x2p say
 * two threads (PB_THREADS=2) and two processes (PB_PROCS=2).  PB_N events a
 * round, PB_ROUNDS rounds, PB_ONLY one mode.  "--print" prints what would be
 * measured and measures nothing.
 */
#include "bench.h"
#include "crew.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 4 MiB for each CPU, what the others are given for each thread. */
enum { LANE_ENTRIES = 1 << 16 };

struct mode {
	const char *name;
	void (*body)(void *subject, long n);
	bool logs;
};

static const struct mode modes[] = {
	{ "off", subject_off, false },
	{ "ev0", subject_log0, true },
	{ "ev4", subject_log4, true },
};

static char name[48];
static struct subject subject;
static struct crew_sheet sheet;

static void *
enter(void *arg, int worker)
{
	const struct crew *crew = arg;
	struct subject *own = calloc(1, sizeof(*own));

	(void)worker;
	if (crew->processes)
		subject_open(own, name);
	else
		memcpy(own, &subject, sizeof(*own));
	return own;
}

static const char *
suffix(const struct crew *crew)
{
	if (crew->workers < 2)
		return "";
	return crew->processes ? "x2p" : "x2t";
}

/* The rounds of the sheet whose canary was quiet, in quiet's order. */
static int
pick_quiet(double *picked, int rounds)
{
	uint8_t quiet[BENCH_ROUNDS_MAX];
	int n = 0;

	bench_quiet(sheet.canary, rounds, quiet);
	for (int r = 0; r < rounds; r++) {
		if (quiet[r])
			picked[n++] = sheet.cycles[r];
	}
	return n;
}

static void
print_line(const struct mode *mode, const struct crew *crew)
{
	const int rounds = crew->rounds;
	const double median = bench_median(sheet.cycles, rounds);
	double picked[BENCH_ROUNDS_MAX];
	const int quiet = pick_quiet(picked, rounds);
	double least = sheet.cycles[0];
	double most = sheet.cycles[0];

	for (int r = 1; r < rounds; r++) {
		least = sheet.cycles[r] < least ? sheet.cycles[r] : least;
		most = sheet.cycles[r] > most ? sheet.cycles[r] : most;
	}
	printf("peer=timeline mode=%s%s cyc=%.1f ns=%.1f min=%.1f max=%.1f "
	       "quiet=%.1f/%d rdtsc=%.1f workers=%d n=%ld rounds=%d\n",
	    mode->name, suffix(crew), median, median / (bench_tsc_khz() / 1e6),
	    least, most, bench_median(picked, quiet), quiet,
	    bench_median(sheet.canary, rounds), crew->workers, crew->n, rounds);
	fflush(stdout);
}

static void
run(const struct mode *mode, struct crew *crew, bool print_only)
{
	const char *only = getenv("PB_ONLY");

	if (only && *only && strcmp(only, mode->name) != 0)
		return;
	if (print_only) {
		printf("mode=%s%s workers=%d n=%ld rounds=%d\n", mode->name,
		    suffix(crew), crew->workers, crew->n, crew->rounds);
		return;
	}
	crew->body = mode->body;
	crew_run(crew, &sheet);
	if (mode->logs)
		subject.sent += (uint64_t)sheet.asked;
	print_line(mode, crew);
}

/* Not a line of the comparison: is everything there that was sent? */
static void
print_count(void)
{
	const uint64_t kept = subject_kept(&subject) - subject.before;

	printf("counted peer=timeline sent=%llu kept=%llu\n",
	    (unsigned long long)subject.sent, (unsigned long long)kept);
}

int
main(int argc, char **argv)
{
	const long processes = bench_setting("PB_PROCS", 1);
	const long threads = bench_setting("PB_THREADS", 1);
	const bool print_only = argc > 1 && strcmp(argv[1], "--print") == 0;
	const long rounds = bench_setting("PB_ROUNDS", 21);
	const struct timeline_options options = {
		.entries = LANE_ENTRIES * (uint64_t)bench_cpus()
	};
	struct crew crew = { .processes = processes > 1,
		.workers = (int)(processes > 1 ? processes : threads),
		.rounds = (int)(rounds < BENCH_ROUNDS_MAX ? rounds
							  : BENCH_ROUNDS_MAX),
		.n = bench_setting("PB_N", 1000000),
		.enter = enter };

	crew.arg = &crew;
	snprintf(name, sizeof(name), "peer-ours-%d", (int)getpid());
	if (!print_only)
		subject_new(&subject, name, &options);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		run(&modes[i], &crew, print_only);
	if (!print_only) {
		print_count();
		subject_close(&subject);
	}
	return 0;
}
