/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.c - the socket of the keeper: datagrams that are no requests are
 * refused, and datagrams that are no answers, too.
 */
#include "kernel/keeper.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 60000, OTHER_USER = 65534, FAILED = 7, DONE = 6, PIPE = 2 };

static char folder[] = "/tmp/tl-service-XXXXXX";
static struct sockaddr_un at = { .sun_family = AF_UNIX };
static int log_of[2];
static pid_t service;

static struct tl_keeper_request
request(void)
{
	return (struct tl_keeper_request){ .magic = TL_KEEPER_MAGIC,
		.size = TL_KERNEL_SIZE_MIN,
		.name = "engine_1-a.b" };
}

static int
check(const struct tl_keeper_request *r)
{
	struct tl_kernel_plan plan;

	return tl_keeper_request_check(r, sizeof(*r), &plan);
}

TEST(a_request_is_checked_in_each_member)
{
	struct tl_keeper_request r = request();
	struct tl_kernel_plan plan;

	r.faults = 1;
	ck_assert_ok(tl_keeper_request_check(&r, sizeof(r), &plan));
	ck_assert_str_eq(plan.name, "engine_1-a.b");
	ck_assert(plan.faults);
	ck_assert_uint_eq(plan.size, TL_KERNEL_SIZE_MIN);
	ck_assert_int_eq(tl_keeper_request_check(&r, sizeof(r) - 1, &plan),
	    -EINVAL);
	ck_assert_int_eq(tl_keeper_request_check(&r, sizeof(r) + 1, &plan),
	    -EINVAL);
	ck_assert_int_eq(tl_keeper_request_check(&r, 0, &plan), -EINVAL);
	r = request();
	r.magic++;
	ck_assert_int_eq(check(&r), -EINVAL);
	r = request();
	r.faults = 2;
	ck_assert_int_eq(check(&r), -EINVAL);
	r = request();
	r.size = TL_KERNEL_SIZE_MIN - 1;
	ck_assert_int_eq(check(&r), -EINVAL);
	r.size = (uint64_t)TL_KERNEL_SIZE_MAX + 1;
	ck_assert_int_eq(check(&r), -EINVAL);
	r.size = TL_KERNEL_SIZE_MAX;
	ck_assert_int_eq(check(&r), 0);
}

TEST(a_name_is_no_path)
{
	static const char *const bad[] = { "", "a/b", "../x", "a b", "a\n",
		"\xc3\xa4" };
	struct tl_keeper_request r = request();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(r.name, sizeof(r.name), "%s", bad[i]);
		ck_assert_int_eq(check(&r), -EINVAL);
	}
	memset(r.name, 'a', sizeof(r.name));
	ck_assert_int_eq(check(&r), -EINVAL);
	r.name[sizeof(r.name) - 1] = '\0';
	ck_assert_int_eq(check(&r), 0);
}

/* == a service without tracefs == */

static void
log_line(const char *text)
{
	dprintf(log_of[1], "%s\n", text);
}

/* Wait for a line in the log of the service. */
static void
wait_line(const char *words)
{
	char text[4096];
	size_t size = 0;
	struct pollfd p = { .fd = log_of[0], .events = POLLIN };

	do {
		ck_assert_msg(poll(&p, 1, WAIT_MS) > 0, "no line '%s'", words);
		ck_assert_int_eq(read(log_of[0], text + size, 1), 1);
		ck_assert_uint_lt(++size, sizeof(text));
		text[size] = '\0';
		if (text[size - 1] == '\n' && !strstr(text, words))
			size = 0;
	} while (size == 0 || text[size - 1] != '\n');
}

static void
start(void)
{
	static char file[sizeof(folder) + 8];
	static const char *paths[2];
	struct tl_fault fault = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/s", folder);
	/* a file blocks the path below which tracefs would be mounted */
	snprintf(file, sizeof(file), "%s/s/x", folder);
	paths[0] = file;
	ck_assert_int_eq(pipe2(log_of, O_CLOEXEC), 0);
	service = fork();
	if (service == 0) {
		tl_tracefs_paths = paths;
		_exit(tl_keeper_serve(at.sun_path, geteuid(), getegid(),
			  log_line, &fault) != 0);
	}
	wait_line("ready");
}

static void
stop(void)
{
	int status;

	kill(service, SIGTERM);
	ck_assert_int_eq(waitpid(service, &status, 0), service);
	ck_assert_int_eq(status, 0);
	rmdir(folder);
}

/* Send a datagram with descriptors. */
static int
send_datagram(const void *data, size_t size, const int *fds, size_t count)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct iovec part = { (void *)(uintptr_t)data, size };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(64 * sizeof(int))];
	} control = { 0 };
	struct msghdr m = { .msg_name = &at,
		.msg_namelen = sizeof(at),
		.msg_iov = &part,
		.msg_iovlen = 1 };
	ssize_t n;

	if (count > 0) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	n = sendmsg(fd, &m, MSG_NOSIGNAL);
	close(fd);
	return n < 0 ? -errno : 0;
}

