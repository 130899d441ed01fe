/* SPDX-License-Identifier: Apache-2.0 */
/* text_number.c - numbers, durations and times as text, without printf. */
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* "00" to "99": two digits a step, half the divisions. */
static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static inline void
write_pair(char *to, uint32_t n)
{
	memcpy(to, pairs + 2 * n, 2);
}

/* Exactly eight digits, leading zeros among them; n < 10^8. */
static inline void
write_eight(char *to, uint32_t n)
{
	const uint32_t high = n / 10000, low = n % 10000;

	write_pair(to, high / 100);
	write_pair(to + 2, high % 100);
	write_pair(to + 4, low / 100);
	write_pair(to + 6, low % 100);
}

/* As many digits as it has; n < 10^4. */
static inline char *
write_four(char *to, uint32_t n)
{
	if (n < 10) {
		*to = (char)('0' + n);
		return to + 1;
	}
	if (n < 100) {
		write_pair(to, n);
		return to + 2;
	}
	if (n < 1000) {
		*to = (char)('0' + n / 100);
		write_pair(to + 1, n % 100);
		return to + 3;
	}
	write_pair(to, n / 100);
	write_pair(to + 2, n % 100);
	return to + 4;
}

/* As many digits as it has; n < 10^8. */
static inline char *
write_small(char *to, uint32_t n)
{
	if (n < 10000)
		return write_four(to, n);
	to = write_four(to, n / 10000);
	write_pair(to, n % 10000 / 100);
	write_pair(to + 2, n % 100);
	return to + 4;
}

char *
tl_write_unsigned(char *to, uint64_t n)
{
	const uint64_t unit = 100000000;

	if (n < unit)
		return write_small(to, (uint32_t)n);
	if (n < unit * unit) {
		to = write_small(to, (uint32_t)(n / unit));
	} else {
		to = write_four(to, (uint32_t)(n / (unit * unit)));
		write_eight(to, (uint32_t)(n / unit % unit));
		to += 8;
	}
	write_eight(to, (uint32_t)(n % unit));
	return to + 8;
}

char *
tl_write_signed(char *to, int64_t n)
{
	if (n >= 0)
		return tl_write_unsigned(to, (uint64_t)n);
	*to = '-';
	return tl_write_unsigned(to + 1, -(uint64_t)n);
}

char *
tl_write_hex(char *to, uint64_t n)
{
	const unsigned digits = (67u - (unsigned)__builtin_clzll(n | 1)) / 4;

	*to++ = '0';
	*to++ = 'x';
	for (unsigned i = digits; i-- > 0; n >>= 4)
		to[i] = "0123456789abcdef"[n & 15];
	return to + digits;
}

void
tl_put_unsigned(struct tl_text *text, uint64_t n)
{
	char *to = tl_text_reserve(text, TL_UNSIGNED_MAX);

	if (to)
		text->size += (size_t)(tl_write_unsigned(to, n) - to);
}

void
tl_put_signed(struct tl_text *text, int64_t n)
{
	char *to = tl_text_reserve(text, TL_SIGNED_MAX);

	if (to)
		text->size += (size_t)(tl_write_signed(to, n) - to);
}

void
tl_put_hex(struct tl_text *text, uint64_t n)
{
	char *to = tl_text_reserve(text, TL_HEX_MAX);

	if (to)
		text->size += (size_t)(tl_write_hex(to, n) - to);
}

/* Up to six decimals, without the zeros at their end. */
static void
put_millionths(struct tl_text *text, uint64_t millionths)
{
	char digits[TL_UNSIGNED_MAX];
	size_t count = 6;

	tl_put_unsigned(text, millionths / 1000000);
	if (millionths % 1000000 == 0)
		return;
	/* Seven digits with a 1 in front: the zeros after the point stay. */
	tl_write_unsigned(digits, 1000000 + millionths % 1000000);
	while (digits[count] == '0')
		count--;
	digits[0] = '.';
	tl_put_bytes(text, tl_bytes(digits, count + 1));
}

/*
 * Is value, which is not negative, a number of millionths?  Below 10^15 a
 * quotient of whole numbers is the double nearest to that decimal fraction,
 * and 15 digits are never more than a double tells apart: the fraction is
 * then what %.15g would print.
 */
static bool
is_millionths(double value, uint64_t *millionths)
{
	const double scaled = value * 1e6;

	if (!(scaled < 1e15) || (value < 1e-4 && value != 0))
		return false;
	*millionths = (uint64_t)(scaled + 0.5);
	return (double)*millionths / 1e6 == value;
}

/* The point of a number is a dot whatever the locale of the process says. */
static size_t
dot_only(char *digits)
{
	size_t size = 0;
	bool dotted = false;

	for (const char *c = digits; *c; c++) {
		const bool keeps = strchr("0123456789+-e", *c) != NULL;

		if (keeps || !dotted)
			digits[size++] = keeps ? *c : '.';
		dotted = dotted || !keeps;
	}
	return size;
}

void
tl_put_double(struct tl_text *text, double value)
{
	char digits[64];
	uint64_t millionths;

	if (isnan(value)) {
		tl_put_string(text, "nan");
		return;
	}
	if (signbit(value))
		tl_put_char(text, '-');
	value = fabs(value);
	if (isinf(value)) {
		tl_put_string(text, "inf");
		return;
	}
	if (is_millionths(value, &millionths)) {
		put_millionths(text, millionths);
		return;
	}
	for (int precision = DBL_DIG; precision <= DBL_DECIMAL_DIG;
	     precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	tl_put_bytes(text, tl_bytes(digits, dot_only(digits)));
}
