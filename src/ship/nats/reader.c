/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - a consumer that is asked for a batch at a time.
 *
 *	reach --> consume --> fetch, fetch, ... --+
 *	  ^---- fault, or the consumer is gone ---+  from the sequence after
 *					the last one that was handed out
 *
 * The consumer is ephemeral and lives in the memory of one server; if that
 * server dies, a new consumer is created.  It is deleted at the end; if that
 * fails, the server deletes it after IDLE_NS.
 */
#include "ship/nats/protocol.h"

#include "ship/nats/link.h"
#include "ship/target/window.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define IDLE_NS INT64_C(30000000000)

enum {
	BATCH = 16,      /* messages on their way to us */
	FETCH_MS = 1000, /* how long to wait for the first of them */
	RETRY_MS = 250,  /* from fault to fault */
	/* without follow: end after this time without a message */
	PATIENCE_MS = 30000
};

struct tl_nats_reader {
	const struct tl_nats_reading *reading;
	struct tl_nats_url url;
	natsConnection *connection;
	jsCtx *js;
	natsSubscription *consumer;
	natsMsgList batch;
	int next;          /* of the batch */
	natsMsg *message;  /* that was handed out */
	uint64_t sequence; /* of the last message that was handed out */
	uint64_t first;    /* of the stream at the start */
	uint64_t last;     /* where to end */
	uint64_t received; /* messages of this consumer, by its own count */
	bool awaited;      /* the server has sent more than was received */
	bool ended;
	int64_t message_ms; /* when the last message came */
};

static const char *
stream_of(const struct tl_nats_reader *r)
{
	return r->reading->kind == TL_NATS_KEPT ? r->url.keep : r->url.stream;
}

static bool
is_stopped(const struct tl_nats_reader *r)
{
	return r->reading->stop && *r->reading->stop;
}

static void
drop_batch(struct tl_nats_reader *r)
{
	natsMsgList_Destroy(&r->batch);
	r->batch = (natsMsgList){ 0 };
	r->next = 0;
}

static void
end_consumer(struct tl_nats_reader *r)
{
	drop_batch(r);
	if (r->consumer) {
		natsSubscription_Unsubscribe(r->consumer); /* deletes it */
		natsSubscription_Destroy(r->consumer);
	}
	r->consumer = NULL;
}

static void
leave(struct tl_nats_reader *r)
{
	end_consumer(r);
	jsCtx_Destroy(r->js);
	r->js = NULL;
	tl_nats_disconnect(r->connection);
	r->connection = NULL;
}

static int
ensure_connected(struct tl_nats_reader *r, struct tl_fault *fault)
{
	natsStatus s;
	int rc;

	if (r->connection)
		return 0;
	rc = tl_nats_connect(&r->connection, r->reading->options,
	    "timeline-ship read", fault);
	if (rc < 0)
		return rc;
	s = natsConnection_JetStream(&r->js, r->connection, NULL);
	if (s == NATS_OK)
		return 0;
	leave(r);
	return tl_nats_fault(fault, s, "JetStream");
}

static int
consume(struct tl_nats_reader *r, struct tl_fault *fault)
{
	jsSubOptions options;
	natsStatus s;

	if (r->consumer)
		return 0;
	jsSubOptions_Init(&options);
	options.Stream = stream_of(r);
	options.Config.AckPolicy = js_AckNone;
	options.Config.MaxDeliver = 1;
	options.Config.InactiveThreshold = IDLE_NS;
	options.Config.MemoryStorage = true;
	options.Config.Replicas = 1;

	/* From the beginning, or after what was handed out. */
	if (r->sequence > 0) {
		options.Config.DeliverPolicy = js_DeliverByStartSequence;
		options.Config.OptStartSeq = r->sequence + 1;
	} else if (r->reading->from_ns > 0) {
		options.Config.DeliverPolicy = js_DeliverByStartTime;
		options.Config.OptStartTime = r->reading->from_ns;
	} else {
		options.Config.DeliverPolicy = js_DeliverAll;
	}
	r->received = 0;
	r->awaited = false;
	s = js_PullSubscribe(&r->consumer, r->js, r->reading->subject, NULL,
	    NULL, &options, NULL);
	return s == NATS_OK ? 0 : tl_nats_fault(fault, s, "cannot read");
}

/* Fetch a batch.  Of an empty one ask the consumer: is that the end, or is it
 * gone?  On a slow link a message may cross the answer to this query: if the
 * next fetch does not have it either, it is lost. */
static int
fetch(struct tl_nats_reader *r, struct tl_fault *fault)
{
	jsConsumerInfo *info = NULL;
	natsStatus s;
	bool sent, more;

	drop_batch(r);
	s = natsSubscription_Fetch(&r->batch, r->consumer, BATCH, FETCH_MS,
	    NULL);
	if (s == NATS_OK && r->batch.Count > 0) {
		r->message_ms = tl_now_ms();
		r->awaited = false;
		return 0;
	}
	if (s == NATS_OK || s == NATS_TIMEOUT)
		s = natsSubscription_GetConsumerInfo(&info, r->consumer, NULL,
		    NULL);
	if (s != NATS_OK)
		return tl_nats_fault(fault, s, "cannot read");
	sent = info->Delivered.Consumer > r->received;
	more = info->NumPending > 0;
	jsConsumerInfo_Destroy(info);
	if (sent && r->awaited)
		return tl_fail(fault, -EIO, "messages were lost in transit");
	r->awaited = sent;
	if (!sent) {
		r->ended = !r->reading->follow && !more;
		r->message_ms = tl_now_ms();
	}
	return 0;
}

