/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - a window of blocks, of which each subject has one on its way:
 *
 *	acked <-- | sent  acked  sent  waits  sent  waits | <-- send
 *	            B1    A1     A2    A3     C1    B2
 *
 * Order.  A block is sent when the one before it on its subject is
 * acknowledged.  With two in flight the stream could lose its order: if the
 * leader dies, the first may be lost and the second reach the next leader, and
 * the first, sent again, is stored after it.
 *
 * Once.  An acknowledgement arrives on a subject that ends in the serial number
 * of the sending.  After any fault everything in flight is dropped together
 * with the connection, so that no late acknowledgement can be taken for
 * another, and the caller sends the same blocks again.  Whether the stream has
 * stored one of them is unknown.  So the first block of a subject on a
 * connection is preceded by a look at the last message of the subject:
 *
 *	it is this block, or a later one of its chain	--> acknowledged
 *	it is any other, with sequence N		--> sent, to be stored
 *		if the last message is still N; if not (error 10071), look again
 *
 * Rejected: Nats-Msg-Id, by which a server drops a second copy.  A server that
 * stood still and believes to lead the stream remembers the id of a message
 * that it does not store; when it follows the new leader, it drops that message
 * as a duplicate, and the acknowledged block is missing in its replica
 * (nats-server before 2.11, pull requests 6415 and 6486; tests/ship nats_2 met
 * it with 2.9.10).  A server that stood still may also deliver a copy late, and
 * store it a second time; readers leave it out.  Rejected as well: a condition
 * on each message.  Every condition that fails is counted by each replica, and
 * the counts of old servers diverge (pull request 4365).
 *
 * With a stream of warnings (protocol.h) a block is sent twice, under one
 * serial: whole, and then thinned with the sequence that the first
 * acknowledgement gave.
 */
#include "ship/target/target.h"
#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "ship/nats/link.h"
#include "ship/nats/protocol.h"
#include "ship/target/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	ACK_MS = 5000, /* longer than it takes to elect a leader */
	REPLY_MAX = 96,
	ERROR_SIZE = 10054, /* JetStream: too large for this stream */
	ERROR_LAST = 10071  /* the subject has another last message */
};

/* The last message of a subject when it was looked at on this connection. */
struct subject {
	uint64_t sequence;     /* 0: there was none */
	struct tl_block block; /* chain empty: none of ours; without data */
};

struct nats_target {
	struct tl_target target; /* first: what callers see */
	const struct tl_nats_options *options;
	struct tl_nats_url url;
	natsConnection *connection; /* NULL: unreachable */
	jsCtx *js;
	natsSubscription *acks;
	char inbox[REPLY_MAX];
	bool keeps;                   /* the stream of warnings is wanted */
	bool needed;                  /* the streams are there */
	struct tl_id_map subject_ids; /* by hash of the name, and kind */
	struct subject *subjects;     /* by id */
	size_t subject_capacity;
	struct tl_window window;
};

static struct nats_target *
target_of(struct tl_target *target)
{
	return (struct nats_target *)(void *)target;
}

static void
forget(void *message)
{
	natsMsg_Destroy(message);
}

/* == connection == */

/* Drop the connection and everything in flight: the caller sends it again. */
static int
disconnect(struct nats_target *t, int rc)
{
	tl_window_clear(&t->window);
	natsSubscription_Destroy(t->acks);
	t->acks = NULL;
	jsCtx_Destroy(t->js);
	t->js = NULL;
	tl_nats_disconnect(t->connection);
	t->connection = NULL;
	t->needed = false;
	tl_id_map_free(&t->subject_ids);
	free(t->subjects);
	t->subjects = NULL;
	t->subject_capacity = 0;
	return rc;
}

static int
disconnect_nats(struct nats_target *t, struct tl_fault *fault,
    natsStatus status, const char *what)
{
	return disconnect(t, tl_nats_fault(fault, status, what));
}

/* Apply the limit of a server or a stream; <= 0: none. */
static void
bound(struct nats_target *t, int64_t size)
{
	const size_t size_max = (size_t)size - TL_NATS_HEADERS_MAX;

	if (size > TL_NATS_HEADERS_MAX && size_max < t->target.size_max)
		t->target.size_max = size_max;
}

