/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - the calibrator on its loop, with the clock of this machine, while
 * another process reads; and a keeper that is killed at any moment.
 */
#include "base/word.h"
#include "clock/rate.h"
#include "daemon/calibrator.h"
#include "lib/clock_keep.h"
#include "lib/test.h"
#include "ring/ring.h"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TIMELINES = 8,
	LIVE_MS = 6000,
	LIVE_MAX = 20000,
	ROUNDS = 200,
	PAGES_MAX = 16
};

static void
pause_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static pid_t
fork_child(void)
{
	fflush(stdout);
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* == timelines == */
static char names[TIMELINES][64];
static struct timeline *tls[TIMELINES];

static void
make_timelines(int count)
{
	const struct timeline_options small = { .entries = 1024 };

	for (int i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "/test-daemon-clock-%d-%d",
		    (int)getpid(), i);
		timeline_remove(names[i]);
		ck_assert_ok(timeline_new(&tls[i], names[i], &small));
		/*
		 * open files live on without a name: a killed test leaves
		 * nothing
		 */
		ck_assert_ok(timeline_remove(names[i]));
	}
}

static void
close_timelines(int count)
{
	for (int i = 0; i < count; i++)
		timeline_close(tls[i]);
}

/* Run a daemon's loop with nothing but calibrators for some time. */
static void
on_end(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)timer;
	(void)events;
	ev_break(loop, EVBREAK_ALL);
}

static struct ev_loop *
run_calibrators(struct tl_calibrator **calibrators, int count, double seconds)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	ev_timer end;

	ck_assert_ptr_nonnull(loop);
	for (int i = 0; i < count; i++)
		ck_assert_ok(tl_calibrator_new(&calibrators[i], loop, tls[i]));
	ev_timer_init(&end, on_end, seconds, 0.);
	ev_timer_start(loop, &end);
	ev_run(loop, 0);
	ev_timer_stop(loop, &end);
	return loop;
}

static double
cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* In the child: keep the clocks as a running daemon does. */
static void
keep_clocks(int count, double seconds)
{
	struct tl_calibrator *calibrators[TIMELINES];
	struct tl_calibrator_status status;
	const double before = cpu_seconds();
	struct ev_loop *loop;

	loop = run_calibrators(calibrators, count, seconds);
	tl_calibrator_status(calibrators[0], &status);
	printf("G: %d timelines: %.4f %% of a core in %.0f s; %lu points, "
	       "%lu knots, %lu rejected, est %u max %u ns, %u ppb\n",
	    count, (cpu_seconds() - before) / seconds * 100, seconds,
	    (unsigned long)status.points, (unsigned long)status.knots,
	    (unsigned long)status.rejected, status.est_err_ns,
	    status.max_err_ns, status.rate_err_ppb);
	fflush(stdout);
	if (status.points == 0 || status.suspect)
		_exit(3);
	for (int i = 0; i < count; i++)
		tl_calibrator_free(calibrators[i]);
	ev_loop_destroy(loop);
	_exit(tls[0]->header->clock.keeper == 0 ? 0 : 4);
}

/* == the line of the kernel's clock, where it can be found == */
/* Copy through a pipe: an unreadable page is an error there and no signal. */
static bool
copy_page(uintptr_t address, unsigned char page[4096])
{
	int fds[2];
	bool copied;

	if (pipe(fds) != 0)
		return false;
	copied = write(fds[1], (const void *)address, 4096) == 4096 &&
		 read(fds[0], page, 4096) == 4096;
	close(fds[0]);
	close(fds[1]);
	return copied;
}

static bool
line_fits(const struct tl_kernel_line *line)
{
	const struct tl_clock_source *clock =
	    tl_clock_source(TIMELINE_CLOCK_TSC);

	for (int i = 0; i < 16; i++) {
		const uint64_t a = clock->tsc(NULL);
		const int64_t ns = clock->utc(NULL);
		const uint64_t b = clock->tsc(NULL);

		if (tl_kernel_line_at(line, a) > ns + 1 ||
		    tl_kernel_line_at(line, b) < ns - 1)
			return false;
	}
	return true;
}

static bool
find_kernel_line(struct tl_kernel_line *line)
{
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	unsigned char page[4096];

	for (uintptr_t i = 1; vdso != 0 && i <= PAGES_MAX; i++) {
		size_t place = 0;

		if (!copy_page(vdso - i * sizeof(page), page))
			continue;
		while (tl_kernel_line_find(page, sizeof(page), &place, line))
			if (line_fits(line))
				return true;
	}
	return false;
}

/* == live reading == */
static uint32_t live_offs[LIVE_MAX];
static size_t live_count;

