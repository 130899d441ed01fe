/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - numbers of message names, from 0.  Messages of the same name have
 * the same number, in whichever input they are.
 */
#ifndef TL_FORMAT_SVG_NAMES_H
#define TL_FORMAT_SVG_NAMES_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"

enum {
	SVG_NAMES_MAX = 64,
	SVG_NAMES_OTHERS = SVG_NAMES_MAX - 1, /* all beyond */
	SVG_NO_ARG = UINT8_MAX
};

/* Starts from all zeros. */
struct svg_names {
	struct tl_id_map numbers; /* of messages and their arguments */
	uint8_t *known;           /* the names of these numbers */
	size_t capacity;
	unsigned count; /* the others are among them once there are any */
	struct tl_text name[SVG_NAMES_MAX]; /* plain */
	size_t label_at[SVG_NAMES_MAX];     /* behind the category */
	uint64_t entries[SVG_NAMES_MAX];    /* counted by the caller */
};

/* The name of an event's message, or of an argument of it: 0, 1 where it
 * counts as one of the others, -ENOMEM. */
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
