/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - objects to events.
 *
 * Each thread has two stacks of open containers.  Objects are parsed at once
 * and push levels; events may wait in the queue for a definition, and push
 * calls later.
 */
#include "format/lincheck/lincheck.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/table.h"
#include "base/utf8.h"
#include "event/message.h"
#include "event/reader.h"
#include "format/lincheck/context.h"
#include "format/lincheck/index.h"
#include "format/lincheck/queue.h"
#include "trace/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* == open calls of each thread == */

/* An open container. */
struct open {
	const struct tl_message *message;
	int32_t class;  /* class of the running method, or NONE */
	int32_t event;  /* its number */
	uint64_t start; /* start of its content in the stream */
	uint8_t kind;   /* its class of points */
};

/* The open containers of a thread, outermost first. */
struct stack {
	struct open *list;
	uint32_t depth;
	size_t capacity;
	uint64_t skipped; /* open containers that were too deep */
};

struct thread {
	int32_t id;
	struct stack calls; /* at the last event that was put: message, class */
	struct stack levels; /* at the last object that was parsed: the rest */
	uint64_t size;       /* bytes of the stream so far */
	int64_t last_ns;
	bool has_events;
	uint64_t name; /* string number; 0: no name */
};

/* Starts from all zeros. */
struct calls {
	struct tl_id_map numbers;
	struct thread *threads;
	size_t capacity;
};

/* Return the number of a thread, which may be new: 0, -ENOSPC, -ENOMEM. */
static int
calls_find(struct calls *c, int32_t id, uint32_t *number)
{
	const struct tl_id_key key = { .a = (uint32_t)id };
	int rc = tl_id_map_get(&c->numbers, key, number);

	if (rc >= 0 && *number >= TL_LINCHECK_THREADS_MAX)
		return -ENOSPC;
	if (rc == 1) {
		rc = TL_ARRAY_ZEROS(c->threads, c->capacity, *number);
		if (rc == 0)
			c->threads[*number].id = id;
	}
	return rc;
}

/* Open a container: 0; -ENOSPC: too deep; -ENOMEM. */
static int
push(struct stack *stack, struct open open)
{
	if (stack->depth == TL_LINCHECK_DEPTH_MAX) {
		stack->skipped++;
		return -ENOSPC;
	}
	if (TL_ARRAY_ZEROS(stack->list, stack->capacity, stack->depth) < 0)
		return -ENOMEM;
	stack->list[stack->depth++] = open;
	return 0;
}

/* Close a container: 0; -ENOENT: none is open; -ENOSPC: it was too deep. */
static int
pop(struct stack *stack, struct open *open)
{
	if (stack->skipped > 0) {
		stack->skipped--;
		return -ENOSPC;
	}
	if (stack->depth == 0)
		return -ENOENT;
	*open = stack->list[--stack->depth];
	return 0;
}

/* The innermost open container; NULL: none is open, or it is too deep. */
static const struct open *
innermost(const struct stack *stack)
{
	return stack->depth > 0 && stack->skipped == 0
		   ? &stack->list[stack->depth - 1]
		   : NULL;
}

/* == objects to events == */

enum {
	NO_OBJECT,
	SKIPPED,
	CUT,
	BEHIND,
	OTHER_THREAD,
	NO_CALL,
	NO_FOOTER,
	REDEFINED,
	UNDEFINED,
	NOT_YET,
	BAD_NAME,
	LONG,
	TOO_DEEP,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NO_OBJECT] = { -EBADMSG, "no object: skipped to the next block" },
	[SKIPPED] = { -EBADMSG, "a byte is skipped" },
	[CUT] = { -ENODATA, "the trace ends before its end" },
	[BEHIND] = { -EBADMSG, "bytes behind the end are left out" },
	[OTHER_THREAD] = { -EBADMSG, "a point is not of its block's thread" },
	[NO_CALL] = { -EBADMSG, "a footer without a call is left out" },
	[NO_FOOTER] = { 0, "a call is unfinished" },
	[REDEFINED] = { -EBADMSG, "an id is defined again: the first stays" },
	[UNDEFINED] = { -EBADMSG, "what is referred to is never defined" },
	[NOT_YET] = { -ENODATA,
	    "what is referred to was not written yet: called by its number" },
	[BAD_NAME] = { -EBADMSG, "name is not modified UTF-8" },
	[LONG] = { -ERANGE, "a text of more than 64 KiB is cut" },
	[TOO_DEEP] = { -ENOSPC, "a call is nested too deep: left out" },
	[TOO_MANY] = { -ENOSPC, "too many things or threads: left out" },
};

