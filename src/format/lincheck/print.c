/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - templates of points, and lines made of templates. */
#include "format/lincheck/print.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/lincheck/words.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	DOUBLE_DIGITS = 17,
	DIGITS_SIZE = 40,
	PLAIN_FROM = -3, /* exponents that Java writes without E */
	PLAIN_TO = 7
};

/* == names == */

static void
drop_end(struct tl_bytes *text, const char *end)
{
	if (tl_bytes_end_with(*text, end))
		text->size -= strlen(end);
}

/* Cut a text before the last c. */
static void
cut_at_last(struct tl_bytes *text, char c)
{
	const char *at = text->size ? memrchr(text->data, c, text->size) : NULL;

	if (at)
		text->size = (size_t)(at - text->data);
}

static struct tl_bytes
behind_last_dot(struct tl_bytes name)
{
	const char *dot =
	    name.size > 0 ? memrchr(name.data, '.', name.size) : NULL;

	if (dot) {
		name.size -= (size_t)(dot + 1 - name.data);
		name.data = dot + 1;
	}
	return name;
}

/* Does a capital letter of Latin, Greek or Cyrillic stand at a place? */
static bool
is_capital(struct tl_bytes text, size_t at)
{
	uint32_t c;

	if (at >= text.size)
		return false;
	c = (uint8_t)text.data[at];
	if (c >= 0xc0 && at + 1 < text.size)
		c = (c & 0x1f) << 6 | ((uint8_t)text.data[at + 1] & 0x3f);
	return (c >= 'A' && c <= 'Z') ||
	       (c >= 0xc0 && c <= 0xde && c != 0xd7) ||
	       (c >= 0x391 && c <= 0x3a9) || (c >= 0x400 && c <= 0x42f);
}

bool
tl_lincheck_put_class(struct tl_text *text, struct tl_bytes name)
{
	struct tl_text plain = { 0 };
	size_t start = 0;
	bool good = true;

	(void)tl_bytes_take(&name, "kotlin.jvm.internal.Ref$");
	name = behind_last_dot(name);
	if (name.size > 0 && memmem(name.data, name.size, "$$Lambda", 8)) {
		cut_at_last(&name, '/');
		cut_at_last(&name, '$');
	}
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];

		if (c == '$') {
			if (i > start && is_capital(name, start) &&
			    is_capital(name, i + 1))
				c = '.';
			start = i + 1;
		}
		tl_put_char(&plain, c);
	}
	good = tl_mutf8_decode(text, tl_text_bytes(&plain));
	if (plain.rc < 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
	return good;
}

static struct tl_bytes
pretty_variable(struct tl_bytes name)
{
	drop_end(&name, "$iv");
	if (!tl_bytes_are(name, "$this"))
		(void)tl_bytes_take(&name, "$this");
	(void)tl_bytes_take(&name, "$");
	return name;
}

static struct tl_bytes
pretty_field(struct tl_bytes name, uint32_t version)
{
	drop_end(&name, "$volatile$FU");
	if (version >= TL_LINCHECK_SINCE_LOOPS)
		(void)tl_bytes_take(&name, "$");
	return name;
}

/* Did the compiler give a name to the object whose method runs? */
static bool
is_this(struct tl_bytes name)
{
	struct tl_bytes number = name;

	if (tl_bytes_are(name, "this") || tl_bytes_are(name, "$this") ||
	    tl_bytes_begin_with(name, "this_$iv"))
		return true;
	if (tl_bytes_begin_with(name, "$this$") &&
	    tl_bytes_end_with(name, "$iv") && name.size > 6 + 3)
		return true;
	(void)tl_bytes_take(&number, "this$");
	if (number.size == 0 || number.size == name.size)
		return false;
	for (size_t i = 0; i < number.size; i++) {
		if (number.data[i] < '0' || number.data[i] > '9')
			return false;
	}
	return true;
}

/* == templates == */

struct template
{
	struct tl_text *text;
	struct tl_lincheck_context *context;
	const struct tl_lincheck_object *object;
	struct tl_text scratch;
};

/* Append the scratch text as literal text, and empty scratch. */
static void
put_scratch(struct template *t)
{
	tl_lincheck_put_escapes(t->text, tl_text_bytes(&t->scratch), '{', '}');
	if (t->scratch.rc < 0)
		t->text->rc = t->scratch.rc;
	tl_text_clear(&t->scratch);
}

