/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - what every block of a chain defines again is one message.
 *
 * Texts are the interner's, each once: messages are the same whose texts lie at
 * the same place.
 */
#include "trace/chain/work.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 64, MESSAGES_MAX = 1 << 20 };

static uint64_t
hash_of(const struct tl_message *m)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = (uintptr_t)m->text.data * odd;

	hash = (hash ^ (uintptr_t)m->category.data) * odd;
	hash = (hash ^ (uintptr_t)m->file.data ^ m->line) * odd;
	return hash ^ hash >> 32;
}

/* The gate is what it was when the first block was made. */
static bool
is_same(const struct tl_message *a, const struct tl_message *b)
{
	return a->text.data == b->text.data &&
	       a->category.data == b->category.data &&
	       a->file.data == b->file.data && a->line == b->line &&
	       a->kind == b->kind && a->level == b->level &&
	       a->scope == b->scope && a->builtin == b->builtin;
}

static const struct tl_message **
find_slot(const struct tl_message **slots, size_t size,
    const struct tl_message *m)
{
	size_t i = (size_t)hash_of(m) & (size - 1);

	while (slots[i] && !is_same(slots[i], m))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int
grow_slots(struct tl_chain_messages *ms)
{
	const size_t size = ms->size ? ms->size * 2 : SLOTS_FIRST;
	const struct tl_message **slots;

	if (ms->count * 2 < ms->size)
		return 0;
	slots = calloc(size, sizeof(struct tl_message *));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < ms->count; i++)
		*find_slot(slots, size, ms->list[i]) = ms->list[i];
	free(ms->slots);
	ms->slots = slots;
	ms->size = size;
	return 0;
}

static int
grow_list(struct tl_chain_messages *ms)
{
	const size_t capacity = ms->capacity ? ms->capacity * 2 : SLOTS_FIRST;
	const struct tl_message **list;

	if (ms->count < ms->capacity)
		return 0;
	list = realloc(ms->list, capacity * sizeof(struct tl_message *));
	if (!list)
		return -ENOMEM;
	ms->list = list;
	ms->capacity = capacity;
	return 0;
}

/* A text of the interner's, cut where it is too long, and nothing where there
 * is no room. */
static int
keep(const struct tl_chain_bytes *bytes, struct tl_bytes text,
    struct tl_bytes *kept)
{
	const struct tl_strings *strings = bytes->nothing->strings;
	uint64_t number;
	const int rc = tl_interner_string(bytes->interner, text, &number);

	*kept = tl_bytes(NULL, 0);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	*kept = strings->get(strings, number);
	return 0;
}

/* A piece of one text as that of another. */
static struct tl_bytes
rebase(struct tl_bytes piece, struct tl_bytes from, struct tl_bytes to)
{
	if (!piece.data)
		return piece;
	return tl_bytes(to.data + (piece.data - from.data), piece.size);
}

/* The same message with texts that stay; text.data is NULL: there is no room
 * for its text, or not for all of it. */
static int
translate(const struct tl_chain_bytes *bytes, const struct tl_message *from,
    struct tl_message *to)
{
	int rc;

	*to = *from;
	to->strings = bytes->nothing->strings;
	to->user = NULL;
	if ((rc = keep(bytes, from->text, &to->text)) < 0 ||
	    (rc = keep(bytes, from->category, &to->category)) < 0)
		return rc;
	if (from->file.size > 0)
		rc = keep(bytes, from->file, &to->file);
	if (to->text.size < from->text.size)
		to->text = tl_bytes(NULL, 0);
	if (!to->text.data)
		return rc;
	to->line1 = rebase(from->line1, from->text, to->text);
	to->explain = rebase(from->explain, from->text, to->text);
	to->after = rebase(from->after, from->text, to->text);
	for (unsigned i = 0; i < from->argc; i++) {
		to->args[i].name =
		    rebase(from->args[i].name, from->text, to->text);
		to->args[i].before =
		    rebase(from->args[i].before, from->text, to->text);
	}
	return rc;
}

static int
add(struct tl_chain_messages *ms, const struct tl_message *message,
    const struct tl_message **interned)
{
	struct tl_message *copy;
	int rc;

	if ((rc = grow_slots(ms)) < 0 || (rc = grow_list(ms)) < 0)
		return rc;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *message;
	copy->id = (uint32_t)ms->count + 1;
	*find_slot(ms->slots, ms->size, copy) = copy;
	ms->list[ms->count++] = copy;
	*interned = copy;
	return 0;
}

int
tl_chain_intern(struct tl_chain *chain, const struct tl_message *message,
    const struct tl_message **interned)
{
	struct tl_chain_messages *ms = &chain->messages;
	struct tl_message translated;
	const int rc = translate(chain->bytes, message, &translated);

	if (rc < 0)
		return rc;
	*interned = chain->bytes->nothing;
	if (!translated.text.data)
		return 0;
	if (ms->size > 0)
		*interned = *find_slot(ms->slots, ms->size, &translated);
	if (ms->size > 0 && *interned)
		return 0;
	*interned = chain->bytes->nothing;
	if (ms->count == MESSAGES_MAX)
		return 0;
	return add(ms, &translated, interned);
}

void
tl_chain_messages_free(struct tl_chain_messages *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		free((void *)(uintptr_t)ms->list[i]);
	free(ms->list);
	free(ms->slots);
}
