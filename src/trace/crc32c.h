/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32c.h - the checksum of Castagnoli's polynomial, as iSCSI (RFC 3720) and
 * the processor's own instruction have it.
 */
#ifndef TL_TRACE_CRC32C_H
#define TL_TRACE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of some bytes, going on from the checksum of what stands before (0: nothing
 * does): by the processor where it can, else by tables. */
uint32_t tl_crc32c(uint32_t crc, const void *data, size_t size);

/* The same by tables alone. */
uint32_t tl_crc32c_by_table(uint32_t crc, const void *data, size_t size);

#endif