static void
put_name(struct template *t, struct tl_bytes name)
{
	tl_mutf8_decode(&t->scratch, name);
	put_scratch(t);
}

static void
put_class_name(struct template *t, struct tl_bytes name)
{
	tl_lincheck_put_class(&t->scratch, name);
	put_scratch(t);
}

static void
put_unknown(struct template *t, uint8_t kind, int32_t id)
{
	tl_put_format(t->text, "%s %d", tl_lincheck_kinds[kind], (int)id);
}

/* Append the name of a class by its id. */
static void
put_class_id(struct template *t, int32_t id)
{
	const struct tl_bytes name =
	    tl_lincheck_context_name(t->context, TL_LINCHECK_CLASS, id);

	if (name.size == 0)
		put_unknown(t, TL_LINCHECK_CLASS, id);
	else
		put_class_name(t, name);
}

/* Find the class and the name of a method or field; false: not defined. */
static bool
find_member(struct template *t, uint8_t kind, int32_t id, int32_t *class,
    struct tl_bytes *name, struct tl_data_in *fields)
{
	if (!tl_lincheck_context_get(t->context, kind, id, fields))
		return false;
	*class = tl_data_i32(fields);
	*name = tl_data_utf(fields);
	return true;
}

/* Append the mark of value number i. */
static void
put_value(struct template *t, uint32_t i)
{
	const struct tl_lincheck_object *o = t->object;
	const bool throws = o->exception.size > 0;
	struct tl_data_in values = o->values;
	struct tl_lincheck_value value = { .tag = TL_LINCHECK_NULL };
	unsigned slot = 0;

	for (uint32_t j = 0; j <= i; j++) {
		const bool is_last = j == i;

		tl_lincheck_next_value(o, &values, j, &value);
		if (!is_last &&
		    tl_lincheck_is_shown(o->class, j, value.tag, throws))
			slot++;
	}
	tl_put_format(t->text, "{%u", slot);
	if (value.tag == TL_LINCHECK_TEXT)
		tl_put_char(t->text,
		    o->class == TL_LINCHECK_FOOTER_CLASS &&
			    o->version >= TL_LINCHECK_SINCE_ARGUMENTS
			? 'u'
			: 's');
	else if (value.tag == TL_LINCHECK_CHAR)
		tl_put_char(t->text, 'c');
	else if (value.tag == TL_LINCHECK_FLOAT ||
		 value.tag == TL_LINCHECK_DOUBLE)
		tl_put_char(t->text, 'f');
	tl_put_char(t->text, '}');
}

static int32_t
tag_of(const struct tl_lincheck_object *o, uint32_t i)
{
	struct tl_data_in values = o->values;
	struct tl_lincheck_value value = { .tag = TL_LINCHECK_NULL };

	for (uint32_t j = 0; j <= i; j++)
		tl_lincheck_next_value(o, &values, j, &value);
	return value.tag;
}

/* == access paths == */

struct step {
	uint8_t kind;
	int32_t id;
};

static bool
next_step(struct tl_data_in *path, struct step *step)
{
	step->kind = tl_data_u8(path);
	step->id = tl_data_i32(path);
	return !path->bad;
}

static bool
is_field(const struct step *step)
{
	return step->kind == TL_LINCHECK_STEP_STATIC ||
	       step->kind == TL_LINCHECK_STEP_FIELD;
}

/* The name of a variable or field; empty: any other step, or not defined. */
static struct tl_bytes
name_of_step(struct template *t, const struct step *step)
{
	struct tl_data_in fields;
	struct tl_bytes name = tl_bytes("", 0);
	int32_t class;

	if (step->kind == TL_LINCHECK_STEP_LOCAL)
		return tl_lincheck_context_name(t->context,
		    TL_LINCHECK_VARIABLE, step->id);
	if (is_field(step))
		find_member(t, TL_LINCHECK_FIELD, step->id, &class, &name,
		    &fields);
	return name;
}

static void
put_field_step(struct template *t, const struct step *step)
{
	struct tl_bytes name;
	struct tl_data_in fields;
	int32_t class;

	if (!find_member(t, TL_LINCHECK_FIELD, step->id, &class, &name,
		&fields)) {
		put_unknown(t, TL_LINCHECK_FIELD, step->id);
		return;
	}
	if (step->kind == TL_LINCHECK_STEP_STATIC) {
		put_class_id(t, class);
		tl_put_char(t->text, '.');
	}
	put_name(t, pretty_field(name, t->object->version));
}

