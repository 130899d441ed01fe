/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - tell a waiting person how far it is.
 */
#include "dump/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const int64_t first_after_ns = 1000000000, then_every_ns = 200000000;

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void
tl_progress_start(struct tl_progress *progress, bool on)
{
	*progress =
	    (struct tl_progress){ .on = on && isatty(STDERR_FILENO) == 1,
		    .start_ns = now_ns() };
}

void
tl_progress_show(struct tl_progress *progress)
{
	const int64_t now = now_ns();

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
