/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - say one thing about an input or an output. */
#include "event/reader.h"

#include <stdarg.h>
#include <stdio.h>

void
tl_report_say(const struct tl_report *report, int rc, uint64_t at,
    const char *format, ...)
{
	struct tl_fault fault = { .rc = rc, .at = at };
	va_list args;

	if (!report || !report->say)
		return;
	va_start(args, format);
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	va_end(args);
	report->say(report->context, &fault);
}
