/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_cache.h - the messages that were met last, by how their parts look in the
 * input: what millions of lines repeat is undone and defined once.
 */
#ifndef TL_EVENT_MESSAGE_CACHE_H
#define TL_EVENT_MESSAGE_CACHE_H

#include "event/message.h"

enum {
	TL_MEMO_PARTS = 3,
	TL_MEMO_SLOTS = 4096,
	TL_MEMO_SIZE_MAX = 4096,
	/* Of what came before, as much is known as fits into these bits. */
	TL_MEMO_PAST = 12,
	TL_MEMO_PAST_EACH = 5
};

struct tl_memo_key {
	struct tl_bytes parts[TL_MEMO_PARTS];
	uint8_t kind;  /* of the event */
	uint8_t scope; /* of its message */
};

struct tl_memo_slot {
	const struct tl_message *message; /* NULL: free */
	char *data;                       /* of all parts */
	uint16_t sizes[TL_MEMO_PARTS];
	uint8_t kind;
	uint8_t scope;
};

/* Starts from all zeros. */
struct tl_memo {
	struct tl_memo_slot slots[TL_MEMO_SLOTS];
	uint16_t guesses[1 << TL_MEMO_PAST];
	uint16_t past;
};

/* NULL: not remembered. */
const struct tl_memo_slot *
tl_memo_find(const struct tl_memo *memo, const struct tl_memo_key *key);
/* Remember it in place of another; without memory it is not. */
void tl_memo_add(struct tl_memo *memo, const struct tl_memo_key *key,
    const struct tl_message *message);
void tl_memo_free(struct tl_memo *memo);

/* Programs do things in the same order again and again: what came next the
 * last time that the same came before.  It may be free. */
static inline const struct tl_memo_slot *
tl_memo_guess(const struct tl_memo *memo)
{
	return &memo->slots[memo->guesses[memo->past]];
}

/* What came next indeed. */
static inline void
tl_memo_follow(struct tl_memo *memo, const struct tl_memo_slot *slot)
{
	const size_t i = (size_t)(slot - memo->slots);

	memo->guesses[memo->past] = (uint16_t)i;
	memo->past = (uint16_t)(((size_t)memo->past << TL_MEMO_PAST_EACH ^ i) %
				(1 << TL_MEMO_PAST));
}

#endif