/* Extrapolate the newest tail, as a reader does that has no time for more. */
static int64_t
convert_live(const struct timeline_clock_tail *tail, uint64_t tsc,
    uint32_t *bound_ns)
{
	const int64_t ns =
	    tl_ticks_to_ns(tl_ticks_between(tail->tsc, tsc), tail->mult);
	const uint32_t steer_ppb =
	    tail->flags & TIMELINE_KNOT_UNSYNC ? 1 : TL_CLOCK_STEER_PPM * 1000;

	*bound_ns = tl_add_32(tail->max_err_ns,
	    tl_ppb_of((uint64_t)(ns < 0 ? -ns : ns),
		(uint64_t)tail->rate_err_ppb + steer_ppb));
	return tail->utc_ns + ns;
}

/* Check that the clock lies in its bracket; returns 1 if it does not. */
static size_t
probe(struct timeline *tl, const struct tl_kernel_line *line)
{
	const struct tl_clock_source *clock =
	    tl_clock_source(TIMELINE_CLOCK_TSC);
	struct timeline_clock_tail tail;
	uint32_t low_bound, high_bound;

	if (tl_calibrate_read(tl->header, &tail) < 0)
		return 0;
	const uint64_t a = clock->tsc(NULL);
	const int64_t ns = clock->utc(NULL);
	const uint64_t b = clock->tsc(NULL);
	const int64_t low = convert_live(&tail, a, &low_bound);
	const int64_t high = convert_live(&tail, b, &high_bound);

	if (line && live_count < LIVE_MAX)
		live_offs[live_count++] =
		    (uint32_t)llabs(low - tl_kernel_line_at(line, a));
	return low - (int64_t)low_bound > ns || high + (int64_t)high_bound < ns;
}

static void
print_offs(const char *what)
{
	if (live_count == 0)
		return;
	qsort(live_offs, live_count, sizeof(*live_offs), by_size);
	printf("%s: %zu stamps, p50 %u, p99 %u, max %u ns off the kernel's "
	       "line\n",
	    what, live_count, live_offs[live_count / 2],
	    live_offs[live_count - 1 - live_count / 100],
	    live_offs[live_count - 1]);
	live_count = 0;
}

/*
 * Compare the line of the whole file with the kernel's, at the end of the test.
 */
static void
compare_saved(struct timeline *tl, const struct tl_kernel_line *line)
{
	static struct timeline_header copy;
	static struct timeline_knot copied[KNOTS];
	struct tl_time time;

	copy_clock(tl->header, tl->calibrate.knots, KNOTS, &copy, copied);
	copy.clock_kind = TIMELINE_CLOCK_TSC;
	ck_assert_ok(tl_time_build(&time, &copy, copied, KNOTS, NULL, NULL));
	const uint64_t from = copied[0].tsc;
	const uint64_t step = (copy.clock.tsc - from) / 1000;

	for (int i = 0; i < 1000 && line_fits(line); i++) {
		const uint64_t tsc = from + (uint64_t)i * step;

		live_offs[live_count++] =
		    (uint32_t)llabs(tl_time_convert(&time, 0, tsc, NULL) -
				    tl_kernel_line_at(line, tsc));
	}
	print_offs("B");
	printf("B: %lu knots\n", (unsigned long)copy.knot_count);
	tl_time_free(&time);
}

TEST_FILE(.timeout = 120);

