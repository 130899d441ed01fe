/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compressed.c - compressed snapshots: read, decode, write.
 */
#include "snap/compressed.h"

#include "base/file.h"
#include "snap/frames.h"
#include "snap/shm.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* == read == */

enum {
	CACHE_SIZE = 64 << 20, /* bytes of decoded frames */
	SLOTS_MAX = 512,
	SLOTS_MIN = 2
};

/* A decoded frame. */
struct slot {
	uint8_t *data;
	size_t frame;
	uint64_t used; /* time of the last use; 0: empty */
};

struct zst {
	struct tl_storage storage; /* first: what callers hold */
	struct tl_storage *file;
	struct tl_zst_table table;
	ZSTD_DCtx *zstd;
	uint8_t *packed;
	size_t packed_size; /* capacity of packed */
	struct slot *slots;
	size_t slot_count;
	uint64_t now; /* counts the uses of slots */
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

/* Decode a frame.  0; 1: the frame is damaged; -errno. */
static int
decode(struct zst *z, size_t i, uint8_t *data)
{
	const struct tl_zst_frame *frame = &z->table.frames[i];
	const size_t size = decoded_size(z, i);
	uint8_t *grown;
	int64_t n;

	if (frame->size > ZSTD_compressBound(TL_ZST_FRAME_MAX))
		return 1;
	if (frame->size > z->packed_size) {
		if (!(grown = realloc(z->packed, frame->size)))
			return -ENOMEM;
		z->packed = grown;
		z->packed_size = frame->size;
	}
	n = tl_storage_read_at(z->file, z->packed, frame->size, frame->at);
	if (n < 0)
		return (int)n;
	return n < (int64_t)frame->size ||
	       ZSTD_decompressDCtx(z->zstd, data, size, z->packed,
		   frame->size) != size;
}

/* Set *out to the slot that holds a frame, which replaces the oldest if none
 * does. */
static int
load(struct zst *z, size_t frame, struct slot **out)
{
	struct slot *slot = &z->slots[0];
	int rc;

	for (size_t i = 0; i < z->slot_count; i++) {
		if (z->slots[i].used && z->slots[i].frame == frame) {
			*out = &z->slots[i];
			z->slots[i].used = ++z->now;
			return 0;
		}
		if (z->slots[i].used < slot->used)
			slot = &z->slots[i];
	}
	*out = slot;
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
		if (n == 0) /* a frame may decode to nothing */
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
		return tl_fail(fault, -ENOMEM, "no memory");
	}
	z->file = file;
	z->storage.read_at = zst_read_at;
	z->storage.check = zst_check;
	z->storage.close = zst_close;
	if ((rc = tl_zst_table_read(&z->table, file, fault)) != 0)
		goto close;
	z->storage.size = tl_zst_table_size(&z->table);
	if ((rc = make_slots(z)) != 0) {
		tl_fail(fault, rc, "no memory");
		goto close;
	}
	*storage = &z->storage;
	return 0;
close:
	zst_close(&z->storage);
	return rc;
}

/* == open == */

unsigned
tl_snap_recognise(struct tl_bytes first)
{
	const bool packed =
	    first.size >= 4 && tl_zst_is_magic((const uint8_t *)first.data);

	return packed || tl_begins_timeline(first) ? 100 : 0;
}

static int
open_compressed(struct tl_snap **snap, int fd, uint64_t tail,
    struct tl_fault *fault)
{
	struct tl_storage *file, *decoded;
	int rc = tl_storage_of_fd(&file, fd);

	if (rc != 0)
		return tl_fail(fault, rc, "%s", tl_file_error(rc));
	rc = tl_zst_open(&decoded, file, fault);
	if (rc != -EFBIG)
		return rc < 0
			   ? rc
			   : tl_snap_open_storage(snap, decoded, tail, fault);
	/* a file that is a single frame, as zstd(1) compresses */
	*fault = (struct tl_fault){ 0 };
	fd = tl_zst_decode(fd, fault);
	if (fd < 0)
		return fd;
	rc = tl_snap_open_fd(snap, fd, tail, fault);
	close(fd);
	return rc;
}

