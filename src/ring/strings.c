/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c - the string table: find a record, or publish a new one.
 *
 *	reserve	 compare and swap of header.strings_tail
 *	write	 the record, in memory that no other process uses yet
 *	publish	 compare and swap of header.newest
 *
 * A process that is killed at any point leaks the bytes of one record, nothing
 * else.  If the swap to publish fails, the records that were published
 * meanwhile are read before the next try, so no definition is in the table
 * twice.  Each process keeps an index, by hash, of the records it has read:
 * defining n messages costs O(n).
 */
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	INDEX_MIN = 256, /* slots; a power of two */
	TEXT_MAX = 64 << 10
};

/* Operations of futex(2), FUTEX_PRIVATE_FLAG included: a libc may come without
 * linux/futex.h. */
enum { WAIT_PRIVATE = 128, WAKE_PRIVATE = 129 };

struct slot {
	uint64_t hash;
	uint64_t offset; /* 0: free */
	struct timeline_event *event;
};

struct tl_index {
	struct slot *slots;
	uint64_t size;
	uint64_t used;
	uint64_t seen; /* offset of the newest record in the index */
};

/*
 * The lock of this process.  The word identifies the holder at every
 * instruction between lock and unlock, so that fork in a signal handler can
 * tell whether it interrupted the holder.  The word is the address of
 * thread-local memory, which is the same in a child, with the lowest bit set,
 * so that neither half is 0.
 */
static uint64_t holder; /* 0: free */
static uint32_t waiters;
static TL_THREAD_LOCAL uint64_t own_word;
/* The forks of this thread that have begun, and not ended, while the thread
 * held the lock. */
static TL_THREAD_LOCAL volatile unsigned nested_forks;

static uint64_t
this_thread(void)
{
	return (uint64_t)(uintptr_t)&own_word | 1;
}

/* Sleep while the low half of the word equals the low half of seen. */
static void
wait_for_change(const uint64_t *word, uint64_t seen)
{
	syscall(SYS_futex, word, WAIT_PRIVATE, (uint32_t)seen, NULL, NULL, 0);
}

void
tl_strings_lock(void)
{
	const int saved_errno = errno;

	while (!tl_cas_64(&holder, 0, this_thread())) {
		const uint64_t seen = tl_load_64(&holder);

		if (seen == 0)
			continue;
		tl_fetch_add_32(&waiters, 1);
		wait_for_change(&holder, seen);
		tl_fetch_add_32(&waiters, UINT32_MAX);
	}
	errno = saved_errno;
}

