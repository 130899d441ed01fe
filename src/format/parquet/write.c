/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - an event into the columns of a row, rows to pages, pages to row
 * groups.
 *
 * Most texts of an event are texts of the message or of the source.  Their
 * places in the dictionaries are kept, so that each text is searched once in a
 * row group.
 */
#include "format/parquet/write.h"

#include "base/ns.h"
#include "base/utf8.h"
#include "format/parquet/parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* == a row == */

/* U+FFFD makes a bad byte three bytes. */
enum { TEXT_MAX = TL_INTERNER_TEXT_MAX / 3 };

static void
put(struct parquet_write *w, enum parquet_column_name name, uint64_t value)
{
	tl_parquet_put(&w->columns[name], w->row, value);
}

/* The text as UTF-8, cut if too long. */
static struct tl_bytes
made_valid(struct parquet_write *w, struct tl_bytes text)
{
	size_t valid;

	if (text.size > TEXT_MAX) {
		tl_note(&w->writer.notes, CUT, TL_FAULT_NOWHERE);
		text.size = TEXT_MAX;
		/* not behind the first byte of a character */
		while (text.size > 0 &&
		       ((unsigned char)text.data[text.size] & 0xc0) == 0x80)
			text.size--;
	}
	valid = tl_utf8_valid(text);
	if (valid == text.size)
		return text;
	tl_note(&w->writer.notes, NOT_UTF8, TL_FAULT_NOWHERE);
	tl_text_clear(&w->scratch);
	while (valid < text.size) {
		tl_put_bytes(&w->scratch, tl_bytes(text.data, valid));
		tl_put_string(&w->scratch, "\xef\xbf\xbd");
		text = tl_bytes(text.data + valid + 1, text.size - valid - 1);
		valid = tl_utf8_valid(text);
	}
	tl_put_bytes(&w->scratch, text);
	return tl_text_bytes(&w->scratch);
}

static int
put_text(struct parquet_write *w, enum parquet_column_name name,
    struct tl_bytes text, struct tl_parquet_known *known)
{
	struct tl_parquet_column *c = &w->columns[name];

	if (known && tl_parquet_put_known(c, w->row, known))
		return 0;
	text = made_valid(w, text);
	return w->scratch.rc < 0
		   ? w->scratch.rc
		   : tl_parquet_put_string(&w->packer, c, w->row, text, known);
}

/* Put a text, or NULL for an empty text. */
static int
put_some(struct parquet_write *w, enum parquet_column_name name,
    struct tl_bytes text, struct tl_parquet_known *known)
{
	return text.size > 0 ? put_text(w, name, text, known) : 0;
}

static int
put_word(struct parquet_write *w, enum parquet_column_name name,
    const char *word, struct tl_parquet_known *known)
{
	return put_some(w, name, tl_bytes_of(word), known);
}

/* Put the source, process and thread of an event. */
static int
put_source(struct parquet_write *w, const struct tl_event *event)
{
	const struct tl_origin *origin = tl_writer_source(&w->writer, event);
	const size_t count = w->writer.facts.source_count;
	struct parquet_source *kept =
	    &w->sources[event->source < count ? event->source : count];
	struct tl_bytes process;
	int rc;

	if ((rc = put_word(w, HOST, origin->machine, &kept->host)) < 0 ||
	    (rc = put_word(w, TIMELINE, origin->timeline, &kept->timeline)) < 0)
		return rc;
	if (!event->message)
		return 0;
	process = tl_names_process(tl_event_names(event), event->pid);
	if (process.size > 0)
		rc = put_some(w, COMMAND, process, NULL);
	else if (origin->pid != 0 && event->pid == origin->pid)
		rc = put_word(w, COMMAND, origin->command, &kept->command);
	return rc < 0 ? rc
		      : put_some(w, THREAD,
			    tl_names_thread(tl_event_names(event), event->pid,
				event->tid),
			    NULL);
}

