/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - rounds, quiet ones among them, medians, and the lines.
 */
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static const double QUIET = 1.05; /* of the least canary */

void
bench_die(const char *what, int rc)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static char temporaries[BENCH_TEMPORARIES_MAX][64];
static int temporary_count;

static void
remove_temporaries(void)
{
	for (int i = 0; i < temporary_count; i++)
		unlink(temporaries[i]);
}

static void
stop(int signal)
{
	remove_temporaries();
	_exit(128 + signal);
}

void
bench_temporary(const char *path)
{
	for (int i = 0; i < temporary_count; i++) {
		if (strcmp(temporaries[i], path) == 0)
			return;
	}
	if (temporary_count == BENCH_TEMPORARIES_MAX)
		bench_die("too many files", -E2BIG);
	if (temporary_count == 0) {
		atexit(remove_temporaries);
		signal(SIGINT, stop);
		signal(SIGTERM, stop);
	}
	snprintf(temporaries[temporary_count++], sizeof(temporaries[0]), "%s",
	    path);
}

long
bench_setting(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value && *value ? atol(value) : otherwise;
}

double
bench_member(const char *json, const char *words)
{
	const char *at = strstr(json, words);

	if (!at)
		bench_die(json, -EBADMSG);
	return strtod(at + strlen(words), NULL);
}

double
bench_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double
measure_tsc_khz(void)
{
	const double start_s = bench_now_s();
	const uint64_t start = __rdtsc();

	usleep(100000);
	return (double)(__rdtsc() - start) / (bench_now_s() - start_s) / 1e3;
}

double
bench_tsc_khz(void)
{
	static double khz;

	if (khz == 0)
		khz = measure_tsc_khz();
	return khz;
}

int
bench_cpus(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void
bench_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		bench_die("cannot pin to a CPU", -errno);
}

/* Only where it is allowed; without it the figures are just less quiet.  The
 * terminal's signals do not reach another session: end with who began it. */
static void
take_weight(void)
{
	FILE *group = fopen("/proc/self/autogroup", "w");

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (group) {
		fputs("-20", group);
		fclose(group);
	}
	(void)setpriority(PRIO_PROCESS, 0, -20);
}

/* The leader of a process group cannot start a session: its child can. */
static void
leave_session(void)
{
	int status = 0;
	pid_t child;

	if (geteuid() != 0 || bench_setting("BENCH_POLITE", 0))
		return;
	if (setsid() < 0) {
		if ((child = fork()) > 0) {
			waitpid(child, &status, 0);
			exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
		}
		if (child < 0 || setsid() < 0)
			return;
	}
	take_weight();
}

static void
print_cpu(void)
{
	static const char key[] = "model name";
	FILE *info = fopen("/proc/cpuinfo", "r");
	char line[256];

	while (info && fgets(line, sizeof(line), info)) {
		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			printf("%s", strchr(line, ':') + 2);
			break;
		}
	}
	if (info)
		fclose(info);
}

void
bench_begin(const char *what)
{
	const time_t now = time(NULL);
	struct tm date;
	char text[32];

	leave_session();
	setvbuf(stdout, NULL, _IOLBF, 0);
	strftime(text, sizeof(text), "%F %T UTC", gmtime_r(&now, &date));
	printf("# %s: %s, %d CPUs, TSC %.0f kHz, ", what, text, bench_cpus(),
	    bench_tsc_khz());
	print_cpu();
}

double
bench_canary(long n)
{
	const uint64_t start = __rdtsc();

	for (long i = 0; i < n; i++)
		__asm__ volatile("rdtsc" ::: "rax", "rdx");
	return (double)(__rdtsc() - start) / (double)n;
}

double
bench_cycles(const struct bench_case *which, long n)
{
	const uint64_t start = __rdtsc();

	which->body(which->arg, n);
	return (double)(__rdtsc() - start) / (double)n;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;

	return (x > y) - (x < y);
}

