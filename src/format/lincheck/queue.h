/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - objects that wait, first in first out.  A reader queues objects
 * until the definition that the first object refers to has been read; a writer
 * queues records until all events are known.
 *
 *	put --> tail --> a file without a name --> head --> front
 *
 * Memory is bounded for any input, because objects beyond the two buffers lie
 * in an unnamed file.  Only while no descriptor is free, the tail grows
 * instead.
 */
#ifndef TL_FORMAT_LINCHECK_QUEUE_H
#define TL_FORMAT_LINCHECK_QUEUE_H

#include "base/text.h"

enum { TL_LINCHECK_QUEUE_PIECE = 1 << 20 };

struct tl_lincheck_waiting {
	uint64_t at;     /* offset in the input */
	uint32_t thread; /* number given by the reader */
	uint32_t size;
	uint8_t container; /* class that a footer ends */
};

/* Starts from all zeros except for fd, which is -1. */
struct tl_lincheck_queue {
	struct tl_text tail;
	struct tl_text head;
	size_t head_at; /* bytes of head that are taken */
	int fd;
	/* The bytes from .. to of the file are queued. */
	uint64_t from;
	uint64_t to;
};

/*
 * Append an object; waiting.size is set here.  0, -ENOMEM, -errno of the file.
 */
int tl_lincheck_queue_put(struct tl_lincheck_queue *queue,
    struct tl_lincheck_waiting waiting, struct tl_bytes object);
/*
 * Return the first object of a queue that is not empty: 0, -ENOMEM, -errno of
 * the file.  The bytes of the object are valid until the next call.
 */
int tl_lincheck_queue_front(struct tl_lincheck_queue *queue,
    struct tl_lincheck_waiting *waiting, struct tl_bytes *object);
/* Remove the object that tl_lincheck_queue_front() returned. */
void tl_lincheck_queue_pop(struct tl_lincheck_queue *queue);
bool tl_lincheck_queue_is_empty(const struct tl_lincheck_queue *queue);
void tl_lincheck_queue_free(struct tl_lincheck_queue *queue);

#endif
