/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - turn pages of the kernel into entries, a bounded number at a
 * time. */
#include "base/array.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "kernel/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_NS = TL_NS_PER_S, ENTRIES_MIN = 1 << 18 };

struct tl_session {
	struct tl_kernel kernel;
	struct tl_sched *sched;
	uint64_t *lost; /* of each CPU: events entered as lost so far */
	uint8_t *page;
	uint32_t pages_max; /* of a CPU, per turn */
	int64_t looked_ns;  /* last search; INT64_MAX: threads are named */
	char path[TL_PATH_MAX];
	uint64_t size;
	struct tl_sched_options options;
};

/* The number of events that a CPU's buffer has lost since it was made:
 * overwritten or dropped. */
static uint64_t
lost_in_all(const struct tl_session *d, size_t cpu)
{
	static const char *const keys[] = { "\noverrun: ", "\ncommit overrun: ",
		"\ndropped events: " };
	char text[1024];
	uint64_t sum = 0;
	ssize_t n;

	n = pread(d->kernel.stats[cpu], text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < TL_COUNT(keys); i++) {
		const char *at = strstr(text, keys[i]);

		if (at)
			sum += strtoull(at + strlen(keys[i]), NULL, 10);
	}
	return sum;
}

static void
enter_lost(struct tl_session *d, size_t cpu, uint64_t n)
{
	tl_sched_put_lost(d->sched, (uint32_t)cpu, n);
	d->lost[cpu] += n;
}

static int
drain(struct tl_session *d, uint32_t pages_max)
{
	int pages = 0;
	struct tl_page_record record;
	struct tl_kernel_event event;
	struct tl_page_walk walk;

	for (size_t cpu = 0; cpu < d->kernel.cpu_count; cpu++) {
		const int fd = d->kernel.pipes[cpu];

		for (uint32_t i = 0; fd >= 0 && i < pages_max; i++) {
			const ssize_t n =
			    read(fd, d->page, d->kernel.layout.size);
			int rc;

			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0 && errno != EAGAIN)
				return -errno;
			if (n <= 0)
				break;
			rc = tl_page_begin(&walk, &d->kernel.layout, d->page,
			    (size_t)n);
			if (rc != 0)
				return rc;
			if (walk.lost && walk.missed == 0) {
				/* losses in the statistics that were not
				 * entered yet */
				const uint64_t all = lost_in_all(d, cpu);

				walk.missed =
				    all > d->lost[cpu] ? all - d->lost[cpu] : 0;
			}
			enter_lost(d, cpu, walk.missed);
			while ((rc = tl_page_next(&walk, &record)) > 0)
				if (tl_kernel_decode(&d->kernel.formats,
					&record, &event))
					tl_sched_put(d->sched, (uint32_t)cpu,
					    &event);
			if (rc != 0)
				return rc;
			pages++;
		}
	}
	return pages;
}

int
tl_session_turn(struct tl_session *d)
{
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	int rc = 0;

	if (tl_kernel_is_gone(&d->kernel))
		return -ECONNRESET;
	if (d->looked_ns != INT64_MAX && now_ns - d->looked_ns >= LOOK_NS) {
		d->looked_ns = now_ns;
		rc = tl_sched_find_threads(d->sched, &d->kernel);
	}
	if (rc >= 0)
		rc = drain(d, d->pages_max);
	return rc < 0 ? rc : 0;
}

/* Stop recording and read the remaining pages; after the stop, reading comes to
 * an end. */
static int
finish(struct tl_session *d)
{
	int rc = tl_kernel_turn(&d->kernel, false);

	if (rc == 0)
		rc = drain(d, UINT32_MAX);
	for (size_t cpu = 0; rc >= 0 && cpu < d->kernel.cpu_count; cpu++) {
		const uint64_t all =
		    d->kernel.stats[cpu] >= 0 ? lost_in_all(d, cpu) : 0;

		if (all > d->lost[cpu])
			enter_lost(d, cpu, all - d->lost[cpu]);
	}
	return rc < 0 ? rc : 0;
}

static void
free_session(struct tl_session *d)
{
	tl_kernel_close(&d->kernel);
	tl_sched_free(d->sched);
	free(d->lost);
	free(d->page);
	free(d);
}

int
tl_session_end(struct tl_session *d, struct tl_sched_counts *counts)
{
	int rc = 0;

	if (d->sched)
		rc = tl_kernel_is_gone(&d->kernel) ? -ECONNRESET : finish(d);
	if (counts)
		*counts = tl_session_counts(d);
	free_session(d);
	return rc;
}

/* Make a session without its keeper and without the parts that depend on the
 * keeper's answer. */
