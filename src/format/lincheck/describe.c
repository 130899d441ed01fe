/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_describe.c - first lines and definitions of points. */
#include "format/lincheck/describe.h"

#include "base/mutf8.h"
#include "format/lincheck/print.h"
#include "format/lincheck/word.h"

#define READS  " \xe2\x86\x92 "
#define WRITES " \xe2\x86\x90 "

struct describe {
	struct tl_text *text;
	struct tl_lincheck_context *context;
	const struct tl_lincheck_object *object;
	uint32_t shown; /* values among the arguments */
	bool throws;
	bool good;
};

uint32_t
tl_lincheck_count_shown(const struct tl_lincheck_object *object)
{
	const bool throws = object->exception.size > 0;
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		shown +=
		    tl_lincheck_is_shown(object->class, i, value.tag, throws);
	}
	return shown;
}

static bool
put_class(struct tl_text *text, struct tl_lincheck_context *context, int32_t id)
{
	const size_t start = text->size;
	const bool good = tl_lincheck_put_class(text,
	    tl_lincheck_context_name(context, TL_LINCHECK_CLASS, id));

	if (text->size == start)
		tl_put_format(text, "class %d", (int)id);
	return good;
}

/* "StringBuilder@7("text")", with its text escaped as it is printed. */
static bool
put_builder(struct tl_text *text, const struct tl_lincheck_value *value)
{
	struct tl_text plain = { 0 };
	const bool good = tl_mutf8_decode(&plain, value->text);

	tl_put_string(text, "StringBuilder@");
	tl_put_signed(text, (int64_t)value->bits);
	tl_put_string(text, "(\"");
	tl_lincheck_put_escaped(text,
	    tl_bytes(plain.size ? plain.data : "", plain.size));
	tl_put_string(text, "\")");
	if (plain.rc < 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
	return good;
}

bool
tl_lincheck_put_value_text(struct tl_text *text,
    struct tl_lincheck_context *context, const struct tl_lincheck_value *value)
{
	char unit[3];
	double number;
	bool good;

	switch (value->tag) {
	case TL_LINCHECK_NULL:
		tl_put_string(text, "null");
		return true;
	case TL_LINCHECK_VOID:
		tl_put_string(text, "void");
		return true;
	case TL_LINCHECK_UNIT:
		tl_put_string(text, "Unit");
		return true;
	case TL_LINCHECK_BOOLEAN:
		tl_put_string(text, value->bits ? "true" : "false");
		return true;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
	case TL_LINCHECK_JAVA_CLASS:
	case TL_LINCHECK_KOTLIN_CLASS:
		return tl_mutf8_decode(text, value->text);
	case TL_LINCHECK_BUILDER:
		return put_builder(text, value);
	case TL_LINCHECK_CHAR:
		unit[0] = (char)(0xe0 | (value->bits >> 12 & 0xf));
		unit[1] = (char)(0x80 | (value->bits >> 6 & 0x3f));
		unit[2] = (char)(0x80 | (value->bits & 0x3f));
		return tl_mutf8_decode(text, tl_bytes(unit, sizeof(unit)));
	case TL_LINCHECK_FLOAT:
	case TL_LINCHECK_DOUBLE:
		memcpy(&number, &value->bits, sizeof(number));
		tl_put_double(text, number);
		return true;
	}
	if (value->tag < 0) {
		tl_put_signed(text, (int64_t)value->bits);
		return true;
	}
	good = put_class(text, context, value->tag);
	tl_put_char(text, '@');
	tl_put_signed(text, (int64_t)value->bits);
	return good;
}

/* What stands in a first line has neither a $, which would begin an argument,
 * nor the end of a line: nested classes get a dot, as Java writes them. */
static void
tame(struct tl_text *text, size_t start)
{
	size_t to = start;

	for (size_t i = start; i < text->size; i++) {
		char c = text->data[i];

		if (c == '$' && to > start && text->data[to - 1] == '.')
			continue;
		if (c == '$')
			c = '.';
		else if ((uint8_t)c < ' ' || c == 0x7f)
			c = '_';
		text->data[to++] = c;
	}
	text->size = to;
}

/* The name of a method, field or variable, and before it that of its class
 * where that is asked for. */
static void
put_target(struct describe *d, bool with_class)
{
	const uint8_t kind = tl_lincheck_target_kind(d->object->class);
	const size_t start = d->text->size;
	struct tl_data_in fields;

	if (!tl_lincheck_context_get(d->context, kind, d->object->target,
		&fields)) {
		tl_put_format(d->text, "%s %d", tl_lincheck_kinds[kind],
		    (int)d->object->target);
		return;
	}
	if (kind != TL_LINCHECK_VARIABLE) {
		const int32_t class = tl_data_i32(&fields);

		if (with_class) {
			put_class(d->text, d->context, class);
			tl_put_char(d->text, '.');
		}
	}
	d->good &= tl_mutf8_decode(d->text, tl_data_utf(&fields));
	tame(d->text, start);
}

static void
put_arg(struct describe *d, const char *name, int32_t tag)
{
	tl_put_char(d->text, '$');
	tl_put_string(d->text, name);
	tl_put_char(d->text, '%');
	tl_put_char(d->text, !tl_lincheck_is_number(tag) ? 's'
			     : tag <= TL_LINCHECK_FLOAT  ? 'f'
							 : 'd');
}

/* What value number i is called. */
static const char *
name_value(const struct describe *d, uint32_t i, char number[12])
{
	const bool stops = d->object->class == TL_LINCHECK_BREAKPOINT;

	if (i == 0)
		return stops ? "ms" : "this";
	if (i == 1 && stops)
		return "trace";
	*tl_write_unsigned(number, stops ? i - 1 : i) = '\0';
	return number;
}

static void
put_parameters(struct describe *d)
{
	struct tl_data_in values = d->object->values;
	struct tl_lincheck_value value;
	uint32_t slot = 0;
	char number[12];

	for (uint32_t i = 0; i < d->object->count; i++) {
		tl_lincheck_next_value(d->object, &values, i, &value);
		if (!tl_lincheck_is_shown(d->object->class, i, value.tag,
			false))
			continue;
		if (slot > 0)
			tl_put_string(d->text, ", ");
		if (d->shown > TL_ARGS_MAX && slot == TL_ARGS_MAX - 1) {
			put_arg(d, "more", TL_LINCHECK_TEXT);
			return;
		}
		put_arg(d, name_value(d, i, number), value.tag);
		slot++;
	}
}

static void
put_footer(struct describe *d, int32_t tag)
{
	if (d->shown > 0) {
		tl_put_string(d->text, "returned ");
		put_arg(d, "result", tag);
	}
	if (d->shown > 0 && d->throws)
		tl_put_string(d->text, ", ");
	if (d->throws)
		tl_put_string(d->text, "threw $exception%s");
}

static void
put_access(struct describe *d, int32_t tags[3])
{
	const uint8_t class = d->object->class;
	const bool writes = tl_lincheck_is_write(class);

	if (tl_lincheck_is_array(class)) {
		put_arg(d, "array", tags[0]);
		tl_put_string(d->text, "[$index%d]");
	} else if (d->object->count == 2 && d->shown == 2) {
		put_arg(d, "object", tags[0]);
		tl_put_char(d->text, '.');
		put_target(d, false);
	} else {
		put_target(d, true);
	}
	tl_put_string(d->text, writes ? WRITES : READS);
	put_arg(d, "value", tags[d->object->count - 1]);
}

static void
put_first_line(struct describe *d)
{
	struct tl_data_in values = d->object->values;
	int32_t tags[3] = { 0 };

	for (uint32_t i = 0; i < d->object->count && i < 3; i++) {
		struct tl_lincheck_value value;

		tl_lincheck_next_value(d->object, &values, i, &value);
		tags[i] = value.tag;
	}
	switch (d->object->class) {
	case TL_LINCHECK_CALL:
		put_target(d, true);
		tl_put_char(d->text, '(');
		put_parameters(d);
		tl_put_char(d->text, ')');
		return;
	case TL_LINCHECK_FOOTER_CLASS:
		put_footer(d, tags[0]);
		return;
	case TL_LINCHECK_LOOP:
		tl_put_string(d->text, "loop");
		return;
	case TL_LINCHECK_ITERATION:
		tl_put_string(d->text, "iteration $number%d");
		return;
	case TL_LINCHECK_BREAKPOINT:
		tl_put_string(d->text, "breakpoint(");
		put_parameters(d);
		tl_put_char(d->text, ')');
		return;
	case TL_LINCHECK_THROW:
	case TL_LINCHECK_CATCH:
		tl_put_string(d->text, tl_lincheck_classes[d->object->class]);
		tl_put_char(d->text, ' ');
		put_arg(d, "exception", tags[0]);
		return;
	}
	put_access(d, tags);
}

static void
put_number(struct describe *d, int32_t n)
{
	tl_put_char(d->text, ' ');
	tl_put_signed(d->text, n);
}

static void
put_shape(struct describe *d)
{
	struct tl_data_in values = d->object->values;
	struct tl_lincheck_value value;

	tl_put_string(d->text, "\n" TL_LINCHECK_WORD " ");
	tl_put_string(d->text, tl_lincheck_classes[d->object->class]);
	put_number(d, d->object->location);
	put_number(d, d->object->target);
	for (uint32_t i = 0; i < d->object->count; i++) {
		tl_lincheck_next_value(d->object, &values, i, &value);
		if (!tl_lincheck_is_index(d->object->class, i))
			put_number(d, value.tag);
	}
	if (d->throws)
		tl_put_string(d->text, " " TL_LINCHECK_THROWS);
}

/* The id of a string as version 8 counts them. */
static int32_t
string_id(const struct describe *d, int32_t id)
{
	const bool from_0 = d->object->version >= TL_LINCHECK_SINCE_IDS_FROM_0;

	return from_0 && id >= 0 && id < INT32_MAX ? id + 1 : id;
}

/* Begin the line of a definition; false: there is none. */
static bool
put_definition(struct describe *d, uint8_t kind, int32_t id,
    struct tl_data_in *fields)
{
	if (!tl_lincheck_context_get(d->context, kind, id, fields))
		return false;
	tl_put_char(d->text, '\n');
	tl_put_string(d->text, tl_lincheck_kinds[kind]);
	put_number(d, kind == TL_LINCHECK_STRING ? string_id(d, id) : id);
	return true;
}

static void
put_named(struct describe *d, uint8_t kind, int32_t id)
{
	struct tl_data_in fields;

	if (!put_definition(d, kind, id, &fields))
		return;
	tl_put_char(d->text, ' ');
	d->good &= tl_lincheck_put_name(d->text, tl_data_utf(&fields));
}

static void
put_location(struct describe *d)
{
	const int32_t id = d->object->location;
	struct tl_lincheck_place place;
	struct tl_data_in fields;

	if (!tl_lincheck_context_place(d->context, id, &place))
		return;
	for (unsigned i = 0; i < 3; i++) {
		bool again = false;

		for (unsigned j = 0; j < i; j++)
			again |= place.texts[j] == place.texts[i];
		if (!again)
			put_named(d, TL_LINCHECK_STRING, place.texts[i]);
	}
	put_definition(d, TL_LINCHECK_LOCATION, id, &fields);
	for (unsigned i = 0; i < 3; i++)
		put_number(d, string_id(d, place.texts[i]));
	put_number(d, place.line);
}

/* What a point is about; the class of that, or NONE. */
static int32_t
put_target_definition(struct describe *d)
{
	const uint8_t kind = tl_lincheck_target_kind(d->object->class);
	const int32_t id = d->object->target;
	struct tl_data_in fields;
	struct tl_bytes name;
	int32_t class;

	if (kind == TL_LINCHECK_VARIABLE) {
		put_named(d, kind, id);
		return TL_LINCHECK_NONE;
	}
	if (!tl_lincheck_context_get(d->context, kind, id, &fields))
		return TL_LINCHECK_NONE;
	class = tl_data_i32(&fields);
	put_named(d, TL_LINCHECK_CLASS, class);
	put_definition(d, kind, id, &fields);
	put_number(d, tl_data_i32(&fields));
	name = tl_data_utf(&fields);
	tl_put_char(d->text, ' ');
	if (kind == TL_LINCHECK_METHOD)
		tl_lincheck_put_descriptor(d->text, &fields);
	else
		tl_put_unsigned(d->text,
		    tl_lincheck_take_flags(&fields, d->object->version));
	tl_put_char(d->text, ' ');
	d->good &= tl_lincheck_put_name(d->text, name);
	return class;
}

/* The classes of values, each once. */
static void
put_classes(struct describe *d, int32_t known)
{
	struct tl_data_in values = d->object->values;
	int32_t met[TL_LINCHECK_VALUES_MAX + 1] = { known };
	struct tl_lincheck_value value;
	uint32_t count = 1;

	for (uint32_t i = 0; i < d->object->count; i++) {
		bool again = false;

		tl_lincheck_next_value(d->object, &values, i, &value);
		for (uint32_t j = 0; j < count; j++)
			again |= met[j] == value.tag;
		if (again || value.tag < 0)
			continue;
		met[count++] = value.tag;
		put_named(d, TL_LINCHECK_CLASS, value.tag);
	}
}

bool
tl_lincheck_describe(struct tl_text *text, struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object)
{
	struct describe d = { .text = text,
		.context = context,
		.object = object,
		.shown = tl_lincheck_count_shown(object),
		.throws = object->exception.size > 0,
		.good = true };
	int32_t class = TL_LINCHECK_NONE;

	put_first_line(&d);
	put_shape(&d);
	if (object->location != TL_LINCHECK_NONE)
		put_location(&d);
	if (tl_lincheck_has_target(object->class))
		class = put_target_definition(&d);
	put_classes(&d, class);
	tl_put_char(text, '\n');
	tl_lincheck_put_template(text, context, object);
	return d.good;
}
