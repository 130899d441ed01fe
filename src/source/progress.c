/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - show progress on a terminal.
 */
#include "source/progress.h"

#include "clock/clock.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const int64_t first_after_ns = 1000000000, then_every_ns = 200000000;

void
tl_progress_start(struct tl_progress *progress, bool on)
{
	*progress =
	    (struct tl_progress){ .on = on && isatty(STDERR_FILENO) == 1,
		    .start_ns = tl_clock_read(CLOCK_MONOTONIC) };
}

void
tl_progress_show(struct tl_progress *progress)
{
	const int64_t now = tl_clock_read(CLOCK_MONOTONIC);

	if (now - progress->start_ns < first_after_ns ||
	    now - progress->last_ns < then_every_ns)
		return;
	progress->last_ns = now;
	progress->shown = true;
	fprintf(stderr, "\r%.1f million entries read",
	    (double)progress->count / 1e6);
	if (progress->total > 0)
		fprintf(stderr, " of %.1f", (double)progress->total / 1e6);
	fflush(stderr);
}

void
tl_progress_end(struct tl_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
	progress->on = false;
}
