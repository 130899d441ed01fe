/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - the point and the definitions that an event becomes. */
#include "format/lincheck/points.h"

#include "base/array.h"
#include "format/label.h"
#include "format/lincheck/print.h"
#include "format/lincheck/words.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* == definitions == */

int
tl_lincheck_known_init(struct tl_lincheck_known *k)
{
	k->next[TL_LINCHECK_STRING] = 1; /* string ids count from 1 */
	return tl_interner_new(&k->bodies);
}

/*
 * Add a definition and return its number.  The id of the definition is the
 * wanted id if that id is free; wanted NONE: any id.  0, -ENOSPC, -ENOMEM.
 */
static int
known_add(struct tl_lincheck_known *k, uint8_t kind, int32_t wanted,
    struct tl_bytes body, uint32_t *number)
{
	struct tl_lincheck_definition *d;
	struct tl_text key = { 0 };
	const int64_t want = wanted;
	uint64_t string;
	int64_t id;
	char *copy;
	int rc;

	tl_put_char(&key, (char)kind);
	tl_put_bytes(&key, tl_bytes(&wanted, sizeof(wanted)));
	tl_put_bytes(&key, body);
	rc = key.rc;
	if (rc == 0 && key.size > TL_INTERNER_TEXT_MAX)
		rc = -ENOSPC; /* cut bodies might be equal */
	if (rc == 0)
		rc =
		    tl_interner_string(k->bodies, tl_text_bytes(&key), &string);
	tl_text_free(&key);
	if (rc < 0)
		return rc;
	if (string > TL_ID_MAP_MAX)
		return -ENOSPC;
	*number = (uint32_t)string - 1;
	rc = TL_ARRAY_ZEROS(k->definitions, k->capacity, *number);
	if (rc < 0)
		return rc;
	d = &k->definitions[*number];
	if (d->body)
		return 0;

	rc = tl_id_map_take(&k->used, kind, wanted >= 0 ? &want : NULL,
	    &k->next[kind], &id);
	if (rc < 0)
		return rc;
	k->moved |= wanted >= 0 && id != wanted;
	if (!(copy = malloc(body.size)))
		return -ENOMEM;
	memcpy(copy, body.data, body.size);
	*d = (struct tl_lincheck_definition){ .body = copy,
		.size = (uint32_t)body.size,
		.id = (int32_t)id,
		.kind = kind };
	return 0;
}

void
tl_lincheck_known_free(struct tl_lincheck_known *k)
{
	for (size_t i = 0; i < k->capacity; i++)
		free(k->definitions[i].body);
	free(k->definitions);
	tl_id_map_free(&k->used);
	tl_interner_free(k->bodies);
}

/* == forms == */

enum {
	/*
	 * A location and its three strings, one string for missing names, a
	 * target and its class, the classes of values.
	 */
	DEFINITIONS_MAX = 4 + 1 + 2 + TL_LINCHECK_VALUES_MAX
};

/* The type of a text in a JVM descriptor. */
#define TEXT_CLASS "Ljava.lang.String;"

struct draft {
	struct tl_lincheck_form form;
	struct tl_lincheck_known *known;
	struct tl_text body;
	int32_t tags[TL_LINCHECK_VALUES_MAX];
	int32_t wanted[DEFINITIONS_MAX]; /* ids in the message's text */
	uint32_t definitions[DEFINITIONS_MAX];
	bool changed;
};

static void
take_utf(struct draft *d, struct tl_bytes text)
{
	if (!tl_lincheck_put_utf(&d->body, text))
		d->changed = true;
}

/* Keep the body as a definition. */
static int
add(struct draft *d, uint8_t kind, int32_t wanted)
{
	const uint32_t i = d->form.definition_count;
	int rc = d->body.rc;

	if (i == DEFINITIONS_MAX)
		return -ENOSPC;
	d->wanted[i] = wanted;
	if (rc == 0)
		rc = known_add(d->known, kind, wanted, tl_text_bytes(&d->body),
		    &d->definitions[i]);
	if (rc == 0)
		d->form.definition_count++;
	tl_text_clear(&d->body);
	return rc;
}

/* The id that a definition of the draft got; id if the draft has none. */
static int32_t
map(const struct draft *d, uint8_t kind, int32_t id)
{
	for (uint32_t i = 0; i < d->form.definition_count; i++) {
		const struct tl_lincheck_definition *definition =
		    tl_lincheck_known_at(d->known, d->definitions[i]);

		if (definition->kind == kind && d->wanted[i] == id)
			return definition->id;
	}
	return id;
}

