/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate_tail.c - the tail's lock: busy, stolen, torn, copied. */
#include "clock/calibrate_tail.h"
#include "clock/calibrate.h"
#include "lib/test.h"

#include "lib/clock_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_FILE(.timeout = 120);

TEST(a_busy_tail_is_skipped)
{
	set_up_first(9);
	struct timeline_clock_tail tail;

	header.clock.sequence |= 1; /* locked by this process, which lives */
	ck_assert_int_eq(tl_calibrate_now(&calibrate, false),
	    TL_CALIBRATE_BUSY);
	ck_assert_int_eq(tl_calibrate_read(&header, &tail), -EAGAIN);
	ck_assert_uint_eq(tail.sequence % 2, 1);
}

/* Return the pid of a process that has just died. */
static uint32_t
dead_pid(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

TEST(the_tail_of_a_dead_writer_is_stolen_and_not_believed)
{
	struct timeline_clock_tail tail;

	set_up_first(10);
	clock_script_run(&script, 30 * SECOND);
	tl_calibrate_maybe(&calibrate);
	/* the owner died half way through */
	header.clock.sequence |= 1;
	header.clock.owner = dead_pid();
	header.clock.tsc = 5;
	header.clock.utc_ns = -7;
	clock_script_run(&script, 30 * SECOND);
	ck_assert_int_eq(tl_calibrate_now(&calibrate, false),
	    TL_CALIBRATE_POINT);
	ck_assert_ok(tl_calibrate_read(&header, &tail));
	ck_assert_uint_eq(tail.owner, (uint32_t)getpid());
	ck_assert_uint_eq(header.knot_count, 1);
	ck_assert_uint_eq(header.epochs, 0);
	ck_assert_uint_le(check_bounds(), 200);
}

/*
 * Every definition checks the clock, also between a call that failed and the
 * read of its errno.
 */
TEST(a_look_for_the_keeper_leaves_errno_alone)
{
	set_up_first(12);
	header.clock.keeper = dead_pid();
	errno = EDOM;
	ck_assert(!tl_tail_is_kept(&header));
	ck_assert_int_eq(errno, EDOM);
}

TEST(a_copied_busy_tail_is_left_for_the_last_knot)
{
	set_up_first(11);
	clock_script_run(&script, 30 * SECOND);
	/* locked by a living owner: the lock is that of the copied file */
	header.clock.sequence |= 1;
	header.clock.tsc = 77;
	ck_assert_int_eq(tl_calibrate_copied(&calibrate), TL_CALIBRATE_POINT);
	ck_assert_uint_le(check_bounds(), 200);
}

TEST(a_copy_of_a_live_clock_is_the_same_clock)
{
	static struct timeline_header copy;
	static struct timeline_knot copied[KNOTS];

	set_up_first(13);
	for (int i = 0; i < KNOTS; i++) {
		clock_script_run(&script, 2 * SECOND);
		clock_script_step(&script, 300000000);
		tl_calibrate_maybe(&calibrate);
	}
	knots[5].seq = 0; /* a writer is changing this knot */
	copy_clock(&header, knots, KNOTS, &copy, copied);
	ck_assert_int_eq(memcmp(&copy.clock, &header.clock, sizeof(copy.clock)),
	    0);
	ck_assert_uint_eq(copy.knot_count, header.knot_count);
	ck_assert_int_eq(memcmp(copied, knots, sizeof(knots[0]) * 5), 0);
	ck_assert_uint_eq(copied[5].seq, 0);
	ck_assert_int_eq(memcmp(copied + 6, knots + 6,
			     sizeof(knots[0]) * (KNOTS - 6)),
	    0);
}

TEST(no_contents_of_the_tail_do_harm)
{
	set_up_first(14);
	for (int i = 0; i < 20000; i++) {
		uint64_t *words = (uint64_t *)(void *)&header.clock;

		for (int k = 1; k < 16; k++)
			if (clock_script_random(&script, 2))
				words[k] =
				    clock_script_random(&script, UINT64_MAX)
				    << clock_script_random(&script, 64);
		if (i % 3 == 0)
			header.clock.sequence = 1, header.clock.owner = 0;
		if (i % 5 == 0)
			header.knot_count =
			    clock_script_random(&script, UINT64_MAX);
		if (i % 7 == 0)
			memset(knots, (int)clock_script_random(&script, 256),
			    sizeof(knots));
		clock_script_run(&script, SECOND / 1000);
		(void)tl_calibrate_maybe(&calibrate);
		(void)tl_calibrate_now(&calibrate, false);
		(void)tl_calibrate_ticks(&header, UINT64_MAX >> (i % 64));
	}
}

/* Kills the process at one of the readings. */
static int readings_left;

static int64_t
deadly_utc(void *context)
{
	if (readings_left-- == 0)
		raise(SIGKILL);
	return clock_script_source(&script).utc(context);
}

TEST(a_writer_killed_at_any_reading_leaves_a_good_clock)
{
	struct shared {
		struct timeline_header header;
		struct timeline_knot knots[KNOTS];
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(shared, MAP_FAILED);
	set_up(17);
	calibrate.header = &shared->header;
	calibrate.knots = shared->knots;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	for (int i = 0; i < 12; i++) {
		int status;

		clock_script_run(&script, 5 * SECOND);
		const pid_t child = fork();

		if (child == 0) {
			readings_left = i;
			source.utc = deadly_utc;
			(void)tl_calibrate_now(&calibrate, false);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (WIFSIGNALED(status))
			ck_assert_uint_eq(shared->header.clock.sequence % 2, 1);
		clock_script_run(&script, 5 * SECOND);
		ck_assert_int_eq(tl_calibrate_now(&calibrate, false) & 1, 1);
		ck_assert_uint_eq(shared->header.clock.sequence % 2, 0);
	}
	header = shared->header;
	memcpy(knots, shared->knots, sizeof(knots));
	check_bounds();
	munmap(shared, sizeof(*shared));
}

/* Write as fast as possible, with clocks of its own. */
static void *
hammer(void *context)
{
	struct clock_script *own = context;
	const struct tl_clock_source clocks = clock_script_source(own);
	struct tl_calibrate c = calibrate;

	c.source = &clocks;
	for (int i = 0; i < 3000; i++) {
		clock_script_run(own, SECOND);
		(void)tl_calibrate_now(&c, false);
	}
	return NULL;
}

TEST(readers_never_see_half_a_tail)
{
	static struct clock_script scripts[2];
	static struct timeline_header copy;
	static struct timeline_knot copied[KNOTS];
	pthread_t threads[2];

	set_up_first(18);
	for (int i = 0; i < 2; i++) {
		scripts[i] = script;
		pthread_create(&threads[i], NULL, hammer, &scripts[i]);
	}
	for (int i = 0; i < 3000; i++) {
		copy_clock(&header, knots, KNOTS, &copy, copied);
		const struct timeline_clock_tail *t = &copy.clock;

		if (t->sequence % 2 != 0)
			continue;
		/*
		 * raw is a linear function of the stamp; a torn tail breaks it
		 */
		ck_assert_int_le(llabs(t->raw_ns -
				       tl_ticks_to_ns((int64_t)t->tsc,
					   script.nominal) -
				       1000),
		    5000);
		ck_assert(t->before_tsc <= t->tsc);
		for (uint64_t k = 0; k < copy.knot_count && k < KNOTS; k++)
			ck_assert(copied[k].seq == 0 ||
				  llabs(copied[k].raw_ns -
					tl_ticks_to_ns((int64_t)copied[k].tsc,
					    script.nominal) -
					1000) < 5000);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(header.clock.sequence % 2, 0);
}
