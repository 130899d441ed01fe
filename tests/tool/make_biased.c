/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_biased.c - spans of all lengths, sampled by bursts on a schedule.
 *
 *	make_biased PATH FILE
 *
 * A thread does one job after another: nine of ten jobs take about 20 us, and
 * one of a hundred takes about 20 ms.  Nearly all of the thread's time goes to
 * long jobs, so a burst of 100 us each 2 ms holds only short jobs whole.  A job
 * whose begin is in a burst is logged, with an end that proves it.
 *
 * The jobs are those of a minute, but the program does not wait: it logs them
 * at once, and gives them their stamps in the saved file.  It saves FILE,
 * removes PATH, and prints for 50, 90 and 99 per cent the range of the right
 * percentile of the logged jobs in ns, three standard errors below and above
 * the percentile of all jobs; then the percentile of the jobs that a burst
 * holds whole.
 */
#include "../lib/making.h"
#include "../lib/random.h"

#include <fcntl.h>
#include <math.h>

enum { JOBS_MAX = 1 << 19, LOGGED_MAX = 1 << 15 };

static const double all_ns = 60e9;
static const double period_ns = 2e6;
static const double burst_ns = 1e5;

static struct job {
	double begin, end; /* in ns */
} logged[LOGGED_MAX];
static double all[JOBS_MAX], whole[LOGGED_MAX];
static uint64_t all_count, logged_count, whole_count;

static double
about(uint64_t *seed, double ns)
{
	return -ns * log(1 - (double)(random_next(seed) >> 11) * 0x1p-53);
}

static void
work(void)
{
	uint64_t seed = 20;

	for (double t = 0; t < all_ns; t += about(&seed, 3e4)) {
		const uint64_t kind = random_below(&seed, 100);
		const double ns = about(&seed, kind < 90   ? 2e4
					       : kind < 99 ? 1e6
							   : 2e7);
		const double into = fmod(t, period_ns);

		expect(all_count < JOBS_MAX && logged_count < LOGGED_MAX,
		    "too many jobs");
		all[all_count++] = ns;
		if (into < burst_ns)
			logged[logged_count++] = (struct job){ t, t + ns };
		if (into + ns < burst_ns)
			whole[whole_count++] = ns;
		t += ns;
	}
}

static void
log_jobs(void)
{
	struct timeline_event *const span =
	    making_span("work", "info", "job $id", TIMELINE_THREAD);

	for (uint64_t i = 0; i < logged_count; i++) {
		expect(timeline_span_append(span + TIMELINE_PART_SCOPE, i, 0, 0,
			   0) != 0,
		    "not logged");
		timeline_end_of(span, 1, i);
	}
}

/* Give the entries of a saved file their stamps, the last one now. */
static void
set_stamps(const char *file, uint64_t last, double ticks_per_ns)
{
	const uint64_t start = last - (uint64_t)((all_ns + 1e9) * ticks_per_ns);
	const int fd = open(file, O_RDWR | O_CLOEXEC);
	const off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *const bytes =
	    mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct timeline_header *h = (void *)bytes;

	expect(fd >= 0 && bytes != MAP_FAILED, "%s: %m", file);
	for (uint32_t lane = 0; lane < timeline_lane_count(h); lane++) {
		const struct timeline_head *head =
		    (void *)(bytes + timeline_head_offset(h, lane));

		for (uint64_t q = head->first; q < head->end; q++) {
			struct timeline_entry *e =
			    (void *)(bytes + timeline_entry_offset(h, lane, q));
			const struct job *job = &logged[e->args[0]];
			const uint64_t begin =
			    start + (uint64_t)(job->begin * ticks_per_ns);

			if (!(e->message & TIMELINE_MESSAGE_WHOLE))
				continue; /* an entry of the library */
			e->tsc = begin;
			if (!(e->message & TIMELINE_MESSAGE_END))
				continue;
			e->tsc = start + (uint64_t)(job->end * ticks_per_ns);
			e->args[3] = begin;
		}
	}
	munmap(bytes, (size_t)size);
	close(fd);
}

static int
compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/*
 * The value that a share p of the values does not exceed; p is kept within the
 * range of ranks.
 */
static double
quantile(const double *values, uint64_t count, double p)
{
	double rank = ceil(p * (double)count) - 1;

	if (rank < 0)
		rank = 0;
	if (rank > (double)(count - 1))
		rank = (double)(count - 1);
	return values[(uint64_t)rank];
}

static void
print_truth(void)
{
	static const double shares[] = { 0.5, 0.9, 0.99 };

	qsort(all, all_count, sizeof(*all), compare);
	qsort(whole, whole_count, sizeof(*whole), compare);
	for (int i = 0; i < 3; i++) {
		const double p = shares[i];
		const double error = sqrt(p * (1 - p) / (double)logged_count);

		printf("%.0f %.0f %.0f\n",
		    quantile(all, all_count, p - 3 * error),
		    quantile(all, all_count, p + 3 * error),
		    quantile(whole, whole_count, p));
	}
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = LOGGED_MAX * 8 };
	double ticks_per_ns;
	uint64_t stamp;

	making_open(argc, argv, 3, "PATH FILE", &options);
	work();
	log_jobs();
	stamp = tl_stamp_now(tl);
	ticks_per_ns = (double)tl->header->tsc_khz / 1e6;
	making_save(argv);
	set_stamps(argv[2], stamp, ticks_per_ns);
	print_truth();
	return 0;
}
