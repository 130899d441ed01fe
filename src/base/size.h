/* SPDX-License-Identifier: Apache-2.0 */
/* size.h - sizes as people write and read them: 5000, 64K, 10M, 2G, 1T. */
#ifndef TL_BASE_SIZE_H
#define TL_BASE_SIZE_H

#include "base/text.h"

/* Decimal digits and a unit, a power of 1024, of either case: 0, -EINVAL,
 * -ERANGE. */
int tl_parse_size(const char *text, uint64_t *size);
/* 10.5M, 105M: bytes for a person. */
void tl_put_size(struct tl_text *text, uint64_t bytes);

#endif
