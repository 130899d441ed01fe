/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c - texts of the string array: each is written as it is met
 * and forgotten but for its number.
 */
#include "format/firefox/firefox.h"

#include "base/array.h"

#include <errno.h>

void
tl_firefox_put_text(struct tl_text *text, struct tl_bytes string)
{
	tl_put_char(text, '"');
	tl_put_json(text, string);
	tl_put_char(text, '"');
}

int
tl_firefox_string_add(struct firefox_write *w, struct tl_bytes string,
    uint64_t *number)
{
	struct tl_text *text = &w->strings.text;

	tl_put_string(text, w->string_count > 0 ? ",\n" : "\n");
	tl_firefox_put_text(text, string);
	*number = w->string_count++;
	return tl_column_spill_full(&w->spill, &w->strings);
}

/* The text of a number; an unknown number is #7. */
static int
add_argument(struct firefox_write *w, const struct tl_message *message,
    uint64_t string, uint64_t *number)
{
	const struct tl_bytes known = tl_message_string(message, string);

	if (known.data)
		return tl_firefox_string_add(w, known, number);
	tl_text_clear(&w->scratch);
	tl_put_char(&w->scratch, '#');
	tl_put_unsigned(&w->scratch, string);
	return tl_firefox_string_add(w,
	    tl_bytes(w->scratch.data, w->scratch.size), number);
}

int
tl_firefox_string(struct firefox_write *w, const struct tl_message *message,
    uint64_t string, uint64_t *number)
{
	const struct tl_id_key key = { string, (uintptr_t)message->strings };
	uint32_t at;
	int rc = tl_id_map_get(&w->string_keys, key, &at);

	if (rc == -ENOSPC) /* written again each time it is met */
		return add_argument(w, message, string, number);
	if (rc < 0)
		return rc;
	if (rc > 0) {
		rc = TL_ARRAY_ZEROS(w->string_numbers, w->string_capacity, at);
		if (rc < 0)
			return rc;
		rc = add_argument(w, message, string, &w->string_numbers[at]);
	}
	*number = w->string_numbers[at];
	return rc;
}
