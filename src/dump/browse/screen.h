/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - the terminal while trees are read on it: opened, written
 * to line by line, given back.
 *
 * Text must have been escaped.  One screen at a time.
 */
#ifndef TL_DUMP_BROWSE_SCREEN_H
#define TL_DUMP_BROWSE_SCREEN_H

#include "base/bytes.h"
#include "base/fault.h"

/* How text looks, beside the colour of a level. */
enum tl_look {
	TL_LOOK_PLAIN,
	TL_LOOK_BAR,   /* title and separators */
	TL_LOOK_CURSOR /* the row of the cursor */
};

/* Keys that are no character. */
enum tl_key {
	TL_KEY_NONE = -1, /* nothing was pressed */
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
	TL_KEY_CLICK, /* on tl_screen_clicked() */
	TL_KEY_WHEEL_UP,
	TL_KEY_WHEEL_DOWN,
	TL_KEY_OTHER,
	TL_KEY_GONE, /* the terminal went away */
	TL_KEY_ESCAPE = 27
};

/* 0; -ENOTSUP the terminal cannot do what is needed, -ENOTTY there is none to
 * read keys from: the fault has the reason. */
int tl_screen_open(bool color, struct tl_fault *fault);
void tl_screen_close(void);

unsigned tl_screen_rows(void);
unsigned tl_screen_columns(void);
void tl_screen_clear(void);
/* Write at a place as much as fits in width columns, blanks behind it; level 0:
 * no colour. */
void tl_screen_put(unsigned row, unsigned column, unsigned width,
    struct tl_bytes text, enum tl_look look, unsigned level);
/* Where the terminal's own cursor stands; it is seen there only if asked. */
void tl_screen_point(unsigned row, unsigned column, bool seen);
void tl_screen_show(void);

/* The next key: a byte, or a tl_key.  Wait for one, or not. */
int tl_screen_key(bool wait);

/* The row of the last click. */
unsigned tl_screen_clicked(void);

/* Give the terminal to another program, and take it back. */
void tl_screen_suspend(void);
void tl_screen_resume(void);

#endif
