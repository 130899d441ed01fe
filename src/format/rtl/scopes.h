/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scopes.h - what the scopes of an RTL_LOGFILE log are as messages.
 *
 * The scopes of a log are few and their lines many: what a scope's text
 * became is kept in a table of one place for each hash.
 */
#ifndef TL_FORMAT_RTL_SCOPES_H
#define TL_FORMAT_RTL_SCOPES_H

#include "event/intern.h"

enum { TL_RTL_LEVEL = 6 /* info: the format has none */ };

struct tl_rtl_scopes;

/* The result of a scope. */
struct tl_rtl_meaning {
	const struct tl_message *message;
	uint64_t label; /* its first argument, where there is one */
	bool has_label;
};

/* The interner outlives it.  0, -ENOMEM. */
int
tl_rtl_scopes_new(struct tl_rtl_scopes **scopes, struct tl_interner *interner);
void tl_rtl_scopes_free(struct tl_rtl_scopes *scopes);

/* The meaning of "project (author) name": behind '{' a span, behind '|' an
 * event with the words as its last argument.  As tl_interner_message. */
int tl_rtl_scopes_find(struct tl_rtl_scopes *scopes, char what,
    struct tl_bytes key, struct tl_rtl_meaning *meaning);
/* The meaning of a part of it that a message opens or closes: a span. */
int tl_rtl_scopes_part(struct tl_rtl_scopes *scopes, struct tl_bytes bytes,
    struct tl_bytes part, struct tl_rtl_meaning *meaning);

#endif
