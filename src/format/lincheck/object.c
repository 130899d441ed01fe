/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - parse an object of any version, in one pass. */
#include "format/lincheck/object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TYPE_ARRAY = 0, TYPE_OBJECT = 8, TYPE_LAST = 10 };

enum {
	FLOAT_DIGITS = 9, /* enough to distinguish any two floats */
	UUID_SIZE = 16,
	FLOAT_BITS = 23,
	DOUBLE_BITS = 52,
	MORE_BITS = DOUBLE_BITS - FLOAT_BITS /* extra bits of a double */
};

bool
tl_lincheck_skip_type(struct tl_data_in *in)
{
	uint8_t type;

	do
		type = tl_data_u8(in);
	while (type == TYPE_ARRAY && !in->bad);
	if (type == TYPE_OBJECT)
		tl_data_utf(in);
	return type <= TYPE_LAST;
}

uint16_t
tl_lincheck_take_flags(struct tl_data_in *fields, uint32_t version)
{
	if (version >= TL_LINCHECK_SINCE_FIELD_TYPES)
		tl_lincheck_skip_type(fields);
	return tl_data_u16(fields);
}

/*
 * Convert a float to the double that has the same shortest text, so that
 * 0.33333334 is not shown as 0.3333333432674408; narrow() restores the float.
 * A NaN is converted bit by bit, because the conversion of C need not keep its
 * bits.
 */
static uint64_t
widen(uint32_t bits)
{
	const bool is_nan = (bits & UINT32_C(0x7fffffff)) > 0x7f800000;
	char text[32];
	float narrow;
	double wide;
	uint64_t n;

	if (is_nan)
		return (uint64_t)(bits >> 31) << 63 |
		       UINT64_C(0x7ff) << DOUBLE_BITS |
		       (uint64_t)(bits & 0x7fffff) << MORE_BITS;
	memcpy(&narrow, &bits, sizeof(narrow));
	wide = narrow;
	for (int digits = 1; digits <= FLOAT_DIGITS; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1,
		    (double)narrow);
		if (strtof(text, NULL) == narrow) {
			wide = strtod(text, NULL);
			break;
		}
	}
	memcpy(&n, &wide, sizeof(n));
	return n;
}

static uint32_t
narrow(uint64_t bits)
{
	const uint64_t fraction = bits & ((UINT64_C(1) << DOUBLE_BITS) - 1);
	float single;
	double wide;
	uint32_t n;

	memcpy(&wide, &bits, sizeof(wide));
	if (wide != wide) { /* NaN? */
		n = (uint32_t)(fraction >> MORE_BITS);
		return (uint32_t)(bits >> 63) << 31 | UINT32_C(0x7f800000) |
		       (n ? n : 1);
	}
	single = (float)wide;
	memcpy(&n, &single, sizeof(n));
	return n;
}

/*
 * Take the bytes behind the tag of a value, except the fields of an object;
 * false: the version has no such tag.
 */
static bool
take_tagged(struct tl_data_in *in, uint32_t version,
    struct tl_lincheck_value *value)
{
	switch (value->tag) {
	case TL_LINCHECK_NULL:
	case TL_LINCHECK_VOID:
	case TL_LINCHECK_UNIT:
		return true;
	case TL_LINCHECK_BYTE:
		value->bits = (uint64_t)(int8_t)tl_data_u8(in);
		return true;
	case TL_LINCHECK_SHORT:
		value->bits = (uint64_t)(int16_t)tl_data_u16(in);
		return true;
	case TL_LINCHECK_INT:
		value->bits = (uint64_t)(int64_t)tl_data_i32(in);
		return true;
	case TL_LINCHECK_LONG:
	case TL_LINCHECK_DOUBLE:
		value->bits = tl_data_u64(in);
		return true;
	case TL_LINCHECK_FLOAT:
		value->bits = widen(tl_data_u32(in));
		return true;
	case TL_LINCHECK_CHAR:
		value->bits = tl_data_u16(in);
		return true;
	case TL_LINCHECK_BUILDER:
		value->bits = (uint64_t)(int64_t)tl_data_i32(in);
		value->text = tl_data_utf(in);
		return version >= TL_LINCHECK_SINCE_LOOPS;
	case TL_LINCHECK_JAVA_CLASS:
	case TL_LINCHECK_KOTLIN_CLASS:
		value->text = tl_data_utf(in);
		return version >= TL_LINCHECK_SINCE_LOOPS;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
		value->text = tl_data_utf(in);
		return true;
	case TL_LINCHECK_BOOLEAN:
		value->bits = tl_data_u8(in) != 0;
		return true;
	}
	value->bits = (uint64_t)(int64_t)tl_data_i32(in);
	return value->tag >= 0;
}