/* Append a step.  The steps of a nested path follow. */
static void
put_step(struct template *t, const struct step *step)
{
	struct tl_bytes name;

	switch (step->kind) {
	case TL_LINCHECK_STEP_LOCAL:
		name = name_of_step(t, step);
		if (name.size == 0)
			put_unknown(t, TL_LINCHECK_VARIABLE, step->id);
		else
			put_name(t, pretty_variable(name));
		return;
	case TL_LINCHECK_STEP_STATIC:
	case TL_LINCHECK_STEP_FIELD:
		put_field_step(t, step);
		return;
	case TL_LINCHECK_STEP_INDEX:
		tl_put_format(t->text, "[%d]", (int)step->id);
		return;
	case TL_LINCHECK_STEP_PATH:
		tl_put_char(t->text, '[');
	}
}

/*
 * Does a dot follow a step, because the next step is a field?  filtered: steps
 * of "this" are skipped.
 */
static bool
has_dot(struct template *t, const struct tl_data_in *path, bool filtered)
{
	struct tl_data_in rest = *path;
	struct step next;

	while (next_step(&rest, &next)) {
		if (!filtered || !is_this(name_of_step(t, &next)))
			return is_field(&next);
	}
	return false;
}

/* Append a path without its steps of "this". */
static void
put_path(struct template *t, int32_t id, bool filtered)
{
	struct tl_data_in open[TL_LINCHECK_PATHS_MAX];
	unsigned depth = 0, steps = 0;
	struct step step;

	if (!tl_lincheck_context_get(t->context, TL_LINCHECK_ACCESS_PATH, id,
		&open[0])) {
		put_unknown(t, TL_LINCHECK_ACCESS_PATH, id);
		return;
	}
	tl_data_i32(&open[depth++]);
	while (depth > 0 && steps++ < TL_LINCHECK_STEPS_MAX) {
		struct tl_data_in *path = &open[depth - 1];

		if (!next_step(path, &step)) {
			if (--depth > 0)
				tl_put_char(t->text, ']');
			continue;
		}
		if (is_this(name_of_step(t, &step)))
			continue;
		put_step(t, &step);
		if (step.kind <= TL_LINCHECK_STEP_FIELD &&
		    has_dot(t, path, filtered && depth == 1))
			tl_put_char(t->text, '.');
		if (step.kind != TL_LINCHECK_STEP_PATH)
			continue;
		if (depth == TL_LINCHECK_PATHS_MAX ||
		    !tl_lincheck_context_get(t->context,
			TL_LINCHECK_ACCESS_PATH, step.id, &open[depth])) {
			put_unknown(t, TL_LINCHECK_ACCESS_PATH, step.id);
			tl_put_char(t->text, ']');
			continue;
		}
		tl_data_i32(&open[depth++]);
	}
}

/*
 * Count the steps of a path that are shown, and return the first of them.  An
 * unknown path counts as 2 steps, so that it is printed by its id.
 */
static unsigned
count_steps(struct template *t, int32_t id, struct step *first)
{
	struct tl_data_in path;
	struct step step;
	unsigned count = 0;

	if (!tl_lincheck_context_get(t->context, TL_LINCHECK_ACCESS_PATH, id,
		&path))
		return 2;
	tl_data_i32(&path);
	while (next_step(&path, &step)) {
		if (is_this(name_of_step(t, &step)))
			continue;
		if (count++ == 0)
			*first = step;
	}
	return count;
}

/* == points == */

/* Is a path a single step, a final static field of the wanted name? */
static bool
is_static_final(struct template *t, const struct step *step, unsigned count,
    const char *wanted)
{
	struct tl_data_in fields;
	struct tl_bytes name;
	int32_t class;

	return count == 1 && step->kind == TL_LINCHECK_STEP_STATIC &&
	       find_member(t, TL_LINCHECK_FIELD, step->id, &class, &name,
		   &fields) &&
	       tl_bytes_are(name, wanted) &&
	       (tl_lincheck_take_flags(&fields, t->object->version) & 0xff) !=
		   0;
}

/*
 * Append the path of a method's owner and a dot.  A path that is only "this" is
 * left out.
 */
