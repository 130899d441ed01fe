/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the timelines that are shipped: found by name or glob, followed
 * until they are removed
 */
#ifndef TL_SHIP_SOURCES_H
#define TL_SHIP_SOURCES_H

#include "ship/feed.h"

#include <stdbool.h>

enum { TL_SOURCES_MAX = 256 /* at a time */ };

struct tl_ship_sources;

struct tl_ship_sources_status {
	size_t count;     /* timelines that are followed now */
	uint64_t entries; /* recorded of all, so far */
	uint64_t lost;
};

/* names, globs among them, and all of options outlive it; the thread that
 * reads is its own.  0 or -errno. */
int tl_ship_sources_new(struct tl_ship_sources **sources,
    struct tl_spool *spool, const char *const *names, size_t count,
    const struct tl_feed_options *options);
/* Follow new timelines, release those that ended. */
void tl_ship_sources_scan(struct tl_ship_sources *sources);
void tl_ship_sources_status(struct tl_ship_sources *sources,
    struct tl_ship_sources_status *status);
/* Make blocks of what was logged so far, and end.  Returns at once. */
void tl_ship_sources_stop(struct tl_ship_sources *sources);
/* Have all of them ended? */
bool tl_ship_sources_are_done(struct tl_ship_sources *sources);
/* NULL does nothing. */
void tl_ship_sources_free(struct tl_ship_sources *sources);

#endif
