/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contention.c - the measure of how long threads waited for CPUs,
 * from a /proc that the test writes.
 */
#include "daemon/sampling/contention.h"
#include "lib/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeline_layout.h>
#include <unistd.h>

static char proc[64];
static struct tl_contention c;

static void
make_proc(void)
{
	char path[128];

	strcpy(proc, "/tmp/test_contention.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(proc));
	snprintf(path, sizeof(path), "%s/pressure", proc);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/self", proc);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/7", proc);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void
remove_proc(void)
{
	char command[128];

	tl_contention_close(&c);
	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert_int_eq(system(command), 0);
}

static void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

TEST_FILE(.setup = make_proc, .teardown = remove_proc);

TEST(pressure_is_the_measure_where_there_is_one)
{
	put("self/schedstat", "1000 5000000 2\n");
	put("pressure/cpu",
	    "some avg10=1.00 avg60=2.00 avg300=3.00 total=1000\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=7777\n");
	tl_contention_open(&c, proc);
	ck_assert_uint_eq(c.kind, TIMELINE_SAMPLE_PRESSURE);
	ck_assert(!tl_contention_wants_pids(&c));
	ck_assert_uint_eq(tl_contention_us(&c), 0);
	ck_assert_uint_eq(tl_contention_sample(&c), TIMELINE_SAMPLE_PRESSURE);
	put("pressure/cpu",
	    "some avg10=1.00 avg60=2.00 avg300=3.00 total=64000\n");
	tl_contention_read(&c);
	ck_assert_uint_eq(tl_contention_us(&c), 63000);
	ck_assert_uint_eq(tl_contention_sample(&c),
	    63000 << TIMELINE_SAMPLE_SHIFT | TIMELINE_SAMPLE_PRESSURE);
	/* it does not go back */
	put("pressure/cpu", "some avg10=1.00 avg60=2.00 avg300=3.00 total=9\n");
	tl_contention_read(&c);
	ck_assert_uint_eq(tl_contention_us(&c), 63000);
}

TEST(pressure_that_cannot_be_read_any_more_measures_nothing)
{
	put("pressure/cpu", "some avg10=1.00 total=1000\n");
	tl_contention_open(&c, proc);
	ck_assert_uint_eq(c.kind, TIMELINE_SAMPLE_PRESSURE);
	put("pressure/cpu", "");
	tl_contention_read(&c);
	ck_assert_uint_eq(tl_contention_sample(&c), TIMELINE_SAMPLE_UNMEASURED);
}

TEST(run_delay_of_daemon_and_writers_stands_in)
{
	const uint32_t pids[] = { 7 };

	put("self/schedstat", "1000 5000000 2\n");
	put("7/schedstat", "1000 9000000 2\n");
	tl_contention_open(&c, proc);
	ck_assert_uint_eq(c.kind, TIMELINE_SAMPLE_RUN_DELAY);
	ck_assert(tl_contention_wants_pids(&c));
	tl_contention_read_pids(&c, pids, 1); /* new: from here on */
	ck_assert_uint_eq(tl_contention_us(&c), 0);
	put("self/schedstat", "1000 6000000 2\n");
	put("7/schedstat", "1000 12000000 2\n");
	tl_contention_read_pids(&c, pids, 1);
	ck_assert_uint_eq(tl_contention_us(&c), 4000);
	ck_assert_uint_eq(tl_contention_sample(&c),
	    4000 << TIMELINE_SAMPLE_SHIFT | TIMELINE_SAMPLE_RUN_DELAY);
	/* another process of its number takes nothing back ... */
	put("self/schedstat", "1000 6500000 2\n");
	put("7/schedstat", "1000 1000000 2\n");
	tl_contention_read_pids(&c, pids, 1);
	ck_assert_uint_eq(tl_contention_us(&c), 4500);
	/* ... and neither does one that has ended */
	tl_contention_read_pids(&c, NULL, 0);
	ck_assert_uint_eq(tl_contention_us(&c), 4500);
}

TEST(more_writers_than_are_measured_do_no_harm)
{
	uint32_t pids[2 * TL_CONTENTION_PIDS_MAX];

	put("self/schedstat", "1000 5000000 2\n");
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++)
		pids[i] = (uint32_t)i + 1;
	tl_contention_open(&c, proc);
	tl_contention_read_pids(&c, pids, sizeof(pids) / sizeof(pids[0]));
	ck_assert_uint_le(c.pid_count, TL_CONTENTION_PIDS_MAX);
}

TEST(without_any_measure_that_is_said)
{
	tl_contention_open(&c, proc); /* neither file is there */
	ck_assert_uint_eq(tl_contention_sample(&c), TIMELINE_SAMPLE_UNMEASURED);
	tl_contention_read(&c);
	ck_assert_uint_eq(tl_contention_us(&c), 0);
	tl_contention_close(&c);
	tl_contention_open(&c, "/no/such/folder");
	ck_assert_uint_eq(tl_contention_sample(&c), TIMELINE_SAMPLE_UNMEASURED);
}

TEST(this_machine_has_a_measure)
{
	struct tl_contention here;

	tl_contention_open(&here, "/proc");
	tl_contention_read(&here);
	printf("kind %u\n", here.kind);
	tl_contention_close(&here);
}
