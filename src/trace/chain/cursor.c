/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - read the events of a chain, block by block.
 */
#include "base/array.h"
#include "trace/chain/chain.h"

#include "base/file.h"
#include "event/message_map.h"
#include "event/render.h"
#include "trace/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == messages == */

enum { MESSAGES_MAX = 1 << 20 };

/* Keep a text in the interner, cut to its limit.  *kept is empty if there is no
 * room. */
static int
keep(const struct tl_chain_bytes *bytes, struct tl_bytes text,
    struct tl_bytes *kept)
{
	const struct tl_strings *strings = bytes->nothing->strings;
	uint64_t number;
	const int rc = tl_interner_string(bytes->interner, text, &number);

	*kept = tl_bytes(NULL, 0);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	*kept = strings->get(strings, number);
	return 0;
}

/* Make the same message with texts that are kept.  text.data is NULL if there
 * is no room for the text. */
static int
translate_text(const struct tl_chain_bytes *bytes,
    const struct tl_message *from, struct tl_message *to)
{
	struct tl_bytes *pieces[3 + 2 * TL_ARGS_MAX] = { &to->line1,
		&to->explain, &to->after };
	size_t count = 3;
	int rc;

	*to = *from;
	to->strings = bytes->nothing->strings;
	/* these are names of the block, which will be closed */
	to->names = NULL;
	if ((rc = keep(bytes, from->text, &to->text)) < 0 ||
	    (rc = keep(bytes, from->category, &to->category)) < 0)
		return rc;
	if (from->file.size > 0)
		rc = keep(bytes, from->file, &to->file);
	if (to->text.size < from->text.size)
		to->text = tl_bytes(NULL, 0);
	if (!to->text.data)
		return rc;
	for (unsigned i = 0; i < from->argc; i++) {
		pieces[count++] = &to->args[i].name;
		pieces[count++] = &to->args[i].before;
	}
	/* the same places in the text that is kept */
	for (size_t i = 0; i < count; i++)
		if (pieces[i]->data)
			pieces[i]->data =
			    to->text.data + (pieces[i]->data - from->text.data);
	return rc;
}

/* Gates are not compared; the gate of the block that was read last is used. */
int
tl_chain_intern(struct tl_chain *chain, const struct tl_message *message,
    const struct tl_message **interned)
{
	struct tl_chain_messages *ms = &chain->messages;
	struct tl_message m, *known;
	struct tl_probe probe;
	uint64_t hash;
	uint32_t at;
	int rc = translate_text(chain->bytes, message, &m);

	if (rc < 0)
		return rc;
	*interned = chain->bytes->nothing;
	if (!m.text.data)
		return 0;
	hash = tl_hash_pair((uintptr_t)m.text.data, (uintptr_t)m.category.data);
	hash = tl_hash_more(tl_hash_more(hash, (uintptr_t)m.file.data), m.line);
	probe = tl_table_probe(&ms->table, hash);
	while (tl_probe_next(&probe, &at)) {
		known = (struct tl_message *)(uintptr_t)ms->list[at];
		if (known->text.data != m.text.data ||
		    known->category.data != m.category.data ||
		    known->file.data != m.file.data || known->line != m.line ||
		    known->kind != m.kind || known->level != m.level ||
		    known->scope != m.scope || known->builtin != m.builtin)
			continue;
		known->regated |= m.regated || known->gate != m.gate;
		known->gate = m.gate;
		*interned = known;
		return 0;
	}
	if (ms->count == MESSAGES_MAX)
		return 0;
	if (TL_ARRAY_ROOM(ms->list, ms->capacity, ms->count) < 0 ||
	    !(known = malloc(sizeof(*known))))
		return -ENOMEM;
	if ((rc = tl_table_add(&ms->table, hash, ms->count)) < 0) {
		free(known);
		return rc;
	}
	*known = m;
	known->names = &chain->names;
	known->id = (uint32_t)ms->count + 1;
	*interned = ms->list[ms->count++] = known;
	return 0;
}

void
tl_chain_messages_free(struct tl_chain_messages *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		free((void *)(uintptr_t)ms->list[i]);
	free(ms->list);
	tl_table_free(&ms->table);
}

/* == one block == */

enum { STRINGS = 64 };

