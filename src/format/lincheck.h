/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck.h - the bytes of a JetBrains Lincheck trace, version 8, and what
 * they are as events.
 *
 *	file	magic i64 | version i64 | block | block | ... | EOF
 *	block	BLOCK_START thread i32 | object | object | ... | BLOCK_END
 *	object	kind u8 | fields
 *
 *	CLASS		id, name
 *	METHOD		id, class, name, type of result, count, types
 *	FIELD		id, class, name, static u8, final u8
 *	VARIABLE	id, name
 *	STRING		id, text
 *	LOCATION	id, file, class, method (strings; -1: none), line
 *	POINT		class u8, location, thread, event, body
 *	FOOTER		result, name of an exception ("": none)
 *
 *	value	tag i32; a class: hash i32; TL_LINCHECK_...: what it says
 *	type	u8; 0: then the type of an element; 8: then a name
 *
 * All big-endian, ids i32, names modified UTF-8 behind a size u16.  A block is
 * of one thread; the blocks of a thread, put behind each other, are its
 * stream, in which everything between a call and its footer happened in it.
 * What is referred to stands before, or behind in the block of another thread.
 *
 *	call		begin of a span, category "call"
 *	footer		its end; before it, where there is a result or an
 *			exception, an instant inside the span
 *	read, write	an instant, category "read" or "write"
 *	BLOCK_END	an instant, category "block"
 *
 * What an event does not say its message does, behind the first line (see
 * format/lincheck_form.h): so nothing of a file is lost.  No time is told:
 * the number of a point, which the program counted over all its threads, is
 * taken for its nanosecond.
 */
#ifndef TL_FORMAT_LINCHECK_H
#define TL_FORMAT_LINCHECK_H

#include <stdint.h>

#define TL_LINCHECK_MAGIC       UINT64_C(0x706e547124ee5f70)
#define TL_LINCHECK_INDEX_MAGIC (~TL_LINCHECK_MAGIC)
#define TL_LINCHECK_VERSION     8

/* The index lies beside the data: cells as trace/layout.h has them. */
#define TL_LINCHECK_INDEX_SUFFIX ".idx"

enum tl_lincheck_kind {
	TL_LINCHECK_CLASS = 0,
	TL_LINCHECK_METHOD = 1,
	TL_LINCHECK_FIELD = 2,
	TL_LINCHECK_VARIABLE = 3,
	TL_LINCHECK_STRING = 4,
	TL_LINCHECK_LOCATION = 5,
	TL_LINCHECK_POINT = 6,
	TL_LINCHECK_FOOTER = 7,
	TL_LINCHECK_BLOCK_START = 8,
	TL_LINCHECK_BLOCK_END = 9,
	TL_LINCHECK_EOF = 10
};

/* Classes of points; FOOTER_CLASS is ours, where a footer is one of them. */
enum tl_lincheck_class {
	TL_LINCHECK_CALL = 0,
	TL_LINCHECK_READ_ARRAY = 1,
	TL_LINCHECK_READ_LOCAL = 2,
	TL_LINCHECK_READ_FIELD = 3,
	TL_LINCHECK_WRITE_ARRAY = 4,
	TL_LINCHECK_WRITE_LOCAL = 5,
	TL_LINCHECK_WRITE_FIELD = 6,
	TL_LINCHECK_FOOTER_CLASS = 7
};

/* Tags of values; 0 and more is the class of an object. */
enum tl_lincheck_tag {
	TL_LINCHECK_NULL = -1,
	TL_LINCHECK_VOID = -2,
	TL_LINCHECK_BYTE = -3,
	TL_LINCHECK_SHORT = -4,
	TL_LINCHECK_INT = -5,
	TL_LINCHECK_LONG = -6,
	TL_LINCHECK_FLOAT = -7,
	TL_LINCHECK_DOUBLE = -8,
	TL_LINCHECK_CHAR = -9,
	TL_LINCHECK_TEXT = -10,
	TL_LINCHECK_UNIT = -11,
	TL_LINCHECK_RAW = -12, /* a text, shown as it is */
	TL_LINCHECK_BOOLEAN = -13
};

enum {
	TL_LINCHECK_HEADER_SIZE = 16,
	TL_LINCHECK_BLOCK_HEADER = 5,
	TL_LINCHECK_NONE = -1,             /* no such id */
	TL_LINCHECK_VALUES_MAX = 256,      /* a JVM has 255 parameters */
	TL_LINCHECK_OBJECT_MAX = 17 << 20, /* bytes of one, with so many */
	TL_LINCHECK_DEPTH_MAX = 1 << 24,   /* calls in each other */
	TL_LINCHECK_THREADS_MAX = 1 << 16
};

#endif
