/* SPDX-License-Identifier: Apache-2.0 */
/* size.c - sizes as people write and read them. */
#include "base/size.h"

#include <errno.h>
#include <strings.h>

int
tl_parse_size(const char *text, uint64_t *size)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	uint64_t n = 0;
	size_t i = 0;

	for (; text[i] >= '0' && text[i] <= '9'; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
			return -ERANGE;
	if (i == 0)
		return -EINVAL;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
		if (strcasecmp(text + i, units[u]) == 0)
			return __builtin_mul_overflow(n,
				   UINT64_C(1) << (10 * u), size)
				   ? -ERANGE
				   : 0;
	return -EINVAL;
}

void
tl_put_size(struct tl_text *text, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	const uint64_t kilo = 1024;
	uint64_t tenths = bytes / kilo * 10 + bytes % kilo * 10 / kilo;
	size_t unit = 0;

	if (bytes < kilo) {
		tl_put_unsigned(text, bytes);
		return;
	}
	for (; tenths >= kilo * 10; tenths /= kilo)
		unit++;
	tl_put_unsigned(text, tenths / 10);
	if (tenths < 100) {
		tl_put_char(text, '.');
		tl_put_unsigned(text, tenths % 10);
	}
	tl_put_char(text, units[unit]);
}
