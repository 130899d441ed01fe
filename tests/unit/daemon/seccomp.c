/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.c - under the filter, calls that the daemon needs work, calls that it
 * does not need fail, and calls that only an intruder needs end it.
 */
#include "daemon/sandbox/sandbox.h"
#include "lib/fixture.h"
#include "lib/test.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TL_SECCOMP
enum { HELD = 0, FAILED = 1, OFF = 2 };

/* Call holds in a process under the filter; returns its wait status. */
static int
under_filter(bool (*holds)(void))
{
	int status;
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		tl_seccomp_start(true);
		if (!tl_seccomp_is_on() || strcmp(tl_seccomp_state(), "on"))
			_exit(OFF);
		_exit(holds() ? HELD : FAILED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

#	define HOLDS(function) \
		do { \
			const int status_ = under_filter(function); \
			ck_assert_msg(WIFEXITED(status_) && \
					  WEXITSTATUS(status_) == HELD, \
			    #function ": status %x", status_); \
		} while (0)
#	define KILLS(function) \
		do { \
			const int status_ = under_filter(function); \
			ck_assert_msg(WIFSIGNALED(status_) && \
					  WTERMSIG(status_) == SIGSYS, \
			    #function ": status %x", status_); \
		} while (0)

static bool
is_refused(long rc)
{
	return rc == -1 && errno == EPERM;
}

static bool
nothing_connects(void)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons(1),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_un path = { .sun_family = AF_UNIX };
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const int local = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd >= 0 && local >= 0 &&
	       is_refused(
		   connect(fd, (const struct sockaddr *)&at, sizeof(at))) &&
	       is_refused(connect(local, (const struct sockaddr *)&path,
		   sizeof(path))) &&
	       is_refused(sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
		   (const struct sockaddr *)&at, sizeof(at))) &&
	       is_refused(socket(AF_INET, SOCK_DGRAM, 0)) &&
	       is_refused(socket(AF_INET6, SOCK_RAW, 0)) &&
	       is_refused(socket(AF_NETLINK, SOCK_RAW, 0));
}

static bool
it_listens(void)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);

	return fd >= 0 &&
	       bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
	       listen(fd, 1) == 0 && accept4(fd, NULL, NULL, 0) < 0 &&
	       errno == EAGAIN;
}

static bool
no_process_is_made(void)
{
	return is_refused(fork()) && is_refused(vfork()) &&
	       syscall(SYS_clone3, NULL, 0) == -1 && errno == ENOSYS;
}

static bool
memory_is_written_or_run(void)
{
	const size_t size = 4096;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at != MAP_FAILED &&
	       is_refused(mprotect(at, size, PROT_READ | PROT_EXEC)) &&
	       mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static bool
limits_and_users_stay(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       is_refused(setrlimit(RLIMIT_NOFILE, &limit)) &&
	       is_refused(setuid(getuid())) &&
	       is_refused(syscall(SYS_quotactl, 0, NULL, 0, NULL));
}

static void *
log_in_thread(void *argument)
{
	struct timeline_event *event = argument;

	timeline_log(event, 1);
	return event;
}

/* A thread registers rseq, and a timeline is made, mapped and written. */
static bool
threads_log(void)
{
	const struct timeline_options small = { .entries = 256,
		.stringtablesize = 65536 };
	struct timeline_event *event;
	struct timeline *own;
	char name[64];
	pthread_t thread;
	void *result = NULL;
	bool ok;

	snprintf(name, sizeof(name), "/test-seccomp-%d", (int)getpid());
	if (timeline_new(&own, name, &small) != 0)
		return false;
	ok = timeline_define(own, "a", "fatal", "b $c", &event) == 0 &&
	     pthread_create(&thread, NULL, log_in_thread, event) == 0 &&
	     pthread_join(thread, &result) == 0 && result == event;
	timeline_close(own);
	return timeline_remove(name) == 0 && ok;
}

static bool
executes(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return true;
}

static bool
traces(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	return true;
}

static bool
leaves_its_namespace(void)
{
	unshare(CLONE_NEWUSER);
	return true;
}

TEST(what_the_daemon_needs_works)
{
	HOLDS(it_listens);
	HOLDS(threads_log);
}

TEST(what_it_does_not_need_fails)
{
	HOLDS(nothing_connects);
	HOLDS(no_process_is_made);
	HOLDS(memory_is_written_or_run);
	HOLDS(limits_and_users_stay);
}

TEST(what_only_an_intruder_needs_ends_it)
{
	KILLS(executes);
	KILLS(traces);
	KILLS(leaves_its_namespace);
}

static void *
connect_when_asked(void *go)
{
	char byte;
	int fd;

	if (read(*(int *)go, &byte, 1) != 1)
		return NULL;
	fd = socket(AF_NETLINK, SOCK_RAW, 0);
	return fd < 0 && errno == EPERM ? go : NULL;
}

static int ends[2];
static pthread_t early;

static bool
started_before(void)
{
	void *result = NULL;

	return write(ends[1], "x", 1) == 1 &&
	       pthread_join(early, &result) == 0 && result == &ends[0];
}

TEST(threads_that_were_there_before_are_under_it_too)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		if (pipe(ends) != 0 || pthread_create(&early, NULL,
					   connect_when_asked, &ends[0]) != 0)
			_exit(FAILED);
		tl_seccomp_start(true);
		_exit(started_before() ? HELD : FAILED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
#endif

TEST(one_that_is_not_wanted_is_off)
{
	tl_seccomp_start(false);
	ck_assert(!tl_seccomp_is_on());
	ck_assert_str_eq(tl_seccomp_state(), "off: seccomp = false");
	close(socket(AF_INET, SOCK_DGRAM, 0));
}
