/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.c - records in chunks, thinned in place.
 *
 * When records are dropped, the other records move towards the beginning and
 * keep their order.  A record never moves past its old place: either the record
 * still fits into the chunk before, or its own chunk is empty up to the record.
 */
#include "analysis/records.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_WORDS = 1 << 16,
	HEAD_WORDS = sizeof(struct tl_record) / sizeof(uint64_t)
};

_Static_assert(sizeof(struct tl_record) % sizeof(uint64_t) == 0, "in words");

struct tl_records_chunk {
	size_t used; /* in words */
	uint64_t words[CHUNK_WORDS];
};

static size_t
words_of(const struct tl_record *r)
{
	return (size_t)HEAD_WORDS + r->argc + r->part_count + r->path_count;
}

struct tl_record *
tl_records_next(struct tl_records_at *at)
{
	while (at->chunk < at->records->chunk_count) {
		struct tl_records_chunk *chunk = at->records->chunks[at->chunk];
		struct tl_record *r =
		    (struct tl_record *)(void *)&chunk->words[at->word];

		if (at->word < chunk->used) {
			at->word += words_of(r);
			return r;
		}
		at->chunk++;
		at->word = 0;
	}
	return NULL;
}

struct tl_record *
tl_records_known(struct tl_records_at *at)
{
	struct tl_record *r;

	do
		r = tl_records_next(at);
	while (r && r->alone);
	return r;
}

uint64_t
tl_record_amount(const struct tl_record *record, unsigned feature)
{
	const uint64_t *parts = tl_record_parts(record);

	for (unsigned i = 0; i < record->part_count; i++)
		if (tl_part_feature(parts[i]) == feature)
			return tl_part_amount(parts[i]);
	return 0;
}

static uint64_t *
append(uint64_t *to, const uint64_t *from, size_t count)
{
	if (count > 0)
		memcpy(to, from, count * sizeof(*to));
	return to + count;
}

int
tl_records_add(struct tl_records *records, const struct tl_record *head,
    const uint64_t *args, const uint64_t *parts, const uint64_t *path)
{
	const size_t words = words_of(head);
	struct tl_records_chunk *chunk;
	uint64_t *to;

	if (records->chunk_count == 0 ||
	    CHUNK_WORDS - records->chunks[records->chunk_count - 1]->used <
		words) {
		if (TL_ARRAY_ROOM(records->chunks, records->chunk_capacity,
			records->chunk_count) < 0 ||
		    !(chunk = malloc(sizeof(*chunk))))
			return -ENOMEM;
		chunk->used = 0;
		records->chunks[records->chunk_count++] = chunk;
	}
	chunk = records->chunks[records->chunk_count - 1];
	to = &chunk->words[chunk->used];
	memcpy(to, head, sizeof(*head));
	to = append(to + HEAD_WORDS, args, head->argc);
	to = append(to, parts, head->part_count);
	append(to, path, head->path_count);
	chunk->used += words;
	records->count++;
	records->weight += head->weight;
	return 0;
}

size_t
tl_records_size(const struct tl_records *records)
{
	return records->chunk_count * sizeof(struct tl_records_chunk);
}

void
tl_records_free(struct tl_records *records)
{
	while (records->chunk_count > 0)
		free(records->chunks[--records->chunk_count]);
	free(records->chunks);
	*records = (struct tl_records){ 0 };
}

/* A random bit.  The sequence is the same in each run. */
static bool
toss(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state & 1;
}

void
tl_records_thin(struct tl_records *records, int64_t kept_ns)
{
	struct tl_records_at from = { .records = records };
	struct tl_records_chunk *chunk = records->chunks[0];
	size_t to = 0, used = 0;
	uint64_t coin = UINT64_C(0x9e3779b97f4a7c15) + records->thinned;
	struct tl_record *r;

	records->count = records->weight = 0;
	while ((r = tl_records_next(&from))) {
		const size_t words = words_of(r);

		if (r->duration_ns < kept_ns) {
			if (toss(&coin))
				continue;
			r->weight *= 2;
		}
		if (CHUNK_WORDS - used < words) {
			chunk->used = used;
			chunk = records->chunks[++to];
			used = 0;
		}
		records->count++;
		records->weight += r->weight;
		memmove(&chunk->words[used], r, words * sizeof(uint64_t));
		used += words;
	}
	chunk->used = used;
	while (records->chunk_count > to + 1)
		free(records->chunks[--records->chunk_count]);
	records->thinned++;
}

static void
swap(struct tl_weighed *a, struct tl_weighed *b)
{
	const struct tl_weighed old = *a;

	*a = *b;
	*b = old;
}

/* The median of three values, so that sorted values are not a bad case. */
static int64_t
pivot_of(const struct tl_weighed *v, size_t count)
{
	const int64_t a = v[0].value, b = v[count / 2].value,
		      c = v[count - 1].value;

	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

int64_t
tl_weighed_select(struct tl_weighed *values, size_t count, uint64_t rank)
{
	for (;;) {
		const int64_t pivot = pivot_of(values, count);
		size_t low = 0, at = 0, high = count;
		uint64_t below = 0, equal = 0;

		while (at < high) {
			if (values[at].value < pivot) {
				below += values[at].weight;
				swap(&values[low++], &values[at++]);
			} else if (values[at].value > pivot) {
				swap(&values[at], &values[--high]);
			} else {
				equal += values[at++].weight;
			}
		}
		if (rank >= below && (rank < below + equal || high == count))
			return pivot;
		if (rank < below) {
			count = low;
		} else {
			rank -= below + equal;
			values += high;
			count -= high;
		}
	}
}
