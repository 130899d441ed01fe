/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_number.c - a number is digits and a power of ten: 1.20e3 is 120, not
 * minus, times 10^1.
 */
#include "base/json_number.h"

#include "base/json_parse.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* An exponent beyond it leaves nothing, or too much, of any digits
	 * that fit into a number. */
	EXPONENT_MAX = 100000,
	/* 10^22 is the greatest power of ten that a double holds exactly. */
	EXACT_POWER_MAX = 22
};

/* Every whole number up to it is a double. */
#define EXACT_DIGITS_MAX (UINT64_C(1) << 53)

struct decimal {
	uint64_t digits;
	int32_t exponent;
	bool minus;
	bool is_exact; /* all digits are in digits */
	uint8_t next;  /* the first digit that is not */
	uint8_t rest;  /* 0 when those behind it are all 0 */
};

static inline bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline bool
is_word(char c)
{
	return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 ||
	       c == '.' || c == '-' || c == '+' || c == '_';
}

size_t
tl_json_word_end(const char *data, size_t size, size_t at)
{
	while (at < size && is_word(data[at]))
		at++;
	return at;
}

/* Digits from byte *at on: how many. */
static size_t
skip_digits(struct tl_bytes word, size_t *at)
{
	const size_t start = *at;

	while (*at < word.size && is_digit(word.data[*at]))
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
	if (at == word.size) /* as most are */
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

int
tl_json_word(struct tl_bytes word)
{
	if (is_number(word))
		return TL_JSON_NUMBER;
	if (tl_bytes_equal(word, tl_bytes_of("true")))
		return TL_JSON_TRUE;
	if (tl_bytes_equal(word, tl_bytes_of("false")))
		return TL_JSON_FALSE;
	if (tl_bytes_equal(word, tl_bytes_of("null")))
		return TL_JSON_NULL;
	return -EBADMSG;
}

/* One more digit, which is part of a fraction or not. */
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

/* Divide by 10^count, to the nearest; half away from zero. */
static void
divide(struct decimal *n, int32_t count)
{
	uint8_t last = n->next;

	for (; count > 0; count--) {
		n->rest |= n->next | last;
		last = (uint8_t)(n->digits % 10);
		n->digits /= 10;
		if (n->digits == 0 && last == 0)
			break;
	}
	n->rest |= last;
	n->digits += last >= 5;
}

static int
multiply(struct decimal *n, int32_t count)
{
	for (; count > 0 && n->digits != 0; count--) {
		if (__builtin_mul_overflow(n->digits, 10, &n->digits))
			return -ERANGE;
	}
	return 0;
}

/* Make digits the number times 10^shift, to the nearest; rest tells whether
 * it was rounded. */
static int
scale(struct tl_bytes number, unsigned shift, struct decimal *n)
{
	int rc = read_decimal(number, n);

	if (rc < 0)
		return rc;
	n->exponent += (int32_t)shift;
	if (n->exponent > 0) /* digits went missing before the point? */
		return n->is_exact ? multiply(n, n->exponent) : -ERANGE;
	divide(n, -n->exponent);
	return 0;
}

/* With its sign. */
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

/* Both are exact as doubles, so that one step rounds once. */
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
		return rc;
	if (n.is_exact && n.digits <= EXACT_DIGITS_MAX &&
	    n.exponent >= -EXACT_POWER_MAX && n.exponent <= EXACT_POWER_MAX) {
		*value = n.minus ? -small_double(&n) : small_double(&n);
		return 0;
	}
	memcpy(text, number.data, number.size);
	text[number.size] = '\0';
	*value = strtod(text, NULL); /* no program of ours sets a locale */
	return 0;
}
