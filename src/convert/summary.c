/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - what a conversion did, for a machine to read. */
#include "base/fields.h"
#include "convert/convert.h"

#include <errno.h>

/* A diagnostic about an input, or (NULL) about hosts or the output. */
static void
put_said(struct tl_fields *f, const char *name, const struct tl_fault *fault)
{
	tl_fields_object(f, NULL);
	if (name)
		tl_fields_string(f, "input", name);
	else
		tl_fields_null(f, "input");
	if (fault->at != TL_FAULT_NOWHERE)
		tl_fields_unsigned(f, "byte", fault->at);
	else
		tl_fields_null(f, "byte");
	tl_fields_bool(f, "damage",
	    fault->rc == -EBADMSG || (name && fault->rc != 0));
	tl_fields_string(f, "text", fault->text);
	tl_fields_object_end(f);
}

static void
put_faults(struct tl_fields *f, const struct tl_faults *notes)
{
	for (size_t k = 0; k < notes->count && k < TL_SNAP_FAULTS_MAX; k++)
		put_said(f, NULL, &notes->list[k]);
}

void
tl_conversion_show(const struct tl_conversion *conversion,
    const struct tl_sources *inputs, const struct tl_options *options,
    struct tl_text *text)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_string(&f, "output", options->output);
	tl_fields_string(&f, "format", options->to->name);
	tl_fields_unsigned(&f, "read", conversion->read);
	tl_fields_unsigned(&f, "written", conversion->written);
	tl_fields_unsigned(&f, "kept_out",
	    conversion->read - conversion->written);
	tl_fields_unsigned(&f, "lost", conversion->lost);
	tl_fields_unsigned(&f, "overwritten", conversion->overwritten);
	tl_fields_bool(&f, "damaged",
	    conversion->damaged || tl_sources_are_damaged(inputs));
	tl_fields_array(&f, "inputs");
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *input = &inputs->items[i];
		const bool open = tl_source_is_open(input);

		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "name", input->name);
		if (open)
			tl_fields_string(&f, "format", input->format);
		else
			tl_fields_null(&f, "format");
		tl_fields_bool(&f, "damaged", tl_source_is_damaged(input));
		tl_fields_unsigned(&f, "faults", tl_source_fault_count(input));
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_array(&f, "notes");
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *input = &inputs->items[i];
		const size_t kept = tl_source_faults_kept(input);

		for (size_t k = 0; k < kept; k++)
			put_said(&f, input->name, tl_source_fault(input, k));
	}
	put_faults(&f, &conversion->hosts);
	put_faults(&f, &conversion->notes);
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}
