/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - make a record for each span of each target, in one pass.
 *
 *	event --> thread --> frames (spans that are open, innermost last)
 *	      \-> group  --> its latest activity, its open spans
 *
 *	begin of a target --> open --> waits until its window [begin, begin + W]
 *	                               is over and the span has ended --> record
 *
 * A group has all messages with the same first line.  A target is a group that
 * the glob matches.  A feature of a span is a kind and up to two groups, or a
 * group or state and a text.
 */
#ifndef TL_ANALYSIS_GATHER_H
#define TL_ANALYSIS_GATHER_H

#include "analysis/records.h"
#include "analysis/states.h"
#include "analysis/why.h"
#include "base/table.h"
#include "event/details.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/spans.h"
#include "format/label.h"

enum tl_feature_kind {
	TL_FEATURE_BEFORE,
	TL_FEATURE_INSIDE, /* number of spans inside */
	TL_FEATURE_SPENT,  /* nanoseconds inside */
	TL_FEATURE_BESIDE,
	/* nanoseconds between two groups, or TL_GROUP_NONE; or tl_gap_unseen */
	TL_FEATURE_GAP,
	TL_FEATURE_STATE, /* a group and a text */
	/* nanoseconds in a state of the thread (enum tl_part) */
	TL_FEATURE_PART,
	/* a state and a text: nanoseconds of the longest wait, and the task
	 * that ran meanwhile or ended the wait */
	TL_FEATURE_TASK,
	TL_FEATURE_AROUND, /* a group with a span that encloses the span */
	/* a group with an argument (TL_ARGUMENT_BITS), and the value: a text,
	 * or the 64 bits of a number */
	TL_FEATURE_BEFORE_ARG,
	TL_FEATURE_INSIDE_ARG,
	TL_FEATURE_AROUND_ARG,
	TL_FEATURE_KINDS
};

/* The group and the number of an argument in one word. */
enum { TL_ARGUMENT_BITS = 2 };

/* Is the feature a value of an argument of another message? */
static inline bool
tl_feature_is_arg(unsigned kind)
{
	return kind >= TL_FEATURE_BEFORE_ARG && kind <= TL_FEATURE_AROUND_ARG;
}

/* Is the amount of a feature a part of the duration? */
static inline bool
tl_feature_is_part(unsigned kind)
{
	return kind == TL_FEATURE_SPENT || kind == TL_FEATURE_GAP ||
	       kind == TL_FEATURE_PART;
}

enum {
	TL_GROUPS_MAX = 4096,
	TL_TARGETS_MAX = 64,
	TL_TEXTS_MAX = 1 << 16,
	/* values of an argument of another message.  Beyond this number further
	 * texts are not compared; numbers are not compared at all. */
	TL_ARG_VALUES_MAX = 64,
	TL_ARG_DROPPED = TL_ARG_VALUES_MAX + 1,
	TL_LANE_VALUES_MAX = 64,
	TL_PAUSES_MAX = 64,
	TL_GROUP_NONE = 0xffff, /* begin or end of the span itself */
	TL_TEXT_NONE = 0xfffff
};

/* The second group of a gap in which details were not observed. */
static inline uint32_t
tl_gap_unseen(enum tl_part_of_own part)
{
	return TL_GROUP_NONE | (uint32_t)part << 16;
}

/* The numbers of items beyond each limit. */
struct tl_left_out {
	uint64_t groups, targets, features, parts, open, texts, threads, values;
	uint64_t unsure;
	uint64_t alone; /* counted, but not compared */
	uint64_t older; /* others of their time are overwritten */
};

