/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_faults.c - whatever call fails, and wherever the daemon is killed,
 * a snapshot is whole or absent.
 *
 * This program replaces calls of the C library: the replacements count
 * themselves, and one of them fails, kills this process, or waits.
 */
#include "daemon/disk/snapshot_file.h"
#include "lib/test.h"
#include "snapshots_fixture.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum call {
	CALL_MEMFD_CREATE,
	CALL_OPENAT, /* of a new file */
	CALL_FTRUNCATE,
	CALL_PWRITE,
	CALL_FSYNC,
	CALL_LINKAT,
	CALL_RENAMEAT2,
	CALL_UNLINKAT,
	CALL_COUNT,
	CALL_ANY = CALL_COUNT
};

enum { CALLS_MAX = 400, NAMES_TAKEN = 3 };

static struct {
	enum call call;    /* the call that is counted */
	unsigned at;       /* the call number that is hit; 0: none */
	unsigned for_many; /* so many calls after it are hit, too */
	int error;         /* the error of the call; 0: the process is killed */
	bool after;        /* kill after the call, not before */
	bool no_nameless;  /* the file system has no O_TMPFILE */
	unsigned count;    /* calls so far */
	bool hit;
} hook;
static sem_t gate; /* must be passed to copy */

static void
die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Returns true if this call must fail. */
static bool
before(enum call call)
{
	unsigned n;

	if (hook.at == 0 || (hook.call != call && hook.call != CALL_ANY))
		return false;
	n = __atomic_add_fetch(&hook.count, 1, __ATOMIC_SEQ_CST);
	if (n < hook.at || n > hook.at + hook.for_many)
		return false;
	hook.hit = true;
	if (!hook.error && !hook.after)
		die();
	errno = hook.error;
	return hook.error != 0;
}

static long
after(enum call call, long rc)
{
	if (hook.at && !hook.error && hook.after && hook.count == hook.at &&
	    (hook.call == call || hook.call == CALL_ANY))
		die();
	return rc;
}

int
memfd_create(const char *name, unsigned flags)
{
	sem_wait(&gate);
	sem_post(&gate);
	if (before(CALL_MEMFD_CREATE))
		return -1;
	return (int)after(CALL_MEMFD_CREATE,
	    syscall(SYS_memfd_create, name, flags));
}

int
openat(int folder_fd, const char *path, int flags, ...)
{
	const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
	const bool makes = nameless || (flags & O_CREAT);
	mode_t mode = 0;
	va_list args;
	long rc;

	va_start(args, flags);
	if (makes)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (nameless && hook.no_nameless) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (makes && before(CALL_OPENAT))
		return -1;
	rc = syscall(SYS_openat, folder_fd, path, flags, mode);
	return (int)(makes ? after(CALL_OPENAT, rc) : rc);
}

int
ftruncate(int fd, off_t size)
{
	if (before(CALL_FTRUNCATE))
		return -1;
	return (int)after(CALL_FTRUNCATE, syscall(SYS_ftruncate, fd, size));
}

ssize_t
pwrite(int fd, const void *data, size_t size, off_t at)
{
	if (before(CALL_PWRITE))
		return -1;
	return after(CALL_PWRITE, syscall(SYS_pwrite64, fd, data, size, at));
}

int
fsync(int fd)
{
	if (before(CALL_FSYNC))
		return -1;
	return (int)after(CALL_FSYNC, syscall(SYS_fsync, fd));
}

int
linkat(int from, const char *old, int to, const char *new, int flags)
{
	if (before(CALL_LINKAT))
		return -1;
	return (int)after(CALL_LINKAT,
	    syscall(SYS_linkat, from, old, to, new, flags));
}

int
renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	if (before(CALL_RENAMEAT2))
		return -1;
	return (int)after(CALL_RENAMEAT2,
	    syscall(SYS_renameat2, from, old, to, new, flags));
}

int
unlinkat(int folder_fd, const char *path, int flags)
{
	if (before(CALL_UNLINKAT))
		return -1;
	return (int)after(CALL_UNLINKAT,
	    syscall(SYS_unlinkat, folder_fd, path, flags));
}