static int
new_session(struct tl_session **out, struct tl_kernel_plan *plan,
    const char *path, const struct tl_session_options *options,
    struct tl_fault *fault)
{
	struct tl_session *d = calloc(1, sizeof(*d));
	const char *slash = strrchr(path, '/');

	if (!d)
		return tl_fail(fault, -ENOMEM, "no memory");
	*plan = (struct tl_kernel_plan){ .size = options->size
						     ? options->size
						     : TL_KERNEL_SIZE_DEFAULT,
		.faults = options->faults,
		.client = (uint32_t)gettid() };
	/* The name of an instance: the name of the file, with '_' for each
	 * forbidden character. */
	snprintf(plan->name, sizeof(plan->name), "%s",
	    slash ? slash + 1 : path);
	for (char *at = plan->name; *at; at++)
		if (!strchr(TL_INSTANCE_CHARACTERS, *at))
			*at = '_';
	d->kernel.socket = d->kernel.tracing_on = d->kernel.set_event_pid = -1;
	snprintf(d->path, sizeof(d->path), "%s", path);
	d->size = plan->size;
	d->options = options->sched;
	*out = d;
	return 0;
}

/* Make the file after the keeper has answered. */
static int
open_file(struct tl_session *d, struct tl_fault *fault)
{
	const size_t cpus = d->kernel.cpu_count;
	int rc = tl_sched_new(&d->sched, d->path, (uint32_t)cpus, &d->options,
	    fault);

	if (rc != 0)
		return rc;
	d->lost = calloc(cpus + 1, sizeof(*d->lost));
	d->page = malloc(d->kernel.layout.size);
	d->pages_max = (uint32_t)(d->size / d->kernel.layout.size + 1);
	return d->lost && d->page ? 0 : -ENOMEM;
}

int
tl_session_start(struct tl_session **out, const char *path,
    const struct tl_session_options *options, struct tl_fault *fault)
{
	struct tl_kernel_plan plan;
	struct tl_session *d;
	int rc = new_session(&d, &plan, path, options, fault);

	if (rc != 0)
		return rc;
	rc = tl_kernel_open(&d->kernel, &plan, fault);
	if (rc == 0)
		rc = open_file(d, fault);
	if (rc == 0) {
		d->looked_ns = tl_clock_read(CLOCK_MONOTONIC);
		rc = tl_sched_find_threads(d->sched, &d->kernel);
	}
	if (rc >= 0)
		rc = tl_kernel_turn(&d->kernel, true);
	if (rc == 0) {
		*out = d;
		return 0;
	}
	free_session(d);
	return tl_fail(fault, rc, "%s", strerror(-rc));
}

/* == through the service == */

int
tl_session_ask(struct tl_session **out, const char *path, const char *service,
    const struct tl_session_options *options, struct tl_fault *fault)
{
	struct tl_kernel_plan plan;
	struct tl_session *d;
	int rc = new_session(&d, &plan, path, options, fault);

	if (rc != 0)
		return rc;
	d->looked_ns = INT64_MAX;
	rc = tl_kernel_ask(&d->kernel, service, &plan, fault);
	if (rc == 0)
		*out = d;
	else
		free_session(d);
	return rc;
}

int
tl_session_fd(const struct tl_session *d)
{
	return d->kernel.socket;
}

int
tl_session_ready(struct tl_session *d, struct tl_fault *fault)
{
	const uint64_t entry = sizeof(struct timeline_entry);
	int rc;

	if (d->sched)
		return 0;
	if ((rc = tl_kernel_take(&d->kernel, fault)) != 0)
		return rc;
	/* the file has room for everything that the kernel's buffer holds */
	if (d->options.entries < ENTRIES_MIN)
		d->options.entries = ENTRIES_MIN;
	if (d->options.entries < d->kernel.cpu_count * d->size / entry)
		d->options.entries = d->kernel.cpu_count * d->size / entry;
	if ((rc = open_file(d, fault)) == 0)
		rc = tl_kernel_turn(&d->kernel, true);
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}

int
tl_session_add_process(struct tl_session *d, uint32_t pid)
{
	const int rc = tl_sched_add_process(d->sched, pid, &d->kernel);

	return rc < 0 ? rc : 0;
}

void
tl_session_visit(struct tl_session *d)
{
	tl_sched_visit(d->sched);
}

bool
tl_session_is_gone(const struct tl_session *d)
{
	return tl_kernel_is_gone(&d->kernel);
}

struct tl_sched_counts
tl_session_counts(const struct tl_session *d)
{
	return d->sched ? tl_sched_counts(d->sched)
			: (struct tl_sched_counts){ 0 };
}
