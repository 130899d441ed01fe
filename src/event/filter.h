/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.h - choose events by their fields.
 */
#ifndef TL_EVENT_FILTER_H
#define TL_EVENT_FILTER_H

#include "event/cursor.h"

#include <stdbool.h>

enum { TL_FILTER_LIST_MAX = 64 };

struct tl_filter {
	int64_t since_ns; /* INT64_MIN: no bound; inclusive */
	int64_t until_ns; /* INT64_MAX: no bound; inclusive */
	const char *categories[TL_FILTER_LIST_MAX]; /* globs; any may match */
	size_t category_count;
	const char *messages[TL_FILTER_LIST_MAX]; /* globs over line1 */
	size_t message_count;
	unsigned min_level; /* 0: any */
	uint32_t pids[TL_FILTER_LIST_MAX];
	size_t pid_count;
	uint32_t tids[TL_FILTER_LIST_MAX];
	size_t tid_count;
	uint32_t cpus[TL_FILTER_LIST_MAX];
	size_t cpu_count;
};

/* Match as fnmatch(3) without flags.  Bytes of the name past TL_GLOB_NAME_MAX
 * are ignored; a NUL in the name counts as a space. */
enum { TL_GLOB_NAME_MAX = 4096 };
bool tl_glob_matches(const char *glob, struct tl_bytes name);
/* Match the first line of a message, alone or as CATEGORY:LINE. */
bool
tl_glob_matches_message(const char *glob, const struct tl_message *message);

/* Set a filter that passes every event. */
void tl_filter_init(struct tl_filter *filter);

/*
 * Does the event pass?  TL_LOST events pass unless the time window or the CPU
 * excludes them.  Every event of a message gets the same answer from the globs
 * and the level: callers that see many events may keep the answer of
 * tl_filter_message with the message and call only tl_filter_event.
 */
bool tl_filter_message(const struct tl_filter *filter,
    const struct tl_message *message);
/* Is the event in the time window? */
static inline bool
tl_filter_time(const struct tl_filter *filter, const struct tl_event *event)
{
	return event->ns >= filter->since_ns && event->ns <= filter->until_ns;
}
/* Do the CPUs, processes and threads include the event? */
bool
tl_filter_place(const struct tl_filter *filter, const struct tl_event *event);
static inline bool
tl_filter_event(const struct tl_filter *filter, const struct tl_event *event)
{
	return tl_filter_time(filter, event) && tl_filter_place(filter, event);
}

#endif
