/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save.c - a snapshot of a full ring of 64 MiB, beside a plain copy of the
 * same file.
 */
#include "bench.h"
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES = 1 << 20, COPY_BYTES = 1 << 17 };

static const double GOAL = 2.0; /* times a copy */

static struct bench_figure copy = { .name = "plain copy", .unit = "ms" };
static struct bench_figure save = { .name = "save",
	.unit = "ms",
	.kind = BENCH_RATIO_AT_MOST,
	.goal = GOAL };

/* Every CPU's lane, to the brim and a bit over. */
static void
fill(struct subject *s, int cpus)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		bench_pin(cpu);
		subject_log4(s, ENTRIES + 1000);
	}
}

static void
copy_file(const char *from, const char *to)
{
	static char buffer[COPY_BYTES];
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out =
	    open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n;

	if (in < 0 || out < 0)
		bench_die(to, -errno);
	while ((n = read(in, buffer, sizeof(buffer))) > 0) {
		if (write(out, buffer, (size_t)n) != n)
			bench_die(to, -errno);
	}
	close(in);
	close(out);
}

static double
copy_ms(const char *from, const char *to)
{
	const double start_s = bench_now_s();

	copy_file(from, to);
	const double end_s = bench_now_s();

	unlink(to);
	return (end_s - start_s) * 1e3;
}

static double
save_ms(struct timeline *tl, const char *to)
{
	const double start_s = bench_now_s();

	if (timeline_save(tl, to) < 0)
		bench_die(timeline_error(), 0);
	const double end_s = bench_now_s();

	unlink(to);
	return (end_s - start_s) * 1e3;
}

int
main(void)
{
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 15);
	const struct timeline_options options = { .entries = ENTRIES };
	char name[48], live[64], to[64];
	struct subject s;
	struct stat st;

	bench_begin("save");
	snprintf(name, sizeof(name), "bench-save-%d", (int)getpid());
	snprintf(live, sizeof(live), "/dev/shm/%s", name);
	snprintf(to, sizeof(to), "/dev/shm/%s.saved", name);
	bench_temporary(to);
	subject_new(&s, name, &options);
	fill(&s, bench_cpus());
	if (stat(live, &st) < 0)
		bench_die(live, -errno);
	printf("# %d entries in CPU lanes, a file of %.1f MiB\n", ENTRIES,
	    (double)st.st_size / (1 << 20));
	for (int r = 0; r < rounds; r++) {
		copy.samples[r] = copy_ms(live, to);
		save.samples[r] = save_ms(s.tl, to);
	}
	copy.count = save.count = rounds;
	bench_print(&copy, NULL, NULL);
	bench_print(&save, &copy, NULL);
	subject_close(&s);
	return 0;
}
