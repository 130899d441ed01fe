/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_read.c - objects to events, see lincheck.h.
 *
 *	piece --> object --> definition --> context
 *	     \           \-> point, footer, end of a block --> event --> sink
 *	      carry: what a piece ends in                 \--> queue: it waits
 */
#include "format/lincheck_read.h"

#include "format/lincheck_calls.h"
#include "format/lincheck_message.h"
#include "format/lincheck_queue.h"
#include "format/notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

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
	BAD_NAME,
	JOINED,
	LONG,
	TOO_DEEP,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NO_OBJECT] = { -EBADMSG, "no object: skipped to the next block" },
	[SKIPPED] = { -EBADMSG, "a byte is skipped" },
	[CUT] = { -EBADMSG, "the trace ends before its end" },
	[BEHIND] = { -EBADMSG, "bytes behind the end are left out" },
	[OTHER_THREAD] = { -EBADMSG, "a point is not of its block's thread" },
	[NO_CALL] = { -EBADMSG, "a footer without a call is left out" },
	[NO_FOOTER] = { 0, "a call is unfinished" },
	[REDEFINED] = { -EBADMSG, "an id is defined again: the first stays" },
	[UNDEFINED] = { -EBADMSG, "what is referred to is never defined" },
	[BAD_NAME] = { -EBADMSG, "name is not modified UTF-8" },
	[JOINED] = { 0, "more than four values: the last has the rest" },
	[LONG] = { -ERANGE, "a text of more than 64 KiB is cut" },
	[TOO_DEEP] = { -ENOSPC, "a call is nested too deep: left out" },
	[TOO_MANY] = { -ENOSPC, "too many things or threads: left out" },
};

struct lincheck_read {
	struct tl_reader reader; /* first: what callers see */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_lincheck_messages messages;
	struct tl_lincheck_calls calls;
	struct tl_lincheck_queue queue;
	struct tl_lincheck_key missing; /* what the front of queue waits for */
	struct tl_notes notes;
	struct tl_text carry;
	size_t need;    /* of the carry, before it is looked at again */
	uint64_t at;    /* of the object at hand */
	uint32_t block; /* number of the thread that one is of */
	uint64_t blocks;
	bool begun;    /* is the header read? */
	bool inside;   /* a block */
	bool left_out; /* ... that is not kept */
	bool lost;     /* to the next block */
	bool ended;
	bool last; /* nothing comes any more */
};

static struct lincheck_read *
read_of(struct tl_reader *reader)
{
	return (struct lincheck_read *)(void *)reader;
}

static int
put(struct lincheck_read *r, struct tl_event *event,
    const struct tl_lincheck_thread *thread, uint32_t number)
{
	event->ns = thread->last_ns;
	event->tsc = (uint64_t)event->ns;
	event->number = (uint32_t)event->ns;
	event->tid = (uint32_t)thread->id;
	event->lane = number;
	event->level = event->message->level;
	event->cpu = TL_CPU_UNKNOWN;
	return r->sink->put(r->sink, event);
}

static int
put_point(struct lincheck_read *r, const struct tl_lincheck_object *object,
    const struct tl_message *message, uint32_t number, uint64_t at)
{
	struct tl_lincheck_thread *thread =
	    tl_lincheck_calls_at(&r->calls, number);
	struct tl_event e = { .message = message, .kind = TL_INSTANT };
	int rc;

	if (object->thread != thread->id)
		tl_note(&r->notes, OTHER_THREAD, at);
	if (object->class == TL_LINCHECK_CALL) {
		e.kind = TL_BEGIN;
		rc = tl_lincheck_calls_push(thread, message);
		if (rc == -ENOSPC)
			tl_note(&r->notes, TOO_DEEP, at);
		if (rc < 0)
			return rc == -ENOSPC ? 0 : rc;
	}
	if (!message)
		return 0;
	rc = tl_lincheck_messages_args(&r->messages, object, e.args);
	thread->last_ns = object->event;
	return rc < 0 ? rc : put(r, &e, thread, number);
}

/* What a call returned or threw, and its end. */
static int
put_footer(struct lincheck_read *r, const struct tl_lincheck_object *object,
    const struct tl_message *message, uint32_t number, uint64_t at)
{
	struct tl_lincheck_thread *thread =
	    tl_lincheck_calls_at(&r->calls, number);
	struct tl_event e = { .message = message, .kind = TL_INSTANT };
	int rc = tl_lincheck_calls_pop(thread, &message);

	if (rc == -ENOENT)
		tl_note(&r->notes, NO_CALL, at);
	if (rc < 0) /* or one that was too deep */
		return 0;
	if (e.message && e.message->argc > 0) {
		rc = tl_lincheck_messages_args(&r->messages, object, e.args);
		if (rc == 0)
			rc = put(r, &e, thread, number);
	}
	e = (struct tl_event){ .message = message,
		.kind = TL_END,
		.bare = true };
	return rc < 0 || !message ? rc : put(r, &e, thread, number);
}

