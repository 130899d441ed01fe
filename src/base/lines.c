/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - cut pieces into lines. */
#include "base/lines.h"

static int
give(struct tl_lines *lines, struct tl_bytes line, size_t end_size)
{
	const uint64_t at = lines->at;
	const bool cut = lines->beyond > 0 || line.size > lines->max;

	lines->at += line.size + lines->beyond + end_size;
	lines->beyond = 0;
	if (line.size > lines->max)
		line.size = lines->max;
	if (!lines->keeps_returns && line.size > 0 &&
	    line.data[line.size - 1] == '\r')
		line.size--;
	return lines->line(lines->context, line, at, cut);
}

/* Keep an incomplete line, up to the maximum. */
static int
keep(struct tl_lines *lines, struct tl_bytes rest)
{
	const size_t room = lines->max - lines->carry.size;

	if (rest.size > room) {
		lines->beyond += rest.size - room;
		rest.size = room;
	}
	tl_put_bytes(&lines->carry, rest);
	return lines->carry.rc;
}

static int
give_carry(struct tl_lines *lines, size_t end_size)
{
	const struct tl_bytes line =
	    tl_bytes(lines->carry.data, lines->carry.size);

	tl_text_clear(&lines->carry);
	return give(lines, line, end_size);
}

int
tl_lines_feed(struct tl_lines *lines, struct tl_bytes piece)
{
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && at < piece.size) {
		const char *from = piece.data + at;
		const char *end = memchr(from, '\n', piece.size - at);
		const struct tl_bytes line = tl_bytes(from,
		    end ? (size_t)(end - from) : piece.size - at);

		at += line.size + 1;
		if (end && lines->carry.size == 0) {
			rc = give(lines, line, 1);
			continue;
		}
		rc = keep(lines, line);
		if (rc == 0 && end)
			rc = give_carry(lines, 1);
	}
	return rc;
}

int
tl_lines_finish(struct tl_lines *lines)
{
	return lines->carry.size > 0 ? give_carry(lines, 0) : 0;
}

void
tl_lines_free(struct tl_lines *lines)
{
	tl_text_free(&lines->carry);
}
