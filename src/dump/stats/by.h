/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by.h - --by: the argument whose values divide the statistics of a message.
 *
 * The value of a span is that of its begin, or that of its end if the end has
 * arguments.  A begin is counted before its end is read, so the events are read
 * twice: first for the begins whose ends have another value.
 */
#ifndef TL_DUMP_STATS_BY_H
#define TL_DUMP_STATS_BY_H

#include "base/table.h"
#include "event/spans.h"

/* Rows of values, of all messages together; further values are left out. */
enum { TL_STATS_BY_ROWS_MAX = 1 << 16 };

/* Starts from a name and all zeros. */
struct tl_stats_by {
	const char *name;        /* of the argument; NULL: nothing is divided */
	struct tl_id_map begins; /* those whose ends have another value */
	uint64_t *values;        /* by number of the begin */
	size_t capacity;
	uint64_t left_out; /* entries of further values */
};

/* Take an event of the first reading.  0 or -ENOMEM. */
int tl_stats_by_look(struct tl_stats_by *by, const struct tl_event *event);
/* Set the value of an event in the key of its row; event is as read, named has
 * the arguments of the begin if the event is an end without any.  The address
 * in the key is odd if the value is unknown.  Returns the number of the
 * argument, from 1; 0: the message lacks it. */
unsigned tl_stats_by_key(struct tl_stats_by *by, const struct tl_event *event,
    const struct tl_event *named, struct tl_id_key *key);
void tl_stats_by_free(struct tl_stats_by *by);

#endif
