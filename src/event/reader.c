/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - write diagnostics about an input or an output.
 */
#include "event/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void
tl_report_write(const struct tl_report *report, int rc, uint64_t at,
    const char *format, ...)
{
	struct tl_fault fault = { .rc = rc, .at = at };
	va_list args;

	if (!report || !report->write)
		return;
	va_start(args, format);
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	va_end(args);
	report->write(report->context, &fault);
}

/* == one diagnostic for each kind that occurred == */

void
tl_notes_report(struct tl_notes *notes, const struct tl_report *report)
{
	for (unsigned i = 0; i < TL_NOTES_MAX; i++) {
		if (notes->count[i] > 0) {
			const struct tl_note_kind *k = &notes->kinds[i];

			if (notes->count[i] == 1)
				tl_report_write(report, k->rc, notes->first[i],
				    "%s", k->text);
			else
				tl_report_write(report, k->rc, notes->first[i],
				    "%s (%" PRIu64 " times)", k->text,
				    notes->count[i]);
		}
		notes->count[i] = 0;
	}
}