static void
put_owner_path(struct template *t, const struct tl_lincheck_place *place,
    int32_t class)
{
	const bool newer = t->object->version >= TL_LINCHECK_SINCE_ARGUMENTS;
	struct step step = { 0 };
	const unsigned count = count_steps(t, place->path, &step);
	struct tl_bytes name;

	if (count == 0)
		return;
	if (newer && is_static_final(t, &step, count, "INSTANCE")) {
		put_class_id(t, class);
	} else if (newer && is_static_final(t, &step, count, "Companion")) {
		if (t->object->inside)
			return;
		name = tl_lincheck_context_name(t->context, TL_LINCHECK_CLASS,
		    class);
		drop_end(&name, "$Companion");
		put_class_name(t, name);
	} else {
		put_path(t, place->path, false);
	}
	tl_put_char(t->text, '.');
}

static void
put_owner(struct template *t, const struct tl_lincheck_place *place,
    int32_t class)
{
	const struct tl_lincheck_object *o = t->object;
	const bool newer = o->version >= TL_LINCHECK_SINCE_ARGUMENTS;
	const bool is_static = tag_of(o, 0) == TL_LINCHECK_NULL;

	if (newer && is_static && o->inside)
		return;
	if (place->path != TL_LINCHECK_NONE) {
		put_owner_path(t, place, class);
		return;
	}
	if (!is_static) {
		put_value(t, 0);
	} else {
		if (newer &&
		    tl_bytes_end_with(tl_lincheck_context_name(t->context,
					  TL_LINCHECK_CLASS, class),
			"Kt"))
			return;
		put_class_id(t, class);
	}
	tl_put_char(t->text, '.');
}

static void
put_parameters(struct template *t, struct tl_lincheck_place *place)
{
	const struct tl_lincheck_object *o = t->object;
	const bool named = place->argument_count == o->count - 1;

	tl_put_char(t->text, '(');
	for (uint32_t i = 1; i < o->count; i++) {
		const int32_t path =
		    named ? tl_data_i32(&place->arguments) : TL_LINCHECK_NONE;

		if (i > 1)
			tl_put_string(t->text, ", ");
		if (path != TL_LINCHECK_NONE) {
			put_path(t, path, false);
			if (tag_of(o, i) > TL_LINCHECK_BYTE)
				continue;
			tl_put_string(t->text, " {>} ");
		}
		put_value(t, i);
	}
	tl_put_char(t->text, ')');
}

static void
put_call(struct template *t, struct tl_lincheck_place *place)
{
	const struct tl_lincheck_object *o = t->object;
	struct tl_bytes name = tl_bytes("", 0);
	struct tl_data_in fields;
	int32_t class = TL_LINCHECK_NONE;

	if (!find_member(t, TL_LINCHECK_METHOD, o->target, &class, &name,
		&fields)) {
		put_unknown(t, TL_LINCHECK_METHOD, o->target);
	} else if (o->version >= TL_LINCHECK_SINCE_LOOPS &&
		   tl_bytes_are(name, "<init>")) {
		tl_put_string(t->text, "new ");
		put_class_id(t, class);
	} else {
		put_owner(t, place, class);
		drop_end(&name, "$kotlinx_coroutines_core");
		put_name(t, name);
	}
	put_parameters(t, place);
}

/* Append the owner of a field: its path, its value, or the class. */
static void
put_field_owner(struct template *t, const struct tl_lincheck_place *place,
    int32_t class, bool dot)
{
	struct step first;

	if (place->path != TL_LINCHECK_NONE) {
		if (count_steps(t, place->path, &first) == 0)
			return;
		put_path(t, place->path, true);
	} else if (tag_of(t->object, 0) != TL_LINCHECK_NULL) {
		put_value(t, 0);
	} else {
		put_class_id(t, class);
	}
	if (dot)
		tl_put_char(t->text, '.');
}

