/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_text.h - what differs between two traces, for a person:
 *
 *	  # Thread 1 (main)
 *	    ... <3 unchanged>
 *	!   request id(7)  12us -> 30us (+150%)
 *	      ... <2 unchanged>
 *	-     lookup  3us
 *	+     scan  21us
 *
 * The first two characters of a line are its kind: removed, added, another
 * duration or other values, or neither.
 */
#ifndef TL_FORMAT_DIFF_TEXT_H
#define TL_FORMAT_DIFF_TEXT_H

#include "event/writer.h"
#include "trace/diff/diff.h"

enum {
	/* Deeper nodes are at this depth, after their own in brackets. */
	TL_DIFF_TEXT_DEPTH_MAX = 60
};

struct tl_diff_text_options {
	bool only_changes; /* what is the same is counted */
	bool places;       /* where messages were defined */
};

/* 0 or -ENOMEM. */
int tl_diff_text_new(struct tl_diff_sink **sink, tl_write *write, void *context,
    const struct tl_diff_text_options *options);
/* Before either trace is closed.  NULL does nothing. */
void tl_diff_text_free(struct tl_diff_sink *sink);

#endif
