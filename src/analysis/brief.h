/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief.h - one page about slow spans for who reads it when it happens.
 *
 *	events --> why (first pass)       --> what is observed, the finding
 *	       --> critical (second pass) --> the path of one slow span, and of
 *	                                      a normal one near it
 *
 * Each part ends with the command that shows more of it.  The text is cut at
 * TL_BRIEF_SIZE_MAX bytes.
 */
#ifndef TL_ANALYSIS_BRIEF_H
#define TL_ANALYSIS_BRIEF_H

#include "event/cursor.h"

enum { TL_BRIEF_SIZE_MAX = 4096 };

struct tl_sources;
struct tl_text;

struct tl_brief_plan {
	const char *glob;  /* of the first line of the spans */
	int64_t slower_ns; /* from which on they are slow; 0: not given */
	const char *files; /* as commands name them */
	const struct tl_sources *sources;
	bool is_to_end; /* events are read up to the end of the record */
	/* Make a cursor of all events, oldest first: 0 or -errno. */
	int (*open)(void *context, struct tl_cursor **cursor);
	void *context;
};

/* Append the text.  0; -ENOENT: no span matches; -errno. */
int tl_brief_put(const struct tl_brief_plan *plan, struct tl_text *text);

#endif
