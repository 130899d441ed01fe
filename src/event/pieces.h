/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pieces.h - what of an event's text is the same for every event of a message.
 *
 * A sink that writes millions of events escapes the category, the text and
 * the names of a message once and keeps the result, cut where values go.  How
 * it is cut is the sink's own affair.
 */
#ifndef TL_EVENT_PIECES_H
#define TL_EVENT_PIECES_H

#include "base/text.h"
#include "event/message_map.h"

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
