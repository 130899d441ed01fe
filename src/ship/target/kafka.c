/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kafka.c - blocks as messages of a topic, by an idempotent producer:
 *
 *	key <host>/<timeline>	so that a chain stays in one partition, whose
 *				order is that of sending
 *	headers			as those of NATS: Nats-Msg-Id and Timeline-...
 *
 * The library never gives up a message, so that none can overtake another.
 * After ACK_MS without a report the producer is destroyed with all its
 * messages; they are sent again, may be stored twice, in order, and readers
 * drop the second copy by its id.
 */
#include "ship/target/target.h"

#include <errno.h>
#include <strings.h>

#define SCHEME "kafka://"

bool
tl_kafka_is_url(const char *url)
{
	return strncasecmp(url, SCHEME, strlen(SCHEME)) == 0;
}

#ifndef TL_KAFKA

int
tl_kafka_target_new(struct tl_target **target,
    const struct tl_kafka_options *options, struct tl_fault *fault)
{
	(void)target;
	(void)options;
	return tl_fail(fault, -ENOTSUP, "built without Kafka");
}

#else

#	include "ship/block.h"
#	include "ship/secret.h"
#	include "ship/target/window.h"

#	include <inttypes.h>
#	include <librdkafka/rdkafka.h>
#	include <stdio.h>
#	include <stdlib.h>

enum {
	ACK_MS = 30000,
	FLUSH_MS = 10000,
	BROKERS_MAX = 4096,
	TOPIC_MAX = 250, /* limit of brokers */
	/* The default limit of brokers, and the part of it that key, headers
	 * and frame may need. */
	MESSAGE_MAX = 1048588,
	OVERHEAD_MAX = 4096
};

struct kafka_target {
	struct tl_target target; /* first: what callers see */
	const struct tl_kafka_options *options;
	char brokers[BROKERS_MAX];
	char topic[TOPIC_MAX];
	rd_kafka_t *producer; /* NULL: disconnected */
	struct tl_window window;
	uint64_t refused; /* serial of a rejected message */
	int refused_rc;   /* why; 0: none is rejected */
	struct tl_fault fault;
};

static struct kafka_target *
target_of(struct tl_target *target)
{
	return (struct kafka_target *)(void *)target;
}

static int
parse_url(struct kafka_target *t, const char *url, struct tl_fault *fault)
{
	const char *at = url + strlen(SCHEME);
	const size_t size = strcspn(at, "/");
	const char *topic = at + size + (at[size] == '/');

	if (size == 0 || size >= sizeof(t->brokers))
		return tl_fail(fault, -EINVAL, "not kafka://BROKER/TOPIC");
	memcpy(t->brokers, at, size);
	if (strspn(topic, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "0123456789._-") != strlen(topic) ||
	    strlen(topic) >= sizeof(t->topic))
		return tl_fail(fault, -EINVAL,
		    "the name of a topic is letters, digits, . _ and -");
	strcpy(t->topic, *topic ? topic : "timeline");
	return 0;
}

/* == the producer == */

static int
rc_of(rd_kafka_resp_err_t error)
{
	switch (error) {
	case RD_KAFKA_RESP_ERR_NO_ERROR:
		return 0;
	case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
		return -EMSGSIZE;
	case RD_KAFKA_RESP_ERR__QUEUE_FULL:
		return -EAGAIN;
	case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
	case RD_KAFKA_RESP_ERR__TRANSPORT:
		return -ENOTCONN;
	case RD_KAFKA_RESP_ERR__AUTHENTICATION:
	case RD_KAFKA_RESP_ERR__SSL:
	case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
		return -EACCES;
	default:
		return -EPROTO;
	}
}

/* The delivery report of a message. */
static void
delivered(rd_kafka_t *producer, const rd_kafka_message_t *message,
    void *context)
{
	struct kafka_target *t = context;
	const uint64_t serial = (uintptr_t)message->_private;
	struct tl_sending *sending = tl_window_find(&t->window, serial);
	const int rc = rc_of(message->err);

	(void)producer;
	if (!sending)
		return;
	if (rc == 0) {
		sending->state = TL_SENDING_ACKED;
	} else if (t->refused_rc == 0) {
		t->refused = serial;
		t->refused_rc = rc;
		tl_fail(&t->fault, rc, "topic %s: %s", t->topic,
		    rd_kafka_err2str(message->err));
	}
}

/* The producer recovers by itself from all but fatal errors. */
static void
failed(rd_kafka_t *producer, int error, const char *words, void *context)
{
	struct kafka_target *t = context;

	(void)producer;
	if (error == RD_KAFKA_RESP_ERR__FATAL && t->refused_rc == 0)
		t->refused_rc = -EPROTO;
	t->fault = (struct tl_fault){ 0 };
	tl_fail(&t->fault, rc_of(error), "%s", words);
}

static void
ignore_error(const rd_kafka_t *producer, int level, const char *facility,
    const char *words)
{
	(void)producer;
	(void)level;
	(void)facility;
	(void)words;
}

