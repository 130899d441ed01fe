/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - numbers, durations and times as text, without printf.
 */
#include "base/array.h"
#include "base/digits.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* "00" to "99": two digits for each division. */
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

/* Write n < 10^4 without leading zeros. */
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

/* Write n < 10^8 without leading zeros. */
static inline char *
write_small(char *to, uint32_t n)
{
	uint64_t digits;
	unsigned zeros;

	if (n < 10000)
		return write_four(to, n);
	digits = tl_eight_digits(n);
	zeros = (unsigned)__builtin_ctzll(digits & UINT64_C(0x0f0f0f0f)) / 8;
	/* the second half overwrites the end of the first */
	tl_write_half(to, digits >> zeros * 8);
	tl_write_half(to + 4 - zeros, digits >> 32);
	return to + 8 - zeros;
}

char *
tl_write_unsigned(char *to, uint64_t n)
{
	const uint64_t eight = 100000000, sixteen = eight * eight;

	if (n < eight)
		return write_small(to, (uint32_t)n);
	if (n < sixteen) {
		/* Write n < 10^16 without leading zeros, 9 to 16 digits. */
		const uint32_t high = (uint32_t)(n / 100000000);
		const uint64_t first = tl_eight_digits(high);
		const uint64_t last =
		    tl_eight_digits((uint32_t)(n % 100000000));
		const unsigned zeros =
		    (unsigned)__builtin_ctzll(
			first & UINT64_C(0x0f0f0f0f0f0f0f0f)) /
		    8;
		const uint64_t shifted = first >> 8 * zeros;

		memcpy(to, &shifted, sizeof(shifted));
		memcpy(to + 8 - zeros, &last, sizeof(last));
		return to + 16 - zeros;
	}
	to = write_four(to, (uint32_t)(n / sixteen));
	n %= sixteen;
	_mm_storeu_si128((__m128i *)(void *)to,
	    tl_sixteen_digits((uint32_t)(n / eight), (uint32_t)(n % eight)));
	return to + 16;
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

/* Put up to six decimals, without trailing zeros. */
static void
put_millionths(struct tl_text *text, uint64_t millionths)
{
	char digits[TL_UNSIGNED_MAX];
	size_t count = 6;

	tl_put_unsigned(text, millionths / 1000000);
	if (millionths % 1000000 == 0)
		return;
	/* Seven digits with a leading 1 keep the zeros after the point. */
	tl_write_unsigned(digits, 1000000 + millionths % 1000000);
	while (digits[count] == '0')
		count--;
	digits[0] = '.';
	tl_put_bytes(text, tl_bytes(digits, count + 1));
}

/*
 * Is value, which is not negative, a number of millionths?  Below 10^15 a
 * quotient of whole numbers is the double nearest to the decimal fraction, and
 * a double always distinguishes 15 digits; the fraction is thus what %.15g
 * prints.
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

/* Make the decimal point a dot, whatever the locale is. */
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

/* == digits to numbers, eight at a time if there are as many == */

#define EACH_BYTE UINT64_C(0x0101010101010101)

enum { DIGITS_SURE = 19 /* this many never overflow */ };

/* Join eight digits, the first in the lowest byte, into a number.  Each step
 * joins neighbours: 8 digits, 4 pairs, 2 fours. */
static inline uint64_t
join_digits(uint64_t digits)
{
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (digits * 10000 + (digits >> 32)) & UINT32_MAX;
}

/*
 * Take the digits at the start of eight bytes.  Returns their number.  A byte
 * that is no digit is above 9 after '0' is removed: the sum sets the byte's top
 * bit, or the bit was already set.  A carry into the next byte only happens
 * after the first such byte.
 */
static inline unsigned
take_eight(const char *data, uint64_t *n)
{
	uint64_t x, odd;
	unsigned count;

	memcpy(&x, data, sizeof(x));
	x ^= EACH_BYTE * '0';
	odd = ((x + EACH_BYTE * (0x80 - 10)) | x) & EACH_BYTE * 0x80;
	count = odd ? (unsigned)__builtin_ctzll(odd) / 8 : 8;
	*n = count > 0 ? join_digits(x << 8 * (8 - count)) : 0;
	return count;
}

/* Take the digits from byte at on one by one; value has the digits before. */
static size_t
take_rest(struct tl_bytes bytes, size_t at, uint64_t value, uint64_t *n)
{
	for (; at < bytes.size && tl_is_digit(bytes.data[at]); at++) {
		const unsigned digit = (unsigned)(bytes.data[at] - '0');

		if (at < DIGITS_SURE)
			value = value * 10 + digit;
		else if (__builtin_mul_overflow(value, 10, &value) ||
			 __builtin_add_overflow(value, digit, &value))
			return 0;
	}
	*n = value;
	return at;
}

size_t
tl_number_take(struct tl_bytes bytes, uint64_t *n)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000 };
	uint64_t value = 0, next;
	size_t at = 0;

	while (bytes.size - at >= 8) {
		const unsigned count = take_eight(bytes.data + at, &next);

		if (at + count > DIGITS_SURE)
			break;
		value = value * powers[count] + next;
		at += count;
		if (count < 8) {
			*n = value;
			return at;
		}
	}
	return take_rest(bytes, at, value, n);
}