struct lincheck_read {
	struct tl_reader reader; /* first: callers see the reader */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_lincheck_messages messages;
	struct calls calls;
	struct tl_lincheck_queue queue;
	struct tl_lincheck_dialect dialect;
	struct tl_lincheck_cells cells; /* that the index must have */
	uint64_t block_start;
	struct tl_lincheck_key missing; /* key that the front awaits */
	struct tl_notes notes;
	struct tl_text carry;
	size_t need;    /* size of carry for the next attempt */
	uint64_t at;    /* offset of the current object */
	uint32_t block; /* number of the block's thread */
	bool begun;     /* the header was read */
	bool inside;    /* inside a block */
	bool left_out;  /* the block is skipped */
	bool lost;      /* skip to the next block */
	bool ended;
	bool last; /* the input has ended */
};

/*
 * Set the members that all events of a thread share.  The number of the last
 * point serves as time.
 */
static void
set_place(struct tl_event *event, const struct thread *thread, uint32_t number)
{
	event->ns = thread->last_ns;
	event->tsc = (uint64_t)event->ns;
	event->number = (uint32_t)event->ns;
	event->tid = (uint32_t)thread->id;
	event->lane = number;
	event->level = event->message->level;
	event->cpu = TL_CPU_UNKNOWN;
}

static int
put_point(struct lincheck_read *r, const struct tl_lincheck_object *object,
    const struct tl_message *message, uint32_t number, uint64_t at)
{
	struct thread *thread = &r->calls.threads[number];
	struct tl_event e = { .message = message, .kind = TL_INSTANT };
	int rc;

	if (object->thread != thread->id)
		tl_note(&r->notes, OTHER_THREAD, at);
	if (tl_lincheck_is_container(object->class)) {
		e.kind = TL_BEGIN;
		rc = push(&thread->calls,
		    (struct open){ .message = message,
			.class =
			    tl_lincheck_context_target(&r->messages.context,
				object) });
		if (rc == -ENOSPC)
			tl_note(&r->notes, TOO_DEEP, at);
		if (rc < 0)
			return rc == -ENOSPC ? 0 : rc;
	}
	if (!message)
		return 0;
	rc = tl_lincheck_messages_args(&r->messages, object, e.args);
	thread->last_ns = object->event;
	thread->has_events = true;
	if (rc < 0)
		return rc;
	set_place(&e, thread, number);
	return r->sink->put(r->sink, &e);
}

/* Put the result of a call, returned or thrown, and the end of the call. */
static int
put_footer(struct lincheck_read *r, const struct tl_lincheck_object *object,
    const struct tl_message *result, uint32_t number, uint64_t at)
{
	struct thread *thread = &r->calls.threads[number];
	struct tl_event e = { .message = result, .kind = TL_INSTANT };
	struct open call;
	int rc = pop(&thread->calls, &call);

	if (rc == -ENOENT)
		tl_note(&r->notes, NO_CALL, at);
	if (rc < 0) /* or the call was too deep */
		return 0;
	if (result && result->argc > 0) {
		rc = tl_lincheck_messages_args(&r->messages, object, e.args);
		set_place(&e, thread, number);
		if (rc == 0)
			rc = r->sink->put(r->sink, &e);
		if (rc < 0)
			return rc;
	}
	if (!call.message)
		return 0;
	e = (struct tl_event){ .message = call.message,
		.kind = TL_END,
		.bare = true };
	set_place(&e, thread, number);
	return r->sink->put(r->sink, &e);
}