/* All messages with the same first line. */
struct tl_group {
	struct tl_bytes name;
	const struct tl_message *message; /* the first message */
	/* number of different values, by kind from TL_FEATURE_BEFORE_ARG */
	uint8_t values[TL_FEATURE_KINDS - TL_FEATURE_BEFORE_ARG][TL_ARGS_MAX];
	int64_t latest_ns;
	/* latest activity on a thread other than latest_thread */
	int64_t other_ns;
	uint32_t latest_thread;
	uint32_t number;
	uint32_t open;    /* number of open spans */
	uint32_t open_at; /* index in the list of groups with open spans */
	/* neighbours in the order of latest activity; plus 1 */
	uint32_t older, newer;
	uint16_t features[TL_FEATURE_GAP]; /* of the simple kinds; plus 1 */
	uint8_t target; /* number of the target plus 1; 0: none */
	bool kernel;
	int64_t first_ns; /* time of the first event */
	/* events may be missing between the first and the latest event */
	bool broken;
};

struct tl_definition {
	const struct tl_message *message;
	struct tl_group *group; /* NULL: too many groups */
	uint32_t number;
	bool scoped; /* the spans belong to no thread */
	bool logged;
	uint64_t stretch; /* of the last event, if logged */
};

struct tl_feature {
	uint8_t kind;
	uint32_t a;
	uint64_t b;
};

/* The group of a feature that has one. */
static inline uint32_t
tl_feature_group(const struct tl_feature *f)
{
	return tl_feature_is_arg(f->kind) ? f->a >> TL_ARGUMENT_BITS : f->a;
}

static inline unsigned
tl_feature_argument(const struct tl_feature *f)
{
	return f->a & ((1u << TL_ARGUMENT_BITS) - 1);
}

struct tl_frame {
	const struct tl_definition *definition;
	uint64_t id; /* of the span */
	int64_t ns;
	uint64_t observed;
	uint64_t losses; /* of its input before it */
	uint64_t children;
	uint32_t own_children; /* without those of the kernel */
	uint64_t args[TL_ARGS_MAX];
	struct tl_open *target; /* NULL: not a span of a target */
};

struct tl_thread {
	uint32_t pid, tid;
	uint32_t number;
	uint16_t source;
	const struct tl_names *names; /* names of the source; may be NULL */
	uint64_t children;            /* number of roots */
	struct tl_frame *frames;
	size_t count, capacity;
	struct tl_frame *crossed; /* frames whose outer span ended first */
	size_t crossed_count, crossed_capacity;
	struct tl_open *inner;  /* the innermost open span of a target */
	struct tl_lane **lanes; /* by target */
	size_t lane_capacity;
};

struct tl_begin {
	int64_t ns;
	uint64_t stretch;
};

/* A time in which no thread that has spans of a target logged anything. */
struct tl_pause {
	int64_t from_ns, to_ns;
};

struct tl_target {
	struct tl_group *group;
	const struct tl_message *message; /* the first message */
	struct tl_records records;
	int64_t window_ns;
	struct tl_open *first, *last; /* spans whose windows have not ended */
	struct tl_open *scoped;       /* open spans that belong to no thread */
	uint64_t spans;
	uint32_t open;
	struct tl_id_map processes; /* pid and source -> begins[] */
	struct tl_begin *begins;    /* the last begin of each process */
	size_t begin_capacity;
	uint64_t args[TL_ARGS_MAX]; /* of the previous span */
	uint64_t begun, compared_in_thread;
	uint64_t rises[TL_ARGS_MAX], rises_in_thread[TL_ARGS_MAX];
	uint64_t logged; /* by threads that have spans of the target */
	int64_t first_ns, latest_ns;
	struct tl_pause pauses[TL_PAUSES_MAX]; /* the longest */
	size_t pause_count;
};

struct tl_result;

/* Is the feature a value of an argument that has too many values? */
static inline bool
tl_feature_is_dropped(const struct tl_feature *f,
    struct tl_group *const *groups)
{
	return tl_feature_is_arg(f->kind) &&
	       groups[tl_feature_group(f)]
		       ->values[f->kind - TL_FEATURE_BEFORE_ARG]
			       [tl_feature_argument(f)] == TL_ARG_DROPPED;
}