double
bench_median(const double *samples, int count)
{
	double sorted[BENCH_ROUNDS_MAX];

	memcpy(sorted, samples, (size_t)count * sizeof(*samples));
	qsort(sorted, (size_t)count, sizeof(*sorted), compare);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

int
bench_quiet(const double *canary, int rounds, uint8_t *quiet)
{
	double least = canary[0];
	int count = 0;

	for (int r = 1; r < rounds; r++)
		least = canary[r] < least ? canary[r] : least;
	for (int r = 0; r < rounds; r++)
		count += quiet[r] = canary[r] <= least * QUIET;
	return count;
}

/* The samples of the rounds that count; how many they are. */
static int
choose(double *chosen, const struct bench_figure *figure,
    const struct bench_figure *floor, const uint8_t *quiet)
{
	int n = 0;

	for (int r = 0; r < figure->count; r++) {
		if (quiet && !quiet[r])
			continue;
		chosen[n] = figure->samples[r];
		if (floor)
			chosen[n] /= floor->samples[r];
		n++;
	}
	qsort(chosen, (size_t)n, sizeof(*chosen), compare);
	return n;
}

static void
print_verdict(const struct bench_figure *figure, double value, double ratio)
{
	bool reached;

	switch (figure->kind) {
	case BENCH_RATIO_AT_MOST:
		reached = ratio <= figure->goal;
		printf("goal <= %.2fx", figure->goal);
		break;
	case BENCH_AT_MOST:
		reached = value <= figure->goal;
		printf("goal <= %g %s", figure->goal, figure->unit);
		break;
	case BENCH_AT_LEAST:
		reached = value >= figure->goal;
		printf("goal >= %g %s", figure->goal, figure->unit);
		break;
	default:
		printf("-\n");
		return;
	}
	printf("  %s\n", reached ? "reached" : "missed");
}

void
bench_print(const struct bench_figure *figure, const struct bench_figure *floor,
    const uint8_t *quiet)
{
	double v[BENCH_ROUNDS_MAX];
	double ratio = 0;
	int n;

	if (floor && (n = choose(v, figure, floor, quiet)) > 0)
		ratio = (v[(n - 1) / 2] + v[n / 2]) / 2;
	if ((n = choose(v, figure, NULL, quiet)) == 0)
		return;
	const double median = (v[(n - 1) / 2] + v[n / 2]) / 2;
	printf("%-34s %9.2f %-9s [%.2f .. %.2f]  ", figure->name, median,
	    figure->unit, v[n / 4], v[3 * n / 4]);
	if (floor)
		printf("%.3fx  ", ratio);
	print_verdict(figure, median, ratio);
}

void
bench_print_fact(const char *name, int holds, const char *format, ...)
{
	va_list ap;

	printf("%-34s ", name);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("  %s\n", holds ? "reached" : "missed");
}

static struct bench_figure figures[BENCH_CASES_MAX];

void
bench_run(const struct bench_case *cases, int count, int floor, long n,
    int rounds)
{
	uint8_t quiet[BENCH_ROUNDS_MAX];

	if (count > BENCH_CASES_MAX || rounds > BENCH_ROUNDS_MAX)
		bench_die("too many cases or rounds", -E2BIG);
	for (int c = 0; c < count; c++) {
		figures[c] = (struct bench_figure){ .name = cases[c].name,
			.unit = "cycles",
			.count = rounds,
			.kind = cases[c].kind,
			.goal = cases[c].goal };
		cases[c].body(cases[c].arg, n / 10 + 1); /* warm up */
	}
	for (int r = 0; r < rounds; r++) {
		for (int c = 0; c < count; c++)
			figures[c].samples[r] = bench_cycles(&cases[c], n);
	}
	printf("# %ld a round, %d of %d rounds are quiet\n", n,
	    bench_quiet(figures[0].samples, rounds, quiet), rounds);
	for (int c = 0; c < count; c++)
		bench_print(&figures[c], &figures[floor], quiet);
}
