/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - recognise the messages of sources; see timelogger.h. */
#include "format/timelogger/form.h"

#include "format/timelogger/timelogger.h"

#include <timeline.h>

/* Remove an id from the front. */
static bool
skip_id(struct tl_bytes *bytes, int32_t *id)
{
	const bool negative = tl_bytes_take(bytes, "-");
	int64_t n = 0;
	size_t digits = 0;

	while (digits < bytes->size && bytes->data[digits] >= '0' &&
	       bytes->data[digits] <= '9' && n <= INT32_MAX)
		n = n * 10 + (bytes->data[digits++] - '0');
	bytes->data += digits;
	bytes->size -= digits;
	n = negative ? -n : n;
	*id = (int32_t)n;
	return digits > 0 && n >= INT32_MIN && n <= INT32_MAX;
}

/* Does a second line have the form that the reader gives to sources? */
static bool
read_which(struct tl_bytes which, struct tl_form *form)
{
	if (!tl_bytes_take(&which, "source ") ||
	    !skip_id(&which, &form->wanted))
		return false;
	form->suffix = "";
	if (tl_bytes_end_with(which, ": " TL_TIMELOGGER_BELOW)) {
		form->below = true;
		form->suffix = " (" TL_TIMELOGGER_BELOW ")";
	} else if (tl_bytes_end_with(which, ": " TL_TIMELOGGER_OVERLAP)) {
		form->overlap = true;
		form->suffix = " (" TL_TIMELOGGER_OVERLAP ")";
	}
	form->undefined = tl_bytes_take(&which, TL_TIMELOGGER_UNDEFINED);
	return true;
}

void
tl_form_fill(struct tl_form *form, const struct tl_message *message)
{
	*form = (struct tl_form){ .source = TL_FORM_SOURCE_NONE, .suffix = "" };
	if (message->kind == TIMELINE_RECORD_INSTANT) {
		if (tl_bytes_equal(message->category,
			tl_bytes_of(TL_TIMELOGGER_DEFINER)) &&
		    tl_bytes_equal(message->text,
			tl_bytes_of(TL_TIMELOGGER_DEFINITION)))
			form->what = TL_FORM_DEFINITION;
	} else if (message->kind == TIMELINE_RECORD_SPAN) {
		form->what = message->scope == TIMELINE_SOURCE
				 ? TL_FORM_OWN
				 : TL_FORM_PER_THREAD;
		if (form->what == TL_FORM_OWN &&
		    tl_bytes_equal(message->category,
			tl_bytes_of(TL_TIMELOGGER_CATEGORY)) &&
		    read_which(message->explain, form))
			form->what = TL_FORM_NUMBERED;
	}
}
