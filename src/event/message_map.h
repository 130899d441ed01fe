/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_map.h - a map from messages to values of a sink, and the cache of
 * messages that readers use.
 *
 * The key is the message's address.  Several sinks may each keep a value for
 * the same message, and messages stay constant.  The messages must outlive the
 * map.
 */
#ifndef TL_EVENT_MESSAGE_MAP_H
#define TL_EVENT_MESSAGE_MAP_H

#include "base/table.h"
#include "base/text.h"
#include "event/message.h"

/* Beyond this number tl_message_map_add returns -ENOSPC. */
enum { TL_MESSAGE_MAP_MAX = 1 << 20 };

struct tl_message_slot {
	const struct tl_message *message;
	void *value;
};

/* Starts from all zeros. */
struct tl_message_map {
	struct tl_table table;
	struct tl_message_slot *slots; /* in the order they were added */
	size_t count;
	size_t capacity;
	struct tl_message_slot last; /* the result of the last search */
};

/* The search of tl_message_map_find when it is not the last message. */
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
 * Maps the escaped text of a message's parts, as the input has them, to the
 * message.  Parts that millions of lines repeat are unescaped and interned
 * once.
 */

enum {
	TL_MESSAGE_CACHE_PARTS = 3,
	TL_MESSAGE_CACHE_SLOTS = 4096,
	TL_MESSAGE_CACHE_SIZE_MAX = 4096,
	/* Bits of the history of slots that predicts the next slot, and bits
	 * by which it is shifted for each of them. */
	TL_MESSAGE_CACHE_PAST = 12,
	TL_MESSAGE_CACHE_PAST_EACH = 5
};

struct tl_message_cache_key {
	struct tl_bytes parts[TL_MESSAGE_CACHE_PARTS];
	uint8_t kind;  /* of the event: enum tl_kind */
	uint8_t scope; /* of the message */
};

struct tl_message_cache_slot {
	const struct tl_message *message; /* NULL: free */
	char *data;                       /* the parts, concatenated */
	uint16_t sizes[TL_MESSAGE_CACHE_PARTS];
	uint8_t kind;
	uint8_t scope;
};

/* Starts from all zeros. */
struct tl_message_cache {
	struct tl_message_cache_slot slots[TL_MESSAGE_CACHE_SLOTS];
	uint16_t guesses[1 << TL_MESSAGE_CACHE_PAST];
	uint16_t past;
};

/* The slot of a key, or NULL when it is not in the cache. */
const struct tl_message_cache_slot *
tl_message_cache_find(const struct tl_message_cache *cache,
    const struct tl_message_cache_key *key);
/* Add a message, in place of the one in its slot.  Nothing is added when
 * memory is short or the parts exceed TL_MESSAGE_CACHE_SIZE_MAX. */
void tl_message_cache_add(struct tl_message_cache *cache,
    const struct tl_message_cache_key *key, const struct tl_message *message);
void tl_message_cache_free(struct tl_message_cache *cache);

/* Predict the next slot: the one that followed the same history the last
 * time, since programs repeat sequences.  The slot may be free. */
static inline const struct tl_message_cache_slot *
tl_message_cache_guess(const struct tl_message_cache *cache)
{
	return &cache->slots[cache->guesses[cache->past]];
}

/* Record the slot that was used. */
static inline void
tl_message_cache_follow(struct tl_message_cache *cache,
    const struct tl_message_cache_slot *slot)
{
	const size_t i = (size_t)(slot - cache->slots);

	cache->guesses[cache->past] = (uint16_t)i;
	cache->past =
	    (uint16_t)(((size_t)cache->past << TL_MESSAGE_CACHE_PAST_EACH ^ i) %
		       (1 << TL_MESSAGE_CACHE_PAST));
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
	/* Pieces are copied this many bytes at a time. */
	TL_PIECE_BLOCK = 16,
	/* No value that is a number is longer. */
	TL_VALUE_MAX = 24
};

struct tl_piece {
	uint32_t at;
	uint32_t size; /* behind it, TL_PIECE_BLOCK bytes may be read */
};

/* A slot: the value of a message. */
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

/* The slow path of tl_pieces_of: a new message. */
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
 * Copy piece i to where there is room for pieces->room.  Copies whole blocks,
 * so that source and target need room after the piece.  Pieces are short, and a
 * call of memcpy is not.
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
