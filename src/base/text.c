/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the memory of a text, and bytes appended unchanged.
 */
#include "base/text.h"

#include "base/fault.h"
#include "base/file.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TL_TEXT_FIRST = 256 };

/* Let nothing fit any more: a text that lacks a piece in its middle would be
 * worse than a text that ends early. */
static char *
give_up(struct tl_text *text)
{
	text->rc = -ENOMEM;
	if (text->data)
		text->capacity = text->size + 1;
	return NULL;
}

char *
tl_text_grow(struct tl_text *text, size_t size)
{
	const size_t half = SIZE_MAX / 2;
	size_t capacity = text->capacity ? text->capacity : TL_TEXT_FIRST;
	char *data;

	if (text->rc != 0)
		return NULL;
	if (size >= half || text->size >= half - size)
		return give_up(text);
	while (capacity <= text->size + size)
		capacity *= 2;
	data = realloc(text->data, capacity);
	if (!data)
		return give_up(text);
	text->data = data;
	text->capacity = capacity;
	return data + text->size;
}

void
tl_text_free(struct tl_text *text)
{
	free(text->data);
	*text = (struct tl_text){ 0 };
}

const char *
tl_text_string(struct tl_text *text)
{
	if (!text->data)
		return "";
	text->data[text->size] = '\0'; /* there is always room for the NUL */
	return text->data;
}

void
tl_put_bytes(struct tl_text *text, struct tl_bytes bytes)
{
	char *to = tl_text_reserve(text, bytes.size);

	if (!to || bytes.size == 0)
		return;
	memcpy(to, bytes.data, bytes.size);
	text->size += bytes.size;
}

void
tl_put_string(struct tl_text *text, const char *string)
{
	tl_put_bytes(text, tl_bytes_of(string));
}

void
tl_put_repeat(struct tl_text *text, char c, size_t count)
{
	char *to = tl_text_reserve(text, count);

	if (!to)
		return;
	memset(to, c, count);
	text->size += count;
}

void
tl_text_align_right(struct tl_text *text, size_t since, size_t width)
{
	const size_t size = text->size - since;
	const size_t blanks = size < width ? width - size : 0;

	tl_put_repeat(text, ' ', blanks);
	if (text->rc < 0 || blanks == 0)
		return;
	memmove(text->data + since + blanks, text->data + since, size);
	memset(text->data + since, ' ', blanks);
}

void
tl_text_cut(struct tl_text *text, size_t since, unsigned columns,
    const char *mark)
{
	const struct tl_bytes all =
	    tl_bytes(text->data + since, text->size - since);
	const unsigned marked = (unsigned)strlen(mark);
	unsigned used;

	if (tl_utf8_fit(all, columns, &used) == all.size && used <= columns)
		return;
	text->size =
	    since +
	    tl_utf8_fit(all, columns > marked ? columns - marked : 0, &used);
	tl_put_string(text, mark);
}

void
tl_put_padded(struct tl_text *text, const char *word, size_t width)
{
	const size_t size = strlen(word);

	tl_put_bytes(text, tl_bytes(word, size));
	tl_put_repeat(text, ' ', size < width ? width - size : 1);
}

char *
tl_write_string(char *to, const char *string)
{
	const size_t size = strlen(string);

	memcpy(to, string, size);
	return to + size;
}

void
tl_put_format(struct tl_text *text, const char *format, ...)
{
	va_list args;
	char *to;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !(to = tl_text_reserve(text, (size_t)n)))
		return;
	va_start(args, format);
	vsnprintf(to, (size_t)n + 1, format, args);
	va_end(args);
	text->size += (size_t)n;
}

/*
 * == text escape ==
 *
 * Turn foreign bytes into text that cannot control a terminal.
 *
 * Most input is plain ASCII: runs of plain bytes are found eight at a time and
 * copied; only other bytes are examined one by one.
 */

enum escape { ESCAPE_PLAIN, ESCAPE_LINES, ESCAPE_JSON, ESCAPE_CSV };

#define EACH_BYTE 0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

/* Set a high bit where a byte of x may be 0.  None set: no byte is 0. */
static inline uint64_t
zero_bytes(uint64_t x)
{
	return (x - EACH_BYTE) & ~x;
}

