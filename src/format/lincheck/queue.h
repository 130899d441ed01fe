/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - objects that wait, first in first out: those of a reader
 * for what one of them refers to, which stands behind it in the file; those of
 * a writer until all are known.
 *
 *	put --> tail --> a file without a name --> head --> front
 *
 * Memory is bounded for any input: the rest is in an unnamed file.
 */
#ifndef TL_FORMAT_LINCHECK_QUEUE_H
#define TL_FORMAT_LINCHECK_QUEUE_H

#include "base/text.h"

enum { TL_LINCHECK_QUEUE_PIECE = 1 << 20 };

struct tl_lincheck_waiting {
	uint64_t at;     /* in the input */
	uint32_t thread; /* the reader's number of it */
	uint32_t size;
	uint8_t container; /* that a footer ends: its class */
};

/* Starts from all zeros but for fd, which is -1. */
struct tl_lincheck_queue {
	struct tl_text tail;
	struct tl_text head;
	size_t head_at; /* what of head is taken */
	int fd;
	uint64_t from; /* what lies in the file */
	uint64_t to;
};

/* size of waiting is that of the object: 0, -ENOMEM, -errno of the file. */
int tl_lincheck_queue_put(struct tl_lincheck_queue *queue,
    struct tl_lincheck_waiting waiting, struct tl_bytes object);
/* The first of all: 1; 0: there is none; -errno.  Good until the next call. */
int tl_lincheck_queue_front(struct tl_lincheck_queue *queue,
    struct tl_lincheck_waiting *waiting, struct tl_bytes *object);
/* Take it away, after it was seen. */
void tl_lincheck_queue_pop(struct tl_lincheck_queue *queue);
bool tl_lincheck_queue_is_empty(const struct tl_lincheck_queue *queue);
void tl_lincheck_queue_free(struct tl_lincheck_queue *queue);

#endif
