/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - one call of timeline-ship.  A verb is a function that reads the
 * options, does its work and appends to the text; it returns 0, or -errno
 * with the fault filled in.  Only main.c prints that and exits.
 */
#ifndef TL_SHIP_CALL_H
#define TL_SHIP_CALL_H

#include "event/reader.h"
#include "ship/options.h"

#include <signal.h>

struct tl_call {
	struct tl_options options;
	struct tl_text out;  /* what was done, or answered */
	bool aside;          /* ... standard output has something else */
	bool usage;          /* the command line makes no sense */
	const char *subject; /* what the fault is about; NULL nothing */
	struct tl_fault fault;
	struct tl_report report; /* said at once; any thread */
};

int tl_verb_run(struct tl_call *call);
int tl_verb_read(struct tl_call *call);
int tl_verb_ask(struct tl_call *call);

/* A fault of the command line: rc. */
int tl_call_usage(struct tl_call *call, int rc);
/* From now on, signals that ask to end set this. */
const volatile sig_atomic_t *tl_call_stops(void);
/* A cluster that is asked or read, by its URL.  0, -EINVAL and the fault says
 * why. */
int tl_call_cluster(struct tl_call *call, struct tl_nats_options *nats,
    const char *url);
/* A time, or a duration from now; *ns stays when it was not given.  0, -EINVAL
 * and the fault says why. */
int tl_call_time(struct tl_call *call, enum tl_ship_option option, int64_t *ns);

#endif
