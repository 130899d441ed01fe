/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - decode, and tell which characters are not to be trusted. */
#include "base/utf8.h"

/* How many bytes a character takes that starts with this one; 0: none does. */
static size_t
lead_size(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2) /* a middle, or an overlong form of ASCII? */
		return 0;
	if (lead < 0xe0)
		return 2;
	if (lead < 0xf0)
		return 3;
	return lead < 0xf5 ? 4 : 0;
}

/* Is it a character that size bytes are the shortest form of? */
static bool
is_character(uint32_t code, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[size] && code <= 0x10ffff &&
	       (code < 0xd800 || code > 0xdfff);
}

size_t
tl_utf8_decode(struct tl_bytes bytes, size_t at, uint32_t *code)
{
	static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char lead = (unsigned char)bytes.data[at];
	const size_t size = lead_size(lead);
	uint32_t value;

	if (size == 0 || size > bytes.size - at)
		return 0;
	value = lead & lead_bits[size];
	for (size_t i = 1; i < size; i++) {
		const unsigned char c = (unsigned char)bytes.data[at + i];

		if ((c & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (c & 0x3f);
	}
	if (!is_character(value, size))
		return 0;
	*code = value;
	return size;
}

bool
tl_utf8_steers(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return true;
	if (code < 0x61c)
		return false;
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}