/* Round down to microseconds, also before 1970. */
static int64_t
micros_of(int64_t ns)
{
	return ns / TL_NS_PER_US - (ns % TL_NS_PER_US < 0);
}

static int
put_definition(struct parquet_write *w, const struct tl_message *m,
    struct parquet_message *kept)
{
	int rc;

	if ((rc = put_text(w, CATEGORY, m->category, &kept->category)) < 0 ||
	    (rc = put_text(w, MESSAGE, m->line1, &kept->message)) < 0 ||
	    (rc = put_some(w, EXPLANATION, m->explain, &kept->explanation)) <
		0 ||
	    (rc = put_some(w, FILE, m->file, &kept->file)) < 0)
		return rc;
	if (m->kind != TIMELINE_RECORD_SPAN)
		return 0;
	return put_word(w, SCOPE,
	    m->scope == TIMELINE_SOURCE ? "source" : "thread", &kept->scope);
}

static int
put_value(struct parquet_write *w, const struct tl_message *message, unsigned i,
    const uint64_t *value)
{
	const unsigned skip = i * ARG_COLUMNS;
	struct tl_bytes string;

	switch (message->args[i].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		put(w, SIGNED1 + skip, *value);
		return 0;
	case TIMELINE_ARG_DOUBLE:
		put(w, DOUBLE1 + skip, *value);
		return 0;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		string = tl_message_text(message, i, value);
		if (string.data)
			return put_text(w, STRING1 + skip, string, NULL);
		break;
	}
	put(w, VALUE1 + skip, *value);
	return 0;
}

static int
put_args(struct parquet_write *w, const struct tl_event *event,
    struct parquet_message *kept)
{
	const struct tl_message *message = event->message;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < message->argc; i++) {
		rc = put_text(w, NAME1 + i * ARG_COLUMNS, message->args[i].name,
		    &kept->names[i]);
		if (rc == 0 && !event->bare)
			rc = put_value(w, message, i, &event->args[i]);
	}
	return rc;
}

static int
put_rendered(struct parquet_write *w, const struct tl_event *event)
{
	struct tl_parquet_column *c = &w->columns[TEXT];
	const size_t opened = tl_parquet_text_open(c);

	tl_render_cached(w->render, &c->plain, event);
	return c->plain.rc < 0
		   ? c->plain.rc
		   : tl_parquet_text_close(&w->packer, c, w->row, opened);
}

/* Find the slot of a message; messages without room share an empty slot. */
static int
find_message(struct parquet_write *w, const struct tl_message *message,
    struct parquet_message **kept)
{
	int rc;

	*kept = tl_message_map_find(&w->messages, message);
	if (*kept)
		return 0;
	if (message->gate != message->level)
		tl_note(&w->writer.notes, GATES, TL_FAULT_NOWHERE);
	if (message->builtin != TIMELINE_BUILTIN_NONE)
		tl_note(&w->writer.notes, BUILTIN, TL_FAULT_NOWHERE);
	*kept = calloc(1, sizeof(**kept));
	if (!*kept)
		return -ENOMEM;
	rc = tl_message_map_add(&w->messages, message, *kept);
	if (rc == 0)
		return 0;
	free(*kept);
	w->unkept = (struct parquet_message){ 0 };
	*kept = &w->unkept;
	return rc == -ENOSPC ? 0 : rc;
}

/* Put the numbers of a row. */
static void
put_numbers(struct parquet_write *w, const struct tl_event *e)
{
	const bool is_micros = w->columns[TIME].kind == TL_PARQUET_MICROS;
	const struct tl_message *m = e->message;
	const struct tl_span *span = w->writer.span;

#define COLUMN(name, word, kind, repetition, is_known, number) \
	if (is_known) \
		put(w, name, (uint64_t)(number));
#include "format/parquet/columns.def"
#undef COLUMN
}

