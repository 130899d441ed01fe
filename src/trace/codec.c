/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.c - zstd for blocks of traces.
 *
 * A workspace of zstd is large and takes longer to create than a block takes to
 * compress, so each thread keeps its workspace until the thread ends.
 */
#include "trace/layout.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct workspace {
	ZSTD_CCtx *packing;
	ZSTD_DCtx *unpacking;
};

static pthread_key_t key;
static bool has_key;
/* the destructor of the key frees the workspace */
static _Thread_local struct workspace *own;

static void
workspace_free(void *workspace)
{
	struct workspace *w = workspace;

	ZSTD_freeCCtx(w->packing);
	ZSTD_freeDCtx(w->unpacking);
	free(w);
	own = NULL;
}

static void
make_key(void)
{
	has_key = pthread_key_create(&key, workspace_free) == 0;
}

static struct workspace *
workspace(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct workspace *w;

	if (own)
		return own;
	pthread_once(&once, make_key);
	w = has_key ? calloc(1, sizeof(*w)) : NULL;
	if (!w)
		return NULL;
	if (pthread_setspecific(key, w) != 0) {
		free(w);
		return NULL;
	}
	return own = w;
}

static int64_t
pack(void *context, void *to, size_t room, const void *from, size_t size)
{
	const int level = (int)(intptr_t)context;
	struct workspace *w = workspace();
	size_t packed;

	if (w && !w->packing)
		w->packing = ZSTD_createCCtx();
	if (!w || !w->packing)
		return -ENOMEM;
	packed = ZSTD_compressCCtx(w->packing, to, room, from, size, level);
	if (!ZSTD_isError(packed))
		return packed < size ? (int64_t)packed : 0;
	if (ZSTD_getErrorCode(packed) == ZSTD_error_dstSize_tooSmall)
		return 0;
	return -ENOMEM; /* nothing else can fail */
}

static int
unpack(void *context, void *to, size_t size, const void *from, size_t packed)
{
	struct workspace *w = workspace();
	size_t n;

	(void)context;
	if (w && !w->unpacking)
		w->unpacking = ZSTD_createDCtx();
	if (!w || !w->unpacking)
		return -ENOMEM;
	n = ZSTD_decompressDCtx(w->unpacking, to, size, from, packed);
	if (ZSTD_isError(n) &&
	    ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	return ZSTD_isError(n) || n != size ? -EBADMSG : 0;
}

const struct tl_trace_codec tl_trace_zstd = { .number = TL_TRACE_ZSTD,
	.pack = pack,
	.unpack = unpack,
	.context = (void *)(intptr_t)TL_TRACE_ZSTD_LEVEL };

struct tl_trace_codec
tl_trace_zstd_at(int level)
{
	struct tl_trace_codec codec = tl_trace_zstd;

	codec.context = (void *)(intptr_t)level;
	return codec;
}
