/* SPDX-License-Identifier: Apache-2.0 */
/* verb_ask.c - timeline-ship ask: what hosts answer. */
#include "event/origin.h"
#include "ship/ask.h"
#include "ship/call.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

/* The glob of an option that makes sense but once. */
static int
copy_glob(struct tl_call *call, const char *option,
    const struct tl_words *words, char to[TL_ASK_NAME_MAX])
{
	if (words->count == 0)
		return 0;
	if (words->count == 1 && strlen(words->items[0]) < TL_ASK_NAME_MAX) {
		strcpy(to, words->items[0]);
		return 0;
	}
	return tl_fault(&call->fault, -EINVAL, TL_FAULT_NOWHERE,
	    "%s: one glob of less than %d bytes", option, TL_ASK_NAME_MAX);
}

static int
read_request(struct tl_call *call, struct tl_ask_request *request)
{
	const struct tl_options *o = &call->options;
	int rc;

	if (o->operands.count < 2)
		return tl_fault(&call->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "ask needs a URL, and what to ask");
	rc = tl_ship_ask_words(request, o->operands.items + 1,
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

/* The user of the cluster, or else of this machine; and its name. */
static void
set_who(struct tl_ship_ask *ask)
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
	set_who(&ask);
	ask.stop = tl_call_stops();
	return tl_ship_ask(&ask, &call->fault);
}
