/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which entries a selection lets through.
 */
#ifndef TL_SCRIPT_SELECT_H
#define TL_SCRIPT_SELECT_H

#include "event/message_map.h"
#include "event/writer.h"
#include "script/patterns.h"
#include "script/script.h"
#include "source/progress.h"
#include "source/selection.h"
#include "source/sources.h"

struct tl_select {
	struct tl_filter filter;
	bool all;                            /* nothing is kept out */
	bool early_end;                      /* newest first may end at since */
	struct tl_message_map seen;          /* verdicts over messages */
	struct tl_script_filter *expression; /* NULL: none */
	struct tl_patterns *include;         /* NULL: all */
	struct tl_patterns *exclude;         /* NULL: none */
	struct tl_writer *labels;            /* what they compare */
	struct tl_fault fault;               /* of these */
	struct tl_progress progress;         /* of reading entries */
	uint64_t passed;                     /* entries; losses do not count */
	uint64_t messages_passed;
};

/*
 * Make one.  Relative times count from the newest entry of inputs; limits
 * (NULL: the usual) and io are those of the expression.  Returns 0, or -errno
 * and a fault when the expression or a file of patterns is wrong.
 */
int
tl_select_init(struct tl_select *select, const struct tl_selection *selection,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    const struct tl_sources *inputs, struct tl_fault *fault);
void tl_select_free(struct tl_select *select);

/* 1 it passes, 0 not, -errno with select->fault set. */
int tl_select_passes(struct tl_select *select, const struct tl_event *event);
/* Does anything of a message pass? */
bool
tl_select_message(struct tl_select *select, const struct tl_message *message);

/*
 * Nothing passed: -ENOENT and the fault that says so.  It names the first glob
 * that no category or message of inputs matches, or the first argument of the
 * expression that no message has, and the nearest that there is.
 */
int tl_select_nothing(const struct tl_select *select,
    const struct tl_selection *selection, const struct tl_sources *inputs,
    struct tl_fault *fault);

/* The events of a cursor that pass; owns the cursor (also when it fails). */
int tl_select_cursor(struct tl_select *select, enum tl_order order,
    struct tl_cursor *inner, struct tl_cursor **cursor);

#endif
