/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_tar.h - an archive as tar reads it (POSIX ustar), written member by
 * member.
 *
 *	header 512 | content, filled with zeros to a multiple of 512 | ...
 *	| 1024 zeros
 *
 * A size or time of 33 bits and more, which its octal digits cannot hold, is
 * written in base 256, as tar programs do.
 */
#ifndef TL_FORMAT_PERFETTO_FLEET_TAR_H
#define TL_FORMAT_PERFETTO_FLEET_TAR_H

#include "base/text.h"

enum { TL_TAR_BLOCK = 512, TL_TAR_NAME_MAX = 100 };

struct tl_tar_member {
	char name[TL_TAR_NAME_MAX]; /* ended by a NUL */
	uint64_t size;
	uint64_t changed_s; /* Unix time */
};

/* Before the content. */
void
tl_tar_put_header(struct tl_text *text, const struct tl_tar_member *member);
/* After it. */
void tl_tar_put_padding(struct tl_text *text, uint64_t size);
/* After the last member. */
void tl_tar_put_end(struct tl_text *text);

#endif
