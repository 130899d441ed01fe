/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_calls.c - a stack of messages for each thread. */
#include "format/lincheck/calls.h"

#include <errno.h>
#include <stdlib.h>

int
tl_lincheck_calls_find(struct tl_lincheck_calls *c, int32_t id,
    uint32_t *number)
{
	const struct tl_number_key key = { .a = (uint32_t)id };
	void *threads = c->threads;
	int rc;

	rc = tl_numbers_get(&c->numbers, key, number);
	if (rc >= 0 && *number >= TL_LINCHECK_THREADS_MAX)
		return -ENOSPC;
	if (rc > 0) {
		rc = tl_numbers_room(&threads, &c->capacity, *number,
		    sizeof(*c->threads));
		c->threads = threads;
		if (rc == 0)
			c->threads[*number].id = id;
	}
	return rc;
}

int
tl_lincheck_calls_push(struct tl_lincheck_thread *thread,
    const struct tl_message *message, int32_t class)
{
	void *calls = thread->calls;
	int rc;

	if (thread->depth == TL_LINCHECK_DEPTH_MAX) {
		thread->skipped++;
		return -ENOSPC;
	}
	rc = tl_numbers_room(&calls, &thread->capacity, thread->depth,
	    sizeof(*thread->calls));
	thread->calls = calls;
	if (rc == 0)
		thread->calls[thread->depth++] =
		    (struct tl_lincheck_inner){ message, class };
	return rc;
}

int32_t
tl_lincheck_calls_class(const struct tl_lincheck_thread *thread)
{
	return thread->depth > 0 && thread->skipped == 0
		   ? thread->calls[thread->depth - 1].class
		   : TL_LINCHECK_NONE;
}

int
tl_lincheck_calls_open_level(struct tl_lincheck_thread *thread,
    struct tl_lincheck_level level)
{
	void *levels = thread->levels;
	int rc;

	if (thread->level == TL_LINCHECK_DEPTH_MAX) {
		thread->levels_skipped++;
		return 0;
	}
	rc = tl_numbers_room(&levels, &thread->level_capacity, thread->level,
	    sizeof(*thread->levels));
	thread->levels = levels;
	if (rc == 0)
		thread->levels[thread->level++] = level;
	return rc;
}

int
tl_lincheck_calls_close_level(struct tl_lincheck_thread *thread,
    struct tl_lincheck_level *level)
{
	if (thread->levels_skipped > 0) {
		thread->levels_skipped--;
		return -ENOSPC;
	}
	if (thread->level == 0)
		return -ENOENT;
	*level = thread->levels[--thread->level];
	return 0;
}

uint8_t
tl_lincheck_calls_container(const struct tl_lincheck_thread *thread)
{
	return thread->level > 0 && thread->levels_skipped == 0
		   ? thread->levels[thread->level - 1].class
		   : TL_LINCHECK_CALL;
}

int
tl_lincheck_calls_pop(struct tl_lincheck_thread *thread,
    const struct tl_message **message)
{
	if (thread->skipped > 0) {
		thread->skipped--;
		return -ENOSPC;
	}
	if (thread->depth == 0)
		return -ENOENT;
	*message = thread->calls[--thread->depth].message;
	return 0;
}

uint64_t
tl_lincheck_calls_open(const struct tl_lincheck_calls *c)
{
	uint64_t open = 0;

	for (uint32_t i = 0; i < c->numbers.count && i < c->capacity; i++)
		open += c->threads[i].depth;
	return open;
}

void
tl_lincheck_calls_free(struct tl_lincheck_calls *c)
{
	for (size_t i = 0; i < c->capacity; i++) {
		free(c->threads[i].calls);
		free(c->threads[i].levels);
	}
	free(c->threads);
	tl_numbers_free(&c->numbers);
}
