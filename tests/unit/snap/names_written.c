/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names_written.c - processes and threads are known by the names that they had
 * at their first entry, whatever the entry was and however many threads there
 * are.
 */
#include "event/names.h"

#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snap/reader.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct timeline_event *event;

static void
setup(void)
{
	prctl(PR_SET_NAME, "main");
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "an entry", &event));
}

/* With CK_FORK=no the tests share a process, whose name is set back. */
static void
teardown(void)
{
	prctl(PR_SET_NAME, "main");
	timeline_thread_name(tl, NULL);
	fixture_close();
}

TEST_FILE(.setup = setup, .teardown = teardown);

/* Read the names in a timeline. */
static void
read_names(const struct timeline *timeline, struct tl_names *names)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	*names = (struct tl_names){ 0 };
	ck_assert_msg(tl_snap_open_fd(&snap, timeline->fd, 0, &fault) == 0,
	    "%s", fault.text);
	for (size_t i = 0; i < snap->messages->names.count; i++) {
		const struct tl_named *n = &snap->messages->names.list[i];

		ck_assert_ok(tl_names_add(names, n->pid, n->tid,
		    tl_bytes(n->text, n->size)));
	}
	tl_snap_close(snap);
}

static void
expect_name(const struct timeline *timeline, uint32_t tid, const char *thread,
    const char *process)
{
	const uint32_t pid = (uint32_t)getpid();
	struct tl_names names;

	read_names(timeline, &names);
	ck_assert(tl_bytes_equal(tl_names_thread(&names, pid, tid),
	    tl_bytes_of(thread)));
	ck_assert(tl_bytes_equal(tl_names_process(&names, pid),
	    tl_bytes_of(process)));
	tl_names_free(&names);
}

enum { TIMELINES = 6 };

struct worker {
	const char *name; /* NULL: the name of the creating thread */
	struct timeline_event *events[TIMELINES]; /* NULL: none */
	uint32_t tid;
};

static void *
work(void *context)
{
	struct worker *w = context;

	w->tid = (uint32_t)syscall(SYS_gettid);
	if (w->name)
		prctl(PR_SET_NAME, w->name);
	for (int i = 0; i < TIMELINES; i++)
		if (w->events[i])
			timeline_log(w->events[i]);
	return NULL;
}

static void
run(struct worker *w)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, work, w), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

TEST(a_thread_has_its_own_name_and_a_process_that_of_its_first)
{
	struct worker w = { "worker", { event }, 0 };
	struct worker plain = { NULL, { event }, 0 };

	run(&w);
	run(&plain);
	expect_name(tl, w.tid, "worker", "main");
	expect_name(tl, plain.tid, "main", "main");
	timeline_log(event);
	expect_name(tl, (uint32_t)getpid(), "main", "main");
}

TEST(names_are_no_entries)
{
	struct worker w = { "worker", { event }, 0 };
	uint64_t before = 0, after = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		before += fixture_head(i)->head;
	run(&w);
	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		after += fixture_head(i)->head;
	ck_assert_uint_eq(after, before + 1);
}

TEST(each_timeline_of_a_process_learns_the_name)
{
	char name[128];
	struct timeline *other, *later;
	struct worker w = { "worker", { event }, 0 };

	snprintf(name, sizeof(name), "%s-other", fixture_name);
	ck_assert_ok(timeline_new(&other, name, &fixture_tiny));
	ck_assert_ok(
	    timeline_define(other, "a", "info", "an entry", &w.events[1]));
	run(&w);
	expect_name(tl, w.tid, "worker", "main");
	expect_name(other, w.tid, "worker", "main");
	timeline_close(other);
	timeline_remove(name);
	ck_assert_ok(timeline_new(&later, name, &fixture_tiny));
	/* the library knows the name from the first timeline */
	expect_name(later, w.tid, "worker", "main");
	timeline_close(later);
	timeline_remove(name);
}