static int
set(rd_kafka_conf_t *conf, const char *name, const char *value,
    struct tl_fault *fault)
{
	char words[TL_FAULT_TEXT_MAX];

	if (!value || rd_kafka_conf_set(conf, name, value, words,
			  sizeof(words)) == RD_KAFKA_CONF_OK)
		return 0;
	return tl_fail(fault, -EINVAL, "%s", words);
}

static int
set_security(rd_kafka_conf_t *conf, const struct tl_kafka_options *o,
    struct tl_fault *fault)
{
	const bool tls = o->tls_ca || o->tls_cert;
	struct tl_text secret = { 0 };
	int rc = 0;

	if (!o->user && !tls)
		return 0;
	if (o->user && o->password_file)
		rc = tl_secret_read(&secret, o->password_file, fault);
	if (rc < 0 ||
	    (rc = set(conf, "security.protocol",
		 o->user ? (tls ? "sasl_ssl" : "sasl_plaintext") : "ssl",
		 fault)) < 0 ||
	    (rc = set(conf, "ssl.ca.location", o->tls_ca, fault)) < 0 ||
	    (rc = set(conf, "ssl.certificate.location", o->tls_cert, fault)) <
		0 ||
	    (rc = set(conf, "ssl.key.location", o->tls_key, fault)) < 0)
		goto forget;
	if (o->user &&
	    (rc = set(conf, "sasl.mechanisms", "PLAIN", fault)) == 0 &&
	    (rc = set(conf, "sasl.username", o->user, fault)) == 0)
		rc = set(conf, "sasl.password", tl_text_string(&secret), fault);
forget:
	tl_secret_forget(&secret);
	return rc;
}

static int
configure(struct kafka_target *t, rd_kafka_conf_t *conf, struct tl_fault *fault)
{
	static const char *const values[][2] = {
		{ "client.id", "timeline-ship" },
		{ "enable.idempotence", "true" },
		{ "message.timeout.ms", "0" }, /* never given up */
		{ "queue.buffering.max.kbytes", "16384" },
		{ "linger.ms", "0" },
		/* brokers bound the size of a batch: one block */
		{ "batch.num.messages", "1" },
		{ "socket.keepalive.enable", "true" },
		{ "reconnect.backoff.max.ms", "2000" },
	};
	char message_max[TL_UNSIGNED_MAX + 1];
	int rc = set(conf, "bootstrap.servers", t->brokers, fault);

	for (size_t i = 0; rc == 0 && i < sizeof(values) / sizeof(values[0]);
	     i++)
		rc = set(conf, values[i][0], values[i][1], fault);
	snprintf(message_max, sizeof(message_max), "%d", MESSAGE_MAX);
	if (rc == 0)
		rc = set(conf, "message.max.bytes", message_max, fault);
	rd_kafka_conf_set_opaque(conf, t);
	rd_kafka_conf_set_dr_msg_cb(conf, delivered);
	rd_kafka_conf_set_error_cb(conf, failed);
	rd_kafka_conf_set_log_cb(conf, ignore_error);
	return rc < 0 ? rc : set_security(conf, t->options, fault);
}

static int
ensure_connected(struct kafka_target *t, struct tl_fault *fault)
{
	char words[TL_FAULT_TEXT_MAX];
	rd_kafka_conf_t *conf;
	int rc;

	if (t->producer)
		return 0;
	conf = rd_kafka_conf_new();
	rc = configure(t, conf, fault);
	if (rc == 0) {
		t->producer =
		    rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof(words));
		if (t->producer)
			return 0; /* which has taken conf over */
		rc = tl_fail(fault, -EPROTO, "%s", words);
	}
	rd_kafka_conf_destroy(conf);
	return rc;
}

static int
disconnect(struct kafka_target *t, int rc)
{
	tl_window_clear(&t->window); /* first: delivery reports are ignored */
	t->refused_rc = 0;
	t->fault = (struct tl_fault){ 0 };
	if (!t->producer)
		return rc;
	rd_kafka_purge(t->producer, RD_KAFKA_PURGE_F_QUEUE |
					RD_KAFKA_PURGE_F_INFLIGHT |
					RD_KAFKA_PURGE_F_NON_BLOCKING);
	rd_kafka_poll(t->producer, 0);
	rd_kafka_destroy(t->producer);
	t->producer = NULL;
	return rc;
}

/* == sending == */

static void
add_number(rd_kafka_headers_t *headers, const char *name, bool negative,
    uint64_t value)
{
	char text[TL_SIGNED_MAX + 2];

	snprintf(text, sizeof(text), "%s%" PRIu64, negative ? "-" : "", value);
	rd_kafka_header_add(headers, name, -1, text, -1);
}

