/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck.h - traces of JetBrains Lincheck: versions 8 to 23 of the format are
 * read, version 8 is written.
 *
 * A Lincheck trace is the record that a JVM agent made of one run: calls,
 * loops, reads and writes of fields, with their values, one stream per thread.
 *
 *	file	magic i64 | version i64 | block | block | ... | EOF
 *	block	BLOCK_START thread i32 | object | object | ... | BLOCK_END
 *	object	kind u8 | fields
 *
 *	THREAD_NAME	thread, name				    10
 *	CLASS		id, name
 *	METHOD		id, class, name, type of result, count, types
 *	FIELD		id, class, name, [type 15], static u8, final u8,
 *			[volatile u8 21]
 *	VARIABLE	id, name, [type 16]
 *	STRING		id, text
 *	ACCESS_PATH	id, count, steps of u8 and id		     9
 *	LOCATION	[kind u8 20], id, file, class, method (strings; -1:
 *			none), line, [path 9], [count, paths of arguments 12],
 *			[count, names of locals 14, their kinds i32 19]
 *	POINT		class u8, location, thread, event, [diff i8, and for
 *			containers count i8, statuses i8 14], body
 *	FOOTER		of a call: result, [thrown u8 23], exception (from 23
 *			on only if thrown is not 0); of a loop: count i32; of
 *			an iteration: nothing
 *
 *	value	tag i32; a class: hash i32, [the object's fields 19]
 *	type	u8; 0: then the type of an element; 8: then a name
 *
 * A number behind a field is the version that added the field.  All numbers are
 * big-endian, ids are i32, names are modified UTF-8 behind a size u16.  A block
 * belongs to one thread.  The concatenated blocks of a thread are the stream of
 * the thread; objects between the point of a container and the footer of the
 * container happened inside the container.  A definition may follow its first
 * use, in a block of any thread.
 *
 * Versions.  Sixteen versions differ in three ways: fields were added, kinds
 * and classes of points were renumbered (9, 10 and 23), and one release (18)
 * wrote trace ids into breakpoints without a new version number.  The rest of
 * the program sees one version only:
 *
 *	bytes of version N --> tl_lincheck_parse() --> struct tl_lincheck_object
 *	                       |                       as in version 8
 *	                       +-- tl_lincheck_kind_read(), table of classes,
 *	                           enum tl_lincheck_since: if (v >= SINCE_x)
 *
 * A parser per version was rejected: 15 of the parsers would differ in two
 * lines each, and the damage tests would have to run 16 times.  The release of
 * version 18 is found from the bytes behind the first breakpoint (see
 * guess_trace_id() in object.c).  Only version 8 is written, because every
 * release of Lincheck reads version 8.
 *
 * Events.
 *
 *	call, loop,	begin of a span, category "call" or "loop"
 *	iteration
 *	footer		end of the span; before the end, if a call has a result
 *			or an exception, an instant inside the span
 *	read, write	an instant, category "read" or "write"
 *	throw, catch,	an instant, category "throw", "catch" or
 *	breakpoint	"breakpoint"
 *
 * The message of an event carries the rest of the point in the lines after the
 * first (words.h).  Blocks, the places of definitions and the form of the index
 * are kept beside the events (context.h), so that a file that is read and
 * written again has the same bytes.
 *
 * The format has no time.  The number of a point, which Lincheck counted over
 * all threads, becomes the event's ns; readers show the number as a step
 * (tl_message_counts_steps()).
 *
 * Reading.  Events come in the order of the file.  An event that refers to a
 * definition further down waits, with everything behind the event, in a queue
 * that spills into an unnamed file.  The reader reports four faults and
 * continues: bytes that are no object, after which everything up to the next
 * block is skipped; calls without a footer and footers without a call; ids that
 * are never defined; a truncated file.  Other versions are recognised and
 * refused.
 *
 * Writing.  A file that was read whole, was not filtered, and defines each
 * thing once, right before the first use, is written byte for byte as it was.
 * From other events, spans become calls, instants become calls that return at
 * once, counters become writes to static fields.  All events of a thread lie in
 * one call, because Lincheck shows one root per thread.  Times are left out;
 * points are numbered.  Each block defines everything that its points refer to,
 * except methods: a method is defined once in the file (points.h).
 *
 * A reader or writer is used by one thread at a time; two readers or writers
 * share nothing.
 *
 *	object.c	bytes to objects and values, all versions
 *	context.c	definitions by id, the layout of the file, messages
 *	words.c		a point as the text of a message
 *	print.c		a point as Lincheck prints it
 *	read.c		objects to events
 *	index.c		the index: checked, or opened
 *	trees.c		trees read in place through the index
 *	form.c		the point that the events of a message become
 *	points.c	points into the streams of their threads
 *	write.c		events to points, streams to blocks
 *	queue.c		objects that wait, in memory and in a file
 */
#ifndef TL_FORMAT_LINCHECK_LINCHECK_H
#define TL_FORMAT_LINCHECK_LINCHECK_H

#include "event/reader.h"
#include "event/writer.h"

#include <stdbool.h>
#include <stdint.h>

#define TL_LINCHECK_MAGIC       UINT64_C(0x706e547124ee5f70)
#define TL_LINCHECK_INDEX_MAGIC (~TL_LINCHECK_MAGIC)
#define TL_LINCHECK_VERSION     8 /* the version written */
#define TL_LINCHECK_LAST        23

/* The version that added a field or a point. */
enum tl_lincheck_since {
	TL_LINCHECK_SINCE_PATHS = 9,
	TL_LINCHECK_SINCE_THREAD_NAMES = 10,
	TL_LINCHECK_SINCE_FLAGS = 11, /* u16 behind a call */
	TL_LINCHECK_SINCE_ARGUMENTS = 12,
	TL_LINCHECK_SINCE_LOOPS = 13,
	TL_LINCHECK_SINCE_LOCALS = 14, /* names of locals in a location */
	TL_LINCHECK_SINCE_DIFF = 14,
	TL_LINCHECK_SINCE_FIELD_TYPES = 15,
	TL_LINCHECK_SINCE_BREAKPOINTS = 15,
	TL_LINCHECK_SINCE_VARIABLE_TYPES = 16,
	TL_LINCHECK_SINCE_BREAKPOINT_LOCALS = 17,
	TL_LINCHECK_SINCE_TRACE_IDS = 18, /* missing in the first release */
	TL_LINCHECK_SINCE_THROWS = 18,
	TL_LINCHECK_SINCE_CAPTURES = 19,
	TL_LINCHECK_SINCE_LOCATION_KINDS = 20,
	TL_LINCHECK_SINCE_SHORT_BREAKPOINTS = 20, /* short text when printed */
	TL_LINCHECK_SINCE_IDS_FROM_0 = 20,
	TL_LINCHECK_SINCE_VOLATILE = 21,
	TL_LINCHECK_SINCE_UUIDS = 22,
	TL_LINCHECK_SINCE_THREAD_IDS = 22, /* in headings of printed trees */
	TL_LINCHECK_SINCE_NEW_NUMBERS = 23
};

/*
 * The index lies beside the data and consists of the cells of trace/layout.h.
 */
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
	TL_LINCHECK_EOF = 10,
	/* kinds that version 8 does not have */
	TL_LINCHECK_ACCESS_PATH,
	TL_LINCHECK_THREAD_NAME,
	TL_LINCHECK_NO_KIND
};

