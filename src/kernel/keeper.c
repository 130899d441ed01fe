/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.c - the process that keeps an instance, and its client's end.
 *
 *	client				keeper (uid 0, no capabilities)
 *	socketpair, fork		makes the instance
 *	   <-- a file, what it is --	for each file
 *	   <-- DONE or FAILED ----	ends, when it failed
 *	reads pages			waits
 *	closes the socket, or dies -->	events off, instance removed, ends
 *
 * A client that is root forks its keeper.  Any other client sends one end of
 * the socketpair to the service (service.c), which forks the keeper.
 */
#include "kernel/keeper.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORMAT_SIZE_MAX = 64 << 10, LOOK_MS = 1000 };
/* The inode of the first pid namespace is fixed in the kernel. */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

enum what { PAGES, FORMAT, PIPE, STATS, PIDS, ON, DONE, FAILED };

/* The keeper gives up a client that does not read. */
static const struct timeval send_timeout = { .tv_sec = 5 };

static void
close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* A message names the file of the descriptor that comes with it. */
struct message {
	uint32_t what;
	uint32_t index;
	struct tl_fault fault;
};

int
tl_keeper_send(int socket, const struct sockaddr_un *to, const void *data,
    size_t size, int fd)
{
	struct iovec part = { (void *)(uintptr_t)data, size };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr m = { .msg_name = (void *)(uintptr_t)to,
		.msg_namelen = to ? sizeof(*to) : 0,
		.msg_iov = &part,
		.msg_iovlen = 1 };

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &m, MSG_NOSIGNAL | (to ? MSG_DONTWAIT : 0)) < 0
		   ? -errno
		   : 0;
}

static int
send_message(int socket, const struct message *message, int fd)
{
	return tl_keeper_send(socket, NULL, message, sizeof(*message), fd);
}

/* Receive a message; *fd is -1 if no descriptor came.  Returns 0 or -errno;
 * -EPIPE: the keeper has ended. */
static int
receive_message(int socket, struct message *message, int *fd, int flags)
{
	struct iovec part = { message, sizeof(*message) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && errno == EINTR);
	*fd = -1;
	if (n < 0)
		return -errno;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (n == (ssize_t)sizeof(*message)) {
		message->fault.text[sizeof(message->fault.text) - 1] = '\0';
		return 0;
	}
	close_one(*fd);
	*fd = -1;
	return n == 0 ? -EPIPE : -EBADMSG;
}

/* == the keeper == */

/* Open a file of the instance and send its descriptor.  Returns 0 or -errno;
 * the caller decides about -ENOENT. */
static int
hand_over(const struct tl_instance *i, int socket, enum what what,
    uint32_t index, const char *path, int flags)
{
	const struct message message = { .what = what, .index = index };
	const int fd = openat(i->folder, path, flags | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = send_message(socket, &message, fd);
	close(fd);
	return rc;
}

static int
hand_over_all(const struct tl_instance *i, int socket)
{
	char path[96];
	int rc;

	if ((rc = hand_over(i, socket, PAGES, 0, "events/header_page",
		 O_RDONLY)) != 0 ||
	    (rc = hand_over(i, socket, PIDS, 0, "set_event_pid", O_WRONLY)) !=
		0 ||
	    (rc = hand_over(i, socket, ON, 0, "tracing_on", O_WRONLY)) != 0)
		return rc;
	for (uint32_t n = 0; n < TL_KERNEL_KNOWN; n++) {
		snprintf(path, sizeof(path), "events/%s/%s/format",
		    tl_kernel_known[n].system, tl_kernel_known[n].name);
		rc = hand_over(i, socket, FORMAT, n, path, O_RDONLY);
		if (rc != 0 && !(rc == -ENOENT && tl_kernel_known[n].optional))
			return rc;
	}
	for (uint32_t cpu = 0; cpu < TL_KERNEL_CPUS_MAX; cpu++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw",
		    cpu);
		rc = hand_over(i, socket, PIPE, cpu, path,
		    O_RDONLY | O_NONBLOCK);
		if (rc == -ENOENT && cpu >= (uint32_t)get_nprocs_conf())
			break;
		if (rc == 0) {
			snprintf(path, sizeof(path), "per_cpu/cpu%u/stats",
			    cpu);
			rc = hand_over(i, socket, STATS, cpu, path, O_RDONLY);
		}
		if (rc != 0 && rc != -ENOENT)
			return rc;
	}
	return 0;
}

