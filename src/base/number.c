/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - digits to numbers, eight at a time where there are as many. */
#include "base/number.h"

#include "base/json_number.h"

#include <errno.h>

#define EACH_BYTE UINT64_C(0x0101010101010101)

enum { DIGITS_SURE = 19 /* never overflow */ };

/* Eight digits, the first in the lowest byte, as one number: by turns
 * neighbours are joined, 8 digits, 4 pairs, 2 fours. */
static inline uint64_t
join(uint64_t digits)
{
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (digits * 10000 + (digits >> 32)) & UINT32_MAX;
}

/*
 * The digits that eight bytes begin with: how many.  Whatever is none is above
 * 9 once '0' is taken off it: the sum sets the top bit of its byte, or it was
 * set.  What a sum carries into the next byte comes behind the first such.
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
	*n = count > 0 ? join(x << 8 * (8 - count)) : 0;
	return count;
}

/* The digits from byte at on, one by one, behind those that made value. */
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
tl_number_unsigned(struct tl_bytes field, const char *end, uint64_t *n)
{
	const struct tl_bytes all =
	    tl_bytes(field.data, (size_t)(end - field.data));
	uint64_t value;

	if (field.size == 0 || tl_number_take(all, &value) != field.size)
		return -EINVAL;
	*n = value;
	return 0;
}

int
tl_number_signed(struct tl_bytes field, const char *end, int64_t *n)
{
	const bool minus = field.size > 0 && field.data[0] == '-';
	uint64_t size;
	int rc;

	if (minus)
		field = tl_bytes(field.data + 1, field.size - 1);
	rc = tl_number_unsigned(field, end, &size);
	if (rc < 0 || size > (uint64_t)INT64_MAX + minus)
		return -EINVAL;
	*n = (int64_t)(minus ? 0 - size : size);
	return 0;
}

int
tl_number_small(struct tl_bytes field, const char *end, uint32_t *n)
{
	uint64_t value;

	if (tl_number_unsigned(field, end, &value) < 0 || value > UINT32_MAX)
		return -EINVAL;
	*n = (uint32_t)value;
	return 0;
}

int
tl_number_double(struct tl_bytes field, uint64_t *bits)
{
	double value;
	int rc = 0;

	if (tl_bytes_equal(field, tl_bytes_of("inf")))
		value = __builtin_inf();
	else if (tl_bytes_equal(field, tl_bytes_of("-inf")))
		value = -__builtin_inf();
	else if (tl_bytes_equal(field, tl_bytes_of("nan")))
		value = __builtin_nan("");
	else
		rc = tl_json_double(field, &value);
	if (rc == 0)
		memcpy(bits, &value, sizeof(value));
	return rc;
}