/* The objects that a parser is inside: each has fields or elements left. */
struct held {
	uint32_t left[TL_LINCHECK_CAPTURES_MAX];
	bool is_array[TL_LINCHECK_CAPTURES_MAX];
	unsigned depth;
};

/* Open an object behind its hash: the count n of fields, or -1 - elements. */
static bool
open_held(struct tl_data_in *in, struct held *held)
{
	const int32_t n = tl_data_i32(in);

	if (held->depth == TL_LINCHECK_CAPTURES_MAX)
		return false;
	held->is_array[held->depth] = n < 0;
	held->left[held->depth++] = (uint32_t)(n < 0 ? -(n + 1) : n);
	return true;
}

/* Skip the fields of an object behind its hash, and of all objects in them. */
static bool
skip_held(struct tl_data_in *in, uint32_t version)
{
	struct held held = { .depth = 0 };
	struct tl_lincheck_value value;

	if (!open_held(in, &held))
		return false;
	while (held.depth > 0 && !in->bad) {
		const unsigned top = held.depth - 1;

		if (held.left[top] == 0) {
			if (held.is_array[top])
				tl_data_i32(in); /* length of the whole array */
			held.depth--;
			continue;
		}
		held.left[top]--;
		if (!held.is_array[top])
			tl_data_utf(in); /* name of the field */
		value = (struct tl_lincheck_value){ .tag = tl_data_i32(in) };
		if (in->bad)
			break;
		if (!take_tagged(in, version, &value) ||
		    (value.tag >= 0 && !in->bad && !open_held(in, &held)))
			return false;
	}
	return true;
}

static bool
take_value(struct tl_data_in *in, uint32_t version,
    struct tl_lincheck_value *value)
{
	*value = (struct tl_lincheck_value){ .tag = tl_data_i32(in) };
	if (in->bad)
		return true;
	if (!take_tagged(in, version, value))
		return false;
	return value->tag < 0 || version < TL_LINCHECK_SINCE_CAPTURES ||
	       in->bad || skip_held(in, version);
}

void
tl_lincheck_next_value(const struct tl_lincheck_object *object,
    struct tl_data_in *values, uint32_t i, struct tl_lincheck_value *value)
{
	if (object->class == TL_LINCHECK_BREAKPOINT && i < 2) {
		*value = (struct tl_lincheck_value){ .tag = TL_LINCHECK_LONG,
			.bits = (uint64_t)object->ms };
		if (i == 1)
			*value = (struct tl_lincheck_value){
				.tag = object->has_trace ? TL_LINCHECK_TEXT
							 : TL_LINCHECK_NULL,
				.text = object->trace
			};
		return;
	}
	if (!tl_lincheck_is_index(object->class, i)) {
		take_value(values, object->version, value);
		/* the count of parameters follows the receiver */
		if (object->kind == TL_LINCHECK_POINT &&
		    object->class == TL_LINCHECK_CALL && i == 0)
			tl_data_u32(values);
		return;
	}
	*value = (struct tl_lincheck_value){ .tag = TL_LINCHECK_INT,
		.bits = (uint64_t)(int64_t)tl_data_i32(values) };
}

/*
 * Skip the values of a point; false: the bytes are no values.  *left: the
 * number of values beyond the end of the bytes.
 */
static bool
skip_values(struct tl_lincheck_object *object, struct tl_data_in *in,
    uint32_t *left)
{
	struct tl_lincheck_value value;

	object->values = tl_data_in(in->data + in->at, in->size - in->at);
	for (uint32_t i = 0; i < object->count && !in->bad; i++) {
		*left = object->count - i;
		if (tl_lincheck_is_index(object->class, i)) {
			tl_data_i32(in);
			continue;
		}
		if (!take_value(in, object->version, &value))
			return false;
		if (object->class == TL_LINCHECK_CALL && i == 0) {
			const int32_t count = tl_data_i32(in);

			if (in->bad)
				break;
			if (count < 0 || count >= TL_LINCHECK_VALUES_MAX)
				return false;
			object->count = 1 + (uint32_t)count;
		}
	}
	if (!in->bad)
		*left = 0;
	return true;
}

