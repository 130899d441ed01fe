/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - the terminal of --browse: open, write line by line, restore.
 */
#ifndef TL_DUMP_BROWSE_SCREEN_H
#define TL_DUMP_BROWSE_SCREEN_H

#include "base/bytes.h"
#include "base/fault.h"

/* The style of text, apart from the colour of a level. */
enum tl_look {
	TL_LOOK_PLAIN,
	TL_LOOK_BAR,   /* title and separators */
	TL_LOOK_CURSOR /* the row of the cursor */
};

/* Keys that are not characters. */
enum tl_key {
	TL_KEY_NONE = -1, /* no key was pressed */
	TL_KEY_UP = 0x200,
	TL_KEY_DOWN,
	TL_KEY_LEFT,
	TL_KEY_RIGHT,
	TL_KEY_PAGE_UP,
	TL_KEY_PAGE_DOWN,
	TL_KEY_HOME,
	TL_KEY_END,
	TL_KEY_BACKSPACE,
	TL_KEY_RESIZE,
	TL_KEY_CLICK, /* in the row tl_screen_clicked() */
	TL_KEY_WHEEL_UP,
	TL_KEY_WHEEL_DOWN,
	TL_KEY_OTHER,
	TL_KEY_GONE, /* the terminal was closed */
	TL_KEY_ESCAPE = 27
};

/* Open the terminal.  0; -ENOTSUP: the terminal lacks a capability; -ENOTTY: no
 * terminal to read keys from.  The fault says why. */
int tl_screen_open(bool color, struct tl_fault *fault);
void tl_screen_close(void);

unsigned tl_screen_rows(void);
unsigned tl_screen_columns(void);
void tl_screen_clear(void);
/* Write as much of the text as fits into width columns, and fill the rest with
 * blanks.  level 0: no colour. */
void tl_screen_put(unsigned row, unsigned column, unsigned width,
    struct tl_bytes text, enum tl_look look, unsigned level);
/* Move the terminal's cursor; the cursor is visible only if seen is set. */
void tl_screen_point(unsigned row, unsigned column, bool seen);
void tl_screen_show(void);

/* The next key: a byte or an enum tl_key.  Waits for a key if wait is set. */
int tl_screen_key(bool wait);

/* The row of the last click. */
unsigned tl_screen_clicked(void);

/* Give the terminal to another program; take the terminal back. */
void tl_screen_suspend(void);
void tl_screen_resume(void);

#endif
