/* SPDX-License-Identifier: Apache-2.0 */
/* firefox_column.c - chunks of columns in one file. */
#include "format/firefox_column.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

struct chunk {
	uint64_t next; /* 0: the last of its column */
	uint64_t size; /* of what follows */
};

/* The file begins with nothing, so that no chunk lies at 0. */
static int
open_file(struct tl_firefox_spill *spill)
{
	if (spill->size > 0)
		return 0;
	spill->fd = tl_file_unnamed();
	if (spill->fd < 0)
		return spill->fd;
	spill->size = sizeof(struct chunk);
	return 0;
}

/* Write text as a chunk at the end of the file, and link it. */
static int
append(struct tl_firefox_spill *spill, struct tl_firefox_column *column)
{
	const struct chunk chunk = { .size = column->text.size };
	const uint64_t at = spill->size;
	int rc = tl_write_at(spill->fd, &chunk, sizeof(chunk), at);

	if (rc == 0)
		rc = tl_write_at(spill->fd, column->text.data,
		    column->text.size, at + sizeof(chunk));
	if (rc == 0 && column->last > 0)
		rc = tl_write_at(spill->fd, &at, sizeof(at), column->last);
	if (rc < 0)
		return rc;
	if (column->first == 0)
		column->first = at;
	column->last = at;
	spill->size += sizeof(chunk) + chunk.size;
	return 0;
}

static int
move(struct tl_firefox_spill *spill, struct tl_firefox_column *column)
{
	int rc = open_file(spill);

	if (rc == 0)
		rc = append(spill, column);
	spill->waiting -= column->counted;
	column->counted = 0;
	tl_text_clear(&column->text);
	return rc;
}

int
tl_firefox_column_settle(struct tl_firefox_spill *spill,
    struct tl_firefox_column *column)
{
	spill->waiting += column->text.size - column->counted;
	column->counted = column->text.size;
	if (column->text.rc < 0)
		return column->text.rc;
	return column->text.size < TL_FIREFOX_CHUNK_SIZE ? 0
							 : move(spill, column);
}

int
tl_firefox_column_spill(struct tl_firefox_spill *spill,
    struct tl_firefox_column *column)
{
	int rc = column->text.rc;

	if (rc == 0 && column->text.size > 0)
		rc = move(spill, column);
	if (rc == 0)
		tl_text_free(&column->text);
	return rc;
}

/* Read size bytes at a place of the file into what is written next. */
static int
copy(const struct tl_firefox_spill *spill, uint64_t at, uint64_t size,
    struct tl_out *out)
{
	char *to = tl_text_reserve(&out->text, size);
	int64_t n;

	if (!to)
		return -ENOMEM;
	n = tl_read_at(spill->fd, to, size, at);
	if (n != (int64_t)size)
		return n < 0 ? (int)n : -EIO;
	out->text.size += size;
	return tl_out_settle(out);
}

int
tl_firefox_column_write(const struct tl_firefox_spill *spill,
    const struct tl_firefox_column *column, struct tl_out *out)
{
	struct chunk chunk;
	int rc = column->text.rc;

	for (uint64_t at = column->first; rc == 0 && at > 0; at = chunk.next) {
		const int64_t n =
		    tl_read_at(spill->fd, &chunk, sizeof(chunk), at);

		if (n != (int64_t)sizeof(chunk))
			return n < 0 ? (int)n : -EIO;
		rc = copy(spill, at + sizeof(chunk), chunk.size, out);
	}
	if (rc < 0)
		return rc;
	tl_put_bytes(&out->text,
	    tl_bytes(column->text.data, column->text.size));
	return tl_out_settle(out);
}

void
tl_firefox_column_free(struct tl_firefox_column *column)
{
	tl_text_free(&column->text);
}

void
tl_firefox_spill_free(struct tl_firefox_spill *spill)
{
	if (spill->size > 0)
		close(spill->fd);
}
