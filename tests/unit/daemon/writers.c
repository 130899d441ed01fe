/* SPDX-License-Identifier: Apache-2.0 */
/* writers.c - real processes that log, and die. */
#include "daemon/writers.h"
#include "lib/test.h"
#include "snap/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <timeline_layout.h>
#include <unistd.h>

#define SECOND ((int64_t)1000000000)

enum {
	CROWD = 40,
	WAIT_S = 30,
	NOBODY = 1 << 30 /* beyond every pid_max */
};

static struct ev_loop *loop;
static struct tl_writers *writers;
static struct {
	size_t count;
	struct tl_writer last;
} died;

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void
note_died(void *context, const struct tl_writer *writer)
{
	(void)context;
	died.count++;
	died.last = *writer;
}

static void
setup(void)
{
	memset(&died, 0, sizeof(died));
	loop = ev_loop_new(EVFLAG_AUTO);
	ck_assert_ptr_nonnull(loop);
	ck_assert_ok(tl_writers_new(&writers, loop, false, note_died, NULL));
}

static void
teardown(void)
{
	tl_writers_free(writers);
	ev_loop_destroy(loop);
}

/* Start a process that sleeps until it is killed. */
static pid_t
start_process(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static void
stop_waiting(struct ev_loop *l, ev_timer *timer, int events)
{
	(void)timer;
	(void)events;
	ev_break(l, EVBREAK_ALL);
}

static void
run_for(double seconds)
{
	ev_timer timer;

	ev_timer_init(&timer, stop_waiting, seconds, 0);
	ev_now_update(loop);
	ev_timer_start(loop, &timer);
	ev_run(loop, 0);
	ev_timer_stop(loop, &timer);
}

/* Run the loop until so many writers have died. */
static void
run_until(size_t count)
{
	const int64_t end_ns = now_ns() + WAIT_S * SECOND;

	while (died.count < count && now_ns() < end_ns)
		run_for(0.02);
	ck_assert_uint_eq(died.count, count);
}

static const struct tl_writer *
find(uint32_t pid)
{
	for (size_t i = 0; i < tl_writers_count(writers); i++)
		if (tl_writers_get(writers, i)->pid == pid)
			return tl_writers_get(writers, i);
	return NULL;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 2 * WAIT_S);

TEST(a_process_that_dies_is_reported_once)
{
	const pid_t pid = start_process("good");
	const int64_t ns = now_ns();

	for (int i = 0; i < 5; i++) {
		tl_writers_seen(writers, (uint32_t)pid, ns + i);
		tl_writers_seen(writers, (uint32_t)getpid(), ns);
	}
	ck_assert_uint_eq(tl_writers_count(writers), 2);
	ck_assert_str_eq(find((uint32_t)pid)->command, "good");
	ck_assert_uint_eq(find((uint32_t)pid)->entries, 5);
	ck_assert_int_eq(find((uint32_t)pid)->last_ns, ns + 4);
	run_for(0.05);
	ck_assert_uint_eq(died.count, 0);
	ck_assert(!tl_writers_are_gone(writers));
	end_process(pid);
	run_until(1);
	ck_assert(
	    tl_writers_are_gone(writers)); /* this process does not count */
	ck_assert_uint_eq(died.last.pid, pid);
	ck_assert_int_ge(died.last.died_ns, ns);
	run_for(1.2);
	ck_assert_uint_eq(died.count, 1);
	ck_assert_int_eq(find((uint32_t)getpid())->died_ns, 0);
}

/* Start a process that exits with this status after a byte on tell. */
static pid_t
start_obedient(int status, int *tell)
{
	int ends[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 1 ? status : 99);
	}
	close(ends[0]);
	*tell = ends[1];
	return pid;
}

/* Let the process end; reap: its parent collects the status. */
static void
end_obedient(pid_t pid, int tell, bool reap)
{
	siginfo_t info;

	ck_assert_int_eq(write(tell, "", 1), 1);
	close(tell);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info,
			     WEXITED | (reap ? 0 : WNOWAIT)),
	    0);
}

