/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.c - the queue of snapshots, the two threads that work on the queue,
 * and the times of the sweeps that remove files.
 *
 * One lock protects everything in struct tl_snapshots that changes.  A job that
 * was taken from a list belongs to the thread that took the job.
 */
#include "daemon/disk/snapshots.h"

#include "base/file.h"
#include "base/ns.h"
#include "base/process.h"
#include "clock/clock.h"
#include "daemon/disk/keep.h"
#include "daemon/disk/snapshot_file.h"
#include "event/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TIMELINE_NAME_MAX = TL_SNAPSHOT_TIMELINE_MAX + 1,
	NAMES_TRIED_MAX = 1000, /* limit of tries for a free name */
	MEMORY_MAX = 128 << 20  /* of copies that wait for the saver */
};

/* Files grow too old, and grow: sweep once a minute, and sooner after a file
 * was begun or saved.  One sweep is for many files. */
static const int64_t sweep_ns = 60 * TL_NS_PER_S;
static const int64_t sweep_ns_min = 2 * TL_NS_PER_S;

/* Who has a job: the states follow each other. */
enum job_state { WAITING, COPYING, FROZEN, SAVING, DONE };

struct job {
	struct job *next; /* the next request */
	enum job_state state;
	char timeline[TIMELINE_NAME_MAX];
	char reason[TL_REASON_MAX + 1];
	struct tl_config_snapshots how;
	struct tl_snapshot_why why;
	tl_snapshot_done *done;
	void *context;
	int64_t unix_ns; /* time of the request */
	struct tl_snapshot_copy copy;
	/* kernel's events; live below 0: none */
	struct tl_snapshot_copy kernel;
	/* moved before the copy of kernel; may be NULL */
	struct tl_kernel_events *events;
	uint64_t memory; /* reserved for both copies */
	struct tl_snapshot_result result;
	char path[]; /* the folder, a slash, room for a name */
};

struct tl_snapshots {
	struct ev_loop *loop;
	struct ev_async answer;
	char *path; /* of the folder */
	struct tl_snapshot_folder folder;
	pthread_t copier;
	pthread_t saver;
	pthread_mutex_t lock;        /* of everything below */
	pthread_cond_t requested;    /* wakes the copier */
	pthread_cond_t frozen_ready; /* wakes the saver */
	/* In the order of the requests, which is also that of the results. */
	struct job *jobs;
	uint64_t memory; /* bytes of copies in memory */
	bool stop;
	bool copier_ended;
	struct tl_config *config; /* the limits; NULL: none yet */
	int64_t swept_ns;         /* CLOCK_MONOTONIC */
	int64_t sweep_at_ns;      /* likewise */
	void *traces;             /* names being written (tsearch) */
	struct tl_snapshots_status status;
};

/* == the threads == */

/* The oldest job in this state, or NULL.  The caller holds the lock. */
static struct job *
oldest(const struct tl_snapshots *s, enum job_state state)
{
	struct job *job = s->jobs;

	while (job && job->state != state)
		job = job->next;
	return job;
}

/* == the copier == */

/* Reserve memory for a copy, if it fits beside the other copies. */
static bool
reserve_memory(struct tl_snapshots *s, struct job *job, uint64_t size)
{
	bool fits;

	pthread_mutex_lock(&s->lock);
	fits = size <= MEMORY_MAX && s->memory <= MEMORY_MAX - size;
	if (fits) {
		s->memory += size;
		job->memory += size;
	}
	pthread_mutex_unlock(&s->lock);
	return fits;
}

static int
freeze_one(struct tl_snapshots *s, struct job *job,
    struct tl_snapshot_copy *copy)
{
	int rc = tl_snapshot_copy_check(copy);

	if (rc == 0)
		rc = tl_snapshot_copy_prepare(copy, &s->folder,
		    reserve_memory(s, job, copy->geometry.total_size));
	return rc == 0 ? tl_snapshot_copy_freeze(copy) : rc;
}

static void *
run_copier(void *context)
{
	struct tl_snapshots *s = context;
	struct job *job;

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (!(job = oldest(s, WAITING))) {
			pthread_cond_wait(&s->requested, &s->lock);
			continue;
		}
		job->state = COPYING;
		pthread_mutex_unlock(&s->lock);
		job->result.begun_ns = tl_clock_read(CLOCK_MONOTONIC);
		job->result.rc = freeze_one(s, job, &job->copy);
		if (job->result.rc == 0 && job->events && job->kernel.live >= 0)
			job->result.kernel_rc =
			    tl_kernel_events_drain(job->events);
		tl_kernel_events_release(job->events);
		job->events = NULL;
		if (job->result.rc == 0 && job->result.kernel_rc == 0 &&
		    job->kernel.live >= 0)
			job->result.kernel_rc =
			    freeze_one(s, job, &job->kernel);
		pthread_mutex_lock(&s->lock);
		job->state = FROZEN;
		pthread_cond_signal(&s->frozen_ready);
	}
	s->copier_ended = true;
	pthread_cond_signal(&s->frozen_ready);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* == the saver == */

