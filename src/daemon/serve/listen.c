/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - the sockets that the daemon listens on: files and TCP ports.
 */
#include "daemon/serve/listen.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* == a path == */

enum { BACKLOG = 32, MODE = 0660, GROUPS_MAX = 65536 };

/*
 * Does a process listen at the file?  The filter of system calls allows no
 * connect, but a datagram gives the answer: a stream socket in use answers with
 * EPROTOTYPE, a leftover file with ECONNREFUSED.
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

/* Remove the file of a socket on which no process listens. */
static int
clear_path(const struct sockaddr_un *at, struct tl_fault *fault)
{
	struct stat st;

	if (lstat(at->sun_path, &st) != 0)
		return 0; /* bind reports the error */
	if (!S_ISSOCK(st.st_mode))
		return tl_fail(fault, -EEXIST, "%s exists and is not a socket",
		    at->sun_path);
	if (is_alive(at))
		return tl_fail(fault, -EADDRINUSE,
		    "another timelined runs: it listens on %s", at->sun_path);
	if (unlink(at->sun_path) != 0 && errno != ENOENT)
		return tl_fail(fault, -errno, "cannot replace %s: %s",
		    at->sun_path, strerror(errno));
	return 0;
}

/*
 * Bind and listen.  The file has the right mode from the start: it gets the
 * socket's mode without the bits of the umask, and chmod then sets these bits.
 */
static int
listen_at(struct tl_unix_socket *s, const struct sockaddr_un *at)
{
	int rc;

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	if (fchmod(s->fd, MODE) == 0 &&
	    bind(s->fd, (const struct sockaddr *)at, sizeof(*at)) == 0 &&
	    chmod(at->sun_path, MODE) == 0 && listen(s->fd, BACKLOG) == 0 &&
	    lstat(at->sun_path, &s->status) == 0)
		return 0;
	rc = -errno;
	close(s->fd);
	return rc;
}

int
tl_unix_socket_open(struct tl_unix_socket *socket, const char *path,
    struct tl_fault *fault)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int rc;

	if (strlen(path) >= sizeof(at.sun_path))
		return tl_fail(fault, -ENAMETOOLONG,
		    "%.100s...: the name of a socket has at most %zu bytes",
		    path, sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	strcpy(socket->path, path);
	if ((rc = clear_path(&at, fault)) != 0)
		return rc;
	if ((rc = listen_at(socket, &at)) != 0)
		return tl_fail(fault, rc, "cannot listen on %s: %s", path,
		    strerror(-rc));
	return 0;
}

void
tl_unix_socket_close(struct tl_unix_socket *socket)
{
	struct stat st;

	if (lstat(socket->path, &st) == 0 &&
	    st.st_ino == socket->status.st_ino &&
	    st.st_dev == socket->status.st_dev)
		unlink(socket->path);
	close(socket->fd);
	socket->fd = -1;
}

/* Does the peer have a group?  The kernel knows the peer's groups when it
 * connected: no file or name server is consulted. */
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
tl_unix_socket_allows(const struct tl_unix_socket *socket, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	if (peer.uid == 0 || peer.uid == geteuid())
		return true;
	/* Read each time, because an administrator may change the file's
	 * group. */
	if (lstat(socket->path, &st) != 0)
		return false;
	return peer.gid == st.st_gid || has_group(fd, st.st_gid);
}

/* == a TCP port == */

enum { PORT_LAST = 65535 };

/* Split HOST, [HOST], HOST:PORT or [HOST]:PORT; port is empty if there is none.
 * Returns false if the text has another form or is too long. */
static bool
split(const char *text, struct tl_tcp_address *address)
{
	const bool bracket = *text == '[';
	const char *host = text + bracket;
	const char *end = strchr(host, bracket ? ']' : ':');
	const char *port = end ? end + bracket : "";

	if (!end && bracket)
		return false;
	if (!end)
		end = host + strlen(host);
	if (*port != '\0' && *port++ != ':')
		return false;
	if ((size_t)(end - host) >= sizeof(address->host) ||
	    strlen(port) >= sizeof(address->port) ||
	    strspn(port, "0123456789") != strlen(port))
		return false;
	memcpy(address->host, host, (size_t)(end - host));
	address->host[end - host] = '\0';
	memcpy(address->port, port, strlen(port) + 1);
	return true;
}

int
tl_tcp_address_parse(struct tl_tcp_address *address, const char *text,
    struct tl_fault *fault)
{
	uint64_t port;

	if (!split(text, address) || !address->host[0] ||
	    tl_parse_unsigned(address->port, &port) != 0)
		return tl_fail(fault, -EINVAL,
		    "cannot listen on \"%.100s\": it is not ADDRESS:PORT, as "
		    "in 127.0.0.1:9464 or [::1]:9464",
		    text);
	if (port > PORT_LAST)
		return tl_fail(fault, -EINVAL,
		    "cannot listen on \"%.100s\": the port is above 65535",
		    text);
	return 0;
}

static int
listen_on(const struct addrinfo *info)
{
	const int one = 1;
	const int fd = socket(info->ai_family,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	int rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (info->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int
tl_tcp_listen(const struct tl_tcp_address *address, int *fd,
    struct tl_fault *fault)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	const bool six = strchr(address->host, ':') != NULL;
	struct addrinfo *info;
	int rc = getaddrinfo(address->host, address->port, &hints, &info);

	if (rc != 0)
		return tl_fail(fault, -EADDRNOTAVAIL,
		    "cannot listen on \"%.100s\": %s", address->host,
		    gai_strerror(rc));
	rc = listen_on(info);
	freeaddrinfo(info);
	if (rc < 0)
		return tl_fail(fault, rc, "cannot listen on %s%.100s%s:%s: %s",
		    six ? "[" : "", address->host, six ? "]" : "",
		    address->port, strerror(-rc));
	*fd = rc;
	return 0;
}

bool
tl_host_is_ours(const struct tl_tcp_address *address, const char *host)
{
	struct tl_tcp_address given;
	char machine[TL_TCP_HOST_MAX] = "";
	struct in6_addr in;

	if (!split(host, &given) || !given.host[0])
		return false;
	if (inet_pton(*host == '[' ? AF_INET6 : AF_INET, given.host, &in) == 1)
		return true;
	if (*host == '[')
		return false;
	gethostname(machine, sizeof(machine) - 1);
	return strcasecmp(given.host, "localhost") == 0 ||
	       strcasecmp(given.host, address->host) == 0 ||
	       strcasecmp(given.host, machine) == 0;
}

bool
tl_origin_is_host(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
	       strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}
