/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - connections of libmicrohttpd in the daemon's own loop, without
 * threads: the loop watches the library's epoll descriptor and runs the timer
 * that the library asks for.
 *
 * A client that is slow to send its request or to read the answer is
 * disconnected after a while.  When CONNECTIONS_MAX are open and a further
 * client comes, the oldest client whose request is not complete is
 * disconnected.  So slow clients delay each other, but not a client that sends
 * and reads at once.
 */
#include "daemon/serve/http.h"
#include "base/array.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/listen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CONNECTIONS_MAX = 256,
	/* includes clients disconnected and not yet closed */
	LIBRARY_MAX = CONNECTIONS_MAX + 64,
	CONNECTION_BYTES = 64 << 10, /* limit of a request with its headers */
	UPLOAD_MAX = 64 << 10,
	/* until a request has come, and between two requests */
	HEADERS_MAX_S = 5,
	SILENCE_MAX_S = 10,
	REQUEST_MAX_S = 30, /* in all, even if the client is never silent */
	SWEEP_S = 1
};

/* A connection; freed when the connection is closed. */
struct client {
	LIST_ENTRY(client) link;
	int fd;
	double since; /* the loop's time at the start of the request */
	bool asked;   /* the headers of the request have come */
	bool waits;   /* for an answer */
	bool cut;     /* disconnected, not yet closed by the library */
};

/* A request with its connection. */
struct request {
	struct tl_http_request http; /* first: resume gets its address */
	struct tl_http *owner;
	struct client *client;
	size_t upload; /* bytes of the body, which is ignored */
	bool suspended;
	LIST_ENTRY(request) link; /* in the list of suspended requests */
};

struct tl_http {
	struct tl_daemon *daemon;
	struct tl_tcp_address address; /* of a port; otherwise empty */
	struct tl_unix_socket socket;  /* of a path */
	bool is_local;
	struct MHD_Daemon *mhd;
	ev_io io;
	ev_timer timer;
	ev_timer sweep;
	unsigned port;
	LIST_HEAD(, client) clients;
	size_t client_count; /* clients that are not cut */
	LIST_HEAD(, request) waiting;
};

/* Headers of every answer.  The page contains its own script and style, may
 * connect only to us, and may not be embedded in another page. */
static const struct {
	const char *name, *value;
} headers[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Content-Security-Policy",
	    "default-src 'none'; script-src 'unsafe-inline'; "
	    "style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
	    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
};

/* Add the cookie.  HttpOnly: no script can read the cookie; SameSite: no other
 * site can make the browser send the cookie. */
static void
add_cookie(struct MHD_Response *response, const struct tl_http_request *r)
{
	char name[TL_HTTP_COOKIE_MAX];
	char cookie[TL_HTTP_COOKIE_MAX + TL_TOKEN_SIZE + 64];

	tl_http_cookie_name(name, r->port);
	snprintf(cookie, sizeof(cookie),
	    "%s=%s; Path=/; HttpOnly; SameSite=Strict", name, r->daemon->token);
	MHD_add_response_header(response, "Set-Cookie", cookie);
}

static void
leave_waiting(struct request *r)
{
	LIST_REMOVE(r, link);
	r->suspended = false;
	if (r->client) {
		r->client->waits = false;
		r->client->since = ev_now(r->owner->daemon->loop);
	}
}

static void
resume(struct tl_http_request *request)
{
	struct request *r = (struct request *)request;
	struct tl_http *h = r->owner;

	if (!r->suspended)
		return;
	leave_waiting(r);
	MHD_resume_connection(r->http.connection);
	/* Resuming does not make the library's epoll descriptor readable. */
	ev_timer_stop(h->daemon->loop, &h->timer);
	ev_timer_set(&h->timer, 0, 0);
	ev_timer_start(h->daemon->loop, &h->timer);
}

static struct request *
begin(struct tl_http *h, struct MHD_Connection *connection)
{
	struct request *r = calloc(1, sizeof(*r));
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection,
		MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (!r)
		return NULL;
	*r = (struct request){ .http = { .daemon = h->daemon,
				   .address = &h->address,
				   .port = h->port,
				   .is_local = h->is_local,
				   .connection = connection,
				   .resume = resume },
		.owner = h,
		.client = info ? info->socket_context : NULL };
	if (r->client) {
		r->client->asked = true;
		r->client->since = ev_now(h->daemon->loop);
	}
	return r;
}

/* Called when the headers have come, for each piece of the body, and after the
 * whole body. */