int
tl_zst_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    bool *compressed, struct tl_fault *fault)
{
	uint8_t magic[4];
	struct stat st;
	bool packed;

	packed = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		 tl_read_at(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		 tl_zst_is_magic(magic);
	if (compressed)
		*compressed = packed;
	return packed ? open_compressed(snap, fd, tail, fault)
		      : tl_snap_open_fd(snap, fd, tail, fault);
}

int
tl_zst_snap_open(struct tl_snap **snap, const char *path, uint64_t tail,
    struct tl_fault *fault)
{
	const int fd = tl_open_read(path);
	int rc;

	if (fd < 0)
		return tl_fail(fault, fd, "%s", tl_file_error(fd));
	rc = tl_zst_snap_open_fd(snap, fd, tail, NULL, fault);
	close(fd);
	return rc;
}

/* == decode == */

/* a file that decodes to more bytes was made to fill the disk */
static const uint64_t decoded_max = UINT64_C(64) << 30;

struct whole {
	ZSTD_DStream *stream;
	uint8_t *from;
	uint8_t *to;
	int out;
	uint64_t at; /* offset of the next piece in the file */
	uint64_t decoded;
	size_t more; /* bytes that zstd expects; 0: a frame has ended */
};

static int
decode_all(struct whole *w, int fd, struct tl_fault *fault)
{
	const char *wrong = NULL;
	int64_t n;
	int rc;

	while ((n = tl_read_at(fd, w->from, ZSTD_DStreamInSize(), w->at)) > 0) {
		ZSTD_inBuffer in = { w->from, (size_t)n, 0 };

		while (!wrong && in.pos < in.size) {
			ZSTD_outBuffer out = { w->to, ZSTD_DStreamOutSize(),
				0 };

			w->more = ZSTD_decompressStream(w->stream, &out, &in);
			w->decoded += ZSTD_isError(w->more) ? 0 : out.pos;
			if (ZSTD_isError(w->more))
				wrong = ZSTD_getErrorName(w->more);
			else if (w->decoded > decoded_max)
				wrong = "it decodes to too much";
			else if ((rc = tl_write_all(w->out, w->to, out.pos)) <
				 0)
				return tl_fail(fault, rc, "%s",
				    tl_file_error(rc));
		}
		if (wrong)
			return tl_fault(fault, -EBADMSG, w->at, "%s", wrong);
		w->at += (uint64_t)n;
	}
	if (n < 0)
		return tl_fail(fault, (int)n, "%s", strerror((int)-n));
	return w->more == 0 ? 0
			    : tl_fault(fault, -EBADMSG, w->at,
				  "the file ends inside a compressed frame");
}

int
tl_zst_decode(int fd, struct tl_fault *fault)
{
	struct whole w = { .stream = ZSTD_createDStream(),
		.from = malloc(ZSTD_DStreamInSize()),
		.to = malloc(ZSTD_DStreamOutSize()),
		.out = tl_file_unnamed() };
	int rc = w.out < 0 ? w.out : 0;

	if (!w.stream || !w.from || !w.to)
		rc = -ENOMEM;
	rc = rc < 0 ? tl_fail(fault, rc, "%s", tl_file_error(rc))
		    : decode_all(&w, fd, fault);
	ZSTD_freeDStream(w.stream);
	free(w.from);
	free(w.to);
	if (rc == 0)
		return w.out;
	if (w.out >= 0)
		close(w.out);
	return rc;
}

/* == write == */

struct writer {
	int out;
	uint64_t at; /* bytes written */
	struct tl_storage *from;
	ZSTD_CCtx *zstd;
	uint8_t *decoded;
	uint8_t *packed;
	size_t packed_max;
	uint8_t *table; /* in the format of the file */
	size_t table_size;
};

static int
append(struct writer *w, const void *data, size_t size)
{
	const int rc = tl_write_at(w->out, data, size, w->at);

	w->at += size;
	return rc;
}

static int
write_frame(struct writer *w, uint64_t offset)
{
	const int64_t n =
	    tl_storage_read_at(w->from, w->decoded, TL_ZST_FRAME_SIZE, offset);
	size_t packed;

	if (n <= 0)
		/* the file has been truncated */
		return n < 0 ? (int)n : -ENODATA;
	packed = ZSTD_compress2(w->zstd, w->packed, w->packed_max, w->decoded,
	    (size_t)n);
	if (ZSTD_isError(packed))
		/* the buffer is large enough, so no other error is possible */
		return -ENOMEM;
	tl_zst_put32(w->table + w->table_size, (uint32_t)packed);
	tl_zst_put32(w->table + w->table_size + 4, (uint32_t)n);
	w->table_size += TL_ZST_ROW_SIZE;
	return append(w, w->packed, packed);
}

static int
open_writer(struct writer *w, int level)
{
	const uint64_t frames =
	    (w->from->size + TL_ZST_FRAME_SIZE - 1) / TL_ZST_FRAME_SIZE;

	if (frames > TL_ZST_FRAMES_MAX)
		return -EFBIG;
	w->packed_max = ZSTD_compressBound(TL_ZST_FRAME_SIZE);
	w->packed = malloc(w->packed_max);
	w->decoded = malloc(TL_ZST_FRAME_SIZE);
	w->table = malloc(TL_ZST_SKIPPABLE_SIZE + frames * TL_ZST_ROW_SIZE +
			  TL_ZST_FOOTER_SIZE);
	w->table_size = TL_ZST_SKIPPABLE_SIZE;
	w->zstd = ZSTD_createCCtx();
	if (!w->packed || !w->decoded || !w->table || !w->zstd)
		return -ENOMEM;
	/* zstd replaces an unknown level by the nearest level */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

int
tl_zst_write(int out, struct tl_storage *from, int level)
{
	struct writer w = { .out = out, .from = from };
	int rc = open_writer(&w, level);

	for (uint64_t at = 0; rc == 0 && at < from->size;
	     at += TL_ZST_FRAME_SIZE)
		rc = write_frame(&w, at);
	if (rc == 0) {
		uint8_t *footer = w.table + w.table_size;
		const size_t rows = w.table_size - TL_ZST_SKIPPABLE_SIZE;

		/* Write the table, with a checksum for each frame. */
		tl_zst_put32(w.table, TL_ZST_MAGIC_TABLE);
		tl_zst_put32(w.table + 4,
		    (uint32_t)(rows + TL_ZST_FOOTER_SIZE));
		tl_zst_put32(footer, (uint32_t)(rows / TL_ZST_ROW_SIZE));
		footer[4] = 0;
		tl_zst_put32(footer + 5, TL_ZST_MAGIC_FOOTER);
		rc = append(&w, w.table, w.table_size + TL_ZST_FOOTER_SIZE);
	}
	ZSTD_freeCCtx(w.zstd);
	free(w.table);
	free(w.decoded);
	free(w.packed);
	return rc;
}

int
tl_zst_write_fd(int out, int from, int level)
{
	struct tl_storage *storage;
	int rc = tl_storage_of_fd(&storage, from);

	if (rc != 0)
		return rc;
	rc = tl_zst_write(out, storage, level);
	tl_storage_close(storage);
	return rc;
}
