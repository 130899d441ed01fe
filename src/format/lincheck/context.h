/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - the state of a reader of a Lincheck trace.
 *
 *	definition --> context: its body, by kind and id
 *	point -------> shape --> message (words.h) --> event
 *	block -------> layout: the order of the file, for the writer
 *
 * Context.  Classes, methods, fields, variables, strings, access paths and
 * locations, by kind and id.  Bodies keep the form of the file's version.
 *
 * Layout.  The layout holds the facts about a file that events cannot carry:
 * the blocks, the places of definitions in the blocks, and how the index was
 * written.
 *
 *	block of thread 0 | define string 1 | 17 points | end | block of ...
 *
 * The strings of a reader's messages lead to the reader's layout, so that the
 * writer makes the same file from all events of one file; from other or
 * filtered events the writer makes a file in its own order.  Only a file of
 * version 8 without a fault keeps its layout, and only up to a bound.
 *
 * Messages.  A message is one method, field or variable at one place of the
 * source, with values of one set of types.  The first line of a message is
 *
 *	Counter.add($this%s, $1%d, $2%s)	$object%s.count → $value%d
 *	returned $result%d			$array%s[$index%d] ← $value%d
 *
 * Integers are %d and floats %f; other values are strings: an object is
 * "Counter@4711".  If there are more than four arguments, the last argument,
 * "more", holds the remaining values, one word each.
 */
#ifndef TL_FORMAT_LINCHECK_CONTEXT_H
#define TL_FORMAT_LINCHECK_CONTEXT_H

#include "base/table.h"
#include "event/intern.h"
#include "event/message.h"
#include "format/lincheck/object.h"

/* Starts from all zeros except for interner and strings. */
struct tl_lincheck_context {
	struct tl_interner *interner; /* owns the bodies as strings */
	const struct tl_strings *strings;
	uint32_t version;
	struct tl_id_map keys;
	uint64_t *bodies; /* string numbers; 0: not yet read */
	size_t capacity;
};

struct tl_lincheck_key {
	uint8_t kind;
	int32_t id;
};

/*
 * Keep a definition: 0; -EEXIST: the id has another definition, which stays;
 * -ENOSPC, -ENOMEM.
 */
int tl_lincheck_context_put(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/*
 * Return the fields of a definition behind its id.  false: the definition has
 * not been read.
 */
bool tl_lincheck_context_get(struct tl_lincheck_context *context, uint8_t kind,
    int32_t id, struct tl_data_in *fields);
/* The name of a class, variable or string; empty: not defined. */
struct tl_bytes tl_lincheck_context_name(struct tl_lincheck_context *context,
    uint8_t kind, int32_t id);

/* The members of a location after its id. */
struct tl_lincheck_place {
	int32_t texts[3]; /* STRING ids of file, class, method; NONE */
	int32_t line;
	int32_t path;                /* ACCESS_PATH of the owner, or NONE */
	struct tl_data_in arguments; /* ACCESS_PATH ids of arguments */
	uint32_t argument_count;
};
bool tl_lincheck_context_place(struct tl_lincheck_context *context, int32_t id,
    struct tl_lincheck_place *place);

/*
 * Does a point or footer refer to a definition that has not been read?  *key
 * names the missing definition.
 */
bool tl_lincheck_context_misses(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key);

/* The class of the method that a point calls, or NONE. */
int32_t tl_lincheck_context_target(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);
/*
 * Does a point call a method of the class outer, in which it lies, or of the
 * companion of outer?  outer may be NONE.
 */
bool tl_lincheck_context_is_inside(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object, int32_t outer);

enum { TL_LINCHECK_LAYOUT_MAX = 4 << 20 /* steps */ };

enum tl_lincheck_layout_what {
	TL_LINCHECK_LAYOUT_BLOCK, /* a block of thread n begins */
	TL_LINCHECK_LAYOUT_DEFINE,
	TL_LINCHECK_LAYOUT_POINTS, /* n points and footers */
	TL_LINCHECK_LAYOUT_END
};

struct tl_lincheck_layout_step {
	uint8_t what;
	uint8_t kind; /* kind of a definition */
	int32_t n;    /* definition's id, thread, or count */
};

/* Starts from all zeros except for the context. */
struct tl_lincheck_layout {
	struct tl_lincheck_context *context; /* definitions by id */
	struct tl_lincheck_layout_step *steps;
	size_t count;
	size_t capacity;
	bool whole;     /* the whole file was read, without a fault */
	bool lost;      /* the layout had too many steps */
	bool by_memory; /* Lincheck wrote the index from memory, at the end */
};

void tl_lincheck_layout_add(struct tl_lincheck_layout *layout,
    enum tl_lincheck_layout_what what, uint8_t kind, int32_t n);
/*
 * Does a layout look as if the index was written from memory?  If so, each
 * thread has one block, the threads are numbered from 0, and no block is empty.
 * The answer serves for a file without an index.
 */
bool tl_lincheck_layout_is_by_memory(const struct tl_lincheck_layout *layout);

/* The strings that a reader's messages share. */
struct tl_lincheck_strings {
	struct tl_strings strings; /* first: messages point here */
	const struct tl_strings *inner;
	struct tl_lincheck_layout layout;
};

/*
 * Return the layout of the file that a message was read from.  NULL: the
 * message was not read from a Lincheck trace by this process.
 */
const struct tl_lincheck_layout *
tl_lincheck_layout_of(const struct tl_message *message);

/* Starts from all zeros; then init. */
struct tl_lincheck_messages {
	struct tl_lincheck_strings strings; /* shared by the messages */
	struct tl_interner *interner;
	struct tl_lincheck_context context;
	struct tl_id_map shapes; /* by the string number of the key */
	struct tl_message **messages;
	size_t capacity;
	struct tl_text key;
	struct tl_text text;
	uint64_t cut;      /* texts that were too long */
	uint64_t bad_name; /* texts that were not modified UTF-8 */
	uint64_t full;     /* strings that found no room */
};

int tl_lincheck_messages_init(struct tl_lincheck_messages *messages);
void tl_lincheck_messages_free(struct tl_lincheck_messages *messages);

/*
 * Return the message of a point or footer: 0; -EAGAIN: *key names a definition
 * that is not read yet; -ENOSPC, -ENOMEM.  last: the input has ended, so names
 * may be missing.
 */
int tl_lincheck_messages_get(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, bool last,
    struct tl_lincheck_key *key, const struct tl_message **message);

/* Fill in the arguments of the event of a point or footer: 0, -ENOMEM. */
int tl_lincheck_messages_args(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, uint64_t args[TL_ARGS_MAX]);

#endif
