/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the paths of the HTTP server and their answers. */
#include "daemon/serve/answer.h"
#include "daemon/metrics/metrics.h"
#include "daemon/targets.h"
#include "format/html/live.h"
#include "ring/ring.h"
#include "snap/snap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bounds of one read of a live timeline, for the sake of the loop. */
enum {
	LIVE_LANE_MAX = 5000, /* entries of a lane */
	LIVE_MAX = 40000,     /* ... and of all */
	SHOWN_MAX = 20000,
	SHOWN = 5000
};

void
tl_http_cookie_name(char name[TL_HTTP_COOKIE_MAX], unsigned port)
{
	snprintf(name, TL_HTTP_COOKIE_MAX, "timelined_%u", port);
}

static const char text_type[] = "text/plain; charset=utf-8";
static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char json_type[] = "application/json";
static const char html_type[] = "text/html; charset=utf-8";

static void
refuse(struct tl_http_request *r, unsigned status, const char *text)
{
	r->answered = true;
	r->status = status;
	r->type = text_type;
	tl_text_clear(&r->body);
	tl_put_plain(&r->body, tl_bytes_of(text));
	tl_put_char(&r->body, '\n');
}

static void
accept_as(struct tl_http_request *r, const char *type)
{
	r->answered = true;
	r->status = MHD_HTTP_OK;
	r->type = type;
}

static const char *
header(const struct tl_http_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
	    name);
}

static const char *
argument(const struct tl_http_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND,
	    name);
}

static void
page(struct tl_http_request *r)
{
	tl_html_live(&r->body);
	accept_as(r, html_type);
}

static void
metrics(struct tl_http_request *r)
{
	tl_metrics_text(&r->body, r->daemon);
	accept_as(r, metrics_type);
}

static void
metrics_json(struct tl_http_request *r)
{
	tl_metrics_json(&r->body, r->daemon);
	accept_as(r, json_type);
}

static void
timelines(struct tl_http_request *r)
{
	tl_put_char(&r->body, '[');
	for (size_t i = 0; i < r->daemon->target_count; i++) {
		tl_put_string(&r->body, i == 0 ? "\"" : ",\"");
		tl_put_json(&r->body, tl_bytes_of(r->daemon->targets[i]->name));
		tl_put_char(&r->body, '"');
	}
	tl_put_string(&r->body, "]\n");
	accept_as(r, json_type);
}

static void
recordings(struct tl_http_request *r)
{
	tl_metrics_record(&r->body, r->daemon);
	accept_as(r, json_type);
}

/* The timeline that ?timeline= names; NULL: it was refused. */
static const struct tl_target *
find_target(struct tl_http_request *r)
{
	const char *name = argument(r, "timeline");
	const struct tl_target *target;

	if (!name) {
		refuse(r, MHD_HTTP_BAD_REQUEST, "?timeline=NAME is missing");
		return NULL;
	}
	target = tl_daemon_find(r->daemon, name);
	if (!target)
		refuse(r, MHD_HTTP_NOT_FOUND, tl_request_error(-ENOENT));
	return target;
}

/* The newest entries of a timeline, in order of time. */
static int
put_events(struct tl_http_request *r, const struct tl_target *target,
    size_t max, struct tl_fault *fault)
{
	const char *after = argument(r, "after");
	uint64_t tail =
	    LIVE_MAX / timeline_lane_count(&target->tl->geometry) + 1;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	int rc;

	if (tail > LIVE_LANE_MAX)
		tail = LIVE_LANE_MAX;
	rc = tl_snap_open_fd(&snap, target->tl->fd, tail, fault);
	if (rc != 0)
		return rc;
	rc = tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor);
	if (rc == 0) {
		rc = tl_html_events(&r->body, cursor, after ? after : "", max);
		tl_cursor_close(cursor);
	}
	tl_snap_close(snap);
	return rc;
}

static void
live(struct tl_http_request *r)
{
	const struct tl_target *target = find_target(r);
	const char *given = argument(r, "max");
	struct tl_fault fault = { 0 };
	uint64_t max = SHOWN;
	int rc;

	if (!target)
		return;
	if (given && tl_parse_unsigned(given, &max) != 0) {
		refuse(r, MHD_HTTP_BAD_REQUEST, "max is not a number");
		return;
	}
	if (max > SHOWN_MAX)
		max = SHOWN_MAX;
	rc = put_events(r, target, (size_t)max, &fault);
	if (rc == 0)
		accept_as(r, json_type);
	else
		refuse(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
		    fault.text[0] ? fault.text : strerror(-rc));
}

