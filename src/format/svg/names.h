/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - numbers of message names, from 0.  Messages of one name share a
 * number, even if they come from several inputs.
 */
#ifndef TL_FORMAT_SVG_NAMES_H
#define TL_FORMAT_SVG_NAMES_H

#include "base/table.h"
#include "base/text.h"
#include "format/label.h"

enum {
	SVG_NAMES_MAX = 64,
	SVG_NAMES_OTHERS = SVG_NAMES_MAX - 1, /* all further names */
	SVG_NO_ARG = UINT8_MAX
};

/* Starts from all zeros. */
struct svg_names {
	struct tl_labels labels;
	struct tl_id_map numbers; /* by message and argument */
	uint8_t *known;           /* name, by that number */
	size_t capacity;
	unsigned count; /* includes OTHERS once OTHERS is used */
	struct tl_text name[SVG_NAMES_MAX]; /* plain text */
	size_t label_at[SVG_NAMES_MAX];     /* offset behind the category */
	uint64_t entries[SVG_NAMES_MAX];    /* counted by the caller */
};

/*
 * Return the number of the name of an event's message, or of an argument: 0,
 * -ENOMEM.  The number may be SVG_NAMES_OTHERS.
 */
int tl_svg_names_get(struct svg_names *names, const struct tl_event *event,
    unsigned arg, unsigned *name);
void tl_svg_names_free(struct svg_names *names);

/* The name without its category. */
static inline struct tl_bytes
tl_svg_label(const struct svg_names *names, unsigned name)
{
	const struct tl_text *text = &names->name[name];
	const size_t at = names->label_at[name];

	return text->size == 0 ? tl_bytes(NULL, 0)
			       : tl_bytes(text->data + at, text->size - at);
}

static inline struct tl_bytes
tl_svg_name(const struct svg_names *names, unsigned name)
{
	return tl_bytes(names->name[name].data, names->name[name].size);
}

#endif
