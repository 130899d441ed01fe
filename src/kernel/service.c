/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.c - keepers for processes that are not root: timelined --keeper.
 *
 *	timelined (no rights, seccomp)	   service (uid 0, no capabilities)
 *	socketpair
 *	request, one end --- datagram --->  checks it, forks
 *	closes that end			      keeper: makes the instance
 *	    <-- a file, what it is --------	for each file
 *	    <-- DONE or FAILED ------------
 *	closes its end, or dies ---------->	events off, instance removed
 *
 * The problem.  The daemon has given away its rights for good, and its filter
 * of system calls allows no connect.  So a request is one datagram, which needs
 * no connection, finds a service that was restarted, and waits in the socket of
 * the supervisor until the service runs.  The keeper answers on the socketpair,
 * whose end is the end of the instance however the daemon ends.
 *
 * Trust.  The kernel names the sender of a datagram (SCM_CREDENTIALS): root and
 * one user are served.  The contents are not trusted: the size of the request,
 * each of its members, and the type of the socket that comes with the request
 * are checked, and surplus descriptors are closed.  A client can have as many
 * keepers as CLIENTS_MAX allows to all, names that begin with timeline-, and
 * buffers of at most TL_KERNEL_SIZE_MAX; with its files a client can see when
 * any thread of the machine runs, and no more.  A client that does not read is
 * given up after 5 seconds.
 *
 * The service is killed.  Keepers are processes of their own and go on, unless
 * they are killed, too.  Then disable_on_free has stopped the recording, and
 * the next start, like each new instance, removes leftovers.
 *
 * Rejected: a stream that is accepted (the filter would have to allow connect);
 * a keeper inside the daemon's process tree, forked before the daemon gives its
 * rights away (a unit with User= never has any rights, and a keeper that is
 * killed could not be replaced); reading maps of other users in /proc (reading
 * them takes CAP_SYS_PTRACE, with which a process can do everything).
 */
#include "base/process.h"
#include "kernel/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CLIENTS_MAX = 256,
	PASSED_FD = 3, /* from the supervisor: sd_listen_fds(3) */
	FDS_MAX = 4,   /* per datagram; one is right */
	LOOK_MS = 1000,
	SOCKET_MODE = 0660
};

struct service {
	int socket;
	int instances; /* below 0: fault */
	struct tl_fault fault;
	uid_t user;
	pid_t clients[CLIENTS_MAX];
	size_t client_count;
	void (*log)(const char *text);
};

/* == a request == */

int
tl_keeper_request_check(const struct tl_keeper_request *request, size_t size,
    struct tl_kernel_plan *plan)
{
	size_t length;

	if (size != sizeof(*request) || request->magic != TL_KEEPER_MAGIC ||
	    request->faults > 1 || request->size < TL_KERNEL_SIZE_MIN ||
	    request->size > TL_KERNEL_SIZE_MAX)
		return -EINVAL;
	length = strnlen(request->name, sizeof(request->name));
	if (length == 0 || length >= sizeof(request->name) ||
	    strspn(request->name, TL_INSTANCE_CHARACTERS) != length)
		return -EINVAL;
	*plan = (struct tl_kernel_plan){ .size = request->size,
		.faults = request->faults != 0 };
	memcpy(plan->name, request->name, length + 1);
	return 0;
}

struct datagram {
	struct tl_keeper_request request;
	size_t size;
	int fds[FDS_MAX];
	size_t fd_count;
	struct ucred sender; /* pid 0: the kernel named no sender */
};

static void
close_fds(struct datagram *d)
{
	while (d->fd_count > 0)
		close(d->fds[--d->fd_count]);
}

/* Receive a datagram.  Returns 0 or -errno. */
static int
receive(int socket, struct datagram *d)
{
	struct iovec part = { &d->request, sizeof(d->request) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(FDS_MAX * sizeof(int)) +
			  CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	*d = (struct datagram){ .size = 0 };
	n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		return -errno;
	d->size = (size_t)n;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		const size_t size = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS) {
			/* Take descriptors: keep as many as there is room for,
			 * and close the others. */
			for (size_t i = 0; i < size / sizeof(int); i++) {
				int fd;

				memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd),
				    sizeof(fd));
				if (d->fd_count < FDS_MAX)
					d->fds[d->fd_count++] = fd;
				else
					close(fd);
			}
		} else if (c->cmsg_type == SCM_CREDENTIALS &&
			   size == sizeof(d->sender)) {
			memcpy(&d->sender, CMSG_DATA(c), size);
		}
	}
	return 0;
}

static bool
has_option(int fd, int option, int value)
{
	int is = -1;
	socklen_t size = sizeof(is);

	return getsockopt(fd, SOL_SOCKET, option, &is, &size) == 0 &&
	       is == value;
}

/* The reason why a datagram is refused, or NULL. */
static const char *
refuse(const struct service *s, const struct datagram *d,
    struct tl_kernel_plan *plan)
{
	if (d->sender.pid == 0 ||
	    (d->sender.uid != 0 && d->sender.uid != s->user))
		return "it may not ask";
	if (tl_keeper_request_check(&d->request, d->size, plan) != 0)
		return "it is not a request";
	if (d->fd_count != 1 || !has_option(d->fds[0], SO_DOMAIN, AF_UNIX) ||
	    !has_option(d->fds[0], SO_TYPE, SOCK_SEQPACKET))
		return "it has no socket for the answer";
	if (s->client_count == CLIENTS_MAX)
		return "too many instances are kept";
	return NULL;
}

