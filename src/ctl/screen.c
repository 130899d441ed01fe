/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.c - a terminal in raw mode
 *
 * Signal handlers only set flags.  The terminal is restored between writes, so
 * that no incomplete escape sequence is left on it.
 */
#include "ctl/screen.h"

#include "base/array.h"
#include "base/file.h"
#include "clock/clock.h"
#include "ctl/view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l" /* alternate screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

enum {
	KEY_SIZE_MAX = 8,
	POLL_MS_MAX = 1000 /* for signals that arrive just before a wait */
};

static struct termios before;
static volatile sig_atomic_t quit_asked;
static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t resized;

static void
note_signal(int signal_number)
{
	if (signal_number == SIGWINCH || signal_number == SIGCONT)
		resized = 1;
	else if (signal_number == SIGTSTP)
		stop_asked = 1;
	else
		quit_asked = 1;
}

static int
enter(void)
{
	struct termios raw = before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
		return -errno;
	return tl_write_all(STDOUT_FILENO, ENTER, strlen(ENTER));
}

static void
leave(void)
{
	(void)tl_write_all(STDOUT_FILENO, LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

int
tl_screen_open(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP,
		SIGCONT, SIGWINCH };
	const struct sigaction action = { .sa_handler = note_signal };

	if (isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) != 1 ||
	    tcgetattr(STDIN_FILENO, &before) != 0)
		return -ENOTTY;
	for (size_t i = 0; i < TL_COUNT(signals); i++)
		sigaction(signals[i], &action, NULL);
	return enter();
}

void
tl_screen_close(void)
{
	leave();
}

static int
decode(const char *keys, size_t size)
{
	static const struct {
		const char *sequence;
		int key;
	} known[] = { { "\033[A", TL_KEY_UP }, { "\033OA", TL_KEY_UP },
		{ "\033[B", TL_KEY_DOWN }, { "\033OB", TL_KEY_DOWN },
		{ "\033[5~", TL_KEY_PAGE_UP }, { "\033[6~", TL_KEY_PAGE_DOWN },
		{ "\033[H", TL_KEY_HOME }, { "\033[F", TL_KEY_END } };

	for (size_t i = 0; i < TL_COUNT(known); i++) {
		const char *sequence = known[i].sequence;

		if (size >= strlen(sequence) &&
		    memcmp(keys, sequence, strlen(sequence)) == 0)
			return known[i].key;
	}
	if (keys[0] == '\003') /* Ctrl-C, if it is not a signal */
		return TL_KEY_QUIT;
	return keys[0] >= ' ' && keys[0] < '\x7f' ? keys[0] : TL_KEY_OTHER;
}

/* Is it a byte, or a whole sequence: ESC [ ... up to a letter or ~, or ESC O
 * letter? */
static bool
is_whole(const char *keys, size_t size)
{
	if (size < 2)
		return size == 1 && keys[0] != '\033';
	if (size == 2)
		return keys[1] != '[' && keys[1] != 'O';
	return keys[size - 1] >= '@' && keys[size - 1] <= '~';
}

/* Read one key; further bytes stay for later. */
static int
read_key(void)
{
	char keys[KEY_SIZE_MAX];
	size_t size = 0;
	ssize_t n = 1;

	while (n > 0 && size < sizeof(keys) && !is_whole(keys, size)) {
		n = read(STDIN_FILENO, keys + size, 1);
		size += n > 0;
	}
	if (size == 0)
		return n < 0 && errno == EINTR ? TL_KEY_OTHER : TL_KEY_QUIT;
	return decode(keys, size);
}

int
tl_screen_key(int64_t end_ns)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	for (;;) {
		const int64_t left_ms =
		    (end_ns - tl_clock_read(CLOCK_MONOTONIC)) / 1000000;

		if (stop_asked) {
			/* Stop like any job, and set up the terminal again
			 * after SIGCONT. */
			stop_asked = 0;
			leave();
			raise(SIGSTOP);
			(void)enter();
			resized = 1;
		}
		if (quit_asked)
			return TL_KEY_QUIT;
		if (resized) {
			resized = 0;
			return TL_KEY_RESIZED;
		}
		if (left_ms < 0)
			return TL_KEY_NONE;
		if (poll(&input, 1,
			left_ms < POLL_MS_MAX ? (int)left_ms : POLL_MS_MAX) > 0)
			return read_key();
		if (left_ms == 0)
			return TL_KEY_NONE;
	}
}

/* Write each line over the previous one and blank its rest, without flicker. */
int
tl_screen_draw(const struct tl_text *lines)
{
	struct tl_text text = { 0 };
	size_t at = 0;
	int rc;

	tl_put_string(&text, "\033[H");
	while (at < lines->size) {
		const char *end =
		    memchr(lines->data + at, '\n', lines->size - at);
		const size_t size =
		    end ? (size_t)(end - lines->data) - at : lines->size - at;

		if (at > 0)
			tl_put_string(&text, "\r\n");
		tl_put_bytes(&text, tl_bytes(lines->data + at, size));
		tl_put_string(&text, "\033[K");
		at += size + (end != NULL);
	}
	tl_put_string(&text, "\033[J");
	rc = text.rc ? text.rc
		     : tl_write_all(STDOUT_FILENO, text.data, text.size);
	tl_text_free(&text);
	return rc;
}