static int
put_block(struct lincheck_read *r, uint32_t number)
{
	const struct tl_lincheck_thread *thread =
	    tl_lincheck_calls_at(&r->calls, number);
	struct tl_event e = { .message = r->messages.block,
		.kind = TL_INSTANT,
		.args = { r->blocks++ } };

	return put(r, &e, thread, number);
}

/* An object that has its turn: 0; 1: it must wait. */
static int
emit(struct lincheck_read *r, const struct tl_lincheck_object *object,
    uint32_t number, uint64_t at)
{
	const struct tl_message *message = NULL; /* there was no room */
	int rc;

	if (object->kind == TL_LINCHECK_BLOCK_END)
		return put_block(r, number);
	r->missing = (struct tl_lincheck_key){ TL_LINCHECK_POINT, 0 };
	rc = tl_lincheck_messages_get(&r->messages, object, r->last,
	    &r->missing, &message);
	if (rc == -ENOSPC)
		tl_note(&r->notes, TOO_MANY, at);
	else if (rc != 0)
		return rc;
	if (r->last && r->missing.kind != TL_LINCHECK_POINT &&
	    tl_lincheck_context_misses(&r->messages.context, object,
		&r->missing))
		tl_note(&r->notes, UNDEFINED, at);
	return object->kind == TL_LINCHECK_FOOTER
		   ? put_footer(r, object, message, number, at)
		   : put_point(r, object, message, number, at);
}

/* All that need not wait any longer. */
static int
drain(struct lincheck_read *r)
{
	struct tl_lincheck_waiting waiting;
	struct tl_lincheck_object object;
	struct tl_bytes bytes;
	size_t need;
	int rc;

	while (
	    (rc = tl_lincheck_queue_front(&r->queue, &waiting, &bytes)) > 0) {
		tl_lincheck_parse(&object, bytes, &need);
		rc = emit(r, &object, waiting.thread, waiting.at);
		if (rc != 0)
			return rc < 0 ? rc : 0;
		tl_lincheck_queue_pop(&r->queue);
	}
	return rc;
}

static int
take_definition(struct lincheck_read *r,
    const struct tl_lincheck_object *object)
{
	int rc = tl_lincheck_context_put(&r->messages.context, object);

	if (object->body.size > TL_DEFINER_TEXT_MAX)
		tl_note(&r->notes, LONG, r->at);
	if (rc == 1)
		tl_note(&r->notes, REDEFINED, r->at);
	if (rc == -ENOSPC)
		tl_note(&r->notes, TOO_MANY, r->at);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (tl_lincheck_queue_is_empty(&r->queue) ||
	    r->missing.kind != object->kind || r->missing.id != object->id)
		return 0;
	return drain(r);
}

static int
take_event(struct lincheck_read *r, const struct tl_lincheck_object *object,
    struct tl_bytes bytes)
{
	const struct tl_lincheck_waiting waiting = { .at = r->at,
		.thread = r->block };
	int rc = 1;

	if (r->left_out)
		return 0;
	if (tl_lincheck_queue_is_empty(&r->queue))
		rc = emit(r, object, r->block, r->at);
	return rc == 1 ? tl_lincheck_queue_put(&r->queue, waiting, bytes) : rc;
}

static int
start_block(struct lincheck_read *r, int32_t thread)
{
	const int rc = tl_lincheck_calls_find(&r->calls, thread, &r->block);

	if (rc < 0 && rc != -ENOSPC)
		return rc;
	r->left_out = rc == -ENOSPC;
	if (r->left_out)
		tl_note(&r->notes, TOO_MANY, r->at);
	r->inside = true;
	return 0;
}

/* A whole object: 0, -EBADMSG where it has no place here. */
static int
take(struct lincheck_read *r, const struct tl_lincheck_object *object,
    struct tl_bytes bytes)
{
	int rc;

	if (!r->inside) {
		if (object->kind == TL_LINCHECK_BLOCK_START)
			return start_block(r, object->id);
		r->ended = object->kind == TL_LINCHECK_EOF;
		return r->ended ? 0 : -EBADMSG;
	}
	if (object->kind < TL_LINCHECK_POINT)
		return take_definition(r, object);
	if (object->kind == TL_LINCHECK_BLOCK_START ||
	    object->kind == TL_LINCHECK_EOF)
		return -EBADMSG;
	rc = take_event(r, object, bytes);
	if (object->kind == TL_LINCHECK_BLOCK_END)
		r->inside = false;
	return rc;
}

