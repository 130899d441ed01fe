/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns.h - a file of POSIX extended regular expressions, one on each line,
 * as for the tools of RTL_LOGFILE.  Empty lines and lines that begin with # are
 * ignored.
 */
#ifndef TL_SCRIPT_PATTERNS_H
#define TL_SCRIPT_PATTERNS_H

#include "base/bytes.h"
#include "base/fault.h"

#include <stdbool.h>

enum {
	TL_PATTERNS_MAX = 4096,
	TL_PATTERNS_FILE_MAX = 1 << 20 /* bytes */
};

struct tl_patterns;

/* 0; -errno and a fault with the name of the file, and the line if it is an
 * invalid expression. */
int tl_patterns_read(struct tl_patterns **patterns, const char *path,
    struct tl_fault *fault);
void tl_patterns_free(struct tl_patterns *patterns);

/* Does any of them match?  text ends with a NUL. */
bool tl_patterns_match(const struct tl_patterns *patterns, const char *text);

#endif
