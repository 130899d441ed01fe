/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.c - the queue of snapshots, as the loop sees it.
 */
#include "daemon/snapshots.h"
#include "clock/clock.h"
#include "daemon/snapshots_keep.h"
#include "daemon/snapshots_work.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NS_A_SECOND = 1000000000 };

static void
jobs_forget(struct tl_snapshot_jobs *jobs, const void *context)
{
	for (struct tl_snapshot_job *job = jobs->first; job; job = job->next)
		if (job->context == context)
			job->done = NULL;
}

static void
job_free(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	if (!job)
		return;
	tl_snapshot_copy_close(&job->copy, &s->folder);
	free(job);
}

static void
jobs_free(struct tl_snapshots *s, struct tl_snapshot_jobs *jobs)
{
	struct tl_snapshot_job *job;

	while ((job = tl_snapshot_jobs_get(jobs)))
		job_free(s, job);
}

static void
answer(struct ev_loop *loop, struct ev_async *watcher, int events)
{
	struct tl_snapshots *s = watcher->data;
	struct tl_snapshot_job *job;

	(void)loop;
	(void)events;
	for (;;) {
		pthread_mutex_lock(&s->lock);
		job = tl_snapshot_jobs_get(&s->done);
		pthread_mutex_unlock(&s->lock);
		if (!job)
			return;
		if (job->done)
			job->done(job->context, &job->result);
		job_free(s, job);
	}
}

static int
start_thread(pthread_t *thread, void *(*run)(void *), struct tl_snapshots *s,
    const char *name)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0)
		pthread_setname_np(*thread, name);
	return -rc;
}

static void
stop_copier(struct tl_snapshots *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->asked);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->copier, NULL);
}

static int
start(struct tl_snapshots *s)
{
	pthread_condattr_t attributes;
	int rc;

	tl_snapshot_jobs_init(&s->waiting);
	tl_snapshot_jobs_init(&s->frozen);
	tl_snapshot_jobs_init(&s->done);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->asked, &attributes);
	pthread_cond_init(&s->frozen_more, &attributes);
	pthread_condattr_destroy(&attributes);
	if ((rc = start_thread(&s->copier, tl_snapshots_run_copier, s,
		 "snapshots-copy")) != 0)
		return rc;
	if ((rc = start_thread(&s->saver, tl_snapshots_run_saver, s,
		 "snapshots-save")) != 0)
		stop_copier(s);
	return rc;
}

static void
free_all(struct tl_snapshots *s)
{
	tl_snapshots_rules_free(&s->rules);
	tl_snapshot_folder_close(&s->folder);
	free(s->path);
	free(s);
}

int
tl_snapshots_new(struct tl_snapshots **snapshots, struct ev_loop *loop,
    const char *directory, struct tl_fault *fault)
{
	struct tl_snapshots *s = calloc(1, sizeof(*s));
	int rc;

	if (!s || !(s->path = strdup(directory))) {
		free(s);
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE, "no memory");
	}
	s->loop = loop;
	rc = tl_snapshot_folder_open(&s->folder, directory, fault);
	if (rc != 0) {
		free(s->path);
		free(s);
		return rc;
	}
	(void)tl_snapshots_keep_count(s->folder.fd, &s->status.files,
	    &s->status.bytes);
	ev_async_init(&s->answer, answer);
	s->answer.data = s;
	ev_async_start(loop, &s->answer);
	if ((rc = start(s)) != 0) {
		ev_async_stop(loop, &s->answer);
		free_all(s);
		return tl_fault(fault, rc, TL_FAULT_NOWHERE,
		    "cannot start a thread: %s", strerror(-rc));
	}
	*snapshots = s;
	return 0;
}

/* All of it but the descriptor; -errno when it cannot be. */
static int
job_new(struct tl_snapshot_job **out, const struct tl_snapshots *s,
    const char *timeline, const char *reason,
    const struct tl_config_snapshots *how)
{
	const size_t size = sizeof(struct tl_snapshot_job) + strlen(s->path) +
			    1 + TL_FILE_NAME_MAX;
	struct tl_snapshot_job *job;
	int rc;

	if (strlen(timeline) >= TL_NAME_PART_MAX)
		return -ENAMETOOLONG;
	job = calloc(1, size);
	if (!job)
		return -ENOMEM;
	job->how = *how;
	job->unix_ns = tl_clock_read(CLOCK_REALTIME);
	snprintf(job->timeline, sizeof(job->timeline), "%s", timeline);
	snprintf(job->reason, sizeof(job->reason), "%s", reason);
	sprintf(job->path, "%s/", s->path);
	if ((rc = tl_snapshot_job_name(s, job, job->unix_ns)) != 0) {
		free(job);
		return rc;
	}
	job->copy.live = job->copy.file.fd = -1;
	job->result.timeline = job->timeline;
	job->result.reason = job->reason;
	job->result.path = job->path;
	job->result.asked_ns = tl_clock_read(CLOCK_MONOTONIC);
	*out = job;
	return 0;
}

/* The lock is held. */
static int
enqueue(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	for (const struct tl_snapshot_job *w = s->waiting.first; w; w = w->next)
		if (strcmp(w->timeline, job->timeline) == 0 &&
		    strcmp(w->reason, job->reason) == 0)
			return -EBUSY;
	if (s->status.queued >= TL_SNAPSHOTS_QUEUED_MAX)
		return -EAGAIN;
	s->status.queued++;
	tl_snapshot_jobs_put(&s->waiting, job);
	pthread_cond_signal(&s->asked);
	return 0;
}

int
tl_snapshots_take(struct tl_snapshots *s, const char *timeline, int fd,
    const char *reason, const struct tl_config_snapshots *how,
    tl_snapshot_done *done, void *context)
{
	struct tl_snapshot_job *job;
	int rc = job_new(&job, s, timeline + (timeline[0] == '/'), reason, how);

	if (rc != 0)
		return rc;
	job->done = done;
	job->context = context;
	job->copy.live = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (job->copy.live < 0)
		rc = -errno;
	if (rc == 0) {
		pthread_mutex_lock(&s->lock);
		rc = enqueue(s, job);
		pthread_mutex_unlock(&s->lock);
	}
	if (rc != 0)
		job_free(s, job);
	return rc;
}

int
tl_snapshots_keep(struct tl_snapshots *s, const char *timeline,
    const struct tl_config_keep *keep)
{
	int rc;

	timeline += timeline[0] == '/';
	if (strlen(timeline) >= TL_NAME_PART_MAX)
		return -ENAMETOOLONG;
	pthread_mutex_lock(&s->lock);
	rc = tl_snapshots_rules_put(&s->rules, timeline, keep);
	pthread_cond_signal(&s->frozen_more);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void
tl_snapshots_forget(struct tl_snapshots *s, void *context)
{
	pthread_mutex_lock(&s->lock);
	jobs_forget(&s->waiting, context);
	jobs_forget(&s->frozen, context);
	jobs_forget(&s->done, context);
	if (s->copying && s->copying->context == context)
		s->copying->done = NULL;
	if (s->saving && s->saving->context == context)
		s->saving->done = NULL;
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
	ev_async_stop(s->loop, &s->answer);
	jobs_free(s, &s->waiting);
	jobs_free(s, &s->done);
	pthread_cond_destroy(&s->asked);
	pthread_cond_destroy(&s->frozen_more);
	pthread_mutex_destroy(&s->lock);
	free_all(s);
}
