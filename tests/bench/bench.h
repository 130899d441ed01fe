/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - measuring: pinned, in interleaved rounds, beside a floor that is
 * taken in every round, and one printed line a figure.
 *
 *	name  median unit  [p25 .. p75]  ratio  goal  verdict
 *
 * On a virtual machine the price of one rdtsc moves by half with what the
 * host runs beside it.  So a round begins with a bare rdtsc loop (the
 * canary), figures come from the quiet rounds alone (those in which the
 * canary cost at most 5% over its least), and a ratio is the median of the
 * ratios of single rounds.  A verdict tells; it never fails.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

enum {
	BENCH_ROUNDS_MAX = 401,
	BENCH_CASES_MAX = 32,
	BENCH_WORKERS_MAX = 8,
	BENCH_TEMPORARIES_MAX = 64
};

/* What a goal is about. */
enum bench_goal {
	BENCH_NO_GOAL = 0,
	BENCH_RATIO_AT_MOST, /* the ratio to the floor */
	BENCH_AT_MOST,       /* the figure itself */
	BENCH_AT_LEAST
};

/* A figure: its samples, in the order of the rounds. */
struct bench_figure {
	const char *name;
	const char *unit;
	int count;
	double samples[BENCH_ROUNDS_MAX];
	enum bench_goal kind;
	double goal;
};

/* One thing to measure: the body does it n times. */
struct bench_case {
	const char *name;
	void (*body)(void *arg, long n);
	void *arg;
	enum bench_goal kind;
	double goal;
};

/* The headline: what, CPU, date, TSC.  As root this also moves the process
 * to a session of its own with the highest weight: a build in another
 * session would get half of the core, whatever nice says. */
void bench_begin(const char *what);

/* The TSC in kHz, measured once. */
double bench_tsc_khz(void);

/* Cycles of one bare rdtsc, from n of them: the floor of every stamp. */
double bench_canary(long n);
double bench_cycles(const struct bench_case *which, long n);

/* Run this thread on one CPU. */
void bench_pin(int cpu);
int bench_cpus(void);

/* Seconds on a clock that only goes forward. */
double bench_now_s(void);

/* A number from the environment. */
long bench_setting(const char *name, long otherwise);
/* The number behind these words in what a program said; without them the
 * program ends. */
double bench_member(const char *json, const char *words);

/* All cases by turns, n at a time, and a line for each.  The first one chooses
 * the quiet rounds, and the ratios of all count from case number floor. */
void bench_run(const struct bench_case *cases, int count, int floor, long n,
    int rounds);

/* One line.  The floor has a sample for each of the figure's (NULL: no
 * ratio), quiet says which rounds count (NULL: all). */
void bench_print(const struct bench_figure *figure,
    const struct bench_figure *floor, const uint8_t *quiet);
/* A fact that is either so or not. */
void bench_print_fact(const char *name, int holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Mark the rounds whose canary is near its least; their number. */
int bench_quiet(const double *canary, int rounds, uint8_t *quiet);
double bench_median(const double *samples, int count);

/* A file that is to go with the process, however it ends but by SIGKILL. */
void bench_temporary(const char *path);

/* The end of the program that failed to measure. */
void bench_die(const char *what, int rc) __attribute__((noreturn));

#endif