/* Run the loop until the end of the process is known, with these exit marks. */
static const struct tl_writer *
run_until_ended(pid_t pid, const uint64_t *marks)
{
	const int64_t end_ns = now_ns() + WAIT_S * SECOND;
	const struct tl_writer *writer = find((uint32_t)pid);

	while (writer->died_ns == 0 && now_ns() < end_ns) {
		run_for(0.02);
		tl_writers_update(writers, marks, now_ns());
	}
	/* the way in which it ended may become known later */
	run_for(1.5);
	tl_writers_update(writers, marks, now_ns());
	ck_assert_int_ne(writer->died_ns, 0);
	return writer;
}

static const uint64_t no_marks[TIMELINE_EXITS];

/* Linux 6.15 and later report the status. */
static bool
kernel_tells_status(void)
{
	struct tl_pidfd_info info = { .mask = TL_PIDFD_INFO_EXIT };
	int tell, fd;
	const pid_t pid = start_obedient(3, &tell);

	fd = pidfd_open(pid, 0);
	ck_assert_int_ge(fd, 0);
	end_obedient(pid, tell, true);
	if (ioctl(fd, TL_PIDFD_GET_INFO, &info) != 0)
		info.mask = 0;
	close(fd);
	return info.mask & TL_PIDFD_INFO_EXIT;
}

TEST(a_clean_exit_is_no_death)
{
	int tell;
	pid_t pid;

	if (!kernel_tells_status())
		return; /* only the mark can show a clean exit here */
	pid = start_obedient(0, &tell);
	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	end_obedient(pid, tell, true);
	ck_assert(run_until_ended(pid, no_marks)->clean);
	ck_assert_uint_eq(died.count, 0);
}