static void
saved(void *context, const struct tl_snapshot_result *result)
{
	struct tl_http_request *r = context;

	if (result->rc == 0) {
		tl_request_json(&r->body, result);
		accept_as(r, json_type);
	} else {
		refuse(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
		    strerror(-result->rc));
	}
	r->resume(r);
}

/*
 * The page of another site can make a browser send a form here, but not with a
 * header of ours: for that the browser would need our consent (CORS).
 */
static void
snapshot(struct tl_http_request *r)
{
	const char *mark = header(r, "X-Timeline");
	const char *origin = header(r, "Origin");
	const char *host = header(r, "Host");
	const struct tl_target *target;
	int rc;

	if (!mark || strcmp(mark, "1") != 0) {
		refuse(r, MHD_HTTP_FORBIDDEN,
		    "the header \"X-Timeline: 1\" is missing");
		return;
	}
	if (origin && (!host || !tl_origin_is_host(origin, host))) {
		refuse(r, MHD_HTTP_FORBIDDEN,
		    "the request comes from the page of another site");
		return;
	}
	target = find_target(r);
	if (!target)
		return;
	r->snapshot = (struct tl_request){ .daemon = r->daemon,
		.done = saved,
		.context = r };
	rc = tl_request_snapshot(&r->snapshot, target->name);
	if (rc != 0)
		refuse(r,
		    rc == -EBUSY ? MHD_HTTP_CONFLICT
				 : MHD_HTTP_SERVICE_UNAVAILABLE,
		    tl_request_error(rc));
}

static const struct route {
	const char *url;
	bool post;
	bool is_public; /* needs no token */
	void (*answer)(struct tl_http_request *r);
} routes[] = {
	{ "/", false, false, page },
	{ "/metrics", false, true, metrics },
	{ "/metrics.json", false, false, metrics_json },
	{ "/timelines.json", false, false, timelines },
	{ "/recordings.json", false, false, recordings },
	{ "/live.json", false, false, live },
	{ "/snapshot", true, false, snapshot },
};

/* Is this the token?  The time it takes does not depend on where the two
 * differ. */
static bool
is_token(const struct tl_http_request *r, const char *given)
{
	const size_t size = TL_TOKEN_SIZE - 1;
	unsigned differ = 0;

	if (!given || strlen(given) != size)
		return false;
	for (size_t i = 0; i < size; i++)
		differ |= (unsigned char)(given[i] ^ r->daemon->token[i]);
	return differ == 0;
}

/* May this request have what is not public?  The token in the address counts
 * for the page only, which gets a cookie for the rest. */
static bool
is_authorized(struct tl_http_request *r, const struct route *route)
{
	static const char bearer[] = "Bearer ";
	const char *authorization = header(r, "Authorization");
	char cookie[TL_HTTP_COOKIE_MAX];

	if (r->is_local)
		return true;
	if (route->answer == page && is_token(r, argument(r, "token"))) {
		r->begins = true;
		return true;
	}
	if (authorization &&
	    strncmp(authorization, bearer, sizeof(bearer) - 1) == 0)
		return is_token(r, authorization + sizeof(bearer) - 1);
	tl_http_cookie_name(cookie, r->port);
	return is_token(r, MHD_lookup_connection_value(r->connection,
			       MHD_COOKIE_KIND, cookie));
}

static bool
is_allowed(const struct route *route, const char *method)
{
	if (route->post)
		return strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

void
tl_http_answer(struct tl_http_request *request, const char *url,
    const char *method)
{
	const char *host = header(request, "Host");

	if (host && !tl_host_is_ours(request->address, host)) {
		refuse(request, MHD_HTTP_FORBIDDEN,
		    "unknown name in the Host header: use an IP address or "
		    "localhost");
		return;
	}
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		if (strcmp(url, routes[i].url) != 0)
			continue;
		if (!is_allowed(&routes[i], method)) {
			request->allow = routes[i].post ? "POST" : "GET, HEAD";
			refuse(request, MHD_HTTP_METHOD_NOT_ALLOWED,
			    "method not allowed");
		} else if (!routes[i].is_public &&
			   !is_authorized(request, &routes[i])) {
			refuse(request, MHD_HTTP_UNAUTHORIZED,
			    "token required: run \"timelinectl page\" on this "
			    "machine for the address with the token");
		} else {
			routes[i].answer(request);
		}
		return;
	}
	refuse(request, MHD_HTTP_NOT_FOUND, "not found");
}
