/* SPDX-License-Identifier: Apache-2.0 */
/* allow.c - who may, and who is meant. */
#include "ship/allow.h"

#include "event/filter.h"
#include "ship/allow_act.h"
#include "ship/expand.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { POLL_MS = 100 /* for the end */, AGAIN_MS = 500 };

struct tl_allow {
	const struct tl_allow_options *options;
	natsConnection *connection;
	natsSubscription *requests;
	pthread_t thread;
	atomic_bool stop;
};

int
tl_allow_parse(uint32_t *verbs, const char *words, struct tl_fault *fault)
{
	*verbs = 0;
	for (;;) {
		const size_t size = strcspn(words, ",");
		const int verb = tl_ask_verb_parse(tl_bytes(words, size));

		if (verb < 0)
			return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
			    "%.*s: not one of list, priority, burst, snapshot",
			    (int)(size < TL_ASK_NAME_MAX ? size
							 : TL_ASK_NAME_MAX),
			    words);
		*verbs |= UINT32_C(1) << verb;
		if (words[size] == '\0')
			return 0;
		words += size + 1;
	}
}

static bool
is_meant(const char *glob, const char *name)
{
	return glob[0] == '\0' || tl_glob_matches(glob, tl_bytes_of(name));
}

/* What is asked of every timeline that is shipped. */
struct asked {
	const struct tl_allow_options *options;
	const struct tl_ask_request *request;
	struct tl_ask_answer *answer;
};

static bool
is_known(const struct tl_ask_answer *answer, const char *name)
{
	for (size_t i = 0; i < answer->count; i++) {
		if (strcmp(answer->timelines[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool
answer_path(void *context, const char *path, bool globbed)
{
	struct asked *asked = context;
	struct tl_ask_answer *answer = asked->answer;
	const char *name = tl_expand_name(path);
	struct tl_ask_timeline *timeline;

	if (!is_meant(asked->request->timeline, name) ||
	    is_known(answer, name) || (globbed && !tl_allow_is_one(path)))
		return true;
	if (answer->count == TL_ASK_TIMELINES_MAX) {
		answer->ok = false;
		return false;
	}
	timeline = &answer->timelines[answer->count++];
	snprintf(timeline->name, sizeof(timeline->name), "%s", name);
	tl_allow_act(timeline, asked->request, path, asked->options->snapshots);
	answer->ok = answer->ok && timeline->ok;
	return true;
}

static void
answer_each(const struct tl_allow_options *options,
    const struct tl_ask_request *request, struct tl_ask_answer *answer)
{
	struct asked asked = { options, request, answer };

	for (size_t i = 0; i < options->timeline_count; i++)
		tl_expand(options->timelines[i], answer_path, &asked);
}

static void
refuse(struct tl_ask_answer *answer, const char *words)
{
	answer->ok = false;
	snprintf(answer->error, sizeof(answer->error), "%s", words);
}

/* false: for others. */
static bool
fill(const struct tl_allow_options *options, struct tl_bytes json,
    struct tl_ask_answer *answer)
{
	struct tl_ask_request request;
	struct tl_fault fault = { 0 };

	answer->ok = true;
	snprintf(answer->host, sizeof(answer->host), "%s", options->host);
	if (tl_ask_request_parse(&request, json, &fault) < 0) {
		refuse(answer, fault.text);
		return true;
	}
	if (!is_meant(request.host, options->host))
		return false;
	if (!(options->verbs & UINT32_C(1) << request.verb))
		refuse(answer, "not allowed here");
	else
		answer_each(options, &request, answer);
	return true;
}

bool
tl_allow_answer(const struct tl_allow_options *options, struct tl_bytes request,
    struct tl_text *text)
{
	struct tl_ask_answer *answer = calloc(1, sizeof(*answer));
	bool meant;

	if (!answer)
		return false;
	meant = fill(options, request, answer);
	if (meant)
		tl_ask_answer_put(text, answer);
	free(answer);
	return meant && text->rc == 0;
}

static void
answer_message(struct tl_allow *allow, natsMsg *message)
{
	const char *reply = natsMsg_GetReply(message);
	struct tl_text text = { 0 };

	if (!reply || !reply[0])
		return;
	if (tl_allow_answer(allow->options,
		tl_bytes(natsMsg_GetData(message),
		    (size_t)natsMsg_GetDataLength(message)),
		&text))
		(void)natsConnection_Publish(allow->connection, reply,
		    text.data, (int)text.size);
	tl_text_free(&text);
}

static void
connected(natsConnection *connection, void *context)
{
	(void)connection;
	(void)context;
}

static void
leave(struct tl_allow *allow)
{
	natsSubscription_Destroy(allow->requests);
	allow->requests = NULL;
	tl_nats_disconnect(allow->connection);
	allow->connection = NULL;
}

static int
listen(struct tl_allow *allow, struct tl_fault *fault)
{
	const struct tl_nats_manner manner = { .name = "timeline-ship allow",
		.patient = true,
		.reconnected = connected };
	natsStatus s;
	int rc = tl_nats_connect(&allow->connection, allow->options->nats,
	    &manner, fault);

	if (rc < 0)
		return rc;
	s = natsConnection_SubscribeSync(&allow->requests, allow->connection,
	    TL_ASK_SUBJECT);
	return s == NATS_OK ? 0 : tl_nats_fault(fault, s, "cannot listen");
}

/* The library gives a connection up whose password is not taken any more; a
 * new one is made with what its file holds then. */
static void
listen_again(struct tl_allow *allow)
{
	const struct timespec pause = { .tv_nsec = AGAIN_MS * 1000000L };
	struct tl_fault fault = { 0 };

	leave(allow);
	nanosleep(&pause, NULL);
	(void)listen(allow, &fault);
}

static void *
answer_all(void *context)
{
	struct tl_allow *allow = context;

	while (!atomic_load(&allow->stop)) {
		natsMsg *message = NULL;
		const natsStatus s = natsSubscription_NextMsg(&message,
		    allow->requests, POLL_MS);

		if (s == NATS_OK)
			answer_message(allow, message);
		natsMsg_Destroy(message);
		if (s != NATS_OK && s != NATS_TIMEOUT)
			listen_again(allow);
	}
	nats_ReleaseThreadMemory();
	return NULL;
}

static int
begin(struct tl_allow *allow, struct tl_fault *fault)
{
	int rc = listen(allow, fault);

	if (rc < 0)
		return rc;
	rc = -pthread_create(&allow->thread, NULL, answer_all, allow);
	return rc < 0
		   ? tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc))
		   : 0;
}

static void
release(struct tl_allow *allow)
{
	leave(allow);
	free(allow);
}

int
tl_allow_start(struct tl_allow **allow, const struct tl_allow_options *options,
    struct tl_fault *fault)
{
	struct tl_allow *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE, "no memory");
	a->options = options;
	rc = begin(a, fault);
	if (rc < 0)
		release(a);
	else
		*allow = a;
	return rc;
}

void
tl_allow_stop(struct tl_allow *allow)
{
	if (!allow)
		return;
	atomic_store(&allow->stop, true);
	pthread_join(allow->thread, NULL);
	release(allow);
}
