/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - cells by the columns that a terminal needs for them. */
#include "ctl/table.h"
#include "base/utf8.h"

/* One character of text that was escaped: how many bytes, how many columns. */
static size_t
step(struct tl_bytes text, size_t at, size_t *columns)
{
	uint32_t code;
	const size_t size = tl_utf8_decode(text, at, &code);

	*columns = size > 0 ? tl_utf8_width(code) : 1;
	return size > 0 ? size : 1;
}

static size_t
width_of(struct tl_bytes text)
{
	size_t width = 0;
	size_t columns;

	for (size_t at = 0; at < text.size; width += columns)
		at += step(text, at, &columns);
	return width;
}

void
tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right)
{
	const size_t size = text->size - start;
	const size_t has = width_of(tl_bytes(text->data + start, size));
	const size_t fill = has < width ? width - has : 0;

	if (right && fill > 0 && tl_text_reserve(text, fill)) {
		memmove(text->data + start + fill, text->data + start, size);
		memset(text->data + start, ' ', fill);
		text->size += fill;
	} else {
		tl_put_repeat(text, ' ', fill);
	}
	tl_put_char(text, ' ');
}

void
tl_line_cut(struct tl_text *text, size_t start, size_t width)
{
	const struct tl_bytes line =
	    tl_bytes(text->data + start, text->size - start);
	size_t columns;
	size_t used = 0;

	for (size_t at = 0; at < line.size;) {
		const size_t size = step(line, at, &columns);

		if (used + columns > width) {
			text->size = start + at;
			return;
		}
		used += columns;
		at += size;
	}
}
