/* SPDX-License-Identifier: Apache-2.0 */
/* control_socket.c - make, replace and remove the socket's file; whom to let
 * speak. */
#include "daemon/control_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 32, MODE = 0660, GROUPS_MAX = 65536 };

static int
new_socket(int *fd)
{
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return *fd < 0 ? -errno : 0;
}

/*
 * Is there a socket behind the file?  The filter of system calls allows no
 * connect, and a datagram learns as much: one of another type answers with
 * EPROTOTYPE, a file that was left behind with ECONNREFUSED.
 */
static bool
is_alive(const struct sockaddr_un *at)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool alive;

	if (fd < 0)
		return true;
	alive = sendto(fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL,
		    (const struct sockaddr *)at, sizeof(*at)) == 0 ||
		(errno != ECONNREFUSED && errno != ENOENT);
	close(fd);
	return alive;
}

/* Only a socket that nobody is behind may go. */
static int
clear_path(const struct sockaddr_un *at, struct tl_fault *fault)
{
	struct stat st;

	if (lstat(at->sun_path, &st) != 0)
		return 0; /* bind will say what is wrong with it */
	if (!S_ISSOCK(st.st_mode))
		return tl_fault(fault, -EEXIST, TL_FAULT_NOWHERE,
		    "%s is there and is no socket", at->sun_path);
	if (is_alive(at))
		return tl_fault(fault, -EADDRINUSE, TL_FAULT_NOWHERE,
		    "another timelined runs: it listens on %s", at->sun_path);
	if (unlink(at->sun_path) != 0 && errno != ENOENT)
		return tl_fault(fault, -errno, TL_FAULT_NOWHERE,
		    "cannot replace %s: %s", at->sun_path, strerror(errno));
	return 0;
}

/*
 * The file has its mode from the first moment on: it takes that of the
 * socket, less what the umask forbids, which chmod then gives back.
 */
static int
listen_at(struct tl_control_socket *s, const struct sockaddr_un *at)
{
	if (fchmod(s->fd, MODE) != 0 ||
	    bind(s->fd, (const struct sockaddr *)at, sizeof(*at)) != 0 ||
	    chmod(at->sun_path, MODE) != 0 || listen(s->fd, BACKLOG) != 0 ||
	    lstat(at->sun_path, &s->status) != 0)
		return -errno;
	return 0;
}

int
tl_control_socket_open(struct tl_control_socket *socket, const char *path,
    struct tl_fault *fault)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int rc;

	if (strlen(path) >= sizeof(at.sun_path))
		return tl_fault(fault, -ENAMETOOLONG, TL_FAULT_NOWHERE,
		    "%.100s...: the name of a socket has at most %zu bytes",
		    path, sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	strcpy(socket->path, path);
	if ((rc = clear_path(&at, fault)) != 0)
		return rc;
	rc = new_socket(&socket->fd);
	if (rc == 0 && (rc = listen_at(socket, &at)) != 0)
		close(socket->fd);
	if (rc != 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE,
		    "cannot listen on %s: %s", path, strerror(-rc));
	return 0;
}

void
tl_control_socket_close(struct tl_control_socket *socket)
{
	struct stat st;

	if (lstat(socket->path, &st) == 0 &&
	    st.st_ino == socket->status.st_ino &&
	    st.st_dev == socket->status.st_dev)
		unlink(socket->path);
	close(socket->fd);
	socket->fd = -1;
}

/* The groups that the process had when it connected, as the kernel knows
 * them: no file or server is asked who is in what. */
static bool
has_group(int fd, gid_t group)
{
	socklen_t size = GROUPS_MAX * sizeof(gid_t);
	gid_t *groups = malloc(size);
	bool found = false;

	if (groups &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) == 0)
		for (size_t i = 0; i < size / sizeof(gid_t); i++)
			found |= groups[i] == group;
	free(groups);
	return found;
}

bool
tl_control_socket_may(const struct tl_control_socket *socket, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	if (peer.uid == 0 || peer.uid == geteuid())
		return true;
	/* Asked each time: an administrator may change the file's group. */
	if (lstat(socket->path, &st) != 0)
		return false;
	return peer.gid == st.st_gid || has_group(fd, st.st_gid);
}
