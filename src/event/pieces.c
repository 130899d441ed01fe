/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.c - make and keep what of a message does not change. */
#include "event/pieces.h"

#include <assert.h>
#include <stdlib.h>

/* Memory for what is kept: a file could define more text than is worth it. */
enum { CACHE_SIZE_MAX = 32 << 20 };

void
tl_draft_cut(struct tl_draft *draft)
{
	assert(draft->count < TL_PIECES_MAX);
	draft->piece[draft->count++] =
	    (struct tl_piece){ (uint32_t)draft->start,
		    (uint32_t)(draft->text.size - draft->start) };
	tl_put_repeat(&draft->text, '\0', TL_PIECE_BLOCK);
	draft->start = draft->text.size;
}

static void
start_draft(struct tl_draft *draft)
{
	tl_text_clear(&draft->text);
	draft->start = 0;
	draft->count = 0;
	memset(draft->piece, 0, sizeof(draft->piece));
}

/* A copy of the draft, of just its size. */
static struct tl_pieces *
copy_draft(const struct tl_draft *draft, const struct tl_message *message)
{
	const size_t size = draft->text.size;
	struct tl_pieces *pieces = NULL;

	if (draft->text.rc == 0 && size < UINT32_MAX / 2)
		pieces = malloc(sizeof(*pieces) + size);
	if (!pieces)
		return NULL;
	pieces->room = (uint32_t)size + TL_PIECE_BLOCK;
	pieces->argc = message->argc;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		pieces->formats[i] = message->args[i].format;
	memcpy(pieces->piece, draft->piece, sizeof(pieces->piece));
	memcpy(pieces->data, draft->text.data, size);
	return pieces;
}

const struct tl_pieces *
tl_pieces_make(struct tl_pieces_cache *cache, const struct tl_message *message)
{
	struct tl_draft *draft = &cache->draft;
	struct tl_pieces *pieces;

	start_draft(draft);
	cache->make(draft, message);
	if (!(pieces = copy_draft(draft, message)))
		return NULL;
	if (draft->text.size <= CACHE_SIZE_MAX - cache->size &&
	    tl_message_map_add(&cache->map, message, pieces) == 0) {
		cache->size += draft->text.size;
		return pieces;
	}
	free(cache->scratch);
	cache->scratch = pieces;
	return pieces;
}

void
tl_pieces_free(struct tl_pieces_cache *cache)
{
	tl_message_map_free(&cache->map, free);
	tl_text_free(&cache->draft.text);
	free(cache->scratch);
	cache->scratch = NULL;
	cache->size = 0;
}
