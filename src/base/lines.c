/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - cut pieces into lines. */
#include "base/lines.h"

static int
give(struct tl_lines *lines, struct tl_bytes line, size_t size_with_end)
{
	const uint64_t at = lines->at;
	const bool cut = lines->cut || line.size > TL_LINES_SIZE_MAX;

	if (line.size > TL_LINES_SIZE_MAX)
		line.size = TL_LINES_SIZE_MAX;
	else if (!cut && line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	lines->at += size_with_end;
	lines->cut = false;
	return lines->line(lines->context, line, at, cut);
}

static int
give_carry(struct tl_lines *lines, size_t end_size)
{
	const struct tl_bytes line =
	    tl_bytes(lines->carry.data, lines->carry.size);

	tl_text_clear(&lines->carry);
	return give(lines, line, line.size + end_size);
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
		if (end && lines->carry.size == 0 && !lines->cut) {
			rc = give(lines, line, line.size + 1);
			continue;
		}

		/* Keep an incomplete line.  Of a line that is too long, only
		 * the size is kept. */
		const size_t room = TL_LINES_SIZE_MAX - lines->carry.size;

		if (line.size > room) {
			lines->at += line.size - room;
			lines->cut = true;
		}
		tl_put_bytes(&lines->carry,
		    tl_bytes(line.data, line.size < room ? line.size : room));
		rc = lines->carry.rc;
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