static int
ensure_connected(struct nats_target *t, struct tl_fault *fault)
{
	char subject[REPLY_MAX + 2];
	natsInbox *inbox = NULL;
	natsStatus s;
	int rc;

	if (t->connection)
		return 0;
	rc =
	    tl_nats_connect(&t->connection, t->options, "timeline-ship", fault);
	if (rc < 0)
		return rc;
	s = natsInbox_Create(&inbox);
	if (s == NATS_OK) {
		snprintf(t->inbox, sizeof(t->inbox), "%s", inbox);
		snprintf(subject, sizeof(subject), "%s.*", t->inbox);
		natsInbox_Destroy(inbox);
		s = natsConnection_SubscribeSync(&t->acks, t->connection,
		    subject);
	}
	if (s == NATS_OK)
		s = natsConnection_JetStream(&t->js, t->connection, NULL);
	if (s != NATS_OK)
		return disconnect_nats(t, fault, s, "cannot listen");
	t->target.size_max = SIZE_MAX;
	bound(t, natsConnection_GetMaxPayload(t->connection));
	return 0;
}

static int
ensure_stream(struct nats_target *t, const struct tl_block *block,
    struct tl_fault *fault)
{
	int64_t size_max, keep_max = 0;
	int rc;

	if (t->needed)
		return 0;
	rc = tl_nats_stream_ensure(t->js, t->options, t->url.stream,
	    TL_NATS_WHOLE, block, &size_max, fault);
	if (rc == 0 && t->keeps)
		rc = tl_nats_stream_ensure(t->js, t->options, t->url.keep,
		    TL_NATS_KEPT, block, &keep_max, fault);
	if (rc < 0)
		return disconnect(t, rc);
	bound(t, size_max);
	bound(t, keep_max);
	t->needed = true;
	return 0;
}

/* == messages == */

static natsStatus
new_message(const struct nats_target *t, natsMsg **message,
    enum tl_nats_kind kind, const struct tl_block *block, uint64_t serial)
{
	char reply[REPLY_MAX + TL_UNSIGNED_MAX + 2];

	snprintf(reply, sizeof(reply), "%s.%lu", t->inbox, serial);
	return tl_nats_message_new(message, kind, block,
	    kind == TL_NATS_KEPT ? t->url.keep : t->url.stream, reply);
}

/* == the stream of warnings == */

/* Let the copy of a block wait to be sent in place of the block. */
static int
replace(const struct nats_target *t, struct tl_sending *sending,
    const struct tl_block *copy, uint64_t sequence)
{
	natsMsg *message;
	natsStatus s =
	    new_message(t, &message, TL_NATS_KEPT, copy, sending->serial);

	if (s != NATS_OK)
		return -ENOMEM;
	if (tl_nats_header_set(message, TL_HEADER_WHOLE, sequence) != NATS_OK) {
		natsMsg_Destroy(message);
		return -ENOMEM;
	}
	forget(sending->message);
	sending->message = message;
	sending->state = TL_SENDING_WAITS;
	return 1;
}

/* The stream has stored the block under this sequence.  1: a copy of its
 * warnings waits; 0: it has none, or is damaged; -ENOMEM. */
static int
keep_warnings(const struct nats_target *t, struct tl_sending *sending,
    uint64_t sequence)
{
	struct tl_block_facts facts = { 0 };
	struct tl_text text = { 0 };
	struct tl_fault fault;
	struct tl_block block;
	int rc;

	if (!t->keeps ||
	    tl_nats_message_get(&block, sending->message, &fault) < 0)
		return 0;
	rc = tl_block_thin(&text, &facts, block.data);
	if (rc == 0) {
		block.entries = facts.block.entries;
		block.lost = facts.block.lost;
		block.data = tl_bytes(text.data, text.size);
	}
	if ((rc == 0 || rc == -EALREADY) && block.entries > 0)
		rc = replace(t, sending, &block, sequence);
	else if (rc != -ENOMEM)
		rc = 0;
	tl_block_facts_free(&facts);
	tl_text_free(&text);
	return rc;
}

/* The stream has stored the message of a sending under this sequence: its
 * warnings are next, or the sending is done.  0; -ENOMEM. */
static int
take_stored(const struct nats_target *t, struct tl_sending *sending,
    uint64_t sequence)
{
	int rc;

	sending->state = TL_SENDING_ACKED;
	if (sending->stored++ > 0)
		return 0;
	rc = keep_warnings(t, sending, sequence);
	return rc < 0 ? rc : 0;
}

/* == sending == */

/* The entry of the subject of a sending, made if it is new: *looked is false
 * then.  NULL: no memory. */
