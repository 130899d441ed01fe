/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c - texts that are written once and named by ids.
 *
 * An interner numbers the texts of a kind by their bytes.  The string of an
 * argument is first looked up by its number in the file, which is faster than
 * by its bytes.
 */
#include "format/perfetto/perfetto.h"

#include "base/array.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

static const uint32_t interned_fields[PERFETTO_KINDS] = { [CATEGORIES] = 1,
	[NAMES] = 2,
	[ARGUMENTS] = 3,
	[VALUES] = 29 };

int
tl_perfetto_intern(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_bytes string, uint64_t *id)
{
	struct perfetto_texts *texts = &w->texts[kind];
	struct tl_text *text = &w->writer.out.text;
	int rc = tl_interner_string(texts->interner, string, id);

	if (rc < 0 || *id <= texts->count)
		return rc;
	texts->count = *id;
	tl_perfetto_begin(w);
	tl_perfetto_open(w, PACKET_INTERNED);
	tl_perfetto_open(w, interned_fields[kind]);
	tl_pb_put_unsigned(text, INTERNED_ID, *id);
	tl_pb_put_plain(text, INTERNED_TEXT, string);
	tl_perfetto_end(w);
	return 0;
}

/* Intern a string that is met for the first time, unless the table is full. */
static int
keep_string(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_bytes string, uint32_t *id)
{
	struct perfetto_texts *texts = &w->texts[kind];
	uint64_t wide;
	int rc;

	if (string.size > PERFETTO_STRINGS_SIZE_MAX - texts->size ||
	    string.size > TL_INTERNER_TEXT_MAX)
		return 0;
	if ((rc = tl_perfetto_intern(w, kind, string, &wide)) < 0)
		return rc;
	texts->size += string.size;
	*id = (uint32_t)wide;
	return 0;
}

int
tl_perfetto_string(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_id_key key, struct tl_bytes string, uint64_t *id)
{
	struct perfetto_texts *texts = &w->texts[kind];
	uint32_t at;
	int rc;

	*id = 0;
	if (!string.data)
		return 0;
	rc = TL_ID_MAP_ROOM(&texts->keys, key, &at, texts->ids,
	    texts->id_capacity);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (rc > 0)
		rc = keep_string(w, kind, string, &texts->ids[at]);
	*id = texts->ids[at];
	return rc;
}

/* Is the text of a message one argument of strings? */
static bool
is_string(const struct tl_message *message)
{
	return message->argc == 1 && message->after.size == 0 &&
	       message->args[0].before.size == 0 &&
	       message->args[0].format == TIMELINE_ARG_STRING;
}

struct tl_bytes
tl_perfetto_name(struct perfetto_write *w, const struct tl_event *event)
{
	struct tl_bytes string = { NULL, 0 };

	if (is_string(event->message) && !event->bare)
		string = tl_message_string(event->message, event->args[0]);
	if (string.data)
		return string;
	tl_text_clear(&w->scratch);
	tl_label_put(&w->scratch, event);
	return tl_text_bytes(&w->scratch);
}

/* Write the source location of a message and return its id. */
static uint64_t
intern_location(struct perfetto_write *w, const struct tl_message *message)
{
	struct tl_text *text = &w->writer.out.text;

	tl_perfetto_begin(w);
	tl_perfetto_open(w, PACKET_INTERNED);
	tl_perfetto_open(w, INTERNED_LOCATION);
	tl_pb_put_unsigned(text, LOCATION_ID, ++w->locations);
	tl_pb_put_plain(text, LOCATION_FILE, message->file);
	tl_pb_put_unsigned(text, LOCATION_LINE, message->line);
	tl_perfetto_end(w);
	return w->locations;
}

static int
write_head(struct perfetto_write *w, const struct tl_message *message,
    bool named, char **to)
{
	const struct tl_event any = { .message = message, .bare = true };
	unsigned level = message->level;
	uint64_t id;
	int rc;

	if (message->category.size > 0) {
		rc = tl_perfetto_intern(w, CATEGORIES, message->category, &id);
		if (rc < 0)
			return rc;
		*to = tl_pb_write_unsigned(*to, EVENT_CATEGORY, id);
	}
	if (!named && message->kind != TIMELINE_RECORD_COUNTER) {
		rc = tl_perfetto_intern(w, NAMES, tl_perfetto_name(w, &any),
		    &id);
		if (rc < 0)
			return rc;
		*to = tl_pb_write_unsigned(*to, EVENT_NAME, id);
	}
	if (message->file.size > 0)
		*to = tl_pb_write_unsigned(*to, EVENT_LOCATION,
		    intern_location(w, message));
	if (level > TIMELINE_LEVEL_MAX) /* shown as "?" */
		level = TIMELINE_LEVEL_MAX + 1;
	/* names of levels are the first strings */
	*to = tl_perfetto_write_known(*to, ARGUMENT_PRIORITY,
	    ANNOTATION_STRING_ID, level + 1);
	return 0;
}

static int
make_message(struct perfetto_write *w, const struct tl_message *message,
    struct perfetto_message *kept)
{
	char *to = kept->head;
	uint64_t id;
	int rc;

	kept->named = is_string(message) || tl_label_is(message);
	rc = write_head(w, message, kept->named, &to);
	kept->head_size = (uint8_t)(to - kept->head);
	for (unsigned i = 0; rc == 0 && i < message->argc; i++) {
		rc = tl_perfetto_intern(w, ARGUMENTS, message->args[i].name,
		    &id);
		to = tl_pb_write_unsigned(kept->arg[i], ANNOTATION_NAME, id);
		kept->arg_size[i] = (uint8_t)(to - kept->arg[i]);
	}
	/* a counter and a source have a track, with the explanation */
	if (message->explain.size > 0 &&
	    message->kind != TIMELINE_RECORD_COUNTER &&
	    (message->kind != TIMELINE_RECORD_SPAN ||
		message->scope != TIMELINE_SOURCE))
		tl_note(&w->writer.notes, EXPLAINED, TL_FAULT_NOWHERE);
	return rc;
}

int
tl_perfetto_message(struct perfetto_write *w, const struct tl_message *message,
    struct perfetto_message **kept)
{
	int rc;

	*kept = tl_message_map_find(&w->messages, message);
	if (*kept)
		return 0;
	*kept = calloc(1, sizeof(**kept));
	if (!*kept)
		return -ENOMEM;
	if ((rc = make_message(w, message, *kept)) == 0 &&
	    (rc = tl_message_map_add(&w->messages, message, *kept)) == 0)
		return 0;
	free(*kept);
	return rc;
}

void
tl_perfetto_texts_free(struct perfetto_write *w)
{
	for (unsigned i = 0; i < PERFETTO_KINDS; i++) {
		tl_interner_free(w->texts[i].interner);
		tl_id_map_free(&w->texts[i].keys);
		free(w->texts[i].ids);
	}
	tl_message_map_free(&w->messages, free);
}
