/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - answer the requests of "timeline-ship ask" for this host
 */
#ifndef TL_SHIP_ANSWER_H
#define TL_SHIP_ANSWER_H

#include "ship/ask_message.h"
#include "ship/nats/link.h"

struct tl_allow;

struct tl_allow_options {
	const struct tl_nats_options *nats;
	uint32_t verbs;               /* bit 1 << TL_ASK_...: allowed */
	const char *host;             /* our name */
	const char *const *timelines; /* names, globs among them */
	size_t timeline_count;
	const char *snapshots; /* a folder; NULL: none can be saved */
};

/* "list,priority": 0, -EINVAL and the fault says why. */
int tl_allow_parse(uint32_t *verbs, const char *words, struct tl_fault *fault);

/* Answer from now on, in a thread of its own, whenever the cluster is there.
 * All of options outlives it.  0, -errno and the fault says why. */
int tl_allow_start(struct tl_allow **allow,
    const struct tl_allow_options *options, struct tl_fault *fault);
/* Ends it.  NULL does nothing. */
void tl_allow_stop(struct tl_allow *allow);

/* The answer to a request from anybody, as JSON; false: none is given, it is
 * for other hosts.  What the thread does. */
bool tl_allow_answer(const struct tl_allow_options *options,
    struct tl_bytes request, struct tl_text *answer);

#endif
