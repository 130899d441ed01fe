/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - timeline-ship ask: publish one request, gather the answers that come
 * in time
 */
#include "ship/ask.h"

#include "base/options.h"
#include "event/hosts/origin.h"
#include "event/message.h"
#include "ship/ship.h"
#include "ship/target/window.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { WAIT_MS = 2000, POLL_MS = 100, HOSTS_MAX = 65536 };

struct gather {
	const struct tl_ship_ask *ask;
	natsConnection *connection;
	natsSubscription *answers;
	struct tl_ask_answer *answer;
	uint64_t count;
	uint64_t failed;
	uint64_t timelines;
};

static int
take_level(struct tl_ask_request *request, const char *word,
    struct tl_fault *fault)
{
	const int level = tl_level_usage(word, fault);

	if (level < 0)
		return level;
	strcpy(request->level, tl_level_name((unsigned)level));
	return 0;
}

int
tl_ship_ask_parse(struct tl_ask_request *request, const char *const *words,
    size_t count, struct tl_fault *fault)
{
	static const size_t wants[TL_ASK_VERBS] = { [TL_ASK_LIST] = 1,
		[TL_ASK_PRIORITY] = 2,
		[TL_ASK_BURST] = 3,
		[TL_ASK_SNAPSHOT] = 1 };
	const char *names[TL_ASK_VERBS];
	int64_t ns = 0;
	int verb;

	if (count == 0)
		return tl_fail(fault, -EINVAL,
		    "ask needs a verb: list, priority, burst, snapshot");
	for (unsigned i = 0; i < TL_ASK_VERBS; i++)
		names[i] = tl_ask_verb_name(i);
	if (strstr(words[0], "://"))
		return tl_fail(fault, -EINVAL,
		    "%s: not a verb; the operands of ask are URL VERB...",
		    words[0]);
	verb = tl_option_choose(names, TL_ASK_VERBS, words[0], "verb", fault);
	if (verb < 0)
		return verb;
	request->verb = (enum tl_ask_verb)verb;
	if (count != wants[verb])
		return tl_fail(fault, -EINVAL, "%s takes %zu arguments",
		    words[0], wants[verb] - 1);
	if (count > 1 && verb == TL_ASK_PRIORITY &&
	    strcasecmp(words[1], "off") == 0)
		strcpy(request->level, "off");
	else if (count > 1 && take_level(request, words[1], fault) < 0)
		return -EINVAL;
	if (count > 2 && tl_option_duration(words[2], &ns, fault) < 0)
		return -EINVAL;
	if (count > 2 && ns <= 0)
		return tl_fail(fault, -EINVAL, "%s: not a duration like 100us",
		    words[2]);
	request->duration_ns = (uint64_t)ns;
	return tl_ask_request_check(request, fault);
}

/* == answers as text == */

static void
put_level(struct tl_text *out, const struct tl_ask_timeline *t)
{
	tl_put_plain(out, tl_bytes_of(t->level));
	if (t->burst_left_ns == 0)
		return;
	tl_put_string(out, " for ");
	tl_put_duration(out, t->burst_left_ns > INT64_MAX
				 ? INT64_MAX
				 : (int64_t)t->burst_left_ns);
	tl_put_string(out, ", then ");
	tl_put_plain(out, tl_bytes_of(t->base));
}

static void
put_numbers(struct tl_text *out, const struct tl_ask_timeline *t)
{
	tl_put_string(out, "  ");
	tl_put_unsigned(out, t->entries);
	tl_put_string(out, " entries  ");
	tl_put_unsigned(out, t->lost);
	tl_put_string(out, " lost  ");
	tl_put_unsigned(out, t->size);
	tl_put_string(out, " bytes  history ");
	if (t->kept_ns < 0)
		tl_put_char(out, '-');
	else
		tl_put_duration(out, t->kept_ns);
}

