/* SPDX-License-Identifier: Apache-2.0 */
/* zst_write.c - frame after frame, then the table of them. */
#include "snap/zst_write.h"
#include "base/file.h"
#include "snap/zst.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

struct writer {
	int out;
	uint64_t at; /* bytes written */
	struct tl_storage *from;
	ZSTD_CCtx *zstd;
	uint8_t *decoded;
	uint8_t *packed;
	size_t packed_max;
	uint8_t *table; /* as it will be written */
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
		return n < 0 ? (int)n : -ENODATA; /* it became shorter */
	packed = ZSTD_compress2(w->zstd, w->packed, w->packed_max, w->decoded,
	    (size_t)n);
	if (ZSTD_isError(packed))
		return -ENOMEM; /* there is room, so nothing else fails */
	tl_zst_put32(w->table + w->table_size, (uint32_t)packed);
	tl_zst_put32(w->table + w->table_size + 4, (uint32_t)n);
	w->table_size += TL_ZST_ROW_SIZE;
	return append(w, w->packed, packed);
}

static int
write_frames(struct writer *w)
{
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < w->from->size;
	     at += TL_ZST_FRAME_SIZE)
		rc = write_frame(w, at);
	return rc;
}

/* The frames say their checksums themselves. */
static int
write_table(struct writer *w)
{
	uint8_t *footer = w->table + w->table_size;
	const size_t rows = w->table_size - TL_ZST_SKIPPABLE_SIZE;

	tl_zst_put32(w->table, TL_ZST_MAGIC_TABLE);
	tl_zst_put32(w->table + 4, (uint32_t)(rows + TL_ZST_FOOTER_SIZE));
	tl_zst_put32(footer, (uint32_t)(rows / TL_ZST_ROW_SIZE));
	footer[4] = 0;
	tl_zst_put32(footer + 5, TL_ZST_MAGIC_FOOTER);
	return append(w, w->table, w->table_size + TL_ZST_FOOTER_SIZE);
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
	/* a level that it does not have becomes the nearest */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

int
tl_zst_write(int out, struct tl_storage *from, int level)
{
	struct writer w = { .out = out, .from = from };
	int rc = open_writer(&w, level);

	if (rc == 0)
		rc = write_frames(&w);
	if (rc == 0)
		rc = write_table(&w);
	ZSTD_freeCCtx(w.zstd);
	free(w.table);
	free(w.decoded);
	free(w.packed);
	return rc;
}
