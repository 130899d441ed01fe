/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rates.h - how often each message of a timeline is logged, round by round.
 *
 * The work of a round is bounded.  If more was logged than can be read, the
 * newest entries represent all.  Rows outlive the cursor that their messages
 * came from: a message is known by its number in the file, and its text is
 * copied.
 */
#ifndef TL_CTL_RATES_H
#define TL_CTL_RATES_H

#include "base/table.h"
#include "ctl/ctl.h"
#include "ctl/view.h"
#include "event/cursor.h"
#include "event/event.h"
#include "snap/timers.h"

/* == messages == */

enum { TL_TALLY_MAX = 1 << 16 }; /* messages */

enum tl_tally_key {
	TL_TALLY_RATE,
	TL_TALLY_TOTAL,
	TL_TALLY_PRIORITY,
	TL_TALLY_NAME,
	TL_TALLY_KEYS
};

struct tl_tally_row {
	uint32_t id; /* of its message */
	uint8_t level;
	struct tl_bytes category; /* copies */
	struct tl_bytes line;
	uint64_t seen; /* since the round began */
	double rate;   /* entries a second, in the last round */
	double total;
	/* Of a timer: its counts at the end of the last round, and the
	 * durations of spans that ended in that round. */
	struct tl_timer *before;
	uint64_t p50_ns, p99_ns, max_ns; /* all 0: no spans */
};

struct tl_tally {
	struct tl_tally_row **rows; /* ordered by tl_tally_sort */
	size_t count;
	size_t capacity;
	struct tl_table table; /* of by_id, by id of the message */
	struct tl_tally_row **by_id;
	size_t by_id_capacity;
	uint64_t seen; /* since the round began */
};

/* Starts from all zeros. */
void tl_tally_free(struct tl_tally *tally);
/* Count an event, not TL_LOST.  0 or -ENOMEM; messages beyond the limit count
 * only in seen. */
int tl_tally_put(struct tl_tally *tally, const struct tl_event *event);
/* End a round of this duration that had fresh entries, of which seen were
 * read. */
void tl_tally_end_round(struct tl_tally *tally, double seconds, uint64_t fresh);
void tl_tally_sort(struct tl_tally *tally, enum tl_tally_key key);

/* "rate", "total", "priority", "name". */
extern const char *const tl_tally_keys[TL_TALLY_KEYS];

/* == rounds == */

enum {
	TL_SAMPLE_MAX = 50000,      /* entries read in a round */
	TL_SAMPLE_TIMERS_MAX = 1024 /* more than a timeline can have */
};

struct tl_sample {
	struct tl_name name;
	struct tl_view view;
	struct tl_cursor *cursor;
	uint64_t *heads; /* of the lanes, at the end of the last round */
	size_t lane_count;
	struct tl_tally tally;
	/* all defined timers; counts spans, not entries */
	struct tl_tally timers;
	uint64_t dropped; /* before this round */
	uint64_t lost;    /* in this round: they were not stored */
	double share;     /* of the entries of this round that were read */
};

/* Start to sample a timeline.  0, or -errno and the fault of the call. */
int tl_sample_open(struct tl_sample *sample, struct tl_call *call,
    const struct tl_name *name);
/* Read the entries since the last round.  -EPIPE: the timeline was removed, a
 * normal end (tl_call_removed); -ENOENT: it was removed before all rounds of
 * -n. */
int tl_sample_round(struct tl_sample *sample, struct tl_call *call);
void tl_sample_close(struct tl_sample *sample);

#endif
