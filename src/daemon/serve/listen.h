/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.h - sockets that the daemon listens on, UNIX sockets and TCP ports;
 * and the clients that may use them.
 */
#ifndef TL_DAEMON_SERVE_LISTEN_H
#define TL_DAEMON_SERVE_LISTEN_H

#include "base/fault.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/un.h>

struct tl_unix_socket {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat status; /* of the file right after bind */
};

/* Listen at path, mode 0660.  The file of a dead daemon is replaced.  Returns
 * 0, or -errno with a fault: -EADDRINUSE, another daemon listens at path. */
int tl_unix_socket_open(struct tl_unix_socket *socket, const char *path,
    struct tl_fault *fault);
/* Close the socket, and remove its file if the file is still ours. */
void tl_unix_socket_close(struct tl_unix_socket *socket);

/* May the peer of fd use the socket?  Root, our own user and members of the
 * group of the file may. */
bool tl_unix_socket_allows(const struct tl_unix_socket *socket, int fd);

enum { TL_TCP_HOST_MAX = 256, TL_TCP_PORT_MAX = 6 };

struct tl_tcp_address {
	char host[TL_TCP_HOST_MAX]; /* without brackets */
	char port[TL_TCP_PORT_MAX];
};

/* Parse "127.0.0.1:9464", "[::1]:0" or "name:9464".  Returns 0, or -EINVAL with
 * a fault. */
int tl_tcp_address_parse(struct tl_tcp_address *address, const char *text,
    struct tl_fault *fault);
/* Set *fd to a non-blocking socket that listens at address.  Returns 0, or
 * -errno with a fault. */
int tl_tcp_listen(const struct tl_tcp_address *address, int *fd,
    struct tl_fault *fault);

/*
 * May a request with this Host header be answered?  An attacker can let the
 * name of his site resolve to this machine (DNS rebinding); the scripts of his
 * page could then read our answers.  The Host header has the name that was
 * used.  Therefore only these names are accepted: an IP address, localhost, the
 * name of this machine, and the name in the configuration.
 */
bool tl_host_is_ours(const struct tl_tcp_address *address, const char *host);
/* Does an Origin header name the page of that Host? */
bool tl_origin_is_host(const char *origin, const char *host);

#endif
