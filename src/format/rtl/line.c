/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - lines of an RTL_LOGFILE log.
 *
 *	001234 11 | desktop (cd100003) ::Desktop::Main : words
 *	^column   ^what                                ^colon
 *	       ^number  \________ scope _____________/
 */
#include "format/rtl/line.h"

#include "base/ns.h"

enum { DIGITS_MAX = 19, FRACTION_DIGITS = 9 };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct tl_bytes
skip(struct tl_bytes bytes, size_t size)
{
	return tl_bytes(bytes.data + size, bytes.size - size);
}

/* Take a word off the front if the bytes begin with the word. */
static bool
take_word(struct tl_bytes *bytes, const char *word)
{
	const size_t size = strlen(word);

	if (bytes->size < size || memcmp(bytes->data, word, size) != 0)
		return false;
	*bytes = skip(*bytes, size);
	return true;
}

static bool
take_number(struct tl_bytes *bytes, uint64_t *number)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < bytes->size && is_digit(bytes->data[i]); i++) {
		if (i == DIGITS_MAX)
			return false;
		n = n * 10 + (uint64_t)(bytes->data[i] - '0');
	}
	*number = n;
	*bytes = skip(*bytes, i);
	return i > 0;
}

static bool
take_number_32(struct tl_bytes *bytes, uint32_t *number)
{
	uint64_t n;

	if (!take_number(bytes, &n) || n > UINT32_MAX)
		return false;
	*number = (uint32_t)n;
	return true;
}

/* Take a number as printf's %f writes it in any locale, as nanoseconds. */
static bool
take_seconds(struct tl_bytes *bytes, int64_t *ns)
{
	const bool negative = take_word(bytes, "-");
	uint64_t seconds, fraction = 0;
	unsigned digits = 0;

	if (!take_number(bytes, &seconds) ||
	    seconds > INT64_MAX / TL_NS_PER_S - 1)
		return false;
	if (take_word(bytes, ".") || take_word(bytes, ",")) {
		for (; bytes->size > 0 && is_digit(bytes->data[0]);
		     *bytes = skip(*bytes, 1)) {
			if (digits++ < FRACTION_DIGITS)
				fraction = fraction * 10 +
					   (uint64_t)(bytes->data[0] - '0');
		}
	}
	for (; digits < FRACTION_DIGITS; digits++)
		fraction *= 10;
	*ns = (int64_t)(seconds * TL_NS_PER_S + fraction);
	if (negative)
		*ns = -*ns;
	return true;
}

static void
parse_header(struct tl_rtl_line *line, struct tl_bytes b)
{
	if (take_word(&b, "opening log file ")) {
		if (take_seconds(&b, &line->ns) &&
		    take_word(&b, " seconds past January 1st 1970"))
			line->kind = TL_RTL_OPENING;
	} else if (take_word(&b, "corresponding to ")) {
		if (!take_number(&b, &line->column))
			return;
		line->is_us = take_word(&b, " us ");
		if (line->is_us || take_word(&b, " ms "))
			line->kind = TL_RTL_TIMER;
	} else if (take_word(&b, "Process id is ")) {
		if (take_number_32(&b, &line->number))
			line->kind = TL_RTL_PROCESS;
	} else if (take_word(&b, "closing log file at ")) {
		if (take_number(&b, &line->column))
			line->kind = TL_RTL_CLOSING;
	}
}

/* Find the first " : " of bytes; false: none. */
static bool
find_colon(struct tl_bytes bytes, size_t *at)
{
	const char *from = bytes.data, *end;

	if (bytes.size < 3)
		return false;
	end = from + bytes.size;
	while (end - from >= 3 &&
	       (from = memchr(from + 1, ':', (size_t)(end - from) - 2))) {
		if (from[-1] == ' ' && from[1] == ' ') {
			*at = (size_t)(from - 1 - bytes.data);
			return true;
		}
	}
	return false;
}

