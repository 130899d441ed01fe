/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_escape.c - the escaped forms of any bytes contain no control sequence,
 * are well formed, and hold every byte.
 */
#include "base/text.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tl_bytes
bytes_of(const struct tl_text *text)
{
	return tl_bytes(text->data, text->size);
}

/*
 * Check for valid UTF-8 without control characters, except for newlines where
 * allowed; returns the width in columns.
 */
static size_t
check_harmless(struct tl_bytes bytes, bool newlines)
{
	size_t size, width = 0;
	uint32_t code = 0;

	for (size_t at = 0; at < bytes.size; at += size) {
		size = tl_utf8_decode(bytes, at, &code);
		assert(size > 0);
		assert(!tl_utf8_steers(code) || (newlines && code == '\n'));
		width += tl_utf8_width(code);
	}
	return width;
}

static char
hex_digit(char c)
{
	assert((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
	return (char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Undo \\ \n \t \xNN. */
static void
put_unescaped(struct tl_text *text, struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		if (bytes.data[i] != '\\') {
			tl_put_char(text, bytes.data[i]);
			continue;
		}
		assert(++i < bytes.size);
		if (bytes.data[i] == 'x') {
			assert(bytes.size - i > 2);
			tl_put_char(text,
			    (char)(hex_digit(bytes.data[i + 1]) * 16 +
				   hex_digit(bytes.data[i + 2])));
			i += 2;
			continue;
		}
		assert(strchr("nt\\", bytes.data[i]));
		tl_put_char(text, bytes.data[i] == 'n'   ? '\n'
				  : bytes.data[i] == 't' ? '\t'
							 : '\\');
	}
}

static void
check_plain(struct tl_bytes input, bool lines)
{
	struct tl_text text = { 0 }, back = { 0 };
	size_t width;

	if (lines)
		tl_put_lines(&text, input);
	else
		tl_put_plain(&text, input);
	width = check_harmless(bytes_of(&text), lines);
	assert(lines || width == tl_text_width(input));
	put_unescaped(&back, bytes_of(&text));
	assert(tl_bytes_equal(bytes_of(&back), input));
	tl_text_free(&text);
	tl_text_free(&back);
}

/*
 * Check that the text is valid inside of a JSON string, as defined by RFC 8259.
 */
static void
check_json(struct tl_bytes input)
{
	struct tl_text text = { 0 };

	tl_put_json(&text, input);
	check_harmless(bytes_of(&text), false);
	for (size_t i = 0; i < text.size; i++) {
		assert(text.data[i] != '"');
		if (text.data[i] != '\\')
			continue;
		assert(++i < text.size);
		assert(strchr("\"\\nut", text.data[i]));
		if (text.data[i] != 'u')
			continue;
		assert(text.size - i > 4);
		for (unsigned j = 0; j < 4; j++)
			hex_digit(text.data[++i]);
	}
	tl_text_free(&text);
}

/*
 * Remove the quotes of a field.  The rest must need no quotes, or have them
 * doubled.
 */
static void
put_unquoted(struct tl_text *text, struct tl_bytes field)
{
	const bool quoted = field.size > 0 && field.data[0] == '"';
	size_t end = field.size;

	if (quoted)
		assert(end-- > 1 && field.data[end] == '"');
	for (size_t i = quoted; i < end; i++) {
		assert(quoted || !strchr(",\"\r\n", field.data[i]));
		if (field.data[i] == '"')
			assert(++i < end && field.data[i] == '"');
		tl_put_char(text, field.data[i]);
	}
}

static void
check_csv(struct tl_bytes input)
{
	struct tl_text text = { 0 }, field = { 0 }, back = { 0 };
	size_t mark;

	tl_put_csv(&text, input);
	check_harmless(bytes_of(&text), false);
	put_unquoted(&field, bytes_of(&text));
	assert(field.size == 0 || !strchr("=+-@", field.data[0]));
	mark = field.size > 0 && field.data[0] == '\'';
	if (field.size > 0)
		put_unescaped(&back,
		    tl_bytes(field.data + mark, field.size - mark));
	assert(tl_bytes_equal(bytes_of(&back), input));
	tl_text_free(&text);
	tl_text_free(&field);
	tl_text_free(&back);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes input = tl_bytes(data, size);

	check_plain(input, false);
	check_plain(input, true);
	check_json(input);
	check_csv(input);
	return 0;
}
