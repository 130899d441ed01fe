/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - a number is stored as digits and a power of ten: 1.20e3 is 120 times
 * 10^1.
 */
#include "base/json.h"

#include "base/array.h"
#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
	/* With a larger exponent any digits that fit become 0, or too large. */
	EXPONENT_MAX = 100000,
	/* 10^22 is the greatest power of ten that a double holds exactly. */
	EXACT_POWER_MAX = 22
};

/* A double holds every whole number up to this one exactly. */
#define EXACT_DIGITS_MAX (UINT64_C(1) << 53)

struct decimal {
	uint64_t digits;
	int32_t exponent;
	bool minus;
	bool is_exact; /* digits has all digits */
	uint8_t next;  /* the first digit that digits lacks */
	uint8_t rest;  /* 0: all digits after next are 0 */
};

static inline bool
is_word(char c)
{
	return tl_is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 ||
	       c == '.' || c == '-' || c == '+' || c == '_';
}

size_t
tl_json_word_end(const char *data, size_t size, size_t at)
{
	while (at < size && is_word(data[at]))
		at++;
	return at;
}

/* Skip digits from byte *at on.  Returns their number. */
static size_t
skip_digits(struct tl_bytes word, size_t *at)
{
	const size_t start = *at;

	while (*at < word.size && tl_is_digit(word.data[*at]))
		(*at)++;
	return *at - start;
}

static bool
skip_one(struct tl_bytes word, size_t *at, const char *of)
{
	if (*at == word.size || !strchr(of, word.data[*at]))
		return false;
	(*at)++;
	return true;
}

static bool
is_number(struct tl_bytes word)
{
	size_t at = word.size > 0 && word.data[0] == '-';
	const size_t whole = skip_digits(word, &at);

	if (whole == 0 || (whole > 1 && word.data[at - whole] == '0'))
		return false;
	if (at == word.size) /* most numbers are whole */
		return at <= TL_JSON_NUMBER_MAX;
	if (skip_one(word, &at, ".") && skip_digits(word, &at) == 0)
		return false;
	if (skip_one(word, &at, "eE")) {
		skip_one(word, &at, "+-");
		if (skip_digits(word, &at) == 0)
			return false;
	}
	return at == word.size && word.size <= TL_JSON_NUMBER_MAX;
}

/* Read a number that JSON lacks. */
static bool
read_special(struct tl_bytes word, double *value)
{
	static const struct {
		const char *word;
		double value;
	} specials[] = { { "NaN", NAN }, { "Infinity", INFINITY },
		{ "nan", NAN }, { "inf", INFINITY } };
	const bool minus = word.size > 0 && word.data[0] == '-';

	if (minus) {
		word.data++;
		word.size--;
	}
	for (size_t i = 0; i < TL_COUNT(specials); i++) {
		if (!tl_bytes_equal(word, tl_bytes_of(specials[i].word)))
			continue;
		*value = minus ? -specials[i].value : specials[i].value;
		return true;
	}
	return false;
}

int
tl_json_word(struct tl_bytes word)
{
	double special;

	if (is_number(word))
		return TL_JSON_NUMBER;
	if (tl_bytes_equal(word, tl_bytes_of("true")))
		return TL_JSON_TRUE;
	if (tl_bytes_equal(word, tl_bytes_of("false")))
		return TL_JSON_FALSE;
	if (tl_bytes_equal(word, tl_bytes_of("null")))
		return TL_JSON_NULL;
	return read_special(word, &special) ? TL_JSON_NUMBER : -EBADMSG;
}

/* Add a digit, of the fraction or before the point. */
static void
add_digit(struct decimal *n, uint8_t digit, bool fraction)
{
	if (n->digits > (UINT64_MAX - digit) / 10 || !n->is_exact) {
		if (n->is_exact)
			n->next = digit;
		else
			n->rest |= digit;
		n->is_exact = false;
		n->exponent += !fraction;
		return;
	}
	n->digits = n->digits * 10 + digit;
	n->exponent -= fraction;
}

static int32_t
read_exponent(struct tl_bytes number, size_t at)
{
	bool minus = false;
	int32_t exponent = 0;

	if (at < number.size &&
	    (number.data[at] == '-' || number.data[at] == '+'))
		minus = number.data[at++] == '-';
	for (; at < number.size; at++) {
		if (exponent < EXPONENT_MAX)
			exponent = exponent * 10 + (number.data[at] - '0');
	}
	return minus ? -exponent : exponent;
}