static void
put_field(struct template *t, const struct tl_lincheck_place *place)
{
	const struct tl_lincheck_object *o = t->object;
	struct tl_bytes name = tl_bytes("", 0), owner;
	struct tl_data_in fields;
	int32_t class = TL_LINCHECK_NONE;
	bool hidden;

	if (!find_member(t, TL_LINCHECK_FIELD, o->target, &class, &name,
		&fields)) {
		put_unknown(t, TL_LINCHECK_FIELD, o->target);
		return;
	}
	owner = tl_lincheck_context_name(t->context, TL_LINCHECK_CLASS, class);
	/* such an object holds a variable that a lambda changes */
	hidden = tl_bytes_begin_with(owner, "kotlin.jvm.internal.Ref$") &&
		 tl_bytes_are(name, "element");
	put_field_owner(t, place, class, !hidden);
	if (!hidden)
		put_name(t, pretty_field(name, o->version));
}

static void
put_array(struct template *t, const struct tl_lincheck_place *place)
{
	struct step first;

	if (place->path == TL_LINCHECK_NONE)
		put_value(t, 0);
	else if (count_steps(t, place->path, &first) > 0)
		put_path(t, place->path, true);
	tl_put_char(t->text, '[');
	put_value(t, 1);
	tl_put_char(t->text, ']');
}

static void
put_place(struct template *t, const struct tl_lincheck_place *place, bool known)
{
	tl_put_string(t->text, "{@");
	if (known && place->texts[0] != TL_LINCHECK_NONE)
		put_name(t, tl_lincheck_context_name(t->context,
				TL_LINCHECK_STRING, place->texts[0]));
	else if (known)
		tl_put_string(t->text, "null");
	tl_put_char(t->text, ':');
	tl_put_signed(t->text, place->line);
	tl_put_char(t->text, '}');
}

static void
put_frame(struct template *t, int32_t id)
{
	struct tl_lincheck_place place;
	struct tl_bytes name;

	if (!tl_lincheck_context_place(t->context, id, &place)) {
		put_unknown(t, TL_LINCHECK_LOCATION, id);
		return;
	}
	name = tl_lincheck_context_name(t->context, TL_LINCHECK_STRING,
	    place.texts[1]);
	put_name(t, behind_last_dot(name));
	tl_put_char(t->text, '.');
	put_name(t, tl_lincheck_context_name(t->context, TL_LINCHECK_STRING,
			place.texts[2]));
}

static void
put_breakpoint(struct template *t, const struct tl_lincheck_place *place,
    bool known)
{
	const struct tl_lincheck_object *o = t->object;
	struct tl_data_in stack = tl_data_in(o->stack.data, o->stack.size);
	const size_t count = o->stack.size / 4;

	const bool is_long = o->version < TL_LINCHECK_SINCE_SHORT_BREAKPOINTS;

	tl_put_string(t->text,
	    is_long ? "Live line breakpoint [{0m}]{T}" : "Live breakpoint");
	for (size_t i = 0; i < o->uuid.size; i++) {
		const uint8_t byte = (uint8_t)o->uuid.data[i];

		tl_put_string(t->text, i == 0 ? " [" : "");
		if (i == 4 || i == 6 || i == 8 || i == 10)
			tl_put_char(t->text, '-');
		tl_put_char(t->text, tl_lincheck_hex[byte >> 4]);
		tl_put_char(t->text, tl_lincheck_hex[byte & 0xf]);
		tl_put_string(t->text, i + 1 == o->uuid.size ? "]" : "");
	}
	put_place(t, place, known);
	tl_put_string(t->text, is_long ? " stacktrace: [" : ", stacktrace: [");
	for (size_t i = 0; i < count && i < TL_LINCHECK_STACK_SHOWN; i++) {
		tl_put_string(t->text, i > 0 ? ", " : "");
		put_frame(t, tl_data_i32(&stack));
	}
	if (count > TL_LINCHECK_STACK_SHOWN)
		tl_put_format(t->text, " ... (%zu more)",
		    count - TL_LINCHECK_STACK_SHOWN);
	tl_put_char(t->text, ']');
}

