/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scopes.h - the messages that the scopes of an RTL_LOGFILE log become.
 *
 * A log has few scopes and many lines, so the messages of scopes are kept in a
 * table with one place for each hash.
 */
#ifndef TL_FORMAT_RTL_SCOPES_H
#define TL_FORMAT_RTL_SCOPES_H

#include "event/intern.h"

enum { TL_RTL_LEVEL = 6 /* info: the format has no levels */ };

struct tl_rtl_scopes;

/* The message that a scope becomes. */
struct tl_rtl_meaning {
	const struct tl_message *message;
	uint64_t label; /* first argument, if has_label */
	bool has_label;
};

/* Make scopes, which the interner must outlive.  0, -ENOMEM. */
int
tl_rtl_scopes_new(struct tl_rtl_scopes **scopes, struct tl_interner *interner);
void tl_rtl_scopes_free(struct tl_rtl_scopes *scopes);

/*
 * Find the meaning of "project (author) name": a span behind '{', an event
 * whose last argument is the words behind '|'.  Errors as
 * tl_interner_message().
 */
int tl_rtl_scopes_find(struct tl_rtl_scopes *scopes, char what,
    struct tl_bytes key, struct tl_rtl_meaning *meaning);
/*
 * Find the span of a part of a scope, which a message opens or closes.  Errors
 * as tl_interner_message().
 */
int tl_rtl_scopes_part(struct tl_rtl_scopes *scopes, struct tl_bytes bytes,
    struct tl_bytes part, struct tl_rtl_meaning *meaning);

#endif
