/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_address.h - the address the daemon listens on, and whom it lets speak
 * to it from there.
 */
#ifndef TL_DAEMON_HTTP_ADDRESS_H
#define TL_DAEMON_HTTP_ADDRESS_H

#include "base/fault.h"

#include <stdbool.h>

enum { TL_HTTP_HOST_MAX = 256, TL_HTTP_PORT_MAX = 6 };

struct tl_http_address {
	char host[TL_HTTP_HOST_MAX]; /* without brackets */
	char port[TL_HTTP_PORT_MAX];
};

/* "127.0.0.1:9464", "[::1]:0", "name:9464"; -EINVAL and why. */
int tl_http_address_parse(struct tl_http_address *address, const char *text,
    struct tl_fault *fault);
/* A socket that listens there, non-blocking; -errno and why. */
int tl_http_address_listen(const struct tl_http_address *address, int *fd,
    struct tl_fault *fault);

/*
 * May a request with this Host header be answered?  A page of a stranger can
 * let its own name point to this machine, and its script then reads what we
 * answer; the name it used stands in Host.  So: an address, localhost, the
 * name of this machine, the name in the configuration.
 */
bool
tl_http_host_is_ours(const struct tl_http_address *address, const char *host);
/* Does an Origin header name the page of that Host? */
bool tl_http_origin_is(const char *origin, const char *host);

#endif
