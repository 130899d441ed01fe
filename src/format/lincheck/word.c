/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_word.c - descriptions of Lincheck objects, word by word. */
#include "format/lincheck/word.h"

#include "base/mutf8.h"
#include "base/number.h"

enum { HEX_DIGIT = 4, ESCAPE_SIZE = 3, TYPE_ARRAY = 0, TYPE_OBJECT = 8 };

static const char hex[] = "0123456789abcdef";

/* By the number of the type. */
static const char letters[] = "[ZBCDFIJLSV";

const char *const tl_lincheck_classes[] = {
	[TL_LINCHECK_CALL] = "call",
	[TL_LINCHECK_READ_ARRAY] = "read_array",
	[TL_LINCHECK_READ_LOCAL] = "read_local",
	[TL_LINCHECK_READ_FIELD] = "read_field",
	[TL_LINCHECK_WRITE_ARRAY] = "write_array",
	[TL_LINCHECK_WRITE_LOCAL] = "write_local",
	[TL_LINCHECK_WRITE_FIELD] = "write_field",
	[TL_LINCHECK_LOOP] = "loop",
	[TL_LINCHECK_ITERATION] = "iteration",
	[TL_LINCHECK_BREAKPOINT] = "breakpoint",
	[TL_LINCHECK_THROW] = "throw",
	[TL_LINCHECK_CATCH] = "catch",
	[TL_LINCHECK_FOOTER_CLASS] = "footer",
};

const char *const tl_lincheck_kinds[] = {
	[TL_LINCHECK_CLASS] = "class",
	[TL_LINCHECK_METHOD] = "method",
	[TL_LINCHECK_FIELD] = "field",
	[TL_LINCHECK_VARIABLE] = "variable",
	[TL_LINCHECK_STRING] = "string",
	[TL_LINCHECK_LOCATION] = "location",
	[TL_LINCHECK_ACCESS_PATH] = "path",
};

static int
find(const char *const *names, int count, struct tl_bytes word)
{
	for (int i = 0; i < count; i++) {
		if (tl_bytes_equal(word, tl_bytes_of(names[i])))
			return i;
	}
	return -1;
}

int
tl_lincheck_class_of(struct tl_bytes word)
{
	return find(tl_lincheck_classes, TL_LINCHECK_FOOTER_CLASS + 1, word);
}

int
tl_lincheck_kind_of(struct tl_bytes word)
{
	return find(tl_lincheck_kinds, TL_LINCHECK_POINT, word);
}

void
tl_lincheck_put_word(struct tl_text *to, struct tl_bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		const uint8_t c = (uint8_t)text.data[i];

		if (c > ' ' && c != 0x7f && c != ';' && c != '\\') {
			tl_put_char(to, (char)c);
			continue;
		}
		tl_put_char(to, '\\');
		tl_put_char(to, hex[c >> HEX_DIGIT]);
		tl_put_char(to, hex[c & 0xf]);
	}
}

bool
tl_lincheck_put_name(struct tl_text *to, struct tl_bytes name)
{
	struct tl_text plain = { 0 };
	const bool good = tl_mutf8_decode(&plain, name);

	tl_lincheck_put_word(to, tl_bytes(plain.data, plain.size));
	if (plain.rc < 0)
		to->rc = plain.rc;
	tl_text_free(&plain);
	return good;
}

static int
hex_digit(char c)
{
	const char *at = c ? strchr(hex, c) : NULL;

	return at ? (int)(at - hex) : -1;
}

void
tl_lincheck_take_word(struct tl_text *to, struct tl_bytes word)
{
	for (size_t i = 0; i < word.size; i++) {
		const bool escaped =
		    word.data[i] == '\\' && word.size - i >= ESCAPE_SIZE;
		const int high = escaped ? hex_digit(word.data[i + 1]) : -1;
		const int low = escaped ? hex_digit(word.data[i + 2]) : -1;

		if (high < 0 || low < 0) {
			tl_put_char(to, word.data[i]);
			continue;
		}
		tl_put_char(to, (char)(high << HEX_DIGIT | low));
		i += ESCAPE_SIZE - 1;
	}
}

void
tl_lincheck_put_i32(struct tl_text *to, int32_t n)
{
	for (unsigned shift = 32; shift > 0; shift -= 8)
		tl_put_char(to, (char)((uint32_t)n >> (shift - 8)));
}

