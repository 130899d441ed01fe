/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the calls that are open in each thread of a Lincheck
 * trace while it is read.
 */
#ifndef TL_FORMAT_LINCHECK_CALLS_H
#define TL_FORMAT_LINCHECK_CALLS_H

#include "base/id_map.h"
#include "event/message.h"
#include "format/lincheck/lincheck.h"

/* A container that is open where events are put. */
struct tl_lincheck_inner {
	const struct tl_message *message;
	int32_t class; /* of a method that runs, or NONE */
};

/* ... and where objects are parsed, which is ahead of that. */
struct tl_lincheck_level {
	uint64_t start; /* of its content in the stream of its thread */
	int32_t event;
	uint8_t class;
};

struct tl_lincheck_thread {
	int32_t id;
	uint32_t depth;
	size_t capacity;
	struct tl_lincheck_inner *calls; /* the outermost first */
	uint64_t skipped;                /* ... those that were too deep */
	struct tl_lincheck_level *levels;
	uint32_t level;
	size_t level_capacity;
	uint64_t levels_skipped;
	uint64_t size; /* of its stream so far */
	int64_t last_ns;
	bool has_events;
	uint64_t name; /* number of a string; 0: none */
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
    const struct tl_message *message, int32_t class);
/* The innermost ends: 0; -ENOENT: there is none; -ENOSPC: it was too deep. */
int tl_lincheck_calls_pop(struct tl_lincheck_thread *thread,
    const struct tl_message **message);
/* The class of the method that runs innermost, or NONE. */
int32_t tl_lincheck_calls_class(const struct tl_lincheck_thread *thread);
/* The same where objects are parsed. */
int tl_lincheck_calls_open_level(struct tl_lincheck_thread *thread,
    struct tl_lincheck_level level);
int tl_lincheck_calls_close_level(struct tl_lincheck_thread *thread,
    struct tl_lincheck_level *level);
/* The class of the container that a footer would end. */
uint8_t tl_lincheck_calls_container(const struct tl_lincheck_thread *thread);
/* How many are open. */
uint64_t tl_lincheck_calls_open(const struct tl_lincheck_calls *calls);
void tl_lincheck_calls_free(struct tl_lincheck_calls *calls);

#endif
