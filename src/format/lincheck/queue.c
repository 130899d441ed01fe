/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - records of (header, object) in two buffers and a file. */
#include "format/lincheck/queue.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

enum { HEADER = sizeof(struct tl_lincheck_waiting) };

int
tl_lincheck_queue_put(struct tl_lincheck_queue *q,
    struct tl_lincheck_waiting waiting, struct tl_bytes object)
{
	int rc;

	waiting.size = (uint32_t)object.size;
	tl_put_bytes(&q->tail, tl_bytes(&waiting, HEADER));
	tl_put_bytes(&q->tail, object);
	if (q->tail.rc < 0 || q->tail.size < TL_LINCHECK_QUEUE_PIECE)
		return q->tail.rc;

	/* move the tail to the end of the file */
	if (q->fd < 0 && (q->fd = tl_file_unnamed()) < 0) {
		rc = q->fd;
		q->fd = -1;
		/* no descriptor is free: the tail stays in memory */
		return rc == -EMFILE || rc == -ENFILE ? 0 : rc;
	}
	rc = tl_write_at(q->fd, q->tail.data, q->tail.size, q->to);
	if (rc < 0)
		return rc;
	q->to += q->tail.size;
	tl_text_clear(&q->tail);
	return 0;
}

/* Drop the taken bytes of head; append bytes of the file, or take the tail. */
static int
refill(struct tl_lincheck_queue *q, size_t missing)
{
	uint64_t size = q->to - q->from;
	struct tl_text empty;
	char *to;
	int64_t n;

	q->head.size -= q->head_at;
	if (q->head.size > 0)
		memmove(q->head.data, q->head.data + q->head_at, q->head.size);
	q->head_at = 0;
	if (size == 0) { /* head is empty: the file holds whole records */
		empty = q->head;
		q->head = q->tail;
		q->tail = empty;
		return 0;
	}
	if (missing < TL_LINCHECK_QUEUE_PIECE)
		missing = TL_LINCHECK_QUEUE_PIECE;
	if (size > missing)
		size = missing;
	if (!(to = tl_text_reserve(&q->head, size)))
		return -ENOMEM;
	n = tl_read_at(q->fd, to, size, q->from);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < size)
		return -EIO;
	q->head.size += size;
	q->from += size;
	if (q->from == q->to)
		q->from = q->to = 0;
	return 0;
}

int
tl_lincheck_queue_front(struct tl_lincheck_queue *q,
    struct tl_lincheck_waiting *waiting, struct tl_bytes *object)
{
	size_t need = HEADER;
	int rc;

	for (;;) {
		const size_t have = q->head.size - q->head_at;

		if (have >= HEADER) {
			memcpy(waiting, q->head.data + q->head_at, HEADER);
			need = HEADER + (size_t)waiting->size;
		}
		if (have >= need)
			break;
		if ((rc = refill(q, need - have)) < 0)
			return rc;
	}
	*object = tl_bytes(q->head.data + q->head_at + HEADER, waiting->size);
	return 0;
}

void
tl_lincheck_queue_pop(struct tl_lincheck_queue *q)
{
	struct tl_lincheck_waiting waiting;

	memcpy(&waiting, q->head.data + q->head_at, HEADER);
	q->head_at += HEADER + (size_t)waiting.size;
	if (q->head_at < q->head.size)
		return;
	tl_text_clear(&q->head);
	q->head_at = 0;
}

bool
tl_lincheck_queue_is_empty(const struct tl_lincheck_queue *q)
{
	return q->head_at == q->head.size && q->from == q->to &&
	       q->tail.size == 0;
}

void
tl_lincheck_queue_free(struct tl_lincheck_queue *q)
{
	tl_text_free(&q->tail);
	tl_text_free(&q->head);
	if (q->fd >= 0)
		close(q->fd);
}