static void
put_body(struct template *t, struct tl_lincheck_place *place, bool known)
{
	switch (t->object->class) {
	case TL_LINCHECK_CALL:
		put_call(t, place);
		return;
	case TL_LINCHECK_READ_ARRAY:
	case TL_LINCHECK_WRITE_ARRAY:
		put_array(t, place);
		break;
	case TL_LINCHECK_READ_FIELD:
	case TL_LINCHECK_WRITE_FIELD:
		put_field(t, place);
		break;
	case TL_LINCHECK_READ_LOCAL:
	case TL_LINCHECK_WRITE_LOCAL:
		put_step(t, &(struct step){ TL_LINCHECK_STEP_LOCAL,
				t->object->target });
		break;
	case TL_LINCHECK_LOOP:
		tl_put_string(t->text, "loop({#} iterations)");
		return;
	case TL_LINCHECK_ITERATION:
		tl_put_string(t->text, "<iteration {0}>");
		return;
	case TL_LINCHECK_BREAKPOINT:
		put_breakpoint(t, place, known);
		return;
	case TL_LINCHECK_THROW:
		tl_put_string(t->text, "throw ");
		put_value(t, 0);
		return;
	case TL_LINCHECK_CATCH:
		tl_put_string(t->text, "catch(");
		put_value(t, 0);
		tl_put_char(t->text, ')');
		return;
	}
	tl_put_string(t->text,
	    tl_lincheck_is_write(t->object->class) ? " {=} " : " {>} ");
	put_value(t, t->object->count - 1);
}

void
tl_lincheck_put_template(struct tl_text *text,
    struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object)
{
	static const char *const marks[] = { "  ", "- ", "+ ", "! ", "! " };
	struct template t = { .text = text,
		.context = context,
		.object = object };
	struct tl_lincheck_place place;
	bool known;

	tl_put_string(text, TL_LINCHECK_PRINT " ");
	if (object->class != TL_LINCHECK_FOOTER_CLASS) {
		known = tl_lincheck_context_place(context, object->location,
		    &place);
		if (object->diff >= 0 && (size_t)object->diff < TL_COUNT(marks))
			tl_put_string(text, marks[object->diff]);
		put_body(&t, &place, known);
		if (object->class != TL_LINCHECK_BREAKPOINT)
			put_place(&t, &place, known);
	} else if (object->exception.size > 0) {
		tl_put_format(text, ": threw {%u}",
		    (unsigned)tl_lincheck_is_shown(object->class, 0,
			tag_of(object, 0), true));
	} else {
		tl_put_string(text, ": ");
		put_value(&t, 0);
	}
	tl_text_free(&t.scratch);
}

/* == lines == */

/* Find the template of a message. */
static bool
find_template(const struct tl_message *message, struct tl_bytes *template)
{
	struct tl_bytes text = message->explain, line;

	while (tl_lincheck_next_line(&text, &line)) {
		if (tl_bytes_take(&line, TL_LINCHECK_PRINT " ")) {
			*template = line;
			return true;
		}
	}
	return false;
}

bool
tl_lincheck_is_native(const struct tl_message *message)
{
	return message && tl_message_counts_steps(message);
}

bool
tl_lincheck_is_result(const struct tl_message *message)
{
	return message && tl_bytes_begin_with(message->explain,
			      TL_LINCHECK_WORD " footer ");
}

void
tl_lincheck_put_escaped(struct tl_text *text, struct tl_bytes plain)
{
	for (size_t i = 0; i < plain.size; i++) {
		switch (plain.data[i]) {
		case '\\':
			tl_put_string(text, "\\\\");
			break;
		case '\n':
			tl_put_string(text, "\\n");
			break;
		case '\r':
			tl_put_string(text, "\\r");
			break;
		case '\t':
			tl_put_string(text, "\\t");
			break;
		default:
			tl_put_char(text, plain.data[i]);
		}
	}
}

/*
 * Find the fewest digits that read back as the number, and the power of ten of
 * the first digit.  Return the count of digits.
 */
static int
find_digits(double number, char digits[DIGITS_SIZE], int *power)
{
	char text[DIGITS_SIZE];
	int count = 0;

	for (int n = 1; n <= DOUBLE_DIGITS; n++) {
		snprintf(text, sizeof(text), "%.*e", n - 1, number);
		if (strtod(text, NULL) == number)
			break;
	}
	for (const char *at = text; *at != 'e'; at++) {
		if (*at != '.')
			digits[count++] = *at;
	}
	while (count > 1 && digits[count - 1] == '0')
		count--;
	*power = atoi(strchr(text, 'e') + 1);
	return count;
}

