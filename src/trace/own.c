/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.c - a short list in each thread's own memory.
 *
 * Little of that memory is taken: a library that is loaded late has to share
 * what the loader kept in reserve.  The list itself is freed by a key.
 */
#include "trace/own.h"

#include <pthread.h>
#include <stdlib.h>

struct list {
	struct tl_own own[TL_OWN_TRACES];
	uint64_t clock;
};

static _Thread_local struct list *list;
static pthread_key_t key;

/* Who is called after us, as the thread ends, may record something yet. */
static void
free_list(void *memory)
{
	list = NULL;
	free(memory);
}

int
tl_own_prepare(void)
{
	return -pthread_key_create(&key, free_list);
}

static struct list *
make_list(void)
{
	struct list *made = calloc(1, sizeof(*made));

	if (made && pthread_setspecific(key, made) != 0) {
		free(made);
		made = NULL;
	}
	return list = made;
}

struct tl_own *
tl_own_find(uint64_t number)
{
	struct tl_own *oldest, *own;

	if (!list && !make_list())
		return NULL;
	oldest = list->own;
	for (own = list->own; own < list->own + TL_OWN_TRACES; own++) {
		if (own->number == number)
			break;
		if (own->used < oldest->used)
			oldest = own;
	}
	if (own == list->own + TL_OWN_TRACES) {
		own = oldest;
		*own = (struct tl_own){ .number = number };
	}
	own->used = ++list->clock;
	return own;
}

void
tl_own_forget(uint64_t number)
{
	for (unsigned i = 0; list && i < TL_OWN_TRACES; i++)
		if (list->own[i].number == number)
			list->own[i] = (struct tl_own){ 0 };
}