/* The documented form has a colon also behind the name of a scope. */
static void
parse_scope(struct tl_rtl_line *line, struct tl_bytes rest)
{
	if (tl_bytes_end_with(rest, " : "))
		rest.size -= 3;
	else if (tl_bytes_end_with(rest, " :"))
		rest.size -= 2;
	line->scope = rest;
}

/* Parse scope : words; scope or words may be missing. */
static void
parse_words(struct tl_rtl_line *line, struct tl_bytes rest)
{
	size_t at;

	if (rest.size == 1 && rest.data[0] == ':') {
		line->words = skip(rest, 1);
	} else if (take_word(&rest, ": ")) {
		line->words = rest;
	} else if (find_colon(rest, &at)) {
		line->scope = tl_bytes(rest.data, at);
		line->words = skip(rest, at + 3);
	} else if (tl_bytes_end_with(rest, " :")) {
		line->scope = tl_bytes(rest.data, rest.size - 2);
	} else {
		line->words = rest;
	}
}

/*
 * Parse the rest of a line behind time and thread.  Without a mark, the rest is
 * a message: programs could write such lines, too.
 */
static void
parse_record(struct tl_rtl_line *line, struct tl_bytes rest)
{
	const bool marked =
	    rest.size > 0 && (rest.size == 1 || rest.data[1] == ' ') &&
	    (rest.data[0] == '{' || rest.data[0] == '}' || rest.data[0] == '|');

	line->kind = TL_RTL_RECORD;
	line->is_marked = marked;
	line->what = marked ? rest.data[0] : '|';
	if (!marked) {
		line->words = rest;
		return;
	}
	rest = skip(rest, rest.size == 1 ? 1 : 2);
	if (line->what == '|')
		parse_words(line, rest);
	else
		parse_scope(line, rest);
}

void
tl_rtl_line_parse(struct tl_rtl_line *line, struct tl_bytes b)
{
	*line = (struct tl_rtl_line){ .kind = TL_RTL_UNKNOWN };
	if (b.size == 0 || !is_digit(b.data[0])) {
		parse_header(line, b);
		return;
	}
	if (take_number(&b, &line->column) && take_word(&b, " ") &&
	    take_number_32(&b, &line->number) && take_word(&b, " "))
		parse_record(line, b);
}

/*
 * Parse "project (author) name".  Neither project nor author contains a blank,
 * and no project begins with a colon, as functions do.
 */
struct tl_rtl_scope
tl_rtl_scope_parse(struct tl_bytes b)
{
	struct tl_rtl_scope scope = { .name = b };
	const char *blank = b.size > 0 ? memchr(b.data, ' ', b.size) : NULL;
	struct tl_bytes rest;
	const char *end;

	if (!blank || blank == b.data || b.data[0] == ':')
		return scope;
	rest = skip(b, (size_t)(blank - b.data));
	if (!take_word(&rest, " ("))
		return scope;
	end = rest.size > 0 ? memchr(rest.data, ')', rest.size) : NULL;
	if (!end || memchr(rest.data, ' ', (size_t)(end - rest.data)))
		return scope;
	if (end + 1 < rest.data + rest.size && end[1] != ' ')
		return scope;
	scope.project = tl_bytes(b.data, (size_t)(blank - b.data));
	scope.author = tl_bytes(rest.data, (size_t)(end - rest.data));
	rest = skip(rest, scope.author.size + 1);
	scope.name = skip(rest, rest.size > 0 ? 1 : 0);
	return scope;
}

bool
tl_rtl_words_split(struct tl_bytes *words, struct tl_bytes *scope)
{
	struct tl_bytes name;
	size_t at;

	if (!find_colon(*words, &at))
		return false;
	*scope = tl_bytes(words->data, at);
	name = tl_rtl_scope_parse(*scope).name;
	if (!take_word(&name, "::"))
		return false;
	*words = skip(*words, at + 3);
	return true;
}
