/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - objects of a Lincheck trace parsed from untrusted bytes, and
 * values written as bytes.
 */
#ifndef TL_FORMAT_LINCHECK_OBJECT_H
#define TL_FORMAT_LINCHECK_OBJECT_H

#include "base/bytes.h"
#include "base/text.h"
#include "format/lincheck/lincheck.h"

#include <endian.h>

struct tl_lincheck_value {
	int32_t tag;
	/*
	 * A hash, a signed integer, the bits of a double, a UTF-16 unit, or 0
	 * or 1.
	 */
	uint64_t bits;
	struct tl_bytes text; /* text or builder: modified UTF-8 */
};

struct tl_lincheck_object {
	uint8_t kind; /* kind in version 8 */
	uint32_t version;
	/* Id of a definition; thread number of BLOCK_START and THREAD_NAME. */
	int32_t id;
	/* Bytes after the id of a definition; name of a THREAD_NAME. */
	struct tl_bytes body;
	/* Only POINT and FOOTER have the next members. */
	uint8_t class;
	int32_t location;
	int32_t thread;
	int32_t event;
	int32_t target; /* method, field or variable, or NONE */
	uint32_t count; /* values: receiver first; an index counts */
	struct tl_data_in values;
	struct tl_bytes exception;
	int8_t diff; /* NONE: outside a comparison */
	/*
	 * The called method belongs to the class of the caller; set by the
	 * reader.
	 */
	bool inside;
	/*
	 * Only BREAKPOINT has the next members; values: time, trace id, locals.
	 */
	struct tl_bytes uuid;  /* empty: none */
	struct tl_bytes stack; /* location ids, innermost first */
	int64_t ms;
	bool has_trace;
	struct tl_bytes trace;
};

/*
 * Parse the object at the start of bytes and return its size.  0: the bytes end
 * inside the object, which takes at least *need bytes.  -EBADMSG: the bytes are
 * no object.  last: no bytes follow.  dialect->container says which class a
 * footer ends.  The first breakpoint of version 18 sets dialect->trace_ids.
 */
int64_t tl_lincheck_parse(struct tl_lincheck_object *object,
    struct tl_lincheck_dialect *dialect, struct tl_bytes bytes, bool last,
    size_t *need);

/*
 * Does one block end here and the next begin, with its first object?  The bytes
 * suffice to resume in a damaged file: threads are counted from 0 and few, so
 * that two bytes of the thread number are 0.
 */
enum { TL_LINCHECK_BETWEEN = 1 + TL_LINCHECK_BLOCK_HEADER + 1 };
static inline bool
tl_lincheck_is_between(uint32_t version,
    const uint8_t bytes[TL_LINCHECK_BETWEEN])
{
	const uint8_t kind = tl_lincheck_kind_read(version, bytes[6]);

	return tl_lincheck_kind_read(version, bytes[0]) ==
		   TL_LINCHECK_BLOCK_END &&
	       tl_lincheck_kind_read(version, bytes[1]) ==
		   TL_LINCHECK_BLOCK_START &&
	       bytes[2] == 0 && bytes[3] == 0 && kind != TL_LINCHECK_NO_KIND &&
	       kind != TL_LINCHECK_EOF;
}

/*
 * Take value number i of a point.  The caller takes all values in order, from a
 * copy of object->values.
 */
void tl_lincheck_next_value(const struct tl_lincheck_object *object,
    struct tl_data_in *values, uint32_t i, struct tl_lincheck_value *value);

/* Do points of a class access an element of an array? */
static inline bool
tl_lincheck_is_array(uint8_t class)
{
	return class == TL_LINCHECK_READ_ARRAY ||
	       class == TL_LINCHECK_WRITE_ARRAY;
}

/*
 * Is value number i an integer without a tag: the index of an array, or the
 * number of an iteration?
 */
static inline bool
tl_lincheck_is_index(uint8_t class, uint32_t i)
{
	return (i == 1 && tl_lincheck_is_array(class)) ||
	       (i == 0 && class == TL_LINCHECK_ITERATION);
}

/*
 * The kind of the definition that a point's target refers to, for classes with
 * a target.
 */
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
	return class < TL_LINCHECK_LOOP && !tl_lincheck_is_array(class);
}

static inline bool
tl_lincheck_is_write(uint8_t class)
{
	return class >= TL_LINCHECK_WRITE_ARRAY &&
	       class <= TL_LINCHECK_WRITE_FIELD;
}

/*
 * Take the flags of a field behind its name: high byte static, low byte final.
 */
uint16_t tl_lincheck_take_flags(struct tl_data_in *fields, uint32_t version);

/* Append the lowest bytes of a number, the highest of them first. */
static inline void
tl_lincheck_put_number(struct tl_text *to, uint64_t n, unsigned bytes)
{
	char *at = tl_text_reserve(to, sizeof(n));

	if (!at)
		return;
	n = htobe64(n << (64 - 8 * bytes));
	memcpy(at, &n, sizeof(n));
	to->size += bytes;
}

static inline void
tl_lincheck_put_i32(struct tl_text *to, int32_t n)
{
	tl_lincheck_put_number(to, (uint32_t)n, sizeof(n));
}

/* Append a text in modified UTF-8 behind its size. */
static inline void
tl_lincheck_put_mutf8(struct tl_text *to, struct tl_bytes text)
{
	tl_lincheck_put_number(to, text.size, sizeof(uint16_t));
	tl_put_bytes(to, text);
}

/* Append a value; an index is written without its tag. */
void tl_lincheck_put_value(struct tl_text *to,
    const struct tl_lincheck_value *value, bool is_index);

/* Skip a type; false: the bytes are no type. */
bool tl_lincheck_skip_type(struct tl_data_in *in);

#endif
