/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c - one block of a chain while it is read: a trace that lies in
 * a part of the file, and its events with what the chain knows them by.
 */
#include "base/file.h"
#include "event/message_map.h"
#include "trace/chain/work.h"
#include "trace/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STRINGS = 64 };

/* A part of a file as storage; the file stays its owner's. */
struct part {
	struct tl_storage storage; /* first: what a trace sees */
	int fd;
	uint64_t at;
};

/* A number of a string of the block, and the chain's. */
struct string_seen {
	bool known;
	uint64_t number;
	uint64_t interned;
};

struct tl_chain_opened {
	struct tl_chain *chain;
	struct tl_chain_block *block;
	struct tl_trace *trace;
	struct tl_cursor *cursor;
	struct tl_message_map map; /* of its messages to the chain's */
	struct string_seen strings[STRINGS];
};

static int64_t
part_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	const struct part *p = (const struct part *)(const void *)storage;

	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	return tl_read_at(p->fd, data, size, p->at + offset);
}

static void
part_close(struct tl_storage *storage)
{
	free(storage);
}

static struct tl_storage *
part_new(int fd, uint64_t at, uint64_t size)
{
	struct part *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct part){ .storage = { .size = size,
				.read_at = part_read_at,
				.close = part_close },
		.fd = fd,
		.at = at };
	return &p->storage;
}

/* What is wrong inside it is said once, however often it is opened. */
static void
note(void *context, const struct tl_fault *fault)
{
	const struct tl_chain_opened *o = context;
	const uint64_t at = fault->at == TL_FAULT_NOWHERE
				? TL_FAULT_NOWHERE
				: o->block->at + fault->at;

	const struct tl_chain *chain = o->chain;
	const bool was_damaged = chain->damaged;

	if (o->block->said)
		return;
	tl_chain_say(o->chain, fault->rc, at, "%s", fault->text);
	/* its writer may still be at work on the last block */
	if (fault->rc == -ENODATA && chain->block_count > 0 &&
	    o->block == &chain->blocks[chain->block_count - 1])
		o->chain->damaged = was_damaged;
}

static int
open_trace(struct tl_chain_opened *o, enum tl_order order)
{
	const struct tl_trace_read_options options = {
		.codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { note, o },
	};
	const struct tl_chain_block *block = o->block;
	struct tl_storage *part =
	    part_new(o->chain->bytes->fd, block->at, block->size);
	struct tl_fault fault = { 0 };
	int rc = part ? 0 : -ENOMEM;

	if (rc == 0)
		rc = tl_trace_open_storage(&o->trace, part, NULL, &options,
		    &fault);
	if (rc == -EBADMSG || rc == -EPROTO || rc == -ENODATA) {
		note(o, &fault);
		rc = -EBADMSG;
	}
	return rc < 0 ? rc : tl_trace_cursor(o->trace, order, &o->cursor);
}

int
tl_chain_block_open(struct tl_chain_opened **opened, struct tl_chain *chain,
    struct tl_chain_block *block, enum tl_order order)
{
	struct tl_chain_opened *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return -ENOMEM;
	o->chain = chain;
	o->block = block;
	rc = open_trace(o, order);
	if (rc == 0 || rc == -EBADMSG)
		block->said = true;
	if (rc == 0)
		*opened = o;
	else
		tl_chain_block_close(o);
	return rc;
}

void
tl_chain_block_close(struct tl_chain_opened *o)
{
	if (!o)
		return;
	tl_cursor_close(o->cursor);
	tl_trace_close(o->trace);
	tl_message_map_free(&o->map, NULL);
	free(o);
}

static int
find_message(struct tl_chain_opened *o, const struct tl_message *message,
    const struct tl_message **interned)
{
	void *known = tl_message_map_find(&o->map, message);
	int rc;

	if (known) {
		*interned = known;
		return 0;
	}
	rc = tl_chain_intern(o->chain, message, interned);
	if (rc == 0)
		rc = tl_message_map_add(&o->map, message,
		    (void *)(uintptr_t)*interned);
	return rc == -ENOSPC ? 0 : rc;
}

/* The chain's number of a string; one that names none gets the top bit, which
 * no number of a interner's string has. */
static int
find_string(struct tl_chain_opened *o, const struct tl_message *message,
    uint64_t *number)
{
	struct string_seen *seen = &o->strings[*number % STRINGS];
	struct tl_bytes text;
	int rc = 0;

	if (seen->known && seen->number == *number) {
		*number = seen->interned;
		return 0;
	}
	text = tl_message_string(message, *number);
	seen->interned = *number | UINT64_C(1) << 63;
	if (text.data)
		rc = tl_interner_string(o->chain->bytes->interner, text,
		    &seen->interned);
	seen->number = *number;
	seen->known = rc == 0;
	*number = seen->interned;
	return rc == -ENOSPC ? 0 : rc;
}

static int
translate(struct tl_chain_opened *o, struct tl_event *event)
{
	const struct tl_message *message = event->message;
	int rc = 0;

	if (!message)
		return 0;
	for (unsigned i = 0; i < message->argc && rc == 0; i++)
		if (message->args[i].format == TIMELINE_ARG_STRING)
			rc = find_string(o, message, &event->args[i]);
	return rc < 0 ? rc : find_message(o, message, &event->message);
}

/* Was it told before? */
static bool
is_repeated(const struct tl_chain_block *block, const struct tl_event *event)
{
	return event->continued &&
	       (block->follows || event->ns <= block->told_ns);
}

int
tl_chain_block_next(struct tl_chain_opened *o, struct tl_event *event)
{
	int rc;

	do
		rc = tl_cursor_next(o->cursor, event);
	while (rc > 0 && is_repeated(o->block, event));
	return rc <= 0 ? rc : (rc = translate(o, event)) < 0 ? rc : 1;
}