/* The number of a string in the block, and in the chain. */
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
	/* messages of the block -> messages of the chain */
	struct tl_message_map map;
	struct string_seen strings[STRINGS];
	/* == in a cursor == */
	/* the next event; at the end the last event, if there was one */
	struct tl_event event;
	bool ended;
	bool hole; /* a loss is to be returned before the events of the block */
};

/* Report the damage of a block once, however often the block is opened. */
static void
note(void *context, const struct tl_fault *fault)
{
	const struct tl_chain_opened *o = context;
	const uint64_t at = fault->at == TL_FAULT_NOWHERE
				? TL_FAULT_NOWHERE
				: o->block->at + fault->at;
	struct tl_chain *chain = o->chain;
	const bool was_damaged = chain->damaged;

	if (o->block->reported)
		return;
	tl_chain_say(chain, fault->rc, at, "%s", fault->text);
	/* the last block may still be written */
	if (fault->rc == -ENODATA && chain->block_count > 0 &&
	    o->block == &chain->blocks[chain->block_count - 1])
		chain->damaged = was_damaged;
}

/* Open the trace of a block, which is a part of the file. */
static int
open_trace(struct tl_chain_opened *o, enum tl_order order)
{
	const struct tl_trace_read_options options = {
		.codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { note, o },
	};
	struct tl_fault fault = { 0 };
	struct tl_storage *data;
	int rc = tl_storage_of_part(&data, o->chain->bytes->fd, o->block->at,
	    o->block->size);

	if (rc < 0)
		return rc;
	rc = tl_trace_open_storage(&o->trace, data, NULL, &options, &fault);
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
		block->reported = true;
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

/* The number of a string in the chain.  A missing string becomes the text that
 * listings show for it. */
static int
find_string(struct tl_chain_opened *o, const struct tl_message *message,
    uint64_t *number)
{
	struct string_seen *seen = &o->strings[*number % STRINGS];
	char missing[TL_MISSING_MAX];
	struct tl_bytes text;
	int rc;

	if (seen->known && seen->number == *number) {
		*number = seen->interned;
		return 0;
	}
	text = tl_message_string(message, *number);
	if (!text.data)
		text = tl_render_missing(missing, *number);
	/* there are too many strings: a number that none has */
	seen->interned = *number | UINT64_C(1) << 63;
	rc = tl_interner_string(o->chain->bytes->interner, text,
	    &seen->interned);
	seen->number = *number;
	seen->known = rc == 0;
	*number = seen->interned;
	return rc == -ENOSPC ? 0 : rc;
}

int
tl_chain_block_next(struct tl_chain_opened *o, struct tl_event *event)
{
	const struct tl_chain_block *block = o->block;
	const struct tl_message *m;
	int rc;

	do /* without begin events that an earlier block has returned */
		rc = tl_cursor_next(o->cursor, event);
	while (rc > 0 && event->continued &&
	       (block->follows || event->ns <= block->told_ns));
	if (rc <= 0 || !(m = event->message))
		return rc;
	rc = 0;
	for (unsigned i = 0; i < m->argc && rc == 0; i++)
		if (m->args[i].format == TIMELINE_ARG_STRING)
			rc = find_string(o, m, &event->args[i]);
	if (rc == 0)
		rc = find_message(o, m, &event->message);
	return rc < 0 ? rc : 1;
}

/* == all blocks == */

struct chain_cursor {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_chain *chain;
	bool backward;
	/* number of blocks begun, from the cursor's end of the chain */
	size_t begun;
	/* in the order of their begin */
	struct tl_chain_opened *open[TL_CHAIN_OPEN_MAX];
	unsigned count;
};

/* The next block to begin.  NULL: all blocks have been begun. */
static struct tl_chain_block *
next_block(const struct chain_cursor *c)
{
	const size_t count = c->chain->block_count;

	if (c->begun == count)
		return NULL;
	return &c->chain->blocks[c->backward ? count - 1 - c->begun : c->begun];
}

/* Read the next event of an open block.  At its end close the block, unless its
 * loss is still to be returned. */
static int
read_next(struct chain_cursor *c, unsigned i)
{
	struct tl_chain_opened *o = c->open[i];
	struct tl_event event;
	int rc = 0;

	if (!o->ended && (rc = tl_chain_block_next(o, &event)) > 0) {
		o->event = event;
		return 0;
	}
	o->ended = true;
	if (o->hole)
		return rc;
	tl_chain_block_close(o);
	for (c->count--; i < c->count; i++)
		c->open[i] = c->open[i + 1];
	return rc;
}

/* Begin the next block.  A block that cannot be read is skipped. */
static int
begin_block(struct chain_cursor *c)
{
	struct tl_chain_block *block = next_block(c);
	struct tl_chain_opened *o;
	const int rc = tl_chain_block_open(&o, c->chain, block,
	    c->backward ? TL_NEWEST_FIRST : TL_OLDEST_FIRST);

	c->begun++;
	if (rc < 0)
		return rc == -EBADMSG ? 0 : rc;
	o->event.ns = tl_chain_block_end(block);
	o->hole = block->hole;
	c->open[c->count++] = o;
	return read_next(c, c->count - 1);
}

/* The open block with the next event.  Of events with equal time and lane, the
 * higher number is later. */
static unsigned
first_open(const struct chain_cursor *c)
{
	unsigned best = 0;

	for (unsigned i = 1; i < c->count; i++) {
		const struct tl_event *a = &c->open[i]->event;
		const struct tl_event *b = &c->open[best]->event;
		int order = (a->ns > b->ns) - (a->ns < b->ns);

		if (order == 0)
			order = tl_event_compare_tied(a, b);
		if (c->backward ? order > 0 : order < 0)
			best = i;
	}
	return best;
}

/*
 * May an event of the next block precede all events that were read?  In a block
 * with repeated begin events the times in the header start at these events and
 * are of no use.  The other events of the block follow the first new event of
 * the block before or, if that block is missing, the events that were returned.
 */
static bool
is_due(const struct chain_cursor *c)
{
	const struct tl_chain_block *block = next_block(c);
	int64_t first_ns;
	unsigned first;

	if (!block || c->count == 0)
		return block;
	if (c->count == TL_CHAIN_OPEN_MAX)
		return false;
	first = first_open(c);
	first_ns = c->open[first]->event.ns;
	if (c->backward)
		return block->max_ns >= first_ns;
	if (block->repeats && !block->follows && block->told_ns >= first_ns)
		return false;
	return block->min_ns <= first_ns &&
	       (!block->repeats || first == c->count - 1);
}

/* Return the first event of the open blocks, or the loss before its block. */
static int
cursor_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct chain_cursor *c = (struct chain_cursor *)(void *)cursor;
	struct tl_chain_opened *o;
	unsigned first;
	int rc = 0;

	while (is_due(c))
		if ((rc = begin_block(c)) < 0)
			return rc;
	if (c->count == 0)
		return 0;
	first = first_open(c);
	o = c->open[first];
	if (!o->hole || (c->backward && !o->ended)) {
		*event = o->event;
		rc = read_next(c, first);
	} else {
		*event = (struct tl_event){ .kind = TL_LOST,
			.lost = o->block->missing,
			.ns = o->event.ns,
			.tsc = o->event.tsc,
			.epoch = o->event.epoch,
			.cpu = TL_CPU_UNKNOWN };
		o->hole = false;
		if (o->ended)
			rc = read_next(c, first);
	}
	return rc < 0 ? rc : 1;
}

static void
cursor_close(struct tl_cursor *cursor)
{
	struct chain_cursor *c = (struct chain_cursor *)(void *)cursor;

	while (c->count > 0)
		tl_chain_block_close(c->open[--c->count]);
	free(c);
}

int
tl_chain_observed(struct tl_chain *chain, enum tl_order order,
    struct tl_observed_start *start)
{
	const size_t count = chain->block_count;
	struct tl_chain_opened *opened;
	int rc = -EBADMSG;

	tl_observed_said(start, order, tl_bytes("", 0));
	if (count > 0)
		rc = tl_chain_block_open(&opened, chain,
		    &chain->blocks[order == TL_OLDEST_FIRST ? 0 : count - 1],
		    order);
	if (rc < 0)
		return rc == -EBADMSG ? 0 : rc;
	tl_trace_observed(opened->trace, order, start);
	tl_chain_block_close(opened);
	return 0;
}

int
tl_chain_cursor(struct tl_chain *chain, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct chain_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->cursor = (struct tl_cursor){ cursor_next, cursor_close };
	c->chain = chain;
	c->backward = order == TL_NEWEST_FIRST;
	*cursor = &c->cursor;
	return 0;
}
