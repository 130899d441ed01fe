/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_object.h - objects of a Lincheck trace out of bytes that may be
 * anything, and values into bytes again.
 */
#ifndef TL_FORMAT_LINCHECK_OBJECT_H
#define TL_FORMAT_LINCHECK_OBJECT_H

#include "base/text.h"
#include "format/lincheck.h"
#include "trace/data.h"

struct tl_lincheck_value {
	int32_t tag;
	uint64_t bits;        /* a hash, an integer with its sign, the bits of a
			  double, a UTF-16 unit, 0 or 1 */
	struct tl_bytes text; /* TEXT and RAW: modified UTF-8 */
};

struct tl_lincheck_object {
	uint8_t kind;
	int32_t id;           /* of what is defined; of a BLOCK_START: thread */
	struct tl_bytes body; /* ... behind its id */
	/* Of a POINT or FOOTER: */
	uint8_t class;
	int32_t location;
	int32_t thread;
	int32_t event;
	int32_t target; /* method, field or variable, or NONE */
	uint32_t count; /* of values: receiver first; an index is one */
	struct tl_data_in values;
	struct tl_bytes exception;
};

/*
 * The object that bytes begin with: its size.  0: it does not end in them,
 * and takes at least *need bytes.  -EBADMSG: it is none.
 */
int64_t tl_lincheck_parse(struct tl_lincheck_object *object,
    struct tl_bytes bytes, size_t *need);

/*
 * Do a block end and one begin here, with its first object?  So many bytes
 * are looked at.  Threads are counted from 0, and few: that is all by which
 * one can find back into a file that is damaged.
 */
enum { TL_LINCHECK_BETWEEN = 1 + TL_LINCHECK_BLOCK_HEADER + 1 };
static inline bool
tl_lincheck_is_between(const uint8_t bytes[TL_LINCHECK_BETWEEN])
{
	return bytes[0] == TL_LINCHECK_BLOCK_END &&
	       bytes[1] == TL_LINCHECK_BLOCK_START && bytes[2] == 0 &&
	       bytes[3] == 0 && bytes[6] <= TL_LINCHECK_BLOCK_END;
}

/* Value number i of a point; called in order, on a copy of its values. */
void tl_lincheck_next_value(const struct tl_lincheck_object *object,
    struct tl_data_in *values, uint32_t i, struct tl_lincheck_value *value);

/* Is value number i of such a point the index of an array, without a tag? */
static inline bool
tl_lincheck_is_index(uint8_t class, uint32_t i)
{
	return i == 1 && (class == TL_LINCHECK_READ_ARRAY ||
			     class == TL_LINCHECK_WRITE_ARRAY);
}

/* The kind of what a class of points is about: but for arrays and footers. */
static inline uint8_t
tl_lincheck_target_kind(uint8_t class)
{
	switch (class) {
	case TL_LINCHECK_CALL:
		return TL_LINCHECK_METHOD;
	case TL_LINCHECK_READ_FIELD:
	case TL_LINCHECK_WRITE_FIELD:
		return TL_LINCHECK_FIELD;
	}
	return TL_LINCHECK_VARIABLE;
}

static inline bool
tl_lincheck_has_target(uint8_t class)
{
	return class != TL_LINCHECK_FOOTER_CLASS &&
	       !tl_lincheck_is_index(class, 1);
}

/* How much room a value takes at most. */
static inline size_t
tl_lincheck_value_max(const struct tl_lincheck_value *value)
{
	return 4 + 8 + value->text.size;
}

/* Append a value. */
void tl_lincheck_put_value(struct tl_data_out *out,
    const struct tl_lincheck_value *value, bool is_index);

/* Skip a type; false: it is none. */
bool tl_lincheck_skip_type(struct tl_data_in *in);

#endif
