/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h - what two events of two traces must share to be the
 * same one: what was logged and where, not when and with what values.
 */
#ifndef TL_TRACE_DIFF_IDENTITY_H
#define TL_TRACE_DIFF_IDENTITY_H

#include "event/event.h"
#include "event/message_map.h"

/* Starts from all zeros but for seed and lines. */
struct tl_diff_identities {
	struct tl_message_map known; /* to what a message's number is */
	uint64_t seed;               /* the same for both traces */
	bool lines;                  /* of places count */
};

/*
 * A number that is the same for the same events of both traces: by the kind,
 * and by category, text, kind, scope and place of the message.  Of a place it
 * is the name of the file that counts: where it was built, and what was put
 * in above it, does not.
 */
uint64_t tl_diff_identity(struct tl_diff_identities *identities,
    const struct tl_event *event);
void tl_diff_identities_free(struct tl_diff_identities *identities);

/* Do two events of one identity say the same? */
bool tl_diff_same_values(const struct tl_event *a, const struct tl_event *b);

#endif
