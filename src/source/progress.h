/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - show progress on a terminal, for work that takes more than a
 * second.
 */
#ifndef TL_SOURCE_PROGRESS_H
#define TL_SOURCE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_PROGRESS_EVERY = 1 << 16 };

struct tl_progress {
	bool on;
	bool shown;
	uint64_t total; /* expected entries; 0: unknown */
	uint64_t count;
	int64_t start_ns;
	int64_t last_ns;
};

/* Start the progress of a piece of work.  Progress is shown if on is true and
 * stderr is a terminal. */
void tl_progress_start(struct tl_progress *progress, bool on);
/* Read the clock, and show progress if it is time. */
void tl_progress_show(struct tl_progress *progress);
/* Clear the line. */
void tl_progress_end(struct tl_progress *progress);

/* Count an entry that was read. */
static inline void
tl_progress_tick(struct tl_progress *progress)
{
	if (++progress->count % TL_PROGRESS_EVERY == 0 && progress->on)
		tl_progress_show(progress);
}

#endif
