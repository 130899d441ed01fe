/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_words.c - formats of printf, taken apart:
 *
 *	took %-5ld of %s
 *	     ^conversion: 'd', 64 bits
 */
#include "front/rtl_words.h"

#include <stdbool.h>

/* A conversion in a byte: its letter's place and the size of its value. */
enum { NONE, SIGNED, UNSIGNED, HEX, DOUBLE, STRING, CHARACTER, KINDS };
enum { KIND_MASK = 15, BITS_SHIFT = 4 };

static const struct {
	char letter;
	uint8_t kind;
} letters[] = {
	{ 'd', SIGNED },
	{ 'i', SIGNED },
	{ 'u', UNSIGNED },
	{ 'o', UNSIGNED },
	{ 'x', HEX },
	{ 'X', HEX },
	{ 'p', HEX },
	{ 'e', DOUBLE },
	{ 'E', DOUBLE },
	{ 'f', DOUBLE },
	{ 'F', DOUBLE },
	{ 'g', DOUBLE },
	{ 'G', DOUBLE },
	{ 'a', DOUBLE },
	{ 'A', DOUBLE },
	{ 's', STRING },
	{ 'c', CHARACTER },
};

static uint8_t
kind_of(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].letter == letter)
			return letters[i].kind;
	}
	return NONE;
}

static const char *
skip_any(const char *at, const char *set)
{
	return at + strspn(at, set);
}

/* hh h and nothing: 8 16 32 bits, all else 64.  As log2 of bytes. */
static const char *
read_length(const char *at, uint8_t *log_bytes)
{
	const char *end = skip_any(at, "hlLqjzt");

	*log_bytes = end == at ? 2 : at[0] != 'h' ? 3 : end - at > 1 ? 0 : 1;
	return end;
}

/* The conversion that at, behind a '%', is; moves behind it.  NONE: text. */
static uint8_t
read_conversion(const char **at)
{
	const char *end = skip_any(*at, "-+ #0'");
	uint8_t log_bytes, kind;

	end = skip_any(end, "0123456789");
	if (*end == '.')
		end = skip_any(end + 1, "0123456789");
	end = read_length(end, &log_bytes);
	kind = kind_of(*end);
	if (kind == NONE)
		return NONE;
	if (*end == 'p')
		log_bytes = 3;
	*at = end + 1;
	return (uint8_t)(kind | log_bytes << BITS_SHIFT);
}

/*
 * The text up to the next conversion or the end is put; *format moves behind
 * it.  *left conversions may still come.
 */
static uint8_t
next(struct tl_text *text, const char **format, unsigned *left)
{
	const char *at = *format;

	for (uint8_t conversion; *at; at++) {
		const char *behind = at + 1;

		if (at[0] == '%' && at[1] == '%') {
			tl_put_char(text, '%');
			at++;
			continue;
		}
		if (at[0] == '%' && *left > 0 &&
		    (conversion = read_conversion(&behind)) != NONE) {
			--*left;
			*format = behind;
			return conversion;
		}
		if (*at != '\n' && *at != '\r')
			tl_put_char(text, *at);
		else if (at[strspn(at, "\r\n")]) /* else it ends the line */
			tl_put_char(text, ' ');
	}
	*format = at;
	return NONE;
}

/* Would what follows be taken for a part of the argument? */
static bool
sticks(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '%';
}

static void
put_argument(struct tl_text *text, unsigned number, uint8_t conversion,
    char follows)
{
	static const char *const suffixes[KINDS] = { [SIGNED] = "%d",
		[UNSIGNED] = "",
		[HEX] = "%x",
		[DOUBLE] = "%f",
		[STRING] = "%s",
		[CHARACTER] = "%s" };

	tl_put_char(text, '$');
	tl_put_unsigned(text, number);
	tl_put_string(text, suffixes[conversion & KIND_MASK]);
	if (sticks(follows))
		tl_put_char(text, ' ');
}

void
tl_rtl_words_text(struct tl_text *text, const char *format, unsigned count,
    uint8_t conversions[TL_RTL_WORDS_MAX])
{
	unsigned left = count, n = 0;
	uint8_t conversion;

	memset(conversions, 0, TL_RTL_WORDS_MAX);
	while ((conversion = next(text, &format, &left)) != NONE) {
		conversions[n++] = conversion;
		put_argument(text, n, conversion, *format);
	}
}

uint64_t
tl_rtl_words_value(uint8_t conversion, uint64_t value)
{
	const unsigned unused = 64 - (8U << (conversion >> BITS_SHIFT));

	switch (conversion & KIND_MASK) {
	case SIGNED:
		return (uint64_t)((int64_t)(value << unused) >> unused);
	case UNSIGNED:
	case HEX:
		return value << unused >> unused;
	default:
		return value;
	}
}

const char *
tl_rtl_words_string(uint8_t conversion, uint64_t value, char buffer[2])
{
	switch (conversion & KIND_MASK) {
	case STRING:
		return value ? (const char *)(uintptr_t)value : "(null)";
	case CHARACTER:
		buffer[0] = (char)value;
		buffer[1] = '\0';
		return buffer;
	default:
		return NULL;
	}
}

static void
put_value(struct tl_text *text, uint8_t conversion, uint64_t value)
{
	char buffer[2];
	double number;

	switch (conversion & KIND_MASK) {
	case SIGNED:
		tl_put_signed(text, (int64_t)value);
		break;
	case UNSIGNED:
		tl_put_unsigned(text, value);
		break;
	case HEX:
		tl_put_hex(text, value);
		break;
	case DOUBLE:
		memcpy(&number, &value, sizeof(number));
		tl_put_double(text, number);
		break;
	default:
		tl_put_string(text,
		    tl_rtl_words_string(conversion, value, buffer));
	}
}

void
tl_rtl_words_render(struct tl_text *text, const char *format, unsigned count,
    const uint64_t values[TL_RTL_WORDS_MAX])
{
	unsigned left = count, n = 0;
	uint8_t conversion;

	while ((conversion = next(text, &format, &left)) != NONE) {
		put_value(text, conversion,
		    tl_rtl_words_value(conversion, values[n++]));
	}
}
