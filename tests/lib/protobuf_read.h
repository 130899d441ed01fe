/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf_read.h - read messages, and check every byte. */
#ifndef TESTS_LIB_PROTOBUF_READ_H
#define TESTS_LIB_PROTOBUF_READ_H

#include "base/bytes.h"
#include "test.h"

struct field {
	uint32_t number;
	unsigned type;
	uint64_t value;        /* of a varint or a fixed64 */
	struct tl_bytes bytes; /* of bytes */
};

static inline uint64_t
pb_varint(struct tl_bytes *in)
{
	uint64_t n = 0;
	unsigned shift = 0;
	unsigned char c;

	do {
		ck_assert_uint_gt(in->size, 0);
		ck_assert_uint_lt(shift, 70);
		c = (unsigned char)*in->data++;
		in->size--;
		n |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	ck_assert(shift == 7 || c != 0); /* a varint has no needless bytes */
	return n;
}

/* The next field of a message.  false: the end. */
static inline bool
pb_next(struct tl_bytes *in, struct field *field)
{
	uint64_t tag;

	if (in->size == 0)
		return false;
	tag = pb_varint(in);
	*field = (struct field){ .number = (uint32_t)(tag >> 3),
		.type = (unsigned)tag & 7 };
	ck_assert_uint_gt(field->number, 0);
	switch (field->type) {
	case 0:
		field->value = pb_varint(in);
		break;
	case 1:
		ck_assert_uint_ge(in->size, sizeof(field->value));
		memcpy(&field->value, in->data, sizeof(field->value));
		in->data += sizeof(field->value);
		in->size -= sizeof(field->value);
		break;
	case 2:
		field->bytes.size = pb_varint(in);
		field->bytes.data = in->data;
		ck_assert_uint_ge(in->size, field->bytes.size);
		in->data += field->bytes.size;
		in->size -= field->bytes.size;
		break;
	default:
		ck_abort_msg("type %u", field->type);
	}
	return true;
}

/* Find the first field with this number. */
static inline bool
pb_find(struct tl_bytes in, uint32_t number, struct field *field)
{
	while (pb_next(&in, field)) {
		if (field->number == number)
			return true;
	}
	return false;
}

/* The value of a field, which must be there. */
static inline uint64_t
pb_value(struct tl_bytes in, uint32_t number)
{
	struct field field;

	ck_assert_msg(pb_find(in, number, &field), "field %u", number);
	return field.value;
}

static inline struct tl_bytes
pb_bytes(struct tl_bytes in, uint32_t number)
{
	struct field field;

	ck_assert_msg(pb_find(in, number, &field), "field %u", number);
	return field.bytes;
}

static inline bool
pb_is(struct tl_bytes bytes, const char *text)
{
	return tl_bytes_equal(bytes, tl_bytes_of(text));
}

#endif