/* Disconnect.  0: try again; -errno: give up. */
static int
recover(struct tl_nats_reader *r, int rc)
{
	const struct timespec wait = { .tv_nsec = RETRY_MS * 1000000L };

	leave(r);
	if (rc == -EACCES || rc == -EINVAL || rc == -ENOMEM)
		return rc;
	if (!r->reading->follow && tl_now_ms() - r->message_ms > PATIENCE_MS)
		return rc;
	nanosleep(&wait, NULL);
	return 0;
}

static int
refill(struct tl_nats_reader *r, struct tl_fault *fault)
{
	struct tl_fault found = { 0 };
	int rc = ensure_connected(r, &found);

	if (rc == 0)
		rc = consume(r, &found);
	if (rc == 0)
		rc = fetch(r, &found);
	if (rc < 0 && (rc = recover(r, rc)) < 0)
		*fault = found;
	return rc;
}

/* The next of the batch: 1; 0: it has no metadata, or messages before it were
 * lost in transit, and a new consumer sends them again. */
static int
take(struct tl_nats_reader *r)
{
	natsMsg *taken = r->batch.Msgs[r->next];
	jsMsgMetaData *meta = NULL;
	bool ours, is_next;

	r->batch.Msgs[r->next++] = NULL;
	ours = natsMsg_GetMetaData(&meta, taken) == NATS_OK;
	is_next = ours && meta->Sequence.Consumer == r->received + 1;
	if (is_next) { /* the stream was read up to it */
		r->message = taken;
		r->received++;
		r->sequence = meta->Sequence.Stream;
		r->ended |= !r->reading->follow &&
			    (r->sequence >= r->last || meta->NumPending == 0);
	}
	jsMsgMetaData_Destroy(meta);
	if (is_next)
		return 1;
	natsMsg_Destroy(taken);
	if (ours)
		end_consumer(r);
	return 0;
}

int
tl_nats_reader_next(struct tl_nats_reader *r, struct tl_nats_read *read,
    struct tl_fault *fault)
{
	int rc;

	natsMsg_Destroy(r->message);
	r->message = NULL;
	while (!is_stopped(r)) {
		if (r->ended)
			return 0;
		if (r->next < r->batch.Count) {
			if (take(r) > 0) {
				read->sequence = r->sequence;
				read->whole = tl_nats_header_get(r->message,
				    TL_HEADER_WHOLE);
				return tl_nats_message_get(&read->block,
					   r->message, fault) < 0
					   ? 2
					   : 1;
			}
			continue;
		}
		if ((rc = refill(r, fault)) < 0)
			return rc;
	}
	return 0;
}

static int
look_for(struct tl_nats_reader *r, struct tl_nats_stream_state *state,
    struct tl_fault *fault)
{
	const int rc = ensure_connected(r, fault);

	return rc < 0
		   ? rc
		   : tl_nats_stream_inspect(r->js, stream_of(r), state, fault);
}

/* Wait until the stream is created. */
static int
await(struct tl_nats_reader *r, struct tl_nats_stream_state *state,
    struct tl_fault *fault)
{
	const struct timespec wait = { .tv_nsec = RETRY_MS * 1000000L };
	int rc = -ENOENT;

	tl_report_write(r->reading->report, 0, TL_FAULT_NOWHERE,
	    "stream %s: does not exist yet; waiting for it", stream_of(r));
	while (rc < 0 && !is_stopped(r)) {
		if (rc == -ENOENT)
			nanosleep(&wait, NULL);
		else if ((rc = recover(r, rc)) < 0)
			return rc;
		rc = look_for(r, state, fault);
	}
	return 0;
}

int
tl_nats_reader_new(struct tl_nats_reader **reader,
    const struct tl_nats_reading *reading, struct tl_fault *fault)
{
	struct tl_nats_stream_state state = { 0 };
	struct tl_nats_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tl_fail(fault, -ENOMEM, "no memory");
	r->reading = reading;

	/* Find the stream, and its last message now. */
	rc = tl_nats_url_parse(&r->url, r->reading->options->url, fault);
	if (rc == 0)
		rc = look_for(r, &state, fault);
	if (rc == -ENOENT && r->reading->follow)
		rc = await(r, &state, fault);
	r->first = state.first;
	r->last = state.last;
	r->ended = !r->reading->follow && state.count == 0;
	r->message_ms = tl_now_ms();
	if (rc < 0)
		tl_nats_reader_free(r);
	else
		*reader = r;
	return rc;
}

uint64_t
tl_nats_reader_first(const struct tl_nats_reader *r)
{
	return r->first;
}

void
tl_nats_reader_free(struct tl_nats_reader *r)
{
	if (!r)
		return;
	natsMsg_Destroy(r->message);
	leave(r);
	free(r);
}
