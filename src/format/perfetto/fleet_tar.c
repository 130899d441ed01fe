/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_tar.c - headers of an archive. */
#include "format/perfetto/fleet_tar.h"

struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char changed[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct header) == TL_TAR_BLOCK, "one block");

enum { OCTAL_BITS = 3, OCTAL_DIGITS = 11, BASE_256 = 0x80 };

/* Digits up to the NUL that ends the field. */
static void
put_octal(char *field, size_t size, uint64_t n)
{
	for (size_t i = size - 1; i > 0; i--) {
		field[i - 1] = (char)('0' + (n & 7));
		n >>= OCTAL_BITS;
	}
	field[size - 1] = '\0';
}

static void
put_number(char field[12], uint64_t n)
{
	if (n >> (OCTAL_BITS * OCTAL_DIGITS) == 0) {
		put_octal(field, 12, n);
		return;
	}
	for (size_t i = 11; i > 0; i--) {
		field[i] = (char)(n & 0xff);
		n >>= 8;
	}
	field[0] = (char)BASE_256;
}

/* The sum of all bytes, its own taken for spaces. */
static void
put_checksum(struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	uint64_t sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += bytes[i];
	put_octal(header->checksum, sizeof(header->checksum) - 1, sum);
}

void
tl_tar_put_header(struct tl_text *text, const struct tl_tar_member *member)
{
	struct header header = { .type = '0',
		.magic = "ustar",
		.version = { '0', '0' } };

	memcpy(header.name, member->name, strlen(member->name));
	put_octal(header.mode, sizeof(header.mode), 0644);
	put_octal(header.uid, sizeof(header.uid), 0);
	put_octal(header.gid, sizeof(header.gid), 0);
	put_number(header.size, member->size);
	put_number(header.changed, member->changed_s);
	put_octal(header.major, sizeof(header.major), 0);
	put_octal(header.minor, sizeof(header.minor), 0);
	put_checksum(&header);
	tl_put_bytes(text, tl_bytes(&header, sizeof(header)));
}

void
tl_tar_put_padding(struct tl_text *text, uint64_t size)
{
	tl_put_repeat(text, '\0', -size % TL_TAR_BLOCK);
}

void
tl_tar_put_end(struct tl_text *text)
{
	tl_put_repeat(text, '\0', (size_t)2 * TL_TAR_BLOCK);
}
