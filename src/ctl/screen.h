/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - the whole terminal for a while: keys as they are pressed, and a
 * screen of its own that leaves nothing behind.
 */
#ifndef TL_CTL_SCREEN_H
#define TL_CTL_SCREEN_H

#include "base/text.h"

#include <stdint.h>

enum tl_key {
	TL_KEY_NONE, /* time is up */
	TL_KEY_OTHER,
	TL_KEY_UP,
	TL_KEY_DOWN,
	TL_KEY_PAGE_UP,
	TL_KEY_PAGE_DOWN,
	TL_KEY_HOME,
	TL_KEY_END,
	TL_KEY_RESIZED,       /* or come back from the background: draw again */
	TL_KEY_QUIT,          /* a signal asked for the end */
	TL_KEY_PRINTABLE = 32 /* and up: that character */
};

/* Take standard input and output over: 0, or -ENOTTY when either is no
 * terminal.  Signals that end or stop the program give them back. */
int tl_screen_open(void);
void tl_screen_close(void);

/* The next key; waits until end_ns of CLOCK_MONOTONIC at the latest. */
int tl_screen_key(int64_t end_ns);

/* Show these lines from the top; what was there is gone. */
int tl_screen_draw(const struct tl_text *lines);

#endif
