/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - fill in a fault. */
#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

int
tl_fault(struct tl_fault *fault, int rc, uint64_t at, const char *format, ...)
{
	va_list args;

	if (!fault || fault->rc != 0)
		return rc;
	fault->rc = rc;
	fault->at = at;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return rc;
}
