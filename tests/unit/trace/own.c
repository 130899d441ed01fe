/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.c - programs that record themselves: threads that end, forked children,
 * many traces at once.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <timeline_trace.h>
#include <unistd.h>

enum {
	TRACES = 40,
	TEXTS = 400,
	TEXT_SIZE = 1000,
	NOBODY = 65534,
	SKIPPED = 77
};

static char folder[32], path[64], index_path[80];
static char other_path[64], other_index[80];
static struct timeline_trace *recorded;
static struct timeline_trace_message *span, *instant;

static void
open_recorded(void)
{
	ck_assert_ok(timeline_trace_create(&recorded, path, NULL));
	ck_assert_ok(timeline_trace_span(recorded, "x", "info", "span", &span));
	ck_assert_ok(timeline_trace_instant(recorded, "x", "info", "instant $n",
	    &instant));
}

static void
setup(void)
{
	strcpy(folder, "/tmp/test-own-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
	snprintf(other_path, sizeof(other_path), "%s/other.trace", folder);
	snprintf(other_index, sizeof(other_index), "%s.idx", other_path);
	open_recorded();
}

static void
teardown(void)
{
	unlink(path);
	unlink(index_path);
	unlink(other_path);
	unlink(other_index);
	rmdir(folder);
}

static struct tl_trace *
close_and_open(void)
{
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	ck_assert_ok(timeline_trace_close(recorded));
	fault_count = 0;
	ck_assert_ok(tl_trace_open(&trace, path, &read_options, &fault));
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	ck_assert_uint_eq(fault_count, 0);
	return trace;
}

static bool
is_refused_all(void)
{
	struct timeline_trace_message *message;
	char text[TEXT_SIZE];
	uint64_t number;

	for (int i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text), "%0*d", TEXT_SIZE - 1, i);
		if (timeline_trace_string(recorded, text, &number) != -EPERM)
			return false;
	}
	return timeline_trace_instant(recorded, "x", "info", "mine",
		   &message) == -EPERM &&
	       timeline_trace_thread_name(recorded, "child") == -EPERM &&
	       timeline_trace_flush(recorded) == -EPERM;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

/* The child makes so many definitions that the library would write them. */
TEST(a_forked_child_defines_nothing)
{
	struct tl_trace *trace;
	pid_t pid;
	int status;

	ck_assert_ok(timeline_trace_log(instant, 1, UINT64_C(1)));
	pid = fork();
	if (pid == 0)
		_exit(is_refused_all() ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_ok(timeline_trace_log(instant, 1, UINT64_C(2)));
	trace = close_and_open();
	ck_assert_uint_eq(tl_trace_thread(trace, 0)->events, 2);
	tl_trace_close(trace);
	ck_assert_int_eq(status, 0);
}

/* No thread can be started here, so the trace cannot get its timer thread. */
static int
create_without_threads(void)
{
	const struct rlimit none = { 0, 0 };
	struct timeline_trace *other;

	if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
		return SKIPPED;
	if (setrlimit(RLIMIT_NPROC, &none) != 0)
		return SKIPPED;
	return timeline_trace_create(&other, other_path, NULL) == -EAGAIN
		   ? 0
		   : SKIPPED; /* this user has no limit */
}

TEST(a_trace_that_cannot_be_made_leaves_no_files)
{
	pid_t pid;
	int status;

	/* ends the thread of this trace */
	ck_assert_ok(timeline_trace_close(recorded));
	ck_assert_int_eq(chmod(folder, 0777), 0);
	pid = fork();
	if (pid == 0)
		_exit(create_without_threads());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		return;
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert_int_eq(access(other_path, F_OK), -1);
	ck_assert_int_eq(access(other_index, F_OK), -1);
}

static pthread_key_t late;

static void
log_late(void *number)
{
	ck_assert_ok(
	    timeline_trace_log(instant, 1, (uint64_t)(uintptr_t)number));
}

static void *
log_to_its_end(void *number)
{
	ck_assert_ok(timeline_trace_log(instant, 1, UINT64_C(0)));
	ck_assert_int_eq(pthread_setspecific(late, number), 0);
	return NULL;
}

/* The destructor logs after the thread's own state was freed. */
TEST(what_ends_with_a_thread_is_recorded)
{
	struct tl_trace *trace;
	uint64_t events = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_key_create(&late, log_late), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, log_to_its_end, &events),
	    0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	trace = close_and_open();
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		events += tl_trace_thread(trace, i)->events;
	ck_assert_uint_eq(events, 2);
	tl_trace_close(trace);
	ck_assert_int_eq(pthread_key_delete(late), 0);
}

/* Record into another trace, which exists for a moment. */
static void
record_other(void)
{
	struct timeline_trace_message *message;
	struct timeline_trace *other;

	ck_assert_ok(timeline_trace_create(&other, other_path, NULL));
	ck_assert_ok(
	    timeline_trace_instant(other, "x", "info", "other", &message));
	ck_assert_ok(timeline_trace_log(message, 0));
	ck_assert_ok(timeline_trace_close(other));
	ck_assert_int_eq(unlink(other_path), 0);
	ck_assert_int_eq(unlink(other_index), 0);
}

TEST(a_trace_that_is_open_is_remembered_beside_many_that_were)
{
	const struct tl_node *child;
	struct tl_trace *trace;
	struct tl_node *root;

	ck_assert_ok(timeline_trace_begin(span, 0));
	for (int i = 0; i < TRACES; i++)
		record_other();
	ck_assert_ok(timeline_trace_end(span, 0));
	trace = close_and_open();
	ck_assert_uint_eq(tl_trace_thread_count(trace), 1);
	root = tl_trace_root(trace, 0);
	ck_assert_uint_eq(root->child_count, 1);
	ck_assert_ok(tl_trace_load(trace, root, 0, 1));
	child = tl_node_child(root, 0);
	ck_assert_ptr_nonnull(child);
	ck_assert_int_eq(child->ended, TL_NODE_ENDED);
	tl_trace_close(trace);
}

static void *
log_to_all(void *context)
{
	struct timeline_trace_message *const *all = context;

	for (int i = 0; i < TRACES; i++) {
		ck_assert_ok(timeline_trace_log(instant, 1, UINT64_C(1)));
		ck_assert_ok(timeline_trace_log(all[i], 0));
	}
	return NULL;
}

TEST(a_thread_remembers_what_it_used_last)
{
	const struct timeline_trace_options drop = { .strategy =
							 TIMELINE_TRACE_DROP };
	struct timeline_trace_message *all[TRACES];
	struct timeline_trace *traces[TRACES];
	struct tl_trace *trace;
	pthread_t thread;

	for (int i = 0; i < TRACES; i++) {
		ck_assert_ok(
		    timeline_trace_create(&traces[i], other_path, &drop));
		ck_assert_ok(timeline_trace_instant(traces[i], "x", "info",
		    "other", &all[i]));
		ck_assert_int_eq(unlink(other_path), 0);
		ck_assert_int_eq(unlink(other_index), 0);
	}
	ck_assert_int_eq(pthread_create(&thread, NULL, log_to_all, all), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	for (int i = 0; i < TRACES; i++)
		ck_assert_ok(timeline_trace_close(traces[i]));
	trace = close_and_open();
	ck_assert_uint_eq(tl_trace_thread_count(trace), 1);
	ck_assert_uint_eq(tl_trace_thread(trace, 0)->events, TRACES);
	tl_trace_close(trace);
}