/*
 * Put the events of a point or footer, unless it must wait for a definition: 0,
 * -errno.
 */
static int
emit(struct lincheck_read *r, struct tl_lincheck_object *object,
    uint32_t number, uint64_t at, bool *waits)
{
	const struct open *call = innermost(&r->calls.threads[number].calls);
	const bool is_footer = object->kind == TL_LINCHECK_FOOTER;
	const struct tl_message *message = NULL; /* NULL: no room */
	int rc = 0;

	object->inside = tl_lincheck_context_is_inside(&r->messages.context,
	    object, call ? call->class : TL_LINCHECK_NONE);
	r->missing = (struct tl_lincheck_key){ TL_LINCHECK_POINT, 0 };
	if (!is_footer || object->count > 0)
		rc = tl_lincheck_messages_get(&r->messages, object, r->last,
		    &r->missing, &message);
	*waits = rc == -EAGAIN;
	if (*waits)
		return 0;
	if (rc == -ENOSPC)
		tl_note(&r->notes, TOO_MANY, at);
	else if (rc < 0)
		return rc;
	if (r->last && r->missing.kind != TL_LINCHECK_POINT &&
	    tl_lincheck_context_misses(&r->messages.context, object,
		&r->missing))
		tl_note(&r->notes, UNDEFINED, at);
	return is_footer ? put_footer(r, object, message, number, at)
			 : put_point(r, object, message, number, at);
}

/* Put the events of all objects that need not wait any longer. */
static int
drain(struct lincheck_read *r)
{
	struct tl_lincheck_dialect dialect = r->dialect;
	struct tl_lincheck_waiting waiting;
	struct tl_lincheck_object object;
	struct tl_bytes bytes;
	bool waits;
	size_t need;
	int rc;

	while (!tl_lincheck_queue_is_empty(&r->queue)) {
		rc = tl_lincheck_queue_front(&r->queue, &waiting, &bytes);
		if (rc < 0)
			return rc;
		dialect.container = waiting.container;
		tl_lincheck_parse(&object, &dialect, bytes, true, &need);
		rc = emit(r, &object, waiting.thread, waiting.at, &waits);
		if (rc < 0 || waits)
			return rc;
		tl_lincheck_queue_pop(&r->queue);
	}
	return 0;
}

static int
take_definition(struct lincheck_read *r,
    const struct tl_lincheck_object *object)
{
	int rc = tl_lincheck_context_put(&r->messages.context, object);

	if (object->body.size > TL_INTERNER_TEXT_MAX)
		tl_note(&r->notes, LONG, r->at);
	if (rc == -EEXIST)
		tl_note(&r->notes, REDEFINED, r->at);
	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	if (rc < 0 && rc != -EEXIST)
		return rc;
	if (tl_lincheck_queue_is_empty(&r->queue) ||
	    r->missing.kind != object->kind || r->missing.id != object->id)
		return 0;
	return drain(r);
}

/* Take a point or footer: put its events now, or behind those that wait. */
static int
take_event(struct lincheck_read *r, struct tl_lincheck_object *object,
    struct tl_bytes bytes)
{
	const struct tl_lincheck_waiting waiting = { .at = r->at,
		.thread = r->block,
		.container = r->dialect.container };
	struct thread *thread = &r->calls.threads[r->block];
	struct open level = { .event = object->event,
		.kind = object->class,
		.start = thread->size + bytes.size };
	bool waits = !tl_lincheck_queue_is_empty(&r->queue);
	int rc = 0;

	/* count it in the layout and in the cells of the index */
	tl_lincheck_layout_add(&r->messages.strings.layout,
	    TL_LINCHECK_LAYOUT_POINTS, 0, 1);
	if (object->kind == TL_LINCHECK_POINT &&
	    tl_lincheck_is_container(object->class))
		rc = push(&thread->levels, level);
	/* the kind of a footer is the kind of a point + 1 */
	else if (object->kind == TL_LINCHECK_FOOTER &&
		 pop(&thread->levels, &level) == 0)
		tl_lincheck_cells_add(&r->cells, r->dialect.version,
		    (uint8_t)((uint8_t)bytes.data[0] - 1), level.event,
		    level.start, thread->size);
	if (rc == -ENOSPC)
		rc = 0;
	thread->size += bytes.size;
	if (rc == 0 && !waits)
		rc = emit(r, object, r->block, r->at, &waits);
	if (rc == 0 && waits)
		rc = tl_lincheck_queue_put(&r->queue, waiting, bytes);
	return rc;
}