static void
put_timeline(struct tl_text *out, const struct tl_ship_ask *ask,
    const struct tl_ask_timeline *t)
{
	tl_put_plain(out, tl_bytes_of(t->name));
	tl_put_string(out, ": ");
	if (!t->ok) {
		tl_put_plain(out, tl_bytes_of(t->error));
	} else if (ask->request.verb == TL_ASK_SNAPSHOT) {
		tl_put_string(out, "saved ");
		tl_put_unsigned(out, t->size);
		tl_put_string(out, " bytes to ");
		tl_put_plain(out, tl_bytes_of(t->path));
	} else {
		put_level(out, t);
		if (ask->request.verb == TL_ASK_LIST)
			put_numbers(out, t);
	}
	tl_put_char(out, '\n');
}

static void
put_host(struct tl_text *out, const struct tl_ask_answer *answer)
{
	tl_put_plain(out, tl_bytes_of(answer->host));
	tl_put_char(out, ' ');
}

static void
put_answer(struct tl_text *out, const struct tl_ship_ask *ask,
    const struct tl_ask_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++) {
		put_host(out, answer);
		put_timeline(out, ask, &answer->timelines[i]);
	}
	if (answer->count > 0)
		return;
	put_host(out, answer);
	tl_put_plain(out,
	    tl_bytes_of(
		answer->error[0] ? answer->error : "no timeline of that name"));
	tl_put_char(out, '\n');
}

/* == gathering == */

static void
take_answer(struct gather *g, natsMsg *message)
{
	struct tl_text *out = g->ask->out;
	struct tl_fault fault = { 0 };
	const int rc = tl_ask_answer_parse(g->answer,
	    tl_bytes(natsMsg_GetData(message),
		(size_t)natsMsg_GetDataLength(message)),
	    &fault);

	g->count++;
	if (rc < 0) { /* the host is unknown */
		g->failed++;
		g->answer->ok = false;
		g->answer->count = 0;
		snprintf(g->answer->error, sizeof(g->answer->error),
		    "invalid answer: %.100s", fault.text);
	} else {
		g->failed += !g->answer->ok;
		g->timelines += g->answer->count;
	}
	if (!g->ask->json) {
		put_answer(out, g->ask, g->answer);
		return;
	}
	tl_ask_answer_put(out, g->answer); /* a line */
}

static bool
is_enough(const struct gather *g)
{
	const struct tl_ship_ask *ask = g->ask;

	return (ask->count > 0 && g->count >= ask->count) ||
	       g->count >= HOSTS_MAX || (ask->stop && *ask->stop);
}

static int
gather_all(struct gather *g, struct tl_fault *fault)
{
	const int64_t wait_ms =
	    g->ask->wait_ns ? g->ask->wait_ns / 1000000 : WAIT_MS;
	const int64_t end = tl_now_ms() + wait_ms;

	while (!is_enough(g)) {
		const int64_t left = end - tl_now_ms();
		natsMsg *message = NULL;
		natsStatus s;

		if (left <= 0)
			break;
		s = natsSubscription_NextMsg(&message, g->answers,
		    left < POLL_MS ? left : POLL_MS);
		if (s == NATS_NO_RESPONDERS)
			break;
		if (s == NATS_OK)
			take_answer(g, message);
		natsMsg_Destroy(message);
		if (s != NATS_OK && s != NATS_TIMEOUT)
			return tl_nats_fault(fault, s, "connection lost");
	}
	if (g->count == 0)
		return tl_fail(fault, -ENOENT, "no host answered");
	if (g->failed > 0)
		return tl_fail(fault, -EREMOTEIO, "%lu of %lu hosts failed",
		    g->failed, g->count);
	if (g->timelines == 0)
		return tl_fail(fault, -ENOENT,
		    "no host has a timeline of that name");
	return 0;
}

static natsStatus
send_request(struct gather *g)
{
	struct tl_text text = { 0 };
	natsInbox *inbox = NULL;
	natsStatus s = natsInbox_Create(&inbox);

	if (s == NATS_OK)
		s = natsConnection_SubscribeSync(&g->answers, g->connection,
		    inbox);
	tl_ask_request_put(&text, &g->ask->request);
	if (s == NATS_OK && text.rc < 0)
		s = NATS_NO_MEMORY;
	if (s == NATS_OK)
		s = natsConnection_PublishRequest(g->connection, TL_ASK_SUBJECT,
		    inbox, text.data, (int)text.size);
	tl_text_free(&text);
	natsInbox_Destroy(inbox);
	return s;
}

