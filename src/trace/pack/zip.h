/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip.h - what libzip reads from and writes to.
 */
#ifndef TL_TRACE_PACK_ZIP_H
#define TL_TRACE_PACK_ZIP_H

#include "base/file.h"

#include <zip.h>

/* A source that reads a storage, which stays the caller's until after the
 * source is gone.  NULL, and why in error. */
zip_source_t *tl_packed_source(struct tl_storage *storage, zip_error_t *error);
/* A source that writes the file of fd, which is the caller's, too. */
zip_source_t *tl_packed_target(int fd, zip_error_t *error);

/* An error of libzip as -errno. */
int tl_packed_error(const zip_error_t *error);

#endif
