/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - objects of a Lincheck trace out of bytes that may be
 * anything, and values into bytes again.
 */
#ifndef TL_FORMAT_LINCHECK_OBJECT_H
#define TL_FORMAT_LINCHECK_OBJECT_H

#include "base/bytes.h"
#include "base/text.h"
#include "format/lincheck/lincheck.h"

struct tl_lincheck_value {
	int32_t tag;
	uint64_t bits;        /* a hash, an integer with its sign, the bits of a
			  double, a UTF-16 unit, 0 or 1 */
	struct tl_bytes text; /* of a text: modified UTF-8 */
};

struct tl_lincheck_object {
	uint8_t kind; /* as in version 8 */
	uint32_t version;
	int32_t id;           /* of a definition; BLOCK_START, THREAD_NAME: of
			  the thread */
	struct tl_bytes body; /* the bytes after its id */
	/* Of a POINT or FOOTER: */
	uint8_t class;
	int32_t location;
	int32_t thread;
	int32_t event;
	int32_t target; /* method, field or variable, or NONE */
	uint32_t count; /* of values: receiver first; an index is one */
	struct tl_data_in values;
	struct tl_bytes exception;
	int8_t diff; /* NONE: it is of no comparison */
	bool inside; /* a call within the class of the method around it; set
		      * by the reader */
	/* Of a BREAKPOINT, whose values are the time, the trace id, locals: */
	struct tl_bytes uuid;  /* empty: none */
	struct tl_bytes stack; /* ids of locations, innermost first */
	int64_t ms;
	bool has_trace;
	struct tl_bytes trace;
};

/*
 * The object that bytes begin with: its size.  0: it does not end in them,
 * and takes at least *need bytes.  -EBADMSG: it is none.  last: no bytes
 * follow.  The first breakpoint of version 18 sets dialect->trace_ids.
 */
int64_t tl_lincheck_parse(struct tl_lincheck_object *object,
    struct tl_lincheck_dialect *dialect, struct tl_bytes bytes, bool last,
    size_t *need);

/*
 * Does a block end and another begin here, with its first object?  These bytes
 * are enough to resume in a damaged file, because threads are counted from 0
 * and are few.
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

/* Value number i of a point; called in order, on a copy of its values. */
void tl_lincheck_next_value(const struct tl_lincheck_object *object,
    struct tl_data_in *values, uint32_t i, struct tl_lincheck_value *value);

/* Is it the access to an element of an array? */
static inline bool
tl_lincheck_is_array(uint8_t class)
{
	return class == TL_LINCHECK_READ_ARRAY ||
	       class == TL_LINCHECK_WRITE_ARRAY;
}

/* Is value number i of such a point an integer without a tag: the index of an
 * array, the number of an iteration? */
static inline bool
tl_lincheck_is_index(uint8_t class, uint32_t i)
{
	return (i == 1 && tl_lincheck_is_array(class)) ||
	       (i == 0 && class == TL_LINCHECK_ITERATION);
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
	return class < TL_LINCHECK_LOOP && !tl_lincheck_is_array(class);
}

static inline bool
tl_lincheck_is_write(uint8_t class)
{
	return class >= TL_LINCHECK_WRITE_ARRAY &&
	       class <= TL_LINCHECK_WRITE_FIELD;
}

/* The flags of a field, behind its name: static and final, a byte each. */
uint16_t tl_lincheck_take_flags(struct tl_data_in *fields, uint32_t version);

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