/* Are all eight bytes printable ASCII, and neither \ nor quote? */
static inline bool
eight_are_clean(const char *data, unsigned char quote)
{
	uint64_t x, odd;

	memcpy(&x, data, sizeof(x));
	odd = x | (x - EACH_BYTE * 0x20); /* not ASCII, or a control byte */
	odd |= zero_bytes(x ^ EACH_BYTE * 0x7f);
	odd |= zero_bytes(x ^ EACH_BYTE * '\\');
	odd |= zero_bytes(x ^ EACH_BYTE * quote);
	return (odd & HIGH_BITS) == 0;
}

/* The number of bytes at the start that need no escape. */
static size_t
clean_run(const char *data, size_t size, unsigned char quote)
{
	size_t i = 0;

	while (size - i >= 8 && eight_are_clean(data + i, quote))
		i += 8;
	for (; i < size; i++) {
		const unsigned char c = (unsigned char)data[i];

		if (c < 0x20 || c >= 0x7f || c == '\\' || c == quote)
			break;
	}
	return i;
}

static void
put_hex_byte(struct tl_text *text, const char *lead, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	tl_put_string(text, lead);
	tl_put_char(text, digits[c >> 4]);
	tl_put_char(text, digits[c & 15]);
}

/* Put one byte in a form that no other byte has. */
static void
put_byte(struct tl_text *text, unsigned char c)
{
	if (c == '\n')
		tl_put_string(text, "\\n");
	else if (c == '\t')
		tl_put_string(text, "\\t");
	else if (c == '\\')
		tl_put_string(text, "\\\\");
	else
		put_hex_byte(text, "\\x", c);
}

static void
put_json_code(struct tl_text *text, uint32_t code)
{
	static const char bytes[] = "\"\\\n\t", letters[] = "\"\\nt";
	const char *byte =
	    code < 0x80 ? memchr(bytes, (int)code, sizeof(bytes) - 1) : NULL;

	if (byte) {
		tl_put_char(text, '\\');
		tl_put_char(text, letters[byte - bytes]);
	} else {
		put_hex_byte(text, "\\u", (unsigned char)(code >> 8));
		put_hex_byte(text, "", (unsigned char)code);
	}
}

/* Put the character at byte at.  Returns its number of bytes. */
static size_t
put_odd(struct tl_text *text, struct tl_bytes bytes, size_t at,
    enum escape escape)
{
	uint32_t code = 0;
	const size_t size = tl_utf8_decode(bytes, at, &code);

	if (escape == ESCAPE_JSON) {
		/* Put one character inside a JSON string; size is its number of
		 * bytes at odd, or 0 for an invalid byte. */
		if (size == 0)
			tl_put_string(text, "\xef\xbf\xbd");
		else if (code == '"' || code == '\\' || tl_utf8_steers(code))
			put_json_code(text, code);
		else
			tl_put_bytes(text, tl_bytes(bytes.data + at, size));
	} else {
		/* Put one character for a terminal or into a CSV field. */
		const char *odd = bytes.data + at;

		if (size == 0) {
			put_byte(text, (unsigned char)*odd);
		} else if (code == '\n' && escape == ESCAPE_LINES) {
			tl_put_char(text, '\n');
		} else if (code == '"' && escape == ESCAPE_CSV) {
			tl_put_string(text, "\"\"");
		} else if (code == '\\' || tl_utf8_steers(code)) {
			for (size_t i = 0; i < size; i++)
				put_byte(text, (unsigned char)odd[i]);
		} else {
			tl_put_bytes(text, tl_bytes(odd, size));
		}
	}
	return size > 0 ? size : 1;
}

static void
put_escaped(struct tl_text *text, struct tl_bytes bytes, enum escape escape)
{
	const bool quotes = escape == ESCAPE_JSON || escape == ESCAPE_CSV;
	const unsigned char quote = quotes ? '"' : '\\';
	size_t at = 0;

	while (at < bytes.size) {
		const size_t run =
		    clean_run(bytes.data + at, bytes.size - at, quote);

		tl_put_bytes(text, tl_bytes(bytes.data + at, run));
		at += run;
		if (at < bytes.size)
			at += put_odd(text, bytes, at, escape);
	}
}

void
tl_put_plain(struct tl_text *text, struct tl_bytes bytes)
{
	put_escaped(text, bytes, ESCAPE_PLAIN);
}

void
tl_put_lines(struct tl_text *text, struct tl_bytes bytes)
{
	put_escaped(text, bytes, ESCAPE_LINES);
}

void
tl_put_json(struct tl_text *text, struct tl_bytes bytes)
{
	put_escaped(text, bytes, ESCAPE_JSON);
}