TEST(a_thread_may_change_its_name)
{
	const uint32_t self = (uint32_t)getpid();

	timeline_log(event);
	timeline_thread_name(tl, "a name that is too long");
	expect_name(tl, self, "a name that is ", "main");
	prctl(PR_SET_NAME, "again");
	timeline_thread_name(tl, NULL);
	expect_name(tl, self, "again", "again");
	timeline_thread_name(NULL, "nothing");
}

static void *
name_then_log(void *context)
{
	struct worker *w = context;

	w->tid = (uint32_t)syscall(SYS_gettid);
	timeline_thread_name(tl, w->name);
	for (int i = 0; i < TIMELINES; i++)
		if (w->events[i])
			timeline_log(w->events[i]);
	return NULL;
}

TEST(a_name_that_is_given_before_the_first_entry_stays)
{
	const uint32_t self = (uint32_t)getpid();
	struct worker w = { "given", { event }, 0 };
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, name_then_log, &w), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	expect_name(tl, w.tid, "given", "main");
	timeline_thread_name(tl, "first");
	timeline_log(event);
	expect_name(tl, self, "first", "main");
}

TEST(a_name_that_is_given_in_one_timeline_stays_when_another_is_used)
{
	char name[128];
	struct timeline *other;
	struct timeline_event *there;
	struct worker before = { "before", { NULL }, 0 };
	struct worker after = { "after", { NULL }, 0 };
	pthread_t thread;

	snprintf(name, sizeof(name), "%s-other", fixture_name);
	ck_assert_ok(timeline_new(&other, name, &fixture_tiny));
	ck_assert_ok(timeline_define(other, "a", "info", "an entry", &there));
	before.events[0] = after.events[1] = there;
	before.events[1] = after.events[0] = event;
	ck_assert_int_eq(pthread_create(&thread, NULL, name_then_log, &before),
	    0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, name_then_log, &after),
	    0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	expect_name(tl, before.tid, "before", "main");
	expect_name(other, before.tid, "main", "main");
	expect_name(tl, after.tid, "after", "main");
	expect_name(other, after.tid, "main", "main");
	timeline_close(other);
	timeline_remove(name);
}

/* == more timelines than a thread has words for its numbers == */

enum { WORKERS = 6 };

static struct timeline *many[TIMELINES];
static struct timeline_event *of_many[TIMELINES];

static void
open_one_of_many(int i)
{
	char name[128];

	snprintf(name, sizeof(name), "%s-%d", fixture_name, i);
	ck_assert_ok(timeline_new(&many[i], name, &fixture_tiny));
	ck_assert_ok(
	    timeline_define(many[i], "a", "info", "an entry", &of_many[i]));
}

static void
close_many(void)
{
	char name[128];

	for (int i = 0; i < TIMELINES; i++) {
		timeline_close(many[i]);
		snprintf(name, sizeof(name), "%s-%d", fixture_name, i);
		timeline_remove(name);
	}
}

/* A thread that logs into all of them, first into that number. */
static struct worker
log_into_many(const char *name, int first)
{
	struct worker w = { .name = name };

	for (int i = 0; i < TIMELINES; i++)
		w.events[i] = of_many[(first + i) % TIMELINES];
	run(&w);
	return w;
}

TEST(a_thread_is_named_in_any_number_of_timelines)
{
	static const char *const names[WORKERS] = { "zero", "one", "two",
		"three", "four", "five" };
	struct worker w[WORKERS], later;

	for (int i = 0; i < TIMELINES; i++)
		open_one_of_many(i);
	for (int i = 0; i < WORKERS; i++)
		w[i] = log_into_many(names[i], i);
	timeline_close(many[0]);
	open_one_of_many(0);
	later = log_into_many("later", 4);
	for (int i = 0; i < TIMELINES; i++) {
		for (int k = 0; k < WORKERS; k++)
			expect_name(many[i], w[k].tid, names[k], "main");
		expect_name(many[i], later.tid, "later", "main");
	}
	close_many();
}

static void *
name_in_one_of_many(void *context)
{
	struct worker *w = context;

	w->tid = (uint32_t)syscall(SYS_gettid);
	timeline_thread_name(many[5], w->name);
	for (int i = 0; i < TIMELINES; i++)
		timeline_log(of_many[i]);
	return NULL;
}