static int
begin_block(struct lincheck_read *r, int32_t thread)
{
	const int rc = calls_find(&r->calls, thread, &r->block);

	if (rc < 0 && rc != -ENOSPC)
		return rc;
	r->left_out = rc == -ENOSPC;
	if (r->left_out)
		tl_note(&r->notes, TOO_MANY, r->at);
	r->inside = true;
	r->block_start = r->at;
	tl_lincheck_layout_add(&r->messages.strings.layout,
	    TL_LINCHECK_LAYOUT_BLOCK, 0, thread);
	return 0;
}

/* Keep the name of a thread; blocks of other threads may hold the name. */
static int
take_name(struct lincheck_read *r, const struct tl_lincheck_object *object)
{
	struct tl_text name = { 0 };
	uint32_t number;
	int rc = calls_find(&r->calls, object->id, &number);

	if (!tl_mutf8_decode(&name, object->body))
		tl_note(&r->notes, BAD_NAME, r->at);
	if (rc >= 0 && name.size > 0)
		rc = tl_interner_string(r->messages.interner,
		    tl_text_bytes(&name), &r->calls.threads[number].name);
	tl_text_free(&name);
	return rc == -ENOSPC || rc > 0 ? 0 : rc;
}

/*
 * Take an object: 0; -EBADMSG: an object of its kind is misplaced here; -errno.
 * The cell of a definition or of a thread's name points to its first byte.
 */
static int
take_object(struct lincheck_read *r, struct tl_lincheck_object *object,
    struct tl_bytes bytes)
{
	const uint8_t kind = (uint8_t)bytes.data[0];
	struct tl_lincheck_layout *layout = &r->messages.strings.layout;

	if (!r->inside && object->kind == TL_LINCHECK_BLOCK_START)
		return begin_block(r, object->id);
	if (!r->inside) {
		r->ended = object->kind == TL_LINCHECK_EOF;
		return r->ended ? 0 : -EBADMSG;
	}
	if (object->kind == TL_LINCHECK_POINT ||
	    object->kind == TL_LINCHECK_FOOTER)
		return r->left_out ? 0 : take_event(r, object, bytes);
	if (object->kind == TL_LINCHECK_BLOCK_END) {
		r->inside = false;
		if (r->left_out)
			return 0;
		tl_lincheck_layout_add(layout, TL_LINCHECK_LAYOUT_END, 0, 0);
		tl_lincheck_cells_add(&r->cells, r->dialect.version,
		    (uint8_t)(kind - 1), r->calls.threads[r->block].id,
		    r->block_start, r->at);
		return 0;
	}
	if (!tl_lincheck_is_definition(object->kind) &&
	    object->kind != TL_LINCHECK_THREAD_NAME)
		return -EBADMSG;
	if (!r->left_out) {
		r->calls.threads[r->block].size += bytes.size;
		tl_lincheck_cells_add(&r->cells, r->dialect.version, kind,
		    object->id, r->at, 0);
	}
	if (object->kind == TL_LINCHECK_THREAD_NAME)
		return take_name(r, object);
	tl_lincheck_layout_add(layout, TL_LINCHECK_LAYOUT_DEFINE, object->kind,
	    object->id);
	return take_definition(r, object);
}

/*
 * Look for a block end that a block start follows.  Return how many bytes to
 * skip, up to the block start.
 */
