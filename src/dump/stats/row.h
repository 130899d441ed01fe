/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h - a message in --stats.  A file may have a hundred thousand messages of a
 * few entries each, so a row is small.
 */
#ifndef TL_DUMP_STATS_ROW_H
#define TL_DUMP_STATS_ROW_H

#include "analysis/states.h"
#include "dump/output.h"
#include "dump/stats/observed.h"
#include "dump/stats/values.h"
#include "event/event.h"
#include "snap/timers.h"

/* The entry that an interval begins with. */
struct tl_stats_before {
	int64_t ns;
	int64_t steps_ns;
	uint64_t stretch;
	uint64_t losses; /* seen before it; UINT64_MAX: there is no entry */
	uint32_t epoch;
};

struct tl_stats_row {
	const struct tl_message *message;
	const char *input; /* the file */
	uint64_t count;    /* entries, begin and end events alike */
	uint64_t begins;
	uint64_t unmarked; /* of these, whose end may prove nothing */
	uint64_t ends;
	uint64_t spans;  /* ends whose begin is known */
	uint64_t proven; /* of these, by the stamp that the end has */
	uint64_t alone;  /* of these, whose begin is not among the begins */
	/* of these, those that may be wrong pairs: not in durations */
	uint64_t unsure;
	int64_t first_ns;
	int64_t last_ns;
	struct tl_stats_before before;
	int64_t complete_ns; /* its file is complete since; INT64_MIN: all */
	double rate;       /* the same a second, where it is always observed */
	uint64_t observed; /* in observed time; a span counts once */
	int64_t observed_ns;   /* its length */
	double observed_share; /* of all time; negative: it was not measured */
	int64_t known_ns;      /* tl_observed_time_since() */
	unsigned source;       /* its file */
	unsigned tier;
	unsigned observed_by; /* bits, by enum tl_observed_by */
	const struct tl_slot_samples *samples; /* of its file */
	struct tl_timer *timer;                /* of all CPUs; NULL: none */
	bool cleared; /* its file was, and timer counts what came before */
	int64_t parts[TL_PARTS]; /* of its spans; all 0: unknown */
	struct tl_slot_tally tally;
	struct tl_values interval;
	struct tl_values duration;
	struct tl_values args[]; /* as many as the message has */
};

/* The unit of an argument.  false: it is no number. */
bool tl_stats_unit(const struct tl_message *message, unsigned arg,
    enum tl_values_unit *unit);

/* Print one as text.  0 or -ENOMEM. */
int tl_stats_put_text(struct tl_stats_row *row, struct tl_output *output);
int tl_stats_put_json(struct tl_stats_row *row, struct tl_output *output);
int tl_stats_put_csv(struct tl_stats_row *row, struct tl_output *output);
extern const char tl_stats_csv_heading[];

#endif
