/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.h - what distinguishes the slow spans of a message from the others.
 *
 *	events --> gather: a record for each span --> explain --> findings
 *	           (one pass)      fixed head, list    claims      text, JSON
 *	                           of what it has
 *
 * The problem.  A user sees that 1 % of the requests take ten times as long
 * and asks why.  What was logged has thousands of features: values of
 * arguments, CPUs, threads, what was logged before, inside, around and beside,
 * waits.  Some of them are more frequent in slow spans by chance, some because
 * slow spans are long, some because they come with another one, and few because
 * they are the cause.
 *
 * The algorithm.  A feature of a span never depends on how long the span took:
 * what goes on beside it is looked up in a window [begin, begin + W], W being
 * the median duration, the same for all spans and not cut at the end.
 * Otherwise a longer span would overlap more of everything.  Each span gets a
 * level, the number of thresholds that its duration reaches: the slowest 5, 2,
 * 1, 0.5, 0.2 and 0.1 %, each if it is at least 10 spans and 1.5 medians, and
 * one for at most 9 spans that take 4 times as long as all others.  A candidate
 * ("cpu is 3", "size is 4096 or more") is a row of 8 counters, one for each
 * level.  The threshold at which a candidate has the most mutual information
 * with being slow is that of all: what is slow is one question, and all claims
 * answer it.
 *
 * The guard.  An observation is an episode: slow spans that began or ended
 * together count as one (chance.h).  The p-value is the tail of the
 * hypergeometric distribution times the tests of the family (all values, cuts
 * and windows, times the thresholds), times the families, so that a thousand
 * windows of time do not outweigh six processes.  A candidate is claimed if
 * p < 0.01 and it applies to five episodes (all, if there are fewer), to a
 * tenth of the slow spans, has at least twice the risk of the spans without it
 * and 1.5 times that of all.  Parts of the duration itself (time in enclosed
 * spans, gaps, states) always grow with it: they have another test (where.c)
 * and say where the time goes, not why.
 *
 * Findings.  Claims are ranked by what they explain of the extra time.  Those
 * that would not be made among the spans that agree in the others are echoes
 * (findings.c).
 *
 * Bounds.  There are at most TL_RECORDS_MAX records of TL_RECORDS_SIZE_MAX
 * bytes.  When there are more, the slowest 5 % are kept and half of the others
 * are dropped; the other half counts twice.  Messages, features and values have
 * limits too; tl_why_left_out() reports what they left out.
 *
 * Figures.  Of 200 generated traces with one cause of 35 kinds (tests/why) it
 * stands first in 197; of 200 without a cause, half of them with stops of all
 * threads at random times, none has a claim.  Before episodes were counted, nine
 * of ten traces with stops had one.
 *
 * Rejected.  Windows as long as the span: each of 11 traces without a cause
 * then had a false claim.  Ranking by lift: it prefers rare accidents.
 * Benjamini-Hochberg: its guarantee needs independence that overlapping cuts
 * do not have.  A second pass over the events: it costs more than all else.
 * event/spans.h for the pairs, except for the first of them that give W: the
 * features need a stack for each thread, which has the begin in hand when the
 * end comes.
 */
#ifndef TL_ANALYSIS_WHY_H
#define TL_ANALYSIS_WHY_H

#include "event/cursor.h"

struct tl_sources;
struct tl_text;
struct tl_why;

struct tl_why_plan {
	const char *glob; /* of the first line of the spans */
	/* spans of at least this duration are slow; 0: not given */
	int64_t slower_ns;
	double slowest; /* the percentage of slow spans; 0: not given */
	bool all;       /* every claim, not three findings */
	/* The sources of the events, by which threads have the numbers of a
	 * call tree, and states if a source has kernel events.  NULL: unknown,
	 * and examples have no path. */
	const struct tl_sources *sources;
};

/*
 * Make one.  plan, its glob and the sources of the events must outlive it.
 * One thread at a time uses it.  0; -ENOMEM; -errno of reading kernel events.
 */
int tl_why_new(struct tl_why **why, const struct tl_why_plan *plan);
void tl_why_free(struct tl_why *why);

/* The sink for all events, oldest first; call its finish() after the last.  0
 * or -ENOMEM. */
struct tl_sink *tl_why_sink(struct tl_why *why);

/*
 * After finish(): append the results, a JSON object on a line of its own or a
 * paragraph for each message that the glob matches; if there is none, one that
 * reports this.  0 or -ENOMEM.
 */
int tl_why_put_json(struct tl_why *why, struct tl_text *text);
int tl_why_put_text(struct tl_why *why, struct tl_text *text);

/* The approximate memory in bytes of records and of spans that will be. */
size_t tl_why_size(const struct tl_why *why);

/* The number of messages of spans that the glob matches. */
size_t tl_why_target_count(const struct tl_why *why);

/* After finish(): append what the limits left out, in lines that begin with
 * prefix.  false: nothing. */
bool tl_why_left_out(const struct tl_why *why, const char *prefix,
    struct tl_text *text);

/* Put all events of a cursor, and call finish().  0 or -errno. */
int tl_why_read(struct tl_why *why, struct tl_cursor *cursor);

#endif
