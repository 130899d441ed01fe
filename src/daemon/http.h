/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - metrics for Prometheus, the same as JSON, and the live page, for
 * whoever may connect to the address (by default this machine).
 *
 *	GET /		      the page
 *	GET /metrics	      Prometheus text
 *	GET /metrics.json     the same as JSON
 *	GET /timelines.json   names of the targets: ["a","b"]
 *	GET /recordings.json  what is recorded, or why not (metrics_record.c)
 *	GET /live.json	      newest entries of one, for the page:
 *			      ?timeline=NAME&after=MARK&max=N
 *	POST /snapshot	      save one: ?timeline=NAME, with a header
 *			      "X-Timeline: 1"; answers when it is done,
 *			      {"timeline":...,"path":...,"bytes":...}
 *
 * What fails is said as text, with the status that fits: 400, 403, 404, 405,
 * 409 (one waits already), 500, 503.
 */
#ifndef TL_DAEMON_HTTP_H
#define TL_DAEMON_HTTP_H

#include "daemon/daemon.h"

/* Listen on "address:port" ("[::1]:9464" for IPv6; port 0: any). */
int tl_http_new(struct tl_http **http, struct tl_daemon *daemon,
    const char *address, struct tl_fault *fault);
/* The port it listens on. */
unsigned tl_http_port(const struct tl_http *http);
void tl_http_free(struct tl_http *http);

#endif
