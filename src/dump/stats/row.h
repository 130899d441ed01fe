/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h - a message in --stats.  A file may have a hundred thousand messages
 * with a few entries each, so a row is small.
 */
#ifndef TL_DUMP_STATS_ROW_H
#define TL_DUMP_STATS_ROW_H

#include "analysis/states.h"
#include "dump/output.h"
#include "dump/stats/observed.h"
#include "dump/stats/values.h"
#include "event/event.h"
#include "snap/timers.h"

/* The entry at which an interval begins. */
struct tl_stats_before {
	int64_t ns;
	int64_t steps_ns;
	uint64_t stretch;
	/* losses seen before the entry; UINT64_MAX: no entry */
	uint64_t losses;
	uint32_t epoch;
};

struct tl_stats_row {
	const struct tl_message *message;
	/* --by: the number of the argument, from 1, its value, and the entries
	 * of all values; 0: all values */
	uint8_t by;
	bool value_unknown; /* of an end without begin and arguments */
	uint64_t value;
	uint64_t total;
	const char *input; /* name of the file */
	uint64_t count;    /* entries, begin and end events alike */
	uint64_t begins;
	uint64_t unmarked; /* begin events whose end will not be proven */
	uint64_t ends;
	uint64_t spans;  /* end events whose begin is known */
	uint64_t proven; /* spans paired by the stamp in the end event */
	/* begins without an end and ends without a begin, since the entries of
	 * all lanes are complete: the other of an older one may be
	 * overwritten */
	uint64_t lonely_begins;
	uint64_t lonely_ends;
	/* spans that may be wrong pairs, which are not in duration */
	uint64_t unsure;
	uint64_t handed; /* spans that another thread ended */
	/* sure spans that ended before the entries of all lanes are complete,
	 * which are not in duration */
	uint64_t older;
	int64_t first_ns;
	int64_t last_ns;
	struct tl_stats_before before;
	/* since when the file is complete; INT64_MIN: always */
	int64_t complete_ns;
	uint64_t observed;     /* in observed time; a span counts once */
	int64_t observed_ns;   /* length of the observed time */
	double observed_share; /* share of all time; negative: not measured */
	int64_t known_ns;      /* tl_observed_time_since() */
	unsigned source;       /* number of the file */
	unsigned tier;
	unsigned observed_by;                  /* bits by enum tl_observed_by */
	const struct tl_slot_samples *samples; /* of the file */
	struct tl_timer *timer;                /* over all CPUs; NULL: none */
	bool cleared; /* the file was; the timer counts from before */
	int64_t parts[TL_PARTS]; /* states of the spans; all 0: unknown */
	struct tl_slot_tally tally;
	struct tl_values interval;
	struct tl_values duration;
	struct tl_values args[]; /* as many as the message has */
};

/* The unit of an argument.  false: the argument is not a number. */
bool tl_stats_unit(const struct tl_message *message, unsigned arg,
    enum tl_values_unit *unit);

/* Print a row.  0 or -ENOMEM. */
int tl_stats_put_text(struct tl_stats_row *row, struct tl_output *output);
int tl_stats_put_json(struct tl_stats_row *row, struct tl_output *output);
int tl_stats_put_csv(struct tl_stats_row *row, struct tl_output *output);
extern const char tl_stats_csv_heading[];

#endif
