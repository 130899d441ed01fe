/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_names.c - a recording has the names that threads gave themselves in
 * the timeline, and the names of the system where the timeline has none.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

#include <sys/prctl.h>

/* Check the name of the only thread of a file, and that of its process. */
static void
expect_names(unsigned number, const char *name, const char *command)
{
	const struct tl_trace_read_options options = { 0 };
	const struct tl_trace_thread *thread;
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	char path[128];

	snprintf(path, sizeof(path), "%s/%03u.trace", folder, number);
	ck_assert_ok(tl_trace_open(&trace, path, &options, &fault));
	ck_assert_uint_eq(tl_trace_thread_count(trace), 1);
	thread = tl_trace_thread(trace, 0);
	ck_assert(tl_bytes_equal(thread->name, tl_bytes_of(name)));
	ck_assert(tl_bytes_equal(thread->command, tl_bytes_of(command)));
	tl_trace_close(trace);
}

/* Log an entry, and wait until the entry is in a file. */
static void
log_into_file(struct tl_recorder *r)
{
	const uint64_t bytes = status_of(r).bytes;

	timeline_log(tick, 1);
	until(status_of(r).bytes > bytes && status_of(r).queued == 0);
}

static void
setup(void)
{
	prctl(PR_SET_NAME, "program");
	recorder_setup();
}

TEST_FILE(.setup = setup, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

TEST(a_thread_has_the_name_that_it_gave_itself)
{
	struct tl_recorder *r;

	r = record(&(struct tl_recorder_options){ 0 });
	timeline_thread_name(tl, "alpha");
	timeline_log(tick, 1);
	end_record(r);
	expect_names(0, "alpha", "program");
}

/* The name may change before or after the last entry of the thread. */
TEST(a_thread_has_its_last_name_in_the_file, .to = 2)
{
	struct tl_recorder *r =
	    record(&(struct tl_recorder_options){ .flush_ns = 1000000 });

	timeline_thread_name(tl, "alpha");
	log_into_file(r);
	timeline_thread_name(tl, "beta");
	if (_i == 1)
		log_into_file(r);
	end_record(r);
	ck_assert_uint_eq(made, 1);
	expect_names(0, "beta", "program");
}

/* A process that reads the file before its end shows the last name, too. */
TEST(a_file_that_grows_has_the_last_name)
{
	struct tl_recorder *r =
	    record(&(struct tl_recorder_options){ .flush_ns = 1000000 });

	timeline_thread_name(tl, "alpha");
	log_into_file(r);
	timeline_thread_name(tl, "beta");
	log_into_file(r);
	log_into_file(r);
	expect_names(0, "beta", "program");
	end_record(r);
}

TEST(each_file_has_the_name_of_its_time)
{
	struct tl_recorder *r = record(&(
	    struct tl_recorder_options){ .flush_ns = 1000000, .size_max = 1 });

	timeline_thread_name(tl, "alpha");
	log_into_file(r);
	timeline_thread_name(tl, "beta");
	log_into_file(r);
	end_record(r);
	ck_assert_uint_eq(made, 2);
	expect_names(0, "alpha", "program");
	expect_names(1, "beta", "program");
}

TEST(what_the_timeline_does_not_name_has_its_name_in_proc)
{
	struct tl_recorder *r;

	timeline_log(tick, 1);
	memset(tl->map + tl->geometry.names_offset, 0,
	    tl->geometry.names_max * sizeof(struct timeline_name));
	r = record_from(&(struct tl_recorder_options){ 0 }, true);
	end_record(r);
	expect_names(0, "program", "program");
}
