/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces.c - a timeline has the threads of one PID namespace.  Programs of
 * another namespace cannot open it, tools attach to it without being threads of
 * it, and a child that is moved to another namespace is no longer a thread of
 * it.
 */
#include "../lib/process.h"
#include "../lib/snap_open.h"
#include "base/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

enum { NOT_PERMITTED = 78, EACH = 3, TIMELINES = 7, BY_PARENT, BY_CHILD };

static const struct timeline_options small = { .entries = 1024,
	.stringtablesize = 16384,
	.cpu_lanes = 2 };
static struct timeline *tl;
static struct timeline_event *event, *timer;
static char inner_name[TEST_NAME_MAX + 8];

struct job {
	void (*run)(void *);
	void *context;
};

static void
be_outer(void *context)
{
	const struct job *job = context;

	if (unshare(CLONE_NEWPID) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		exit(NOT_PERMITTED);
	expect_success(spawn(job->run, job->context));
}

/* Run a function in a child that is process 1 of a new PID namespace. */
static void
run_inside(void (*run)(void *), void *context)
{
	struct job job = { run, context };
	const int status = wait_for(spawn(be_outer, &job));

	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PERMITTED)
		skip("no PID namespace can be made here");
	expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "inside: status 0x%x", status);
}

static void
remove_inner(void)
{
	if (getpid() == test_owner)
		timeline_remove(inner_name);
}

/* == entries == */

struct seen {
	unsigned count;
	unsigned nameless; /* with pid and tid 0 */
	unsigned own;      /* with the ids of this process */
};

/*
 * Count the entries of the library (builtin), or the entries whose first
 * argument is by.
 */
static struct seen
see(const char *name, bool builtin, uint64_t by)
{
	struct tl_fault fault = { 0 };
	struct seen seen = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	expect(snap_open(&snap, name, 0, &fault) == 0, "%s", fault.text);
	expect(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0, "cursor");
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind == TL_LOST || builtin != (e.message->builtin != 0) ||
		    (!builtin && e.args[0] != by))
			continue;
		seen.count++;
		seen.nameless += e.pid == 0 && e.tid == 0;
		seen.own +=
		    e.pid == (uint32_t)getpid() && e.tid == (uint32_t)gettid();
	}
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return seen;
}

/* True if the table of names or of exits contains this process. */
static bool
is_known(const struct timeline *of)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct timeline_name *names =
	    (const void *)(of->map + of->geometry.names_offset);

	for (uint64_t i = 0; i < of->geometry.names_max; i++)
		if (names[i].pid == pid)
			return true;
	for (size_t i = 0; i < TIMELINE_EXITS; i++)
		if (timeline_exit_pid(of->header->exits[i]) == pid)
			return true;
	return false;
}

/* == programs of another namespace == */

static void
is_refused(void *unused)
{
	static const char *const words[] = { "shareProcessNamespace", "--pid",
		"another name", "PID namespace" };
	struct timeline *other = (struct timeline *)(uintptr_t)1;
	int rc = timeline_new(&other, test_name, &small);

	(void)unused;
	expect(rc == -EXDEV && !other, "new: %d, %s", rc, timeline_error());
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		expect(strstr(timeline_error(), words[i]), "no %s: %s",
		    words[i], timeline_error());
	other = (struct timeline *)(uintptr_t)1;
	rc = timeline_open(&other, test_name);
	expect(rc == -EXDEV && !other &&
		   strstr(timeline_error(), "another name"),
	    "open: %d, %s", rc, timeline_error());
}

static void
is_admitted(void *unused)
{
	struct timeline *other;

	(void)unused;
	expect_ok(timeline_new(&other, test_name, &small));
	expect_ok(timeline_open(&other, test_name));
}

static void
programs_share_no_timeline(void)
{
	const uint64_t none = 0, own = tl->header->pidns_inode;
	struct stat st;

	expect(stat("/proc/self/ns/pid", &st) == 0 && own == st.st_ino,
	    "the header has %lu", (unsigned long)own);
	run_inside(is_refused, NULL);
	/* the value in a file of an older version */
	tl->header->pidns_inode = none;
	run_inside(is_admitted, NULL);
	tl->header->pidns_inode = own;
}

/* == a child that inherits the mapping == */

static void *
log_some(void *by)
{
	for (int i = 0; i < EACH; i++)
		timeline_log(event, (uint64_t)(uintptr_t)by);
	timeline_log_at(event, timeline_stamp(event), (uint64_t)(uintptr_t)by);
	timeline_timer_end(timer, timeline_stamp(timer) - 1,
	    (uint64_t)(uintptr_t)by);
	return NULL;
}

