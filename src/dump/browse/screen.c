/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.c - the terminal.  No other file includes ncurses.
 *
 * Without TL_NCURSES there is no screen: opening it fails with the reason, and
 * no other function is called.
 */
#include "dump/browse/screen.h"

#include "base/array.h"
#include "base/utf8.h"

#include <errno.h>

#ifdef TL_NCURSES

#	include <curses.h>
#	include <langinfo.h>
#	include <locale.h>
#	include <stdio.h>
#	include <stdlib.h>
#	include <string.h>
#	include <term.h>
#	include <unistd.h>

enum {
	/* an escape byte is the key itself if no byte follows within this
	 * time */
	ESCAPE_WAIT_MS = 25,
	PAIR_RED = 1,
	PAIR_YELLOW,
	PAIR_CYAN
};

static SCREEN *screen;
static FILE *keys; /* standard input, or the terminal */
static bool colored;
static unsigned clicked;

/* Check that the terminal can place its cursor and clear the screen. */
static int
check_terminal(struct tl_fault *fault)
{
	static char position[] = "cup", erase_all[] = "clear";
	const char *name = getenv("TERM");
	bool able;
	int found;

	if (!name || name[0] == '\0')
		return tl_fail(fault, -ENOTSUP,
		    "--browse: TERM is not set: set it to the type of this "
		    "terminal");
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return tl_fail(fault, -ENOTSUP,
		    "--browse: the type of this terminal is unknown "
		    "(TERM, terminfo)");
	able = tigetstr(position) && tigetstr(erase_all);
	del_curterm(cur_term); /* newterm() sets up a terminal of its own */
	if (!able)
		return tl_fail(fault, -ENOTSUP,
		    "--browse: this terminal cannot place its cursor (TERM)");
	return 0;
}

/* Set the encoding to UTF-8 in every locale, because all text that is written
 * is UTF-8. */
