/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - the one pass: a record for each span of each target.
 *
 *	event --> thread --> frames (spans that are open, innermost last)
 *	      \-> group  --> its latest activity, spans of it that are open
 *
 *	begin of a target --> open --> waits until its window [begin, begin + W]
 *	                               is over and its end has come --> record
 *
 * A group is all messages of one first line.  A target is a group that the
 * glob matches.  A feature is what a span may have: a kind and up to two
 * groups, or a group and a text.
 */
#ifndef TL_ANALYSIS_GATHER_H
#define TL_ANALYSIS_GATHER_H

#include "analysis/records.h"
#include "analysis/why.h"
#include "base/table.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/spans.h"
#include "format/label.h"

enum tl_feature_kind {
	TL_FEATURE_BEFORE,
	TL_FEATURE_INSIDE, /* how many */
	TL_FEATURE_SPENT,  /* ns inside */
	TL_FEATURE_BESIDE,
	TL_FEATURE_GAP,  /* ns between two groups; or TL_GROUP_NONE */
	TL_FEATURE_STATE /* of a group and a text */
};

enum {
	TL_GROUPS_MAX = 4096,
	TL_TARGETS_MAX = 64,
	TL_TEXTS_MAX = 1 << 16,
	TL_GROUP_NONE = 0xffff, /* the span's own begin or end */
	TL_TEXT_NONE = 0xfffff
};

/* How often a limit left something out. */
struct tl_left_out {
	uint64_t groups, targets, features, parts, open, texts, threads, values;
};

/* Messages of one first line. */
struct tl_group {
	struct tl_bytes name;
	int64_t latest_ns;
	int64_t other_ns; /* the latest of another thread than latest_thread */
	uint32_t latest_thread;
	uint32_t number;
	uint32_t open;         /* spans of it */
	uint32_t open_at;      /* in the list of groups that are open */
	uint32_t older, newer; /* groups by their latest activity; plus 1 */
	uint16_t features[TL_FEATURE_GAP]; /* plus 1; of the simple kinds */
	uint8_t target;                    /* plus 1 */
	bool kernel;
};

struct tl_definition {
	const struct tl_message *message;
	struct tl_group *group; /* NULL: there are too many */
	uint32_t number;
	bool scoped; /* its spans belong to no thread */
};

struct tl_feature {
	uint8_t kind;
	uint32_t a;
	uint32_t b;
};

struct tl_frame {
	const struct tl_definition *definition;
	int64_t ns;
	uint64_t children;
	struct tl_open *target; /* NULL: it is none */
};

struct tl_thread {
	uint32_t pid, tid;
	uint32_t number;
	uint16_t source;
	const struct tl_names *names; /* of its source; may be NULL */
	uint64_t children;            /* roots */
	struct tl_frame *frames;
	size_t count, capacity;
	struct tl_frame *crossed; /* a span around them ended first */
	size_t crossed_count, crossed_capacity;
	struct tl_open *inner;  /* the innermost target that is open */
	struct tl_lane **lanes; /* by target */
	size_t lane_capacity;
};

struct tl_target {
	struct tl_group *group;
	const struct tl_message *message; /* the first of it */
	struct tl_records records;
	int64_t window_ns;
	struct tl_open *first, *last; /* whose windows are not over */
	struct tl_open *scoped; /* that are open and belong to no thread */
	uint64_t spans;
	uint32_t open;
	struct tl_id_map processes; /* pid and source -> begins[] */
	int64_t *begins;
	size_t begin_capacity;
	uint64_t args[TL_ARGS_MAX]; /* of the span before */
	uint64_t begun, compared_in_thread;
	uint64_t rises[TL_ARGS_MAX], rises_in_thread[TL_ARGS_MAX];
};

struct tl_result;