/* Append a number as Java writes it: 1.0, 1.0E10, 1.0E-4, NaN. */
static void
put_double(struct tl_text *text, uint64_t bits)
{
	char digits[DIGITS_SIZE];
	double number;
	int count, power, point;

	memcpy(&number, &bits, sizeof(number));
	if (number != number) {
		tl_put_string(text, "NaN");
		return;
	}
	if (bits >> 63)
		tl_put_char(text, '-');
	number = number < 0 ? -number : number;
	if (number > 0 && number / 2 == number) {
		tl_put_string(text, "Infinity");
		return;
	}
	if (number == 0) {
		tl_put_string(text, "0.0");
		return;
	}
	count = find_digits(number, digits, &power);
	point = power >= PLAIN_FROM && power < PLAIN_TO ? power : 0;
	if (point < 0) {
		tl_put_string(text, "0.");
		tl_put_repeat(text, '0', (size_t)(-point - 1));
		tl_put_bytes(text, tl_bytes(digits, (size_t)count));
	} else {
		for (int i = 0; i <= point || i < count || i < point + 2; i++) {
			if (i == point + 1)
				tl_put_char(text, '.');
			tl_put_char(text, i < count ? digits[i] : '0');
		}
	}
	if (point != power)
		tl_put_format(text, "E%d", power);
}

struct printing {
	struct tl_text *text;
	const struct tl_event *event;
	const struct tl_lincheck_print *how;
	struct tl_text scratch;
};

/* Does the last argument hold more than one value? */
static bool
has_more(const struct tl_message *message)
{
	return message->argc == TL_ARGS_MAX &&
	       tl_bytes_are(message->args[TL_ARGS_MAX - 1].name, "more");
}

/*
 * The text of a value that is no number.  The text is in scratch if several
 * values share the last argument.
 */
static struct tl_bytes
text_of(struct printing *p, unsigned slot)
{
	const struct tl_event *e = p->event;
	const bool joined = has_more(e->message) && slot >= TL_ARGS_MAX - 1;
	const unsigned at = joined ? TL_ARGS_MAX - 1 : slot % TL_ARGS_MAX;
	struct tl_bytes text = tl_message_text(e->message, at, &e->args[at]);
	struct tl_bytes word = tl_bytes("", 0);

	if (!text.data)
		text = tl_bytes("", 0);
	if (!joined)
		return text;
	for (unsigned i = TL_ARGS_MAX - 1; i <= slot; i++) {
		if (!tl_lincheck_next_word(&text, &word))
			word = tl_bytes("", 0);
	}
	tl_text_clear(&p->scratch);
	tl_lincheck_take_word(&p->scratch, word);
	return tl_bytes(p->scratch.size ? p->scratch.data : "",
	    p->scratch.size);
}

/* Print a number, which is an argument or a word of the last argument. */
static void
print_number(struct printing *p, unsigned slot, bool floating)
{
	const struct tl_event *e = p->event;
	struct tl_bytes text;
	uint64_t bits;

	if (!has_more(e->message) || slot < TL_ARGS_MAX - 1) {
		bits = e->args[slot % TL_ARGS_MAX];
		if (floating)
			put_double(p->text, bits);
		else
			tl_put_signed(p->text, (int64_t)bits);
		return;
	}
	text = text_of(p, slot);
	if (floating && tl_number_double(text, &bits) == 0)
		put_double(p->text, bits);
	else
		tl_put_bytes(p->text, text);
}

static void
print_quoted(struct printing *p, unsigned slot, char quote, bool may_be_mark)
{
	const struct tl_bytes text = text_of(p, slot);

	if (may_be_mark && (tl_bytes_are(text, "<unfinished method>") ||
			       tl_bytes_are(text, "<untracked result>"))) {
		tl_put_bytes(p->text, text);
		return;
	}
	tl_put_char(p->text, quote);
	if (quote == '"')
		tl_lincheck_put_escaped(p->text, text);
	else
		tl_put_bytes(p->text, text);
	tl_put_char(p->text, quote);
}

/*
 * Print milliseconds as Java writes an instant: 2023-11-14T22:13:20.001Z,
 * without a fraction of 0.
 */
static void
print_time(struct printing *p, unsigned slot)
{
	enum { SECONDS_SIZE = 19, MS_SIZE = 23 };
	const int64_t ms = (int64_t)p->event->args[slot % TL_ARGS_MAX];
	struct tl_text time = { 0 };
	int64_t ns;

	if (__builtin_mul_overflow(ms, 1000000, &ns)) {
		tl_put_signed(p->text, ms);
		return;
	}
	tl_put_time(&time, ns);
	tl_put_bytes(p->text,
	    tl_bytes(time.size ? time.data : "", time.size < MS_SIZE ? 0
						 : ms % 1000 == 0 ? SECONDS_SIZE
								  : MS_SIZE));
	tl_put_char(p->text, 'Z');
	if (time.rc < 0)
		p->text->rc = time.rc;
	tl_text_free(&time);
}