static enum MHD_Result
handle(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload,
    size_t *upload_size, void **request)
{
	struct request *r = *request;
	struct MHD_Response *response;
	enum MHD_Result done;

	(void)version;
	(void)upload;
	if (!r) {
		*request = begin(context, connection);
		return *request ? MHD_YES : MHD_NO;
	}
	if (*upload_size > 0) {
		r->upload += *upload_size;
		*upload_size = 0;
		return r->upload > UPLOAD_MAX ? MHD_NO : MHD_YES;
	}
	if (!r->http.answered)
		tl_http_answer(&r->http, url, method);
	if (r->http.answered) {
		/* Pass the body to the library and queue the answer. */
		if (r->http.body.rc != 0)
			return MHD_NO;
		response = MHD_create_response_from_buffer(r->http.body.size,
		    r->http.body.data, MHD_RESPMEM_MUST_FREE);
		if (!response)
			return MHD_NO;
		r->http.body = (struct tl_text){ 0 };
		MHD_add_response_header(response, "Content-Type", r->http.type);
		if (r->http.allow)
			MHD_add_response_header(response, "Allow",
			    r->http.allow);
		if (r->http.status == MHD_HTTP_UNAUTHORIZED)
			MHD_add_response_header(response, "WWW-Authenticate",
			    "Bearer");
		if (r->http.begins)
			add_cookie(response, &r->http);
		for (size_t i = 0; i < TL_COUNT(headers); i++)
			MHD_add_response_header(response, headers[i].name,
			    headers[i].value);
		done = MHD_queue_response(r->http.connection, r->http.status,
		    response);
		MHD_destroy_response(response);
		return done;
	}

	/* Suspend the request: nothing happens with it until resume. */
	r->suspended = true;
	LIST_INSERT_HEAD(&r->owner->waiting, r, link);
	if (r->client)
		r->client->waits = true;
	MHD_suspend_connection(r->http.connection);
	return MHD_YES;
}

static void
completed(void *context, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode why)
{
	struct request *r = *request;

	(void)connection;
	(void)context;
	(void)why;
	if (!r)
		return;
	assert(!r->suspended);
	if (r->client) {
		r->client->asked = false;
		r->client->since = ev_now(r->owner->daemon->loop);
	}
	tl_text_free(&r->http.body);
	free(r);
	*request = NULL;
}

/* Shut down the connection.  The library notices and closes the connection. */
static void
disconnect(struct tl_http *h, struct client *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->cut = true;
	h->client_count--;
}

/* The client to disconnect.  NULL: all clients wait for us. */
static struct client *
find_oldest(const struct tl_http *h)
{
	struct client *c, *oldest = NULL;

	for (c = LIST_FIRST(&h->clients); c; c = LIST_NEXT(c, link)) {
		if (c->cut || c->waits)
			continue;
		if (!oldest || (oldest->asked && !c->asked) ||
		    (oldest->asked == c->asked && c->since <= oldest->since))
			oldest = c;
	}
	return oldest;
}

static void
client_comes(struct tl_http *h, struct MHD_Connection *connection,
    void **socket_context)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection,
		MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = calloc(1, sizeof(*c));

	*socket_context = c;
	if (!c)
		return;
	c->fd = info ? info->connect_fd : -1;
	c->since = ev_now(h->daemon->loop);
	LIST_INSERT_HEAD(&h->clients, c, link);
	if (++h->client_count > CONNECTIONS_MAX) {
		struct client *oldest = find_oldest(h);

		if (oldest)
			disconnect(h, oldest);
	}
	if (!ev_is_active(&h->sweep))
		ev_timer_again(h->daemon->loop, &h->sweep);
}

static void
notice(void *context, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode what)
{
	struct tl_http *h = context;
	struct client *c = *socket_context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		client_comes(h, connection, socket_context);
	} else if (c) {
		h->client_count -= !c->cut;
		LIST_REMOVE(c, link);
		free(c);
	}
}

/* Disconnect clients that take too long, except clients that wait for us. */
static void
on_sweep(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_http *h = timer->data;
	struct client *c;

	(void)events;
	if (LIST_EMPTY(&h->clients))
		ev_timer_stop(loop, timer);
	for (c = LIST_FIRST(&h->clients); c; c = LIST_NEXT(c, link)) {
		const int max_s = c->asked ? REQUEST_MAX_S : HEADERS_MAX_S;

		if (!c->waits && !c->cut && ev_now(loop) - c->since > max_s)
			disconnect(h, c);
	}
}

/* Let the library work, and set the timer that it asks for: none while there is
 * no connection. */