static size_t
seek_block(struct lincheck_read *r, struct tl_bytes bytes)
{
	size_t at = 0;

	while (bytes.size - at >= TL_LINCHECK_BETWEEN &&
	       !tl_lincheck_is_between(r->dialect.version,
		   (const uint8_t *)bytes.data + at))
		at++;
	r->need = TL_LINCHECK_BETWEEN;
	if (bytes.size - at >= TL_LINCHECK_BETWEEN) {
		r->lost = r->inside = false;
		at++;
	}
	if (at > 0)
		tl_note(&r->notes, SKIPPED, r->at);
	r->notes.count[SKIPPED] += at > 0 ? at - 1 : 0;
	return at;
}

/* Take the header, once it is whole: 0, -EBADMSG. */
static int
take_header(struct lincheck_read *r, struct tl_bytes bytes)
{
	struct tl_data_in in = tl_data_in(bytes.data, bytes.size);
	const uint64_t magic = tl_data_u64(&in);
	const uint64_t version = tl_data_u64(&in);

	r->need = TL_LINCHECK_HEADER_SIZE;
	if (in.at >= sizeof(magic) && magic != TL_LINCHECK_MAGIC) {
		tl_report_write(r->report, -EBADMSG, 0, "not a Lincheck trace");
		return -EBADMSG;
	}
	if (in.bad) /* more bytes are needed */
		return 0;
	r->begun = true;
	r->dialect.version = (uint32_t)version;
	r->messages.context.version = (uint32_t)version;
	if (version >= TL_LINCHECK_VERSION && version <= TL_LINCHECK_LAST)
		return 0;
	tl_report_write(r->report, -EPROTO, sizeof(magic),
	    "Lincheck trace of version %" PRIu64 "; versions %d to %d are read",
	    version, TL_LINCHECK_VERSION, TL_LINCHECK_LAST);
	return -EBADMSG;
}

/*
 * Take the header, one object, or the bytes to skip.  *used: how many bytes
 * were taken; 0: more bytes are needed.
 */
static int
step(struct lincheck_read *r, struct tl_bytes bytes, size_t *used)
{
	struct tl_lincheck_object object;
	const struct open *level;
	int64_t size;
	int rc;

	*used = 0;
	if (!r->begun) {
		rc = take_header(r, bytes);
		*used = rc == 0 && r->begun ? TL_LINCHECK_HEADER_SIZE : 0;
		return rc;
	}
	if (r->ended) {
		if (r->notes.count[BEHIND] == 0)
			tl_note(&r->notes, BEHIND, r->at);
		*used = bytes.size;
		return 0;
	}
	if (r->lost) {
		*used = seek_block(r, bytes);
		return 0;
	}
	level = r->inside && !r->left_out
		    ? innermost(&r->calls.threads[r->block].levels)
		    : NULL;
	r->dialect.container = level ? level->kind : TL_LINCHECK_CALL;
	size =
	    tl_lincheck_parse(&object, &r->dialect, bytes, r->last, &r->need);
	rc = (int)size;
	if (size > 0)
		rc =
		    take_object(r, &object, tl_bytes(bytes.data, (size_t)size));
	*used = size > 0 && rc == 0 ? (size_t)size : 0;
	if (rc != -EBADMSG)
		return rc;
	tl_note(&r->notes, NO_OBJECT, r->at);
	r->lost = true;
	*used = seek_block(r, bytes);
	return 0;
}

/* Take all whole objects and return their size in *taken. */
static int
take_all(struct lincheck_read *r, struct tl_bytes bytes, size_t *taken)
{
	size_t used;
	int rc;

	*taken = 0;
	do {
		rc = step(r, tl_bytes(bytes.data + *taken, bytes.size - *taken),
		    &used);
		*taken += used;
		r->at += used;
	} while (rc == 0 && used > 0 && *taken < bytes.size);
	return rc;
}

static int
take_carry(struct lincheck_read *r)
{
	struct tl_text *carry = &r->carry;
	size_t taken;
	const int rc = take_all(r, tl_text_bytes(carry), &taken);

	carry->size -= taken;
	memmove(carry->data, carry->data + taken, carry->size);
	return rc;
}

