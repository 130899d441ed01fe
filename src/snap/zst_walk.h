/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst_walk.h - from one zstd frame to the next, by the sizes that they say
 * themselves, without decoding.
 */
#ifndef TL_SNAP_ZST_WALK_H
#define TL_SNAP_ZST_WALK_H

#include "base/fault.h"
#include "base/storage.h"

struct tl_zst_walk {
	struct tl_storage *file;
	uint64_t at;      /* of the frame found */
	uint64_t packed;  /* its size in the file */
	uint64_t decoded; /* what it says it decodes to */
	uint8_t *window;  /* bytes of the file from window_at on; free it */
	uint64_t window_at;
	size_t window_size;
};

/*
 * Go on to the next frame that is not to be skipped: 1, 0 at the end.
 * -ENODATA the file ends inside a frame, -EBADMSG not a frame or of unknown
 * size, -EFBIG decodes to more than TL_ZST_FRAME_MAX; the fault says where.
 */
int tl_zst_walk_next(struct tl_zst_walk *walk, struct tl_fault *fault);

#endif