static void
set_encoding(void)
{
	if (!setlocale(LC_CTYPE, "") ||
	    strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static void
set_colors(bool color)
{
	colored = color && has_colors() && start_color() == OK;
	if (!colored)
		return;
	use_default_colors();
	init_pair(PAIR_RED, COLOR_RED, -1);
	init_pair(PAIR_YELLOW, COLOR_YELLOW, -1);
	init_pair(PAIR_CYAN, COLOR_CYAN, -1);
}

static int
open_keys(struct tl_fault *fault)
{
	keys = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	if (keys)
		return 0;
	return tl_fail(fault, -ENOTTY,
	    "--browse: there is no terminal to read keys from");
}

static void
close_keys(void)
{
	if (keys && keys != stdin)
		fclose(keys);
	keys = NULL;
}

int
tl_screen_open(bool color, struct tl_fault *fault)
{
	int rc = check_terminal(fault);

	if (rc == 0)
		rc = open_keys(fault);
	if (rc < 0)
		return rc;
	set_encoding();
	screen = newterm(NULL, stdout, keys);
	if (!screen) {
		close_keys();
		return tl_fail(fault, -ENOTSUP,
		    "--browse: this terminal cannot be used");
	}
	set_escdelay(ESCAPE_WAIT_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0); /* do not wait for a second click */
	curs_set(0);
	set_colors(color);
	return 0;
}

void
tl_screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	close_keys();
}

unsigned
tl_screen_rows(void)
{
	return (unsigned)LINES;
}

unsigned
tl_screen_columns(void)
{
	return (unsigned)COLS;
}

void
tl_screen_clear(void)
{
	erase();
}

static attr_t
level_attributes(unsigned level)
{
	if (level == 0 || level == 6)
		return A_NORMAL;
	if (level >= 8)
		return (level > 8 ? A_BOLD : A_NORMAL) |
		       (colored ? (attr_t)COLOR_PAIR(PAIR_RED) : A_BOLD);
	if (level < 5)
		return A_DIM;
	if (!colored)
		return A_NORMAL;
	return (attr_t)COLOR_PAIR(level == 7 ? PAIR_YELLOW : PAIR_CYAN);
}

void
tl_screen_put(unsigned row, unsigned column, unsigned width,
    struct tl_bytes text, enum tl_look look, unsigned level)
{
	const attr_t attributes =
	    look == TL_LOOK_PLAIN ? level_attributes(level) : A_REVERSE;
	unsigned used = 0;
	size_t size = 0;

	if (width == 0 || row >= tl_screen_rows())
		return;
	if (text.size > 0)
		size = tl_utf8_fit(text, width, &used);
	attrset(attributes);
	move((int)row, (int)column);
	for (unsigned i = 0; i < width; i++)
		addch(' ');
	if (used <= width)
		mvaddnstr((int)row, (int)column, text.data, (int)size);
	attrset(A_NORMAL);
}

void
tl_screen_point(unsigned row, unsigned column, bool seen)
{
	curs_set(seen);
	move((int)row, (int)column);
}

void
tl_screen_show(void)
{
	refresh();
}

static int
translate(int key)
{
	static const struct {
		int from;
		enum tl_key to;
	} table[] = { { KEY_UP, TL_KEY_UP }, { KEY_DOWN, TL_KEY_DOWN },
		{ KEY_LEFT, TL_KEY_LEFT }, { KEY_RIGHT, TL_KEY_RIGHT },
		{ KEY_PPAGE, TL_KEY_PAGE_UP }, { KEY_NPAGE, TL_KEY_PAGE_DOWN },
		{ KEY_HOME, TL_KEY_HOME }, { KEY_END, TL_KEY_END },
		{ KEY_BACKSPACE, TL_KEY_BACKSPACE }, { 127, TL_KEY_BACKSPACE },
		{ '\b', TL_KEY_BACKSPACE }, { KEY_RESIZE, TL_KEY_RESIZE },
		{ KEY_ENTER, '\r' }, { '\n', '\r' } };

	for (size_t i = 0; i < TL_COUNT(table); i++) {
		if (table[i].from == key)
			return table[i].to;
	}
	return key < KEY_MIN ? key : TL_KEY_OTHER;
}

/* Translate a mouse event to a key.  Other buttons and movements are no
 * keys. */
static int
translate_mouse(void)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return TL_KEY_OTHER;
	clicked = event.y < 0 ? 0 : (unsigned)event.y;
	if (event.bstate & BUTTON4_PRESSED)
		return TL_KEY_WHEEL_UP;
	if (event.bstate & BUTTON5_PRESSED)
		return TL_KEY_WHEEL_DOWN;
	return event.bstate & BUTTON1_PRESSED ? TL_KEY_CLICK : TL_KEY_OTHER;
}

int
tl_screen_key(bool wait)
{
	int key;

	timeout(wait ? -1 : 0);
	errno = 0;
	key = getch();
	if (key == KEY_MOUSE)
		return translate_mouse();
	if (key != ERR)
		return translate(key);
	if (!wait || errno == EINTR)
		return TL_KEY_NONE;
	return TL_KEY_GONE;
}

unsigned
tl_screen_clicked(void)
{
	return clicked;
}

void
tl_screen_suspend(void)
{
	def_prog_mode();
	endwin();
}

void
tl_screen_resume(void)
{
	reset_prog_mode();
	clearok(curscr, TRUE);
	refresh();
}

#else

unsigned
tl_screen_clicked(void)
{
	return 0;
}

void
tl_screen_suspend(void)
{
}

void
tl_screen_resume(void)
{
}

int
tl_screen_open(bool color, struct tl_fault *fault)
{
	(void)color;
	return tl_fail(fault, -ENOTSUP,
	    "--browse: this timeline-dump was built without ncurses: "
	    "install libncurses-dev and run make again");
}

void
tl_screen_close(void)
{
}

unsigned
tl_screen_rows(void)
{
	return 0;
}

unsigned
tl_screen_columns(void)
{
	return 0;
}

void
tl_screen_clear(void)
{
}

void
tl_screen_put(unsigned row, unsigned column, unsigned width,
    struct tl_bytes text, enum tl_look look, unsigned level)
{
	(void)row;
	(void)column;
	(void)width;
	(void)text;
	(void)look;
	(void)level;
}

void
tl_screen_point(unsigned row, unsigned column, bool seen)
{
	(void)row;
	(void)column;
	(void)seen;
}

void
tl_screen_show(void)
{
}

int
tl_screen_key(bool wait)
{
	(void)wait;
	return TL_KEY_GONE;
}

#endif