static bool
take_name(struct draft *d, struct tl_bytes *line)
{
	struct tl_text name = { 0 };
	struct tl_bytes word;

	if (!tl_lincheck_next_word(line, &word))
		return false;
	tl_lincheck_take_word(&name, word);
	take_utf(d, tl_text_bytes(&name));
	if (name.rc < 0)
		d->body.rc = name.rc;
	tl_text_free(&name);
	return true;
}

/* Keep the body under any id. */
static int
add_new(struct draft *d, uint8_t kind, int32_t *id)
{
	const int rc = add(d, kind, TL_LINCHECK_NONE);

	*id = TL_LINCHECK_NONE;
	if (rc == 0)
		*id = tl_lincheck_known_at(d->known,
		    d->definitions[d->form.definition_count - 1])
			  ->id;
	return rc;
}

static int
add_text(struct draft *d, uint8_t kind, struct tl_bytes text, int32_t *id)
{
	take_utf(d, text);
	return add_new(d, kind, id);
}

/*
 * Parse "FILE CLASS METHOD LINE" of a location.  An empty string stands for a
 * missing name, because readers of version 8 reject a missing string.
 */
static bool
take_location(struct draft *d, struct tl_bytes *line)
{
	int32_t number, ids[3];

	for (unsigned i = 0; i < 3; i++) {
		if (!tl_lincheck_next_number(line, &ids[i]))
			return false;
		if (ids[i] != TL_LINCHECK_NONE)
			ids[i] = map(d, TL_LINCHECK_STRING, ids[i]);
		else if (add_text(d, TL_LINCHECK_STRING, tl_bytes("", 0),
			     &ids[i]) < 0)
			return false;
	}
	if (!tl_lincheck_next_number(line, &number))
		return false;
	for (unsigned i = 0; i < 3; i++)
		tl_lincheck_put_i32(&d->body, ids[i]);
	tl_lincheck_put_i32(&d->body, number);
	return true;
}

/* Parse "CLASS DESCRIPTOR NAME" of a method, "CLASS FLAGS NAME" of a field. */
static bool
take_member(struct draft *d, struct tl_bytes *line, uint8_t kind)
{
	struct tl_bytes word;
	int32_t class, bits;

	if (!tl_lincheck_next_number(line, &class))
		return false;
	tl_lincheck_put_i32(&d->body, map(d, TL_LINCHECK_CLASS, class));
	if (!tl_lincheck_next_word(line, &word) || !take_name(d, line))
		return false;
	if (kind == TL_LINCHECK_METHOD)
		return tl_lincheck_take_descriptor(&d->body, word);
	if (!tl_lincheck_next_number(&word, &bits))
		return false;
	tl_put_char(&d->body, (char)(bits >> 8));
	tl_put_char(&d->body, (char)bits);
	return true;
}

/*
 * Parse a line behind the line "lincheck": a definition, the counts of "paths",
 * or "print", for which the writer has no use.  0, -EINVAL, -ENOSPC, -ENOMEM.
 */
static int
take_line(struct draft *d, struct tl_bytes line)
{
	struct tl_bytes word;
	int32_t id;
	bool good;
	int kind;

	if (!tl_lincheck_next_word(&line, &word))
		return -EINVAL;
	if (tl_bytes_are(word, TL_LINCHECK_PRINT))
		return 0;
	if (tl_bytes_are(word, TL_LINCHECK_PATHS)) {
		good = tl_lincheck_next_number(&line, &d->form.paths) &&
		       tl_lincheck_next_number(&line, &d->form.arguments);
		return good ? 0 : -EINVAL;
	}
	tl_text_clear(&d->body);
	if ((kind = tl_lincheck_kind_of(word)) < 0 ||
	    !tl_lincheck_next_number(&line, &id) || id < 0)
		return -EINVAL;
	if (kind == TL_LINCHECK_LOCATION)
		good = take_location(d, &line);
	else if (kind == TL_LINCHECK_METHOD || kind == TL_LINCHECK_FIELD)
		good = take_member(d, &line, (uint8_t)kind);
	else
		good = take_name(d, &line);
	return good ? add(d, (uint8_t)kind, id) : -EINVAL;
}

