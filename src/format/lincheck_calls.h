/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_calls.h - the calls that are open in each thread of a Lincheck
 * trace while it is read.
 */
#ifndef TL_FORMAT_LINCHECK_CALLS_H
#define TL_FORMAT_LINCHECK_CALLS_H

#include "event/message.h"
#include "format/lincheck.h"
#include "format/numbers.h"

struct tl_lincheck_thread {
	int32_t id;
	uint32_t depth;
	size_t capacity;
	const struct tl_message **calls; /* the outermost first */
	uint64_t skipped;                /* ... those that were too deep */
	int64_t last_ns;
};

/* Starts from all zeros. */
struct tl_lincheck_calls {
	struct tl_numbers numbers;
	struct tl_lincheck_thread *threads;
	size_t capacity;
};

/* The number of a thread: 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_calls_find(struct tl_lincheck_calls *calls, int32_t id,
    uint32_t *number);
static inline struct tl_lincheck_thread *
tl_lincheck_calls_at(const struct tl_lincheck_calls *calls, uint32_t number)
{
	return &calls->threads[number];
}

/* A call begins: 0, -ENOSPC too deep, -ENOMEM. */
int tl_lincheck_calls_push(struct tl_lincheck_thread *thread,
    const struct tl_message *message);
/* The innermost ends: 0; -ENOENT: there is none; -ENOSPC: it was too deep. */
int tl_lincheck_calls_pop(struct tl_lincheck_thread *thread,
    const struct tl_message **message);
/* How many are open. */
uint64_t tl_lincheck_calls_open(const struct tl_lincheck_calls *calls);
void tl_lincheck_calls_free(struct tl_lincheck_calls *calls);

#endif