/* Count from the next call on. */
static void
arm(enum call call, unsigned at, int error)
{
	hook.call = call;
	hook.count = 0;
	hook.hit = false;
	hook.error = error;
	hook.at = at;
}

static void
setup(void)
{
	memset(&hook, 0, sizeof(hook));
	sem_init(&gate, 0, 1);
	folder_setup();
}

/* Four ways: with or without nameless files, plain or compressed. */
static const struct tl_config_snapshots *
choose_way(int way)
{
	hook.no_nameless = way & 1;
	return way & 2 ? &packed : &plain;
}

TEST_FILE(.setup = setup, .timeout = 4 * WAIT_SECONDS_MAX);

/* Each call fails in turn, the first time, the second time, and so on. */
TEST(a_call_that_fails_is_said_and_leaves_nothing, .to = 4 * CALL_COUNT)
{
	static const int errors[] = { ENOSPC, EIO };
	const struct tl_config_snapshots *how = choose_way(_i / CALL_COUNT);
	const enum call call = (enum call)(_i % CALL_COUNT);
	size_t whole = 0;

	daemon_start();
	for (unsigned at = 1; at < CALLS_MAX; at++) {
		int rc;

		arm(call, at, errors[at % 2]);
		rc = ask_and_wait(how);
		hook.at = 0;
		if (!hook.hit) {
			ck_assert_int_eq(rc, 0);
			break;
		}
		ck_assert_int_eq(rc, -errors[at % 2]);
		/* the second fsync is that of the folder */
		whole = call == CALL_FSYNC && at == 2;
		ck_assert_uint_eq(folder_each(expect_whole_name), whole);
		folder_each(remove_name);
		ck_assert_int_eq(ask_and_wait(how), 0);
		folder_each(remove_name);
	}
	daemon_stop();
	folder_teardown();
}

TEST(a_name_that_is_taken_is_never_overwritten, .to = 4)
{
	const struct tl_config_snapshots *how = choose_way(_i);

	daemon_start();
	arm(hook.no_nameless ? CALL_RENAMEAT2 : CALL_LINKAT, 1, EEXIST);
	hook.for_many = NAMES_TAKEN - 1;
	ck_assert_int_eq(ask_and_wait(how), 0);
	ck_assert_uint_eq(hook.count, NAMES_TAKEN + 1);
	ck_assert_uint_eq(folder_each(expect_whole_name), 1);
	ck_assert_int_eq(access(answers[0].path, F_OK), 0);
	daemon_stop();
	folder_teardown();
}

static int
commit_text(struct tl_snapshot_folder *where, const char *text)
{
	struct tl_snapshot_file file;
	int rc;

	ck_assert_ok(tl_snapshot_file_open(&file, where, 0600));
	ck_assert(write(file.fd, text, 3) == 3);
	rc = tl_snapshot_file_commit(&file, where, "name");
	tl_snapshot_file_close(&file, where);
	return rc;
}

TEST(what_lies_there_stays, .to = 4)
{
	struct tl_snapshot_folder where;
	char path[128], text[4] = "";
	int fd;

	hook.no_nameless = _i & 1;
	ck_assert_ok(tl_snapshot_folder_open(&where, folder, NULL));
	ck_assert_int_eq(commit_text(&where, "old"), 0);
	ck_assert_int_eq(commit_text(&where, "new"), -EEXIST);
	if (_i > 1) { /* linking must not replace the file, either */
		arm(CALL_RENAMEAT2, 1, EINVAL);
		ck_assert_int_eq(commit_text(&where, "new"), -EEXIST);
	}
	snprintf(path, sizeof(path), "%s/name", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert(fd >= 0 && read(fd, text, 3) == 3);
	ck_assert_str_eq(text, "old");
	close(fd);
	tl_snapshot_folder_close(&where);
	ck_assert_uint_eq(folder_each(NULL), 1);
	folder_teardown();
}

/* The file system does not know RENAME_NOREPLACE. */
TEST(a_file_system_that_can_only_link_will_do)
{
	hook.no_nameless = true;
	daemon_start();
	arm(CALL_RENAMEAT2, 1, EINVAL);
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	ck_assert(hook.hit);
	ck_assert_uint_eq(folder_each(expect_whole_name), 1);
	daemon_stop();
	folder_teardown();
}

/* In the child: a daemon takes a snapshot and dies at a call. */
static void
be_killed(const struct tl_config_snapshots *how, unsigned at)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	daemon_start();
	arm(CALL_ANY, at, 0);
	_exit(ask_and_wait(how) == 0 ? 0 : 1);
}