/* Take a count and as many members of size_each; false: the count is absurd. */
static bool
take_list(struct tl_data_in *in, size_t size_each, struct tl_bytes *list)
{
	const int32_t count = tl_data_i32(in);

	*list = tl_bytes("", 0);
	if (in->bad)
		return true;
	if (count < 0 || (size_t)count > TL_LINCHECK_OBJECT_MAX / size_each)
		return false;
	*list = tl_data_bytes(in, (size_t)count * size_each);
	return true;
}

/*
 * Do breakpoints of version 18 have trace ids?  A trace id is a flag, 0 or 1,
 * and behind 1 a text.  Without trace ids, the next byte is the kind of an
 * object.  0 is a flag, because kind 0, a thread name, stands only at the start
 * of a block.  1 is a kind if two 0 bytes follow, the high bytes of a class id
 * below 65536; behind a flag they would be the size of an empty text.
 */
static bool
guess_trace_id(struct tl_lincheck_dialect *dialect, const struct tl_data_in *in,
    bool *more)
{
	const size_t left = in->size - in->at;
	const uint8_t *next = in->data + in->at;

	*more = left == 0 || (next[0] == 1 && left < 3);
	if (*more)
		return true;
	dialect->trace_ids =
	    next[0] == 0 || (next[0] == 1 && (next[1] | next[2]) != 0) ? 1 : -1;
	return dialect->trace_ids > 0;
}

static bool
parse_breakpoint(struct tl_lincheck_object *object,
    struct tl_lincheck_dialect *dialect, struct tl_data_in *in, bool last,
    uint32_t *left)
{
	const uint32_t v = object->version;
	bool has = v > TL_LINCHECK_SINCE_TRACE_IDS, more = false;
	struct tl_lincheck_value value;
	int32_t count = 0;

	if (v >= TL_LINCHECK_SINCE_UUIDS)
		object->uuid = tl_data_bytes(in, UUID_SIZE);
	if (!take_list(in, 4, &object->stack))
		return false;
	object->ms = tl_data_i64(in);
	if (v >= TL_LINCHECK_SINCE_BREAKPOINT_LOCALS)
		count = tl_data_i32(in);
	if (in->bad)
		return true;
	if (count < 0 || count > TL_LINCHECK_VALUES_MAX - 2)
		return false;
	object->count = 2 + (uint32_t)count;
	object->values = tl_data_in(in->data + in->at, in->size - in->at);
	for (int32_t i = 0; i < count && !in->bad; i++) {
		*left = (uint32_t)(count - i);
		if (!take_value(in, v, &value))
			return false;
	}
	if (in->bad)
		return true;
	*left = 0;
	if (v == TL_LINCHECK_SINCE_TRACE_IDS)
		has = dialect->trace_ids != 0
			  ? dialect->trace_ids > 0
			  : guess_trace_id(dialect, in, &more);
	if (more && last) /* the file ends here */
		has = false;
	else if (more)
		in->bad = true;
	if (has && !in->bad) {
		object->has_trace = tl_data_u8(in) != 0;
		if (object->has_trace)
			object->trace = tl_data_utf(in);
	}
	return true;
}

/* Classes of points by their number in the file. */
static const uint8_t classes_before_23[] = { TL_LINCHECK_CALL,
	TL_LINCHECK_READ_ARRAY, TL_LINCHECK_READ_LOCAL, TL_LINCHECK_READ_FIELD,
	TL_LINCHECK_WRITE_ARRAY, TL_LINCHECK_WRITE_LOCAL,
	TL_LINCHECK_WRITE_FIELD, TL_LINCHECK_LOOP, TL_LINCHECK_ITERATION,
	TL_LINCHECK_BREAKPOINT, TL_LINCHECK_THROW, TL_LINCHECK_CATCH };
static const uint8_t classes_of_23[] = { TL_LINCHECK_WRITE_FIELD,
	TL_LINCHECK_WRITE_ARRAY, TL_LINCHECK_WRITE_LOCAL,
	TL_LINCHECK_READ_FIELD, TL_LINCHECK_READ_ARRAY, TL_LINCHECK_READ_LOCAL,
	TL_LINCHECK_CALL, TL_LINCHECK_LOOP, TL_LINCHECK_ITERATION,
	TL_LINCHECK_THROW, TL_LINCHECK_CATCH, TL_LINCHECK_BREAKPOINT };

/*
 * The first version that has a class, and the number of values that points of
 * the class have at least.
 */