/* Classes of points.  FOOTER_CLASS is ours: a footer is handled as a point. */
enum tl_lincheck_class {
	TL_LINCHECK_CALL = 0,
	TL_LINCHECK_READ_ARRAY = 1,
	TL_LINCHECK_READ_LOCAL = 2,
	TL_LINCHECK_READ_FIELD = 3,
	TL_LINCHECK_WRITE_ARRAY = 4,
	TL_LINCHECK_WRITE_LOCAL = 5,
	TL_LINCHECK_WRITE_FIELD = 6,
	TL_LINCHECK_LOOP = 7,
	TL_LINCHECK_ITERATION = 8,
	TL_LINCHECK_BREAKPOINT = 9,
	TL_LINCHECK_THROW = 10,
	TL_LINCHECK_CATCH = 11,
	TL_LINCHECK_FOOTER_CLASS = 12
};

/* Tags of values; a tag of 0 or more is the id of an object's class. */
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
	TL_LINCHECK_RAW = -12, /* text, shown without quotes */
	TL_LINCHECK_BOOLEAN = -13,
	TL_LINCHECK_JAVA_CLASS = -14, /* text, like KOTLIN_CLASS */
	TL_LINCHECK_KOTLIN_CLASS = -15,
	TL_LINCHECK_BUILDER = -16 /* hash and text */
};

