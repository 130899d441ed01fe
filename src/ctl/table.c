/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - pad cells to a number of columns on a terminal. */
#include "ctl/table.h"
#include "base/utf8.h"

#include <limits.h>

void
tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right)
{
	const size_t size = text->size - start;
	unsigned has;
	size_t fill;

	tl_utf8_fit(tl_bytes(text->data + start, size), UINT_MAX, &has);
	fill = has < width ? width - has : 0;
	if (right && fill > 0 && tl_text_reserve(text, fill)) {
		memmove(text->data + start + fill, text->data + start, size);
		memset(text->data + start, ' ', fill);
		text->size += fill;
	} else {
		tl_put_repeat(text, ' ', fill);
	}
	tl_put_char(text, ' ');
}