void
tl_strings_unlock(void)
{
	/* The swap is a fence: a waiter not counted in waiters here reads 0. */
	if (tl_cas_64(&holder, this_thread(), 0) && tl_load_32(&waiters) > 0)
		syscall(SYS_futex, &holder, WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* No other thread may hold the lock while the process is copied, because the
 * child has only the thread that forks. */
void
tl_strings_before_fork(void)
{
	if (tl_load_64(&holder) == this_thread())
		nested_forks++;
	else
		tl_strings_lock();
}

void
tl_strings_after_fork(void)
{
	if (nested_forks > 0)
		nested_forks--;
	else
		tl_strings_unlock();
}

static bool
is_same_definition(const struct tl_record *a, const struct tl_record *b)
{
	return a->fixed.kind == b->fixed.kind &&
	       a->fixed.level == b->fixed.level &&
	       a->fixed.scope == b->fixed.scope &&
	       a->fixed.builtin == b->fixed.builtin &&
	       tl_bytes_equal(a->category, b->category) &&
	       tl_bytes_equal(a->text, b->text);
}

static int
record_at(const struct timeline *tl, struct tl_record *record, uint64_t offset)
{
	return tl_record_at(record, tl->strings, tl->geometry.strings_size,
	    offset, 0, NULL);
}

uint64_t
tl_strings_next(const struct timeline *tl, uint64_t offset)
{
	struct tl_record record;

	if (offset == 0) /* acquire: pairs with publish */
		return tl_load_acquire_64(&tl->header->newest);
	if (record_at(tl, &record, offset) != 0)
		return 0;
	return record.fixed.link;
}

__attribute__((cold)) static int
index_grow(struct tl_index *index)
{
	const uint64_t size = index->size ? 2 * index->size : INDEX_MIN;
	struct slot *slots = tl_pages_map(size * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint64_t i = 0; i < index->size; i++) {
		uint64_t at = index->slots[i].hash & (size - 1);

		if (index->slots[i].offset == 0)
			continue;
		while (slots[at].offset != 0)
			at = (at + 1) & (size - 1);
		slots[at] = index->slots[i];
	}
	tl_pages_unmap(index->slots, index->size * sizeof(*slots));
	index->slots = slots;
	index->size = size;
	return 0;
}

/* Add an offset to the index.  0, -EEXIST, -ENOMEM. */
static int
index_put(struct tl_index *index, uint64_t hash, uint64_t offset)
{
	uint64_t at;

	if (2 * (index->used + 1) > index->size && index_grow(index) != 0)
		return -ENOMEM;
	for (at = hash & (index->size - 1); index->slots[at].offset != 0;
	     at = (at + 1) & (index->size - 1))
		if (index->slots[at].offset == offset)
			return -EEXIST;
	index->slots[at] = (struct slot){ .hash = hash, .offset = offset };
	index->used++;
	return 0;
}

/*
 * Add all records of the table.  They are found without the links, because a
 * link is damaged.
 */
__attribute__((cold)) static int
index_scan(struct timeline *tl)
{
	const uint64_t size = tl->geometry.strings_size;
	uint64_t at = TIMELINE_STRINGS_START;
	struct tl_record record;
	int rc = 0;

	while ((at = tl_record_scan(&record, tl->strings, size, at)) != 0 &&
	       rc != -ENOMEM) {
		rc = index_put(tl->index, record.fixed.hash, at);
		at += record.fixed.size;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Read the records published since the last call. */
static int
index_update(struct timeline *tl)
{
	const uint64_t newest = tl_strings_next(tl, 0);
	uint64_t left = tl->geometry.strings_size / TIMELINE_RECORD_MIN;
	struct tl_record record;
	int rc = newest == 0 && tl_load_64(&tl->header->strings_tail) >
				    TIMELINE_STRINGS_START
		     ? -EBADMSG
		     : 0;

	/* index_put() fails at a record that a circle of links meets again */
	for (uint64_t at = newest; at != 0 && at != tl->index->seen && rc == 0;
	     at = record.fixed.link) {
		rc = left-- > 0 ? record_at(tl, &record, at) : -EBADMSG;
		if (rc == 0)
			rc = index_put(tl->index, record.fixed.hash, at);
	}
	if (rc != 0 && rc != -ENOMEM)
		rc = index_scan(tl);
	if (rc == 0)
		tl->index->seen = newest;
	return rc;
}

static struct slot *
index_find(struct timeline *tl, uint64_t hash, const struct tl_record *wanted)
{
	struct tl_index *index = tl->index;
	struct tl_record found;

	if (index->size == 0)
		return NULL;
	for (uint64_t at = hash & (index->size - 1);
	     index->slots[at].offset != 0; at = (at + 1) & (index->size - 1))
		if (index->slots[at].hash == hash &&
		    record_at(tl, &found, index->slots[at].offset) == 0 &&
		    is_same_definition(&found, wanted))
			return &index->slots[at];
	return NULL;
}

/* Reserve `size` bytes of the table.  Returns their offset; 0: the table is
 * full. */
static uint64_t
reserve(struct timeline *tl, uint64_t size)
{
	for (;;) {
		const uint64_t tail = tl_load_64(&tl->header->strings_tail);

		if (tail < TIMELINE_STRINGS_START ||
		    tail % TIMELINE_RECORD_ALIGN != 0 ||
		    !tl_fits(tl->geometry.strings_size, tail, size, 1))
			return 0;
		if (tl_cas_64(&tl->header->strings_tail, tail, tail + size))
			return tail;
	}
}

/*
 * Publish a record, unless another process publishes the same record first.
 * Sets the slot of the published record.  0 or -errno.
 */
__attribute__((cold)) static int
publish(struct timeline *tl, uint64_t hash, const struct tl_record *wanted,
    struct slot **slot)
{
	const uint64_t offset = reserve(tl, tl_record_size(wanted));
	struct timeline_record *record;
	uint64_t newest;
	int rc;

	if (offset == 0) {
		tl_fetch_add_64(&tl->header->drops[TIMELINE_DROP_TABLE_FULL],
		    1);
		return tl_error(-ENOSPC, "the string table is full");
	}
	newest = tl->index->seen;
	record = tl_record_write(tl->strings + offset, wanted, newest);
	tl_store_8(tl_gate_of(tl, offset), wanted->fixed.gate);
	/* release: pairs with tl_strings_next and take.c */
	while (!tl_cas_64(&tl->header->newest, newest, offset)) {
		/* another process published: the same definition? */
		if ((rc = index_update(tl)) != 0)
			return rc;
		if ((*slot = index_find(tl, hash, wanted)))
			return 0;
		record->link = newest = tl->index->seen;
	}
	if ((rc = index_update(tl)) != 0)
		return rc;
	*slot = index_find(tl, hash, wanted);
	return *slot ? 0 : -EBADMSG;
}

int
tl_strings_add_locked(struct timeline *tl, const struct tl_record *wanted,
    uint64_t *offset, struct timeline_event ***event)
{
	const uint64_t hash = tl_record_hash(wanted);
	struct slot *slot;
	int rc;

	if (wanted->category.size > TEXT_MAX || wanted->text.size > TEXT_MAX ||
	    wanted->file.size > TEXT_MAX)
		return tl_error(-E2BIG, "text over %d bytes", TEXT_MAX);
	if ((rc = index_update(tl)) != 0)
		return rc;
	slot = index_find(tl, hash, wanted);
	if (!slot && (rc = publish(tl, hash, wanted, &slot)) != 0)
		return rc;
	*offset = slot->offset;
	*event = &slot->event;
	return 0;
}

int
tl_strings_open(struct timeline *tl)
{
	tl->index = calloc(1, sizeof(*tl->index));
	return tl->index ? 0 : -ENOMEM;
}

void
tl_strings_close(struct timeline *tl)
{
	if (!tl->index)
		return;
	tl_chunks_free(tl);
	tl_pages_unmap(tl->index->slots,
	    tl->index->size * sizeof(*tl->index->slots));
	free(tl->index);
	tl->index = NULL;
}
