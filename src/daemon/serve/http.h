/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - metrics for Prometheus and as JSON, and the live page.
 *
 *	GET /metrics	      Prometheus text
 *	GET /		      the page; ?token=TOKEN begins a session
 *	GET /metrics.json     the same as JSON
 *	GET /timelines.json   names of the targets, the busiest first: ["a","b"]
 *	GET /recordings.json  the recordings, or why there is none
 *	GET /live.json	      newest entries of one, for the page:
 *			      ?timeline=NAME&after=MARK&max=N, or of a range:
 *			      &from=NS&to=NS
 *	GET /summary.json     counts of all entries, for the page:
 *			      ?timeline=NAME&from=NS&to=NS, and
 *			      &measure_from=NS&measure_to=NS for its statistics
 *	GET /timers.json      how long all spans of its timers took:
 *			      ?timeline=NAME; see metrics.h
 *	GET /why.json	      what distinguishes the slow spans of a message:
 *			      ?timeline=NAME&message=GLOB; the lines of
 *			      timeline-dump --why --json
 *	POST /snapshot	      save one: ?timeline=NAME, with a header
 *			      "X-Timeline: 1"; answers when it is done,
 *			      {"timeline":...,"path":...,"bytes":...}
 *
 * A TCP port is open to every local user.  So /metrics, which contains numbers
 * and names but no text of a message, is for everyone.  All other paths need
 * the daemon's token: in a header "Authorization: Bearer TOKEN", in the cookie
 * that the page gets, or once in the address of the page.  The token is made at
 * start and given out by the control socket.  A UNIX socket needs no token: the
 * rights of its file decide.
 *
 * Errors are answered as text, with status 400, 401 (no token), 403 (another
 * site's request), 404, 405, 409 (a snapshot waits already), 500 or 503.
 */
#ifndef TL_DAEMON_SERVE_HTTP_H
#define TL_DAEMON_SERVE_HTTP_H

#include "base/text.h"
#include "daemon/daemon.h"

/* Listen on "address:port" ("[::1]:9464" for IPv6; port 0: any), or on a UNIX
 * socket if address is a path.  Returns 0, or -errno with a fault. */
int tl_http_new(struct tl_http **http, struct tl_daemon *daemon,
    const char *address, struct tl_fault *fault);
/* The port of http; 0 for a UNIX socket. */
unsigned tl_http_port(const struct tl_http *http);
/* Append the address of the page with the token, for a browser on this
 * machine. */
void tl_http_put_address(struct tl_text *text, const struct tl_http *http);
/* Make a token of random bits: hex digits and a NUL.  Returns 0 or -errno. */
int tl_http_make_token(char token[TL_TOKEN_SIZE]);
void tl_http_free(struct tl_http *http);

#endif