static const struct {
	uint8_t since;
	uint8_t count;
} points[] = {
	[TL_LINCHECK_CALL] = { 0, 1 },
	[TL_LINCHECK_READ_ARRAY] = { 0, 3 },
	[TL_LINCHECK_READ_LOCAL] = { 0, 1 },
	[TL_LINCHECK_READ_FIELD] = { 0, 2 },
	[TL_LINCHECK_WRITE_ARRAY] = { 0, 3 },
	[TL_LINCHECK_WRITE_LOCAL] = { 0, 1 },
	[TL_LINCHECK_WRITE_FIELD] = { 0, 2 },
	[TL_LINCHECK_LOOP] = { TL_LINCHECK_SINCE_LOOPS, 0 },
	[TL_LINCHECK_ITERATION] = { TL_LINCHECK_SINCE_LOOPS, 1 },
	[TL_LINCHECK_BREAKPOINT] = { TL_LINCHECK_SINCE_BREAKPOINTS, 2 },
	[TL_LINCHECK_THROW] = { TL_LINCHECK_SINCE_THROWS, 1 },
	[TL_LINCHECK_CATCH] = { TL_LINCHECK_SINCE_THROWS, 1 },
};

static bool
parse_point(struct tl_lincheck_object *object,
    struct tl_lincheck_dialect *dialect, struct tl_data_in *in, bool last,
    uint32_t *left)
{
	int8_t statuses = 0;
	bool good;

	const uint8_t number = tl_data_u8(in);

	if (number >= sizeof(classes_before_23))
		return false;
	object->class = object->version >= TL_LINCHECK_SINCE_NEW_NUMBERS
			    ? classes_of_23[number]
			    : classes_before_23[number];
	object->count = points[object->class].count;
	if (points[object->class].since > object->version)
		return false;
	object->location = tl_data_i32(in);
	object->thread = tl_data_i32(in);
	object->event = tl_data_i32(in);
	object->diff = TL_LINCHECK_NONE;
	if (object->version >= TL_LINCHECK_SINCE_DIFF) {
		object->diff = (int8_t)tl_data_u8(in);
		if (tl_lincheck_is_container(object->class))
			statuses = (int8_t)tl_data_u8(in);
		if (statuses > 0)
			tl_data_bytes(in, (size_t)statuses);
	}
	object->target = TL_LINCHECK_NONE;
	if (object->class == TL_LINCHECK_BREAKPOINT)
		return parse_breakpoint(object, dialect, in, last, left);
	if (tl_lincheck_has_target(object->class) ||
	    tl_lincheck_is_container(object->class))
		object->target = tl_data_i32(in);
	good = skip_values(object, in, left);
	if (object->class == TL_LINCHECK_CALL &&
	    object->version >= TL_LINCHECK_SINCE_FLAGS)
		tl_data_u16(in);
	return good;
}

static bool
parse_footer(struct tl_lincheck_object *object, uint8_t container,
    struct tl_data_in *in)
{
	struct tl_lincheck_value value;
	bool good;

	object->class = TL_LINCHECK_FOOTER_CLASS;
	object->location = object->target = TL_LINCHECK_NONE;
	object->diff = TL_LINCHECK_NONE;
	object->values = tl_data_in(in->data + in->at, in->size - in->at);
	object->exception = tl_bytes("", 0);
	if (container == TL_LINCHECK_LOOP)
		tl_data_i32(in); /* iterations; readers count them */
	if (container != TL_LINCHECK_CALL)
		return true;
	object->count = 1;
	good = take_value(in, object->version, &value);
	if (object->version < TL_LINCHECK_SINCE_NEW_NUMBERS ||
	    tl_data_u8(in) != 0)
		object->exception = tl_data_utf(in);
	return good;
}

