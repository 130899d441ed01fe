/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - what events cannot tell of the Lincheck file that they
 * were read from: its blocks, where in them things were defined, and how its
 * index was written.
 *
 *	block of thread 0 | define string 1 | 17 points | end | block of ...
 *
 * The reader keeps it beside its messages, whose strings lead to it, so that
 * the writer makes the same file of all events of one file again; of others,
 * and of events that a filter chose, it makes a file of its own order.  Kept
 * only of a file of version 8 without a fault, and up to a bound.
 */
#ifndef TL_FORMAT_LINCHECK_LAYOUT_H
#define TL_FORMAT_LINCHECK_LAYOUT_H

#include "event/message.h"
#include "format/lincheck/context.h"

enum { TL_LINCHECK_LAYOUT_MAX = 4 << 20 /* steps */ };

enum tl_lincheck_layout_what {
	TL_LINCHECK_LAYOUT_BLOCK, /* of thread n begins */
	TL_LINCHECK_LAYOUT_DEFINE,
	TL_LINCHECK_LAYOUT_POINTS, /* and footers, n of them */
	TL_LINCHECK_LAYOUT_END
};

struct tl_lincheck_layout_step {
	uint8_t what;
	uint8_t kind; /* of a definition */
	int32_t n;    /* its id, a thread, or how many */
};

/* Starts from all zeros but for the context. */
struct tl_lincheck_layout {
	struct tl_lincheck_context *context; /* of what is defined */
	struct tl_lincheck_layout_step *steps;
	size_t count;
	size_t capacity;
	bool whole;     /* all of the file was read, and it has no fault */
	bool lost;      /* there were too many steps */
	bool by_memory; /* the index was written at the end, from memory */
};

void tl_lincheck_layout_add(struct tl_lincheck_layout *layout,
    enum tl_lincheck_layout_what what, uint8_t kind, int32_t n);
/* Without an index: was it written from memory?  Then each thread has one
 * block, they are numbered from 0, and none is empty. */
bool tl_lincheck_layout_is_by_memory(const struct tl_lincheck_layout *layout);

/* The strings of a reader's messages. */
struct tl_lincheck_strings {
	struct tl_strings strings; /* first: what messages point to */
	const struct tl_strings *inner;
	struct tl_lincheck_layout layout;
};

void tl_lincheck_strings_init(struct tl_lincheck_strings *strings,
    const struct tl_strings *inner, struct tl_lincheck_context *context);
void tl_lincheck_strings_free(struct tl_lincheck_strings *strings);
/* The layout of the file that a message was read from; NULL: it was not, or
 * not by this process. */
const struct tl_lincheck_layout *
tl_lincheck_layout_of(const struct tl_message *message);

#endif