void
tl_put_csv(struct tl_text *text, struct tl_bytes bytes)
{
	const bool quoted =
	    bytes.size > 0 && (memchr(bytes.data, ',', bytes.size) ||
				  memchr(bytes.data, '"', bytes.size));

	if (quoted)
		tl_put_char(text, '"');
	if (bytes.size > 0 && memchr("=+-@'", bytes.data[0], 5))
		tl_put_char(text, '\'');
	put_escaped(text, bytes, ESCAPE_CSV);
	if (quoted)
		tl_put_char(text, '"');
}

void
tl_put_xml(struct tl_text *text, struct tl_bytes plain)
{
	for (size_t i = 0; i < plain.size; i++) {
		switch (plain.data[i]) {
		case '&':
			tl_put_string(text, "&amp;");
			break;
		case '<':
			tl_put_string(text, "&lt;");
			break;
		case '>':
			tl_put_string(text, "&gt;");
			break;
		case '"':
			tl_put_string(text, "&quot;");
			break;
		default:
			tl_put_char(text, plain.data[i]);
		}
	}
}

/* The columns of one character as put_odd() writes it. */
static size_t
odd_width(const char *odd, size_t size, uint32_t code)
{
	if (size > 0 && code != '\\' && !tl_utf8_steers(code))
		return tl_utf8_width(code);
	if (*odd == '\n' || *odd == '\t' || *odd == '\\')
		return 2;
	return 4 * (size > 0 ? size : 1);
}

size_t
tl_text_width(struct tl_bytes bytes)
{
	size_t width = 0, at = 0;

	while (at < bytes.size) {
		const size_t run =
		    clean_run(bytes.data + at, bytes.size - at, '\\');
		uint32_t code = 0;
		size_t size;

		width += run;
		at += run;
		if (at == bytes.size)
			break;
		size = tl_utf8_decode(bytes, at, &code);
		width += odd_width(bytes.data + at, size, code);
		at += size > 0 ? size : 1;
	}
	return width;
}

/* == fill in a fault == */

int
tl_fault(struct tl_fault *fault, int rc, uint64_t at, const char *format, ...)
{
	va_list args;

	if (!fault || fault->rc != 0)
		return rc;
	fault->rc = rc;
	fault->at = at;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return rc;
}

void
tl_fault_print(const char *program, const char *name,
    const struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	char line[sizeof(fault->text) + 64];
	int size;

	tl_put_format(&text, "%s: ", program);
	if (name && name[0]) {
		tl_put_plain(&text, tl_bytes_of(name));
		tl_put_string(&text, ": ");
	}
	if (fault->rc < 0 && fault->at != TL_FAULT_NOWHERE)
		tl_put_format(&text, "byte %lu: ", fault->at);
	tl_put_lines(&text,
	    tl_bytes_of(
		fault->text[0] ? fault->text : tl_file_error(fault->rc)));
	tl_put_char(&text, '\n');
	if (text.rc == 0) {
		(void)tl_write_all(STDERR_FILENO, text.data, text.size);
	} else {
		size = snprintf(line, sizeof(line), "%s: %s\n", program,
		    strerror(fault->rc < 0 ? -fault->rc : -text.rc));
		(void)tl_write_all(STDERR_FILENO, line, (size_t)size);
	}
	tl_text_free(&text);
}

/* The number of digits before the point is that of the rounded value. */
void
tl_put_rounded(struct tl_text *text, double value, int digits)
{
	char written[32];
	const size_t since = text->size;
	const char *exponent;
	int decimals = 0;

	snprintf(written, sizeof(written), "%.*e", digits - 1, value);
	exponent = strchr(written, 'e');
	if (exponent) /* not of inf and nan */
		decimals = digits - 1 - atoi(exponent + 1);
	tl_put_format(text, "%.*f", decimals > 0 ? decimals : 0, value);
	if (decimals <= 0)
		return;
	while (text->size > since && text->data[text->size - 1] == '0')
		text->size--;
	if (text->size > since && text->data[text->size - 1] == '.')
		text->size--;
}

const char *
tl_counted_in(char *room, uint64_t n, const char *noun)
{
	const size_t size = strlen(noun);
	const bool y = size > 0 && noun[size - 1] == 'y';

	snprintf(room, TL_COUNTED_MAX + 1, "%lu %.*s%s", n,
	    (int)size - (y && n != 1), noun,
	    n == 1 ? ""
	    : y    ? "ies"
		   : "s");
	return room;
}

void
tl_put_count(struct tl_text *text, uint64_t n, const char *noun)
{
	tl_put_string(text, TL_COUNTED(n, noun));
}
