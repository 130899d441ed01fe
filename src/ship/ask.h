/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - ask the shippers of many hosts to list, to change or to save their
 * timelines, and gather what they answer.
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
	uint64_t count;  /* answers that are enough; 0: not known */
	bool json;       /* one object a line, not words */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	struct tl_text *out;               /* what was answered */
};

/*
 * Fill in a request from words: "list", "priority" LEVEL, "burst" LEVEL
 * DURATION, "snapshot"; 0, or -EINVAL and the fault says why.
 */
int tl_ship_ask_parse(struct tl_ask_request *request, const char *const *words,
    size_t count, struct tl_fault *fault);

/* 0; -ENOENT: nobody answered; -EREMOTEIO: some host could not do it, as out
 * says; -errno; the fault says why. */
int tl_ship_ask(const struct tl_ship_ask *ask, struct tl_fault *fault);

#endif
