/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h - a live timeline in numbers, at any rate and any zoom.
 *
 * The problem.  A page cannot take a million entries a second, and a sample of
 * them would show a picture of the sample.  So the daemon counts all of them,
 * and the page asks for the counts of what it shows.
 *
 *	time -->	|-|-|-|-|-|-|-|-|	bins of 1 ms	the last 2 s
 *			|---|---|---|---|	       4 ms	8 s
 *			|-------|-------|	      16 ms	33 s
 *			... each four times as long, to 4 s:	2.3 h
 *
 * Each thread and each lane has such rings: entries, highest levels, losses,
 * and for how long a span was open (occupancy): a span that is not sure is not
 * counted, and one without an end only as long as it is known to be open.
 * Durations of spans, intervals
 * of all other messages, and the time of each stack of spans are kept in
 * coarser slots: 64 ms, 1 s and 16 s, 128 of each.  A question is answered
 * from the finest ring that reaches back far enough.
 *
 * Bounds.  Threads, messages and stacks beyond a maximum are counted in
 * "others", and counters beyond one are not shown, so that a summary takes 85
 * MiB at most and usually 1 or 2.  An
 * entry costs a few tens of ns; whole bins are added once they are complete.
 *
 * Percentiles come from buckets that are 1/4 octave wide: they are at most 25
 * percent above the exact ones.  Counts, sums, least and greatest are exact.
 */
#ifndef TL_FORMAT_HTML_SUMMARY_H
#define TL_FORMAT_HTML_SUMMARY_H

#include "base/text.h"
#include "event/observe.h"

struct tl_html_summary;

/* A request. */
struct tl_html_question {
	/* Unix times of the picture, and of what messages and stacks are
	 * measured in.  Bins have a width, so a little more is covered. */
	int64_t from_ns, to_ns;
	int64_t measure_from_ns, measure_to_ns;
	int64_t now_ns;   /* until when open spans have lasted */
	uint64_t now_tsc; /* the same as a stamp; 0: not known */
	/* Has a thread ended?  NULL: not known. */
	bool (*has_ended)(uint32_t pid, uint32_t tid);
};

/* 0 or -ENOMEM. */
int tl_html_summary_new(struct tl_html_summary **summary);
void tl_html_summary_free(struct tl_html_summary *summary);

/* By the observer of its events a summary knows when levels close a span that
 * is open. */
void tl_html_summary_observe(struct tl_html_summary *summary,
    struct tl_observer *observer);

/* Count the next event, in order of time.  Its message must live as long as
 * the summary.  0 or -ENOMEM. */
int tl_html_summary_put(struct tl_html_summary *summary,
    const struct tl_event *event);

/*
 * Append the answer as one JSON object.  The format is private between this
 * file and the page's script.  Times are strings of ns, durations numbers.
 *
 *	{"since":"...","newest":"...","total":N,"total_lost":N,
 *	 "total_overwritten":N,
 *	 "overview":{"first":"...","bin":256000000,"bins":[...],"at":[...]},
 *	 "first":"...","bin":4000000,"entries":N,"missing":N,
 *	 "rows":[{"pid":1,"tid":2,"name":"worker","process":"server",
 *		 "cpu":-1,"lane":-1,"ended":false,
 *		  "entries":N,"gate":4,
 *		  "bins":[index,count,top,calm,busy,missing, ...],
 *		  "at":[first,last, ...]}],
 *	 "closed":{"4":[index,ns, ...]},
 *	 "counters":[{"text":"depth $n","name":"depth n","category":"queue","pid":1,
 *		      "process":"server","low":0,"high":7,"before":3,
 *		      "bins":[index,least,greatest,last, ...]}],
 *	 "measured":["...","..."],
 *	 "messages":[{"text":"request $id","name":"request id","category":"http","level":6,
 *		      "kind":2,"count":N,"samples":N,"total":ns,
 *		      "min":ns,"median":ns,"p99":ns,"max":ns,
 *		      "histogram":[low_ns,count, ...]}],
 *	 "stacks":[[parent,message,count,self_ns], ...]}
 *
 * since	complete from here on; totals and the overview are of all of it
 * rows		of a thread lane is -1, of a lane pid and tid are 0
 * bins		those with anything in them; top the highest level, calm the
 *		highest below warning, busy ns with a span open, missing the
 *		entries lost, or overwritten before they were read
 * at		where the entries of each of these bins lie, in 1/1024 of it
 * gate		the lowest of its messages, 0: none is known
 * closed	by gate: bins in part of which levels closed it
 * counters	of a process each; before is the last value before the bins
 * stacks	parent is an index of stacks, or -1; -1 as message: others
 */
void tl_html_summary_write(struct tl_html_summary *summary,
    struct tl_text *text, const struct tl_html_question *question);

#endif
