/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - the control plane: list, change and save timelines of many hosts
 *
 * Problem.  An operator wants more detail from a service on a hundred hosts,
 * for ten seconds, without a login on any of them.
 *
 *	ask --request (JSON)--> subject timeline-ask --> run --allow VERBS
 *	 ^                                                | (answer.c, a thread)
 *	 +------------- answers (JSON), an inbox <--------+
 *
 * Every shipper sees every request and answers if its name matches the glob of
 * the request.  The number of hosts is unknown, so ask waits for a fixed time
 * unless --count is given or the server reports that no shipper listens.
 *
 * Trust.  Servers decide which accounts may publish on the subject; a host
 * decides by --allow which verbs it performs, and on the timelines it ships
 * only.  A change is recorded in the timeline before it is made, with the names
 * that the asking program claims; a change that cannot be recorded is not made.
 * Requests and answers are untrusted, bounded, and escaped when printed.
 *
 * Rejected: a daemon or database with the state of all hosts.  Nothing is
 * stored, so nothing can be stale; a host that is down simply does not answer.
 */
#ifndef TL_SHIP_ASK_H
#define TL_SHIP_ASK_H

#include "ship/ask_message.h"
#include "ship/nats/link.h"

#include <signal.h>

struct tl_ship_ask {
	struct tl_nats_options nats;
	struct tl_ask_request request;
	int64_t wait_ns; /* for answers; 0: 2 s */
	uint64_t count;  /* end after this many answers; 0: no bound */
	bool json;       /* a JSON object on each line, not text */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	struct tl_text *out;               /* the answers */
};

/*
 * Parse a request: "list", "priority" LEVEL, "burst" LEVEL DURATION,
 * "snapshot".  0; -EINVAL and the fault.
 */
int tl_ship_ask_parse(struct tl_ask_request *request, const char *const *words,
    size_t count, struct tl_fault *fault);

/* 0; -ENOENT: no host answered; -EREMOTEIO: a host failed, out has the reason;
 * -errno; the fault. */
int tl_ship_ask(const struct tl_ship_ask *ask, struct tl_fault *fault);

#endif
