/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - what the reader of a Lincheck trace keeps.
 *
 *	definition --> context: its body, by kind and id
 *	point -------> shape --> message (words.h) --> event
 *	block -------> layout: the order of the file, for the writer
 *
 * Context.  Classes, methods, fields, variables, strings, access paths and
 * locations, by kind and id.  Bodies stay as the file's version has them.
 *
 * Layout.  What events cannot carry of their file: its blocks, where in them
 * things were defined, and how its index was written.
 *
 *	block of thread 0 | define string 1 | 17 points | end | block of ...
 *
 * The strings of a reader's messages lead to its layout, so that the writer
 * makes the same file of all events of one file; of other events, and of
 * filtered ones, it makes a file in its own order.  The layout is kept only
 * of a file of version 8 without a fault, and up to a bound.
 *
 * Messages.  A message is one method, field or variable at one place of the
 * source, with values of one set of types.  Its first line is
 *
 *	Counter.add($this%s, $1%d, $2%s)	$object%s.count → $value%d
 *	returned $result%d			$array%s[$index%d] ← $value%d
 *
 * Integers are %d and floats %f; other values are strings: an object is
 * "Counter@4711".  If there are more than four arguments, the last one,
 * "more", has the rest, one word each.
 */
#ifndef TL_FORMAT_LINCHECK_CONTEXT_H
#define TL_FORMAT_LINCHECK_CONTEXT_H

#include "base/table.h"
#include "event/intern.h"
#include "event/message.h"
#include "format/lincheck/object.h"

/* Starts from all zeros but for interner and strings. */
struct tl_lincheck_context {
	struct tl_interner *interner; /* whose strings bodies are */
	const struct tl_strings *strings;
	uint32_t version;
	struct tl_id_map keys;
	uint64_t *bodies; /* numbers of strings; 0: not met */
	size_t capacity;
};

struct tl_lincheck_key {
	uint8_t kind;
	int32_t id;
};

/* Keep a definition: 0; 1: there is another one of its id, which stays;
 * -ENOSPC, -ENOMEM. */
int tl_lincheck_context_put(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/* The fields of a definition behind its id; false: it has not come. */
bool tl_lincheck_context_get(struct tl_lincheck_context *context, uint8_t kind,
    int32_t id, struct tl_data_in *fields);
/* The name in them: of a class, variable or string. */
struct tl_bytes tl_lincheck_context_name(struct tl_lincheck_context *context,
    uint8_t kind, int32_t id);

/* The members of a location after its id. */
struct tl_lincheck_place {
	int32_t texts[3]; /* STRING of file, class, method; NONE */
	int32_t line;
	int32_t path;                /* ACCESS_PATH of the owner, or NONE */
	struct tl_data_in arguments; /* ACCESS_PATHs of the arguments */
	uint32_t argument_count;
};
bool tl_lincheck_context_place(struct tl_lincheck_context *context, int32_t id,
    struct tl_lincheck_place *place);

/* Has something not come that a point or footer refers to?  Which. */
bool tl_lincheck_context_misses(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key);

enum { TL_LINCHECK_LAYOUT_MAX = 4 << 20 /* steps */ };

enum tl_lincheck_layout_what {
	TL_LINCHECK_LAYOUT_BLOCK, /* of thread n begins */
	TL_LINCHECK_LAYOUT_DEFINE,
	TL_LINCHECK_LAYOUT_POINTS, /* and footers, n of them */
	TL_LINCHECK_LAYOUT_END
};

struct tl_lincheck_layout_step {
	uint8_t what;
	uint8_t kind; /* of a definition */
	int32_t n;    /* its id, a thread, or how many */
};

/* Starts from all zeros but for the context. */
struct tl_lincheck_layout {
	struct tl_lincheck_context *context; /* of what is defined */
	struct tl_lincheck_layout_step *steps;
	size_t count;
	size_t capacity;
	bool whole;     /* all of the file was read, and it has no fault */
	bool lost;      /* there were too many steps */
	bool by_memory; /* the index was written at the end, from memory */
};

void tl_lincheck_layout_add(struct tl_lincheck_layout *layout,
    enum tl_lincheck_layout_what what, uint8_t kind, int32_t n);
/* Without an index: was it written from memory?  Then each thread has one
 * block, they are numbered from 0, and none is empty. */
bool tl_lincheck_layout_is_by_memory(const struct tl_lincheck_layout *layout);

/* The strings of a reader's messages. */
struct tl_lincheck_strings {
	struct tl_strings strings; /* first: what messages point to */
	const struct tl_strings *inner;
	struct tl_lincheck_layout layout;
};

/* The layout of the file that a message was read from; NULL: it was not, or
 * not by this process. */
const struct tl_lincheck_layout *
tl_lincheck_layout_of(const struct tl_message *message);

/* Starts from all zeros; then init. */
struct tl_lincheck_messages {
	struct tl_lincheck_strings strings; /* of its messages */
	struct tl_interner *interner;
	struct tl_lincheck_context context;
	struct tl_id_map shapes; /* by the number of their bytes as string */
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
 * The message of a point or footer: 0; 1: something has not come that it
 * refers to, and *key is that; -ENOSPC, -ENOMEM.  last: nothing comes any
 * more, names may be missing.
 */
int tl_lincheck_messages_get(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, bool last,
    struct tl_lincheck_key *key, const struct tl_message **message);

/* The arguments of its event: 0, -ENOMEM. */
int tl_lincheck_messages_args(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, uint64_t args[TL_ARGS_MAX]);

#endif
