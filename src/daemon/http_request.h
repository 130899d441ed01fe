/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request.h - one request on its way through http.c (connections) and
 * http_answer.c (what is answered).
 */
#ifndef TL_DAEMON_HTTP_REQUEST_H
#define TL_DAEMON_HTTP_REQUEST_H

#include "base/text.h"
#include "daemon/asked.h"
#include "daemon/http.h"
#include "daemon/http_address.h"

#include <microhttpd.h>
#include <stdbool.h>

struct tl_http_request {
	struct tl_daemon *daemon;
	const struct tl_http_address *address;
	unsigned port;
	bool is_local; /* came by the UNIX socket: needs no token */
	struct MHD_Connection *connection;
	size_t upload; /* bytes of a body, which nobody wants */

	/* The answer, once there is one: until then asked is open. */
	bool answered;
	unsigned status;
	const char *type;
	const char *allow; /* of 405 */
	bool begins;       /* a session: the answer sets the cookie */
	struct tl_text body;
	struct tl_asked asked;

	struct tl_http *http;
	struct tl_http_client *client;
	bool suspended;
	struct tl_http_request *next; /* those that wait */
	struct tl_http_request **link;
};

/* The cookie that holds the token.  Cookies know no port, so its name does. */
enum { TL_HTTP_COOKIE_MAX = 32 };
void tl_http_cookie_name(char name[TL_HTTP_COOKIE_MAX], unsigned port);
/* Answer, or begin to: then tl_http_resume is called later. */
void tl_http_answer(struct tl_http_request *request, const char *url,
    const char *method);
void tl_http_resume(struct tl_http_request *request);

#endif
