/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privileges.c - no privileges are left, and everything that the daemon needs
 * still works.  Each case is a process of its own.
 */
#include "daemon/sandbox/sandbox.h"

#include "daemon/daemon.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const stranger = "nobody";

/*
 * A child cannot use libcheck's assertions: it exits and prints the failed
 * line.
 */
#define need(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, \
			    #condition); \
			_exit(1); \
		} \
	} while (0)

static void
in_child(void (*body)(void))
{
	int status;
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Count the empty sets among the five sets of capabilities. */
static unsigned
empty_sets(void)
{
	unsigned count = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	need(f);
	while (fgets(line, sizeof(line), f))
		count += strncmp(line, "Cap", 3) == 0 &&
			 strtoull(line + strcspn(line, "\t"), NULL, 16) == 0;
	fclose(f);
	return count;
}

static void
need_nothing_left(void)
{
	/* an unprivileged process cannot empty the bounding set */
	need(empty_sets() >= 4);
	need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	need(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
}

static void
need_what_is_needed(void)
{
	char *const words[] = { (char[]){ "true" }, NULL };
	const int pidfd = (int)syscall(SYS_pidfd_open, getppid(), 0);
	char path[64];
	pid_t pid;
	int status;
	int fd;

	need(pidfd >= 0);
	snprintf(path, sizeof(path), "/dev/shm/test_privileges_%d",
	    (int)getpid());
	(void)unlink(path); /* a killed test may have left the file */
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	need(fd >= 0);
	need(unlink(path) == 0);
	need(open("/proc/self/environ", O_RDONLY | O_CLOEXEC) >= 0);
	need(posix_spawnp(&pid, "true", NULL, NULL, words, NULL) == 0);
	need(waitpid(pid, &status, 0) == pid && status == 0);
}

static void
become_stranger(void)
{
	const struct passwd *user = getpwnam(stranger);
	struct tl_fault fault = { 0 };

	need(user);
	need(tl_privileges_drop(stranger, &fault) == 0);
	need_nothing_left();
	need_what_is_needed();
	need(getuid() == user->pw_uid && geteuid() == user->pw_uid);
	need(getgid() == user->pw_gid && getegid() == user->pw_gid);
	need(setuid(0) < 0 && setgid(0) < 0);
	need(open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0);
}

TEST(root_becomes_the_user)
{
	if (geteuid() == 0)
		in_child(become_stranger);
}

static void
become_nobody_else(void)
{
	const uid_t uid = geteuid();
	struct tl_fault fault = { 0 };

	need(tl_privileges_drop(NULL, &fault) == 0);
	need_nothing_left();
	need_what_is_needed();
	need(geteuid() == uid);
	need(uid != 0 || setuid(1) < 0);
}

TEST(without_a_user_only_the_capabilities_go)
{
	in_child(become_nobody_else);
}

static void
stay_stranger(void)
{
	struct tl_fault fault = { 0 };

	need(setuid(getpwnam(stranger)->pw_uid) == 0);
	need(tl_privileges_drop("root", &fault) == 0);
	need_nothing_left();
	need(geteuid() == getpwnam(stranger)->pw_uid);
}

TEST(who_is_not_root_stays_who_it_is)
{
	if (geteuid() == 0)
		in_child(stay_stranger);
}

static void
become_unknown(void)
{
	struct tl_fault fault = { 0 };

	need(tl_privileges_drop("no body", &fault) == -ENOENT);
	need(strcmp(fault.text, "unknown user 'no body'") == 0);
	need(geteuid() == 0);
}

TEST(a_user_who_does_not_exist_is_said)
{
	if (geteuid() == 0)
		in_child(become_unknown);
}

TEST(a_folder_of_another_user_is_refused)
{
	const struct passwd *user = getpwnam(stranger);
	char path[] = "/tmp/test_privileges_XXXXXX";
	struct tl_config config = { .directory = path };
	struct tl_fault fault = { 0 };
	char want[256];

	if (geteuid() != 0)
		return;
	ck_assert(user && mkdtemp(path));
	ck_assert_ok(tl_daemon_prepare(&config, &fault));
	ck_assert_int_eq(chown(path, user->pw_uid, user->pw_gid), 0);
	snprintf(want, sizeof(want),
	    "%s belongs to user 'nobody': set user = \"nobody\" in the "
	    "configuration and start timelined as root, or choose another "
	    "directory",
	    path);
	ck_assert_int_eq(tl_daemon_prepare(&config, &fault), -EACCES);
	ck_assert_str_eq(fault.text, want);
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_ok(tl_daemon_prepare(&config, &fault));
	ck_assert_int_eq(rmdir(path), 0);
}
