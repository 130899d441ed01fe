/* SPDX-License-Identifier: Apache-2.0 */
/*
 * on_screen.c - run a program on a terminal of its own, press keys, and print
 * the content of the screen.
 *
 *	on_screen word ... -- COMMAND [argument ...]
 *
 * on_screen does the words in order:
 *
 *	keys=TEXT	press these keys
 *	until=TEXT	wait until the screen shows TEXT
 *	gone=TEXT	wait until the screen does not show TEXT
 *	size=RxC	resize the terminal
 *	screen		print the screen, without blanks at the ends
 *	raw		print all bytes written since the last word
 *	signal=N	send a signal
 *	end		wait until the program ends
 *
 * After each word on_screen waits until the program waits for keys: the program
 * has read all keys, sleeps, and has stopped writing.
 *
 * on_screen exits with the status of the program; 125: a word took more than
 * two minutes, or the program had to be killed.
 */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	RAW_MAX = 1 << 20,
	WAIT_MS = 120000,
	QUIET_MS = 150,
	ARRIVE_MS = 1000,
	FAILED = 125
};

static int terminal;
static pid_t child;
static bool closed;
static char raw[RAW_MAX];
static size_t raw_size;

/*
 * Read what the program writes within some milliseconds; false: it wrote
 * nothing.
 */
static bool
listen_for(int ms)
{
	struct pollfd poll_for = { .fd = terminal, .events = POLLIN };
	char bytes[4096];
	ssize_t n;

	if (closed || poll(&poll_for, 1, ms) <= 0)
		return false;
	n = read(terminal, bytes, sizeof(bytes));
	if (n <= 0) {
		closed = true;
		return false;
	}
	for (ssize_t i = 0; i < n; i++)
		take(bytes[i]);
	for (ssize_t i = 0; i < n && raw_size < RAW_MAX; i++)
		raw[raw_size++] = bytes[i];
	return true;
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
give_up(const char *word)
{
	fprintf(stderr, "on_screen: %s: not within %d s; the screen is\n%s",
	    word, WAIT_MS / 1000, lines());
	kill(child, SIGKILL);
	exit(FAILED);
}

/* True if the program has not read all keys yet. */
static bool
has_unread_keys(void)
{
	const int fd = ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	int count = 0;

	if (fd < 0)
		return false;
	ioctl(fd, FIONREAD, &count);
	close(fd);
	return count > 0;
}

/* True if the program sleeps or is about to end. */
static bool
is_asleep(void)
{
	char path[64], state = 'S';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	file = fopen(path, "r");
	if (!file)
		return true;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'S';
	fclose(file);
	return state == 'S' || state == 'Z';
}

/*
 * Wait until the program waits for keys.  Under load it may also be waiting for
 * a CPU, so its state is checked, too.
 */
static void
settle(const char *word)
{
	const int64_t end = now_ms() + WAIT_MS;

	while (listen_for(QUIET_MS) ||
	       (!closed && (has_unread_keys() || !is_asleep())))
		if (now_ms() > end)
			give_up(word);
}

static void
wait_until(const char *word, const char *text, bool there)
{
	const int64_t end = now_ms() + WAIT_MS;

	while ((strstr(lines(), text) != NULL) != there) {
		if (now_ms() > end || closed)
			give_up(word);
		listen_for(QUIET_MS);
	}
	settle(word); /* wait for the rest of the screen */
}

static void
resize(const char *size)
{
	struct winsize window = { 0 };
	int rows = 24, columns = 80;

	sscanf(size, "%dx%d", &rows, &columns);
	screen.rows = between(rows, 1, ROWS_MAX);
	screen.columns = between(columns, 1, COLUMNS_MAX);
	screen.top = screen.bottom = 0;
	window.ws_row = (unsigned short)screen.rows;
	window.ws_col = (unsigned short)screen.columns;
	if (terminal > 0)
		ioctl(terminal, TIOCSWINSZ, &window);
}

static void
wait_for_end(const char *word)
{
	const int64_t end = now_ms() + WAIT_MS;

	while (!closed) {
		if (now_ms() > end)
			give_up(word);
		listen_for(QUIET_MS);
	}
}

/*
 * The number of bytes that the program has read, files included; -1: unknown.
 */
static long long
bytes_read(void)
{
	char path[64];
	long long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)child);
	if (!(file = fopen(path, "r")))
		return -1;
	if (fscanf(file, "rchar: %lld", &count) != 1)
		count = -1;
	fclose(file);
	return count;
}

/*
 * Press keys.  A kernel thread delivers the keys, and under load it waits for a
 * CPU.  The keys have arrived when some are unread, or when the program has
 * read or written.  A program that shows nothing and lets another process read
 * gets a second.
 */
static void
press(const char *word, const char *keys)
{
	const long long before = bytes_read();
	const int64_t end = now_ms() + ARRIVE_MS;

	if (write(terminal, keys, strlen(keys)) < 0)
		perror("on_screen");
	while (!closed && !has_unread_keys() && bytes_read() == before &&
	       !listen_for(1) && now_ms() < end)
		;
	settle(word);
}

static void
perform(const char *word)
{
	const char *value = strchr(word, '=');

	value = value ? value + 1 : "";
	if (strncmp(word, "keys=", 5) == 0)
		press(word, value);
	else if (strncmp(word, "until=", 6) == 0)
		wait_until(word, value, true);
	else if (strncmp(word, "gone=", 5) == 0)
		wait_until(word, value, false);
	else if (strncmp(word, "size=", 5) == 0)
		resize(value);
	else if (strncmp(word, "signal=", 7) == 0)
		kill(child, atoi(value));
	else if (strcmp(word, "screen") == 0)
		fputs(lines(), stdout);
	else if (strcmp(word, "raw") == 0)
		fwrite(raw, 1, raw_size, stdout);
	else if (strcmp(word, "end") == 0)
		wait_for_end(word);
	if (strncmp(word, "raw", 3) != 0)
		return;
	raw_size = 0;
}

static void
start(char **command)
{
	const struct winsize window = { .ws_row = (unsigned short)screen.rows,
		.ws_col = (unsigned short)screen.columns };

	child = forkpty(&terminal, NULL, NULL, &window);
	if (child == 0) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	if (child < 0) {
		perror("on_screen: forkpty");
		exit(77);
	}
}

int
main(int argc, char **argv)
{
	int first = 1, status = 0;

	setlocale(LC_CTYPE, "C.UTF-8"); /* for wcwidth */

	while (first < argc && strcmp(argv[first], "--") != 0)
		first++;
	if (first + 1 >= argc)
		return FAILED;
	if (strncmp(argv[1], "size=", 5) == 0)
		resize(argv[1] + 5);
	start(argv + first + 1);
	for (int i = 1; i < first; i++)
		perform(argv[i]);
	for (int i = 0; i < 20 && !closed; i++)
		listen_for(QUIET_MS);
	if (!closed)
		kill(child, SIGKILL);
	close(terminal);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}
