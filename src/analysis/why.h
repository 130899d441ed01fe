/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.h - what distinguishes the slow spans of a message from the others.
 *
 *	events --> gather: a record for each span --> explain --> findings
 *	           (one pass)      fixed head, list    claims      text, JSON
 *	                           of what it has
 *
 * The problem.  A user sees that 1 % of the requests take ten times as long and
 * asks why.  What was logged has thousands of features: values of arguments,
 * CPUs, threads, what was logged before, inside, around and beside, waits.
 * Some features are more frequent in slow spans by chance, some because slow
 * spans are long, some because they come with another feature, and few because
 * they are the cause.
 *
 * The algorithm.  A feature of a span never depends on how long the span took:
 * the activity of other threads is looked up in a window [begin, begin + W], W
 * being the median duration, the same for all spans and not cut at the end.
 * Otherwise a longer span would overlap more of everything.  Each span gets a
 * level, the number of thresholds that its duration reaches: the slowest 5, 2,
 * 1, 0.5, 0.2 and 0.1 %, each if it is at least 10 spans and 1.5 medians, and
 * one for at most 9 spans that take 4 times as long as all others.  A candidate
 * ("cpu is 3", "size is 4096 or more") is a row of 8 counters, one for each
 * level.  The candidate and the threshold with the most mutual information
 * choose the threshold for all claims, so that all claims answer one question;
 * but a claim at another threshold chooses if it explains more than twice the
 * time.
 *
 * The guard.  An observation is an episode: slow spans that began or ended
 * together count as one (chance.h), and so do those that a stop of all threads
 * hit, with those that began after the stop for as long as it lasted: caches
 * are cold, and work waits.  The p-value is the tail of the hypergeometric
 * distribution times the tests of the family (all values, cuts and windows,
 * times the thresholds), times the families, so that a thousand windows of time
 * do not outweigh six processes.  A candidate is claimed if p < 0.01 and it
 * applies to five episodes (all, if there are fewer), to a tenth of the slow
 * spans, has at least twice the risk of the spans without it and 1.5 times that
 * of all.  Parts of the duration itself (time in enclosed spans, gaps, states)
 * always grow with it: they have another test (where.c), and a claim about a
 * part says where the time goes, not why.
 *
 * Findings.  Claims are ranked by the extra time that they explain.  A claim
 * that would not be made among the spans that agree in the other claims is an
 * echo (findings.c).
 *
 * Bounds.  There are at most TL_RECORDS_MAX records of TL_RECORDS_SIZE_MAX
 * bytes.  When there are more, the slowest 5 % are kept and half of the others
 * are dropped; the other half counts twice.  Messages, features and values have
 * limits too; tl_why_left_out() reports the items beyond them.
 *
 * Figures.  Of 200 generated traces with one cause of 40 kinds (tests/why) 197
 * have the cause as their first claim; of 200 traces without a cause, a third
 * with stops of all threads at random times and a third with one stop, after
 * which requests are slow, none has a claim.  Before episodes were counted,
 * nine of ten traces with stops had a claim.
 *
 * Rejected.  Windows as long as the span: each of 11 traces without a cause
 * then had a false claim.  Ranking by lift: lift prefers rare accidents.
 * Benjamini-Hochberg: its guarantee needs independence, and overlapping cuts
 * depend on each other.  A second pass over the events: the pass costs more
 * than all else.  Pairs from event/spans.h, except for the first spans that
 * give W: the features need a stack for each thread, and the stack has the
 * begin event at hand.
 */
#ifndef TL_ANALYSIS_WHY_H
#define TL_ANALYSIS_WHY_H

#include "event/cursor.h"

struct tl_sources;
struct tl_text;
struct tl_why;

struct tl_why_plan {
	const char *glob; /* glob of the first line of the spans */
	/* spans of at least this duration are slow; 0: not given */
	int64_t slower_ns;
	double slowest; /* percentage of slow spans; 0: not given */
	bool all;       /* every claim, instead of three findings */
	/* The sources of the events.  Sources give threads their numbers in the
	 * call tree, and the states of threads if a source has kernel events.
	 * NULL: unknown, and examples have no path. */
	const struct tl_sources *sources;
	bool in_part; /* examples are shown without the selection: no path */
};

/*
 * Make an object.  plan, its glob and the sources of the events must outlive
 * the object.  One thread at a time uses the object.  0; -ENOMEM; -errno from
 * reading kernel events.
 */
int tl_why_new(struct tl_why **why, const struct tl_why_plan *plan);
void tl_why_free(struct tl_why *why);

/* The sink for all events, oldest first; call finish() of the sink after the
 * last event.  0 or -ENOMEM. */
struct tl_sink *tl_why_sink(struct tl_why *why);

/*
 * After finish(): append the results, as a JSON object in one line or as a
 * paragraph for each message that the glob matches.  If no message matches, one
 * result reports this.  0 or -ENOMEM.
 */
int tl_why_put_json(struct tl_why *why, struct tl_text *text);
int tl_why_put_text(struct tl_why *why, struct tl_text *text);

/* The approximate memory, in bytes, of the records and of the spans that will
 * become records. */
size_t tl_why_size(const struct tl_why *why);

/* The number of messages of spans that the glob matches. */
size_t tl_why_target_count(const struct tl_why *why);

/* After finish(): append the numbers of items beyond the limits, in lines that
 * begin with prefix.  false: nothing was left out. */
bool tl_why_left_out(const struct tl_why *why, const char *prefix,
    struct tl_text *text);

/* Put all events of a cursor, and call finish().  0 or -errno. */
int tl_why_read(struct tl_why *why, struct tl_cursor *cursor);

#endif
