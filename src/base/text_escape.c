/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_escape.c - foreign bytes into text that steers nothing.
 *
 * Most input is plain ASCII: runs of it are found eight bytes at a time and
 * copied; only what is odd is looked at one character after the other.
 */
#include "base/text.h"
#include "base/utf8.h"

enum escape { ESCAPE_PLAIN, ESCAPE_LINES, ESCAPE_JSON, ESCAPE_CSV };

#define EACH_BYTE 0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

/* A high bit set where a byte of x may be 0; none set: no byte is. */
static inline uint64_t
zero_bytes(uint64_t x)
{
	return (x - EACH_BYTE) & ~x;
}

/* Is each of the eight bytes printable ASCII, but neither \ nor quote? */
static inline bool
eight_are_clean(const char *data, unsigned char quote)
{
	uint64_t x, odd;

	memcpy(&x, data, sizeof(x));
	odd = x | (x - EACH_BYTE * 0x20); /* not ASCII, or control? */
	odd |= zero_bytes(x ^ EACH_BYTE * 0x7f);
	odd |= zero_bytes(x ^ EACH_BYTE * '\\');
	odd |= zero_bytes(x ^ EACH_BYTE * quote);
	return (odd & HIGH_BITS) == 0;
}

/* How many bytes from the start need no look. */
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

/* One byte so that it can be read and told from any other. */
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
	switch (code) {
	case '"':
		tl_put_string(text, "\\\"");
		break;
	case '\\':
		tl_put_string(text, "\\\\");
		break;
	case '\n':
		tl_put_string(text, "\\n");
		break;
	case '\t':
		tl_put_string(text, "\\t");
		break;
	default:
		put_hex_byte(text, "\\u", (unsigned char)(code >> 8));
		put_hex_byte(text, "", (unsigned char)code);
	}
}

/* One character of the inside of a JSON string, size bytes at odd; size 0: a
 * byte that is none. */
static void
put_json_odd(struct tl_text *text, const char *odd, size_t size, uint32_t code)
{
	if (size == 0)
		tl_put_string(text, "\xef\xbf\xbd");
	else if (code == '"' || code == '\\' || tl_utf8_steers(code))
		put_json_code(text, code);
	else
		tl_put_bytes(text, tl_bytes(odd, size));
}

/* The same for a terminal or a CSV field. */
static void
put_plain_odd(struct tl_text *text, const char *odd, size_t size, uint32_t code,
    enum escape escape)
{
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

/* Put the character at byte at; how many bytes it took. */
static size_t
put_odd(struct tl_text *text, struct tl_bytes bytes, size_t at,
    enum escape escape)
{
	uint32_t code = 0;
	const size_t size = tl_utf8_decode(bytes, at, &code);

	if (escape == ESCAPE_JSON)
		put_json_odd(text, bytes.data + at, size, code);
	else
		put_plain_odd(text, bytes.data + at, size, code, escape);
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

/* Columns of one character as put_plain_odd writes it. */
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
