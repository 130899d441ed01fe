/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - a span for whatever name a program has for a thing.
 *
 * src/front: three older APIs, RTL_LOGFILE (rtl*.c), LMS profiles (profiler.c)
 * and TimeLogger sources (source.c), as programs written for them call them.
 *
 *	call --> first time: text --> message, kept with the call or its label
 *	     \-> later: one append
 *
 * Problem.  These programs name things by strings made while they run, and
 * expect the text file that the API always wrote.  A timeline wants messages
 * that are defined once.  So a name is defined when the name is met first, and
 * is found again without a lock; a name that changes each time, or that a
 * message cannot hold, becomes an argument.  The text file is written beside
 * the entry, or instead of it where there is no timeline.
 *
 * A file that lies at the place of a new one is replaced only if it is a
 * timeline or log of the same user (fresh.c, log_file.c).  A call that logs
 * never fails: lines and entries that could not be written are counted
 * (timeline_rtl_lost(), timeline_profiler_lost()).
 *
 * Rejected: macros that map to timeline_log() (formats are known only at run
 * time), and a thread that converts (it would not survive a crash, which is
 * what such logs are read after).
 */
#ifndef TL_FRONT_LABEL_H
#define TL_FRONT_LABEL_H

#include <stdint.h>
#include <timeline.h>

struct tl_front_label {
	struct timeline_event *span;
	uint64_t argument; /* of the span's events; 0: the events have none */
};

/*
 * Define the span whose message has the name and the suffix in its first line,
 * and which in its second line.  A name that is empty, or has a $ or a line
 * break, becomes the argument of "$label%s".  Returns 0, or an error of
 * timeline_define_span; after an error the span is the closed span.
 */
int tl_front_label(struct timeline *tl, const char *category, const char *name,
    const char *suffix, const char *which, int scope,
    struct tl_front_label *label);

/* Log the begin or the end of the span. */
static inline void
tl_front_label_log(const struct tl_front_label *label, int is_end)
{
	struct timeline_event *event = label->span + (!is_end              ? 0
							 : label->argument ? 1
									   : 2);

	if (__builtin_expect(timeline_enabled(event), 1))
		timeline_append(event, label->argument, 0, 0, 0);
}

#endif
