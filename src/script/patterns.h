/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns.h - a file of regular expressions, as the tools of RTL_LOGFILE had
 * them: one a line, POSIX extended; empty lines and those that begin with #
 * say nothing.
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

/* 0; or -errno and a fault that names the file, and the line where one is no
 * regular expression. */
int tl_patterns_read(struct tl_patterns **patterns, const char *path,
    struct tl_fault *fault);
void tl_patterns_free(struct tl_patterns *patterns);

/* Does any of them match?  text ends with a NUL. */
bool tl_patterns_match(const struct tl_patterns *patterns, const char *text);

#endif
