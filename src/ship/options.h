/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - what the command line asks for: a verb, its options, its words.
 */
#ifndef TL_SHIP_OPTIONS_H
#define TL_SHIP_OPTIONS_H

#include "base/fault.h"
#include "base/text.h"
#include "ship/nats_link.h"

#include <stdbool.h>

enum { TL_WORDS_MAX = 64 };

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

struct tl_words {
	const char *items[TL_WORDS_MAX];
	size_t count;
};

struct tl_options {
	enum tl_ship_verb verb;
	const char *given[TL_SHIP_OPTIONS]; /* its word, the last; "" without
					       one; NULL: not given */
	struct tl_words operands;
	struct tl_words hosts; /* of --host, all of them ... */
	struct tl_words timelines;
};

static inline bool
tl_options_has(const struct tl_options *options, enum tl_ship_option option)
{
	return options->given[option] != NULL;
}

/* Read the command line, whose words must outlive the options.  -EINVAL and
 * the fault's text for a usage error. */
int tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault);
/* What --help says, of a verb or of all. */
void tl_options_help(struct tl_text *text, enum tl_ship_verb verb);

/* The value of an option, between two bounds; *value stays when it was not
 * given.  0, -EINVAL and a fault. */
int
tl_options_size(const struct tl_options *options, enum tl_ship_option option,
    uint64_t least, uint64_t *value, struct tl_fault *fault);
int tl_options_duration(const struct tl_options *options,
    enum tl_ship_option option, int64_t least_ns, int64_t *ns,
    struct tl_fault *fault);
int
tl_options_number(const struct tl_options *options, enum tl_ship_option option,
    uint64_t least, uint64_t most, uint64_t *value, struct tl_fault *fault);
/* All that is said of the cluster. */
int tl_options_nats(const struct tl_options *options,
    struct tl_nats_options *nats, struct tl_fault *fault);

#endif
