/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - a point as the text of a message, and the words of the text. */
#include "format/lincheck/words.h"

#include "base/text.h"
#include "base/utf8.h"
#include "format/lincheck/print.h"

enum { HEX_DIGIT = 4, ESCAPE_SIZE = 3, TYPE_ARRAY = 0, TYPE_OBJECT = 8 };

const char tl_lincheck_hex[] = "0123456789abcdef";

/* Letters of a JVM descriptor, indexed by the type number of the file. */
static const char letters[] = "[ZBCDFIJLSV";

const char *const tl_lincheck_classes[] = {
	[TL_LINCHECK_CALL] = "call",
	[TL_LINCHECK_READ_ARRAY] = "read_array",
	[TL_LINCHECK_READ_LOCAL] = "read_local",
	[TL_LINCHECK_READ_FIELD] = "read_field",
	[TL_LINCHECK_WRITE_ARRAY] = "write_array",
	[TL_LINCHECK_WRITE_LOCAL] = "write_local",
	[TL_LINCHECK_WRITE_FIELD] = "write_field",
	[TL_LINCHECK_LOOP] = "loop",
	[TL_LINCHECK_ITERATION] = "iteration",
	[TL_LINCHECK_BREAKPOINT] = "breakpoint",
	[TL_LINCHECK_THROW] = "throw",
	[TL_LINCHECK_CATCH] = "catch",
	[TL_LINCHECK_FOOTER_CLASS] = "footer",
};

const char *const tl_lincheck_kinds[] = {
	[TL_LINCHECK_CLASS] = "class",
	[TL_LINCHECK_METHOD] = "method",
	[TL_LINCHECK_FIELD] = "field",
	[TL_LINCHECK_VARIABLE] = "variable",
	[TL_LINCHECK_STRING] = "string",
	[TL_LINCHECK_LOCATION] = "location",
	[TL_LINCHECK_ACCESS_PATH] = "path",
};

static int
find(const char *const *names, int count, struct tl_bytes word)
{
	for (int i = 0; i < count; i++) {
		if (tl_bytes_are(word, names[i]))
			return i;
	}
	return -1;
}

int
tl_lincheck_class_of(struct tl_bytes word)
{
	return find(tl_lincheck_classes, TL_LINCHECK_FOOTER_CLASS + 1, word);
}

int
tl_lincheck_kind_of(struct tl_bytes word)
{
	return find(tl_lincheck_kinds, TL_LINCHECK_POINT, word);
}

void
tl_lincheck_put_escapes(struct tl_text *to, struct tl_bytes text, char a,
    char b)
{
	for (size_t i = 0; i < text.size; i++) {
		const char c = text.data[i];

		if ((uint8_t)c >= ' ' && c != 0x7f && c != '\\' && c != a &&
		    c != b) {
			tl_put_char(to, c);
			continue;
		}
		tl_put_char(to, '\\');
		tl_put_char(to, tl_lincheck_hex[(uint8_t)c >> HEX_DIGIT]);
		tl_put_char(to, tl_lincheck_hex[c & 0xf]);
	}
}

/* Append a modified UTF-8 name as a word; false: the name is malformed. */
static bool
put_name(struct tl_text *to, struct tl_bytes name)
{
	struct tl_text plain = { 0 };
	const bool good = tl_mutf8_decode(&plain, name);

	tl_lincheck_put_word(to, tl_text_bytes(&plain));
	if (plain.rc < 0)
		to->rc = plain.rc;
	tl_text_free(&plain);
	return good;
}

void
tl_lincheck_take_word(struct tl_text *to, struct tl_bytes word)
{
	for (size_t i = 0; i < word.size; i++) {
		const bool escaped =
		    word.data[i] == '\\' && word.size - i >= ESCAPE_SIZE;
		const int high = escaped ? tl_hex_digit(word.data[i + 1]) : -1;
		const int low = escaped ? tl_hex_digit(word.data[i + 2]) : -1;

		if (high < 0 || low < 0) {
			tl_put_char(to, word.data[i]);
			continue;
		}
		tl_put_char(to, (char)(high << HEX_DIGIT | low));
		i += ESCAPE_SIZE - 1;
	}
}