/* Look for the end of a block behind which one begins: how many bytes are
 * before that one. */
static size_t
seek_block(struct lincheck_read *r, struct tl_bytes bytes)
{
	size_t at = 0;

	while (bytes.size - at >= TL_LINCHECK_BETWEEN &&
	       !tl_lincheck_is_between((const uint8_t *)bytes.data + at))
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

/* 0: it is the header; 1: there are too few bytes to tell. */
static int
take_header(struct lincheck_read *r, struct tl_bytes bytes)
{
	struct tl_data_in in = tl_data_in(bytes.data, bytes.size);
	const uint64_t magic = tl_data_u64(&in);
	const uint64_t version = tl_data_u64(&in);

	r->need = TL_LINCHECK_HEADER_SIZE;
	if (in.at >= sizeof(magic) && magic != TL_LINCHECK_MAGIC) {
		tl_report_say(r->report, -EBADMSG, 0, "not a Lincheck trace");
		return -EBADMSG;
	}
	if (in.bad)
		return 1;
	r->begun = true;
	if (version == TL_LINCHECK_VERSION)
		return 0;
	tl_report_say(r->report, -EPROTO, sizeof(magic),
	    "Lincheck trace of version %" PRIu64 "; only %d is read", version,
	    TL_LINCHECK_VERSION);
	return -EBADMSG;
}

/* The next of bytes, and how many of them it took; 0: there are too few. */
static int
step(struct lincheck_read *r, struct tl_bytes bytes, size_t *used)
{
	struct tl_lincheck_object object;
	int64_t size;
	int rc;

	*used = 0;
	if (!r->begun) {
		rc = take_header(r, bytes);
		*used = rc == 0 ? TL_LINCHECK_HEADER_SIZE : 0;
		return rc < 0 ? rc : 0;
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
	size = tl_lincheck_parse(&object, bytes, &r->need);
	rc = size > 0 ? take(r, &object, tl_bytes(bytes.data, (size_t)size))
		      : (int)size;
	*used = size > 0 && rc == 0 ? (size_t)size : 0;
	if (rc != -EBADMSG)
		return rc;
	tl_note(&r->notes, NO_OBJECT, r->at);
	r->lost = true;
	*used = seek_block(r, bytes);
	return 0;
}

/* As much as there is of whole objects: how many bytes. */
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
	const int rc = take_all(r, tl_bytes(carry->data, carry->size), &taken);

	carry->size -= taken;
	memmove(carry->data, carry->data + taken, carry->size);
	return rc;
}

static int
lincheck_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct lincheck_read *r = read_of(reader);
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

/* What was counted elsewhere. */
static void
note_count(struct tl_notes *notes, unsigned kind, uint64_t count)
{
	if (notes->count[kind] == 0)
		notes->first[kind] = TL_FAULT_NOWHERE;
	notes->count[kind] += count;
}

static void
note_end(struct lincheck_read *r)
{
	struct tl_notes *notes = &r->notes;

	if (!r->ended)
		tl_note(notes, CUT, r->at + r->carry.size);
	note_count(notes, NO_FOOTER, tl_lincheck_calls_open(&r->calls));
	note_count(notes, BAD_NAME, r->messages.bad_name);
	note_count(notes, LONG, r->messages.cut);
	note_count(notes, TOO_MANY, r->messages.full);
	note_count(notes, JOINED, r->messages.joined);
}

static int
lincheck_finish(struct tl_reader *reader)
{
	struct lincheck_read *r = read_of(reader);
	int rc = 0;

	if (!r->begun && r->at + r->carry.size > 0) {
		tl_report_say(r->report, -EBADMSG, 0, "not a Lincheck trace");
		return -EBADMSG;
	}
	if (!r->begun)
		return 0;
	if (r->carry.size > 0) /* less than was hoped for, but perhaps wrong */
		rc = take_carry(r);
	r->last = true;
	rc = rc < 0 ? rc : drain(r);
	note_end(r);
	tl_notes_say(&r->notes, r->report);
	tl_text_clear(&r->carry);
	return rc;
}

static void
lincheck_free(struct tl_reader *reader)
{
	struct lincheck_read *r = read_of(reader);

	tl_lincheck_messages_free(&r->messages);
	tl_lincheck_calls_free(&r->calls);
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
		.free = lincheck_free };
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

/* Those of other versions, too: nobody else can say more of them. */
unsigned
tl_lincheck_recognise(struct tl_bytes first)
{
	struct tl_data_in in = tl_data_in(first.data, first.size);

	return tl_data_u64(&in) == TL_LINCHECK_MAGIC ? 100 : 0;
}
