/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_file.h - build a file of a binary format byte by byte.
 */
#ifndef TESTS_LIB_FOREIGN_FILE_H
#define TESTS_LIB_FOREIGN_FILE_H

#include "foreign.h"

#include <timeline.h> /* before "file" is a name here */

static struct tl_text file; /* the bytes of the file */

static inline void
setup(void)
{
	file = (struct tl_text){ 0 };
}

static inline void
teardown(void)
{
	tl_text_free(&file);
}

/* Append the size lowest bytes of a number, the highest byte first. */
static inline void
put_n(uint64_t n, unsigned size)
{
	while (size-- > 0)
		tl_put_char(&file, (char)(n >> 8 * size));
}

static inline void
put_utf_bytes(const char *text, size_t size)
{
	put_n(size, 2);
	tl_put_bytes(&file, tl_bytes(text, size));
}

#endif
