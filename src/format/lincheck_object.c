/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_object.c - walk over an object once, and know all of it. */
#include "format/lincheck_object.h"

#include <errno.h>

enum { TYPE_ARRAY = 0, TYPE_OBJECT = 8, TYPE_LAST = 10 };

enum {
	FLOAT_BITS = 23,
	DOUBLE_BITS = 52,
	MORE_BITS = DOUBLE_BITS - FLOAT_BITS /* of a double's fraction */
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

/* What is no number keeps its bits, which a conversion need not. */
static uint64_t
widen(uint32_t bits)
{
	const bool is_nan = (bits & UINT32_C(0x7fffffff)) > 0x7f800000;
	float narrow;
	double wide;
	uint64_t n;

	if (is_nan)
		return (uint64_t)(bits >> 31) << 63 |
		       UINT64_C(0x7ff) << DOUBLE_BITS |
		       (uint64_t)(bits & 0x7fffff) << MORE_BITS;
	memcpy(&narrow, &bits, sizeof(narrow));
	wide = narrow;
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
	if (wide != wide) { /* no number? */
		n = (uint32_t)(fraction >> MORE_BITS);
		return (uint32_t)(bits >> 63) << 31 | UINT32_C(0x7f800000) |
		       (n ? n : 1);
	}
	single = (float)wide;
	memcpy(&n, &single, sizeof(n));
	return n;
}

/* What follows a tag: is it one? */
static bool
take_tagged(struct tl_data_in *in, struct tl_lincheck_value *value)
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

static bool
take_value(struct tl_data_in *in, struct tl_lincheck_value *value)
{
	*value = (struct tl_lincheck_value){ .tag = tl_data_i32(in) };
	return in->bad || take_tagged(in, value);
}

void
tl_lincheck_next_value(const struct tl_lincheck_object *object,
    struct tl_data_in *values, uint32_t i, struct tl_lincheck_value *value)
{
	if (!tl_lincheck_is_index(object->class, i)) {
		take_value(values, value);
		/* between receiver and parameters their count */
		if (object->kind == TL_LINCHECK_POINT &&
		    object->class == TL_LINCHECK_CALL && i == 0)
			tl_data_u32(values);
		return;
	}
	*value = (struct tl_lincheck_value){ .tag = TL_LINCHECK_INT,
		.bits = (uint64_t)(int64_t)tl_data_i32(values) };
}

/* The values of a point: are they ones?  *left: how many were not there. */
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
		if (!take_value(in, &value))
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

static bool
parse_point(struct tl_lincheck_object *object, struct tl_data_in *in,
    uint32_t *left)
{
	static const uint8_t counts[] = { 1, 3, 1, 2, 3, 1, 2 };

	object->class = tl_data_u8(in);
	if (object->class >= sizeof(counts))
		return false;
	object->location = tl_data_i32(in);
	object->thread = tl_data_i32(in);
	object->event = tl_data_i32(in);
	object->target = TL_LINCHECK_NONE;
	if (!tl_lincheck_is_index(object->class, 1))
		object->target = tl_data_i32(in);
	object->count = counts[object->class];
	return skip_values(object, in, left);
}

static bool
parse_footer(struct tl_lincheck_object *object, struct tl_data_in *in)
{
	struct tl_lincheck_value value;
	bool good;

	object->class = TL_LINCHECK_FOOTER_CLASS;
	object->location = object->target = TL_LINCHECK_NONE;
	object->count = 1;
	object->values = tl_data_in(in->data + in->at, in->size - in->at);
	good = take_value(in, &value);
	object->exception = tl_data_utf(in);
	return good;
}

static bool
parse_method(struct tl_data_in *in)
{
	int32_t count;

	tl_data_i32(in);
	tl_data_utf(in);
	if (!tl_lincheck_skip_type(in))
		return false;
	count = tl_data_i32(in);
	if (count < 0 && !in->bad)
		return false;
	while (count-- > 0 && !in->bad) {
		if (!tl_lincheck_skip_type(in))
			return false;
	}
	return true;
}

static bool
parse_definition(struct tl_lincheck_object *object, struct tl_data_in *in)
{
	size_t start;
	bool good = true;

	object->id = tl_data_i32(in);
	start = in->at;
	switch (object->kind) {
	case TL_LINCHECK_METHOD:
		good = parse_method(in);
		break;
	case TL_LINCHECK_FIELD:
		tl_data_i32(in);
		tl_data_utf(in);
		tl_data_u16(in);
		break;
	case TL_LINCHECK_LOCATION:
		tl_data_u64(in);
		tl_data_u64(in);
		break;
	default:
		tl_data_utf(in);
	}
	object->body = tl_bytes(in->data + start, in->at - start);
	return good && (object->id >= 0 || in->bad);
}

static bool
parse_kind(struct tl_lincheck_object *object, struct tl_data_in *in,
    uint32_t *left)
{
	switch (object->kind) {
	case TL_LINCHECK_POINT:
		return parse_point(object, in, left);
	case TL_LINCHECK_FOOTER:
		return parse_footer(object, in);
	case TL_LINCHECK_BLOCK_START:
		object->id = tl_data_i32(in);
		return true;
	case TL_LINCHECK_BLOCK_END:
	case TL_LINCHECK_EOF:
		return true;
	}
	return object->kind < TL_LINCHECK_POINT && parse_definition(object, in);
}

int64_t
tl_lincheck_parse(struct tl_lincheck_object *object, struct tl_bytes bytes,
    size_t *need)
{
	struct tl_data_in in = tl_data_in(bytes.data, bytes.size);
	uint32_t left = 0;

	*object = (struct tl_lincheck_object){ .kind = tl_data_u8(&in) };
	*need = bytes.size + 1;
	if (in.bad)
		return 0;
	if (!parse_kind(object, &in, &left))
		return -EBADMSG;
	if (!in.bad)
		return in.at <= TL_LINCHECK_OBJECT_MAX ? (int64_t)in.at
						       : -EBADMSG;
	if (bytes.size >= TL_LINCHECK_OBJECT_MAX)
		return -EBADMSG;
	/* each value that is not there takes a tag at least */
	if (left > 0 && in.at + (size_t)left * 4 > *need)
		*need = in.at + (size_t)left * 4;
	return 0;
}

void
tl_lincheck_put_value(struct tl_data_out *out,
    const struct tl_lincheck_value *value, bool is_index)
{
	const uint64_t bits = value->bits;

	if (!is_index)
		tl_data_put_i32(out, value->tag);
	switch (value->tag) {
	case TL_LINCHECK_NULL:
	case TL_LINCHECK_VOID:
	case TL_LINCHECK_UNIT:
		return;
	case TL_LINCHECK_BYTE:
	case TL_LINCHECK_BOOLEAN:
		tl_data_put_u8(out, (uint8_t)bits);
		return;
	case TL_LINCHECK_SHORT:
	case TL_LINCHECK_CHAR:
		tl_data_put_u16(out, (uint16_t)bits);
		return;
	case TL_LINCHECK_LONG:
	case TL_LINCHECK_DOUBLE:
		tl_data_put_u64(out, bits);
		return;
	case TL_LINCHECK_FLOAT:
		tl_data_put_u32(out, narrow(bits));
		return;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
		tl_data_put_utf(out, value->text);
		return;
	}
	tl_data_put_u32(out, (uint32_t)bits);
}
