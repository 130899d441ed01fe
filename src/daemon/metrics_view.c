/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_view.c - ask the parts of the daemon how they are. */
#include "daemon/metrics_view.h"
#include "base/file.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STATM_MAX = 256 };

/* The second number of statm, in pages. */
static bool
read_rss(uint64_t *rss)
{
	const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[STATM_MAX] = "";
	unsigned long long pages;
	int64_t size = -1;

	if (fd >= 0) {
		size = tl_read_at(fd, text, sizeof(text) - 1, 0);
		close(fd);
	}
	if (size <= 0 || sscanf(text, "%*s %llu", &pages) != 1)
		return false;
	*rss = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

static bool
count_fds(uint64_t *fds)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!dir)
		return false;
	*fds = 0;
	while ((entry = readdir(dir)) != NULL)
		*fds += entry->d_name[0] != '.';
	closedir(dir);
	*fds -= *fds > 0; /* the directory itself */
	return true;
}

static void
count_writers(struct tl_metrics_view *view)
{
	const struct tl_writers *writers = view->target->writers;
	const size_t count = writers ? tl_writers_count(writers) : 0;

	for (size_t i = 0; i < count; i++) {
		if (tl_writers_get(writers, i)->died_ns != 0)
			view->writers_dead++;
		else
			view->writers_alive++;
	}
}

static void
look_at(struct tl_metrics_view *view, const struct tl_target *target)
{
	struct tl_fault fault = { 0 };

	view->target = target;
	view->has_glance =
	    target->tl &&
	    tl_glance_fd(&view->glance, target->tl->fd, false, &fault) == 0;
	view->bursts.kept_ns = -1;
	if (target->bursts)
		tl_bursts_status(target->bursts, &view->bursts);
	if (target->calibrator)
		tl_calibrator_status(target->calibrator, &view->clock);
	view->has_record = tl_target_is_recorded(target);
	tl_target_record_status(target, &view->record);
	count_writers(view);
}

int
tl_metrics_gather(struct tl_metrics *metrics, const struct tl_daemon *d)
{
	*metrics = (struct tl_metrics){ .count = d->target_count };
	metrics->whole = (struct tl_metrics_view){ .daemon = d,
		.own = &metrics->own,
		.snapshots = &metrics->snapshots };
	metrics->views = calloc(metrics->count + 1, sizeof(*metrics->views));
	if (!metrics->views)
		return -ENOMEM;
	metrics->own.cpu_ns = tl_clock_read(CLOCK_PROCESS_CPUTIME_ID);
	metrics->own.has_rss = read_rss(&metrics->own.rss);
	metrics->own.has_fds = count_fds(&metrics->own.fds);
	tl_actions_status(&metrics->own.programs);
	if (d->snapshots)
		tl_snapshots_status(d->snapshots, &metrics->snapshots);
	for (size_t i = 0; i < metrics->count; i++) {
		metrics->views[i] = metrics->whole;
		look_at(&metrics->views[i], d->targets[i]);
	}
	return 0;
}

void
tl_metrics_release(struct tl_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->views[i].has_glance)
			tl_glance_free(&metrics->views[i].glance);
	free(metrics->views);
	metrics->views = NULL;
	metrics->count = 0;
}
