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
	uint32_t verbs;               /* bits 1 << TL_ASK_... */
	const char *host;             /* name of this host */
	const char *const *timelines; /* names, globs among them */
	size_t timeline_count;
	const char *snapshots; /* a folder; NULL: none can be saved */
};

/* Parse "list,priority": 0; -EINVAL and the fault. */
int tl_allow_parse(uint32_t *verbs, const char *words, struct tl_fault *fault);

/* Start a thread that answers whenever the cluster can be reached.  options
 * outlive it.  0; -errno and the fault. */
int tl_allow_start(struct tl_allow **allow,
    const struct tl_allow_options *options, struct tl_fault *fault);
/* End the thread.  NULL does nothing. */
void tl_allow_stop(struct tl_allow *allow);

/* Answer an untrusted request, as the thread does.  false: no answer, it is for
 * other hosts. */
bool tl_allow_answer(const struct tl_allow_options *options,
    struct tl_bytes request, struct tl_text *answer);

#endif
