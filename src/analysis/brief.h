/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief.h - one page about slow spans to be read while the problem lasts.
 *
 *	events --> why (first pass)       --> what is observed, the finding
 *	       --> critical (second pass) --> the path of one slow span, and of
 *	                                      a normal one near it
 *
 * Each part ends with the command that shows more.  The text is cut at
 * TL_BRIEF_SIZE_MAX bytes.
 */
#ifndef TL_ANALYSIS_BRIEF_H
#define TL_ANALYSIS_BRIEF_H

#include "event/cursor.h"

enum { TL_BRIEF_SIZE_MAX = 4096 };

struct tl_sources;
struct tl_text;

struct tl_brief_plan {
	const char *glob; /* glob of the first line of the spans */
	/* spans of at least this duration are slow; 0: not given */
	int64_t slower_ns;
	const char *files; /* names of the files, as in a command */
	const struct tl_sources *sources;
	int64_t since_ns; /* of the first event; earlier begins are read, too */
	bool is_to_end;   /* events are read up to the end of the record */
	bool in_part;     /* only a part of the events is read */
	/* Open a cursor over all events, oldest first.  0 or -errno. */
	int (*open)(void *context, struct tl_cursor **cursor);
	void *context;
};

/* Append the text.  0; -ENOENT: no span matches; -errno. */
int tl_brief_put(const struct tl_brief_plan *plan, struct tl_text *text);

#endif
