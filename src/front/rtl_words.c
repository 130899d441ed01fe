/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_words.c - formats of printf, taken apart:
 *
 *	took %-5ld of %s
 *	     ^conversion: 'd', 64 bits
 */
#include "front/rtl_words.h"

#include "base/array.h"
#include "front/rtl_text.h"

#include <stdbool.h>
#include <stdio.h>

/* The kind of a conversion, which shares a byte with the size of the value
 * (log2 of the bytes). */
enum { NONE, SIGNED, UNSIGNED, HEX, OCTAL, DOUBLE, STRING, CHARACTER, KINDS };
enum { KIND_MASK = 15, BITS_SHIFT = 4 };
/* A width or precision with more digits is no conversion but text. */
enum { DIGITS_MAX = 4, SPEC_SIZE_MAX = 32 };

/* A conversion of a format in two pieces: "%-05.3" and 'd'. */
struct spec {
	char text[SPEC_SIZE_MAX]; /* flags, width and precision */
	char letter;
	uint8_t conversion;
};

static const struct {
	char letter;
	uint8_t kind;
} letters[] = {
	{ 'd', SIGNED },
	{ 'i', SIGNED },
	{ 'u', UNSIGNED },
	{ 'o', OCTAL },
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
	for (size_t i = 0; i < TL_COUNT(letters); i++) {
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

/* Read a length: hh is 8 bits, h 16, none 32, and every other 64.  The result
 * is log2 of the bytes. */
static const char *
read_length(const char *at, uint8_t *log_bytes)
{
	const char *end = skip_any(at, "hlLqjzt");

	*log_bytes = end == at ? 2 : at[0] != 'h' ? 3 : end - at > 1 ? 0 : 1;
	return end;
}

/* Skip the digits of a width or precision; NULL: more digits than a person
 * writes. */
static const char *
skip_digits(const char *at)
{
	const char *end = skip_any(at, "0123456789");

	return end - at > DIGITS_MAX ? NULL : end;
}

/* Read the conversion at *at, behind a '%', and move *at behind the conversion.
 * Returns NONE for plain text; *at then stays. */
static uint8_t
read_conversion(const char **at, struct spec *spec)
{
	const char *start = *at, *end = skip_any(start, "-+ #0'"), *length;
	uint8_t log_bytes, kind;

	if (!(end = skip_digits(end)))
		return NONE;
	if (*end == '.' && !(end = skip_digits(end + 1)))
		return NONE;
	length = end;
	end = read_length(end, &log_bytes);
	kind = kind_of(*end);
	if (kind == NONE || length - start > SPEC_SIZE_MAX - 8)
		return NONE;
	if (*end == 'p')
		log_bytes = 3;
	spec->text[0] = '%';
	memcpy(spec->text + 1, start, (size_t)(length - start));
	spec->text[1 + (length - start)] = '\0';
	spec->letter = *end;
	spec->conversion = (uint8_t)(kind | log_bytes << BITS_SHIFT);
	*at = end + 1;
	return spec->conversion;
}

/*
 * Put the text up to the next conversion or the end, and move *format behind
 * the text.  At most *left conversions may still come.  If is_format is false
 * the text is no format: "100%%" stays "100%%".
 */
static uint8_t
next(struct tl_text *text, const char **format, unsigned *left, bool is_format,
    struct spec *spec)
{
	const char *at = *format;

	for (; *at; at++) {
		const char *behind = at + 1;

		if (is_format && at[0] == '%' && at[1] == '%') {
			tl_put_char(text, '%');
			at++;
			continue;
		}
		if (at[0] == '%' && *left > 0 &&
		    read_conversion(&behind, spec) != NONE) {
			--*left;
			*format = behind;
			return spec->conversion;
		}
		if (*at != '\n' && *at != '\r')
			tl_put_char(text, *at);
		else if (at[strspn(at, "\r\n")]) /* not at the end */
			tl_put_char(text, ' ');
	}
	*format = at;
	return NONE;
}

/* Would a reader take the next character for a part of the argument? */
static bool
sticks(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '%';
}

bool
tl_rtl_words_text(struct tl_text *text, const char *format, unsigned count,
    uint8_t conversions[TL_RTL_WORDS_MAX])
{
	unsigned left = count, n = 0;
	uint8_t conversion;
	struct spec spec;
	bool exact = true;

	memset(conversions, 0, TL_RTL_WORDS_MAX);
	while ((conversion = next(text, &format, &left, count > 0, &spec)) !=
	       NONE) {
		static const char *const suffixes[KINDS] = { [SIGNED] = "%d",
			[UNSIGNED] = "%u",
			[HEX] = "%x",
			[OCTAL] = "%o",
			[DOUBLE] = "%f",
			[STRING] = "%s",
			[CHARACTER] = "%s" };

		conversions[n++] = conversion;
		tl_put_char(text, '$');
		tl_put_unsigned(text, n);
		tl_put_string(text, suffixes[conversion & KIND_MASK]);
		if (sticks(*format))
			tl_put_char(text, ' ');
		/* do readers show the argument just as printf writes it? */
		exact = exact &&
			(spec.text[1] == '\0' && strchr("diusc", spec.letter) &&
			    !sticks(*format));
	}
	return exact;
}

bool
tl_rtl_words_have_scope(const char *format)
{
	return format[0] != '{' && format[0] != '}' &&
	       (strncmp(format, ": ", 2) == 0 || strstr(format, " : "));
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
	case OCTAL:
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

/* Put a value as printf writes it. */
static void
put_value(struct tl_text *text, struct spec *spec, uint64_t value)
{
	const size_t size = strlen(spec->text);
	char *end = spec->text + size;
	const size_t start = text->size;
	double number;

	switch (spec->conversion & KIND_MASK) {
	case SIGNED:
	case UNSIGNED:
	case HEX:
	case OCTAL:
		snprintf(end, SPEC_SIZE_MAX - size,
		    spec->letter == 'p' ? "%c" : "ll%c", spec->letter);
		if (spec->letter == 'p')
			tl_put_format(text, spec->text,
			    (void *)(uintptr_t)value);
		else
			tl_put_format(text, spec->text,
			    (unsigned long long)value);
		break;
	case DOUBLE:
		end[0] = spec->letter;
		end[1] = '\0';
		memcpy(&number, &value, sizeof(number));
		tl_put_format(text, spec->text, number);
		break;
	case CHARACTER:
		memcpy(end, "c", 2);
		tl_put_format(text, spec->text, (int)(char)value);
		break;
	default:
		memcpy(end, "s", 2);
		tl_put_format(text, spec->text, (const char *)(uintptr_t)value);
	}
	/* A value may contain characters that would end the line. */
	for (size_t i = start; i < text->size; i++) {
		if (text->data[i] == '\n' || text->data[i] == '\r' ||
		    text->data[i] == '\0')
			text->data[i] = ' ';
	}
}

void
tl_rtl_words_render(struct tl_text *text, const char *format, unsigned count,
    const uint64_t *values)
{
	unsigned left = count, n = 0;
	uint8_t conversion;
	struct spec spec;

	while ((conversion = next(text, &format, &left, count > 0, &spec)) !=
	       NONE) {
		put_value(text, &spec,
		    tl_rtl_words_value(conversion, values[n++]));
	}
}

bool
tl_rtl_words_end(struct tl_text *text, size_t start)
{
	static const char mark[] = "...";
	const bool is_long =
	    text->rc == 0 && text->size - start >= TL_RTL_LINE_MAX;

	if (is_long) {
		text->size = start + TL_RTL_LINE_MAX - sizeof(mark);
		while (text->size > start &&
		       (text->data[text->size] & 0xc0) == 0x80)
			text->size--;
		tl_put_string(text, mark);
	}
	tl_put_char(text, '\n');
	return is_long;
}

unsigned
tl_rtl_words_kinds(const char *format, unsigned count, uint8_t *kinds)
{
	struct tl_text unused = { 0 };
	unsigned left = count, n = 0;
	struct spec spec;

	while (next(&unused, &format, &left, true, &spec) != NONE) {
		const uint8_t kind = spec.conversion & KIND_MASK;

		kinds[n++] = kind == STRING      ? TL_RTL_WORDS_STRING
			     : kind == CHARACTER ? TL_RTL_WORDS_CHARACTER
						 : TL_RTL_WORDS_NUMBER;
	}
	tl_text_free(&unused);
	return n;
}