int
tl_number_signed(struct tl_bytes field, const char *end, int64_t *n)
{
	const bool minus = field.size > 0 && field.data[0] == '-';
	const struct tl_bytes digits =
	    tl_bytes(field.data + minus, field.size - minus);
	uint64_t size;

	if (digits.size == 0 ||
	    tl_number_take(tl_bytes(digits.data, (size_t)(end - digits.data)),
		&size) != digits.size ||
	    size > (uint64_t)INT64_MAX + minus)
		return -EINVAL;
	*n = (int64_t)(minus ? 0 - size : size);
	return 0;
}

int
tl_number_double(struct tl_bytes field, uint64_t *bits)
{
	double value;
	int rc = tl_json_double(field, &value);

	if (rc == 0)
		memcpy(bits, &value, sizeof(value));
	return rc;
}

/* == sizes as people write and read them == */

int
tl_parse_size(const char *text, uint64_t *size)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	uint64_t n;
	size_t i;

	if (strncasecmp(text, "0x", 2) == 0)
		return tl_parse_unsigned(text, size);
	if ((i = tl_number_take(tl_bytes_of(text), &n)) == 0)
		return tl_is_digit(text[0]) ? -ERANGE : -EINVAL;
	for (size_t u = 0; u < TL_COUNT(units); u++)
		if (strcasecmp(text + i, units[u]) == 0)
			return __builtin_mul_overflow(n,
				   UINT64_C(1) << (10 * u), size)
				   ? -ERANGE
				   : 0;
	return -EINVAL;
}

const char *
tl_size_in(char *room, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	const uint64_t kilo = 1024;
	uint64_t tenths = bytes / kilo * 10 + bytes % kilo * 10 / kilo;
	size_t unit = 0;
	uint16_t whole;

	for (; tenths >= kilo * 10; tenths /= kilo)
		unit++;
	whole = (uint16_t)(tenths / 10); /* less than 1024 */
	if (bytes < kilo)
		snprintf(room, TL_SIZE_MAX + 1, "%hu", (uint16_t)bytes);
	else if (tenths < 100)
		snprintf(room, TL_SIZE_MAX + 1, "%hu.%hu%c", whole,
		    (uint16_t)(tenths % 10), units[unit]);
	else
		snprintf(room, TL_SIZE_MAX + 1, "%hu%c", whole, units[unit]);
	return room;
}

void
tl_put_size(struct tl_text *text, uint64_t bytes)
{
	tl_put_string(text, TL_SIZE(bytes));
}
