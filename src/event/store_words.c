/* SPDX-License-Identifier: Apache-2.0 */
/* store_words.c - events to words and back. */
#include "event/store_words.h"

/* Flags of what is there; low bits of the head's fourth byte count args. */
enum {
	HAS_TSC = 1 << 3,
	HAS_NUMBER = 1 << 4,
	HAS_ERROR = 1 << 5,
	HAS_LANE = 1 << 6,
	IS_BARE = 1 << 7,
	ARGS_MASK = 7
};

/* The top bit of the head's second byte; the others are the kind. */
enum { IS_CONTINUED = 1 << 7, KIND_MASK = IS_CONTINUED - 1 };

size_t
tl_store_pack(uint64_t *to, const struct tl_event *e)
{
	const unsigned args = e->message ? e->message->argc : 1;
	unsigned flags = args | (e->bare ? IS_BARE : 0);
	const unsigned kind = e->kind | (e->continued ? IS_CONTINUED : 0);
	size_t n = 1;

	to[n++] = (uint64_t)e->ns;
	to[n++] = (uint64_t)(uintptr_t)e->message;
	to[n++] = (uint64_t)e->pid << 32 | e->tid;
	if (e->tsc) {
		flags |= HAS_TSC;
		to[n++] = e->tsc;
	}
	if (e->number) {
		flags |= HAS_NUMBER;
		to[n++] = e->number;
	}
	if (e->error_ns || e->epoch) {
		flags |= HAS_ERROR;
		to[n++] = (uint64_t)e->error_ns << 32 | e->epoch;
	}
	if (e->lane) {
		flags |= HAS_LANE;
		to[n++] = e->lane;
	}
	for (unsigned i = 0; i < args; i++)
		to[n++] = e->message ? e->args[i] : e->lost;
	to[0] = (uint64_t)e->cpu << 32 | flags << 24 | e->level << 16 |
		kind << 8 | (n + 1);
	to[n] = to[0];
	return n + 1;
}

void
tl_store_unpack(struct tl_event *e, const uint64_t *from)
{
	const uint64_t head = *from++;
	const unsigned flags = head >> 24 & 0xff;

	*e = (struct tl_event){ .ns = (int64_t)from[0],
		.message =
		    (const struct tl_message *)(const void *)(uintptr_t)from[1],
		.pid = (uint32_t)(from[2] >> 32),
		.tid = (uint32_t)from[2],
		.cpu = (uint32_t)(head >> 32),
		.level = (uint8_t)(head >> 16),
		.kind = head >> 8 & KIND_MASK,
		.continued = head >> 8 & IS_CONTINUED,
		.bare = flags & IS_BARE };
	from += 3;
	if (flags & HAS_TSC)
		e->tsc = *from++;
	if (flags & HAS_NUMBER)
		e->number = *from++;
	if (flags & HAS_ERROR) {
		e->error_ns = (uint32_t)(*from >> 32);
		e->epoch = (uint32_t)*from++;
	}
	if (flags & HAS_LANE)
		e->lane = (uint32_t)*from++;
	if (!e->message)
		e->lost = *from;
	for (unsigned i = 0; e->message && i < (flags & ARGS_MASK); i++)
		e->args[i] = *from++;
}
