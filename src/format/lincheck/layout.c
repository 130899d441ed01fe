/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_layout.c - steps in an array, and strings that lead to it. */
#include "format/lincheck/layout.h"

#include <stdlib.h>

void
tl_lincheck_layout_add(struct tl_lincheck_layout *l,
    enum tl_lincheck_layout_what what, uint8_t kind, int32_t n)
{
	struct tl_lincheck_layout_step *last =
	    l->count > 0 ? &l->steps[l->count - 1] : NULL;
	void *steps = l->steps;

	if (l->lost)
		return;
	if (what == TL_LINCHECK_LAYOUT_POINTS && last && last->what == what &&
	    last->n < INT32_MAX) {
		last->n += n;
		return;
	}
	if (l->count == TL_LINCHECK_LAYOUT_MAX ||
	    tl_numbers_room(&steps, &l->capacity, (uint32_t)l->count,
		sizeof(*l->steps)) < 0) {
		l->lost = true;
		return;
	}
	l->steps = steps;
	l->steps[l->count++] =
	    (struct tl_lincheck_layout_step){ (uint8_t)what, kind, n };
}

bool
tl_lincheck_layout_is_by_memory(const struct tl_lincheck_layout *l)
{
	int32_t next = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->steps[i].what != TL_LINCHECK_LAYOUT_BLOCK)
			continue;
		if (l->steps[i].n != next++ || i + 1 == l->count ||
		    l->steps[i + 1].what == TL_LINCHECK_LAYOUT_END)
			return false;
	}
	return next > 0;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	const struct tl_lincheck_strings *s =
	    (const struct tl_lincheck_strings *)(const void *)strings;

	return s->inner->get(s->inner, n);
}

void
tl_lincheck_strings_init(struct tl_lincheck_strings *s,
    const struct tl_strings *inner, struct tl_lincheck_context *context)
{
	*s = (struct tl_lincheck_strings){ .strings = { get_string },
		.inner = inner,
		.layout = { .context = context } };
}

void
tl_lincheck_strings_free(struct tl_lincheck_strings *s)
{
	free(s->layout.steps);
}

const struct tl_lincheck_layout *
tl_lincheck_layout_of(const struct tl_message *message)
{
	const struct tl_strings *strings = message->strings;

	if (!strings || strings->get != get_string)
		return NULL;
	return &((const struct tl_lincheck_strings *)(const void *)strings)
		    ->layout;
}
