/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - the answers to requests; http.h lists the paths.  answer.c knows
 * requests, but no connections.
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
	/* Set by http.c: */
	struct tl_daemon *daemon;
	const struct tl_tcp_address *address;
	unsigned port;
	bool is_local; /* UNIX socket: needs no token */
	struct MHD_Connection *connection;
	/* Called when the answer of a suspended request is complete. */
	void (*resume)(struct tl_http_request *request);

	/* Set by tl_http_answer.  While answered is false, snapshot or reading
	 * is pending. */
	bool answered;
	unsigned status;
	const char *type;
	const char *allow; /* allowed methods, with status 405 */
	bool begins;       /* begins a session: set the cookie */
	struct tl_text body;
	struct tl_request snapshot;
	struct tl_reading *reading; /* NULL: no reading is pending */
};

/* The name of the cookie that holds the token.  Browsers do not separate
 * cookies by port, so the name contains the port. */
enum { TL_HTTP_COOKIE_MAX = 32 };
void tl_http_cookie_name(char name[TL_HTTP_COOKIE_MAX], unsigned port);

/* Answer a request, or begin to: then answered is false on return, and resume
 * is called later. */
void tl_http_answer(struct tl_http_request *request, const char *url,
    const char *method);
/* Make sure that resume is not called any more. */
void tl_http_cancel(struct tl_http_request *request);

#endif
