/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip.h - sources of libzip for reading and writing.
 */
#ifndef TL_TRACE_PACK_ZIP_H
#define TL_TRACE_PACK_ZIP_H

#include "base/file.h"

#include <zip.h>

/* Make a source that reads a storage, which must outlive the source.  NULL:
 * error has the reason. */
zip_source_t *tl_packed_source(struct tl_storage *storage, zip_error_t *error);
/* Make a source that writes the file of fd.  fd remains the caller's. */
zip_source_t *tl_packed_target(int fd, zip_error_t *error);

/* An error of libzip as -errno. */
int tl_packed_error(const zip_error_t *error);

#endif
