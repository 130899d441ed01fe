/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the answers to the paths of the HTTP server. */
#include "daemon/serve/answer.h"
#include "analysis/why.h"
#include "base/array.h"
#include "daemon/metrics/metrics.h"
#include "daemon/targets.h"
#include "format/html/live.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of one read of a live timeline. */
enum {
	POLLED_MAX = 20000, /* entries in the answer to a poll */
	ASKED_MAX = 200000, /* entries in the answer to a pause or zoom */
	/* Entries read for each entry of an answer: an equal number is read
	 * from each lane, and lanes are not equally busy. */
	READ_FACTOR = 4,
	EXPLAINED_MAX = 300000, /* entries of all lanes */
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
put_page(struct tl_text *text, const struct tl_daemon *daemon)
{
	(void)daemon;
	tl_html_live(text);
}

/* Order by how busy timelines are, the busiest first, then by name. */
static int
by_busy(const void *a, const void *b)
{
	const struct tl_target *x = *(const struct tl_target *const *)a;
	const struct tl_target *y = *(const struct tl_target *const *)b;

	if (x->busy >= 1 || y->busy >= 1)
		return x->busy > y->busy ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void
put_names(struct tl_text *text, const struct tl_daemon *daemon)
{
	const struct tl_target *list[TL_TARGETS_MAX];

	memcpy(list, daemon->targets, sizeof(list));
	qsort(list, daemon->target_count, sizeof(list[0]), by_busy);
	tl_put_char(text, '[');
	for (size_t i = 0; i < daemon->target_count; i++) {
		tl_put_string(text, i == 0 ? "\"" : ",\"");
		tl_put_json(text, tl_bytes_of(list[i]->name));
		tl_put_char(text, '"');
	}
	tl_put_string(text, "]\n");
}

/* The timeline that ?timeline= names.  NULL: the request was refused. */
static struct tl_target *
find_target(struct tl_http_request *r)
{
	const char *name = argument(r, "timeline");
	struct tl_fault fault = { 0 };
	struct tl_target *target;

	if (!name) {
		refuse(r, MHD_HTTP_BAD_REQUEST, "?timeline=NAME is missing");
		return NULL;
	}
	target = tl_daemon_find(r->daemon, name);
	if (!target) {
		tl_request_fault(r->daemon, name, -ENOENT, &fault);
		refuse(r, MHD_HTTP_NOT_FOUND, fault.text);
	}
	return target;
}

/* Get a number of the query; an absent number leaves *n unchanged.  Returns
 * false if the request was refused. */
static bool
get_number(struct tl_http_request *r, const char *name, uint64_t *n)
{
	const char *given = argument(r, name);
	char text[64];

	if (!given || tl_parse_unsigned(given, n) == 0)
		return true;
	snprintf(text, sizeof(text), "%s is not a number", name);
	refuse(r, MHD_HTTP_BAD_REQUEST, text);
	return false;
}

static bool
get_ns(struct tl_http_request *r, const char *name, int64_t *ns)
{
	uint64_t n = *ns < 0 ? 0 : (uint64_t)*ns;

	if (!argument(r, name))
		return true;
	if (!get_number(r, name, &n))
		return false;
	*ns = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	return true;
}

/* Answer with the body, or with the reason of a failure. */
static void
finish(struct tl_http_request *r, int rc, const struct tl_fault *fault)
{
	if (rc == 0)
		accept_as(r, json_type);
	else
		refuse(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
		    fault->text[0] ? fault->text : strerror(-rc));
}

static void
read_done(void *context, int rc, const struct tl_fault *fault,
    struct tl_text *body)
{
	struct tl_http_request *r = context;

	r->reading = NULL;
	r->body = *body;
	*body = (struct tl_text){ 0 };
	finish(r, rc, fault);
	r->resume(r);
}

/* Queue the reading of a timeline's entries and the making of the answer. */
static void
read_entries(struct tl_http_request *r, const struct tl_target *target,
    uint64_t entries, struct tl_reading_plan plan)
{
	int rc;

	plan.fd = target->tl->fd;
	plan.tail = entries / timeline_lane_count(&target->tl->geometry) + 1;
	plan.done = read_done;
	plan.context = r;
	rc = tl_reading_ask(&r->reading, &r->daemon->readings, r->daemon->loop,
	    &plan);
	if (rc < 0)
		refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE,
		    rc == -EAGAIN ? "too many answers are being made already"
				  : strerror(-rc));
}

/* Put the newest entries, or the entries of a range, in order of time. */
static int
put_events(struct tl_text *body, struct tl_cursor *cursor,
    const struct tl_reading_plan *plan)
{
	const struct tl_html_range range = { .after = plan->text,
		.max = plan->max,
		.from_ns = plan->from_ns,
		.to_ns = plan->to_ns };

	return tl_html_events(body, cursor, &range);
}

static void
live(struct tl_http_request *r)
{
	const struct tl_target *target = find_target(r);
	const char *after = argument(r, "after");
	struct tl_reading_plan plan = { .text = after ? after : "",
		.put = put_events,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX };
	uint64_t max = SHOWN, most;

	if (!target || !get_number(r, "max", &max) ||
	    !get_ns(r, "from", &plan.from_ns) || !get_ns(r, "to", &plan.to_ns))
		return;
	most = argument(r, "from") ? ASKED_MAX : POLLED_MAX;
	plan.max = max < most ? max : most;
	read_entries(r, target, READ_FACTOR * plan.max, plan);
}

static void
timers(struct tl_http_request *r)
{
	const struct tl_target *target = find_target(r);

	if (!target)
		return;
	tl_metrics_timers(&r->body, target);
	accept_as(r, json_type);
}

static void
summary(struct tl_http_request *r)
{
	struct tl_target *target = find_target(r);
	struct tl_html_question q = { .to_ns = INT64_MAX };
	struct tl_fault fault = { 0 };

	if (!target || !get_ns(r, "from", &q.from_ns) ||
	    !get_ns(r, "to", &q.to_ns))
		return;
	q.measure_from_ns = q.from_ns;
	q.measure_to_ns = q.to_ns;
	if (!get_ns(r, "measure_from", &q.measure_from_ns) ||
	    !get_ns(r, "measure_to", &q.measure_to_ns))
		return;
	finish(r, tl_watch_ask(target, &r->body, q, &fault), &fault);
}

/* Put the causes of the slow spans of a message, among the newest entries. */
static int
put_why(struct tl_text *body, struct tl_cursor *cursor,
    const struct tl_reading_plan *plan)
{
	const struct tl_why_plan why_plan = { .glob = plan->text };
	struct tl_why *why = NULL;
	int rc;

	if ((rc = tl_why_new(&why, &why_plan)) == 0 &&
	    (rc = tl_why_read(why, cursor)) == 0)
		rc = tl_why_put_json(why, body);
	tl_why_free(why);
	return rc;
}

static void
explain(struct tl_http_request *r)
{
	const struct tl_target *target = find_target(r);
	const char *glob = argument(r, "message");

	if (!target)
		return;
	if (!glob) {
		refuse(r, MHD_HTTP_BAD_REQUEST, "&message=GLOB is missing");
		return;
	}
	read_entries(r, target, EXPLAINED_MAX,
	    (struct tl_reading_plan){ .text = glob, .put = put_why });
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
 * Save a snapshot.  The page of another site can make a browser send a form
 * here, but not with a header of ours: the browser would need our consent for
 * that (CORS).
 */
static void
snapshot(struct tl_http_request *r)
{
	const char *mark = header(r, "X-Timeline");
	const struct tl_target *target;
	struct tl_fault fault = { 0 };
	int rc;

	if (!mark || strcmp(mark, "1") != 0) {
		refuse(r, MHD_HTTP_FORBIDDEN,
		    "the header \"X-Timeline: 1\" is missing");
		return;
	}
	target = find_target(r);
	if (!target)
		return;
	r->snapshot = (struct tl_request){ .daemon = r->daemon,
		.done = saved,
		.context = r };
	rc = tl_request_snapshot(&r->snapshot, target->name);
	if (rc != 0) {
		tl_request_fault(r->daemon, target->name, rc, &fault);
		refuse(r,
		    rc == -EBUSY ? MHD_HTTP_CONFLICT
				 : MHD_HTTP_SERVICE_UNAVAILABLE,
		    fault.text);
	}
}

static const struct route {
	const char *url;
	bool post;
	bool is_public; /* needs no token */
	/* The answer needs no more than the daemon and is of a type, or it is
	 * an answer to the arguments of the request. */
	void (*put)(struct tl_text *text, const struct tl_daemon *daemon);
	const char *type;
	void (*answer)(struct tl_http_request *r);
} routes[] = {
	{ "/", false, false, put_page, html_type, NULL },
	{ "/metrics", false, true, tl_metrics_text, metrics_type, NULL },
	{ "/metrics.json", false, false, tl_metrics_json, json_type, NULL },
	{ "/timelines.json", false, false, put_names, json_type, NULL },
	{ "/recordings.json", false, false, tl_metrics_record, json_type,
	    NULL },
	{ "/live.json", false, false, NULL, NULL, live },
	{ "/summary.json", false, false, NULL, NULL, summary },
	{ "/timers.json", false, false, NULL, NULL, timers },
	{ "/why.json", false, false, NULL, NULL, explain },
	{ "/snapshot", true, false, NULL, NULL, snapshot },
};

/* Is given the token?  The time of the comparison does not depend on the place
 * of the first difference. */
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

/* May this request have a private answer?  The token in the address counts for
 * the page only; further requests of the page have a cookie. */
static bool
is_authorized(struct tl_http_request *r, const struct route *route)
{
	static const char bearer[] = "Bearer ";
	const char *authorization = header(r, "Authorization");
	char cookie[TL_HTTP_COOKIE_MAX];

	if (r->is_local)
		return true;
	if (route->put == put_page && is_token(r, argument(r, "token"))) {
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

/* Does the request come from the page of another site?  A browser says so, and
 * the page must not learn from the answer or from how long it takes. */
static bool
is_foreign(struct tl_http_request *r, const char *host)
{
	const char *origin = header(r, "Origin");
	const char *site = header(r, "Sec-Fetch-Site");

	return (origin && (!host || !tl_origin_is_host(origin, host))) ||
	       (site && strcmp(site, "cross-site") == 0);
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
tl_http_cancel(struct tl_http_request *request)
{
	if (request->snapshot.daemon)
		tl_request_cancel(&request->snapshot);
	tl_reading_cancel(request->reading);
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
	if (is_foreign(request, host)) {
		refuse(request, MHD_HTTP_FORBIDDEN,
		    "the request comes from the page of another site: open "
		    "the address in a tab of its own");
		return;
	}
	for (size_t i = 0; i < TL_COUNT(routes); i++) {
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
		} else if (routes[i].put) {
			routes[i].put(&request->body, request->daemon);
			accept_as(request, routes[i].type);
		} else {
			routes[i].answer(request);
		}
		return;
	}
	refuse(request, MHD_HTTP_NOT_FOUND, "not found");
}
