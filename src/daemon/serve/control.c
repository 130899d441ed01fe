/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - a line from timelinectl, and its answer.
 *
 *	accepted -> line read -> [saving] -> answer written -> closed
 *
 * Each step except saving is limited to STEP_MAX_S; the loop never waits for a
 * client.
 */
#include "daemon/serve/control.h"
#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "daemon/log.h"
#include "daemon/metrics/metrics.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/http.h"
#include "daemon/serve/listen.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CLIENTS_MAX = 32,
	LINE_BYTES_MAX = 4096,
	STEP_MAX_S = 10,
	PAUSE_S = 1 /* pause when no descriptor is left */
};

struct client {
	struct tl_control *control;
	struct client **place; /* the client's slot in control */
	int fd;
	ev_io io;
	ev_timer timer;
	char line[LINE_BYTES_MAX + 1];
	size_t size;
	struct tl_text out;
	size_t sent;
	bool json;
	bool saving;
	struct tl_request snapshot;
};

struct tl_control {
	struct tl_daemon *daemon;
	struct tl_unix_socket socket;
	ev_io io;
	ev_timer pause;
	struct client *clients[CLIENTS_MAX];
	bool busy;   /* in a verb that may call tl_control_free */
	bool orphan; /* tl_control_free was called: free later */
};

static void
close_client(struct client *c)
{
	struct ev_loop *loop = c->control->daemon->loop;

	if (c->saving)
		tl_request_cancel(&c->snapshot);
	ev_io_stop(loop, &c->io);
	ev_timer_stop(loop, &c->timer);
	close(c->fd);
	tl_text_free(&c->out);
	*c->place = NULL;
	free(c);
}

/* Write as much as possible.  Close when everything is written or the client
 * left. */
static void
flush(struct client *c)
{
	struct ev_loop *loop = c->control->daemon->loop;

	while (c->sent < c->out.size) {
		const ssize_t n = send(c->fd, c->out.data + c->sent,
		    c->out.size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			ev_io_start(loop, &c->io);
			return;
		}
		if (n < 0)
			break;
		c->sent += (size_t)n;
	}
	close_client(c);
}

static void
on_writable(struct ev_loop *loop, ev_io *io, int events)
{
	(void)loop;
	(void)events;
	flush(io->data);
}

/* Send the answer in out. */
static void
answer(struct client *c)
{
	struct ev_loop *loop = c->control->daemon->loop;

	c->saving = false;
	if (c->out.rc != 0) {
		tl_text_free(&c->out);
		tl_put_string(&c->out, "error out of memory\n");
	}
	ev_io_stop(loop, &c->io);
	ev_set_cb(&c->io, on_writable);
	ev_io_set(&c->io, c->fd, EV_WRITE);
	ev_timer_again(loop, &c->timer);
	flush(c);
}

/* Replace the answer by the error `before` and `text`. */
static void
put_error(struct client *c, const char *before, const char *text)
{
	tl_text_clear(&c->out);
	tl_put_string(&c->out, "error ");
	tl_put_plain(&c->out, tl_bytes_of(before));
	tl_put_plain(&c->out, tl_bytes_of(text));
	tl_put_char(&c->out, '\n');
}

static void
saved(void *context, const struct tl_snapshot_result *result)
{
	struct client *c = context;

	if (result->rc != 0) {
		put_error(c,
		    "cannot save the snapshot: ", tl_file_error(result->rc));
	} else if (c->json) {
		tl_request_json(&c->out, result);
	} else {
		tl_put_plain(&c->out, tl_bytes_of(result->path));
		tl_put_char(&c->out, '\n');
	}
	answer(c);
}

static void
do_snapshot(struct client *c, const char *name)
{
	struct tl_fault fault = { 0 };
	int rc;

	c->snapshot = (struct tl_request){ .daemon = c->control->daemon,
		.done = saved,
		.context = c };
	c->saving = true;
	rc = tl_request_snapshot(&c->snapshot, name);
	if (rc == 0)
		return;
	c->saving = false;
	tl_request_fault(c->control->daemon, name, rc, &fault);
	put_error(c, "", fault.text);
}

static void
do_status(struct client *c, const char *rest)
{
	(void)rest;
	if (c->json)
		tl_metrics_json(&c->out, c->control->daemon);
	else
		tl_metrics_status(&c->out, c->control->daemon);
}

static void
do_reload(struct client *c, const char *rest)
{
	struct tl_daemon *daemon = c->control->daemon;
	struct tl_fault fault = { 0 };
	struct tl_text path = { 0 };
	const char *text;
	const int rc = tl_daemon_reload(daemon, &fault);

	(void)rest;
	if (rc == 0)
		return;
	tl_put_format(&path, "%s: ", daemon->config->path);
	text = fault.text[0] ? fault.text : strerror(-rc);
	put_error(c,
	    tl_bytes_begin_with(tl_bytes_of(text), daemon->config->path)
		? ""
		: tl_text_string(&path),
	    text);
	tl_text_free(&path);
}

static void
do_page(struct client *c, const char *rest)
{
	const struct tl_daemon *daemon = c->control->daemon;

	(void)rest;
	if (daemon->http) {
		tl_http_put_address(&c->out, daemon->http);
		tl_put_char(&c->out, '\n');
	} else if (daemon->page) {
		put_error(c,
		    "\"listen\" is false; the page is served on the UNIX "
		    "socket ",
		    daemon->config->page);
	} else {
		put_error(c, "",
		    "the page is not served: \"listen\" and "
		    "\"page\" are false");
	}
}

