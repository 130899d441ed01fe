/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - how programs pack the blocks of recorded traces: each is
 * one zstd frame.
 */
#ifndef TL_TRACE_CODEC_H
#define TL_TRACE_CODEC_H

#include "trace/layout.h"

enum { TL_TRACE_ZSTD = 1, TL_TRACE_ZSTD_LEVEL = 3 };

/* At TL_TRACE_ZSTD_LEVEL; to read, the level does not matter. */
extern const struct tl_trace_codec tl_trace_zstd;
/* At another level: 1 to 19. */
struct tl_trace_codec tl_trace_zstd_at(int level);

#endif
