/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_value.c - times exactly, names shortly. */
#include "format/chrome/value.h"

#include "base/json.h"

enum {
	US_SHIFT = 3, /* 10^3 nanoseconds */
	/* So many digits never overflow 128 bits. */
	DIGITS_MAX = 36
};

/* Digits and at most three behind the point, as nearly all are. */
static bool
read_plain(struct tl_bytes text, __int128 *ns)
{
	const bool minus = text.size > 0 && text.data[0] == '-';
	unsigned digits = 0, behind = 0;
	bool point = false;
	uint64_t low = 0;
	__int128 n = 0;

	for (size_t i = minus; i < text.size; i++) {
		const unsigned digit = (unsigned char)text.data[i] - '0';

		if (text.data[i] == '.' && !point && digits > 0) {
			point = true;
			continue;
		}
		if (digit > 9 || behind == US_SHIFT || digits == DIGITS_MAX)
			return false;
		behind += point;
		if (digits < 18)
			low = low * 10 + digit;
		else
			n = (digits == 18 ? (__int128)low : n) * 10 + digit;
		digits++;
	}
	if (digits <= 18)
		n = low;
	for (; behind < US_SHIFT; behind++)
		n *= 10;
	*ns = minus ? -n : n;
	return digits > 0;
}

bool
tl_chrome_time(const struct tl_chrome_value *value, int64_t base_ns,
    int64_t *ns)
{
	__int128 sum = 0;
	int64_t small = 0;

	*ns = base_ns;
	if (value->kind != TL_JSON_NUMBER && value->kind != TL_JSON_STRING)
		return false;
	if (!read_plain(value->text, &sum)) {
		if (tl_json_scaled(value->text, US_SHIFT, &small) < 0)
			return false;
		sum = small;
	}
	sum += base_ns;
	*ns = sum > INT64_MAX   ? INT64_MAX
	      : sum < INT64_MIN ? INT64_MIN
				: (int64_t)sum;
	return sum == *ns;
}

uint64_t
tl_chrome_hash(struct tl_bytes name)
{
	const uint64_t odd = UINT64_C(0x9e6c63d0876a3f6b);
	uint64_t hash = name.size, word;
	size_t at = 0;

	if (name.size == 0)
		return 0;
	for (; name.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, name.data + at, sizeof(word));
		hash = (hash ^ word) * odd;
		hash ^= hash >> 29;
	}
	for (word = 0; at < name.size; at++)
		word = word << 8 | (unsigned char)name.data[at];
	hash = (hash ^ word) * odd;
	return hash | 1;
}