bool
tl_lincheck_put_utf(struct tl_text *to, struct tl_bytes text)
{
	size_t start, size;
	bool good;

	tl_put_repeat(to, '\0', sizeof(uint16_t));
	start = to->size;
	good = tl_mutf8_encode(to, text, TL_MUTF8_SIZE_MAX);
	if (to->rc < 0)
		return false;
	size = to->size - start;
	to->data[start - 2] = (char)(size >> 8);
	to->data[start - 1] = (char)size;
	return good;
}

bool
tl_lincheck_next_line(struct tl_bytes *text, struct tl_bytes *line)
{
	const char *end =
	    text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;

	*line = *text;
	if (text->size == 0)
		return false;
	line->size = end ? (size_t)(end - text->data) : text->size;
	text->data += line->size + (end != NULL);
	text->size -= line->size + (end != NULL);
	return true;
}

bool
tl_lincheck_next_word(struct tl_bytes *line, struct tl_bytes *word)
{
	const char *space;

	if (!line->data)
		return false;
	space = line->size > 0 ? memchr(line->data, ' ', line->size) : NULL;
	*word = *line;
	if (!space) {
		*line = tl_bytes(NULL, 0);
		return true;
	}
	word->size = (size_t)(space - line->data);
	*line = tl_bytes(space + 1, line->size - word->size - 1);
	return true;
}

bool
tl_lincheck_next_number(struct tl_bytes *line, int32_t *n)
{
	struct tl_bytes word;
	int64_t wide;

	if (!tl_lincheck_next_word(line, &word) ||
	    tl_number_signed(word, word.data + word.size, &wide) < 0 ||
	    wide < INT32_MIN || wide > INT32_MAX)
		return false;
	*n = (int32_t)wide;
	return true;
}

static void
put_type(struct tl_text *to, struct tl_data_in *types)
{
	uint8_t type;

	do {
		type = tl_data_u8(types);
		if (types->bad || type >= sizeof(letters) - 1)
			return;
		tl_put_char(to, letters[type]);
	} while (type == TYPE_ARRAY);
	if (type == TYPE_OBJECT) {
		put_name(to, tl_data_utf(types));
		tl_put_char(to, ';');
	}
}

/* Append the descriptor of a method whose types follow. */
static void
put_descriptor(struct tl_text *to, struct tl_data_in *types)
{
	struct tl_data_in result = *types;
	int32_t count;

	tl_lincheck_skip_type(types);
	count = tl_data_i32(types);
	tl_put_char(to, '(');
	while (count-- > 0 && !types->bad)
		put_type(to, types);
	tl_put_char(to, ')');
	put_type(to, &result);
}

/*
 * Take the name of a class up to a semicolon; append the name behind its size.
 */
static bool
take_class(struct tl_text *types, struct tl_bytes *word)
{
	const char *end =
	    word->size > 0 ? memchr(word->data, ';', word->size) : NULL;
	struct tl_text name = { 0 };
	size_t size;
	bool good;

	if (!end)
		return false;
	size = (size_t)(end - word->data);
	tl_lincheck_take_word(&name, tl_bytes(word->data, size));
	*word = tl_bytes(end + 1, word->size - size - 1);
	good = tl_lincheck_put_utf(types, tl_text_bytes(&name)) && name.rc == 0;
	tl_text_free(&name);
	return good;
}

static bool
take_type(struct tl_text *types, struct tl_bytes *word)
{
	const char *letter;

	do {
		letter = word->size > 0 && *word->data
			     ? strchr(letters, *word->data)
			     : NULL;
		if (!letter)
			return false;
		tl_put_char(types, (char)(letter - letters));
		word->data++;
		word->size--;
	} while (*letter == '[');
	return *letter != 'L' || take_class(types, word);
}

/*
 * The bytes begin with the type of the result, which the descriptor has last.
 */
