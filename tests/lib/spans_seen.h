/* SPDX-License-Identifier: Apache-2.0 */
/* spans_seen.h - the spans that a reader sees in a live timeline. */
#ifndef TESTS_LIB_SPANS_SEEN_H
#define TESTS_LIB_SPANS_SEEN_H

#include "process.h"
#include "snap_open.h"

#include "event/spans.h"

struct spans_seen {
	unsigned begins, ends, proven; /* entries; proven ends are ends, too */
	unsigned sure, unsure, open;   /* spans */
	uint64_t begin;                /* the stamp of the last begin entry */
	struct tl_span last;           /* the last sure span */
};

/*
 * Count the spans of one process, or of all processes (pid 0).  A span belongs
 * to the process that ended it.
 */
static inline struct spans_seen
spans_seen(const char *name, pid_t pid)
{
	struct spans_seen seen = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_spans *spans;
	struct tl_snap *snap;
	uint32_t index = 0;
	struct tl_event e;
	struct tl_span s;

	expect(snap_open(&snap, name, 0, &fault) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0 &&
		   tl_spans_new(&spans) == 0,
	    "%s", fault.text);
	while (tl_cursor_next(cursor, &e) > 0) {
		const int paired = tl_spans_put(spans, &e, &s);

		if (pid != 0 && e.pid != (uint32_t)pid)
			continue;
		seen.begins += e.kind == TL_BEGIN;
		seen.ends += e.kind == TL_END;
		seen.proven += e.kind == TL_END && e.proven;
		if (e.kind == TL_BEGIN)
			seen.begin = e.tsc;
		if (paired != 1)
			continue;
		seen.sure += tl_span_is_sure(&s);
		seen.unsure += !tl_span_is_sure(&s);
		if (tl_span_is_sure(&s))
			seen.last = s;
	}
	while (tl_spans_open(spans, &index, &s))
		seen.open += pid == 0 || s.pid == (uint32_t)pid;
	tl_spans_free(spans);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return seen;
}

#endif