static bool
was_killed_at(const struct tl_config_snapshots *how, unsigned at)
{
	int status;
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		be_killed(how, at);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		ck_assert_int_eq(WTERMSIG(status), SIGKILL);
		return true;
	}
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	return false;
}

static size_t snapshots_seen;

/*
 * Between the death of one daemon and the start of the next only temporary
 * names may exist besides whole snapshots.
 */
static void
see_name(const char *name)
{
	if (strncmp(name, ".timelined-", 11) == 0)
		return;
	expect_whole_name(name);
	snapshots_seen++;
}

TEST(a_killed_daemon_leaves_no_half_file, .to = 8)
{
	const struct tl_config_snapshots *how = choose_way(_i % 4);
	unsigned at = 0;

	hook.after = _i / 4;
	while (was_killed_at(how, ++at)) {
		ck_assert_uint_lt(at, CALLS_MAX);
		folder_each(see_name);
		arm(CALL_COUNT, 0, 0);
		daemon_start(); /* removes the files of the dead daemon */
		daemon_stop();
		folder_each(expect_whole_name);
		folder_each(remove_name);
	}
	/* at least: make, grow, write, sync, name, sync */
	ck_assert_uint_gt(at, 8);
	ck_assert_uint_ge(snapshots_seen, 1);
	folder_teardown();
}

TEST(what_waits_is_busy_and_a_full_queue_says_so)
{
	struct tl_snapshots_status status;
	char name[80];
	int waited = 0;

	daemon_start();
	sem_wait(&gate);
	ck_assert_int_eq(ask(&plain), 0);
	while (ask(&plain) != 0) { /* until the worker has the first request */
		ck_assert_int_lt(waited++, WAIT_SECONDS_MAX * 1000);
		usleep(1000);
	}
	ck_assert_int_eq(ask(&plain), -EBUSY);
	for (int i = 2; i < TL_SNAPSHOTS_QUEUED_MAX; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		ck_assert_int_eq(ask_of(tl, name, "test", &plain), 0);
	}
	ck_assert_int_eq(ask_of(tl, "more", "test", &plain), -EAGAIN);
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.queued, TL_SNAPSHOTS_QUEUED_MAX);
	sem_post(&gate);
	wait_answers(TL_SNAPSHOTS_QUEUED_MAX);
	ck_assert_uint_eq(folder_each(expect_whole_name),
	    TL_SNAPSHOTS_QUEUED_MAX);
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	daemon_stop();
	folder_teardown();
}

static void *
open_gate(void *unused)
{
	(void)unused;
	usleep(50000);
	sem_post(&gate);
	return NULL;
}

TEST(an_end_finishes_what_is_in_hand)
{
	struct tl_snapshots_status status;
	pthread_t opener;
	int waited = 0;

	daemon_start();
	sem_wait(&gate);
	ck_assert_int_eq(ask(&plain), 0);
	while (ask(&packed) != 0) {
		ck_assert_int_lt(waited++, WAIT_SECONDS_MAX * 1000);
		usleep(1000);
	}
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.queued, 2);
	ck_assert_int_eq(pthread_create(&opener, NULL, open_gate, NULL), 0);
	daemon_stop();
	pthread_join(opener, NULL);
	ck_assert_uint_eq(answer_count, 0);
	ck_assert_uint_eq(folder_each(expect_whole_name), 1);
	folder_teardown();
}
