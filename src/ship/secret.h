/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h - a password or token from a file, erased from memory after use */
#ifndef TL_SHIP_SECRET_H
#define TL_SHIP_SECRET_H

#include "base/fault.h"
#include "base/text.h"

enum { TL_SECRET_MAX = 4096 };

/* Read the first line of a file.  0; -EINVAL: it is empty; -errno; the
 * fault. */
int
tl_secret_read(struct tl_text *text, const char *path, struct tl_fault *fault);
void tl_secret_forget(struct tl_text *text);

#endif
