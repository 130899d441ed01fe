/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs.h - the verbs of timelinectl: one table for help and dispatch.
 */
#ifndef TL_CTL_VERBS_H
#define TL_CTL_VERBS_H

#include "ctl/call.h"

#define JSON 0
#define GROUP(title)
#define VERB(name, arguments, least, most, function, options, help) \
	int function(struct tl_call *call);
#include "ctl/verbs.def"
#undef VERB
#undef GROUP
#undef JSON

/* Ask timelined with the call's own verb and operands; the answer is appended
 * to the call's text. */
int tl_daemon_ask(struct tl_call *call);

/* The verb of a name; NULL. */
const struct tl_verb *tl_verb_find(const char *name);
/* The one whose name is nearest; NULL when none is near. */
const char *tl_verb_nearest(const char *name);

/* Read the command line.  1 when the call was answered by a text (help,
 * version), 0 when its verb is to be run, -errno. */
int tl_verbs_parse(struct tl_call *call, int argc, char **argv);

#endif
