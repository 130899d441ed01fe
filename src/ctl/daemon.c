/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.c - the verbs that timelined answers over its socket
 *
 *	"VERB[ WORD]...\n"  -->
 *		<--  "ok\n" and text, or "error TEXT\n", and the end
 *
 * The answer is escaped like any other input: the path may lead to any server.
 *
 * The address of the page holds the token, and every user may read the
 * arguments of every process.  So the browser gets the name of a file that only
 * its user can read, which redirects to the address.
 */
#include "base/file.h"
#include "base/options.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ctl/ctl.h"
#include "ctl/view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	REPLY_MAX = 16 << 20,
	WAIT_MS = 30000,        /* for an answer */
	WAIT_SAVED_MS = 600000, /* for an answer after much work */
	CHUNK = 64 << 10
};

/* Read up to the end of the stream, for a limited time.  A reset after an
 * answer is an end as well: timelined may close before it has read the whole
 * request. */
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
			continue; /* check the time left */
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

/* Append lines of text, escaped; JSON keeps its own backslashes. */
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
take_reply(struct tl_call *call, const char *path, struct tl_bytes reply)
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
		    "timelined closed the connection without an answer");
	return tl_call_fail(call, path, -EPROTO, "not an answer of timelined");
}

static int
exchange(struct tl_call *call, struct tl_text *request, int wait_ms)
{
	const char *path = tl_call_has(call, TL_CTL_SOCKET)
			       ? call->given[TL_CTL_SOCKET]
			       : getenv("TIMELINED_SOCKET");
	struct tl_text reply = { 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, rc;

	if (!path || !path[0])
		path = TL_CONTROL_SOCKET;
	if (strlen(path) >= sizeof(address.sun_path))
		return tl_call_fail(call, path, -ENAMETOOLONG,
		    "too long for a socket");
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return tl_call_fail(call, path, -errno, "%s", strerror(errno));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
	    0) {
		rc = -errno;
		close(fd);
		return tl_call_fail(call, path, rc,
		    rc == -ENOENT || rc == -ECONNREFUSED
			? "no timelined runs here (%s)"
		    : rc == -EACCES || rc == -EPERM
			? "no access to timelined (%s)"
			: "%s",
		    strerror(-rc));
	}
	rc = request->rc;
	if (rc == 0)
		rc = tl_write_all(fd, request->data, request->size);
	if (rc == 0 || rc == -EPIPE) /* read the reason, if any */
		rc = receive_all(fd, wait_ms, &reply);
	if (rc == 0)
		rc = take_reply(call, path,
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

/* Send the verb, its operands and the format of the answer. */
static int
request_verb(struct tl_call *call, int wait_ms)
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
	rc = exchange(call, &request, wait_ms);
	tl_text_free(&request);
	return rc;
}

int
tl_verb_ask(struct tl_call *call)
{
	return request_verb(call, WAIT_MS);
}

int
tl_verb_snapshot(struct tl_call *call)
{
	const char *name = call->operands[0];

	/* the protocol separates words by space and newline */
	for (const char *c = name; *c; c++) {
		if ((unsigned char)*c <= ' ' || *c == '\x7f')
			return tl_call_usage(call,
			    "%s: names sent to timelined contain no space or "
			    "control character",
			    name);
	}
	if (name[0] == '\0')
		return tl_call_usage(call, "empty name of a timeline");
	return request_verb(call, WAIT_SAVED_MS);
}

/* == the page in a browser == */

/* Is it an address as timelined makes it?  The socket may belong to another
 * program, and the address is written into a page without escapes. */
static bool
is_plain_address(const char *address)
{
	static const char scheme[] = "http://";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.:[]/?=_-";

	return strncmp(address, scheme, sizeof(scheme) - 1) == 0 &&
	       address[strspn(address, letters)] == '\0';
}

/* Write a page that redirects to the address, to a file with a fixed name. */
static int
write_redirect(const char *path, const char *address)
{
	struct tl_text text = { 0 };
	struct tl_file_new file;
	int rc = tl_file_new_begin(&file, path);

	if (rc != 0)
		return rc;
	tl_put_format(&text,
	    "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n"
	    "<title>timelined</title>\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
	    "<a href=\"%s\">The page of timelined</a>\n",
	    address, address);
	rc = text.rc ? text.rc : tl_write_at(file.fd, text.data, text.size, 0);
	tl_text_free(&text);
	if (rc == 0)
		return tl_file_new_commit(&file);
	tl_file_new_abort(&file);
	return rc;
}

/* Run xdg-open in a session of its own, without output and without the signals
 * that we ignore. */
static int
start_browser(char *path)
{
	char program[] = "xdg-open";
	char *const argv[] = { program, path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t ignored;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return -rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc != 0)
		goto destroy_files;
	for (int fd = STDIN_FILENO; rc == 0 && fd <= STDERR_FILENO; fd++)
		rc = posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
		    O_RDWR, 0);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(&attributes, &ignored);
	if (rc == 0)
		rc = posix_spawnattr_setflags(&attributes,
		    POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
	if (rc == 0)
		rc = posix_spawnp(&pid, program, &files, &attributes, argv,
		    environ);
	posix_spawnattr_destroy(&attributes);
destroy_files:
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

static bool
is_set(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

/* Open the browser.  A failure is ignored, since the address is printed as
 * well. */
static void
open_browser(const char *address)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char path[TL_PATH_MAX];

	if (!isatty(STDOUT_FILENO) || !folder || folder[0] != '/' ||
	    (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) ||
	    !is_plain_address(address) ||
	    snprintf(path, sizeof(path), "%s/timelined-page.html", folder) >=
		(int)sizeof(path))
		return;
	if (write_redirect(path, address) == 0)
		start_browser(path);
}

int
tl_verb_page(struct tl_call *call)
{
	const size_t before = call->out.size;
	struct tl_text address = { 0 };
	const int rc = request_verb(call, WAIT_MS);

	if (rc != 0)
		return rc;
	tl_put_bytes(&address,
	    tl_bytes(call->out.data + before, call->out.size - before));
	if (address.size > 0 && address.data[address.size - 1] == '\n')
		address.size--;
	open_browser(tl_text_string(&address));
	tl_text_free(&address);
	return 0;
}