static int
name_job(const struct tl_snapshots *s, struct job *job, int64_t unix_ns)
{
	return tl_snapshot_name_make(job->path + strlen(s->path) + 1,
	    job->timeline, unix_ns, job->reason, job->how.compress != 0);
}

static void
save(struct tl_snapshots *s, struct job *job)
{
	struct tl_snapshot_result *result = &job->result;

	if (result->rc == 0)
		result->rc = tl_snapshot_copy_finish(&job->copy, &s->folder,
		    job->how.compress, &result->used);
	result->left_out = job->copy.left_out;
	if (result->rc == 0) {
		/* Give the snapshot its name.  If the name is taken, use the
		 * next microsecond. */
		int rc = -EEXIST;

		for (int i = 0; rc == -EEXIST && i < NAMES_TRIED_MAX; i++) {
			rc = name_job(s, job, job->unix_ns + i * TL_NS_PER_US);
			if (rc == 0)
				rc = tl_snapshot_file_commit(&job->copy.file,
				    &s->folder,
				    job->path + strlen(s->path) + 1);
		}
		result->rc = rc;
	}
	if (result->rc == 0 && result->kernel_rc == 0 &&
	    job->kernel.file.fd >= 0) {
		/* Save the kernel's events beside the snapshot, whose name is
		 * free. */
		char name[TL_FILE_NAME_MAX + sizeof(TL_SCHED_SUFFIX)];
		uint64_t used;
		int rc = tl_snapshot_copy_finish(&job->kernel, &s->folder,
		    job->how.compress, &used);

		snprintf(name, sizeof(name), "%s" TL_SCHED_SUFFIX,
		    job->path + strlen(s->path) + 1);
		if (rc == 0)
			rc = tl_snapshot_file_commit(&job->kernel.file,
			    &s->folder, name);
		result->kernel_rc = rc;
	}
	if (result->rc == 0 && job->why.glob[0])
		result->why_rc = tl_snapshot_explain(&s->folder, job->path,
		    &job->why, job->copy.mode);
	tl_snapshot_copy_close(&job->copy, &s->folder);
	tl_snapshot_copy_close(&job->kernel, &s->folder);
	result->done_ns = tl_clock_read(CLOCK_MONOTONIC);
}

