/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst_read.c - decoded frames, the last ones used are kept.
 */
#include "snap/zst_read.h"
#include "snap/zst.h"
#include "snap/zst_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	CACHE_SIZE = 64 << 20, /* bytes of decoded frames */
	SLOTS_MAX = 512,
	SLOTS_MIN = 2
};

/* A decoded frame. */
struct slot {
	uint8_t *data;
	size_t frame;
	uint64_t used; /* the greater the later; 0: holds none */
};

struct zst {
	struct tl_storage storage; /* first: what callers hold */
	struct tl_storage *file;
	struct tl_zst_table table;
	ZSTD_DCtx *zstd;
	uint8_t *packed;
	size_t packed_size; /* that there is room for */
	struct slot *slots;
	size_t slot_count;
	uint64_t now; /* counts uses */
};

static size_t
decoded_size(const struct zst *z, size_t i)
{
	return (
	    size_t)(z->table.frames[i + 1].begin - z->table.frames[i].begin);
}

static void
say(struct zst *z, uint64_t at, const char *what)
{
	if (z->storage.damaged)
		z->storage.damaged(z->storage.context, at, what);
}

static int
reserve_packed(struct zst *z, size_t size)
{
	uint8_t *grown;

	if (size <= z->packed_size)
		return 0;
	grown = realloc(z->packed, size);
	if (!grown)
		return -ENOMEM;
	z->packed = grown;
	z->packed_size = size;
	return 0;
}

/* 0, 1 when the frame is damaged, or -errno. */
static int
decode(struct zst *z, size_t i, uint8_t *data)
{
	const struct tl_zst_frame *frame = &z->table.frames[i];
	const size_t size = decoded_size(z, i);
	int64_t n;
	int rc;

	if (frame->size > ZSTD_compressBound(TL_ZST_FRAME_MAX))
		return 1;
	if ((rc = reserve_packed(z, frame->size)) != 0)
		return rc;
	n = tl_storage_read_at(z->file, z->packed, frame->size, frame->at);
	if (n < 0)
		return (int)n;
	return n < (int64_t)frame->size ||
	       ZSTD_decompressDCtx(z->zstd, data, size, z->packed,
		   frame->size) != size;
}

/* The slot that holds a frame, or else the one to give up. */
static struct slot *
choose_slot(struct zst *z, size_t frame)
{
	struct slot *oldest = &z->slots[0];

	for (size_t i = 0; i < z->slot_count; i++) {
		struct slot *slot = &z->slots[i];

		if (slot->used && slot->frame == frame)
			return slot;
		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

static int
load(struct zst *z, size_t frame, struct slot **out)
{
	struct slot *slot = *out = choose_slot(z, frame);
	int rc;

	if (slot->used && slot->frame == frame) {
		slot->used = ++z->now;
		return 0;
	}
	slot->used = 0;
	if (!slot->data && !(slot->data = malloc(z->table.decoded_max)))
		return -ENOMEM;
	rc = decode(z, frame, slot->data);
	if (rc < 0)
		return rc;
	if (rc > 0) {
		memset(slot->data, 0, decoded_size(z, frame));
		if (!z->table.frames[frame].damaged)
			say(z, z->table.frames[frame].at,
			    "a compressed frame is damaged");
		z->table.frames[frame].damaged = true;
	}
	slot->frame = frame;
	slot->used = ++z->now;
	return 0;
}

static int64_t
zst_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	struct zst *z = (struct zst *)storage;
	struct slot *slot;
	size_t done = 0;
	int rc;

	if (z->table.fault.rc != 0)
		say(z, z->table.fault.at, z->table.fault.text);
	z->table.fault.rc = 0;
	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	for (size_t i = tl_zst_table_find(&z->table, offset); done < size;
	     i++) {
		const uint64_t from = offset + done - z->table.frames[i].begin;
		size_t n = decoded_size(z, i) - (size_t)from;

		assert(i < z->table.count && from <= decoded_size(z, i));
		if (n == 0) /* some decode to nothing */
			continue;
		if ((rc = load(z, i, &slot)) != 0)
			return rc;
		if (n > size - done)
			n = size - done;
		memcpy((char *)data + done, slot->data + from, n);
		done += n;
	}
	return (int64_t)done;
}

static int
zst_check(struct tl_storage *storage)
{
	struct zst *z = (struct zst *)storage;
	struct slot *slot;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < z->table.count; i++)
		rc = load(z, i, &slot);
	return rc;
}

static void
zst_close(struct tl_storage *storage)
{
	struct zst *z = (struct zst *)storage;

	for (size_t i = 0; z->slots && i < z->slot_count; i++)
		free(z->slots[i].data);
	free(z->slots);
	free(z->packed);
	ZSTD_freeDCtx(z->zstd);
	tl_zst_table_free(&z->table);
	tl_storage_close(z->file);
	free(z);
}

static int
make_slots(struct zst *z)
{
	const uint64_t each = z->table.decoded_max ? z->table.decoded_max : 1;
	uint64_t count = CACHE_SIZE / each;

	if (count > SLOTS_MAX)
		count = SLOTS_MAX;
	if (count > z->table.count)
		count = z->table.count;
	if (count < SLOTS_MIN)
		count = SLOTS_MIN;
	z->slot_count = (size_t)count;
	z->slots = calloc(z->slot_count, sizeof(*z->slots));
	z->zstd = ZSTD_createDCtx();
	return z->slots && z->zstd ? 0 : -ENOMEM;
}

int
tl_zst_open(struct tl_storage **storage, struct tl_storage *file,
    struct tl_fault *fault)
{
	struct zst *z = calloc(1, sizeof(*z));
	int rc;

	if (!z) {
		tl_storage_close(file);
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE, "no memory");
	}
	z->file = file;
	z->storage.read_at = zst_read_at;
	z->storage.check = zst_check;
	z->storage.close = zst_close;
	if ((rc = tl_zst_table_read(&z->table, file, fault)) != 0)
		goto close;
	z->storage.size = tl_zst_table_size(&z->table);
	if ((rc = make_slots(z)) != 0) {
		tl_fault(fault, rc, TL_FAULT_NOWHERE, "no memory");
		goto close;
	}
	*storage = &z->storage;
	return 0;
close:
	zst_close(&z->storage);
	return rc;
}
