/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - parts of a file in memory. */
#include "snap/parts.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 1 << 20 /* bytes that stay allocated from round to round */ };

/* The first part that ends after a byte.  count: none. */
static size_t
find(const struct tl_parts *p, uint64_t at)
{
	size_t i = p->count;

	TL_SEARCH(i, 0, p->count, p->list[i].at + p->list[i].size <= at);
	return i;
}

/* Read bytes that are in no part. */
static int
read_gap(const struct tl_parts *p, uint8_t *data, size_t size, uint64_t at)
{
	int rc = 0;

	memset(data, 0, size);
	for (size_t i = 0; rc == 0 && i < TL_PARTS_WINDOWS; i++) {
		const struct tl_part *w = &p->windows[i];
		const uint64_t from = at > w->at ? at : w->at;
		const uint64_t end = tl_least(at + size, w->at + w->size);

		if (from < end)
			rc = tl_read_zero_filled(p->live, data + (from - at),
			    end - from, from);
	}
	return rc;
}

static int64_t
parts_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	const struct tl_parts *p = (struct tl_parts *)storage;
	uint8_t *to = data;
	uint64_t at = offset;
	uint64_t end;

	if (offset >= storage->size)
		return 0;
	end = offset + tl_least(size, storage->size - offset);
	for (size_t i = find(p, offset); at < end; i++) {
		const struct tl_part *part = i < p->count ? &p->list[i] : NULL;
		const uint64_t gap_end = part ? tl_least(part->at, end) : end;
		size_t n = 0;

		if (at < gap_end) {
			const int rc = read_gap(p, to, gap_end - at, at);

			if (rc < 0)
				return rc;
			to += gap_end - at;
			at = gap_end;
		}
		if (part && at < end)
			n = tl_least(part->at + part->size, end) - at;
		if (n > 0)
			memcpy(to, p->data + part->from + (at - part->at), n);
		to += n;
		at += n;
	}
	return (int64_t)(end - offset);
}

/* Closing does nothing, because the follower owns the parts. */
static void
parts_close(struct tl_storage *storage)
{
	(void)storage;
}

void
tl_parts_init(struct tl_parts *p, int live, const struct timeline_header *h)
{
	*p = (struct tl_parts){ .storage = { .read_at = parts_read_at,
				    .close = parts_close },
		.live = live,
		.windows = { { .size = sizeof(*h) },
		    { .at = h->names_offset,
			.size = h->names_offset
				    ? h->names_max * TIMELINE_NAME_SIZE
				    : 0 },
		    { .at = h->strings_offset, .size = h->strings_size } } };
}

void
tl_parts_clear(struct tl_parts *p, uint64_t size)
{
	p->storage.size = size;
	p->count = p->used = 0;
	if (p->room <= KEPT_MAX)
		return;
	free(p->data);
	p->data = NULL;
	p->room = 0;
}

static int
make_room(struct tl_parts *p, size_t size)
{
	size_t room = p->room ? p->room : TIMELINE_PAGE_SIZE;
	uint8_t *data;

	if (size <= p->room - p->used)
		return 0;
	while (room - p->used < size)
		room *= 2;
	if (!(data = realloc(p->data, room)))
		return -ENOMEM;
	p->data = data;
	p->room = room;
	return 0;
}

int
tl_parts_add(struct tl_parts *p, const void *data, size_t size, uint64_t at)
{
	const size_t i = find(p, at);
	struct tl_part *before;

	if (make_room(p, size) < 0 ||
	    TL_ARRAY_ROOM(p->list, p->capacity, p->count) < 0)
		return -ENOMEM;
	memcpy(p->data + p->used, data, size);
	before = i > 0 ? &p->list[i - 1] : NULL;
	if (before && before->at + before->size == at &&
	    before->from + before->size == p->used) {
		before->size += size;
	} else {
		memmove(p->list + i + 1, p->list + i,
		    (p->count - i) * sizeof(*p->list));
		p->list[i] = (struct tl_part){ at, size, p->used };
		p->count++;
	}
	p->used += size;
	return 0;
}

void
tl_parts_zero(struct tl_parts *p, uint64_t size, uint64_t at)
{
	const uint64_t end = at + size;

	for (size_t i = find(p, at); i < p->count && p->list[i].at < end; i++) {
		const struct tl_part *part = &p->list[i];
		const uint64_t from = at > part->at ? at - part->at : 0;

		memset(p->data + part->from + from, 0,
		    tl_least(end - part->at, part->size) - from);
	}
}

void
tl_parts_free(struct tl_parts *p)
{
	free(p->list);
	free(p->data);
	free(p->chunk);
}
