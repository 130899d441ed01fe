/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - number the names; names beyond the limit share a number. */
#include "format/svg/names.h"

#include "base/array.h"
#include "format/svg/draw.h"

#include <errno.h>
#include <stdlib.h>

/* Make a name of category and label; *label_at is the offset of the label. */
static void
make_name(struct tl_text *plain, const struct tl_event *event, unsigned arg,
    size_t *label_at)
{
	struct tl_text name = { 0 };

	tl_put_bytes(&name, event->message->category);
	if (arg != SVG_NO_ARG) {
		tl_put_string(&name, name.size > 0 ? " $" : "$");
		tl_put_bytes(&name, event->message->args[arg].name);
	}
	if (name.size > 0)
		tl_put_string(&name, ": ");
	tl_svg_plain(plain, tl_bytes(name.data, name.size), SVG_NAME_COLUMNS);
	*label_at = plain->size;
	tl_text_clear(plain);
	tl_label_put(&name, event);
	tl_svg_plain(plain, tl_bytes(name.data, name.size), SVG_NAME_COLUMNS);
	if (name.rc < 0)
		plain->rc = name.rc;
	tl_text_free(&name);
}

/* Return the number that all names share once only one number is left. */
static int
find_others(struct svg_names *names, unsigned *found)
{
	struct tl_text *others = &names->name[SVG_NAMES_OTHERS];

	if (others->size == 0)
		tl_put_string(others, "(all other messages)");
	names->count = SVG_NAMES_MAX;
	*found = SVG_NAMES_OTHERS;
	return others->rc;
}

/* Find the number of a message's name, which may be new: 0, -ENOMEM. */
static int
find_name(struct svg_names *names, const struct tl_event *event, unsigned arg,
    unsigned *found)
{
	struct tl_text name = { 0 };
	struct tl_bytes plain;
	size_t label_at;
	unsigned i = 0;
	int rc;

	make_name(&name, event, arg, &label_at);
	plain = tl_bytes(name.data, name.size);
	while (
	    i < names->count && !tl_bytes_equal(plain, tl_svg_name(names, i)))
		i++;
	*found = i;
	rc = name.rc;
	if (rc == 0 && i == names->count && i < SVG_NAMES_OTHERS) {
		/* if the category leaves no room, the whole name serves */
		names->label_at[i] = label_at < name.size ? label_at : 0;
		names->name[i] = name;
		names->count++;
		return 0;
	}
	tl_text_free(&name);
	return rc == 0 && i == names->count ? find_others(names, found) : rc;
}

int
tl_svg_names_get(struct svg_names *names, const struct tl_event *event,
    unsigned arg, unsigned *name)
{
	const struct tl_id_key key = {
		(uintptr_t)tl_labels_get(&names->labels, event), arg
	};
	uint32_t number;
	int rc = tl_id_map_get(&names->numbers, key, &number);

	if (rc == -ENOSPC)
		return find_others(names, name);
	if (rc >= 0 &&
	    TL_ARRAY_ZEROS(names->known, names->capacity, number) < 0)
		rc = -ENOMEM;
	if (rc < 0)
		return rc;
	if (rc == 1) {
		if ((rc = find_name(names, event, arg, name)) < 0)
			return rc;
		names->known[number] = (uint8_t)*name;
	}
	*name = names->known[number];
	return 0;
}

void
tl_svg_names_free(struct svg_names *names)
{
	for (unsigned i = 0; i < SVG_NAMES_MAX; i++)
		tl_text_free(&names->name[i]);
	free(names->known);
	tl_id_map_free(&names->numbers);
	tl_labels_free(&names->labels);
}
