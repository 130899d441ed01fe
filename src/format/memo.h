/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memo.h - the messages that were met last, by how their parts look in the
 * input: what millions of lines repeat is undone and defined once.
 */
#ifndef TL_FORMAT_MEMO_H
#define TL_FORMAT_MEMO_H

#include "event/message.h"

enum { TL_MEMO_PARTS = 3, TL_MEMO_SLOTS = 1024, TL_MEMO_SIZE_MAX = 4096 };

struct tl_memo_key {
	struct tl_bytes parts[TL_MEMO_PARTS];
	unsigned kind;
};

struct tl_memo_slot {
	const struct tl_message *message; /* NULL: free */
	char *data;                       /* of all parts */
	size_t sizes[TL_MEMO_PARTS];
	unsigned kind;
};

/* Starts from all zeros. */
struct tl_memo {
	struct tl_memo_slot slots[TL_MEMO_SLOTS];
};

/* NULL: not remembered. */
const struct tl_message *
tl_memo_find(const struct tl_memo *memo, const struct tl_memo_key *key);
/* Remember it in place of another; without memory it is not. */
void tl_memo_add(struct tl_memo *memo, const struct tl_memo_key *key,
    const struct tl_message *message);
void tl_memo_free(struct tl_memo *memo);

#endif
