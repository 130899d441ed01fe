/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_processes.c - processes have their names in each file as long as the
 * recorder knows them.
 */
#include "lib/process.h"
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/record/work.h"

#include <sys/prctl.h>

enum { MANY = 1000 };

static struct tl_recorder_processes processes;

/* Write a file with a thread of this process, and check the command in it. */
static void
expect_command(uint32_t pid, const char *command)
{
	struct tl_trace_options options = { 0 };
	struct made made = { 0 };
	struct tl_trace_writer *writer;
	struct tl_trace_stream *stream;
	struct tl_trace *trace;
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &messages[INSTANT_MESSAGE] };

	made_begin(&made, &options, &writer);
	for (int i = 0; i < 2; i++) /* the second call finds the name */
		ck_assert_ok(tl_recorder_processes_define(&processes, writer,
		    pid, NULL));
	ck_assert_ok(tl_trace_stream_new(&stream, writer, pid, pid,
	    tl_bytes_of("name")));
	ck_assert_ok(tl_trace_stream_put(stream, &event));
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	ck_assert(tl_bytes_equal(tl_trace_thread(trace, 0)->command,
	    tl_bytes_of(command)));
	tl_trace_close(trace);
	made_free(&made);
	tl_recorder_processes_leave(&processes);
}

static void
be_called(const char *name)
{
	prctl(PR_SET_NAME, name);
	raise(SIGSTOP);
}

static void
setup(void)
{
	fixture_messages();
}

static void
teardown(void)
{
	tl_recorder_processes_free(&processes);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_process_that_is_gone_keeps_its_name_for_a_file)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		be_called("a worker");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	expect_command((uint32_t)pid, "a worker");
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	expect_command((uint32_t)pid, "a worker");
	expect_command((uint32_t)pid, "a worker");
	/* leave a file that does not name the process */
	tl_recorder_processes_leave(&processes);
	expect_command((uint32_t)pid, "");
}

TEST(a_name_is_asked_for_again_in_each_file)
{
	prctl(PR_SET_NAME, "before");
	expect_command((uint32_t)getpid(), "before");
	prctl(PR_SET_NAME, "after");
	expect_command((uint32_t)getpid(), "after");
}

TEST(nobody_has_no_name_and_many_are_forgotten)
{
	struct tl_trace_options options = { 0 };
	struct tl_trace_writer *writer;
	struct made made = { 0 };

	expect_command(0, "");
	made_begin(&made, &options, &writer);
	for (uint32_t i = 0; i < MANY; i++) /* processes that cannot exist */
		ck_assert_ok(tl_recorder_processes_define(&processes, writer,
		    (1u << 30) + i, NULL));
	ck_assert_uint_eq(processes.count, MANY);
	tl_recorder_processes_leave(&processes);
	tl_recorder_processes_leave(&processes);
	ck_assert_uint_eq(processes.count, 0);
	tl_trace_writer_free(writer);
	made_free(&made);
}
