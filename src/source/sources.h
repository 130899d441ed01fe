/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the files of a command line, and one cursor for all of them.
 */
#ifndef TL_SOURCE_SOURCES_H
#define TL_SOURCE_SOURCES_H

#include "source/hosts.h"
#include "source/source.h"

enum {
	TL_SOURCES_MAX = 64, /* limit of files on the command line */
	/* limit of timelines in the files */
	TL_SOURCES_ITEMS_MAX = UINT16_MAX
};

/* For the file after TL_SOURCES_MAX others. */
#define TL_SOURCES_MANY \
	"more than 64 files: first convert some of them to one " \
	"(timeline-convert -o ALL.trace FILE...)"

/* Starts from all zeros. */
struct tl_sources {
	struct tl_source *items;
	size_t count;
	size_t capacity;
	struct tl_hosts *hosts; /* the hosts of the sources */
	struct tl_repeats *repeats;
};

/*
 * Open every file.  A file that holds several timelines becomes several
 * sources, named FILE: HOST/TIMELINE.  A file that cannot be opened stays in
 * the list with its fault.  If the plan has kernel set, the kernel events in
 * FILE.sched follow FILE as a source of their own that is marked "beside",
 * unless FILE.sched is among the names.  Returns 0 or -ENOMEM.
 */
int tl_sources_open(struct tl_sources *sources, const char *const *names,
    size_t count, const struct tl_source_plan *plan);

/* Add inputs one by one: open from, whose name is copied, as one source or
 * several.  Returns 0 or -ENOMEM.  Call tl_sources_find_hosts after the last
 * input, and again after further inputs, before the next cursor. */
int tl_sources_add(struct tl_sources *sources,
    const struct tl_source_from *from, const struct tl_source_plan *plan);
int tl_sources_find_hosts(struct tl_sources *sources);
/* Close all sources.  Names, faults and followed streams stay. */
void tl_sources_close(struct tl_sources *sources);
void tl_sources_free(struct tl_sources *sources);

/* Apply the offsets of a plan to the clocks, before the first cursor.  Returns
 * 0, -ENOMEM, or -EINVAL with a fault if no host has the name. */
int tl_sources_apply(struct tl_sources *sources,
    const struct tl_hosts_plan *plan, struct tl_fault *fault);

/* Open a cursor of all events of all open sources.  event->source is the index
 * of the source in the list; with several hosts, overlapping events are marked.
 * Returns 0, -ENOENT if no source is open, or -errno. */
int tl_sources_cursor(const struct tl_sources *sources, enum tl_order order,
    struct tl_cursor **cursor);
/* The same of the sources from first up to end, which are numbered as among
 * all. */
int tl_sources_range(const struct tl_sources *sources, size_t first, size_t end,
    enum tl_order order, struct tl_cursor **cursor);
/* Open a cursor of all events that completes the ends (tl_spans_cursor).
 * Returns as tl_sources_cursor. */
int tl_sources_spans(const struct tl_sources *sources, enum tl_order order,
    struct tl_cursor **cursor);

/* Report the pairs of snapshots of one timeline, and of a snapshot and a
 * recording, that have entries in common: a cursor yields these entries
 * twice. */
void tl_sources_warn_copies(const struct tl_sources *sources,
    const struct tl_report *report);

/* Set *ns to the time of the newest entry of all sources.  Returns 0 or
 * -ENODATA without entries. */
int tl_sources_newest(const struct tl_sources *sources, int64_t *ns);

/* Set *ns to the end of the record: the latest time up to which a source is
 * known to be complete, or at which it has an entry.  A timeline is complete up
 * to the moment at which it was copied.  Returns 0 or -ENODATA without
 * entries. */
int tl_sources_end(const struct tl_sources *sources, int64_t *ns);

/* An upper bound of the number of entries that a cursor yields. */
uint64_t tl_sources_entries(const struct tl_sources *sources);

/* Does time certainly never run backwards in all sources? */
bool tl_sources_are_steady(const struct tl_sources *sources);

/* Is a source damaged, or could one not be opened? */
bool tl_sources_are_damaged(const struct tl_sources *sources);

/* Set the properties of the origin that all sources share; other properties are
 * unknown. */
void
tl_sources_origin(const struct tl_sources *sources, struct tl_origin *origin);
/* Set *origins to an array with the origin of each source; the caller frees the
 * array.  Returns 0 or -ENOMEM. */
int tl_sources_origins(const struct tl_sources *sources,
    struct tl_origin **origins);

/* == diagnostics == */

/* A program's function that prints a diagnostic.  name is the name of the file,
 * or NULL. */
typedef void tl_warn(const char *name, const struct tl_fault *fault);

/* Print all diagnostics of each source; quiet: only damage. */
void
tl_warn_sources(tl_warn *warn, const struct tl_sources *sources, bool quiet);
/* Print that count more diagnostics were not kept. */
void tl_warn_more(tl_warn *warn, const char *name, size_t count);

#endif