static int
read_decimal(struct tl_bytes number, struct decimal *n)
{
	bool fraction = false;
	size_t at = 0;

	*n = (struct decimal){ .is_exact = true };
	if (!is_number(number))
		return -EINVAL;
	if (number.data[0] == '-') {
		n->minus = true;
		at++;
	}
	for (; at < number.size && (number.data[at] | 0x20) != 'e'; at++) {
		if (number.data[at] == '.')
			fraction = true;
		else
			add_digit(n, (uint8_t)(number.data[at] - '0'),
			    fraction);
	}
	if (at < number.size)
		n->exponent += read_exponent(number, at + 1);
	return 0;
}

/* Set digits to the number times 10^shift, rounded to the nearest; rest: the
 * number was rounded. */
static int
scale(struct tl_bytes number, unsigned shift, struct decimal *n)
{
	int rc = read_decimal(number, n);
	uint8_t last = n->next;

	if (rc < 0)
		return rc;
	n->exponent += (int32_t)shift;
	if (n->exponent > 0 && !n->is_exact)
		return -ERANGE; /* digits before the point are missing */
	for (; n->exponent > 0 && n->digits != 0; n->exponent--)
		if (__builtin_mul_overflow(n->digits, 10, &n->digits))
			return -ERANGE;
	/* Divide by ten, to the nearest; halves go away from zero. */
	for (int32_t count = -n->exponent; count > 0; count--) {
		n->rest |= n->next | last;
		last = (uint8_t)(n->digits % 10);
		n->digits /= 10;
		if (n->digits == 0 && last == 0)
			break;
	}
	n->rest |= last;
	n->digits += last >= 5;
	return 0;
}

/* Convert with the sign. */
static int
to_signed(const struct decimal *n, int64_t *value)
{
	if (n->digits > (uint64_t)INT64_MAX + n->minus)
		return -ERANGE;
	*value = (int64_t)(n->minus ? -n->digits : n->digits);
	return 0;
}

int
tl_json_unsigned(struct tl_bytes number, uint64_t *value)
{
	struct decimal n;
	int rc = scale(number, 0, &n);

	if (rc < 0)
		return rc;
	if (n.rest)
		return -EINVAL;
	if (n.minus && n.digits > 0)
		return -ERANGE;
	*value = n.digits;
	return 0;
}

int
tl_json_signed(struct tl_bytes number, int64_t *value)
{
	struct decimal n;
	int rc = scale(number, 0, &n);

	if (rc < 0)
		return rc;
	return n.rest ? -EINVAL : to_signed(&n, value);
}

int
tl_json_scaled(struct tl_bytes number, unsigned shift, int64_t *value)
{
	struct decimal n;
	int rc = scale(number, shift, &n);

	return rc < 0 ? rc : to_signed(&n, value);
}

/* Both factors are exact as doubles, so the result is rounded once. */
static double
small_double(const struct decimal *n)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	const double digits = (double)n->digits;

	return n->exponent < 0 ? digits / powers[-n->exponent]
			       : digits * powers[n->exponent];
}

int
tl_json_double(struct tl_bytes number, double *value)
{
	char text[TL_JSON_NUMBER_MAX + 1];
	struct decimal n;
	int rc = read_decimal(number, &n);

	if (rc < 0)
		return read_special(number, value) ? 0 : rc;
	if (n.is_exact && n.digits <= EXACT_DIGITS_MAX &&
	    n.exponent >= -EXACT_POWER_MAX && n.exponent <= EXACT_POWER_MAX) {
		*value = n.minus ? -small_double(&n) : small_double(&n);
		return 0;
	}
	memcpy(text, number.data, number.size);
	text[number.size] = '\0';
	*value = strtod(text, NULL); /* no program of timeline sets a locale */
	return 0;
}

/* == JSON strings; plain bytes are skipped eight at a time == */

enum {
	ESCAPE_SIZE = 6, /* \uNNNN */
	REPLACEMENT = 0xfffd
};

size_t
tl_json_string_end(const char *data, size_t size, size_t at, bool *is_escaped,
    bool *has_escapes)
{
	if (*is_escaped && at < size) {
		*is_escaped = false;
		at++;
	}
	while ((at = tl_json_plain_end(data, size, at)) < size &&
	       data[at] == '\\') {
		*has_escapes = true;
		at++;
		*is_escaped = at == size;
		at += !*is_escaped;
	}
	return at;
}

