/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - the text of the last error of each thread. */
#include "ring/ring.h"

#include <stdarg.h>
#include <stdio.h>

enum { ERROR_TEXT_MAX = 300 };
static __thread char error_text[ERROR_TEXT_MAX];

int
tl_error(int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error_text, sizeof(error_text), format, args);
	va_end(args);
	return rc;
}

const char *
timeline_error(void)
{
	return error_text[0] ? error_text : "no error";
}

const char *
timeline_version(void)
{
	return TIMELINE_VERSION;
}
