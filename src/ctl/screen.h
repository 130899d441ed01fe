/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - use the whole terminal: keys as they are pressed, and the
 * alternate screen, which leaves nothing behind.
 */
#ifndef TL_CTL_SCREEN_H
#define TL_CTL_SCREEN_H

#include "base/text.h"

#include <stdint.h>

enum tl_key {
	TL_KEY_NONE, /* time-out */
	TL_KEY_OTHER,
	TL_KEY_UP,
	TL_KEY_DOWN,
	TL_KEY_PAGE_UP,
	TL_KEY_PAGE_DOWN,
	TL_KEY_HOME,
	TL_KEY_END,
	TL_KEY_RESIZED,       /* or continued in the foreground: draw again */
	TL_KEY_QUIT,          /* a signal to end */
	TL_KEY_PRINTABLE = 32 /* and above: that character */
};

/* Take over standard input and output.  0; -ENOTTY: one of them is not a
 * terminal.  Signals that end or stop the program restore them. */
int tl_screen_open(void);
void tl_screen_close(void);

/* The next key; waits at most until end_ns of CLOCK_MONOTONIC. */
int tl_screen_key(int64_t end_ns);

/* Show these lines from the top, in place of the old ones. */
int tl_screen_draw(const struct tl_text *lines);

#endif
