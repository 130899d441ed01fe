/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_socket.h - the file of the daemon's socket: who made it, whether
 * anybody is behind it, who may speak through it.
 */
#ifndef TL_DAEMON_CONTROL_SOCKET_H
#define TL_DAEMON_CONTROL_SOCKET_H

#include "base/fault.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/un.h>

struct tl_control_socket {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat status; /* of the file when we had made it */
};

/* Listen at path, mode 0660; takes the place of a file that a daemon left
 * behind which is dead.  -EADDRINUSE: one is alive. */
int tl_control_socket_open(struct tl_control_socket *socket, const char *path,
    struct tl_fault *fault);
/* Close, and remove the file if it is still ours. */
void tl_control_socket_close(struct tl_control_socket *socket);

/* May the process at the other end of fd?  Root, our own user, members of the
 * group of the file. */
bool tl_control_socket_may(const struct tl_control_socket *socket, int fd);

#endif