static void
serve_one(struct service *s)
{
	struct tl_kernel_plan plan;
	struct datagram d;
	const char *why;
	char text[160];
	pid_t pid;

	if (receive(s->socket, &d) != 0)
		return;
	if ((why = refuse(s, &d, &plan)) != NULL) {
		snprintf(text, sizeof(text),
		    "a request of process %ld, user %lu, is refused: %s",
		    (long)d.sender.pid, (unsigned long)d.sender.uid, why);
		s->log(text);
		close_fds(&d);
		return;
	}
	pid = fork();
	if (pid == 0) {
		/* Run a keeper.  Each keeper locks the folder of instances by
		 * an open file of its own. */
		int instances = s->instances;

		close(s->socket);
		if (instances >= 0) {
			instances = openat(s->instances, ".",
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (instances < 0)
				instances = tl_fail(&s->fault, -errno,
				    "tracefs: %s", strerror(errno));
			close(s->instances);
		}
		/* the list of threads must not be empty, which would mean all
		 * threads */
		plan.client = (uint32_t)getpid();
		plan.quiet_client = true;
		tl_keeper_keep(d.fds[0], instances, &s->fault, &plan);
	}
	if (pid > 0)
		s->clients[s->client_count++] = pid;
	else
		s->log("cannot fork a keeper");
	close_fds(&d);
}

/* == the service == */

static void
reap(struct service *s, int flags)
{
	for (size_t i = 0; i < s->client_count;)
		if (waitpid(s->clients[i], NULL, flags) == s->clients[i])
			s->clients[i] = s->clients[--s->client_count];
		else
			i++;
}

static int
fail_to_listen(const char *path, int rc, struct tl_fault *fault)
{
	return tl_fail(fault, rc, "cannot listen on %s: %s", path,
	    strerror(-rc));
}

/* Does another service listen on the socket? */
static bool
is_alive(const struct sockaddr_un *at)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool alive = fd >= 0 && connect(fd, (const struct sockaddr *)at,
					  sizeof(*at)) == 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

static int
listen_at(const char *path, gid_t group, struct tl_fault *fault)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, rc = 0;

	if (strlen(path) >= sizeof(at.sun_path))
		return fail_to_listen(path, -ENAMETOOLONG, fault);
	strcpy(at.sun_path, path);
	if (is_alive(&at))
		return fail_to_listen(path, -EADDRINUSE, fault);
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* the file has its final or a stricter mode from the start */
	if (fd < 0 || fchmod(fd, 0600) != 0 ||
	    bind(fd, (const struct sockaddr *)&at, sizeof(at)) != 0)
		rc = -errno;
	else if (chown(path, (uid_t)-1, group) != 0 ||
		 chmod(path, SOCKET_MODE) != 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return fail_to_listen(path, rc, fault);
}

/* Take the socket that the supervisor opened. */
static int
take_passed(struct tl_fault *fault)
{
	if (!has_option(PASSED_FD, SO_DOMAIN, AF_UNIX) ||
	    !has_option(PASSED_FD, SO_TYPE, SOCK_DGRAM))
		return tl_fail(fault, -ENOTSOCK,
		    "the supervisor has passed no UNIX socket of datagrams");
	(void)fcntl(PASSED_FD, F_SETFD, FD_CLOEXEC);
	return PASSED_FD;
}

int
tl_keeper_serve(const char *path, uid_t user, gid_t group,
    void (*log)(const char *text), struct tl_fault *fault)
{
	static const int on = 1;
	struct service s = { .user = user, .log = log };
	struct pollfd p = { .events = POLLIN };

	s.socket = path ? listen_at(path, group, fault) : take_passed(fault);
	if (s.socket < 0)
		return s.socket;
	/* without SO_PASSCRED every request is refused */
	(void)setsockopt(s.socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	s.instances = tl_instances_open(&s.fault);
	tl_keeper_give_up_capabilities();
	tl_signals_ask_to_stop(true);
	if (s.instances >= 0)
		tl_instances_remove_stale(s.instances);
	else
		log(s.fault.text);
	log("ready");

	p.fd = s.socket;
	while (!tl_stop_is_asked()) {
		if (poll(&p, 1, LOOK_MS) > 0)
			serve_one(&s);
		reap(&s, WNOHANG);
	}
	for (size_t i = 0; i < s.client_count; i++)
		kill(s.clients[i], SIGTERM);
	while (s.client_count > 0)
		reap(&s, 0);

	if (path)
		unlink(path);
	if (s.instances >= 0)
		close(s.instances);
	close(s.socket);
	return 0;
}

/* == its client == */

int
tl_kernel_ask(struct tl_kernel *k, const char *service,
    const struct tl_kernel_plan *plan, struct tl_fault *fault)
{
	struct tl_keeper_request request = { .magic = TL_KEEPER_MAGIC,
		.faults = plan->faults,
		.size = plan->size };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int ends[2], fd;
	int rc = tl_kernel_begin(k, ends, fault);

	if (rc != 0)
		return rc;
	memcpy(request.name, plan->name, sizeof(request.name));
	if (strlen(service) >= sizeof(at.sun_path)) {
		rc = -ENAMETOOLONG;
	} else if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0) {
		rc = -errno;
	} else {
		strcpy(at.sun_path, service);
		rc =
		    tl_keeper_send(fd, &at, &request, sizeof(request), ends[1]);
		close(fd);
	}
	close(ends[1]);
	if (rc == 0)
		k->socket = ends[0];
	else
		close(ends[0]);
	if (rc == 0)
		return 0;
	switch (rc) {
	case -ENOENT:
	case -ECONNREFUSED:
		return tl_fail(fault, rc,
		    "no keeper listens on %.100s: start timeline-keeper.socket",
		    service);
	case -EACCES:
	case -EPERM:
		return tl_fail(fault, rc,
		    "%.100s: this user may not ask the keeper: run timelined "
		    "--keeper for it",
		    service);
	}
	return tl_fail(fault, rc, "%.100s: %s", service, strerror(-rc));
}