/* A file was begun or saved.  The caller holds the lock. */
static void
sweep_soon(struct tl_snapshots *s)
{
	if (s->swept_ns + sweep_ns_min < s->sweep_at_ns)
		s->sweep_at_ns = s->swept_ns + sweep_ns_min;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static bool
is_busy(void *context, const char *name)
{
	struct tl_snapshots *s = context;
	bool busy;

	pthread_mutex_lock(&s->lock);
	busy = tfind(name, &s->traces, compare_names) != NULL;
	pthread_mutex_unlock(&s->lock);
	return busy;
}

/* Apply keep if it is time.  The caller holds the lock, which is released
 * meanwhile.  No snapshot is being saved: that is this thread's work, too. */
static void
sweep_due(struct tl_snapshots *s)
{
	struct tl_keep_sweep how = { .home = s->folder.fd,
		.home_path = s->path,
		.now_ns = tl_clock_read(CLOCK_REALTIME),
		.is_busy = is_busy,
		.context = s };
	struct tl_config *config = s->config;
	struct tl_keep_sums sums;
	int rc;

	if (!config || tl_clock_read(CLOCK_MONOTONIC) < s->sweep_at_ns)
		return;
	how.config = tl_config_hold(config);
	s->sweep_at_ns = INT64_MAX;
	pthread_mutex_unlock(&s->lock);
	rc = tl_keep_sweep(&how, &sums);
	tl_config_free(config);
	pthread_mutex_lock(&s->lock);
	s->swept_ns = tl_clock_read(CLOCK_MONOTONIC);
	if (s->sweep_at_ns == INT64_MAX)
		s->sweep_at_ns = s->swept_ns + sweep_ns;
	else if (s->sweep_at_ns > 0) /* a file was begun meanwhile */
		s->sweep_at_ns = s->swept_ns + sweep_ns_min;
	s->status.removed += sums.removed[TL_KEPT_SNAPSHOT];
	s->status.traces_removed += sums.removed[TL_KEPT_TRACE];
	if (rc != 0)
		return;
	s->status.files = sums.files;
	s->status.bytes = sums.bytes;
}

static void
save_one(struct tl_snapshots *s, struct job *job)
{
	job->state = SAVING;
	pthread_mutex_unlock(&s->lock);
	save(s, job);
	pthread_mutex_lock(&s->lock);
	s->memory -= job->memory;
	if (job->result.rc == 0) {
		s->status.saved++;
		s->status.files++;
		s->status.bytes += job->result.used;
	} else {
		s->status.failed++;
	}
	sweep_soon(s);
	sweep_due(s);
	s->status.queued--;
	job->state = DONE;
	ev_async_send(s->loop, &s->answer);
}

static void *
run_saver(void *context)
{
	struct tl_snapshots *s = context;
	struct timespec until;
	struct job *job;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if ((job = oldest(s, FROZEN))) {
			save_one(s, job);
			continue;
		}
		if (s->copier_ended)
			break;
		sweep_due(s);
		if (oldest(s, FROZEN) || s->copier_ended)
			continue;

		/* Wait for a copy, or for the time of the next sweep. */
		until.tv_sec = s->sweep_at_ns / TL_NS_PER_S;
		until.tv_nsec = s->sweep_at_ns % TL_NS_PER_S;
		if (s->config)
			pthread_cond_timedwait(&s->frozen_ready, &s->lock,
			    &until);
		else
			pthread_cond_wait(&s->frozen_ready, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* == the loop == */

static void
job_free(struct tl_snapshots *s, struct job *job)
{
	tl_kernel_events_release(job->events);
	tl_snapshot_copy_close(&job->copy, &s->folder);
	tl_snapshot_copy_close(&job->kernel, &s->folder);
	free(job);
}

static void
answer(struct ev_loop *loop, struct ev_async *watcher, int events)
{
	struct tl_snapshots *s = watcher->data;
	struct job *job;

	(void)loop;
	(void)events;
	for (;;) {
		pthread_mutex_lock(&s->lock);
		if ((job = oldest(s, DONE)))
			s->jobs = job->next;
		pthread_mutex_unlock(&s->lock);
		if (!job)
			return;
		if (job->done)
			job->done(job->context, &job->result);
		job_free(s, job);
	}
}

static void
stop_copier(struct tl_snapshots *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->requested);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->copier, NULL);
}

/* After the threads. */
static void
free_all(struct tl_snapshots *s)
{
	struct job *job;

	ev_async_stop(s->loop, &s->answer);
	while ((job = s->jobs)) {
		s->jobs = job->next;
		job_free(s, job);
	}
	pthread_cond_destroy(&s->requested);
	pthread_cond_destroy(&s->frozen_ready);
	pthread_mutex_destroy(&s->lock);
	tl_config_free(s->config);
	tl_snapshot_folder_close(&s->folder);
	free(s->path);
	free(s);
}

int
tl_snapshots_new(struct tl_snapshots **snapshots, struct ev_loop *loop,
    const char *directory, struct tl_fault *fault)
{
	struct tl_snapshots *s = calloc(1, sizeof(*s));
	pthread_condattr_t attributes;
	int rc;

	if (!s || !(s->path = strdup(directory))) {
		free(s);
		return tl_fail(fault, -ENOMEM, "out of memory");
	}
	rc = tl_snapshot_folder_open(&s->folder, directory, fault);
	if (rc != 0) {
		free(s->path);
		free(s);
		return rc;
	}
	s->loop = loop;
	ev_async_init(&s->answer, answer);
	s->answer.data = s;
	ev_async_start(loop, &s->answer);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->requested, &attributes);
	pthread_cond_init(&s->frozen_ready, &attributes);
	pthread_condattr_destroy(&attributes);
	rc = tl_thread_start(&s->copier, run_copier, s, "snapshots-copy");
	if (rc == 0) {
		rc = tl_thread_start(&s->saver, run_saver, s, "snapshots-save");
		if (rc != 0)
			stop_copier(s);
	}
	if (rc != 0) {
		free_all(s);
		return tl_fail(fault, rc, "cannot start a thread: %s",
		    strerror(-rc));
	}
	*snapshots = s;
	return 0;
}

/* Make a job without its descriptors.  Returns 0 or -errno. */
static int
job_new(struct job **out, const struct tl_snapshots *s, const char *timeline,
    const char *reason, const struct tl_config_snapshots *how)
{
	const size_t size =
	    sizeof(struct job) + strlen(s->path) + 1 + TL_FILE_NAME_MAX;
	struct job *job;
	int rc;

	if (strlen(timeline) >= TIMELINE_NAME_MAX)
		return -ENAMETOOLONG;
	job = calloc(1, size);
	if (!job)
		return -ENOMEM;
	job->how = *how;
	job->unix_ns = tl_clock_read(CLOCK_REALTIME);
	snprintf(job->timeline, sizeof(job->timeline), "%s", timeline);
	snprintf(job->reason, sizeof(job->reason), "%s", reason);
	sprintf(job->path, "%s/", s->path);
	if ((rc = name_job(s, job, job->unix_ns)) != 0) {
		free(job);
		return rc;
	}
	job->copy.live = job->copy.file.fd = -1;
	job->kernel.live = job->kernel.file.fd = -1;
	job->result.timeline = job->timeline;
	job->result.reason = job->reason;
	job->result.path = job->path;
	job->result.asked_ns = tl_clock_read(CLOCK_MONOTONIC);
	*out = job;
	return 0;
}