void
tl_keeper_give_up_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	const struct __user_cap_data_struct none[2] = { { 0 } };

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
	(void)syscall(SYS_capset, &header, none);
}

void
tl_keeper_keep(int socket, int instances, const struct tl_fault *fault,
    const struct tl_kernel_plan *plan)
{
	struct message message = { .what = FAILED };
	struct tl_instance instance;
	struct pollfd p = { .fd = socket, .events = POLLIN };
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int rc = instances;
	char byte;

	if (rc < 0)
		message.fault = *fault;
	(void)setsid(); /* signals of the terminal are for the client */
	/* Replace the client's standard files, so that a reader of the client's
	 * output does not wait for the keeper's end. */
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (fd != socket)
			(void)dup2(null, fd);
	(void)!chdir("/");
	tl_signals_ask_to_stop(true);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)prctl(PR_SET_NAME, "timeline-kernel", 0UL, 0UL, 0UL);
	(void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &send_timeout,
	    sizeof(send_timeout));
	tl_keeper_give_up_capabilities();
	if (rc >= 0)
		rc = tl_instance_make(&instance, rc, plan, &message.fault);
	if (rc == 0) {
		rc = hand_over_all(&instance, socket);
		if (rc == 0) {
			message.what = DONE;
			rc = send_message(socket, &message, -1);
		} else {
			tl_fail(&message.fault, rc, "instance of tracefs: %s",
			    strerror(-rc));
			(void)send_message(socket, &message, -1);
		}
		/* Wait for the client. */
		while (rc == 0 && !tl_stop_is_asked())
			if (poll(&p, 1, LOOK_MS) > 0 &&
			    recv(socket, &byte, 1, 0) <= 0)
				break;
		/* The end of the socket tells the client to close its files,
		 * which hold the instance. */
		close(socket);
		rc = tl_instance_remove(&instance);
	} else {
		(void)send_message(socket, &message, -1);
	}
	_exit(rc == 0 ? 0 : 1);
}

/* == the client == */

static int
grow(struct tl_kernel *k, uint32_t cpu)
{
	const size_t count = (size_t)cpu + 1;
	int *pipes, *stats;

	if (cpu >= TL_KERNEL_CPUS_MAX)
		return -E2BIG;
	if (count <= k->cpu_count)
		return 0;
	if (!(pipes = realloc(k->pipes, count * sizeof(*pipes))))
		return -ENOMEM;
	k->pipes = pipes;
	if (!(stats = realloc(k->stats, count * sizeof(*stats))))
		return -ENOMEM;
	k->stats = stats;
	for (; k->cpu_count < count; k->cpu_count++)
		pipes[k->cpu_count] = stats[k->cpu_count] = -1;
	return 0;
}

/* Keep a descriptor, unless there is one already. */
static int
keep_fd(int *at, int fd)
{
	if (*at >= 0)
		return -EBADMSG;
	*at = fd;
	return 0;
}

/* Keep a file, or read and close it. */
static int
take_file(struct tl_kernel *k, const struct message *m, int fd,
    struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	int rc = 0;

	switch (m->what) {
	case PIPE:
	case STATS:
		if ((rc = grow(k, m->index)) == 0 &&
		    (rc = keep_fd(m->what == PIPE ? &k->pipes[m->index]
						  : &k->stats[m->index],
			 fd)) == 0)
			return 0;
		break;
	case PIDS:
		if ((rc = keep_fd(&k->set_event_pid, fd)) == 0)
			return 0;
		break;
	case ON:
		if ((rc = keep_fd(&k->tracing_on, fd)) == 0)
			return 0;
		break;
	case PAGES:
	case FORMAT:
		if ((rc = tl_read_rest(fd, FORMAT_SIZE_MAX, &text)) != 0)
			break;
		if (m->what == PAGES)
			rc = tl_page_layout_parse(&k->layout,
			    tl_bytes(text.data, text.size), fault);
		else if (m->index < TL_KERNEL_KNOWN)
			rc = tl_kernel_format_parse(&k->formats, m->index,
			    tl_bytes(text.data, text.size), fault);
		else
			rc = -EBADMSG;
		break;
	default:
		rc = -EBADMSG;
	}
	tl_text_free(&text);
	close(fd);
	return rc;
}

