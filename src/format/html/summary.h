/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h - a live timeline in numbers, at any rate and any zoom.
 *
 * The problem.  A page cannot take a million entries a second, and a sample of
 * the entries would show a picture of the sample.  The daemon therefore counts
 * all entries, and the page asks for the counts of the part that it shows.
 *
 *	time -->	|-|-|-|-|-|-|-|-|	bins of 1 ms	the last 2 s
 *			|---|---|---|---|	       4 ms	8 s
 *			|-------|-------|	      16 ms	33 s
 *			... each four times as long, to 4 s:	2.3 h
 *
 * Each thread and each lane has a set of rings: entries, highest levels,
 * losses, and the time with a span open (occupancy).  A span that is not sure
 * does not count, and a span without an end counts only while the span is known
 * to be open.  Durations of spans, intervals of all other messages, and the
 * time of each stack of spans are kept in coarser slots: 64 ms, 1 s and 16 s,
 * 128 of each.  A question is answered from the finest ring that reaches back
 * far enough.
 *
 * Bounds.  Threads, lanes and messages beyond a maximum are counted in
 * "others", a stack beyond a maximum counts for its parent, and counters beyond
 * a maximum are not shown, so that a summary takes at most 100 MiB, usually 1
 * or 2.  An entry costs a few tens of ns; whole bins are added once they are
 * complete.
 *
 * Percentiles come from buckets that are 1/4 octave wide, and are at most 25
 * percent above the exact percentiles.  Counts, sums, minimum and maximum are
 * exact.
 */
#ifndef TL_FORMAT_HTML_SUMMARY_H
#define TL_FORMAT_HTML_SUMMARY_H

#include "base/text.h"
#include "event/event.h"

struct tl_html_summary;

/* A request. */
struct tl_html_question {
	/*
	 * Unix times of the picture, and of the range in which messages and
	 * stacks are measured.  The answer covers whole bins and therefore a
	 * little more.
	 */
	int64_t from_ns, to_ns;
	int64_t measure_from_ns, measure_to_ns;
	int64_t now_ns;   /* end of open spans */
	uint64_t now_tsc; /* now_ns as a stamp; 0: unknown */
	bool is_whole;    /* nothing older was left in the timeline */
	/* Has a thread ended?  NULL: unknown. */
	bool (*has_ended)(uint32_t pid, uint32_t tid);
};

/* Make a summary: 0, -ENOMEM. */
int tl_html_summary_new(struct tl_html_summary **summary);
void tl_html_summary_free(struct tl_html_summary *summary);

/*
 * Count the next event, in order of time.  The message of the event must live
 * as long as the summary.  0, -ENOMEM.
 */
int tl_html_summary_put(struct tl_html_summary *summary,
    const struct tl_event *event);

/*
 * Append the answer as one JSON object.  The format is private between this
 * file and the page's script.  Times are strings of ns, durations numbers.
 *
 *	{"since":"...","newest":"...","part":true,"total":N,
 *	 "total_lost":N,"total_overwritten":N,
 *	 "overview":{"first":"...","bin":256000000,"bins":[...],"at":[...]},
 *	 "first":"...","bin":4000000,"entries":N,"missing":N,
 *	 "rows":[{"pid":1,"tid":2,"name":"worker","process":"server",
 *		 "cpu":-1,"lane":-1,"ended":false,
 *		  "entries":N,"gate":4,
 *		  "bins":[index,count,top,calm,loud,busy,missing, ...],
 *		  "at":[first,last, ...]}],
 *	 "history":[ns,kind, ...],
 *	 "counters":[{"text":"depth $n","category":"queue","pid":1,
 *		      "process":"server","low":0,"high":7,"before":3,
 *		      "bins":[index,least,greatest,last, ...]}],
 *	 "measured":["...","..."],
 *	 "messages":[{"text":"request $id","category":"http","level":6,
 *		      "kind":2,"builtin":0,"observed_ns":ns,"count":N,
 *		      "observed":N,"older":N,"samples":N,"total":ns,
 *		      "min":ns,"median":ns,"p99":ns,"max":ns,
 *		      "histogram":[low_ns,count, ...]}],
 *	 "stacks":[[parent,message,count,itself,closed,overwritten,lost],
 *		    ...]}
 *
 *	since	the first entry that was read; totals and overview cover all
 *		from here on
 *	part	true: the timeline held older entries, which were not read
 *	rows	lane is -1 for a thread; pid and tid are 0 for a lane
 *	bins	bins that are not empty; top is the highest level, calm the
 *		highest level below warning, loud the number of warnings
 *		and worse, busy the ns with a span open, missing the
 *		entries lost; history has what is overwritten
 *	at	first and last entry of each of these bins, in 1/1024 bin
 *	gate	lowest gate of the row's messages; 0: unknown
 *	history	changes of the lowest open level, since first; kind is that
 *		level, or why nothing is observed (details.h).  The order within
 *		a bin may be another.
 *	counters	each of one process; before is the last value before
 *		the bins
 *	messages  count and samples are of the time from which no entry is
 *		missing; older spans ended before.  observed is the part of
 *		count in observed time, which is observed_ns long.
 *	stacks	parent is an index of stacks, or -1; message -1: others; the
 *		rest are parts of own time (details.h)
 */
void tl_html_summary_write(struct tl_html_summary *summary,
    struct tl_text *text, const struct tl_html_question *question);

#endif