static const struct {
	const char *name;
	/* Append to the answer "ok", or replace it by an error. */
	void (*run)(struct client *c, const char *rest);
	bool argument; /* needs one; otherwise takes none */
	const char *wrong;
} verbs[] = {
	{ "status", do_status, false, "status: takes no argument but json" },
	{ "snapshot", do_snapshot, true,
	    "snapshot: the name of a timeline is missing" },
	{ "reload", do_reload, false, "reload: takes no argument" },
	{ "page", do_page, false, "page: takes no argument" },
};

/* Remove a last argument "json". */
static bool
cut_json(char *rest)
{
	const size_t size = strlen(rest);

	if (strcmp(rest, "json") == 0) {
		*rest = '\0';
		return true;
	}
	if (size < 5 || strcmp(rest + size - 5, " json") != 0)
		return false;
	rest[size - 5] = '\0';
	return true;
}

static void
run_verb(struct client *c)
{
	char *rest = strchr(c->line, ' ');

	if (rest)
		*rest++ = '\0';
	else
		rest = c->line + strlen(c->line);
	c->json = cut_json(rest);
	for (size_t i = 0; i < TL_COUNT(verbs); i++) {
		if (strcmp(c->line, verbs[i].name) != 0)
			continue;
		tl_put_string(&c->out, "ok\n");
		if ((*rest != '\0') == verbs[i].argument)
			verbs[i].run(c, rest);
		else
			put_error(c, "", verbs[i].wrong);
		return;
	}
	put_error(c, "unknown verb: ", c->line);
}

static void
release(struct tl_control *control)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i])
			close_client(control->clients[i]);
	free(control);
}

/* Handle a complete line.  The verb reload frees control if the path of the
 * socket has changed. */
static void
dispatch(struct client *c, size_t size)
{
	struct tl_control *control = c->control;

	ev_io_stop(control->daemon->loop, &c->io);
	ev_timer_stop(control->daemon->loop, &c->timer);
	c->line[size] = '\0';
	control->busy = true;
	if (!tl_unix_socket_allows(&control->socket, c->fd))
		put_error(c, "",
		    "permission denied: only root, the daemon's user and "
		    "members of the socket's group may use this socket");
	else if (strlen(c->line) != size)
		put_error(c, "", "the request contains a NUL byte");
	else
		run_verb(c);
	control->busy = false;
	if (!c->saving)
		answer(c);
	if (control->orphan)
		release(control);
}

static void
on_readable(struct ev_loop *loop, ev_io *io, int events)
{
	struct client *c = io->data;
	const ssize_t n = recv(c->fd, c->line + c->size,
	    LINE_BYTES_MAX - c->size, MSG_DONTWAIT);
	const char *end;

	(void)loop;
	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) { /* drop an incomplete line */
		close_client(c);
		return;
	}
	end = memchr(c->line + c->size, '\n', (size_t)n);
	c->size += (size_t)n;
	if (end) {
		dispatch(c, (size_t)(end - c->line));
	} else if (c->size == LINE_BYTES_MAX) {
		put_error(c, "", "the request is too long");
		answer(c);
	}
}

static void
on_late(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	close_client(timer->data);
}

static void
add_client(struct tl_control *control, struct client **place, int fd)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return;
	}
	c->control = control;
	c->place = place;
	c->fd = fd;
	ev_io_init(&c->io, on_readable, fd, EV_READ);
	ev_init(&c->timer, on_late);
	c->timer.repeat = STEP_MAX_S;
	c->io.data = c->timer.data = c;
	ev_io_start(control->daemon->loop, &c->io);
	ev_timer_again(control->daemon->loop, &c->timer);
	*place = c;
}

static void
on_client(struct ev_loop *loop, ev_io *io, int events)
{
	static const char full[] = "error too many clients\n";
	struct tl_control *control = io->data;
	const int fd =
	    accept4(io->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			  errno == ENOMEM)) {
		/* The socket stays readable: without a pause the loop would
		 * spin. */
		ev_io_stop(loop, io);
		ev_timer_again(loop, &control->pause);
	}
	if (fd < 0)
		return;
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		if (control->clients[i])
			continue;
		add_client(control, &control->clients[i], fd);
		return;
	}
	if (send(fd, full, sizeof(full) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		tl_daemon_log(TL_LOG_INFO, "a client of the socket left");
	close(fd);
}

static void
on_pause_over(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_control *control = timer->data;

	(void)events;
	ev_timer_stop(loop, timer);
	ev_io_start(loop, &control->io);
}

int
tl_control_new(struct tl_control **control, struct tl_daemon *daemon,
    const char *path, struct tl_fault *fault)
{
	struct tl_control *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return tl_fail(fault, -ENOMEM, "out of memory");
	c->daemon = daemon;
	rc = tl_unix_socket_open(&c->socket, path, fault);
	if (rc != 0) {
		free(c);
		return rc;
	}
	ev_io_init(&c->io, on_client, c->socket.fd, EV_READ);
	ev_init(&c->pause, on_pause_over);
	c->pause.repeat = PAUSE_S;
	c->io.data = c->pause.data = c;
	ev_io_start(daemon->loop, &c->io);
	*control = c;
	return 0;
}

void
tl_control_free(struct tl_control *control)
{
	if (!control)
		return;
	assert(!control->orphan);
	ev_io_stop(control->daemon->loop, &control->io);
	ev_timer_stop(control->daemon->loop, &control->pause);
	tl_unix_socket_close(&control->socket);
	if (control->busy)
		control->orphan = true; /* dispatch frees control */
	else
		release(control);
}
