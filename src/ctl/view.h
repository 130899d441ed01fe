/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - the view of a timeline in list and top: level, counts, rate, history
 * and the processes that write to it
 */
#ifndef TL_CTL_VIEW_H
#define TL_CTL_VIEW_H

#include "base/fault.h"
#include "base/fields.h"
#include "base/table.h"
#include "base/text.h"
#include "ctl/ctl.h"
#include "event/cursor.h"
#include "event/event.h"
#include "snap/inspect.h"
#include "snap/timers.h"

#include <sys/stat.h>

/* == writers == */

enum { TL_WRITERS_MAX = 64 }; /* of one timeline */

struct tl_writer {
	uint32_t pid; /* 0: not known */
	bool known;   /* whether it is alive: not in another PID namespace */
	bool alive;
	uint64_t age_ns;  /* of its newest entry */
	char command[64]; /* its name in /proc; "": unknown */
};

struct tl_writers {
	struct tl_writer list[TL_WRITERS_MAX]; /* newest entry first */
	size_t count;
};

/* Append "hello 123, worker 124 died, ?". */
void tl_writers_put(struct tl_text *text, const struct tl_writers *writers);

/* == a timeline == */

struct tl_view {
	int fd; /* -1: it cannot be read, see fault */
	struct stat status;
	struct tl_fault fault;
	bool seen; /* inspection is set */
	struct tl_inspection inspection;
	struct tl_writers writers;
	int64_t updated_ns; /* CLOCK_MONOTONIC; 0: never */
	uint64_t fresh;     /* appended since the last update */
	int64_t round_ns;   /* time since the last update; 0: none */
};

/* Inspect the timeline; starts from { .fd = ... }.  whole: with history and
 * writers.  0 or -errno and view->fault. */
int tl_view_update(struct tl_view *view, bool whole);
/* Close the descriptor as well. */
void tl_view_free(struct tl_view *view);

/* Entries a second; 0 before the second update. */
double tl_view_rate(const struct tl_view *view);
/* "live", "saved", "imported", "old" (from before the last boot), "unknown"
 * (the boot id or the counter cannot be read), "superseded" (live, but another
 * timeline took its name). */
const char *tl_view_state(const struct tl_view *view);

/* Append "info", or "trace for 23ms" during a burst. */
void
tl_put_threshold(struct tl_text *text, const struct tl_inspection *inspection);
/* Append members of an object: state, levels, counts, rate, history,
 * writers. */
void tl_view_json(struct tl_fields *fields, const struct tl_view *view);

/* The name of a threshold. */
const char *tl_threshold_name(unsigned threshold);

/* == table == */

/*
 * The cells of a line of text.
 */

/* Make the text from start on a cell of this many columns, or more if it does
 * not fit: pad it on the right or, for numbers, on the left, and add a
 * space. */
void tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right);

static inline void
tl_cell_string(struct tl_text *text, const char *string, size_t width)
{
	const size_t start = text->size;

	tl_put_plain(text, tl_bytes_of(string));
	tl_cell_end(text, start, width, false);
}

/* Append a rate: a whole number, or one decimal below 100. */
static inline void
tl_cell_rate(struct tl_text *text, double rate, size_t width)
{
	const size_t start = text->size;

	tl_put_format(text, rate < 99.95 && rate > 0 ? "%.1f" : "%.0f", rate);
	tl_cell_end(text, start, width, true);
}

/* Append which share of the entries was read; nothing if it was all of them. */
static inline void
tl_put_share(struct tl_text *text, double share)
{
	const double percent = share * 100;

	if (share >= 1)
		return;
	tl_put_string(text, percent >= 99 ? "  (over " : "  (");
	tl_put_rounded(text, percent >= 99 ? 99 : percent, 2);
	tl_put_string(text, "% of the entries read)");
}

/* == rates == */

/*
 * How often each message of a timeline is logged, round by round.
 *
 * The work of a round is bounded.  If more was logged than can be read, the
 * newest entries represent all.  Rows outlive the cursor that their messages
 * came from: a message is known by its number in the file, and its text is
 * copied.
 */

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