/* The steps of an access path. */
enum tl_lincheck_step {
	TL_LINCHECK_STEP_LOCAL = 0,  /* id of a variable */
	TL_LINCHECK_STEP_STATIC = 1, /* id of a static field */
	TL_LINCHECK_STEP_FIELD = 2,  /* id of a field of the object so far */
	TL_LINCHECK_STEP_INDEX = 3,  /* number of an element */
	TL_LINCHECK_STEP_PATH = 4    /* id of a path to the element's number */
};

enum {
	TL_LINCHECK_HEADER_SIZE = 16,
	TL_LINCHECK_BLOCK_HEADER = 5,
	TL_LINCHECK_NONE = -1,             /* no id */
	TL_LINCHECK_VALUES_MAX = 256,      /* a JVM has 255 parameters */
	TL_LINCHECK_OBJECT_MAX = 17 << 20, /* bytes of one object */
	TL_LINCHECK_DEPTH_MAX = 1 << 24,   /* nested calls of a thread */
	TL_LINCHECK_THREADS_MAX = 1 << 16,
	TL_LINCHECK_CAPTURES_MAX = 64, /* depth of captured values */
	TL_LINCHECK_STEP_SIZE = 1 + 4, /* bytes of a step of a path */
	TL_LINCHECK_PATHS_MAX = 8,     /* paths inside each other */
	TL_LINCHECK_STEPS_MAX = 256,   /* steps of a path and of paths in it */
	TL_LINCHECK_STACK_SHOWN = 3    /* calls shown for a breakpoint */
};

/* Differences between versions and releases in reading. */
struct tl_lincheck_dialect {
	uint32_t version;
	/*
	 * Have breakpoints of version 18 trace ids?  1, -1: no, 0: not known
	 * yet.
	 */
	int8_t trace_ids;
	/*
	 * Class of the thread's innermost container, which a footer would end.
	 */
	uint8_t container;
};

/* Return the kind of version 8 for a kind of any version; NO_KIND: unknown. */
static inline uint8_t
tl_lincheck_kind_read(uint32_t version, uint8_t kind)
{
	if (version >= TL_LINCHECK_SINCE_THREAD_NAMES) {
		if (kind == 0)
			return TL_LINCHECK_THREAD_NAME;
		kind--;
	}
	if (version >= TL_LINCHECK_SINCE_PATHS && kind >= 5) {
		if (kind == 5)
			return TL_LINCHECK_ACCESS_PATH;
		kind--;
	}
	return kind <= TL_LINCHECK_EOF ? kind : TL_LINCHECK_NO_KIND;
}

static inline bool
tl_lincheck_is_definition(uint8_t kind)
{
	return kind < TL_LINCHECK_POINT || kind == TL_LINCHECK_ACCESS_PATH;
}

static inline bool
tl_lincheck_is_container(uint8_t class)
{
	return class == TL_LINCHECK_CALL || class == TL_LINCHECK_LOOP ||
	       class == TL_LINCHECK_ITERATION;
}

tl_reader_new tl_lincheck_read_new;
tl_recognise tl_lincheck_recognise;

/* Write the data without an index. */
tl_writer_new tl_lincheck_write_new;
/* Write the data to path and the index to path.idx. */
tl_writer_at tl_lincheck_write_at;

#endif
