/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - what the threads of one trace refer to, found by kind and id.
 *
 * A reference may come before what it refers to: a message is there as soon
 * as it is asked for, and gets its words when its definition comes.  What is
 * defined twice stays as it was first.
 */
#ifndef TL_TRACE_CONTEXT_H
#define TL_TRACE_CONTEXT_H

#include "base/table.h"
#include "event/names.h"
#include "trace/layout.h"

#include <timeline_layout.h>

enum {
	/* Messages that nothing defines; more of them are one. */
	TL_CONTEXT_UNKNOWN_MAX = 1 << 16
};

struct tl_context_object;

struct tl_context {
	struct tl_strings strings; /* first: found from the messages */
	struct tl_context_object **objects;
	size_t count;
	size_t capacity;
	struct tl_table table;     /* of objects, by kind and id */
	struct tl_names names;     /* of threads and processes */
	size_t unknown;            /* messages without a definition */
	bool unsettled;            /* is a text not there yet? */
	struct tl_message nothing; /* when there are too many */
	struct timeline_knot *knots;
	size_t knot_count;
	size_t knot_capacity;
};

void tl_context_init(struct tl_context *context);
void tl_context_free(struct tl_context *context);

/* Is this the kind of a definition? */
static inline bool
tl_context_is_kind(uint8_t kind)
{
	return kind <= TL_TRACE_INFO;
}

/* Read the definition that begins at in->at, and its id: 0, -EBADMSG,
 * -ENOMEM. */
int
tl_context_read(struct tl_context *context, struct tl_data_in *in, int32_t *id);
/* Read all that are in a block. */
int tl_context_read_all(struct tl_context *context, struct tl_bytes content);
/* Give messages the texts that came after them. */
void tl_context_settle(struct tl_context *context);

/* Never NULL. */
const struct tl_message *
tl_context_message(struct tl_context *context, uint32_t id);

/* All that are defined, by their id, in an array to be freed: 0, -ENOMEM. */
int tl_context_messages(struct tl_context *context,
    const struct tl_message ***messages, size_t *count);

struct tl_context_thread {
	uint32_t pid;
	uint32_t tid;
	struct tl_bytes name;
	struct tl_bytes command; /* of its process; empty: unknown */
};

/* False: it is not known. */
bool tl_context_thread(const struct tl_context *context, int32_t id,
    struct tl_context_thread *thread);
struct tl_bytes
tl_context_info(const struct tl_context *context, const char *name);

#endif
