/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the socket through which timelinectl speaks to the daemon.
 *
 * A stream socket.  The client sends one line, "VERB[ ARGUMENT]...\n"; the
 * daemon answers "ok\n" and text, or "error WORDS\n", and closes.  Verbs:
 *
 *	status [json]	     what it does
 *	snapshot NAME [json] save one and say where (answers when it is done)
 *	reload		     load the configuration again
 *	page		     the address of the page, with the token
 *
 * Who may: root, the daemon's own user, and members of the group of the
 * socket's file (the credentials are the kernel's, SO_PEERCRED).
 */
#ifndef TL_DAEMON_SERVE_CONTROL_H
#define TL_DAEMON_SERVE_CONTROL_H

#include "base/control.h"
#include "daemon/daemon.h"

int tl_control_new(struct tl_control **control, struct tl_daemon *daemon,
    const char *path, struct tl_fault *fault);
void tl_control_free(struct tl_control *control);

#endif
