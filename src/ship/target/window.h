/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h - blocks on their way to a cluster, in the order of sending.
 *
 *	acked <-- | sent  acked  sent  waits  sent  waits | <-- add
 *	          first                                  next   (serials)
 */
#ifndef TL_SHIP_TARGET_WINDOW_H
#define TL_SHIP_TARGET_WINDOW_H

#include "ship/target/target.h"

/* == a window of blocks in flight to a cluster == */

enum {
	TL_WINDOW_MAX = 64,          /* blocks */
	TL_WINDOW_SIZE_MAX = 8 << 20 /* bytes, or one block */
};

enum tl_sending_state { TL_SENDING_WAITS, TL_SENDING_SENT, TL_SENDING_ACKED };

struct tl_sending {
	enum tl_sending_state state;
	uint64_t serial; /* unique */
	int64_t sent_ms; /* tl_now_ms */
	char chain[TL_CHAIN_SIZE];
	uint64_t number;
	uint64_t queue; /* hash: sendings of one queue go one at a time */
	size_t size;
	void *message;   /* the target's own */
	unsigned stored; /* how many of its messages the target has */
	bool look;       /* for what the target has, before it is sent */
};

/* Starts from all zeros but for forget. */
struct tl_window {
	uint64_t first, next;
	size_t size;
	void (*forget)(void *message); /* may be NULL */
	struct tl_sending sendings[TL_WINDOW_MAX];
};

int64_t tl_now_ms(void);

static inline bool
tl_window_is_empty(const struct tl_window *window)
{
	return window->first == window->next;
}

bool tl_window_has_room(const struct tl_window *window, size_t size);
/* Add a block, after tl_window_has_room; it waits. */
struct tl_sending *tl_window_add(struct tl_window *window,
    const struct tl_block *block, uint64_t queue, void *message);
/* The sending of a serial, or NULL: it is no longer in flight. */
struct tl_sending *tl_window_find(struct tl_window *window, uint64_t serial);
/* Is an earlier block of its queue not acked? */
bool
tl_window_must_wait(struct tl_window *window, const struct tl_sending *sending);
/* Time left until the oldest sent block is ms old; 0: it is; at_most if none is
 * sent. */
int64_t
tl_window_time_left(struct tl_window *window, int64_t ms, int64_t at_most);

/* Report acked blocks, oldest first, up to one that is not; returns how
 * many. */
unsigned
tl_window_ack(struct tl_window *window, const struct tl_target *target);
/* The target rejects that serial: report it with rc, all others with
 * -ECANCELED; the window is empty then. */
void tl_window_reject(struct tl_window *window, const struct tl_target *target,
    uint64_t serial, int rc);
/* Remove all without a report. */
void tl_window_clear(struct tl_window *window);

/* == a queue of blocks that are written, but not yet acknowledged == */

struct tl_queued {
	char chain[TL_CHAIN_SIZE];
	uint64_t number;
};

/* Starts from all zeros. */
struct tl_target_queue {
	struct tl_queued *items;
	size_t count;
	size_t capacity;
};

/* 0 or -ENOMEM. */
int tl_queue_add(struct tl_target_queue *queue, const struct tl_block *block);
/* Append all of one queue to another, and empty it: 0, -ENOMEM. */
int tl_queue_move(struct tl_target_queue *to, struct tl_target_queue *from);
/* Report all as acked, and empty the queue. */
void
tl_queue_ack(struct tl_target_queue *queue, const struct tl_target *target);
void tl_queue_free(struct tl_target_queue *queue);

#endif
