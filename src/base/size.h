/* SPDX-License-Identifier: Apache-2.0 */
/* size.h - sizes as people write them: 5000, 64K, 10M, 2G, 1T. */
#ifndef TL_BASE_SIZE_H
#define TL_BASE_SIZE_H

#include <stdint.h>

/* Decimal digits and a unit, a power of 1024, of either case: 0, -EINVAL,
 * -ERANGE. */
int tl_parse_size(const char *text, uint64_t *size);

#endif
