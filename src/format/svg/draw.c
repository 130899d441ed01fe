/* SPDX-License-Identifier: Apache-2.0 */
/* draw.c - write SVG elements, and text that cannot be mistaken for markup. */
#include "format/svg/draw.h"

#include "base/utf8.h"

enum { NUMBER_MAX = 1000000 }; /* far outside of every picture */

static const char ellipsis[] = "\xe2\x80\xa6";

void
tl_svg_number(struct tl_text *text, double number)
{
	int64_t hundredths;

	if (!(number > -NUMBER_MAX)) /* true for NaN, too */
		number = -NUMBER_MAX;
	if (number > NUMBER_MAX)
		number = NUMBER_MAX;
	hundredths = (int64_t)(number * 100 + (number < 0 ? -0.5 : 0.5));
	if (hundredths < 0) {
		tl_put_char(text, '-');
		hundredths = -hundredths;
	}
	tl_put_unsigned(text, (uint64_t)hundredths / 100);
	if (hundredths % 100 == 0)
		return;
	tl_put_char(text, '.');
	tl_put_char(text, (char)('0' + hundredths / 10 % 10));
	if (hundredths % 10 != 0)
		tl_put_char(text, (char)('0' + hundredths % 10));
}

void
tl_svg_count(struct tl_text *text, uint64_t count)
{
	char digits[TL_UNSIGNED_MAX];
	const size_t size = (size_t)(tl_write_unsigned(digits, count) - digits);

	for (size_t i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			tl_put_char(text, ',');
		tl_put_char(text, digits[i]);
	}
}

void
tl_svg_counted(struct tl_text *text, uint64_t count, const char *word)
{
	tl_svg_count(text, count);
	tl_put_char(text, ' ');
	tl_put_string(text, word);
	if (count != 1)
		tl_put_char(text, 's');
}

/* The size of the longest prefix within columns and size_max bytes. */
static size_t
fitting(struct tl_bytes plain, unsigned columns, size_t size_max)
{
	size_t at = 0;
	unsigned used = 0;

	while (at < plain.size) {
		uint32_t code;
		const size_t size = tl_utf8_decode(plain, at, &code);

		used += size > 0 ? tl_utf8_width(code) : 1;
		if (used > columns || at + size > size_max)
			break;
		at += size > 0 ? size : 1;
	}
	return at;
}

void
tl_svg_cut(struct tl_text *text, struct tl_bytes plain, unsigned columns)
{
	const size_t max = SVG_NAME_SIZE - sizeof(ellipsis);

	if (fitting(plain, columns, SVG_NAME_SIZE) == plain.size) {
		tl_put_bytes(text, plain);
		return;
	}
	if (columns == 0)
		return;
	plain.size = fitting(plain, columns - 1, max);
	tl_put_bytes(text, plain);
	tl_put_string(text, ellipsis);
}

/* XML forbids the code points fffe and ffff, which are shown as bytes. */
void
tl_svg_plain(struct tl_text *text, struct tl_bytes bytes, unsigned columns)
{
	struct tl_text plain = { 0 };
	struct tl_text inside = { 0 };

	tl_put_plain(&plain, bytes);
	for (size_t at = 0; at < plain.size;) {
		const struct tl_bytes all = tl_bytes(plain.data, plain.size);
		uint32_t code;
		size_t size = tl_utf8_decode(all, at, &code);

		if (size == 3 && (code == 0xfffe || code == 0xffff))
			tl_put_format(&inside, "\\xef\\xbf\\x%02x",
			    code == 0xfffe ? 0xbeu : 0xbfu);
		else
			tl_put_bytes(&inside,
			    tl_bytes(all.data + at, size > 0 ? size : 1));
		at += size > 0 ? size : 1;
	}
	tl_svg_cut(text, tl_bytes(inside.data, inside.size), columns);
	if (plain.rc < 0 || inside.rc < 0)
		text->rc = plain.rc < 0 ? plain.rc : inside.rc;
	tl_text_free(&plain);
	tl_text_free(&inside);
}

static void
open_element(struct tl_text *text, const char *element, const char *class)
{
	tl_put_char(text, '<');
	tl_put_string(text, element);
	tl_put_string(text, " class=\"");
	tl_put_string(text, class);
	tl_put_char(text, '"');
}

static void
put_attribute(struct tl_text *text, const char *name, double value)
{
	tl_put_char(text, ' ');
	tl_put_string(text, name);
	tl_put_string(text, "=\"");
	tl_svg_number(text, value);
	tl_put_char(text, '"');
}

void
tl_svg_text(struct tl_text *text, const char *class, struct svg_point at,
    struct tl_bytes plain)
{
	open_element(text, "text", class);
	put_attribute(text, "x", at.x);
	put_attribute(text, "y", at.y);
	tl_put_char(text, '>');
	tl_put_xml(text, plain);
	tl_put_string(text, "</text>\n");
}

void
tl_svg_words(struct tl_text *text, const char *class, struct svg_point at,
    struct tl_text *words)
{
	tl_svg_text(text, class, at, tl_bytes(words->data, words->size));
	if (words->rc < 0)
		text->rc = words->rc;
	tl_text_free(words);
}

void
tl_svg_word(struct tl_text *text, const char *class, struct svg_point at,
    const char *word)
{
	tl_svg_text(text, class, at, tl_bytes_of(word));
}

void
tl_svg_line(struct tl_text *text, const char *class, struct svg_point from,
    struct svg_point to)
{
	open_element(text, "line", class);
	put_attribute(text, "x1", from.x);
	put_attribute(text, "y1", from.y);
	put_attribute(text, "x2", to.x);
	put_attribute(text, "y2", to.y);
	tl_put_string(text, "/>\n");
}

static void
put_box(struct tl_text *text, const char *class, struct svg_box box)
{
	open_element(text, "rect", class);
	put_attribute(text, "x", box.x);
	put_attribute(text, "y", box.y);
	put_attribute(text, "width", box.width);
	put_attribute(text, "height", box.height);
}

void
tl_svg_rect(struct tl_text *text, const char *class, struct svg_box box)
{
	put_box(text, class, box);
	tl_put_string(text, "/>\n");
}

void
tl_svg_rect_open(struct tl_text *text, const char *class, struct svg_box box)
{
	put_box(text, class, box);
	tl_put_char(text, '>');
}
