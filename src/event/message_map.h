/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_map.h - what a sink keeps for each message it has met.
 *
 * Finds a sink's own value by the message's address.  Several sinks may keep
 * something about one message, which its user pointer does not allow, and the
 * messages stay constant.  A map lives no longer than its messages.
 */
#ifndef TL_EVENT_MESSAGE_MAP_H
#define TL_EVENT_MESSAGE_MAP_H

#include "base/table.h"
#include "base/text.h"
#include "event/message.h"

/* More messages are served without being kept. */
enum { TL_MESSAGE_MAP_MAX = 1 << 20 };

struct tl_message_slot {
	const struct tl_message *message;
	void *value;
};

/* Starts from all zeros. */
struct tl_message_map {
	struct tl_table table;
	struct tl_message_slot *slots; /* as the messages came */
	size_t count;
	size_t capacity;
	struct tl_message_slot last; /* the answer before */
};

/* What tl_message_map_find did not know at once. */
void *tl_message_map_look(struct tl_message_map *map,
    const struct tl_message *message);

/* The value kept for a message; NULL when there is none. */
static inline void *
tl_message_map_find(struct tl_message_map *map,
    const struct tl_message *message)
{
	if (map->last.message == message)
		return map->last.value;
	return tl_message_map_look(map, message);
}

/* Keep a value (not NULL) for a message that has none.  0, -ENOMEM, -ENOSPC;
 * on failure the value stays the caller's. */
int tl_message_map_add(struct tl_message_map *map,
    const struct tl_message *message, void *value);

/* Free the map, and every value by release (which may be NULL). */
void
tl_message_map_free(struct tl_message_map *map, void (*release)(void *value));

/*
 * == message cache ==
 *
 * the messages that were met last, by how their parts look in the
 * input: what millions of lines repeat is undone and defined once.
 */

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

/*
 * == pieces ==
 *
 * what of an event's text is the same for every event of a message.
 *
 * A sink that writes millions of events escapes the category, the text and
 * the names of a message once and keeps the result, cut where values go.  How
 * it is cut is the sink's own affair.
 */

enum {
	TL_PIECES_MAX = TL_ARGS_MAX + 2,
	/* Pieces are copied so many bytes at a time. */
	TL_PIECE_BLOCK = 16,
	/* No value that is a number is longer. */
	TL_VALUE_MAX = 24
};

struct tl_piece {
	uint32_t at;
	uint32_t size; /* behind it, TL_PIECE_BLOCK bytes may be read */
};

/* What is kept for a message. */
struct tl_pieces {
	uint32_t room; /* for all pieces, with the overrun of the blocks */
	uint8_t argc;
	uint8_t formats[TL_ARGS_MAX];
	struct tl_piece piece[TL_PIECES_MAX];
	char data[];
};

/* The pieces of a message while they are made: append to text, then cut. */
struct tl_draft {
	struct tl_text text;
	size_t start;
	unsigned count;
	struct tl_piece piece[TL_PIECES_MAX];
};

/* The text since the last cut is the next piece. */
void tl_draft_cut(struct tl_draft *draft);

struct tl_pieces_cache {
	struct tl_message_map map;
	size_t size;               /* of all that is kept */
	struct tl_pieces *scratch; /* of a message that is not kept */
	struct tl_draft draft;
	/* Make the pieces of a message. */
	void (*make)(struct tl_draft *draft, const struct tl_message *message);
};

/* What tl_pieces_of does not know yet. */
const struct tl_pieces *
tl_pieces_make(struct tl_pieces_cache *cache, const struct tl_message *message);
void tl_pieces_free(struct tl_pieces_cache *cache);

/* The pieces of a message, good until the next call; NULL: no memory. */
static inline const struct tl_pieces *
tl_pieces_of(struct tl_pieces_cache *cache, const struct tl_message *message)
{
	const struct tl_pieces *pieces =
	    tl_message_map_find(&cache->map, message);

	return pieces ? pieces : tl_pieces_make(cache, message);
}

/*
 * Copy piece i to where there is room for pieces->room.  Copies whole blocks:
 * what lies behind the piece, on both sides, is there to be overrun.  Pieces
 * are short, and a call of memcpy is not.
 */
static inline char *
tl_piece_write(char *to, const struct tl_pieces *pieces, unsigned i)
{
	const struct tl_piece piece = pieces->piece[i];
	const char *from = pieces->data + piece.at;

	for (size_t at = 0; at < piece.size; at += TL_PIECE_BLOCK)
		memcpy(to + at, from + at, TL_PIECE_BLOCK);
	return to + piece.size;
}

#endif