static int
put_row(struct parquet_write *w, const struct tl_event *event)
{
	const struct tl_span *span = w->writer.span;
	struct tl_event whole = *event;
	struct parquet_message *kept;
	int rc;

	put_numbers(w, event);
	if ((rc = put_source(w, event)) < 0)
		return rc;
	if (!event->message) {
		rc = put_word(w, KIND, tl_event_kind_name(event), NULL);
		return rc < 0 ? rc : put_rendered(w, event);
	}
	/* An end without arguments gets the arguments of the begin. */
	if (span && whole.bare)
		memcpy(whole.args, span->args, sizeof(whole.args));
	if (span)
		whole.bare = span->bare;
	if ((rc = find_message(w, event->message, &kept)) < 0 ||
	    (rc = put_word(w, KIND, tl_kind_name(event->kind),
		 &kept->kinds[event->kind])) < 0 ||
	    (rc = put_word(w, PRIORITY, tl_level_name(event->level),
		 &kept->priority)) < 0 ||
	    (rc = put_definition(w, event->message, kept)) < 0 ||
	    (rc = put_args(w, &whole, kept)) < 0)
		return rc;
	return put_rendered(w, &whole);
}

/* == pages and row groups == */

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[GATES] = { -ENOTSUP,
	    "the level that was set for a message is left out" },
	[BUILTIN] = { -ENOTSUP,
	    "what opens and closes bursts becomes a message as any other" },
	[NOT_UTF8] = { -ENOTSUP, "bytes that are no UTF-8 become U+FFFD" },
	[CUT] = { -ERANGE, "a long text is cut" },
};

/* Begin the file; the writer knows its sources now. */
static int
parquet_begin(struct tl_writer *writer)
{
	struct parquet_write *w = (void *)writer;

	w->sources =
	    calloc(writer->facts.source_count + 1, sizeof(*w->sources));
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
	struct parquet_write *w = (void *)writer;
	const bool is_large = w->packer.size > PARQUET_GROUP_SIZE_MAX;
	int rc = put_row(w, event);

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
	struct parquet_write *w = (void *)writer;
	int rc = end_page(w);

	if (rc == 0)
		rc = tl_parquet_write_group(w);
	if (rc < 0)
		return rc;
	tl_parquet_put_footer(w);
	return w->groups.rc;
}

static void
parquet_free(struct tl_writer *writer)
{
	struct parquet_write *w = (void *)writer;

	for (unsigned i = 0; i < COLUMNS; i++)
		tl_parquet_column_free(&w->columns[i]);
	tl_parquet_packer_free(&w->packer);
	tl_text_free(&w->groups);
	tl_text_free(&w->scratch);
	tl_render_free(w->render);
	tl_message_map_free(&w->messages, free);
	free(w->sources);
}

static void
parquet_set_time(struct tl_writer *writer, int value)
{
	struct parquet_write *w = (void *)writer;

	w->columns[TIME].kind = value == TL_PARQUET_TIME_MICROS
				    ? TL_PARQUET_MICROS
				    : TL_PARQUET_NANOS;
}

static const struct tl_writer_kind parquet_kind = { .put = parquet_put,
	.begin = parquet_begin,
	.end = parquet_end,
	.notes = kinds,
	.free = parquet_free,
	.pairs = true,
	.set = parquet_set_time };

static int
make(struct parquet_write *w)
{
	unsigned i = 0;
	int rc;

#define REQUIRED false
#define OPTIONAL true
#define COLUMN(name, word, kind, repetition, is_known, number) \
	tl_parquet_column_init(&w->columns[i++], TL_PARQUET_##kind, repetition);
#include "format/parquet/columns.def"
#undef COLUMN
	if ((rc = tl_parquet_packer_init(&w->packer)) < 0)
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
	rc = make((void *)*writer);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}

int
tl_parquet_time_parse(const char *word, enum tl_parquet_time *time)
{
	if (strcmp(word, "nanos") == 0)
		*time = TL_PARQUET_TIME_NANOS;
	else if (strcmp(word, "micros") == 0)
		*time = TL_PARQUET_TIME_MICROS;
	else
		return -EINVAL;
	return 0;
}