static struct subject *
find_subject(struct nats_target *t, const struct tl_sending *sending,
    bool *looked)
{
	const char *name = natsMsg_GetSubject(sending->message);
	const struct tl_id_key key = { tl_hash_bytes(tl_bytes_of(name)),
		sending->stored };
	uint32_t id;
	int rc;

	if (TL_ARRAY_ROOM(t->subjects, t->subject_capacity,
		t->subject_ids.count) < 0)
		return NULL;
	rc = tl_id_map_get(&t->subject_ids, key, &id);
	*looked = rc == 0;
	return rc < 0 ? NULL : &t->subjects[id];
}

/* Look at the last message of the subject, and let the message be stored only
 * if that is still the last. */
static int
look(struct nats_target *t, struct subject *subject, struct tl_sending *sending,
    struct tl_fault *fault)
{
	const char *stream = sending->stored > 0 ? t->url.keep : t->url.stream;
	natsStatus s;
	int rc = tl_nats_stream_last(t->js, stream,
	    natsMsg_GetSubject(sending->message), &subject->sequence,
	    &subject->block, fault);

	if (rc < 0)
		return disconnect(t, rc);
	sending->look = false;
	s = tl_nats_header_set(sending->message, TL_HEADER_LAST,
	    subject->sequence);
	return s == NATS_OK ? 0 : disconnect_nats(t, fault, s, "no memory");
}

/* 0: the message was sent, or was stored before; -errno: disconnected, and the
 * fault. */
static int
send_one(struct nats_target *t, struct tl_sending *sending,
    struct tl_fault *fault)
{
	bool looked;
	struct subject *subject = find_subject(t, sending, &looked);
	natsStatus s;
	int rc;

	if (!subject)
		return disconnect(t, tl_fail(fault, -ENOMEM, "no memory"));
	if ((!looked || sending->look) &&
	    (rc = look(t, subject, sending, fault)) < 0)
		return rc;
	/* The stream had the block when the subject was looked at. */
	if (strcmp(subject->block.chain, sending->chain) == 0 &&
	    sending->number <= subject->block.number) {
		/* the next block was sent when the warnings were stored, too */
		if (sending->number < subject->block.number)
			sending->stored++;
		rc = take_stored(t, sending, subject->sequence);
		return rc < 0 ? disconnect(t, tl_fail(fault, rc, "no memory"))
			      : 0;
	}
	s = natsConnection_PublishMsg(t->connection, sending->message);
	if (s != NATS_OK)
		return disconnect_nats(t, fault, s, "cannot send");
	sending->state = TL_SENDING_SENT;
	sending->sent_ms = tl_now_ms();
	return 0;
}

