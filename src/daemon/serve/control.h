/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the socket of timelinectl.
 *
 * A stream socket.  The client sends one line, "VERB[ ARGUMENT]...\n"; the
 * daemon answers "ok\n" and text, or "error TEXT\n", and closes.  Verbs:
 *
 *	status [json]	     print the state of the daemon
 *	snapshot NAME [json] save a snapshot, then answer with its path
 *	reload		     load the configuration again
 *	page		     the address of the page, with the token
 *
 * Root, the daemon's own user, and members of the group of the socket's file
 * may use the socket.  The kernel gives the credentials of the client
 * (SO_PEERCRED).
 */
#ifndef TL_DAEMON_SERVE_CONTROL_H
#define TL_DAEMON_SERVE_CONTROL_H

#include "base/options.h"
#include "daemon/daemon.h"

int tl_control_new(struct tl_control **control, struct tl_daemon *daemon,
    const char *path, struct tl_fault *fault);
void tl_control_free(struct tl_control *control);

#endif
