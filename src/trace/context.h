/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - the definitions that the threads of a trace refer to, by kind and
 * id.
 *
 * A reference may come before its definition: a message exists as soon as it is
 * requested, and gets its text with the definition.  The first of several
 * definitions counts.
 */
#ifndef TL_TRACE_CONTEXT_H
#define TL_TRACE_CONTEXT_H

#include "base/table.h"
#include "event/names.h"
#include "trace/layout.h"

#include <timeline_layout.h>

enum {
	/* Messages without a definition.  Further messages without one share a
	 * single message. */
	TL_CONTEXT_UNKNOWN_MAX = 1 << 16
};

struct tl_context_object;

struct tl_context {
	struct tl_strings strings; /* first member: messages point to it */
	struct tl_context_object **objects;
	size_t count;
	size_t capacity;
	struct tl_table table; /* of objects, by kind and id */
	struct tl_names names; /* of threads and processes */
	size_t unknown;        /* messages without a definition */
	bool unsettled;        /* some texts are still missing */
	size_t settled;        /* number of objects whose gates are set */
	/* stands for all messages beyond the limit */
	struct tl_message nothing;
	struct timeline_knot *knots;
	size_t knot_count;
	size_t knot_capacity;
};

void tl_context_init(struct tl_context *context);
void tl_context_free(struct tl_context *context);

/* Is the kind a definition? */
static inline bool
tl_context_is_kind(uint8_t kind)
{
	return kind <= TL_TRACE_INFO;
}

/* Read the definition at in->at, and its id.  0, -EBADMSG, -ENOMEM. */
int
tl_context_read(struct tl_context *context, struct tl_data_in *in, int32_t *id);
/* Read all definitions of a block.  As tl_context_read(). */
int tl_context_read_all(struct tl_context *context, struct tl_bytes content);
/* Set the texts of messages that were defined before their texts, and the gates
 * that changed. */
void tl_context_settle(struct tl_context *context);

/* The message with an id; never NULL. */
const struct tl_message *
tl_context_message(struct tl_context *context, uint32_t id);

/* Collect all defined messages by id, in an array that the caller frees.  0 or
 * -ENOMEM. */
int tl_context_messages(struct tl_context *context,
    const struct tl_message ***messages, size_t *count);

struct tl_context_thread {
	uint32_t pid;
	uint32_t tid;
	struct tl_bytes name;
	struct tl_bytes command; /* of the process; empty: unknown */
};

/* Get the names of a thread.  false: the thread is unknown. */
bool tl_context_thread(const struct tl_context *context, int32_t id,
    struct tl_context_thread *thread);
struct tl_bytes
tl_context_info(const struct tl_context *context, const char *name);

#endif
