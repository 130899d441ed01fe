/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - what a request for a path is answered with; http.h lists the
 * paths.  Knows requests, but no connections.
 */
#ifndef TL_DAEMON_SERVE_ANSWER_H
#define TL_DAEMON_SERVE_ANSWER_H

#include "base/text.h"
#include "daemon/serve/listen.h"
#include "daemon/serve/reading.h"
#include "daemon/serve/request.h"

#include <microhttpd.h>
#include <stdbool.h>

struct tl_http_request {
	/* set by http.c */
	struct tl_daemon *daemon;
	const struct tl_tcp_address *address;
	unsigned port;
	bool is_local; /* came by the UNIX socket: needs no token */
	struct MHD_Connection *connection;
	/* The answer of a suspended request is complete. */
	void (*resume)(struct tl_http_request *request);

	/* set by tl_http_answer; while answered is false, one of the last two is
	 * open */
	bool answered;
	unsigned status;
	const char *type;
	const char *allow; /* methods, of status 405 */
	bool begins;       /* a session: the answer sets the cookie */
	struct tl_text body;
	struct tl_request snapshot;
	struct tl_reading *reading; /* NULL: it is none */
};

/* The cookie that holds the token.  Cookies are not separated by port, so the
 * name of the cookie contains it. */
enum { TL_HTTP_COOKIE_MAX = 32 };
void tl_http_cookie_name(char name[TL_HTTP_COOKIE_MAX], unsigned port);

/* Answer a request, or start to: then answered is still false, and resume is
 * called later. */
void tl_http_answer(struct tl_http_request *request, const char *url,
    const char *method);
/* resume will not be called any more. */
void tl_http_cancel(struct tl_http_request *request);

#endif
