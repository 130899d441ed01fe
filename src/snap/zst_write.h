/* SPDX-License-Identifier: Apache-2.0 */
/* zst_write.h - compress a snapshot so that it can be read here and there. */
#ifndef TL_SNAP_ZST_WRITE_H
#define TL_SNAP_ZST_WRITE_H

#include "base/storage.h"

/* Compress all of from, at this level of zstd, into out, an empty file of the
 * caller's.  0 or -errno. */
int tl_zst_write(int out, struct tl_storage *from, int level);

#endif