/* 0; -errno: disconnected, and the fault. */
static int
send_ready(struct nats_target *t, struct tl_fault *fault)
{
	struct tl_window *w = &t->window;

	for (uint64_t i = w->first; i < w->next; i++) {
		struct tl_sending *sending = tl_window_find(w, i);

		/* a message that was stored before may leave one of warnings */
		while (sending->state == TL_SENDING_WAITS &&
		       !tl_window_must_wait(w, sending)) {
			const int rc = send_one(t, sending, fault);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int
nats_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct nats_target *t = target_of(target);
	struct tl_bytes subject;
	natsMsg *message;
	natsStatus s;
	int rc;

	if ((rc = ensure_connected(t, fault)) < 0 ||
	    (rc = ensure_stream(t, block, fault)) < 0)
		return rc;
	if (block->data.size > target->size_max)
		return tl_fail(fault, -EMSGSIZE,
		    "block of %zu bytes: the stream takes %zu",
		    block->data.size, target->size_max);
	if (!tl_window_has_room(&t->window, block->data.size))
		return -EAGAIN;
	s = new_message(t, &message, TL_NATS_WHOLE, block, t->window.next);
	if (s != NATS_OK)
		return disconnect_nats(t, fault, s, "cannot send");
	subject = tl_bytes_of(natsMsg_GetSubject(message));
	tl_window_add(&t->window, block, tl_hash_bytes(subject), message);
	return send_ready(t, fault);
}

/* == acknowledgements == */

static struct tl_sending *
find(struct nats_target *t, natsMsg *message)
{
	const char *subject = natsMsg_GetSubject(message);
	const size_t size = strlen(t->inbox);
	uint64_t serial;

	if (strncmp(subject, t->inbox, size) != 0 || subject[size] != '.' ||
	    tl_parse_unsigned(subject + size + 1, &serial) < 0)
		return NULL;
	return tl_window_find(&t->window, serial);
}

static int
take_ack(struct nats_target *t, natsMsg *message, struct tl_fault *fault)
{
	struct tl_sending *sending = find(t, message);
	struct tl_nats_ack ack;
	int rc;

	if (!sending || sending->state != TL_SENDING_SENT)
		return 0;
	rc = tl_nats_ack_parse(&ack,
	    tl_bytes(natsMsg_GetData(message),
		(size_t)natsMsg_GetDataLength(message)));
	if (rc < 0)
		return disconnect(t,
		    tl_fail(fault, rc, "invalid acknowledgement"));
	if (ack.code == 0) {
		rc = take_stored(t, sending, ack.sequence);
		return rc < 0 ? disconnect(t, tl_fail(fault, rc, "no memory"))
			      : 0;
	}
	if (ack.error_code == ERROR_LAST) {
		sending->look = true;
		sending->state = TL_SENDING_WAITS;
		return 0;
	}
	rc = ack.error_code == ERROR_SIZE ? -EMSGSIZE : -EIO;
	tl_fail(fault, rc, "stream %s: %s",
	    sending->stored > 0 ? t->url.keep : t->url.stream, ack.error);
	tl_window_reject(&t->window, &t->target, sending->serial, rc);
	return disconnect(t, rc);
}

/* Take one acknowledgement, send what it permits: 1: a block was acked; 0:
 * none; -errno. */
static int
wait_one(struct nats_target *t, int64_t ms, struct tl_fault *fault)
{
	const int64_t wait_ms = tl_window_time_left(&t->window, ACK_MS, ms);
	natsMsg *message = NULL;
	const natsStatus s =
	    natsSubscription_NextMsg(&message, t->acks, wait_ms);
	int rc;

	if (s == NATS_NO_RESPONDERS)
		return disconnect(t,
		    tl_fail(fault, -EHOSTUNREACH,
			"stream %s: no server answers for it", t->url.stream));
	if (s != NATS_OK && s != NATS_TIMEOUT)
		return disconnect_nats(t, fault, s, "connection lost");
	if (s == NATS_OK) {
		rc = take_ack(t, message, fault);
		natsMsg_Destroy(message);
		if (rc < 0)
			return rc;
	}
	if (tl_window_time_left(&t->window, ACK_MS, ACK_MS) == 0)
		return disconnect(t,
		    tl_fail(fault, -ETIMEDOUT, "no acknowledgement in %d ms",
			ACK_MS));
	rc = send_ready(t, fault);
	if (rc < 0)
		return rc;
	return tl_window_ack(&t->window, &t->target) > 0;
}

static int
nats_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct nats_target *t = target_of(target);
	const int64_t end = tl_now_ms() + timeout_ms;
	int64_t left = timeout_ms;
	int rc = 0;

	while (!tl_window_is_empty(&t->window) && rc == 0 && left >= 0) {
		rc = wait_one(t, left, fault);
		left = end - tl_now_ms() - 1;
	}
	/* and those that have arrived already */
	while (!tl_window_is_empty(&t->window) && rc > 0)
		rc = wait_one(t, 0, fault);
	return rc < 0 ? rc : 0;
}

static int
nats_finish(struct tl_target *target, struct tl_fault *fault)
{
	struct nats_target *t = target_of(target);
	int rc = 0;

	while (!tl_window_is_empty(&t->window) && rc == 0)
		rc = nats_wait(target, ACK_MS, fault);
	return disconnect(t, rc);
}

static void
nats_free(struct tl_target *target)
{
	struct nats_target *t = target_of(target);

	disconnect(t, 0);
	free(t);
}

int
tl_nats_target_new(struct tl_target **target,
    const struct tl_nats_options *options, struct tl_fault *fault)
{
	struct nats_target *t = calloc(1, sizeof(*t));
	struct tl_fault unreachable = { 0 };
	int rc;

	if (!t)
		return tl_fail(fault, -ENOMEM, "no memory");
	t->target = (struct tl_target){ .send = nats_send,
		.wait = nats_wait,
		.finish = nats_finish,
		.free = nats_free };
	t->options = options;
	t->window.forget = forget;
	rc = tl_nats_url_parse(&t->url, options->url, fault);
	if (rc < 0) {
		free(t);
		return rc;
	}
	t->keeps = options->keep_bytes_max > 0;
	/* connect now, to report errors in the options at once */
	rc = ensure_connected(t, &unreachable);
	if (rc == -EINVAL || rc == -ENOMEM) {
		*fault = unreachable;
		nats_free(&t->target);
		return rc;
	}
	if (rc < 0)
		t->target.unreachable = unreachable;
	*target = &t->target;
	return 0;
}
