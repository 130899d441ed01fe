/* SPDX-License-Identifier: Apache-2.0 */
/* column.c - chunks of columns in one file. */
#include "format/column.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

struct chunk {
	uint64_t next; /* 0: the last of its column */
	uint64_t size; /* of what follows */
};

/* The file begins with nothing, so that no chunk lies at 0. */
static int
open_file(struct tl_columns *columns)
{
	if (columns->size > 0)
		return 0;
	columns->fd = tl_file_unnamed();
	if (columns->fd < 0)
		return columns->fd;
	columns->size = sizeof(struct chunk);
	return 0;
}

/* Write text as a chunk at the end of the file, and link it. */
static int
append(struct tl_columns *columns, struct tl_column *column)
{
	const struct chunk chunk = { .size = column->text.size };
	const uint64_t at = columns->size;
	int rc = tl_write_at(columns->fd, &chunk, sizeof(chunk), at);

	if (rc == 0)
		rc = tl_write_at(columns->fd, column->text.data,
		    column->text.size, at + sizeof(chunk));
	if (rc == 0 && column->last > 0)
		rc = tl_write_at(columns->fd, &at, sizeof(at), column->last);
	if (rc < 0)
		return rc;
	if (column->first == 0)
		column->first = at;
	column->last = at;
	columns->size += sizeof(chunk) + chunk.size;
	return 0;
}

static int
move(struct tl_columns *columns, struct tl_column *column)
{
	int rc = open_file(columns);

	if (rc == 0)
		rc = append(columns, column);
	columns->waiting -= column->counted;
	column->counted = 0;
	tl_text_clear(&column->text);
	return rc;
}

int
tl_column_spill_full(struct tl_columns *columns, struct tl_column *column)
{
	columns->waiting += column->text.size - column->counted;
	column->counted = column->text.size;
	if (column->text.rc < 0)
		return column->text.rc;
	return column->text.size < TL_COLUMN_CHUNK_SIZE ? 0
							: move(columns, column);
}

int
tl_column_spill(struct tl_columns *columns, struct tl_column *column)
{
	int rc = column->text.rc;

	if (rc == 0 && column->text.size > 0)
		rc = move(columns, column);
	if (rc == 0)
		tl_text_free(&column->text);
	return rc;
}

/* Read size bytes at a place of the file into what is written next. */
static int
copy(const struct tl_columns *columns, uint64_t at, uint64_t size,
    struct tl_out *out)
{
	char *to = tl_text_reserve(&out->text, size);
	int64_t n;

	if (!to)
		return -ENOMEM;
	n = tl_read_at(columns->fd, to, size, at);
	if (n != (int64_t)size)
		return n < 0 ? (int)n : -EIO;
	out->text.size += size;
	return tl_out_flush_full(out);
}

int
tl_column_write(const struct tl_columns *columns,
    const struct tl_column *column, struct tl_out *out)
{
	struct chunk chunk;
	int rc = column->text.rc;

	for (uint64_t at = column->first; rc == 0 && at > 0; at = chunk.next) {
		const int64_t n =
		    tl_read_at(columns->fd, &chunk, sizeof(chunk), at);

		if (n != (int64_t)sizeof(chunk))
			return n < 0 ? (int)n : -EIO;
		rc = copy(columns, at + sizeof(chunk), chunk.size, out);
	}
	if (rc < 0)
		return rc;
	tl_put_bytes(&out->text,
	    tl_bytes(column->text.data, column->text.size));
	return tl_out_flush_full(out);
}

void
tl_column_free(struct tl_column *column)
{
	tl_text_free(&column->text);
}

void
tl_columns_free(struct tl_columns *columns)
{
	if (columns->size > 0)
		close(columns->fd);
}
