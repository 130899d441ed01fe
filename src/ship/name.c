/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - names that may be anything, as parts of a path. */
#include "ship/name.h"

enum { HASH_DIGITS = 16, BITS_A_DIGIT = 4 };

static bool
is_plain(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' ||
	       (c == '.' && !first);
}

/* FNV-1a: two long names that begin alike must not meet by chance. */
static uint64_t
hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

static void
put_digits(struct tl_text *text, uint64_t value, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		tl_put_char(text,
		    "0123456789ABCDEF"[value >> BITS_A_DIGIT * i & 15]);
}

void
tl_put_file_part(struct tl_text *text, const char *name)
{
	const size_t start = text->size;
	const size_t most = TL_FILE_PART_MAX - HASH_DIGITS - 1;

	for (const char *at = name; *at; at++) {
		if (is_plain(*at, at == name)) {
			tl_put_char(text, *at);
		} else {
			tl_put_char(text, '%');
			put_digits(text, (unsigned char)*at, 2);
		}
		if (text->size - start <= TL_FILE_PART_MAX)
			continue;
		text->size = start + most;
		tl_put_char(text, '%');
		put_digits(text, hash_of(name), HASH_DIGITS);
		return;
	}
}