static void
be_moved(void *by)
{
	struct timeline_event *own;
	struct timeline *other;
	pthread_t thread;
	pid_t child;

	log_some(by);
	pthread_create(&thread, NULL, log_some, by);
	pthread_join(thread, NULL);
	if ((child = fork()) == 0) {
		log_some(by);
		exit(0); /* runs the exit handlers, which mark exits */
	}
	expect_success(child);
	timeline_thread_name(tl, "moved");
	/*
	 * its own timeline gets its true ids, whatever thread-local slot they
	 * use
	 */
	for (int i = 0; i < TIMELINES; i++) {
		timeline_remove(inner_name);
		expect_ok(timeline_new(&other, inner_name, &small));
		expect_ok(
		    timeline_define(other, "test", "info", "own $by", &own));
		timeline_log(own, BY_PARENT);
		log_some(by);
		expect(see(inner_name, false, BY_PARENT).own == 1,
		    "its own timeline has other numbers");
	}
	exit(0);
}

static void
a_child_that_is_moved_is_no_thread(void)
{
	const unsigned each = EACH + 3; /* a span consists of two entries */
	struct seen seen;

	log_some((void *)(uintptr_t)BY_PARENT);
	run_inside(be_moved, (void *)(uintptr_t)BY_CHILD);
	log_some((void *)(uintptr_t)BY_PARENT);
	seen = see(test_name, false, BY_PARENT);
	expect(seen.count == 2 * each && seen.own == 2 * each,
	    "of the parent: %u, %u own", seen.count, seen.own);
	seen = see(test_name, false, BY_CHILD);
	expect(seen.count == (3 + TIMELINES) * each &&
		   seen.nameless == seen.count,
	    "of the child: %u, %u nameless", seen.count, seen.nameless);
	for (size_t i = 0; i < TIMELINE_EXITS; i++)
		expect(timeline_exit_pid(tl->header->exits[i]) == 0 ||
			   timeline_exit_pid(tl->header->exits[i]) ==
			       (uint32_t)getpid(),
		    "an exit of %u", timeline_exit_pid(tl->header->exits[i]));
}

/* == tools == */

static void
make_timeline(void *unused)
{
	struct timeline *own;

	(void)unused;
	timeline_remove(inner_name);
	expect_ok(timeline_new(&own, inner_name, &small));
	expect_ok(timeline_define(own, "test", "info", "own $by", &event));
	timeline_log(event, BY_CHILD);
}

static void
tools_are_no_threads(void)
{
	char path[TL_PATH_MAX];
	struct timeline *other;
	struct seen seen;
	int rc = tl_name_path(inner_name, path);

	run_inside(make_timeline, NULL);
	rc = timeline_open(&other, inner_name);
	expect(rc == -EXDEV, "open: %d, %s", rc, timeline_error());
	/*
	 * so many timelines that some share a slot of ids with this process's
	 */
	for (int i = 0; i < TIMELINES; i++) {
		expect_ok(tl_attach(&other, path, 0));
		expect_ok(timeline_priority(other, "trace"));
		expect_ok(timeline_burst(other, "trace+++", 1000));
		expect_ok(timeline_level(other, "*", "*", "debug"));
		log_some((void *)(uintptr_t)BY_PARENT);
		timeline_thread_name(other, "tool");
		expect(!is_known(other), "a tool is known by name");
		timeline_close(other);
	}
	expect_ok(tl_attach(&other, path, 0));
	expect(!is_known(other), "a tool left a mark");
	seen = see(inner_name, true, 0);
	/* each change has a confirmation */
	expect(seen.count >= 5 * TIMELINES && seen.nameless == seen.count,
	    "%u changes, %u nameless", seen.count, seen.nameless);
	timeline_close(other);
}

int
main(void)
{
	choose_test_name("ns");
	snprintf(inner_name, sizeof(inner_name), "%s-in", test_name);
	atexit(remove_inner);
	expect_ok(timeline_new(&tl, test_name, &small));
	expect_ok(timeline_define(tl, "test", "info", "by $by", &event));
	expect_ok(
	    timeline_define_timer(tl, "test", "info", "timed $by", &timer));
	programs_share_no_timeline();
	a_child_that_is_moved_is_no_thread();
	tools_are_no_threads();
	return 0;
}
