/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind.h - write text in a thread, while the caller makes the next text.
 *
 *	caller	make A | make B | make C | ...
 *	thread		write A | write B | ...
 *
 * One text is written at a time.  The thread takes no signals.
 */
#ifndef TL_DUMP_BEHIND_H
#define TL_DUMP_BEHIND_H

#include "base/text.h"

struct tl_behind;

/* Start the thread that writes to fd.  NULL: no memory or no thread. */
struct tl_behind *tl_behind_new(int fd);
/* Pass a text to the thread as soon as the text before is written, and get an
 * empty text in its place.  0, or -errno of an earlier write. */
int tl_behind_put(struct tl_behind *behind, struct tl_text *text);
/* Wait until all text is written, and end the thread.  0, or -errno of a
 * write. */
int tl_behind_free(struct tl_behind *behind);
/* Wait until all text is written.  For a signal handler that interrupted the
 * caller outside of the functions above. */
void tl_behind_wait(const struct tl_behind *behind);

#endif
