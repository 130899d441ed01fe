/* SPDX-License-Identifier: Apache-2.0 */
/* trace_diff_identity.c - messages by what they say, kept by their address. */
#include "trace/diff/identity.h"

#include <stdlib.h>

#define PRIME UINT64_C(0x100000001b3)

static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t
mix_bytes(uint64_t hash, struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		hash = (hash ^ (uint8_t)bytes.data[i]) * PRIME;
	return mix(hash, bytes.size);
}

/* A path without its folders. */
static struct tl_bytes
file_name(struct tl_bytes path)
{
	const char *slash =
	    path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
	size_t skipped;

	if (!slash)
		return path;
	skipped = (size_t)(slash + 1 - path.data);
	return tl_bytes(slash + 1, path.size - skipped);
}

static uint64_t
identify(const struct tl_diff_identities *ids, const struct tl_message *m)
{
	uint64_t hash = mix(ids->seed, (uint64_t)m->kind << 8 | m->scope);

	hash = mix_bytes(hash, m->category);
	hash = mix_bytes(hash, m->text);
	hash = mix_bytes(hash, file_name(m->file));
	return ids->lines ? mix(hash, m->line) : hash;
}

static uint64_t
identity_of(struct tl_diff_identities *ids, const struct tl_message *message)
{
	const uint64_t *known = tl_message_map_find(&ids->known, message);
	uint64_t hash, *kept;

	if (known)
		return *known;
	hash = identify(ids, message);
	kept = malloc(sizeof(*kept));
	if (kept) {
		*kept = hash;
		if (tl_message_map_add(&ids->known, message, kept) < 0)
			free(kept); /* found again each time */
	}
	return hash;
}

uint64_t
tl_diff_identity(struct tl_diff_identities *ids, const struct tl_event *event)
{
	if (!event->message)
		return mix(ids->seed, event->kind);
	return mix(identity_of(ids, event->message), event->kind);
}

void
tl_diff_identities_free(struct tl_diff_identities *ids)
{
	tl_message_map_free(&ids->known, free);
}

/* The numbers of strings are each trace's own. */
static bool
same_string(const struct tl_event *a, const struct tl_event *b, unsigned i)
{
	const struct tl_bytes x = tl_message_string(a->message, a->args[i]);
	const struct tl_bytes y = tl_message_string(b->message, b->args[i]);

	if (!x.data || !y.data)
		return !x.data && !y.data && a->args[i] == b->args[i];
	return tl_bytes_equal(x, y);
}

bool
tl_diff_same_values(const struct tl_event *a, const struct tl_event *b)
{
	if (!a->message || !b->message)
		return a->lost == b->lost;
	if (a->bare != b->bare || a->message->argc != b->message->argc)
		return false;
	for (unsigned i = 0; i < a->message->argc; i++) {
		const bool text =
		    a->message->args[i].format == TIMELINE_ARG_STRING;

		if (text ? !same_string(a, b, i) : a->args[i] != b->args[i])
			return false;
	}
	return true;
}