static int
take_files(struct tl_kernel *k, int flags, struct tl_fault *fault)
{
	struct message message;
	int rc, fd;

	for (;;) {
		rc = receive_message(k->socket, &message, &fd, flags);
		if (rc == -EAGAIN)
			return 1;
		if (rc != 0)
			return tl_fail(fault, rc,
			    "the keeper of the kernel's events has ended");
		if (message.what == DONE || message.what == FAILED)
			close_one(fd);
		if (message.what == DONE)
			return k->tracing_on >= 0 && k->set_event_pid >= 0 &&
				       k->cpu_count > 0 && k->layout.size > 0
				   ? 0
				   : tl_fail(fault, -EBADMSG,
					 "the keeper of the kernel's events "
					 "has left out files");
		if (message.what == FAILED) {
			*fault = message.fault;
			return fault->rc < 0 ? fault->rc : -EIO;
		}
		if (fd >= 0 && (rc = take_file(k, &message, fd, fault)) != 0)
			return tl_fail(fault, rc, "%s", strerror(-rc));
	}
}

int
tl_kernel_take(struct tl_kernel *k, struct tl_fault *fault)
{
	return take_files(k, MSG_DONTWAIT, fault);
}

int
tl_kernel_begin(struct tl_kernel *k, int ends[2], struct tl_fault *fault)
{
	char link[64] = "";

	*k = (struct tl_kernel){ .socket = -1,
		.tracing_on = -1,
		.set_event_pid = -1 };
	/* The kernel's events number threads as in the first pid namespace, and
	 * other namespaces cannot translate these numbers. */
	if (readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 &&
	    strcmp(link, FIRST_PID_NAMESPACE) != 0)
		return tl_fail(fault, -ENOTSUP,
		    "this is a pid namespace of its own (a container), which "
		    "cannot tell the threads in the kernel's events: run it "
		    "on the host");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return tl_fail(fault, -errno, "%s", strerror(errno));
	return 0;
}

int
tl_kernel_open(struct tl_kernel *k, const struct tl_kernel_plan *plan,
    struct tl_fault *fault)
{
	int ends[2];
	int rc = tl_kernel_begin(k, ends, fault);

	if (rc != 0)
		return rc;
	k->keeper = fork();
	if (k->keeper == 0) {
		struct tl_fault why = { 0 };

		close(ends[0]);
		rc = tl_instances_open(&why);
		tl_keeper_keep(ends[1], rc, &why, plan);
	}
	k->socket = ends[0];
	close(ends[1]);
	if (k->keeper < 0)
		rc = tl_fail(fault, -errno, "%s", strerror(errno));
	else
		rc = take_files(k, 0, fault);
	if (rc != 0)
		tl_kernel_close(k);
	return rc;
}

int
tl_kernel_add_thread(const struct tl_kernel *k, uint32_t tid)
{
	char number[16];
	const int n = snprintf(number, sizeof(number), "%u\n", tid);

	/* a thread that has ended is no error */
	return write(k->set_event_pid, number, (size_t)n) < 0 &&
		       errno != EINVAL && errno != ESRCH
		   ? -errno
		   : 0;
}

int
tl_kernel_turn(const struct tl_kernel *k, bool on)
{
	return write(k->tracing_on, on ? "1" : "0", 1) < 0 ? -errno : 0;
}

bool
tl_kernel_is_gone(const struct tl_kernel *k)
{
	struct pollfd p = { .fd = k->socket, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

void
tl_kernel_close(struct tl_kernel *k)
{
	close_one(k->tracing_on);
	close_one(k->set_event_pid);
	for (size_t i = 0; i < k->cpu_count; i++) {
		close_one(k->pipes[i]);
		close_one(k->stats[i]);
	}
	free(k->pipes);
	free(k->stats);
	close_one(k->socket);
	while (
	    k->keeper > 0 && waitpid(k->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	*k = (struct tl_kernel){ .socket = -1 };
}