static void
add_time(rd_kafka_headers_t *headers, const char *name, int64_t ns)
{
	add_number(headers, name, ns < 0,
	    ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
}

static rd_kafka_headers_t *
make_headers(const struct tl_block *block)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new(8);
	char id[TL_BLOCK_ID_MAX];

	if (!headers)
		return NULL;
	tl_block_id_put(id, block);
	rd_kafka_header_add(headers, TL_HEADER_ID, -1, id, -1);
	add_time(headers, TL_HEADER_FROM, block->from_ns);
	add_time(headers, TL_HEADER_TO, block->to_ns);
	add_number(headers, TL_HEADER_ENTRIES, false, block->entries);
	add_number(headers, TL_HEADER_LOST, false, block->lost);
	return headers;
}

static int
produce(struct kafka_target *t, const struct tl_block *block)
{
	char key[2 * TL_BLOCK_NAME_MAX + 2];
	rd_kafka_headers_t *headers = make_headers(block);
	rd_kafka_resp_err_t error;
	const int size =
	    snprintf(key, sizeof(key), "%s/%s", block->host, block->timeline);

	if (!headers)
		return -ENOMEM;
	error = rd_kafka_producev(t->producer, RD_KAFKA_V_TOPIC(t->topic),
	    RD_KAFKA_V_KEY(key, (size_t)size), RD_KAFKA_V_HEADERS(headers),
	    RD_KAFKA_V_VALUE((void *)(uintptr_t)block->data.data,
		block->data.size),
	    RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
	    RD_KAFKA_V_OPAQUE((void *)(uintptr_t)t->window.next),
	    RD_KAFKA_V_END);
	if (error)
		rd_kafka_headers_destroy(headers);
	return rc_of(error);
}

static int
kafka_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct kafka_target *t = target_of(target);
	struct tl_sending *sending;
	int rc = ensure_connected(t, fault);

	if (rc < 0)
		return rc;
	if (block->data.size > target->size_max)
		return tl_fail(fault, -EMSGSIZE,
		    "block of %zu bytes: the broker takes %zu",
		    block->data.size, target->size_max);
	if (!tl_window_has_room(&t->window, block->data.size))
		return -EAGAIN;
	rc = produce(t, block);
	if (rc == -EAGAIN)
		return rc;
	if (rc < 0)
		return disconnect(t, tl_fail(fault, rc, "cannot send"));
	sending = tl_window_add(&t->window, block, 0, NULL);
	sending->state = TL_SENDING_SENT;
	sending->sent_ms = tl_now_ms();
	return 0;
}

/* == acknowledgements == */

/* A block that is too large bounds the size from now on: it is not sent
 * again. */
static int
refuse(struct kafka_target *t, struct tl_fault *fault)
{
	const struct tl_sending *refused =
	    tl_window_find(&t->window, t->refused);
	const int rc = t->refused_rc;

	if (rc == -EMSGSIZE && refused)
		t->target.size_max = refused->size - 1;
	*fault = t->fault;
	tl_window_reject(&t->window, &t->target, t->refused, rc);
	return disconnect(t, rc);
}

static int
time_out(struct kafka_target *t, struct tl_fault *fault)
{
	if (t->fault.rc < 0)
		*fault = t->fault;
	else
		tl_fail(fault, -ETIMEDOUT, "no delivery in %d ms", ACK_MS);
	return disconnect(t, fault->rc);
}

static int
kafka_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct kafka_target *t = target_of(target);
	const int64_t end = tl_now_ms() + timeout_ms;
	int64_t left = timeout_ms;

	while (!tl_window_is_empty(&t->window) && left >= 0) {
		rd_kafka_poll(t->producer, (int)left);
		if (t->refused_rc < 0)
			return refuse(t, fault);
		if (tl_window_ack(&t->window, target) > 0)
			return 0;
		if (tl_window_time_left(&t->window, ACK_MS, ACK_MS) == 0)
			return time_out(t, fault);
		left = end - tl_now_ms() - 1;
	}
	return 0;
}

static int
kafka_finish(struct tl_target *target, struct tl_fault *fault)
{
	struct kafka_target *t = target_of(target);
	const int64_t end = tl_now_ms() + FLUSH_MS;
	int rc = 0;

	while (rc == 0 && !tl_window_is_empty(&t->window)) {
		if (tl_now_ms() > end)
			return time_out(t, fault);
		rc = kafka_wait(target, FLUSH_MS / 10, fault);
	}
	return disconnect(t, rc);
}

static void
kafka_free(struct tl_target *target)
{
	struct kafka_target *t = target_of(target);

	disconnect(t, 0);
	free(t);
}

int
tl_kafka_target_new(struct tl_target **target,
    const struct tl_kafka_options *options, struct tl_fault *fault)
{
	struct kafka_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return tl_fail(fault, -ENOMEM, "no memory");
	t->target = (struct tl_target){ .send = kafka_send,
		.wait = kafka_wait,
		.finish = kafka_finish,
		.free = kafka_free,
		.size_max = MESSAGE_MAX - OVERHEAD_MAX };
	t->options = options;
	rc = parse_url(t, options->url, fault);
	if (rc == 0)
		rc = ensure_connected(t, fault);
	if (rc < 0)
		kafka_free(&t->target);
	else
		*target = &t->target;
	return rc;
}

#endif
