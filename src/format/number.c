/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - digits to numbers. */
#include "format/number.h"

#include <errno.h>
#include <stdlib.h>

enum {
	DIGITS_SURE = 19,    /* so many never overflow */
	DIGITS_EXACT = 15,   /* ... so many a double holds exactly */
	POWER_EXACT = 22,    /* ... and 10 to this */
	DOUBLE_SIZE_MAX = 64 /* more digits than any writer has */
};

int
tl_number_unsigned(struct tl_bytes bytes, uint64_t *n)
{
	uint64_t value = 0;

	if (bytes.size == 0)
		return -EINVAL;
	for (size_t i = 0; i < bytes.size; i++) {
		const unsigned digit = (unsigned char)bytes.data[i] - '0';

		if (digit > 9)
			return -EINVAL;
		if (i < DIGITS_SURE)
			value = value * 10 + digit;
		else if (__builtin_mul_overflow(value, 10, &value) ||
			 __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	*n = value;
	return 0;
}

int
tl_number_signed(struct tl_bytes bytes, int64_t *n)
{
	const bool minus = bytes.size > 0 && bytes.data[0] == '-';
	uint64_t size;
	int rc;

	if (minus)
		bytes = tl_bytes(bytes.data + 1, bytes.size - 1);
	rc = tl_number_unsigned(bytes, &size);
	if (rc < 0)
		return rc;
	if (size > (uint64_t)INT64_MAX + minus)
		return -ERANGE;
	*n = (int64_t)(minus ? 0 - size : size);
	return 0;
}

int
tl_number_small(struct tl_bytes bytes, uint32_t *n)
{
	uint64_t value;
	int rc = tl_number_unsigned(bytes, &value);

	if (rc == 0 && value > UINT32_MAX)
		rc = -ERANGE;
	if (rc == 0)
		*n = (uint32_t)value;
	return rc;
}

static void
put_bits(double value, uint64_t *bits)
{
	memcpy(bits, &value, sizeof(value));
}

/* Few digits with a point among them: one exact division. */
static bool
read_short(struct tl_bytes bytes, uint64_t *bits)
{
	const bool minus = bytes.size > 0 && bytes.data[0] == '-';
	uint64_t digits = 0;
	unsigned count = 0, after = 0;
	double value, power = 1;
	bool point = false;

	for (size_t i = minus; i < bytes.size; i++) {
		const unsigned digit = (unsigned char)bytes.data[i] - '0';

		if (bytes.data[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (digit > 9 || ++count > DIGITS_EXACT)
			return false;
		digits = digits * 10 + digit;
		after += point;
	}
	if (count == 0 || after > POWER_EXACT)
		return false;
	while (after-- > 0)
		power *= 10;
	value = (double)digits / power;
	put_bits(minus ? -value : value, bits);
	return true;
}

static bool
is_number(struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		if (!memchr("0123456789+-.eE", bytes.data[i], 15))
			return false;
	}
	return bytes.size > 0 && bytes.size < DOUBLE_SIZE_MAX;
}

int
tl_number_double(struct tl_bytes bytes, uint64_t *bits)
{
	char copy[DOUBLE_SIZE_MAX];
	char *end;
	double value;

	if (read_short(bytes, bits))
		return 0;
	if (tl_bytes_equal(bytes, tl_bytes_of("inf")))
		value = __builtin_inf();
	else if (tl_bytes_equal(bytes, tl_bytes_of("-inf")))
		value = -__builtin_inf();
	else if (tl_bytes_equal(bytes, tl_bytes_of("nan")) ||
		 tl_bytes_equal(bytes, tl_bytes_of("-nan")))
		value = __builtin_nan("");
	else {
		if (!is_number(bytes))
			return -EINVAL;
		memcpy(copy, bytes.data, bytes.size);
		copy[bytes.size] = '\0';
		value = strtod(copy, &end);
		if (end != copy + bytes.size)
			return -EINVAL;
	}
	put_bits(value, bits);
	return 0;
}
