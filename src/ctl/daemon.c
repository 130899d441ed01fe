/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.c - speak to timelined over its socket.
 *
 *	"VERB[ WORD]...\n"  -->
 *		<--  "ok\n" and text, or "error WORDS\n", and the end
 *
 * What it says is escaped like anything else: the path may lead to anybody.
 */
#include "base/control.h"
#include "clock/clock.h"
#include "ctl/look.h"
#include "ctl/verbs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	REPLY_MAX = 16 << 20,
	WAIT_MS = 30000,        /* for an answer */
	WAIT_SAVED_MS = 600000, /* when it is given at the end of much work */
	CHUNK = 64 << 10
};

static const char *
socket_path(void)
{
	const char *path = getenv("TIMELINED_SOCKET");

	return path && path[0] ? path : TL_CONTROL_SOCKET;
}

static int
cannot_connect(struct tl_call *call, const char *path, int rc)
{
	if (rc == -ENOENT || rc == -ECONNREFUSED)
		return tl_call_fail(call, path, rc,
		    "no timelined runs here (%s)", strerror(-rc));
	if (rc == -EACCES || rc == -EPERM)
		return tl_call_fail(call, path, rc,
		    "you may not speak to timelined (%s)", strerror(-rc));
	return tl_call_fail(call, path, rc, "%s", strerror(-rc));
}

static int
connect_daemon(struct tl_call *call, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, rc;

	if (strlen(path) >= sizeof(address.sun_path))
		return tl_call_fail(call, path, -ENAMETOOLONG,
		    "too long for a socket");
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return tl_call_fail(call, path, -errno, "%s", strerror(errno));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
	    0) {
		rc = cannot_connect(call, path, -errno);
		close(fd);
		return rc;
	}
	return fd;
}

static int
send_all(int fd, struct tl_text *request)
{
	size_t done = 0;

	while (done < request->size) {
		const ssize_t n = send(fd, request->data + done,
		    request->size - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE ? 0 : -errno; /* read why */
		done += (size_t)n;
	}
	return request->rc;
}

/* Up to its end, within the time; a connection reset behind an answer is its
 * end, too. */
static int
receive_all(int fd, int wait_ms, struct tl_text *reply)
{
	const int64_t end_ns =
	    tl_clock_read(CLOCK_MONOTONIC) + (int64_t)wait_ms * 1000000;
	struct pollfd answer = { .fd = fd, .events = POLLIN };

	for (;;) {
		const int64_t left_ns = end_ns - tl_clock_read(CLOCK_MONOTONIC);
		char *to = tl_text_reserve(reply, CHUNK);
		ssize_t n;

		if (!to)
			return -ENOMEM;
		if (left_ns <= 0)
			return -ETIMEDOUT;
		if (poll(&answer, 1, (int)(left_ns / 1000000) + 1) <= 0)
			continue; /* time is looked at again */
		n = recv(fd, to, CHUNK, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno != ECONNRESET || reply->size == 0))
			return -errno;
		if (n <= 0)
			return 0;
		reply->size += (size_t)n;
		if (reply->size > REPLY_MAX)
			return -EMSGSIZE;
	}
}

/* Lines of text, escaped; JSON keeps its own backslashes. */
static void
put_answer(struct tl_text *text, struct tl_bytes answer, bool json)
{
	while (json && answer.size > 0) {
		const char *at = memchr(answer.data, '\\', answer.size);
		const size_t size =
		    at ? (size_t)(at - answer.data) : answer.size;

		tl_put_lines(text, tl_bytes(answer.data, size));
		if (at)
			tl_put_char(text, '\\');
		answer.data += size + (at != NULL);
		answer.size -= size + (at != NULL);
	}
	tl_put_lines(text, answer);
	if (text->size > 0 && text->data[text->size - 1] != '\n')
		tl_put_char(text, '\n');
}

static int
judge(struct tl_call *call, const char *path, struct tl_bytes reply)
{
	const char *end = memchr(reply.data, '\n', reply.size);
	size_t size = end ? (size_t)(end - reply.data) : reply.size;

	if (end && size == 2 && memcmp(reply.data, "ok", 2) == 0) {
		put_answer(&call->out, tl_bytes(end + 1, reply.size - size - 1),
		    tl_call_has(call, TL_CTL_JSON));
		return 0;
	}
	if (size > 6 && memcmp(reply.data, "error ", 6) == 0) {
		size -= 6;
		return tl_call_fail(call, "timelined", -EREMOTEIO, "%.*s",
		    size < TL_FAULT_TEXT_MAX ? (int)size : TL_FAULT_TEXT_MAX,
		    reply.data + 6);
	}
	if (reply.size == 0)
		return tl_call_fail(call, path, -EPROTO,
		    "timelined hung up without an answer");
	return tl_call_fail(call, path, -EPROTO, "not an answer of timelined");
}

static int
ask(struct tl_call *call, struct tl_text *request, int wait_ms)
{
	const char *path = socket_path();
	struct tl_text reply = { 0 };
	int fd = connect_daemon(call, path);
	int rc;

	if (fd < 0)
		return fd;
	rc = send_all(fd, request);
	if (rc == 0)
		rc = receive_all(fd, wait_ms, &reply);
	if (rc == 0)
		rc = judge(call, path,
		    tl_bytes(tl_text_string(&reply), reply.size));
	else
		tl_call_fail(call, path, rc, "%s",
		    rc == -ETIMEDOUT  ? "timelined does not answer"
		    : rc == -EMSGSIZE ? "the answer is too long"
				      : strerror(-rc));
	tl_text_free(&reply);
	close(fd);
	return rc;
}

/* The verb itself, its words, and how to answer. */
static int
tell(struct tl_call *call, int wait_ms)
{
	struct tl_text request = { 0 };
	int rc;

	tl_put_string(&request, call->verb->name);
	for (size_t i = 0; i < call->operand_count; i++) {
		tl_put_char(&request, ' ');
		tl_put_string(&request, call->operands[i]);
	}
	if (tl_call_has(call, TL_CTL_JSON))
		tl_put_string(&request, " json");
	tl_put_char(&request, '\n');
	rc = ask(call, &request, wait_ms);
	tl_text_free(&request);
	return rc;
}

int
tl_daemon_ask(struct tl_call *call)
{
	return tell(call, WAIT_MS);
}

int
tl_verb_status(struct tl_call *call)
{
	return tell(call, WAIT_MS);
}

int
tl_verb_reload(struct tl_call *call)
{
	return tell(call, WAIT_MS);
}

int
tl_verb_snapshot(struct tl_call *call)
{
	const char *name = call->operands[0];

	/* what ends a word or a line cannot be said in one */
	for (const char *c = name; *c; c++) {
		if ((unsigned char)*c <= ' ' || *c == '\x7f')
			return tl_call_usage(call,
			    "%s: timelined knows no such name", name);
	}
	if (name[0] == '\0')
		return tl_call_usage(call, "a timeline has a name");
	return tell(call, WAIT_SAVED_MS);
}