static bool
take_tags(struct draft *d, struct tl_bytes *line)
{
	struct tl_lincheck_form *f = &d->form;
	struct tl_bytes rest = *line;

	while (f->count < TL_LINCHECK_VALUES_MAX) {
		if (tl_lincheck_is_index(f->class, f->count)) {
			d->tags[f->count++] = TL_LINCHECK_INT;
			continue;
		}
		if (!tl_lincheck_next_number(&rest, &d->tags[f->count]))
			break;
		if (d->tags[f->count] < TL_LINCHECK_BUILDER)
			return false;
		if (d->tags[f->count] < TL_LINCHECK_BOOLEAN)
			d->tags[f->count] = TL_LINCHECK_RAW;
		f->count++;
		*line = rest;
	}
	return true;
}

/* Has a form as many values as version 8 demands for its class? */
static bool
is_whole(const struct tl_lincheck_form *f)
{
	static const uint8_t counts[] = { 1, 3, 1, 2, 3, 1, 2 };

	if (f->class == TL_LINCHECK_FOOTER_CLASS)
		return f->count == 1;
	return f->class == TL_LINCHECK_CALL ? f->count >= 1
					    : f->count == counts[f->class];
}

/*
 * Parse the line "lincheck": 0; -ENOTSUP: version 8 does not have the class;
 * -EINVAL.
 */
static int
take_shape(struct draft *d, struct tl_bytes line)
{
	struct tl_bytes word;
	int class;

	if (!tl_lincheck_next_word(&line, &word) ||
	    !tl_bytes_are(word, TL_LINCHECK_WORD) ||
	    !tl_lincheck_next_word(&line, &word))
		return -EINVAL;
	d->form.is_block = tl_bytes_are(word, "block");
	if (d->form.is_block)
		return 0;
	if ((class = tl_lincheck_class_of(word)) < 0)
		return -EINVAL;
	d->form.class = (uint8_t) class;
	if (class >= TL_LINCHECK_LOOP && class < TL_LINCHECK_FOOTER_CLASS)
		return -ENOTSUP;
	if (!tl_lincheck_next_number(&line, &d->form.location) ||
	    !tl_lincheck_next_number(&line, &d->form.target) ||
	    !take_tags(d, &line) || !is_whole(&d->form))
		return -EINVAL;
	d->form.throws = tl_lincheck_next_word(&line, &word) &&
			 tl_bytes_are(word, TL_LINCHECK_THROWS);
	return 0;
}

/*
 * Make the form of a message that was read from a Lincheck trace: 0; -ENOTSUP:
 * version 8 does not have the class of the message; -EINVAL: the message was
 * not read from a trace; -ENOSPC, -ENOMEM.
 */
static int
take_native(struct draft *d, const struct tl_message *message)
{
	struct tl_lincheck_form *f = &d->form;
	struct tl_bytes text = message->explain, line;
	int rc =
	    tl_lincheck_next_line(&text, &line) ? take_shape(d, line) : -EINVAL;

	if (rc == 0 && (f->class == TL_LINCHECK_CALL && !f->is_block) !=
			   (message->kind == TIMELINE_RECORD_SPAN))
		rc = -EINVAL;
	while (rc == 0 && tl_lincheck_next_line(&text, &line))
		rc = take_line(d, line);
	if (rc < 0)
		return rc;
	f->native = true;
	f->location = map(d, TL_LINCHECK_LOCATION, f->location);
	if (tl_lincheck_has_target(f->class))
		f->target =
		    map(d, tl_lincheck_target_kind(f->class), f->target);
	for (uint32_t i = 0; i < f->count; i++) {
		if (d->tags[i] >= 0)
			d->tags[i] = map(d, TL_LINCHECK_CLASS, d->tags[i]);
	}
	return 0;
}

/* Add the source location of a message. */
static int
add_place(struct draft *d, const struct tl_message *message,
    struct tl_bytes name)
{
	const struct tl_bytes texts[] = { message->file, message->category,
		name };
	int32_t ids[3];
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < 3; i++)
		rc = add_text(d, TL_LINCHECK_STRING, texts[i], &ids[i]);
	for (unsigned i = 0; rc == 0 && i < 3; i++)
		tl_lincheck_put_i32(&d->body, ids[i]);
	if (rc < 0)
		return rc;
	tl_lincheck_put_i32(&d->body, (int32_t)message->line);
	return add_new(d, TL_LINCHECK_LOCATION, &d->form.location);
}

int32_t
tl_lincheck_tag_of(uint8_t format)
{
	switch (format) {
	case TIMELINE_ARG_DOUBLE:
		return TL_LINCHECK_DOUBLE;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return TL_LINCHECK_TEXT;
	}
	return TL_LINCHECK_LONG;
}