/* Parse the fields of a definition, in the order of lincheck.h. */
static bool
parse_definition(struct tl_lincheck_object *object, struct tl_data_in *in)
{
	const uint32_t v = object->version;
	struct tl_bytes list = tl_bytes("", 0);
	int32_t count;
	size_t start;
	bool good = true;

	if (object->kind == TL_LINCHECK_LOCATION &&
	    v >= TL_LINCHECK_SINCE_LOCATION_KINDS)
		tl_data_u8(in);
	object->id = tl_data_i32(in);
	start = in->at;
	switch (object->kind) {
	case TL_LINCHECK_METHOD:
		tl_data_i32(in);
		tl_data_utf(in);
		good = tl_lincheck_skip_type(in);
		count = good ? tl_data_i32(in) : 0;
		good &= count >= 0;
		while (good && count-- > 0 && !in->bad)
			good = tl_lincheck_skip_type(in);
		break;
	case TL_LINCHECK_FIELD:
		tl_data_i32(in);
		tl_data_utf(in);
		if (v >= TL_LINCHECK_SINCE_FIELD_TYPES)
			good = tl_lincheck_skip_type(in);
		tl_data_u16(in);
		if (v >= TL_LINCHECK_SINCE_VOLATILE)
			tl_data_u8(in);
		break;
	case TL_LINCHECK_LOCATION:
		tl_data_u64(in);
		tl_data_u64(in);
		if (v >= TL_LINCHECK_SINCE_PATHS)
			tl_data_i32(in);
		if (v >= TL_LINCHECK_SINCE_ARGUMENTS)
			good = take_list(in, 4, &list);
		if (good && v >= TL_LINCHECK_SINCE_LOCALS)
			good = take_list(in, 4, &list);
		if (good && v >= TL_LINCHECK_SINCE_CAPTURES)
			tl_data_bytes(in, list.size);
		break;
	case TL_LINCHECK_ACCESS_PATH:
		good = take_list(in, TL_LINCHECK_STEP_SIZE, &list);
		break;
	default:
		tl_data_utf(in);
		if (object->kind == TL_LINCHECK_VARIABLE &&
		    v >= TL_LINCHECK_SINCE_VARIABLE_TYPES)
			good = tl_lincheck_skip_type(in);
	}
	object->body = tl_bytes(in->data + start, in->at - start);
	return (good || in->bad) && (object->id >= 0 || in->bad);
}

int64_t
tl_lincheck_parse(struct tl_lincheck_object *object,
    struct tl_lincheck_dialect *dialect, struct tl_bytes bytes, bool last,
    size_t *need)
{
	struct tl_data_in in = tl_data_in(bytes.data, bytes.size);
	uint32_t left = 0; /* values behind the end of the bytes */
	bool good = true;

	*object = (struct tl_lincheck_object){ .version = dialect->version,
		.kind =
		    tl_lincheck_kind_read(dialect->version, tl_data_u8(&in)) };
	*need = bytes.size + 1;
	if (in.bad)
		return 0;
	switch (object->kind) {
	case TL_LINCHECK_POINT:
		good = parse_point(object, dialect, &in, last, &left);
		break;
	case TL_LINCHECK_FOOTER:
		good = parse_footer(object, dialect->container, &in);
		break;
	case TL_LINCHECK_THREAD_NAME:
		object->id = tl_data_i32(&in);
		object->body = tl_data_utf(&in);
		break;
	case TL_LINCHECK_BLOCK_START:
		object->id = tl_data_i32(&in);
		break;
	case TL_LINCHECK_BLOCK_END:
	case TL_LINCHECK_EOF:
		break;
	default:
		good = tl_lincheck_is_definition(object->kind) &&
		       parse_definition(object, &in);
	}
	if (!good)
		return -EBADMSG;
	if (!in.bad)
		return in.at <= TL_LINCHECK_OBJECT_MAX ? (int64_t)in.at
						       : -EBADMSG;
	if (bytes.size >= TL_LINCHECK_OBJECT_MAX)
		return -EBADMSG;
	/* each missing value takes at least a tag */
	if (left > 0 && in.at + (size_t)left * 4 > *need)
		*need = in.at + (size_t)left * 4;
	return 0;
}

void
tl_lincheck_put_value(struct tl_text *to, const struct tl_lincheck_value *value,
    bool is_index)
{
	uint64_t bits = value->bits;
	unsigned bytes = sizeof(uint32_t);

	if (!is_index)
		tl_lincheck_put_i32(to, value->tag);
	switch (value->tag) {
	case TL_LINCHECK_NULL:
	case TL_LINCHECK_VOID:
	case TL_LINCHECK_UNIT:
		return;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
		tl_lincheck_put_mutf8(to, value->text);
		return;
	case TL_LINCHECK_BYTE:
	case TL_LINCHECK_BOOLEAN:
		bytes = sizeof(uint8_t);
		break;
	case TL_LINCHECK_SHORT:
	case TL_LINCHECK_CHAR:
		bytes = sizeof(uint16_t);
		break;
	case TL_LINCHECK_LONG:
	case TL_LINCHECK_DOUBLE:
		bytes = sizeof(uint64_t);
		break;
	case TL_LINCHECK_FLOAT:
		bits = narrow(bits);
		break;
	}
	tl_lincheck_put_number(to, bits, bytes);
}
