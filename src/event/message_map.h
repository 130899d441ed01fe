/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_map.h - a map from messages to values of a sink, and the cache of
 * messages that readers use.
 *
 * The key is the address of the message.  Several sinks may each keep a value
 * for the same message, and messages stay constant.  The messages must outlive
 * the map.
 */
#ifndef TL_EVENT_MESSAGE_MAP_H
#define TL_EVENT_MESSAGE_MAP_H

#include "base/table.h"
#include "base/text.h"
#include "event/message.h"

/* Beyond TL_MESSAGE_MAP_MAX tl_message_map_add returns -ENOSPC. */
enum { TL_MESSAGE_MAP_MAX = 1 << 20, TL_MESSAGES_LATELY = 8 };

struct tl_message_slot {
	const struct tl_message *message;
	void *value;
};

/* Starts from all zeros. */
struct tl_message_map {
	struct tl_table table;
	struct tl_message_slot *slots; /* in order of addition */
	size_t count;
	size_t capacity;
	struct tl_message_slot lately[TL_MESSAGES_LATELY]; /* results */
};

static inline struct tl_message_slot *
tl_message_map_lately(struct tl_message_map *map,
    const struct tl_message *message)
{
	return &map->lately[(uint32_t)(uintptr_t)message * 0x9e3779b1U >> 29];
}

/* The search of tl_message_map_find for a message that was not found lately. */
void *tl_message_map_look(struct tl_message_map *map,
    const struct tl_message *message);

/* The value of a message; NULL if the message has none. */
static inline void *
tl_message_map_find(struct tl_message_map *map,
    const struct tl_message *message)
{
	const struct tl_message_slot *slot =
	    tl_message_map_lately(map, message);

	if (slot->message == message)
		return slot->value;
	return tl_message_map_look(map, message);
}

/* Add a value (not NULL) for a message without a value.  Returns 0, -ENOMEM or
 * -ENOSPC; on failure the caller still owns the value. */
int tl_message_map_add(struct tl_message_map *map,
    const struct tl_message *message, void *value);

/* Free the map, and free every value by release, which may be NULL. */
void
tl_message_map_free(struct tl_message_map *map, void (*release)(void *value));

/*
 * == message cache ==
 *
 * Maps the escaped text of a message's parts, as it stands in the input, to the
 * message.  Parts that millions of lines repeat are unescaped and interned
 * once.
 */

enum {
	TL_MESSAGE_CACHE_PARTS = 3,
	TL_MESSAGE_CACHE_SLOTS = 4096,
	TL_MESSAGE_CACHE_SIZE_MAX = 4096,
	/* Bits of the history of slots that predicts the next slot, and bits by
	 * which each slot shifts the history. */
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

/* The slot of a key, or NULL if the key is not in the cache. */
const struct tl_message_cache_slot *
tl_message_cache_find(const struct tl_message_cache *cache,
    const struct tl_message_cache_key *key);
/* Add a message and replace the message in its slot.  Nothing is added when
 * memory is short or the parts exceed TL_MESSAGE_CACHE_SIZE_MAX. */
void tl_message_cache_add(struct tl_message_cache *cache,
    const struct tl_message_cache_key *key, const struct tl_message *message);
void tl_message_cache_free(struct tl_message_cache *cache);

/* Predict the next slot: the slot that followed the same history the last time,
 * because programs repeat sequences.  The slot may be free. */
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
 * The part of an event's text that is the same for every event of a message.
 *
 * A sink that writes millions of events escapes the category, the text and the
 * names of a message once and keeps the result, cut where values go.  Each sink
 * decides where to cut.
 */

enum {
	TL_PIECES_MAX = TL_ARGS_MAX + 2,
	/* Pieces are copied this many bytes at a time. */
	TL_PIECE_BLOCK = 16,
	/* The longest value of a number. */
	TL_VALUE_MAX = 24
};

struct tl_piece {
	uint32_t at;
	uint32_t size; /* TL_PIECE_BLOCK bytes after it are readable */
};

/* The pieces of one message. */
struct tl_pieces {
	uint32_t room; /* for all pieces and the overrun of a block */
	uint8_t argc;
	uint8_t formats[TL_ARGS_MAX];
	struct tl_piece piece[TL_PIECES_MAX];
	char data[];
};

/* The pieces of a message under construction: append to text, then cut. */
struct tl_draft {
	struct tl_text text;
	size_t start;
	unsigned count;
	struct tl_piece piece[TL_PIECES_MAX];
};

/* End the current piece: the text since the last cut. */
void tl_draft_cut(struct tl_draft *draft);

struct tl_pieces_cache {
	struct tl_message_map map;
	size_t size;               /* of all kept pieces */
	struct tl_pieces *scratch; /* of a message that is not kept */
	struct tl_draft draft;
	/* Make the pieces of a message. */
	void (*make)(struct tl_draft *draft, const struct tl_message *message);
};

/* The slow path of tl_pieces_of, for a new message. */
const struct tl_pieces *
tl_pieces_make(struct tl_pieces_cache *cache, const struct tl_message *message);
void tl_pieces_free(struct tl_pieces_cache *cache);

/* The pieces of a message, valid until the next call.  NULL: out of memory. */
static inline const struct tl_pieces *
tl_pieces_of(struct tl_pieces_cache *cache, const struct tl_message *message)
{
	const struct tl_pieces *pieces =
	    tl_message_map_find(&cache->map, message);

	return pieces ? pieces : tl_pieces_make(cache, message);
}

/*
 * Copy piece i to a place with room for pieces->room bytes.  The copy moves
 * whole blocks, so that source and target need room after the piece: a piece is
 * short, and a call of memcpy would cost more than the copy.
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