/* Add the method or field that the point refers to, and its class. */
static int
add_member(struct draft *d, struct tl_bytes class, struct tl_bytes name)
{
	const uint8_t kind = tl_lincheck_target_kind(d->form.class);
	int32_t id;
	int rc = add_text(d, TL_LINCHECK_CLASS, class, &id);

	if (rc < 0)
		return rc;
	tl_lincheck_put_i32(&d->body, id);
	take_utf(d, name);
	if (kind == TL_LINCHECK_METHOD) {
		/*
		 * Append the types of a method that takes the values and
		 * returns nothing.
		 */
		struct tl_text descriptor = { 0 };

		tl_put_char(&descriptor, '(');
		for (uint32_t i = 1; i < d->form.count; i++)
			tl_put_string(&descriptor,
			    d->tags[i] == TL_LINCHECK_DOUBLE ? "D"
			    : d->tags[i] == TL_LINCHECK_TEXT ? TEXT_CLASS
							     : "J");
		tl_put_string(&descriptor, ")V");
		tl_lincheck_take_descriptor(&d->body,
		    tl_text_bytes(&descriptor));
		if (descriptor.rc < 0)
			d->body.rc = descriptor.rc;
		tl_text_free(&descriptor);
	} else {
		tl_put_bytes(&d->body, tl_bytes("\1\0", 2)); /* static */
	}
	return add_new(d, kind, &d->form.target);
}

/*
 * Copy the draft into one allocation, and count the values that have an
 * argument; more than TL_ARGS_MAX values count as one more.
 */
static int
keep(struct tl_lincheck_form **form, struct draft *d)
{
	struct tl_lincheck_form *f = &d->form;
	const size_t tags = f->count * sizeof(*f->tags);
	const size_t numbers = f->definition_count * sizeof(*f->definitions);
	struct tl_lincheck_form *kept = malloc(sizeof(*kept) + tags + numbers);
	uint32_t shown = 0;

	if (!kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->count; i++)
		shown +=
		    tl_lincheck_is_shown(f->class, i, d->tags[i], f->throws);
	f->shown = shown <= TL_ARGS_MAX ? (uint8_t)shown : TL_ARGS_MAX + 1;
	*kept = *f;
	kept->tags = (int32_t *)(kept + 1);
	kept->definitions = (uint32_t *)(kept->tags + f->count);
	memcpy(kept->tags, d->tags, tags);
	memcpy(kept->definitions, d->definitions, numbers);
	*form = kept;
	return 0;
}

int
tl_lincheck_form_new(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const struct tl_event *event,
    bool *changed)
{
	struct draft d = { .known = known };
	int rc = take_native(&d, event->message);

	if (rc == -EINVAL || rc == -ENOTSUP) {
		/* make the form of a message of another format */
		const bool newer = rc == -ENOTSUP;
		const struct tl_message *m = event->message;
		const bool counts = event->kind == TL_COUNTER && m->argc > 0;
		const unsigned argc = counts ? 1 : m->argc;
		struct tl_text name = { 0 };

		tl_text_clear(&d.body);
		d.changed = false;
		d.form = (struct tl_lincheck_form){
			.class =
			    counts ? TL_LINCHECK_WRITE_FIELD : TL_LINCHECK_CALL,
			.location = TL_LINCHECK_NONE,
			.count = 1 + argc
		};
		d.tags[0] = TL_LINCHECK_NULL;
		for (unsigned i = 0; i < argc; i++)
			d.tags[1 + i] = tl_lincheck_tag_of(m->args[i].format);
		tl_label_put(&name, event);
		rc = name.rc;
		if (rc == 0 && m->file.size > 0)
			rc = add_place(&d, m, tl_text_bytes(&name));
		if (rc == 0)
			rc = add_member(&d, m->category, tl_text_bytes(&name));
		tl_text_free(&name);
		d.form.native = newer;
	}
	*changed = d.changed;
	if (rc == 0)
		rc = keep(form, &d);
	tl_text_free(&d.body);
	return rc;
}

int
tl_lincheck_form_own(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const char *method, unsigned argc)
{
	struct draft d = { .known = known,
		.form = { .location = TL_LINCHECK_NONE, .count = 1 + argc } };
	int rc;

	d.tags[0] = TL_LINCHECK_NULL;
	for (unsigned i = 0; i < argc; i++)
		d.tags[1 + i] = TL_LINCHECK_LONG;
	rc = add_member(&d, tl_bytes_of("timeline"), tl_bytes_of(method));
	if (rc == 0)
		rc = keep(form, &d);
	tl_text_free(&d.body);
	return rc;
}