bool
tl_lincheck_put_utf(struct tl_text *to, struct tl_bytes text)
{
	size_t start, size;
	bool good;

	tl_put_repeat(to, '\0', sizeof(uint16_t));
	start = to->size;
	good = tl_mutf8_encode(to, text, TL_MUTF8_SIZE_MAX);
	if (to->rc < 0)
		return false;
	size = to->size - start;
	to->data[start - 2] = (char)(size >> 8);
	to->data[start - 1] = (char)size;
	return good;
}

bool
tl_lincheck_next_word(struct tl_bytes *line, struct tl_bytes *word)
{
	const char *space;

	if (!line->data)
		return false;
	space = line->size > 0 ? memchr(line->data, ' ', line->size) : NULL;
	*word = *line;
	if (!space) {
		*line = tl_bytes(NULL, 0);
		return true;
	}
	word->size = (size_t)(space - line->data);
	*line = tl_bytes(space + 1, line->size - word->size - 1);
	return true;
}

bool
tl_lincheck_next_number(struct tl_bytes *line, int32_t *n)
{
	struct tl_bytes word;
	int64_t wide;

	if (!tl_lincheck_next_word(line, &word) ||
	    tl_number_signed(word, word.data + word.size, &wide) < 0 ||
	    wide < INT32_MIN || wide > INT32_MAX)
		return false;
	*n = (int32_t)wide;
	return true;
}

static void
put_type(struct tl_text *to, struct tl_data_in *types)
{
	uint8_t type;

	do {
		type = tl_data_u8(types);
		if (types->bad || type >= sizeof(letters) - 1)
			return;
		tl_put_char(to, letters[type]);
	} while (type == TYPE_ARRAY);
	if (type == TYPE_OBJECT) {
		tl_lincheck_put_name(to, tl_data_utf(types));
		tl_put_char(to, ';');
	}
}

void
tl_lincheck_put_descriptor(struct tl_text *to, struct tl_data_in *types)
{
	struct tl_data_in result = *types;
	int32_t count;

	tl_lincheck_skip_type(types);
	count = tl_data_i32(types);
	tl_put_char(to, '(');
	while (count-- > 0 && !types->bad)
		put_type(to, types);
	tl_put_char(to, ')');
	put_type(to, &result);
}

/* The name of a class, with its size, up to a semicolon. */
static bool
take_class(struct tl_text *types, struct tl_bytes *word)
{
	const char *end =
	    word->size > 0 ? memchr(word->data, ';', word->size) : NULL;
	struct tl_text name = { 0 };
	size_t size;
	bool good;

	if (!end)
		return false;
	size = (size_t)(end - word->data);
	tl_lincheck_take_word(&name, tl_bytes(word->data, size));
	*word = tl_bytes(end + 1, word->size - size - 1);
	good = tl_lincheck_put_utf(types, tl_bytes(name.data, name.size)) &&
	       name.rc == 0;
	tl_text_free(&name);
	return good;
}

static bool
take_type(struct tl_text *types, struct tl_bytes *word)
{
	const char *letter;

	do {
		letter = word->size > 0 && *word->data
			     ? strchr(letters, *word->data)
			     : NULL;
		if (!letter)
			return false;
		tl_put_char(types, (char)(letter - letters));
		word->data++;
		word->size--;
	} while (*letter == '[');
	return *letter != 'L' || take_class(types, word);
}

/* The parameters, up to the closing bracket. */
static bool
take_parameters(struct tl_text *types, struct tl_bytes *word, uint32_t *count)
{
	*count = 0;
	if (word->size == 0 || *word->data != '(')
		return false;
	word->data++;
	word->size--;
	while (word->size > 0 && *word->data != ')') {
		if (!take_type(types, word))
			return false;
		++*count;
	}
	if (word->size == 0)
		return false;
	word->data++;
	word->size--;
	return true;
}

bool
tl_lincheck_take_descriptor(struct tl_text *types, struct tl_bytes word)
{
	struct tl_text parameters = { 0 };
	uint32_t count;
	const bool good = take_parameters(&parameters, &word, &count) &&
			  take_type(types, &word) && word.size == 0;

	tl_lincheck_put_i32(types, (int32_t)count);
	tl_put_bytes(types, tl_bytes(parameters.data, parameters.size));
	if (parameters.rc < 0)
		types->rc = parameters.rc;
	tl_text_free(&parameters);
	return good && types->rc == 0;
}
