/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - the name of this machine and the time of its boot. */
#include "event/hosts/origin.h"

#include "clock/clock.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

void
tl_origin_here(struct tl_origin *origin)
{
	const int64_t utc_ns = tl_clock_read(CLOCK_REALTIME);

	*origin = (struct tl_origin){ 0 };
	if (gethostname(origin->machine, sizeof(origin->machine) - 1) < 0)
		origin->machine[0] = '\0';
	origin->monotonic_ns = utc_ns - tl_clock_read(CLOCK_MONOTONIC);
	origin->boottime_ns = utc_ns - tl_clock_read(CLOCK_BOOTTIME);
}

void
tl_origin_name(char to[65], struct tl_bytes from)
{
	const size_t size =
	    from.data ? strnlen(from.data, from.size < 64 ? from.size : 64) : 0;

	if (size > 0)
		memcpy(to, from.data, size);
	to[size] = '\0';
}

void
tl_origin_boot(uint8_t id[16], struct tl_bytes from)
{
	static const char digits[] = "0123456789abcdef";
	unsigned n = 0;

	memset(id, 0, 16);
	for (size_t i = 0; i < from.size && n < 32; i++) {
		const char *digit =
		    from.data[i] ? strchr(digits, from.data[i]) : NULL;

		if (from.data[i] == '-')
			continue;
		if (!digit)
			break;
		id[n / 2] = (uint8_t)(id[n / 2] << 4 | (digit - digits));
		n++;
	}
	if (n < 32)
		memset(id, 0, 16);
}

void
tl_origin_boot_text(const uint8_t id[16], char text[TL_ORIGIN_BOOT_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t any = 0;

	for (size_t i = 0; i < 16; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
		any |= id[i];
	}
	text[any ? 32 : 0] = '\0';
}
