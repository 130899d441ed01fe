/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - a connection to a NATS cluster, by URL and credentials
 */
#ifndef TL_SHIP_NATS_LINK_H
#define TL_SHIP_NATS_LINK_H

#include "ship/nats/url.h"

#include <nats/nats.h>

/*
 * Connect; operators of the server see the name.  The file of a password or
 * token is read each time.  0; -EINVAL: invalid options; -EACCES: rejected;
 * -ENOTCONN: no server answers; -EPROTO: other failures; -ENOMEM; -errno of
 * reading a file; the fault.
 */
int tl_nats_connect(natsConnection **connection,
    const struct tl_nats_options *options, const char *name,
    struct tl_fault *fault);
/* NULL does nothing. */
void tl_nats_disconnect(natsConnection *connection);

/* The -errno of a status of libnats, and the fault "WHAT: TEXT". */
int tl_nats_fault(struct tl_fault *fault, natsStatus status, const char *what);

#endif
