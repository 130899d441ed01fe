/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - which format is meant, and which there are. */
#include "convert/table.h"

#include "base/fields.h"
#include "base/options.h"
#include "format/choose.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
	NAME_COLUMN = 12, /* of the list: where the next one begins */
	SUFFIX_COLUMN = 18
};

static bool
is_written(const struct tl_format_row *row, const char *path)
{
	(void)path;
	return tl_format_is_written(row);
}

/* The slashes behind a directory's name are no part of it. */
static bool
ends_with(const char *path, const char *end)
{
	size_t size = strlen(path);

	while (size > 0 && path[size - 1] == '/')
		size--;
	return tl_bytes_end_with(tl_bytes(path, size), end);
}

/* Would a longer suffix select it, as .trace.json does? */
static bool
is_near(const struct tl_format_row *row, const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') && tl_format_is_written(row) &&
	       ends_with(row->suffix, dot);
}

/* Does a row speak for a name better than the best so far? */
static bool
is_better(const struct tl_format_row *row, const struct tl_format_row *best)
{
	const size_t size = strlen(row->suffix);
	const size_t best_size = best ? strlen(best->suffix) : 0;

	return size > best_size ||
	       (size == best_size && strcmp(row->suffix + 1, row->name) == 0);
}

const struct tl_format_row *
tl_table_of_suffix(const char *path)
{
	const struct tl_format_row *row, *best = NULL;
	const bool packed = ends_with(path, ".tl.zst");
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (tl_format_is_written(row) &&
		    (ends_with(path, row->suffix) ||
			(packed && strcmp(row->suffix, ".tl") == 0)) &&
		    is_better(row, best))
			best = row;
	}
	if (!best && dot && (row = tl_formats_find(dot + 1)) &&
	    tl_format_is_written(row))
		best = row; /* as in x.sqlite */
	return best;
}

const struct tl_format_row *
tl_table_of_file(const char *path, struct tl_fault *fault)
{
	const struct tl_format_row *row = tl_table_of_suffix(path);
	struct tl_text near = { 0 };
	struct stat st;

	if (row)
		return row;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		tl_usage(fault, path, "a directory; name a file in it");
	else if (tl_formats_put(&near, is_near, path) > 0)
		tl_formats_refuse(fault, path,
		    "only a part of a suffix; use --to", is_near);
	else
		tl_formats_refuse(fault, path, "unknown suffix; use --to",
		    is_written);
	tl_text_free(&near);
	return NULL;
}

void
tl_table_show(struct tl_text *text, bool json)
{
	const struct tl_format_row *row;

	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (json) {
			struct tl_fields f = { .text = text, .json = true };

			tl_fields_object(&f, NULL);
			tl_fields_string(&f, "name", row->name);
			tl_fields_bool(&f, "read", tl_format_is_read(row));
			tl_fields_bool(&f, "write", tl_format_is_written(row));
			tl_fields_bool(&f, "pipe", row->write_new != NULL);
			tl_fields_bool(&f, "directory",
			    row->flags & TL_FORMAT_FOLDER);
			tl_fields_string(&f, "suffix", row->suffix);
			tl_fields_string(&f, "help", row->help);
			tl_fields_object_end(&f);
		} else {
			tl_put_padded(text, row->name, NAME_COLUMN);
			tl_put_string(text,
			    tl_format_is_read(row) ? "read  " : "-     ");
			tl_put_string(text,
			    tl_format_is_written(row) ? "write  " : "-      ");
			tl_put_padded(text, row->suffix, SUFFIX_COLUMN);
			tl_put_string(text, row->help);
			tl_put_char(text, '\n');
		}
	}
}