TEST(a_name_that_is_given_in_one_of_many_is_the_name_there)
{
	struct worker w = { .name = "given" };
	pthread_t thread;

	for (int i = 0; i < TIMELINES; i++)
		open_one_of_many(i);
	ck_assert_int_eq(pthread_create(&thread, NULL, name_in_one_of_many, &w),
	    0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	for (int i = 0; i < TIMELINES; i++)
		expect_name(many[i], w.tid, i == 5 ? "given" : "main", "main");
	close_many();
}

/* Threads begin to log while another thread closes and opens a timeline that
 * has the same word. */
static void *
log_into_the_second(void *unused)
{
	(void)unused;
	timeline_log(of_many[1]);
	return NULL;
}

TEST(threads_begin_while_timelines_are_closed_and_opened)
{
	pthread_t threads[8];

	for (int i = 0; i < TIMELINES; i++)
		open_one_of_many(i);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 8; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL,
					     log_into_the_second, NULL),
			    0);
		for (int i = 2; i < TIMELINES; i++) {
			timeline_close(many[i]);
			open_one_of_many(i);
		}
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
	close_many();
}

TEST(a_child_of_fork_may_be_named_before_its_first_entry)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		prctl(PR_SET_NAME, "child");
		timeline_thread_name(tl, "given");
		timeline_log(event);
		expect_name(tl, (uint32_t)getpid(), "given", "child");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Make prctl fail in this process from now on, as in a sandbox. */
static void
forbid_prctl(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { 4, steps };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter),
	    0);
}

TEST(a_sandbox_that_forbids_prctl_leaves_a_name_that_is_given)
{
	struct worker w = { "given", { event }, 0 };
	const pid_t pid = fork();
	pthread_t thread;
	int status;

	if (pid == 0) {
		timeline_log(event);
		forbid_prctl();
		ck_assert_int_eq(pthread_create(&thread, NULL, name_then_log,
				     &w),
		    0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		expect_name(tl, w.tid, "given", "main");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

enum { CROWD = 1000 };

static struct worker crowd[CROWD];
static pthread_t crowd_threads[CROWD];
static pthread_barrier_t crowd_named, crowd_ends;

static void *
live(void *context)
{
	char name[TIMELINE_THREAD_NAME_MAX + 1];

	snprintf(name, sizeof(name), "one %d",
	    (int)((struct worker *)context - crowd));
	pthread_setname_np(pthread_self(), name);
	work(context);
	pthread_barrier_wait(&crowd_named);
	pthread_barrier_wait(&crowd_ends);
	return NULL;
}

/* Start threads that log and then wait for end_crowd(). */
static void
start_crowd(unsigned count)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&crowd_named, NULL, count + 1);
	pthread_barrier_init(&crowd_ends, NULL, count + 1);
	for (unsigned i = 0; i < count; i++) {
		crowd[i] = (struct worker){ .events = { event } };
		ck_assert_int_eq(pthread_create(&crowd_threads[i], &small, live,
				     &crowd[i]),
		    0);
	}
	pthread_barrier_wait(&crowd_named);
}

static void
end_crowd(unsigned count)
{
	pthread_barrier_wait(&crowd_ends);
	for (unsigned i = 0; i < count; i++)
		pthread_join(crowd_threads[i], NULL);
}

/* Count the threads that have their name; the other threads must have none. */
static unsigned
count_named(unsigned count)
{
	const uint32_t pid = (uint32_t)getpid();
	struct tl_names gathered = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	unsigned named = 0;

	ck_assert_ok(tl_snap_open_fd(&snap, tl->fd, 0, &fault));
	for (unsigned i = 0; i < count; i++) {
		const struct tl_names *names = &snap->messages->names;
		const struct tl_message m = { .names = names };
		const struct tl_event e = { .message = &m,
			.pid = pid,
			.tid = crowd[i].tid };
		struct tl_bytes copy, name;
		char want[32];

		ck_assert_ok(tl_names_gather(&gathered, &e, pid));
		name = tl_names_thread(names, pid, crowd[i].tid);
		copy = tl_names_thread(&gathered, pid, crowd[i].tid);
		snprintf(want, sizeof(want), "one %u", i);
		ck_assert(tl_bytes_equal(name, copy));
		if (name.size > 0)
			ck_assert_msg(tl_bytes_equal(name, tl_bytes_of(want)),
			    "%.*s, not %s", (int)name.size, name.data, want);
		named += name.size > 0;
	}
	tl_snap_close(snap);
	tl_names_free(&gathered);
	return named;
}

TEST(a_thread_that_finds_no_slot_has_no_name)
{
	if (random_is_slow()) /* valgrind allows 500 threads */
		return;
	start_crowd(CROWD);
	ck_assert_uint_ge(count_named(CROWD), 600);
	end_crowd(CROWD);
}

TEST(threads_that_have_ended_make_room_for_names)
{
	if (random_is_slow())
		return;
	start_crowd(CROWD);
	end_crowd(CROWD);
	start_crowd(100);
	ck_assert_uint_ge(count_named(100), 99);
	end_crowd(100);
}

TEST(a_child_of_fork_has_a_name_of_its_own)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "child");
		timeline_log(event);
		expect_name(tl, (uint32_t)getpid(), "child", "child");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	timeline_log(event);
	expect_name(tl, (uint32_t)getpid(), "main", "main");
}

