/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - a run of bytes and bounded access to it.
 *
 * Whatever comes from a file is hostile until it was asked for through here.
 */
#ifndef TL_BASE_BYTES_H
#define TL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes somebody else owns.  Not ended by a NUL. */
struct tl_bytes {
	const char *data;
	size_t size;
};

static inline struct tl_bytes
tl_bytes(const void *data, size_t size)
{
	return (struct tl_bytes){ .data = (const char *)data, .size = size };
}

static inline struct tl_bytes
tl_bytes_of(const char *text)
{
	return tl_bytes(text, strlen(text));
}

/* Do count things of size each lie in total bytes from offset on? */
static inline bool
tl_fits(uint64_t total, uint64_t offset, uint64_t count, uint64_t each)
{
	return offset <= total &&
	       (each == 0 || count <= (total - offset) / each);
}

static inline bool
tl_bytes_equal(struct tl_bytes a, struct tl_bytes b)
{
	return a.size == b.size &&
	       (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

#endif