struct tl_why {
	struct tl_sink sink; /* first member: the part that callers see */
	struct tl_why_plan plan;
	struct tl_message_map definitions;
	const struct tl_definition **list; /* by number */
	size_t definition_count, definition_capacity;
	struct tl_labels labels;
	struct tl_states *states; /* NULL: no kernel events */
	/* finds the begin event of an end event */
	struct tl_spans *pairs;
	struct tl_details *details;
	struct tl_span span; /* the last of these spans, if it has just ended */
	bool ended;
	struct tl_table group_table;
	struct tl_group *groups[TL_GROUPS_MAX];
	uint32_t group_count;
	/* groups in the order of latest activity; plus 1 */
	uint32_t newest, oldest;
	struct tl_group *open_groups[TL_GROUPS_MAX];
	uint32_t open_group_count;
	struct tl_target targets[TL_TARGETS_MAX];
	size_t target_count;
	struct tl_id_map thread_ids; /* by pid, tid and source */
	struct tl_thread **threads;
	size_t thread_capacity;
	struct tl_id_map feature_ids;
	struct tl_feature *features;
	size_t feature_capacity;
	struct tl_table text_table; /* texts of all sources */
	struct tl_bytes *texts;
	size_t text_count, text_capacity;
	/* free objects, to be used again; all objects */
	struct tl_open *free, *made;
	uint32_t open;       /* spans in memory */
	int64_t deadline_ns; /* end of the first window */
	/* Until W is known: */
	bool learns;
	struct tl_spans *spans;
	struct tl_event *events;
	size_t event_count, event_capacity;
	struct tl_weighed *durations;
	/* entries lost and clears, by input */
	uint64_t *losses;
	size_t loss_capacity;
	uint8_t *duration_targets;
	size_t duration_count;
	int64_t window_ns; /* for targets that are added later */
	struct tl_observed_from *complete; /* of each source: all entries */
	struct tl_left_out left_out;
	uint64_t handed_over;       /* spans that another thread ended */
	struct tl_event handed_end; /* the first of their ends */
	struct tl_result *results;  /* one for each target */
};

/* The number of a text, the same for all sources.  TL_TEXT_NONE: the text is
 * missing, or there are too many texts. */
uint32_t tl_why_text(struct tl_why *why, struct tl_bytes text);

/* Compute the results of all targets.  0 or -ENOMEM. */
int tl_why_explain(struct tl_why *why);
void tl_why_forget(struct tl_why *why);

/* == results == */

enum {
	TL_FINDINGS_MAX = 3, /* findings shown unless all are asked for */
	TL_CAUSES_MAX = 32,
	TL_WHERE_MAX = 3,
	TL_EXAMPLES_MAX = 3,
	TL_THRESHOLDS_MAX = TL_LEVELS_MAX - 1,
	TL_TICKS = 5, /* of kernels: the first periods */
	TL_PERIODS = 10,
	TL_SPANS_MIN = 50 /* fewer spans are not explained */
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
	TL_CAUSE_CHILDREN,
	TL_CAUSE_SINCE_THREAD,
	TL_CAUSE_SINCE_ANY,
	TL_CAUSE_LOST,
	TL_CAUSE_FEATURE, /* the span has at least this amount of the feature */
	TL_CAUSE_WHERE    /* the same for a part of the duration */
};

enum tl_cause_op { TL_OP_EQUAL, TL_OP_LEAST, TL_OP_MOST, TL_OP_IN };

struct tl_cause {
	uint8_t kind;
	uint8_t op;
	uint8_t argument; /* number of the argument, or of the period */
	uint16_t feature;
	/* number of a text, a bound (tl_why_key), or the start of a range */
	int64_t value;
	/* the end of the range; start and end are included */
	int64_t end;
	unsigned level; /* number of the threshold, from 1 */
	double information;
	double share;      /* share of a part in the extra time of slow spans */
	double p;          /* corrected for the number of tests */
	double tests;      /* number of tests */
	double risk, lift; /* counted in episodes */
	/* excess is the share of the extra time of slow spans that falls on the
	 * spans with the cause.  explains is the excess less the share that
	 * chance gives: 1, all of the extra time and no other span; 0, no more
	 * of the extra time than of the other spans. */
	double excess, explains;
	uint64_t with, hits;
	int64_t median_with_ns, median_without_ns;
	int64_t p99_with_ns, p99_without_ns;
	/* The finding (from 1) that already says the same; 0: the cause is a
	 * finding itself.  same: both have the same spans. */
	unsigned echo_of;
	bool same;
	const struct tl_record *examples[TL_EXAMPLES_MAX];
	size_t example_count;
};

