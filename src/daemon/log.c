/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the log of the daemon: lines on stderr.
 *
 * Whoever reads stderr may be slow or stopped, and the loop must not wait for
 * it.  O_NONBLOCK belongs to the open file, which the daemon shares with the
 * process that started it, so a pipe or a terminal is opened once more; a
 * socket is asked with each write.
 */
#include "base/text.h"
#include "daemon/daemon.h"

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
	WORDS_MAX = 1024,
	LINE_MAX_BYTES = PIPE_BUF /* one write: lines do not mix */
};

enum output {
	UNKNOWN,
	DIRECT, /* a file, which does not block */
	OPENED, /* a pipe or terminal of which we have a description */
	SHARED, /* ... of which we have none: poll first */
	SOCKET
};

int tl_daemon_log_least = TL_LOG_INFO;

static enum output output;
static int output_fd;
static bool is_journal;
static uint64_t dropped;
static uint64_t dropped_said;

/* Does JOURNAL_STREAM name the device and inode of stderr? */
static bool
find_journal(const struct stat *st)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       st->st_dev == dev && st->st_ino == ino;
}

void
tl_daemon_log_open(void)
{
	struct stat st = { 0 };

	output_fd = STDERR_FILENO;
	output = DIRECT;
	if (fstat(STDERR_FILENO, &st) != 0)
		return;
	is_journal = find_journal(&st);
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
	/* a pipe that is writable has room for one line */
	if (output == SHARED && poll(&room, 1, 0) != 1)
		return -1;
	return write(output_fd, line, size);
}

static void
put_line(struct tl_text *text, int priority, const char *words)
{
	const size_t before = text->size;

	if (is_journal)
		tl_put_format(text, "<%d>", priority);
	else
		tl_put_string(text, "timelined: ");
	tl_put_plain(text, tl_bytes_of(words));
	if (text->rc == 0 && text->size - before >= LINE_MAX_BYTES)
		text->size = before + LINE_MAX_BYTES - 1;
	tl_put_char(text, '\n');
}

static bool
write_text(const struct tl_text *text)
{
	return text->rc == 0 &&
	       write_line(text->data, text->size) == (ssize_t)text->size;
}

/* How many lines are missing, once there is room again. */
static bool
write_dropped(void)
{
	struct tl_text text = { 0 };
	char words[WORDS_MAX];
	bool written;

	if (dropped == dropped_said)
		return true;
	snprintf(words, sizeof(words),
	    "%llu lines of the log were dropped: standard error was full",
	    (unsigned long long)(dropped - dropped_said));
	put_line(&text, TL_LOG_WARNING, words);
	written = write_text(&text);
	if (written)
		dropped_said = dropped;
	tl_text_free(&text);
	return written;
}

void
tl_daemon_log(int priority, const char *format, ...)
{
	char words[WORDS_MAX];
	struct tl_text line = { 0 };
	va_list args;

	if (priority > tl_daemon_log_least)
		return;
	if (output == UNKNOWN)
		tl_daemon_log_open();
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	put_line(&line, priority, words);
	if (!write_dropped() || !write_text(&line))
		dropped++;
	tl_text_free(&line);
}

uint64_t
tl_daemon_log_dropped(void)
{
	return dropped;
}