TEST(a_live_reader_keeps_the_bound_while_the_daemon_calibrates)
{
	struct tl_kernel_line line;
	size_t outside = 0;
	int status;

	make_timelines(TIMELINES);
	if (tls[0]->geometry.clock_kind != TIMELINE_CLOCK_TSC) {
		printf("no trustworthy TSC here\n");
		close_timelines(TIMELINES);
		return;
	}
	const bool steady = find_kernel_line(&line);
	const pid_t child = fork_child();

	if (child == 0)
		keep_clocks(TIMELINES, LIVE_MS / 1000.0);
	for (int i = 0; i < LIVE_MS - 500; i++) {
		outside += probe(tls[i % TIMELINES], steady ? &line : NULL);
		pause_ns(1000000);
		if (i % 1000 == 999) /* a program visits the clock, too */
			tl_clock_visit(tls[0]);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(outside, 0);
	/* the rate did not change in the meantime */
	if (steady && line_fits(&line)) {
		print_offs("A");
		compare_saved(tls[0], &line);
	} else {
		printf("A, B: the kernel's line cannot be read here\n");
	}
	close_timelines(TIMELINES);
}

TEST(a_reader_that_is_wrong_by_a_little_is_caught)
{
	struct timeline_clock_tail tail;
	uint32_t bound;

	make_timelines(1);
	ck_assert_int_ge(tl_calibrate_now(&tls[0]->calibrate, false), 0);
	ck_assert_ok(tl_calibrate_read(tls[0]->header, &tail));
	(void)convert_live(&tail, tl_stamp_now(tls[0]), &bound);
	tail.utc_ns += 10 * (int64_t)bound + 100000;
	tl_store_64((uint64_t *)(void *)&tls[0]->header->clock.utc_ns,
	    (uint64_t)tail.utc_ns);
	ck_assert_uint_eq(probe(tls[0], NULL), 1);
	close_timelines(1);
}

TEST(one_calibrator_stands_in_for_all_of_a_loop)
{
	struct tl_calibrator *calibrators[3];
	struct tl_calibrator_status status;
	struct ev_loop *other = ev_loop_new(EVFLAG_AUTO);
	struct tl_calibrator *refused;
	struct ev_loop *loop;

	make_timelines(3);
	loop = run_calibrators(calibrators, 3, 0.1);
	do {
		ev_run(loop, EVRUN_ONCE);
		tl_calibrator_status(calibrators[0], &status);
	} while (status.points < 2);
	ck_assert_int_eq(tl_calibrator_new(&refused, other, tls[0]), -EBUSY);
	for (int i = 0; i < 3; i++) {
		tl_calibrator_status(calibrators[i], &status);
		ck_assert_uint_ge(status.points, 2);
		ck_assert(!status.busy && !status.suspect);
		ck_assert_uint_gt(status.max_err_ns, 0);
		ck_assert_uint_eq(tls[i]->header->clock.keeper,
		    (uint32_t)getpid());
		/* all of them have the same point */
		ck_assert(
		    tls[i]->header->clock.tsc == tls[0]->header->clock.tsc);
	}
	tl_calibrator_free(calibrators[1]);
	tl_calibrator_free(calibrators[0]);
	tl_calibrator_free(calibrators[2]);
	tl_calibrator_free(NULL);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(tls[i]->header->clock.keeper, 0);
	ev_loop_destroy(loop);
	ev_loop_destroy(other);
	close_timelines(3);
}

/* == a killed keeper == */
struct shared {
	struct timeline_header header;
	struct timeline_knot knots[KNOTS];
	struct clock_script script;
	uint64_t ticks;
};

/* Take points as fast as possible, until the process is killed. */
static void
hammer(struct shared *shared)
{
	struct clock_script *s = &shared->script;
	struct tl_clock_source clocks = clock_script_source(s);
	const struct tl_calibrate own = { .header = &shared->header,
		.knots = shared->knots,
		.knots_max = KNOTS,
		.source = &clocks };
	struct tl_keep_news told = { .sees_set = true };
	struct tl_clock_point point;

	tl_sampler_init(&sampler, &clocks, NULL);
	tl_keeper_init(&keeper, &own);
	for (;;) {
		clock_script_run(s, SECOND / 2);
		if (tl_sampler_take(&sampler, &point, &told) == 0)
			(void)tl_keeper_point(&keeper, &point, &told);
		/* commit knots often, so that kills hit the commits, too */
		if (++shared->ticks % 5 == 0)
			tl_keeper_leave(&keeper);
	}
}

TEST(a_keeper_killed_anywhere_leaves_a_clock_that_goes_on)
{
	struct shared *shared = mmap(NULL, sizeof(*shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timeline_clock_tail tail;
	unsigned inside = 0;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	set_up_keeper(21, true);
	shared->script = script;
	shared->header = header;
	memcpy(shared->knots, knots, sizeof(knots));
	for (int i = 0; i < ROUNDS; i++) {
		const pid_t child = fork_child();
		const uint64_t ticks = shared->ticks;
		struct tl_clock_source clocks;
		int reads = 0;

		if (child == 0)
			hammer(shared);
		while (*(volatile uint64_t *)&shared->ticks < ticks + 3)
			pause_ns(20000);
		for (int k = 0; k < i % 50; k++) {
			/* a reader always ends, whatever the keeper does */
			(void)tl_calibrate_read(&shared->header, &tail);
			reads++;
		}
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		inside += shared->header.clock.sequence % 2;
		(void)tl_calibrate_read(&shared->header, &tail);
		script = shared->script;
		header = shared->header;
		memcpy(knots, shared->knots, sizeof(knots));
		check_reader(true, 50);
		/* the next writer goes on, a daemon or any program */
		clocks = clock_script_source(&shared->script);
		const struct tl_calibrate next = { .header = &shared->header,
			.knots = shared->knots,
			.knots_max = KNOTS,
			.source = &clocks };

		if (i % 2) {
			ck_assert_int_ge(tl_calibrate_now(&next, false), 0);
			ck_assert_uint_eq(shared->header.clock.sequence % 2, 0);
		}
		clock_script_rate(&shared->script, (i % 7) * 3000);
		ck_assert_int_le(reads, 50);
	}
	printf("killed %d times, %u of them with the lock\n", (int)ROUNDS,
	    inside);
	munmap(shared, sizeof(*shared));
}