/*
 * After thousands of threads have logged, the names that are left are right,
 * and the process is still known.
 */
TEST(thousands_of_threads_leave_names_and_never_push_out_a_process)
{
	struct tl_names names;
	struct worker w = { .events = { event } };
	char name[TIMELINE_THREAD_NAME_MAX + 1];
	const int threads = random_rounds(2000);
	size_t own = 0;

	w.name = name;
	for (int i = 0; i < threads; i++) {
		snprintf(name, sizeof(name), "w %d", i);
		run(&w);
		expect_name(tl, w.tid, name, "main");
	}
	read_names(tl, &names);
	for (size_t i = 0; i < names.count; i++)
		own += names.list[i].tid != 0;
	ck_assert_uint_gt(own, (size_t)threads / 4);
	ck_assert_uint_le(own, TIMELINE_NAMES);
	tl_names_free(&names);
}

TEST(a_slot_that_is_half_written_is_no_name)
{
	struct worker w = { "worker", { event }, 0 };
	const uint64_t max = tl->geometry.names_max;
	uint64_t set;

	run(&w);
	set = timeline_name_set((uint32_t)getpid(), w.tid, max);
	expect_name(tl, w.tid, "worker", "main");
	while (tl->names[set].tid != w.tid)
		set++;
	tl->names[set].text[0] ^= 1;
	expect_name(tl, w.tid, "main", "main");
}

TEST(a_timeline_without_the_table_takes_no_names)
{
	struct timeline *old;

	tl->header->names_offset = 0;
	ck_assert_ok(timeline_open(&old, fixture_name));
	ck_assert_ok(timeline_define(old, "a", "info", "an entry", &event));
	timeline_log(event);
	timeline_thread_name(old, "none");
	expect_name(old, (uint32_t)getpid(), "", "");
	timeline_close(old);
}

TEST(names_from_files_are_cut_and_made_printable, .plain = true)
{
	struct tl_names names = { 0 };
	char text[100];

	memset(text, 'x', sizeof(text));
	ck_assert_ok(tl_names_add(&names, 1, 2, tl_bytes("a\n\033\xff", 4)));
	ck_assert_ok(tl_names_add(&names, 1, 0, tl_bytes(text, 100)));
	ck_assert(
	    tl_bytes_equal(tl_names_own(&names, 1, 2), tl_bytes_of("a???")));
	ck_assert_uint_eq(tl_names_process(&names, 1).size, TL_NAME_MAX);
	ck_assert_uint_eq(tl_names_thread(&names, 1, 3).size, TL_NAME_MAX);
	ck_assert_uint_eq(tl_names_thread(&names, 2, 3).size, 0);
	ck_assert_uint_eq(tl_names_thread(NULL, 1, 2).size, 0);
	tl_names_free(&names);
}