static void
turn(struct tl_http *h)
{
	struct ev_loop *loop = h->daemon->loop;
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(h->mhd);
	ev_timer_stop(loop, &h->timer);
	if (MHD_get_timeout(h->mhd, &ms) != MHD_YES)
		return;
	ev_timer_set(&h->timer, (double)ms / 1e3, 0);
	ev_timer_start(loop, &h->timer);
}

static void
on_ready(struct ev_loop *loop, ev_io *io, int events)
{
	(void)loop;
	(void)events;
	turn(io->data);
}

static void
on_timeout(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	turn(timer->data);
}

static unsigned
port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} at = { .any = { 0 } };
	socklen_t size = sizeof(at);

	if (getsockname(fd, &at.any, &size) != 0)
		return 0;
	return ntohs(
	    at.any.sa_family == AF_INET6 ? at.six.sin6_port : at.four.sin_port);
}

int
tl_http_new(struct tl_http **http, struct tl_daemon *daemon,
    const char *address, struct tl_fault *fault)
{
	struct tl_http *h = calloc(1, sizeof(*h));
	const union MHD_DaemonInfo *info;
	int fd, rc;

	if (!h)
		return tl_fail(fault, -ENOMEM, "out of memory");
	h->daemon = daemon;
	h->is_local = address[0] == '/';
	if (h->is_local) {
		rc = tl_unix_socket_open(&h->socket, address, fault);
		if (rc != 0)
			goto free_http;
		/* The library closes its descriptor, so it gets a duplicate;
		 * tl_unix_socket_close removes the file. */
		fd = fcntl(h->socket.fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0) {
			rc = tl_fail(fault, -errno, "%s: %s", address,
			    strerror(errno));
			tl_unix_socket_close(&h->socket);
			goto free_http;
		}
	} else {
		if ((rc = tl_tcp_address_parse(&h->address, address, fault)) !=
			0 ||
		    (rc = tl_tcp_listen(&h->address, &fd, fault)) != 0)
			goto free_http;
		h->port = port_of(fd);
	}
	h->mhd = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0,
	    NULL, NULL, handle, h, MHD_OPTION_LISTEN_SOCKET, fd,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIBRARY_MAX,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_MAX_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
	    MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
	    completed, h, MHD_OPTION_NOTIFY_CONNECTION, notice, h,
	    MHD_OPTION_END);
	if (!h->mhd) {
		rc = tl_fail(fault, -EIO, "cannot start libmicrohttpd");
		goto close_fd;
	}
	info = MHD_get_daemon_info(h->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	assert(info);
	ev_io_init(&h->io, on_ready, info->epoll_fd, EV_READ);
	ev_init(&h->timer, on_timeout);
	ev_init(&h->sweep, on_sweep);
	h->sweep.repeat = SWEEP_S;
	h->io.data = h->timer.data = h->sweep.data = h;
	ev_io_start(daemon->loop, &h->io);
	*http = h;
	return 0;
close_fd:
	if (h->is_local)
		tl_unix_socket_close(&h->socket);
	close(fd);
free_http:
	free(h);
	return rc;
}

unsigned
tl_http_port(const struct tl_http *http)
{
	return http->port;
}

/* Put the address of the page.  On this machine, the wildcard addresses are
 * reached by loopback. */
void
tl_http_put_address(struct tl_text *text, const struct tl_http *http)
{
	const char *host = http->address.host;
	const char *open = strchr(host, ':') ? "[" : "";

	if (strcmp(host, "0.0.0.0") == 0)
		host = "127.0.0.1";
	else if (strcmp(host, "::") == 0)
		host = "::1";
	tl_put_format(text, "http://%s%s%s:%u/?token=%s", open, host,
	    *open ? "]" : "", http->port, http->daemon->token);
}

int
tl_http_make_token(char token[TL_TOKEN_SIZE])
{
	uint8_t bytes[(TL_TOKEN_SIZE - 1) / 2];
	ssize_t n;

	do
		n = getrandom(bytes, sizeof(bytes), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(bytes))
		return n < 0 ? -errno : -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

void
tl_http_free(struct tl_http *http)
{
	struct request *r;

	if (!http)
		return;
	while ((r = LIST_FIRST(&http->waiting))) {
		tl_http_cancel(&r->http);
		leave_waiting(r);
		MHD_resume_connection(r->http.connection);
	}
	ev_io_stop(http->daemon->loop, &http->io);
	ev_timer_stop(http->daemon->loop, &http->timer);
	ev_timer_stop(http->daemon->loop, &http->sweep);
	MHD_stop_daemon(http->mhd); /* closes all its descriptors */
	if (http->is_local)
		tl_unix_socket_close(&http->socket);
	assert(LIST_EMPTY(&http->clients));
	free(http);
}