TEST(an_exit_with_another_status_is_one)
{
	int tell;
	const pid_t pid = start_obedient(3, &tell);

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	end_obedient(pid, tell, false);
	ck_assert(!run_until_ended(pid, no_marks)->clean);
	ck_assert_uint_eq(died.count, 1);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/*
 * The kernel does not report the status 0 of a process before its parent has
 * reaped it.
 */
TEST(the_mark_tells_of_a_clean_exit_that_nobody_reaps)
{
	uint64_t marks[TIMELINE_EXITS] = { 0 };
	int tell;
	const pid_t pid = start_obedient(0, &tell);

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	marks[3] = timeline_exit((uint32_t)pid, now_ns());
	end_obedient(pid, tell, false);
	ck_assert(run_until_ended(pid, marks)->clean);
	ck_assert_uint_eq(died.count, 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

TEST(without_a_mark_that_counts_as_a_death)
{
	int tell;
	const pid_t pid = start_obedient(0, &tell);

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	end_obedient(pid, tell, false);
	ck_assert(!run_until_ended(pid, no_marks)->clean);
	ck_assert_uint_eq(died.count, 1);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

TEST(a_mark_does_not_hide_the_signal_that_killed)
{
	uint64_t marks[TIMELINE_EXITS] = { 0 };
	const pid_t pid = start_process("killed");

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	marks[0] = timeline_exit((uint32_t)pid, now_ns());
	tl_writers_update(writers, marks, now_ns());
	end_process(pid);
	run_until(1);
}

/*
 * The most common clean exit: the process is gone before its entries are read.
 */
TEST(the_mark_tells_of_one_that_ended_before_we_looked)
{
	uint64_t marks[TIMELINE_EXITS] = { 0 };
	const pid_t pid = start_process("short");
	const pid_t later = start_process("later");

	end_process(pid);
	end_process(later);
	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	/* this process logged on after it had closed the timeline once */
	tl_writers_seen(writers, (uint32_t)later, now_ns());
	marks[0] = timeline_exit((uint32_t)pid, now_ns());
	marks[14] = timeline_exit((uint32_t)later, now_ns() - SECOND);
	tl_writers_update(writers, marks, now_ns());
	/* other marks have replaced these */
	tl_writers_update(writers, no_marks, now_ns());
	run_until(1);
	run_for(1.2);
	ck_assert_uint_eq(died.count, 1);
	ck_assert_uint_eq(died.last.pid, later);
	ck_assert(find((uint32_t)pid)->clean);
}

TEST(a_process_that_nobody_reaps_has_died)
{
	const pid_t pid = start_process("zombie");

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	kill(pid, SIGKILL);
	run_until(1);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

TEST(a_name_that_could_do_harm_is_escaped)
{
	const pid_t pid = start_process("a) R\033[2J(");
	struct tl_process process;

	tl_writers_seen(writers, (uint32_t)pid, now_ns());
	ck_assert_str_eq(find((uint32_t)pid)->command, "a) R\\x1b[2J(");
	tl_process_inspect(&process, (uint32_t)pid);
	ck_assert_int_le(process.start_ns, now_ns());
	ck_assert_int_ge(process.start_ns, now_ns() - 60 * SECOND);
	end_process(pid);
}

TEST(one_that_ended_before_we_looked_counts_if_it_logged_just_now)
{
	const pid_t recent = start_process("short");

	end_process(recent);
	tl_writers_seen(writers, (uint32_t)recent, now_ns());
	tl_writers_seen(writers, NOBODY, now_ns() - 3600 * SECOND);
	ck_assert_int_ne(find(NOBODY)->died_ns, 0);
	run_until(1);
	ck_assert_uint_eq(died.last.pid, recent);
	run_for(1.2);
	ck_assert_uint_eq(died.count, 1);
}

TEST(a_number_that_goes_on_logging_is_of_another_namespace)
{
	tl_writers_seen(writers, NOBODY, now_ns());
	tl_writers_seen(writers, NOBODY, now_ns() + SECOND / 2);
	for (int i = 0; i < 12; i++) {
		run_for(0.2);
		tl_writers_seen(writers, NOBODY, now_ns());
	}
	ck_assert_uint_eq(died.count, 0);
	ck_assert_int_eq(find(NOBODY)->died_ns, 0);
}

/* The process with this pid started after the entry was logged. */
TEST(a_number_used_again_is_another_process)
{
	const pid_t pid = start_process("second");

	tl_writers_seen(writers, (uint32_t)pid, now_ns() - 3600 * SECOND);
	ck_assert_int_ne(find((uint32_t)pid)->died_ns, 0);
	ck_assert_str_eq(find((uint32_t)pid)->command, "?");
	tl_writers_seen(writers, (uint32_t)pid, now_ns() + SECOND);
	ck_assert_int_eq(find((uint32_t)pid)->died_ns, 0);
	ck_assert_str_eq(find((uint32_t)pid)->command, "second");
	ck_assert_uint_eq(find((uint32_t)pid)->entries, 1);
	ck_assert_uint_eq(tl_writers_count(writers), 1);
	end_process(pid);
	run_until(1);
}

TEST(without_descriptors_processes_are_polled)
{
	pid_t pids[CROWD];
	struct rlimit limit, few;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (size_t i = 0; i < CROWD; i++)
		pids[i] = start_process("crowd");
	few = limit;
	few.rlim_cur = CROWD / 2;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (size_t i = 0; i < CROWD; i++)
		tl_writers_seen(writers, (uint32_t)pids[i], now_ns());
	run_for(1.2);
	ck_assert_uint_eq(died.count, 0);
	for (size_t i = 0; i < CROWD; i++)
		end_process(pids[i]);
	run_until(CROWD);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(the_longest_dead_are_forgotten_first)
{
	const int64_t past = now_ns() - 3600 * SECOND;

	tl_writers_seen(writers, (uint32_t)getpid(), now_ns());
	for (uint32_t i = 0; i < TL_WRITERS_MAX + 100; i++)
		tl_writers_seen(writers, NOBODY + i, past);
	ck_assert_uint_eq(tl_writers_count(writers), TL_WRITERS_MAX);
	ck_assert_ptr_nonnull(find((uint32_t)getpid()));
	ck_assert_ptr_null(find(NOBODY));
	ck_assert_ptr_null(find(NOBODY + 100));
	ck_assert_ptr_nonnull(find(NOBODY + 101));
	ck_assert_ptr_nonnull(find(NOBODY + TL_WRITERS_MAX + 99));
	ck_assert_uint_eq(died.count, 0);
}

TEST(among_the_living_the_longest_silent_are_forgotten)
{
	for (uint32_t i = 0; i < TL_WRITERS_MAX + 10; i++)
		tl_writers_seen(writers, NOBODY + i, now_ns());
	ck_assert_uint_eq(tl_writers_count(writers), TL_WRITERS_MAX);
	ck_assert_ptr_null(find(NOBODY));
	run_until(TL_WRITERS_MAX);
}

/*
 * Start a process that is number 1 of its own namespace, through a helper that
 * waits for it.  Returns 0 if namespaces are not allowed here.
 */
static pid_t
start_inner(pid_t *helper)
{
	pid_t pid = 0;
	int tell[2];

	ck_assert_int_eq(pipe(tell), 0);
	*helper = fork();
	ck_assert_int_ge(*helper, 0);
	if (*helper == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWPID) == 0 ||
		    unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0)
			pid = start_process("inner");
		if (write(tell[1], &pid, sizeof(pid)) == sizeof(pid) && pid)
			waitpid(pid, NULL, 0);
		_exit(0);
	}
	ck_assert_int_eq(read(tell[0], &pid, sizeof(pid)), sizeof(pid));
	close(tell[0]);
	close(tell[1]);
	return pid;
}

/* Both pids are in use here, by this process and by one that ends. */
TEST(of_a_timeline_of_another_namespace_writers_are_counted_only)
{
	const pid_t pid = start_process("of here");

	tl_writers_free(writers);
	ck_assert_ok(tl_writers_new(&writers, loop, true, note_died, NULL));
	for (int i = 0; i < 2; i++) {
		tl_writers_seen(writers, (uint32_t)getpid(), now_ns());
		tl_writers_seen(writers, (uint32_t)pid, now_ns());
	}
	tl_writers_seen(writers, NOBODY, now_ns());
	end_process(pid);
	run_for(1.5);
	ck_assert_uint_eq(tl_writers_count(writers), 3);
	ck_assert_uint_eq(find((uint32_t)pid)->entries, 2);
	for (size_t i = 0; i < tl_writers_count(writers); i++) {
		ck_assert_str_eq(tl_writers_get(writers, i)->command, "?");
		ck_assert_int_eq(tl_writers_get(writers, i)->died_ns, 0);
	}
	ck_assert_uint_eq(died.count, 0);
}

TEST(a_process_of_a_namespace_below_is_not_taken_for_the_writer)
{
	struct tl_process process;
	pid_t helper;
	const pid_t pid = start_inner(&helper);

	if (pid > 0) {
		tl_process_inspect(&process, (uint32_t)pid);
		ck_assert(process.elsewhere);
		tl_writers_seen(writers, (uint32_t)pid, now_ns());
		ck_assert_str_eq(find((uint32_t)pid)->command, "?");
		kill(pid, SIGKILL);
	}
	ck_assert_int_eq(waitpid(helper, NULL, 0), helper);
	run_for(1.5);
	ck_assert_uint_eq(died.count, 0);
}

TEST(nobody_is_no_writer)
{
	tl_writers_seen(writers, 0, now_ns());
	tl_writers_seen(writers, UINT32_MAX, now_ns());
	ck_assert_uint_eq(tl_writers_count(writers), 0);
}