bool
tl_lincheck_take_descriptor(struct tl_text *types, struct tl_bytes word)
{
	struct tl_text parameters = { 0 };
	uint32_t count = 0;
	bool good = word.size > 0 && *word.data == '(';

	if (good)
		word = tl_bytes(word.data + 1, word.size - 1);
	while (good && word.size > 0 && *word.data != ')') {
		good = take_type(&parameters, &word);
		count += good;
	}
	good &= word.size > 0;
	if (good)
		word = tl_bytes(word.data + 1, word.size - 1);
	good = good && take_type(types, &word) && word.size == 0;
	tl_lincheck_put_i32(types, (int32_t)count);
	tl_put_bytes(types, tl_text_bytes(&parameters));
	if (parameters.rc < 0)
		types->rc = parameters.rc;
	tl_text_free(&parameters);
	return good && types->rc == 0;
}

/* == a point in words == */

#define READS  " \xe2\x86\x92 "
#define WRITES " \xe2\x86\x90 "

struct describe {
	struct tl_text *text;
	struct tl_lincheck_context *context;
	const struct tl_lincheck_object *object;
	uint32_t shown; /* values with an argument */
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

/*
 * Append StringBuilder@7("text"), with the text escaped as Lincheck prints it.
 */
static bool
put_builder(struct tl_text *text, const struct tl_lincheck_value *value)
{
	struct tl_text plain = { 0 };
	const bool good = tl_mutf8_decode(&plain, value->text);

	tl_put_string(text, "StringBuilder@");
	tl_put_signed(text, (int64_t)value->bits);
	tl_put_string(text, "(\"");
	tl_lincheck_put_escaped(text, tl_text_bytes(&plain));
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
		tl_put_double(text, tl_double_of(value->bits));
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

/*
 * Append the name of the point's method, field or variable; with_class puts the
 * name of the class before the name of a method or field.
 */
static void
put_target(struct describe *d, bool with_class)
{
	const uint8_t kind = tl_lincheck_target_kind(d->object->class);
	const size_t start = d->text->size;
	size_t to = start;
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

	/*
	 * Make a name fit for the first line: a $ would begin an argument, so a
	 * nested class gets a dot as in Java; a control character would end the
	 * line.
	 */
	for (size_t i = start; i < d->text->size; i++) {
		char c = d->text->data[i];

		if (c == '$' && to > start && d->text->data[to - 1] == '.')
			continue;
		if (c == '$')
			c = '.';
		else if ((uint8_t)c < ' ' || c == 0x7f)
			c = '_';
		d->text->data[to++] = c;
	}
	d->text->size = to;
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

/* Append the arguments of a call or of a breakpoint, in brackets. */
static void
put_parameters(struct describe *d)
{
	const bool stops = d->object->class == TL_LINCHECK_BREAKPOINT;
	struct tl_data_in values = d->object->values;
	struct tl_lincheck_value value;
	uint32_t slot = 0;
	char number[12];

	tl_put_char(d->text, '(');
	for (uint32_t i = 0; i < d->object->count; i++) {
		const char *name = number;

		tl_lincheck_next_value(d->object, &values, i, &value);
		if (!tl_lincheck_is_shown(d->object->class, i, value.tag,
			false))
			continue;
		if (slot > 0)
			tl_put_string(d->text, ", ");
		if (d->shown > TL_ARGS_MAX && slot == TL_ARGS_MAX - 1) {
			put_arg(d, "more", TL_LINCHECK_TEXT);
			break;
		}
		*tl_write_unsigned(number, stops ? i - 1 : i) = '\0';
		if (i == 0)
			name = stops ? "ms" : "this";
		else if (i == 1 && stops)
			name = "trace";
		put_arg(d, name, value.tag);
		slot++;
	}
	tl_put_char(d->text, ')');
}

/* Append the line for people (context.h). */
static void
put_first_line(struct describe *d)
{
	const uint8_t class = d->object->class;
	const uint32_t count = d->object->count;
	struct tl_data_in values = d->object->values;
	int32_t tags[3] = { 0 };

	for (uint32_t i = 0; i < count && i < 3; i++) {
		struct tl_lincheck_value value;

		tl_lincheck_next_value(d->object, &values, i, &value);
		tags[i] = value.tag;
	}
	switch (class) {
	case TL_LINCHECK_CALL:
		put_target(d, true);
		put_parameters(d);
		return;
	case TL_LINCHECK_FOOTER_CLASS:
		if (d->shown > 0) {
			tl_put_string(d->text, "returned ");
			put_arg(d, "result", tags[0]);
		}
		if (d->shown > 0 && d->throws)
			tl_put_string(d->text, ", ");
		if (d->throws)
			tl_put_string(d->text, "threw $exception%s");
		return;
	case TL_LINCHECK_LOOP:
		tl_put_string(d->text, "loop");
		return;
	case TL_LINCHECK_ITERATION:
		tl_put_string(d->text, "iteration $number%d");
		return;
	case TL_LINCHECK_BREAKPOINT:
		tl_put_string(d->text, "breakpoint");
		put_parameters(d);
		return;
	case TL_LINCHECK_THROW:
	case TL_LINCHECK_CATCH:
		tl_put_string(d->text, tl_lincheck_classes[class]);
		tl_put_char(d->text, ' ');
		put_arg(d, "exception", tags[0]);
		return;
	}
	if (tl_lincheck_is_array(class)) {
		put_arg(d, "array", tags[0]);
		tl_put_string(d->text, "[$index%d]");
	} else if (count == 2 && d->shown == 2) {
		put_arg(d, "object", tags[0]);
		tl_put_char(d->text, '.');
		put_target(d, false);
	} else {
		put_target(d, true);
	}
	tl_put_string(d->text, tl_lincheck_is_write(class) ? WRITES : READS);
	put_arg(d, "value", tags[count - 1]);
}

static void
put_number(struct describe *d, int32_t n)
{
	tl_put_char(d->text, ' ');
	tl_put_signed(d->text, n);
}

/* The id that a string has in version 8, which counts strings from 1. */
static int32_t
string_id(const struct describe *d, int32_t id)
{
	const bool from_0 = d->object->version >= TL_LINCHECK_SINCE_IDS_FROM_0;

	return from_0 && id >= 0 && id < INT32_MAX ? id + 1 : id;
}

/* Begin the line of a definition; false: the id is not defined. */
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
	d->good &= put_name(d->text, tl_data_utf(&fields));
}

/* Append a location and its strings, each string once. */
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

/* Count the paths and argument names that version 8 cannot store. */
static void
put_paths(struct describe *d)
{
	struct tl_lincheck_place place;
	int32_t owners, arguments = 0;

	if (!tl_lincheck_context_place(d->context, d->object->location, &place))
		return;
	owners = place.path != TL_LINCHECK_NONE;
	for (uint32_t i = 0; i < place.argument_count; i++)
		arguments += tl_data_i32(&place.arguments) != TL_LINCHECK_NONE;
	if (owners == 0 && arguments == 0)
		return;
	tl_put_string(d->text, "\n" TL_LINCHECK_PATHS);
	put_number(d, owners);
	put_number(d, arguments);
}

/* Append the definitions of a point's target; return its class, or NONE. */
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
		put_descriptor(d->text, &fields);
	else
		tl_put_unsigned(d->text,
		    tl_lincheck_take_flags(&fields, d->object->version));
	tl_put_char(d->text, ' ');
	d->good &= put_name(d->text, name);
	return class;
}

/* Append the classes of the values, each class once. */
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
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;
	int32_t class = TL_LINCHECK_NONE;

	put_first_line(&d);
	tl_put_string(text, "\n" TL_LINCHECK_WORD " ");
	tl_put_string(text, tl_lincheck_classes[object->class]);
	put_number(&d, object->location);
	put_number(&d, object->target);
	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		if (!tl_lincheck_is_index(object->class, i))
			put_number(&d, value.tag);
	}
	if (d.throws)
		tl_put_string(text, " " TL_LINCHECK_THROWS);
	if (object->location != TL_LINCHECK_NONE)
		put_location(&d);
	if (tl_lincheck_has_target(object->class))
		class = put_target_definition(&d);
	put_classes(&d, class);
	if (object->location != TL_LINCHECK_NONE)
		put_paths(&d);
	tl_put_char(text, '\n');
	tl_lincheck_put_template(text, context, object);
	return d.good;
}
