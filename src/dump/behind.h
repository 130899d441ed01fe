/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind.h - write text behind the caller, who makes the next meanwhile.
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

/* Start the thread for fd.  NULL: there is no memory or no thread. */
struct tl_behind *tl_behind_new(int fd);
/* Give a text to be written, and get an empty one in its place, as soon as the
 * text before is written.  0, or -errno of writing any text before. */
int tl_behind_put(struct tl_behind *behind, struct tl_text *text);
/* Wait until all is written, and end the thread.  0 or -errno as above. */
int tl_behind_free(struct tl_behind *behind);
/* Wait until all is written, in a signal handler that interrupted the caller
 * outside of the functions above. */
void tl_behind_wait(const struct tl_behind *behind);

#endif
