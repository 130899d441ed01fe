/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ship.h - timeline-ship: the command line, and what its verbs share
 *
 * Problem.  Timelines overwrite their oldest entries within seconds or hours.
 * Shipping moves them to a cluster or a directory while they are logged, never
 * delays a writer, survives a crash of any part, and counts what is lost.
 *
 *	run:  timelines --> feed --put--> spool --take--> target
 *	      (sources.c)   a thread      (spool/)        (target/, nats/,
 *	                    each                 loop.c: one  click/)
 *	                                         thread
 *	read: stream of a cluster --> blocks, concatenated, to standard output
 *
 *	block.h          the unit that is shipped
 *	spool/spool.h    the queue of blocks; what is removed when it is full
 *	target/target.h  delivery: how each block arrives exactly once
 *
 * A verb is a function that reads the options, does its work and appends its
 * report to call->out; it returns 0, or -errno with call->fault filled in.
 * Only main.c prints diagnostics and exits.
 */
#ifndef TL_SHIP_SHIP_H
#define TL_SHIP_SHIP_H

#include "base/fault.h"
#include "base/text.h"
#include "event/reader.h"
#include "ship/nats/url.h"

#include <signal.h>
#include <stdbool.h>

enum { TL_ARGUMENTS_MAX = 64 };

enum tl_ship_option {
#define GROUP(title)
#define OPTION(letter, name, argument, constant, verbs, help) \
	TL_SHIP_##constant,
#include "ship/options.def"
#undef OPTION
#undef GROUP
	TL_SHIP_OPTIONS
};

enum tl_ship_verb {
	TL_SHIP_VERB_NONE, /* help, version */
	TL_SHIP_VERB_RUN,
	TL_SHIP_VERB_READ
};

struct tl_arguments {
	const char *items[TL_ARGUMENTS_MAX];
	size_t count;
};

struct tl_options {
	enum tl_ship_verb verb;
	/* The last argument; "" if it takes none; NULL: not given. */
	const char *given[TL_SHIP_OPTIONS];
	struct tl_arguments operands;
	struct tl_arguments hosts;     /* of every --host */
	struct tl_arguments timelines; /* of every --timeline */
};

static inline bool
tl_options_has(const struct tl_options *options, enum tl_ship_option option)
{
	return options->given[option] != NULL;
}

/* Parse the command line, which must outlive the options.  0; -EINVAL and the
 * fault for a usage error. */
int tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault);
/* Append the help that was asked for, of the verb or of all verbs: 0, -EINVAL
 * and a fault. */
int tl_options_help(const struct tl_options *options, struct tl_text *text,
    struct tl_fault *fault);

/* Parse the argument of an option, within bounds; *value stays if the option
 * was not given.  0; -EINVAL and the fault. */
int
tl_options_size(const struct tl_options *options, enum tl_ship_option option,
    uint64_t least, uint64_t *value, struct tl_fault *fault);
int tl_options_duration(const struct tl_options *options,
    enum tl_ship_option option, int64_t least_ns, int64_t *ns,
    struct tl_fault *fault);
int
tl_options_number(const struct tl_options *options, enum tl_ship_option option,
    uint64_t least, uint64_t most, uint64_t *value, struct tl_fault *fault);
/* The options of the connection to NATS. */
int tl_options_nats(const struct tl_options *options,
    struct tl_nats_options *nats, struct tl_fault *fault);

/* == calls == */

struct tl_call {
	struct tl_options options;
	struct tl_text out;  /* the report */
	bool aside;          /* to standard error: blocks use standard output */
	bool usage;          /* a usage error */
	const char *subject; /* of the fault; NULL: none */
	struct tl_fault fault;
	struct tl_report report; /* printed at once; any thread */
};

int tl_verb_run(struct tl_call *call);
int tl_verb_read(struct tl_call *call);

/* Mark a fault as a usage error; returns rc. */
int tl_call_usage(struct tl_call *call, int rc);
/* SIGINT, SIGTERM and SIGHUP set this flag from now on. */
const volatile sig_atomic_t *tl_call_stop_flag(void);
/* The cluster of read, by its URL.  0; -EINVAL and the fault. */
int tl_call_cluster(struct tl_call *call, struct tl_nats_options *nats,
    const char *url);
/* A time, or a duration relative to now; *ns stays if the option was not given.
 * 0; -EINVAL and the fault. */
int tl_call_time(struct tl_call *call, enum tl_ship_option option, int64_t *ns);

#endif
