/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.c - blocks that were sent, acknowledged in the order of sending
 */
#include "ship/target/window.h"

#include "base/array.h"
#include "base/ns.h"
#include "clock/clock.h"

#include <errno.h>
#include <stdlib.h>

/* == window == */

int64_t
tl_now_ms(void)
{
	return tl_clock_read(CLOCK_MONOTONIC) / TL_NS_PER_MS;
}

static struct tl_sending *
at(struct tl_window *w, uint64_t serial)
{
	return &w->sendings[serial % TL_WINDOW_MAX];
}

bool
tl_window_has_room(const struct tl_window *w, size_t size)
{
	return tl_window_is_empty(w) ||
	       (w->next - w->first < TL_WINDOW_MAX &&
		   size + w->size <= TL_WINDOW_SIZE_MAX);
}

struct tl_sending *
tl_window_add(struct tl_window *w, const struct tl_block *block, uint64_t queue,
    void *message)
{
	struct tl_sending *sending = at(w, w->next);

	*sending = (struct tl_sending){ .serial = w->next++,
		.number = block->number,
		.queue = queue,
		.size = block->data.size,
		.message = message };
	memcpy(sending->chain, block->chain, sizeof(sending->chain));
	w->size += sending->size;
	return sending;
}

struct tl_sending *
tl_window_find(struct tl_window *w, uint64_t serial)
{
	return serial >= w->first && serial < w->next ? at(w, serial) : NULL;
}

bool
tl_window_must_wait(struct tl_window *w, const struct tl_sending *sending)
{
	for (uint64_t i = w->first; i < sending->serial; i++) {
		const struct tl_sending *other = at(w, i);

		if (other->state != TL_SENDING_ACKED &&
		    other->queue == sending->queue)
			return true;
	}
	return false;
}

int64_t
tl_window_time_left(struct tl_window *w, int64_t ms, int64_t at_most)
{
	const int64_t now = tl_now_ms();
	int64_t left = at_most;

	for (uint64_t i = w->first; i < w->next; i++) {
		const struct tl_sending *sending = at(w, i);

		if (sending->state == TL_SENDING_SENT &&
		    sending->sent_ms + ms - now < left)
			left = sending->sent_ms + ms - now;
	}
	return left < 0 ? 0 : left;
}

/* Remove the oldest. */
static struct tl_sending *
take(struct tl_window *w)
{
	struct tl_sending *sending = at(w, w->first++);

	if (w->forget)
		w->forget(sending->message);
	sending->message = NULL;
	w->size -= sending->size;
	return sending;
}

unsigned
tl_window_ack(struct tl_window *w, const struct tl_target *target)
{
	unsigned count = 0;

	for (; !tl_window_is_empty(w); count++) {
		const struct tl_sending *sending = at(w, w->first);

		if (sending->state != TL_SENDING_ACKED)
			break;
		take(w);
		target->acked(target->context, sending->chain, sending->number,
		    0);
	}
	return count;
}

void
tl_window_reject(struct tl_window *w, const struct tl_target *target,
    uint64_t serial, int rc)
{
	tl_window_ack(w, target);
	while (!tl_window_is_empty(w)) {
		const struct tl_sending *sending = take(w);

		target->acked(target->context, sending->chain, sending->number,
		    sending->serial == serial ? rc : -ECANCELED);
	}
}

void
tl_window_clear(struct tl_window *w)
{
	while (!tl_window_is_empty(w))
		take(w);
}

/* == queue == */

int
tl_queue_add(struct tl_target_queue *q, const struct tl_block *block)
{
	if (TL_ARRAY_ROOM(q->items, q->capacity, q->count) < 0)
		return -ENOMEM;
	memcpy(q->items[q->count].chain, block->chain, TL_CHAIN_SIZE);
	q->items[q->count++].number = block->number;
	return 0;
}

int
tl_queue_move(struct tl_target_queue *to, struct tl_target_queue *from)
{
	if (TL_ARRAY_ROOM(to->items, to->capacity, to->count + from->count) < 0)
		return -ENOMEM;
	if (from->count > 0)
		memcpy(to->items + to->count, from->items,
		    from->count * sizeof(*to->items));
	to->count += from->count;
	from->count = 0;
	return 0;
}

void
tl_queue_ack(struct tl_target_queue *q, const struct tl_target *target)
{
	for (size_t i = 0; i < q->count; i++)
		target->acked(target->context, q->items[i].chain,
		    q->items[i].number, 0);
	q->count = 0;
}

void
tl_queue_free(struct tl_target_queue *q)
{
	free(q->items);
	*q = (struct tl_target_queue){ 0 };
}