/* Print the value of a mark: the number of an argument and a letter. */
static void
print_value(struct printing *p, struct tl_bytes word)
{
	const struct tl_message *m = p->event->message;
	const char last = word.data[word.size - 1];
	unsigned slot = 0;

	for (size_t i = 0; i < word.size && slot < TL_LINCHECK_VALUES_MAX &&
			   word.data[i] >= '0' && word.data[i] <= '9';
	     i++)
		slot = slot * 10 + (unsigned)(word.data[i] - '0');
	if (last == 's' || last == 'u')
		print_quoted(p, slot, '"', last == 'u');
	else if (last == 'c')
		print_quoted(p, slot, '\'', false);
	else if (last == 'f')
		print_number(p, slot, true);
	else if (last == 'm')
		print_time(p, slot);
	else if ((has_more(m) && slot >= TL_ARGS_MAX - 1) ||
		 (slot < m->argc && tl_arg_is_text(&m->args[slot])))
		tl_put_bytes(p->text, text_of(p, slot));
	else
		print_number(p, slot, false);
}

/* Print the mark between two braces. */
static void
print_mark(struct printing *p, struct tl_bytes word)
{
	const struct tl_lincheck_print *how = p->how;
	struct tl_lincheck_print inner = *how;

	if (word.size == 0)
		return;
	switch (word.data[0]) {
	case '>':
		tl_put_string(p->text, "\xe2\x9e\x9c");
		return;
	case '=':
		tl_put_char(p->text, '=');
		return;
	case '#':
		tl_put_unsigned(p->text, how->children);
		return;
	case 'T':
		if (how->thread.size == 0)
			return;
		tl_put_string(p->text, " (");
		tl_put_bytes(p->text, how->thread);
		tl_put_char(p->text, ')');
		return;
	case '@':
		inner.result = NULL;
		if (how->result)
			tl_lincheck_print(p->text, how->result, &inner);
		if (!how->verbose)
			return;
		tl_put_string(p->text, " at ");
		tl_lincheck_take_word(p->text,
		    tl_bytes(word.data + 1, word.size - 1));
		return;
	}
	print_value(p, word);
}

bool
tl_lincheck_print(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how)
{
	struct printing p = { .text = text, .event = event, .how = how };
	struct tl_event counted = *event;
	struct tl_bytes left;

	if (!event->message || !tl_lincheck_is_native(event->message) ||
	    !find_template(event->message, &left))
		return false;
	if (tl_bytes_begin_with(event->message->explain,
		TL_LINCHECK_WORD " iteration ")) { /* counted from 1 */
		counted.args[0]++;
		p.event = &counted;
	}
	while (left.size > 0) {
		const char *open = memchr(left.data, '{', left.size);
		const size_t before =
		    open ? (size_t)(open - left.data) : left.size;
		const char *close;

		tl_lincheck_take_word(text, tl_bytes(left.data, before));
		if (!open)
			break;
		close = memchr(open, '}', left.size - before);
		if (!close)
			break;
		print_mark(&p, tl_bytes(open + 1, (size_t)(close - open - 1)));
		left.size -= (size_t)(close + 1 - left.data);
		left.data = close + 1;
	}
	if (p.scratch.rc < 0)
		text->rc = p.scratch.rc;
	tl_text_free(&p.scratch);
	return true;
}

bool
tl_lincheck_print_plain(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how)
{
	struct tl_text line = { 0 };
	const bool printed = tl_lincheck_print(&line, event, how);
	struct tl_bytes left = tl_text_bytes(&line);

	while (left.size > 0) { /* backslashes are escaped already */
		const char *at = memchr(left.data, '\\', left.size);
		const size_t size = at ? (size_t)(at - left.data) : left.size;

		tl_put_plain(text, tl_bytes(left.data, size));
		if (at)
			tl_put_char(text, '\\');
		left.data += size + (at != NULL);
		left.size -= size + (at != NULL);
	}
	if (line.rc < 0)
		text->rc = line.rc;
	tl_text_free(&line);
	return printed;
}
