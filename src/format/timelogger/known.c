/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - sources by input, number and name. */
#include "format/timelogger/known.h"

#include "base/array.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>

int
tl_known_add(struct tl_known_list *list, uint32_t input,
    const struct tl_message *message)
{
	struct tl_form form;

	tl_form_fill(&form, message);
	if (form.what != TL_FORM_NUMBERED || form.below || form.overlap ||
	    form.undefined || form.wanted < 0 ||
	    memchr(message->explain.data, ',', message->explain.size))
		return 0;
	if (TL_ARRAY_ROOM(list->items, list->capacity, list->count) < 0)
		return -ENOMEM;
	list->items[list->count] = (struct tl_known){ .message = message,
		.order = list->count,
		.input = input,
		.number = form.wanted,
		.has_name = !tl_label_is(message) };
	list->count++;
	list->sorted = false;
	return 0;
}

static int
compare(const void *left, const void *right)
{
	const struct tl_known *a = left, *b = right;

	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

size_t
tl_known_from(struct tl_known_list *list, uint32_t input, int32_t number)
{
	const struct tl_known wanted = { .input = input, .number = number };
	size_t i = 0;

	if (!list->sorted && list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	list->sorted = true;
	TL_SEARCH(i, 0, list->count, compare(&list->items[i], &wanted) < 0);
	return i;
}

struct tl_known *
tl_known_take(struct tl_known_list *list, uint32_t input, int32_t number,
    struct tl_bytes name)
{
	size_t i = tl_known_from(list, input, number);

	for (; i < list->count; i++) {
		struct tl_known *k = &list->items[i];

		if (k->input != input || k->number != number)
			break;
		if (k->taken ||
		    (k->has_name && !tl_bytes_equal(k->message->line1, name)))
			continue;
		k->taken = true;
		return k;
	}
	return NULL;
}

void
tl_known_free(struct tl_known_list *list)
{
	free(list->items);
	*list = (struct tl_known_list){ 0 };
}