static int
lincheck_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct lincheck_read *r = (void *)reader;
	struct tl_text *carry = &r->carry;
	size_t taken = 0;
	int rc;

	if (piece.size == 0)
		return 0;
	if (carry->size == 0) {
		rc = take_all(r, piece, &taken);
		tl_put_bytes(carry,
		    tl_bytes(piece.data + taken, piece.size - taken));
		return rc < 0 ? rc : carry->rc;
	}
	tl_put_bytes(carry, piece);
	if (carry->rc < 0 || carry->size < r->need)
		return carry->rc;
	return take_carry(r);
}

/* Add notes that were counted outside of notes. */
static void
note_count(struct tl_notes *notes, unsigned kind, uint64_t count)
{
	if (notes->count[kind] == 0)
		notes->first[kind] = TL_FAULT_NOWHERE;
	notes->count[kind] += count;
}

/* Check the index.  The reader needs no index, but Lincheck does. */
static int
lincheck_beside(struct tl_reader *reader, struct tl_storage *index)
{
	struct lincheck_read *r = (void *)reader;
	struct tl_fault fault = { 0 };
	bool by_memory;
	int rc;

	if (!r->ended) { /* has the writer of the index finished it? */
		if (tl_lincheck_index_ends(index, r->dialect.version, &fault) ==
		    0)
			tl_report_write(r->report, -EBADMSG, TL_FAULT_NOWHERE,
			    "index: it was finished, and the data is not");
		return 0;
	}
	rc = tl_lincheck_index_check(index, r->dialect.version, &r->cells,
	    &by_memory, &fault);
	if (rc == 0) {
		r->messages.strings.layout.by_memory = by_memory;
		return 0;
	}
	if (rc != -EBADMSG && rc != -EIO)
		return rc;
	if (fault.at == TL_FAULT_NOWHERE)
		tl_report_write(r->report, -EBADMSG, TL_FAULT_NOWHERE,
		    "index: %s", fault.text);
	else
		tl_report_write(r->report, -EBADMSG, TL_FAULT_NOWHERE,
		    "index: byte %" PRIu64 ": %s", fault.at, fault.text);
	return 0;
}

/* == trees == */

/* Take the threads of trees, as if the events had been read. */
static int
take_threads(struct lincheck_read *r, const struct tl_lincheck_trees *trees)
{
	const struct tl_lincheck_lane *lane;
	uint32_t number;

	for (size_t i = 0; (lane = tl_lincheck_trees_lane(trees, i)); i++) {
		const int rc = calls_find(&r->calls, lane->thread, &number);

		if (rc < 0)
			return rc;
		r->calls.threads[number].name = lane->name;
		r->calls.threads[number].has_events = lane->has_points;
	}
	return 0;
}

static int
lincheck_trees(struct tl_reader *reader, struct tl_storage *input,
    struct tl_storage *index, struct tl_trees **trees)
{
	struct lincheck_read *r = (void *)reader;
	struct tl_lincheck_trees *made;
	char header[TL_LINCHECK_HEADER_SIZE];
	int64_t n = tl_storage_read_at(input, header, sizeof(header), 0);
	int rc = n < 0 ? (int)n : -EBADMSG;

	if (n == sizeof(header))
		rc = take_header(r, tl_bytes(header, sizeof(header)));
	if (rc == 0)
		rc = tl_lincheck_trees_new(&made, &r->messages, input, index,
		    r->report);
	if (rc < 0)
		return rc;
	rc = take_threads(r, made);
	if (rc < 0)
		tl_lincheck_trees_free(made);
	else
		*trees = tl_lincheck_trees_base(made);
	return rc;
}

static void
lincheck_trees_free(struct tl_trees *trees)
{
	tl_lincheck_trees_free((struct tl_lincheck_trees *)(void *)trees);
}

static bool
lincheck_thread(struct tl_reader *reader, size_t i,
    struct tl_reader_thread *thread)
{
	struct lincheck_read *r = (void *)reader;
	const bool by_id = r->dialect.version >= TL_LINCHECK_SINCE_THREAD_IDS;
	const struct tl_strings *strings = r->messages.context.strings;
	const struct thread *t;