/* The share of time in a state, in slow spans and in the others. */
struct tl_state_share {
	double slow, others;
};

struct tl_result {
	const struct tl_target *target;
	uint64_t weight; /* sum over all records */
	int64_t first_ns, last_ns;
	int64_t median_ns;
	size_t threshold_count;
	int64_t thresholds_ns[TL_THRESHOLDS_MAX]; /* ascending */
	uint64_t slow[TL_THRESHOLDS_MAX];
	/* All spans and slow spans whose begin event is not missing.  Only the
	 * known spans are compared. */
	uint64_t known, known_slow[TL_THRESHOLDS_MAX];
	/* The threshold that everything in the result refers to, from 1; 0:
	 * none. */
	size_t level;
	double episodes; /* episodes of the slow spans */
	uint64_t tests;
	struct tl_state_share states[TL_PARTS];
	struct tl_cause where[TL_WHERE_MAX]; /* the largest share first */
	size_t where_count;
	struct tl_cause causes[TL_CAUSES_MAX]; /* findings first */
	size_t cause_count, finding_count;
};

/* The shares of slow spans in their episodes: a row of threshold_count for each
 * known record that reaches the first threshold, in the order of the
 * records. */
struct tl_shares {
	float *of;
	size_t count, row;
};

/* The share of a row at a threshold, from 1. */
static inline float
tl_share(const struct tl_shares *shares, size_t row, size_t level)
{
	return shares->of[row * shares->row + level - 1];
}

/* The 64 bits of an argument as a signed number with the same order.  The
 * format of the argument is signed, unsigned or double. */
int64_t
tl_why_key(const struct tl_message *message, unsigned argument, uint64_t raw);
/* The inverse of tl_why_key(). */
uint64_t
tl_why_raw(const struct tl_message *message, unsigned argument, int64_t key);

/* Does a cause apply to a span? */
bool tl_cause_holds(struct tl_why *why, const struct tl_cause *cause,
    const struct tl_record *record);

/* Is an event, as the end of a span, from before its source is complete?  Of
 * that time mostly the spans of quiet CPUs are left, which are no fair share of
 * all. */
bool tl_why_is_older(const struct tl_why *why, const struct tl_event *event);
/* Does the next reader of the sources find other paths?  In a live timeline and
 * a stream, entries before a span vanish; a part has its own paths. */
bool tl_why_is_moving(const struct tl_why *why);
/* Append the options of a call tree that show a span: its path or, if paths
 * move, thread and time, which never lead to a span of another time. */
void tl_why_put_tree(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *record);
/* Append the line of a span as in a call tree. */
void tl_why_put_span(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *record);
/* Append which spans are slow, where the time goes, and the first finding. */
void tl_why_put_finding(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result);

/* The time spent in a part, summed by level. */
struct tl_part_sums {
	double ns[TL_LEVELS_MAX];
};

/* Find the parts of the duration in which slow spans take longer, at the
 * threshold of the result.  If the result has no threshold yet, the best
 * threshold is chosen for the result.  sums has one element for each feature.
 * 0 or -ENOMEM. */
int tl_where_explain(struct tl_why *why, struct tl_result *result,
    const struct tl_part_sums *sums, const struct tl_shares *shares);

/* Choose the threshold of a result, whose causes are claims at several.  0 or
 * -ENOMEM. */
int tl_findings_choose(struct tl_why *why, struct tl_result *result,
    const struct tl_shares *shares);

/* Describe the causes of a result, which are claims at one threshold; rank the
 * causes by the time that each explains, and mark the echoes (findings.c).  0
 * or -ENOMEM. */
int tl_findings_make(struct tl_why *why, struct tl_result *result,
    const struct tl_shares *shares);

#endif
