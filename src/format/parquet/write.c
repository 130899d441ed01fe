/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_write.c - rows to pages, pages to row groups. */
#include "format/parquet/write.h"

#include "format/parquet/parquet.h"

#include <errno.h>
#include <stdlib.h>

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[GATES] = { -ENOTSUP,
	    "the level that was set for a message is left out" },
	[BUILTIN] = { -ENOTSUP,
	    "what opens and closes bursts becomes a message as any other" },
	[NOT_UTF8] = { -ENOTSUP, "bytes that are no UTF-8 become U+FFFD" },
	[CUT] = { -ERANGE, "a long text is cut" },
};

static struct parquet_write *
write_of(struct tl_writer *writer)
{
	return (struct parquet_write *)(void *)writer;
}

/* Sources are known now. */
static int
parquet_begin(struct tl_writer *writer)
{
	struct parquet_write *w = write_of(writer);

	w->sources = calloc(writer->source_count + 1, sizeof(*w->sources));
	if (!w->sources)
		return -ENOMEM;
	tl_put_string(&writer->out.text, "PAR1");
	w->at = writer->out.text.size;
	return 0;
}

static int
end_page(struct parquet_write *w)
{
	int rc = 0;

	for (unsigned i = 0; i < COLUMNS && rc == 0; i++)
		rc = tl_parquet_end_page(&w->packer, &w->columns[i], w->row);
	w->rows += w->row;
	w->row = 0;
	return rc;
}

static int
parquet_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct parquet_write *w = write_of(writer);
	const bool is_large = w->packer.size > PARQUET_GROUP_SIZE_MAX;
	int rc = tl_parquet_row(w, event);

	w->row++;
	if (rc == 0 && (w->row == TL_PARQUET_PAGE_ROWS || is_large))
		rc = end_page(w);
	if (rc == 0 &&
	    (w->rows == PARQUET_GROUP_ROWS || (is_large && w->row == 0)))
		rc = tl_parquet_write_group(w);
	return rc;
}

static int
parquet_end(struct tl_writer *writer)
{
	struct parquet_write *w = write_of(writer);
	int rc = end_page(w);

	if (rc == 0)
		rc = tl_parquet_write_group(w);
	if (rc < 0)
		return rc;
	tl_parquet_put_footer(w);
	tl_notes_say(&w->notes, writer->report);
	return w->groups.rc;
}

static void
parquet_free(struct tl_writer *writer)
{
	struct parquet_write *w = write_of(writer);

	for (unsigned i = 0; i < COLUMNS; i++)
		tl_parquet_column_free(&w->columns[i]);
	tl_parquet_packer_free(&w->packer);
	tl_text_free(&w->groups);
	tl_text_free(&w->scratch);
	tl_spans_free(w->spans);
	tl_render_free(w->render);
	tl_message_map_free(&w->messages, free);
	free(w->sources);
}

static const struct tl_writer_kind parquet_kind = { .put = parquet_put,
	.begin = parquet_begin,
	.end = parquet_end,
	.free = parquet_free };

static int
make(struct parquet_write *w)
{
	unsigned i = 0;
	int rc;

#define REQUIRED false
#define OPTIONAL true
#define COLUMN(name, word, kind, repetition) \
	tl_parquet_column_init(&w->columns[i++], TL_PARQUET_##kind, repetition);
#include "format/parquet/columns.def"
#undef COLUMN
	w->notes.kinds = kinds;
	if ((rc = tl_parquet_packer_init(&w->packer)) < 0 ||
	    (rc = tl_spans_new(&w->spans)) < 0)
		return rc;
	return tl_render_new(&w->render);
}

int
tl_parquet_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct parquet_write),
	    &parquet_kind, write, context, report);

	if (rc < 0)
		return rc;
	rc = make(write_of(*writer));
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
