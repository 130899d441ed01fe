/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - say one thing about an input or an output.
 */
#include "event/reader.h"

#include <inttypes.h>
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

/* == one sentence for each kind that was met == */

static void
say(const struct tl_notes *notes, unsigned kind, const struct tl_report *report)
{
	const struct tl_note_kind *k = &notes->kinds[kind];

	if (notes->count[kind] == 1)
		tl_report_say(report, k->rc, notes->first[kind], "%s", k->text);
	else
		tl_report_say(report, k->rc, notes->first[kind],
		    "%s (%" PRIu64 " times)", k->text, notes->count[kind]);
}

void
tl_notes_say(struct tl_notes *notes, const struct tl_report *report)
{
	for (unsigned i = 0; i < TL_NOTES_MAX; i++) {
		if (notes->count[i] > 0)
			say(notes, i, report);
		notes->count[i] = 0;
	}
}