/* Open the live file of the timeline's kernel events.  Returns a descriptor,
 * -ENOENT if there is no file, -EPERM if its owner is neither root nor the
 * timeline's user nor our user, or -errno. */
static int
open_kernel(const char *timeline, int timeline_fd)
{
	char path[TL_PATH_MAX], sched[TL_PATH_MAX];
	struct stat st, of_timeline;
	int rc = tl_name_path(timeline, path);
	int fd;

	if (rc != 0 || (rc = tl_sched_path(sched, path)) != 0)
		return rc;
	fd = open(sched, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    fstat(timeline_fd, &of_timeline) == 0 &&
	    (st.st_uid == 0 || st.st_uid == geteuid() ||
		st.st_uid == of_timeline.st_uid))
		return fd;
	close(fd);
	return -EPERM;
}

int
tl_snapshots_take(struct tl_snapshots *s, const char *timeline, int fd,
    const char *reason, const struct tl_config_snapshots *how,
    const struct tl_snapshot_beside *beside, tl_snapshot_done *done,
    void *context)
{
	struct job *job, **last = &s->jobs;
	int rc = job_new(&job, s, timeline + (timeline[0] == '/'), reason, how);

	if (rc != 0)
		return rc;
	job->done = done;
	job->context = context;
	if (beside->why)
		job->why = *beside->why;
	job->events = tl_kernel_events_hold(beside->kernel);
	job->copy.live = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (job->copy.live < 0)
		rc = -errno;
	job->kernel.live = open_kernel(timeline, fd);
	if (job->kernel.live < 0 && job->kernel.live != -ENOENT)
		job->result.kernel_rc = job->kernel.live;
	if (rc == 0) {
		pthread_mutex_lock(&s->lock);
		for (; *last; last = &(*last)->next)
			if ((*last)->state == WAITING &&
			    strcmp((*last)->timeline, job->timeline) == 0 &&
			    strcmp((*last)->reason, job->reason) == 0)
				rc = -EBUSY;
		if (rc == 0 && s->status.queued >= TL_SNAPSHOTS_QUEUED_MAX)
			rc = -EAGAIN;
		if (rc == 0) {
			s->status.queued++;
			*last = job;
			pthread_cond_signal(&s->requested);
		}
		pthread_mutex_unlock(&s->lock);
	}
	if (rc != 0)
		job_free(s, job);
	return rc;
}

void
tl_snapshots_keep(struct tl_snapshots *s, struct tl_config *config)
{
	struct tl_config *old;

	pthread_mutex_lock(&s->lock);
	old = s->config;
	s->config = tl_config_hold(config);
	s->sweep_at_ns = 0;
	pthread_cond_signal(&s->frozen_ready);
	pthread_mutex_unlock(&s->lock);
	tl_config_free(old);
}

int
tl_snapshots_trace_begun(struct tl_snapshots *s, const char *name)
{
	const char *const *found;
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	found = tsearch(name, &s->traces, compare_names);
	if (!found || *found != name)
		rc = found ? -EEXIST : -ENOMEM;
	else
		sweep_soon(s);
	pthread_cond_signal(&s->frozen_ready);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void
tl_snapshots_trace_ended(struct tl_snapshots *s, const char *name)
{
	pthread_mutex_lock(&s->lock);
	tdelete(name, &s->traces, compare_names);
	pthread_mutex_unlock(&s->lock);
}

void
tl_snapshots_cancel(struct tl_snapshots *s, void *context)
{
	pthread_mutex_lock(&s->lock);
	for (struct job *job = s->jobs; job; job = job->next)
		if (job->context == context)
			job->done = NULL;
	pthread_mutex_unlock(&s->lock);
}

void
tl_snapshots_status(struct tl_snapshots *s, struct tl_snapshots_status *status)
{
	pthread_mutex_lock(&s->lock);
	*status = s->status;
	pthread_mutex_unlock(&s->lock);
}

void
tl_snapshots_free(struct tl_snapshots *s)
{
	if (!s)
		return;
	stop_copier(s);
	pthread_join(s->saver, NULL);
	free_all(s);
}