struct tl_why {
	struct tl_sink sink; /* first: what callers see */
	struct tl_why_plan plan;
	struct tl_message_map definitions;
	const struct tl_definition **list; /* by number */
	size_t definition_count, definition_capacity;
	struct tl_labels labels;
	struct tl_table group_table;
	struct tl_group *groups[TL_GROUPS_MAX];
	uint32_t group_count;
	uint32_t newest, oldest; /* groups by latest activity; plus 1 */
	struct tl_group *open_groups[TL_GROUPS_MAX];
	uint32_t open_group_count;
	struct tl_target targets[TL_TARGETS_MAX];
	size_t target_count;
	struct tl_id_map thread_ids; /* pid and tid, source */
	struct tl_thread **threads;
	size_t thread_capacity;
	struct tl_id_map feature_ids;
	struct tl_feature *features;
	size_t feature_capacity;
	struct tl_table text_table; /* texts of all sources */
	struct tl_bytes *texts;
	size_t text_count, text_capacity;
	struct tl_open *free, *made; /* to be used again; all */
	uint32_t open;               /* begins that are kept */
	int64_t deadline_ns;         /* the first window that is over */
	/* Until W is known: */
	bool learns;
	struct tl_spans *spans;
	struct tl_event *events;
	size_t event_count, event_capacity;
	struct tl_weighed *durations;
	uint8_t *duration_targets;
	size_t duration_count;
	int64_t window_ns; /* of targets that come later */
	struct tl_left_out left_out;
	struct tl_result *results; /* one for each target */
};

/* The number of a text, the same wherever it comes from; TL_TEXT_NONE: there
 * is none, or are too many. */
uint32_t tl_why_text(struct tl_why *why, struct tl_bytes text);

/* The results of all targets: 0 or -ENOMEM. */
int tl_why_explain(struct tl_why *why);
void tl_why_forget(struct tl_why *why);

/* == what is found of one message == */

enum {
	TL_CAUSES_MAX = 10,
	TL_EXAMPLES_MAX = 3,
	TL_THRESHOLDS_MAX = TL_LEVELS_MAX - 1,
	TL_PERIODS = 6,
	TL_SPANS_MIN = 50 /* fewer are not explained */
};

enum tl_cause_kind {
	TL_CAUSE_ARGUMENT,
	TL_CAUSE_CPU,
	TL_CAUSE_MIGRATED,
	TL_CAUSE_PID,
	TL_CAUSE_TID,
	TL_CAUSE_RUN,
	TL_CAUSE_PERIOD,
	TL_CAUSE_START,
	TL_CAUSE_QUEUE,
	TL_CAUSE_SINCE_THREAD,
	TL_CAUSE_SINCE_ANY,
	TL_CAUSE_LOST,
	TL_CAUSE_FEATURE, /* at least so much of it */
	TL_CAUSE_WHERE    /* likewise: a part of the duration */
};

enum tl_cause_op { TL_OP_EQUAL, TL_OP_LEAST, TL_OP_MOST, TL_OP_IN };

struct tl_cause {
	uint8_t kind;
	uint8_t op;
	uint8_t argument; /* which; or which period */
	uint16_t feature;
	/* the number of a text, a bound (tl_why_key), or a begin */
	int64_t value;
	/* the end of value, if that is a begin; both are included */
	int64_t end;
	unsigned level; /* slow is what reaches this threshold, from 1 on */
	double information;
	double share; /* of what slow spans take longer: a part's */
	double p;     /* corrected */
	double excess;
	uint64_t with, hits;
	int64_t median_with_ns, median_without_ns;
	const struct tl_record *examples[TL_EXAMPLES_MAX];
	size_t example_count;
};

struct tl_result {
	const struct tl_target *target;
	uint64_t weight; /* of all records */
	int64_t first_ns, last_ns;
	int64_t median_ns;
	size_t threshold_count;
	int64_t thresholds_ns[TL_THRESHOLDS_MAX]; /* rising */
	uint64_t slow[TL_THRESHOLDS_MAX];
	uint64_t tests;
	struct tl_cause causes[TL_CAUSES_MAX];
	size_t cause_count;
};

extern const int64_t tl_periods_ns[TL_PERIODS];

/* The 64 bits of an argument as a number that is compared as its format is:
 * signed, unsigned, or a double. */
int64_t
tl_why_key(const struct tl_message *message, unsigned argument, uint64_t raw);
/* The reverse. */
uint64_t
tl_why_raw(const struct tl_message *message, unsigned argument, int64_t key);

/* Does a span have it? */
bool tl_cause_holds(struct tl_why *why, const struct tl_cause *cause,
    const struct tl_record *record);

/* The sums of a part of the durations, by level. */
struct tl_part_sums {
	double ns[TL_LEVELS_MAX];
};

/* Which parts of the duration the slow spans take longer in: up to as many
 * causes as there is room for, the largest first.  sums has one for each
 * feature.  0 or -ENOMEM. */
int tl_where_explain(struct tl_why *why, struct tl_result *result,
    const struct tl_part_sums *sums);

#endif