/* The number of the \uNNNN at byte at.  -1: none. */
static int32_t
read_unit(struct tl_bytes text, size_t at)
{
	int32_t unit = 0;

	if (text.size < at + ESCAPE_SIZE || text.data[at] != '\\' ||
	    text.data[at + 1] != 'u')
		return -1;
	for (size_t i = 2; i < ESCAPE_SIZE; i++) {
		const int digit = tl_hex_digit(text.data[at + i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* Put the character of a \u escape, or of a pair of \u escapes.  Returns the
 * number of bytes read; 0: invalid. */
static size_t
put_unit(struct tl_text *to, struct tl_bytes text, size_t at)
{
	const int32_t first = read_unit(text, at);
	const int32_t second =
	    first >> 10 == 0x36 ? read_unit(text, at + ESCAPE_SIZE) : -1;

	if (first < 0)
		return 0;
	/* is the second the other half of the pair? */
	if (second >> 10 == 0x37) {
		tl_put_utf8(to, 0x10000u + ((uint32_t)first & 0x3ff) * 0x400 +
				    ((uint32_t)second & 0x3ff));
		return 2 * (size_t)ESCAPE_SIZE;
	}
	tl_put_utf8(to, first >> 11 == 0x1b ? REPLACEMENT : (uint32_t)first);
	return ESCAPE_SIZE;
}

/* Put the character of an escape.  Returns the number of bytes read; 0:
 * invalid. */
static size_t
put_escape(struct tl_text *to, struct tl_bytes text, size_t at)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	const char c = text.data[at + 1];
	const char *letter = memchr(letters, c, sizeof(letters) - 1);

	if (c == 'u')
		return put_unit(to, text, at);
	if (!letter)
		return 0;
	tl_put_char(to, bytes[letter - letters]);
	return 2;
}

/* Does the text end inside the escape at byte at? */
static bool
is_cut(struct tl_bytes text, size_t at)
{
	const size_t left = text.size - at;

	return left < 2 || (text.data[at + 1] == 'u' && left < ESCAPE_SIZE);
}

int
tl_json_unescape(struct tl_text *plain, struct tl_bytes *text)
{
	size_t at = 0;

	tl_text_clear(plain);
	while (at < text->size) {
		const char *from = text->data + at;
		const char *escape = memchr(from, '\\', text->size - at);
		const size_t run =
		    escape ? (size_t)(escape - from) : text->size - at;
		size_t size;

		tl_put_bytes(plain, tl_bytes(from, run));
		at += run;
		if (at == text->size)
			break;
		if (is_cut(*text, at))
			break;
		if ((size = put_escape(plain, *text, at)) == 0)
			return -EBADMSG;
		at += size;
	}
	*text = tl_bytes(tl_text_string(plain), plain->size);
	return plain->rc;
}

/*
 * == json parse ==
 *
 * The grammar of JSON is a machine with a few states.  Each open value has one
 * bit: object or array.  A string or a number within a single piece is not
 * copied.
 */

/* The tokens that may come next. */
enum state {
	BEFORE_VALUE,      /* also at the top */
	BEFORE_FIRST_ITEM, /* or ] */
	BEFORE_ITEM,       /* after a comma; ] is accepted */
	BEFORE_FIRST_KEY,  /* or } */
	BEFORE_KEY,        /* after a comma; } is accepted */
	BEFORE_COLON,
	AFTER_VALUE, /* a comma, ] or } */
	AFTER_FAULT,
	RECOVERING /* see tl_json_recover() */
};

/* The part of } , { that has been found. */
enum { FOUND_NOTHING, FOUND_END, FOUND_COMMA };

void
tl_json_free(struct tl_json *json)
{
	tl_text_free(&json->part);
	tl_text_free(&json->plain);
}

void
tl_json_feed(struct tl_json *json, struct tl_bytes piece)
{
	assert(json->at == json->size && !json->finished);
	json->before += json->size;
	json->data = piece.data;
	json->size = piece.size;
	json->at = 0;
}

void
tl_json_finish(struct tl_json *json)
{
	json->finished = true;
}

static void
forget_token(struct tl_json *json)
{
	json->begun = 0;
	json->is_escaped = false;
	json->has_escapes = false;
	tl_text_clear(&json->part);
}

void
tl_json_recover(struct tl_json *json, unsigned depth)
{
	assert(json->state == AFTER_FAULT && depth <= json->depth);
	json->depth = depth;
	json->state = RECOVERING;
	json->found = FOUND_NOTHING;
	forget_token(json);
}

void
tl_json_restart(struct tl_json *json)
{
	json->depth = 0;
	json->state = BEFORE_VALUE;
	json->at = json->size;
	json->finished = false;
	forget_token(json);
}

static int
fault(struct tl_json *json, uint64_t at, const char *why)
{
	json->state = AFTER_FAULT;
	json->why = why;
	json->wrong_at = at;
	return -EBADMSG;
}

/* The offset of the next byte in the input. */
static uint64_t
place(const struct tl_json *json)
{
	return json->before + json->at;
}

static bool
is_white(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool
is_in_object(const struct tl_json *json)
{
	const unsigned i = json->depth - 1;

	return json->depth > 0 && (json->objects[i / 64] >> i % 64 & 1);
}

/* Skip the byte c if it is next. */
static bool
skip_byte(struct tl_json *json, char c)
{
	if (json->at == json->size || json->data[json->at] != c)
		return false;
	json->at++;
	return true;
}

/* End a value: the next token belongs to the value around.  A comma is the most
 * frequent one. */
static void
end_value(struct tl_json *json)
{
	if (json->depth == 0)
		json->state = BEFORE_VALUE;
	else if (!skip_byte(json, ','))
		json->state = AFTER_VALUE;
	else
		json->state = is_in_object(json) ? BEFORE_KEY : BEFORE_ITEM;
}

static int
open_value(struct tl_json *json, bool object)
{
	const unsigned i = json->depth;
	const uint64_t bit = UINT64_C(1) << i % 64;

	if (i == TL_JSON_DEPTH_MAX)
		return fault(json, place(json), "nested too deeply");
	json->at++;
	json->depth++;
	if (object) {
		json->objects[i / 64] |= bit;
		json->state = BEFORE_FIRST_KEY;
		return TL_JSON_OBJECT;
	}
	json->objects[i / 64] &= ~bit;
	json->state = BEFORE_FIRST_ITEM;
	return TL_JSON_ARRAY;
}

static int
close_value(struct tl_json *json, bool object)
{
	json->at++;
	json->depth--;
	end_value(json);
	return object ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END;
}

/*
 * Take the bytes of the token that begins here or began in an earlier piece,
 * without quotes.  1; 0: the end is in a later piece, and the bytes are kept;
 * -ENOMEM.
 */
static int
take_bytes(struct tl_json *json, int kind, struct tl_bytes *bytes)
{
	const bool word = kind == TL_JSON_NUMBER;
	const size_t end =
	    word ? tl_json_word_end(json->data, json->size, json->at)
		 : tl_json_string_end(json->data, json->size, json->at,
		       &json->is_escaped, &json->has_escapes);
	const bool is_whole = end < json->size || (word && json->finished);
	const size_t room = TL_JSON_STRING_MAX + 1 - json->part.size;

	*bytes = tl_bytes(json->data + json->at, end - json->at);
	json->at = end;
	if (is_whole && json->begun == 0)
		return 1;
	json->begun = (uint8_t)kind;
	/* keep the bytes in this piece, up to the largest size needed */
	tl_put_bytes(&json->part,
	    tl_bytes(bytes->data, tl_least(bytes->size, room)));
	if (json->part.rc < 0)
		return json->part.rc;
	*bytes = tl_text_bytes(&json->part);
	return is_whole;
}

/* End a key or a string. */
static int
end_text(struct tl_json *json, int kind)
{
	if (kind == TL_JSON_KEY)
		json->state =
		    skip_byte(json, ':') ? BEFORE_VALUE : BEFORE_COLON;
	else
		end_value(json);
	return kind;
}

static int
end_string(struct tl_json *json, struct tl_json_token *token, int kind)
{
	int rc;

	if (json->data[json->at] != '"')
		return fault(json, place(json), "a line ends within a string");
	json->at++;
	token->cut = token->text.size > TL_JSON_STRING_MAX;
	if (token->cut)
		token->text.size = TL_JSON_STRING_MAX;
	if (json->has_escapes) {
		rc = tl_json_unescape(&json->plain, &token->text);
		if (rc == -ENOMEM)
			return rc;
		if (rc < 0)
			return fault(json, token->at, "a bad escape");
	}
	return end_text(json, kind);
}

/* Read a string or word that begins at the next byte, or that an earlier piece
 * began. */
static int
read_token(struct tl_json *json, struct tl_json_token *token, int kind)
{
	int rc = take_bytes(json, kind, &token->text);

	token->at = json->token_at;
	if (rc == 0 && json->finished)
		return fault(json, token->at, "a string has no end");
	if (rc <= 0)
		return rc;
	if (kind != TL_JSON_NUMBER)
		rc = end_string(json, token, kind);
	else if ((rc = tl_json_word(token->text)) < 0)
		rc = fault(json, token->at, "not a value");
	else
		end_value(json);
	if (json->begun || json->has_escapes)
		forget_token(json);
	return rc;
}

/* Begin a string.  Most strings end within the piece and have no escapes. */
static int
begin_string(struct tl_json *json, struct tl_json_token *token, int kind)
{
	const size_t start = json->at + 1;
	const size_t end = tl_json_plain_end(json->data, json->size, start);

	json->token_at = place(json);
	json->at = start;
	if (end == json->size || json->data[end] != '"' ||
	    end - start > TL_JSON_STRING_MAX)
		return read_token(json, token, kind);
	token->text = tl_bytes(json->data + start, end - start);
	json->at = end + 1;
	return end_text(json, kind);
}

static int
read_value(struct tl_json *json, struct tl_json_token *token, char c)
{
	switch (c) {
	case '"':
		return begin_string(json, token, TL_JSON_STRING);
	case '{':
	case '[':
		return open_value(json, c == '{');
	case ']':
		if (json->state == BEFORE_FIRST_ITEM ||
		    json->state == BEFORE_ITEM)
			return close_value(json, false);
		break;
	default:
		json->token_at = place(json);
		if (tl_json_word_end(&c, 1, 0) == 1)
			return read_token(json, token, TL_JSON_NUMBER);
	}
	return fault(json, place(json), "no value where one must be");
}

/* Read the token after a value.  -EAGAIN: a comma. */
static int
read_after(struct tl_json *json, char c)
{
	const bool object = is_in_object(json);

	if (c == (object ? '}' : ']'))
		return close_value(json, object);
	if (c != ',')
		return fault(json, place(json), "no comma after a value");
	json->at++;
	json->state = object ? BEFORE_KEY : BEFORE_ITEM;
	return -EAGAIN;
}

/* Search for } , { and continue there.  Returns -EAGAIN. */
static int
look_on(struct tl_json *json, char c)
{
	if (c == '{' && json->found == FOUND_COMMA) {
		json->state = BEFORE_ITEM;
		return -EAGAIN;
	}
	if (c == '}')
		json->found = FOUND_END;
	else if (c == ',' && json->found == FOUND_END)
		json->found = FOUND_COMMA;
	else
		json->found = FOUND_NOTHING;
	json->at++;
	return -EAGAIN;
}

/* End the piece or the input. */
static int
end_input(struct tl_json *json)
{
	if (!json->finished)
		return TL_JSON_MORE;
	if (json->state == RECOVERING ||
	    (json->depth == 0 && json->state == BEFORE_VALUE))
		return TL_JSON_END;
	return fault(json, place(json), "it ends too early");
}

/* Read the token that begins with c, which is not white space.  -EAGAIN: no
 * token yet. */
static int
step(struct tl_json *json, struct tl_json_token *token, char c)
{
	switch (json->state) {
	case BEFORE_FIRST_KEY:
	case BEFORE_KEY:
		if (c == '"')
			return begin_string(json, token, TL_JSON_KEY);
		return c == '}' ? close_value(json, true)
				: fault(json, place(json),
				      "no key where one must be");
	case BEFORE_COLON:
		if (c != ':')
			return fault(json, place(json), "no colon after a key");
		json->at++;
		json->state = BEFORE_VALUE;
		return -EAGAIN;
	case AFTER_VALUE:
		return read_after(json, c);
	case RECOVERING:
		return look_on(json, c);
	default:
		return read_value(json, token, c);
	}
}

int
tl_json_next(struct tl_json *json, struct tl_json_token *token)
{
	int rc = -EAGAIN;

	token->text = tl_bytes("", 0);
	token->cut = false;
	if (json->state == AFTER_FAULT)
		return -EBADMSG;
	if (json->begun)
		return read_token(json, token, json->begun);
	while (rc == -EAGAIN) {
		while (json->at < json->size && is_white(json->data[json->at]))
			json->at++;
		if (json->at == json->size)
			return end_input(json);
		token->at = place(json);
		rc = step(json, token, json->data[json->at]);
	}
	return rc;
}
