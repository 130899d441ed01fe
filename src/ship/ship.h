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

/* A SIZE, a DURATION or an N, as the option's argument is called, and where it
 * is stored. */
struct tl_option_key {
	enum tl_ship_option option; /* TL_SHIP_OPTIONS ends a list */
	size_t offset;  /* of a member of 64 bits; a duration is in ns */
	uint64_t least; /* of the value */
	uint64_t most;  /* a duration has none */
};

/* Read the arguments of options into a struct; a member whose option was not
 * given stays.  0; -EINVAL and the fault. */
int tl_options_read(const struct tl_options *options,
    const struct tl_option_key *keys, void *to, struct tl_fault *fault);
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

#endif
