/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the files of a command line, and all of them as one cursor.
 */
#ifndef TL_SOURCE_SOURCES_H
#define TL_SOURCE_SOURCES_H

#include "source/hosts.h"
#include "source/source.h"

enum {
	TL_SOURCES_MAX = 64, /* files that are named */
	/* timelines in these files: a file may hold many */
	TL_SOURCES_ITEMS_MAX = UINT16_MAX
};

/* Starts from all zeros. */
struct tl_sources {
	struct tl_source *items;
	size_t count;
	size_t capacity;
	struct tl_hosts *hosts; /* whose clocks they go by */
};

/*
 * Open every file; one that holds several timelines becomes several sources,
 * which are called FILE: HOST/TIMELINE.  Those that cannot be opened stay in
 * the list with their fault.  Where the plan says so, kernel events in
 * FILE.sched follow FILE as a source of their own that is marked "beside",
 * unless FILE.sched is among the names.  0, -ENOMEM.
 */
int tl_sources_open(struct tl_sources *sources, const char *const *names,
    size_t count, const struct tl_source_plan *plan);

/* The same one by one: open what is given, whose name is copied, as one source
 * or several.  0, -ENOMEM.  After all of them, and again after more, find their
 * hosts before the next cursor. */
int tl_sources_add(struct tl_sources *sources,
    const struct tl_source_from *from, const struct tl_source_plan *plan);
int tl_sources_find_hosts(struct tl_sources *sources);
/* Names, faults and followed streams stay. */
void tl_sources_close(struct tl_sources *sources);
void tl_sources_free(struct tl_sources *sources);

/* Do what a plan says to the clocks, before the first cursor.  0; -EINVAL and a
 * fault: no host has the name; -ENOMEM. */
int tl_sources_apply(struct tl_sources *sources,
    const struct tl_hosts_plan *plan, struct tl_fault *fault);

/* Everything that can be shown, of all sources that are open.  event->source
 * is the index of its source among them all; of several hosts, what overlaps
 * is marked.  -ENOENT: none is open. */
int tl_sources_cursor(const struct tl_sources *sources, enum tl_order order,
    struct tl_cursor **cursor);

/* The time of the newest entry of all; -ENODATA without. */
int tl_sources_newest(const struct tl_sources *sources, int64_t *ns);

/* At least as many entries as a cursor can give. */
uint64_t tl_sources_entries(const struct tl_sources *sources);

/* Is time certain to run one way in all of them? */
bool tl_sources_are_steady(const struct tl_sources *sources);

/* Was one damaged, or could it not be opened? */
bool tl_sources_are_damaged(const struct tl_sources *sources);

/* Properties of the events of all sources; unknown where they differ. */
void
tl_sources_origin(const struct tl_sources *sources, struct tl_origin *origin);
/* Properties of each source: an array to be freed, of as many as there are
 * sources.  0, -ENOMEM. */
int tl_sources_origins(const struct tl_sources *sources,
    struct tl_origin **origins);

#endif