/* Ask as the daemon does; returns the answer. */
static int
ask(struct tl_fault *fault)
{
	const struct tl_kernel_plan plan = { .name = "test",
		.size = TL_KERNEL_SIZE_MIN };
	struct tl_kernel kernel;
	struct pollfd p;
	int rc = tl_kernel_ask(&kernel, at.sun_path, &plan, fault);

	if (rc != 0)
		return rc;
	do {
		p = (struct pollfd){ .fd = kernel.socket, .events = POLLIN };
		ck_assert_int_gt(poll(&p, 1, WAIT_MS), 0);
		rc = tl_kernel_take(&kernel, fault);
	} while (rc > 0);
	tl_kernel_close(&kernel);
	return rc;
}

TEST(what_is_no_request_is_refused_and_the_next_is_answered)
{
	const struct tl_keeper_request good = request();
	struct tl_keeper_request bad = request();
	struct tl_fault fault = { 0 };
	char large[8192] = { 0 };
	int ends[2], stream[2], many[20];

	start();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			     ends),
	    0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
			     stream),
	    0);
	for (size_t i = 0; i < 20; i++)
		many[i] = ends[1];
	bad.name[0] = '/';
	ck_assert_int_eq(send_datagram("", 0, ends + 1, 1), 0);
	wait_line("it is not a request");
	ck_assert_int_eq(send_datagram(large, sizeof(large), ends + 1, 1), 0);
	wait_line("it is not a request");
	ck_assert_int_eq(send_datagram(&bad, sizeof(bad), ends + 1, 1), 0);
	wait_line("it is not a request");
	ck_assert_int_eq(send_datagram(&good, sizeof(good), NULL, 0), 0);
	wait_line("it has no socket for the answer");
	ck_assert_int_eq(send_datagram(&good, sizeof(good), stream, 1), 0);
	wait_line("it has no socket for the answer");
	ck_assert_int_eq(send_datagram(&good, sizeof(good), log_of, 1), 0);
	wait_line("it has no socket for the answer");
	ck_assert_int_eq(send_datagram(&good, sizeof(good), many, 20), 0);
	wait_line("it has no socket for the answer");
	ck_assert_int_eq(ask(&fault), -ENOTDIR);
	ck_assert_str_eq(fault.text, "tracefs: Not a directory");
	/* the service keeps no copy of the end that was sent */
	close(ends[1]);
	ck_assert_int_eq(recv(ends[0], large, 1, 0), 0);
	stop();
}

TEST(a_user_that_is_not_served_is_refused)
{
	const struct tl_keeper_request good = request();
	int ends[2], status;
	pid_t other;

	if (geteuid() != 0)
		return;
	start();
	ck_assert_int_eq(chmod(folder, 0755), 0);
	ck_assert_int_eq(chmod(at.sun_path, 0666), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	other = fork();
	if (other == 0)
		_exit(setuid(OTHER_USER) != 0 ||
		      send_datagram(&good, sizeof(good), ends + 1, 1) != 0);
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert_int_eq(status, 0);
	wait_line("user 65534, is refused: it may not ask");
	stop();
}

TEST(a_service_that_is_not_there_has_a_sentence)
{
	struct tl_fault fault = { 0 };

	strcpy(at.sun_path, "/tmp/no-such-folder/s");
	ck_assert_int_eq(ask(&fault), -ENOENT);
	ck_assert_str_eq(fault.text,
	    "no keeper listens on /tmp/no-such-folder/s: start "
	    "timeline-keeper.socket");
}

/* == answers == */

struct answer {
	uint32_t what, index;
	struct tl_fault fault;
};

static int
take(const void *data, size_t size, struct tl_fault *fault)
{
	struct tl_kernel kernel = { .socket = -1,
		.tracing_on = -1,
		.set_event_pid = -1 };
	int ends[2], rc;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	kernel.socket = ends[0];
	ck_assert_int_eq(tl_kernel_take(&kernel, fault), 1);
	ck_assert_int_eq(send(ends[1], data, size, 0), (ssize_t)size);
	close(ends[1]);
	rc = tl_kernel_take(&kernel, fault);
	tl_kernel_close(&kernel);
	return rc;
}

TEST(what_is_no_answer_is_refused)
{
	struct answer a = { .what = DONE };
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(take(&a, sizeof(a) - 1, &fault), -EBADMSG);
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(take(&a, sizeof(a), &fault), -EBADMSG);
	ck_assert_str_eq(fault.text,
	    "the keeper of the kernel's events has left out files");
	/* a file without its descriptor, then no datagram */
	fault = (struct tl_fault){ 0 };
	a.what = PIPE;
	a.index = UINT32_MAX;
	ck_assert_int_eq(take(&a, sizeof(a), &fault), -EPIPE);
	fault = (struct tl_fault){ 0 };
	a.what = FAILED;
	a.fault.rc = 5;
	memset(a.fault.text, 'x', sizeof(a.fault.text));
	ck_assert_int_eq(take(&a, sizeof(a), &fault), -EIO);
	ck_assert_uint_eq(strlen(fault.text), sizeof(fault.text) - 1);
}
