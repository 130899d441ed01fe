/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the log of the daemon: lines on stderr.
 *
 * The reader of stderr may be slow or stopped, and the loop must not wait for
 * the reader.  O_NONBLOCK belongs to the open file description, which the
 * daemon shares with the process that started it; so a pipe or a terminal is
 * opened a second time, and a socket is written with MSG_DONTWAIT.
 */
#include "daemon/log.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TEXT_MAX = 1024,
	LINE_MAX_BYTES = PIPE_BUF /* one write, so that lines do not mix */
};

enum output {
	UNKNOWN,
	DIRECT, /* a file, whose writes do not block */
	OPENED, /* a pipe or terminal, opened a second time */
	SHARED, /* cannot be opened again: poll first */
	SOCKET
};

int tl_daemon_log_least = TL_LOG_INFO;

static enum output output;
static int output_fd;
static bool is_journal;
static uint64_t dropped;
static uint64_t dropped_reported;

void
tl_daemon_log_open(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat st = { 0 };
	unsigned long long dev, ino;

	output_fd = STDERR_FILENO;
	output = DIRECT;
	if (fstat(STDERR_FILENO, &st) != 0)
		return;

	/* Does JOURNAL_STREAM name the device and inode of stderr? */
	is_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
		     st.st_dev == dev && st.st_ino == ino;

	if (S_ISSOCK(st.st_mode)) {
		output = SOCKET;
	} else if (S_ISFIFO(st.st_mode) || isatty(STDERR_FILENO)) {
		const int fd = open("/proc/self/fd/2",
		    O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		output = fd >= 0 ? OPENED : SHARED;
		output_fd = fd >= 0 ? fd : STDERR_FILENO;
	}
}

static ssize_t
write_line(const char *line, size_t size)
{
	struct pollfd room = { .fd = output_fd, .events = POLLOUT };

	if (output == SOCKET)
		return send(output_fd, line, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	/* a writable pipe has room for one line */
	if (output == SHARED && poll(&room, 1, 0) != 1)
		return -1;
	return write(output_fd, line, size);
}

static void
put_line(struct tl_text *line, int priority, const char *text)
{
	const size_t before = line->size;

	if (is_journal)
		tl_put_format(line, "<%d>", priority);
	else
		tl_put_string(line, "timelined: ");
	tl_put_plain(line, tl_bytes_of(text));
	if (line->rc == 0 && line->size - before >= LINE_MAX_BYTES)
		line->size = before + LINE_MAX_BYTES - 1;
	tl_put_char(line, '\n');
}

static bool
write_text(const struct tl_text *text)
{
	return text->rc == 0 &&
	       write_line(text->data, text->size) == (ssize_t)text->size;
}

/* Report the number of dropped lines when there is room again. */
static bool
write_dropped(void)
{
	struct tl_text line = { 0 };
	char text[TEXT_MAX];
	bool written;

	if (dropped == dropped_reported)
		return true;
	snprintf(text, sizeof(text),
	    "%lu lines of the log were dropped: standard error was full",
	    dropped - dropped_reported);
	put_line(&line, TL_LOG_WARNING, text);
	written = write_text(&line);
	if (written)
		dropped_reported = dropped;
	tl_text_free(&line);
	return written;
}

void
tl_daemon_log(int priority, const char *format, ...)
{
	char text[TEXT_MAX];
	struct tl_text line = { 0 };
	va_list args;

	if (priority > tl_daemon_log_least)
		return;
	if (output == UNKNOWN)
		tl_daemon_log_open();
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_line(&line, priority, text);
	if (!write_dropped() || !write_text(&line))
		dropped++;
	tl_text_free(&line);
}

uint64_t
tl_daemon_log_dropped(void)
{
	return dropped;
}

void
tl_daemon_log_limited(struct tl_log_limit *limit, double now_s,
    const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	if (limit->any && now_s >= limit->logged_s &&
	    now_s - limit->logged_s < TL_LOG_LIMIT_S) {
		limit->suppressed++;
		return;
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (limit->suppressed > 0)
		tl_daemon_log(TL_LOG_WARNING, "%s (and %lu times before)", text,
		    limit->suppressed);
	else
		tl_daemon_log(TL_LOG_WARNING, "%s", text);
	*limit = (struct tl_log_limit){ .logged_s = now_s, .any = true };
}
