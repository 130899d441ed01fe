/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_words.h - an event as words that lie in a store.
 *
 * An event is some words, the same one at both ends so that it can be read in
 * both directions; words that would be 0 are left out, as its flags say:
 *
 *	head | ns | message | pid, tid | [tsc] [number] [error, epoch] [lane]
 *	     | [lost] | args... | head
 *
 *	head: count of words 8, kind 7, continued 1, level 8,
 *	      args and bare 8, cpu 32
 */
#ifndef TL_EVENT_STORE_WORDS_H
#define TL_EVENT_STORE_WORDS_H

#include "event/event.h"

enum {
	TL_STORE_WORDS_MAX = 4 + 5 + TL_ARGS_MAX + 1,
	TL_STORE_NS = 1 /* the word that is its time */
};

/* Write an event, of at most TL_STORE_WORDS_MAX words: how many they are. */
size_t tl_store_pack(uint64_t *to, const struct tl_event *event);
void tl_store_unpack(struct tl_event *event, const uint64_t *from);

/* How many words an event has, by its first or last. */
static inline size_t
tl_store_size(uint64_t head)
{
	return (size_t)(head & 0xff);
}

#endif