	if (i >= r->calls.numbers.count || i >= TL_LINCHECK_THREADS_MAX ||
	    i >= r->calls.capacity)
		return false;
	t = &r->calls.threads[i];
	*thread = (struct tl_reader_thread){ .tid = (uint32_t)t->id,
		.number = (by_id ? (uint64_t)(uint32_t)t->id : i) + 1,
		.shows_name = r->dialect.version >= TL_LINCHECK_SINCE_ARGUMENTS,
		.is_empty = !t->has_events };
	if (t->name)
		thread->name = strings->get(strings, t->name);
	return true;
}

static int
lincheck_finish(struct tl_reader *reader)
{
	struct lincheck_read *r = (void *)reader;
	struct tl_lincheck_layout *layout = &r->messages.strings.layout;
	struct tl_notes *notes = &r->notes;
	uint64_t open = 0;
	int rc = 0;

	if (!r->begun && r->at + r->carry.size > 0) {
		tl_report_write(r->report, -EBADMSG, 0, "not a Lincheck trace");
		return -EBADMSG;
	}
	if (!r->begun)
		return 0;
	r->last = true;
	if (r->carry.size > 0) /* less than r->need, but perhaps bad */
		rc = take_carry(r);
	rc = rc < 0 ? rc : drain(r);

	if (!r->ended) {
		tl_note(notes, CUT, r->at + r->carry.size);
		/*
		 * A missing definition may have stood in a block of another
		 * thread, which is written when the block is full.
		 */
		notes->count[NOT_YET] = notes->count[UNDEFINED];
		notes->first[NOT_YET] = notes->first[UNDEFINED];
		notes->count[UNDEFINED] = 0;
	}
	for (uint32_t i = 0;
	     i < r->calls.numbers.count && i < r->calls.capacity; i++)
		open += r->calls.threads[i].calls.depth;
	note_count(notes, NO_FOOTER, open);
	note_count(notes, BAD_NAME, r->messages.bad_name);
	note_count(notes, LONG, r->messages.cut);
	note_count(notes, TOO_MANY, r->messages.full);

	/* Only a file without a fault is written again byte for byte. */
	layout->whole = r->dialect.version == TL_LINCHECK_VERSION;
	for (unsigned i = 0; i < TL_NOTES_MAX; i++)
		layout->whole &= notes->count[i] == 0 || kinds[i].rc == 0;
	layout->by_memory = tl_lincheck_layout_is_by_memory(layout);
	tl_notes_report(notes, r->report);
	tl_text_clear(&r->carry);
	return rc;
}

static void
lincheck_free(struct tl_reader *reader)
{
	struct lincheck_read *r = (void *)reader;

	tl_lincheck_messages_free(&r->messages);
	for (size_t i = 0; i < r->calls.capacity; i++) {
		free(r->calls.threads[i].calls.list);
		free(r->calls.threads[i].levels.list);
	}
	free(r->calls.threads);
	tl_id_map_free(&r->calls.numbers);
	tl_lincheck_queue_free(&r->queue);
	tl_text_free(&r->carry);
	free(r);
}

int
tl_lincheck_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct lincheck_read *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->reader = (struct tl_reader){ .feed = lincheck_feed,
		.finish = lincheck_finish,
		.free = lincheck_free,
		.beside_suffix = TL_LINCHECK_INDEX_SUFFIX,
		.beside = lincheck_beside,
		.trees = lincheck_trees,
		.trees_free = lincheck_trees_free,
		.thread = lincheck_thread };
	r->sink = sink;
	r->report = report;
	r->notes.kinds = kinds;
	r->queue.fd = -1;
	rc = tl_lincheck_messages_init(&r->messages);
	if (rc < 0)
		lincheck_free(&r->reader);
	else
		*reader = &r->reader;
	return rc;
}

/*
 * Recognise other versions too, so that the reader can refuse them by number.
 */
unsigned
tl_lincheck_recognise(struct tl_bytes first)
{
	struct tl_data_in in = tl_data_in(first.data, first.size);

	return tl_data_u64(&in) == TL_LINCHECK_MAGIC ? 100 : 0;
}