int
tl_ship_ask(const struct tl_ship_ask *ask, struct tl_fault *fault)
{
	const struct tl_nats_session session = { .name = "timeline-ship ask" };
	struct gather g = { .ask = ask,
		.answer = calloc(1, sizeof(*g.answer)) };
	natsStatus s;
	int rc;

	if (!g.answer)
		return tl_fail(fault, -ENOMEM, "no memory");
	rc = tl_nats_connect(&g.connection, &ask->nats, &session, fault);
	if (rc == 0) {
		s = send_request(&g);
		rc = s == NATS_OK ? gather_all(&g, fault)
				  : tl_nats_fault(fault, s, "cannot ask");
	}
	natsSubscription_Destroy(g.answers);
	tl_nats_disconnect(g.connection);
	free(g.answer);
	return rc;
}

/* == the command line == */

/* The glob of an option that may be given once. */
static int
copy_glob(struct tl_call *call, const char *option,
    const struct tl_arguments *words, char to[TL_ASK_NAME_MAX])
{
	if (words->count == 0)
		return 0;
	if (words->count == 1 && strlen(words->items[0]) < TL_ASK_NAME_MAX) {
		strcpy(to, words->items[0]);
		return 0;
	}
	return tl_fail(&call->fault, -EINVAL,
	    "%s: needs one glob of less than %d bytes", option,
	    TL_ASK_NAME_MAX);
}

static int
read_request(struct tl_call *call, struct tl_ask_request *request)
{
	const struct tl_options *o = &call->options;
	int rc;

	if (o->operands.count < 2)
		return tl_fail(&call->fault, -EINVAL,
		    "ask needs a URL and a verb");
	rc = tl_ship_ask_parse(request, o->operands.items + 1,
	    o->operands.count - 1, &call->fault);
	if (rc == 0)
		rc = copy_glob(call, "--host", &o->hosts, request->host);
	if (rc == 0)
		rc = copy_glob(call, "--timeline", &o->timelines,
		    request->timeline);
	return rc;
}

static int
read_options(struct tl_call *call, struct tl_ship_ask *ask)
{
	const struct tl_options *o = &call->options;
	int rc;

	*ask = (struct tl_ship_ask){ .json = tl_options_has(o, TL_SHIP_JSON),
		.out = &call->out };
	if ((rc = read_request(call, &ask->request)) < 0 ||
	    (rc = tl_call_cluster(call, &ask->nats, o->operands.items[0])) <
		0 ||
	    (rc = tl_options_duration(o, TL_SHIP_WAIT, 1000000, &ask->wait_ns,
		 &call->fault)) < 0)
		return rc;
	return tl_options_number(o, TL_SHIP_COUNT, 1, UINT64_MAX, &ask->count,
	    &call->fault);
}

/* Claim the user of the cluster, else that of this machine; and its host
 * name. */
static void
set_account(struct tl_ship_ask *ask)
{
	struct tl_ask_request *r = &ask->request;
	const struct passwd *user = getpwuid(geteuid());
	struct tl_origin here;

	if (ask->nats.user)
		snprintf(r->account, sizeof(r->account), "%s", ask->nats.user);
	else if (user)
		snprintf(r->account, sizeof(r->account), "%s", user->pw_name);
	else
		snprintf(r->account, sizeof(r->account), "%u",
		    (unsigned)geteuid());
	tl_origin_here(&here);
	snprintf(r->from, sizeof(r->from), "%s", here.machine);
}

int
tl_verb_ask(struct tl_call *call)
{
	struct tl_ship_ask ask;
	int rc = read_options(call, &ask);

	if (rc < 0)
		return tl_call_usage(call, rc);
	set_account(&ask);
	ask.stop = tl_call_stop_flag();
	return tl_ship_ask(&ask, &call->fault);
}
