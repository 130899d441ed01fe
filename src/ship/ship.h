/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ship.h - one call of timeline-ship.  A verb is a function that reads the
 * options, does its work and appends to the text; it returns 0, or -errno
 * with the fault filled in.  Only main.c prints that and exits.
 */
#ifndef TL_SHIP_SHIP_H
#define TL_SHIP_SHIP_H

#include "base/fault.h"
#include "base/text.h"
#include "event/reader.h"
#include "ship/nats/link.h"

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
	TL_SHIP_VERB_READ,
	TL_SHIP_VERB_ASK
};

struct tl_arguments {
	const char *items[TL_ARGUMENTS_MAX];
	size_t count;
};

struct tl_options {
	enum tl_ship_verb verb;
	const char *given[TL_SHIP_OPTIONS]; /* its word, the last; "" without
					       one; NULL: not given */
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
/* Append the help of a verb, or of all verbs. */
void tl_options_help(struct tl_text *text, enum tl_ship_verb verb);

/* Parse the argument of an option, within bounds; *value stays if the option was
 * not given.  0; -EINVAL and the fault. */
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
int tl_verb_ask(struct tl_call *call);

/* Mark a fault as a usage error; returns rc. */
int tl_call_usage(struct tl_call *call, int rc);
/* SIGINT, SIGTERM and SIGHUP set this flag from now on. */
const volatile sig_atomic_t *tl_call_stop_flag(void);
/* The cluster of ask and read, by its URL.  0; -EINVAL and the fault. */
int tl_call_cluster(struct tl_call *call, struct tl_nats_options *nats,
    const char *url);
/* A time, or a duration relative to now; *ns stays if the option was not given.
 * 0; -EINVAL and the fault. */
int tl_call_time(struct tl_call *call, enum tl_ship_option option, int64_t *ns);

#endif
