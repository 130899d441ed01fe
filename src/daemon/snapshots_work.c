/* SPDX-License-Identifier: Apache-2.0 */
/* snapshots_work.c - the threads: one freezes, the other makes it last. */
#include "daemon/snapshots_work.h"
#include "clock/clock.h"
#include "daemon/snapshots_keep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	NS_A_SECOND = 1000000000,
	NS_A_MICROSECOND = 1000,
	NAMES_TRIED_MAX = 1000, /* until one is free */
	MEMORY_MAX = 128 << 20  /* bytes of copies that wait for the saver */
};

void
tl_snapshot_jobs_init(struct tl_snapshot_jobs *jobs)
{
	jobs->first = NULL;
	jobs->last = &jobs->first;
}

void
tl_snapshot_jobs_put(struct tl_snapshot_jobs *jobs, struct tl_snapshot_job *job)
{
	job->next = NULL;
	*jobs->last = job;
	jobs->last = &job->next;
}

struct tl_snapshot_job *
tl_snapshot_jobs_get(struct tl_snapshot_jobs *jobs)
{
	struct tl_snapshot_job *job = jobs->first;

	if (job && !(jobs->first = job->next))
		jobs->last = &jobs->first;
	return job;
}

/* == the copier == */

/* Does a copy of this size fit into memory beside the others? */
static bool
reserve_memory(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	const uint64_t size = job->copy.geometry.total_size;
	bool fits;

	pthread_mutex_lock(&s->lock);
	fits = size <= MEMORY_MAX && s->memory <= MEMORY_MAX - size;
	if (fits)
		s->memory += job->memory = size;
	pthread_mutex_unlock(&s->lock);
	return fits;
}

static void
freeze(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	int rc = tl_snapshot_copy_check(&job->copy);

	if (rc == 0)
		rc = tl_snapshot_copy_prepare(&job->copy, &s->folder,
		    reserve_memory(s, job));
	job->result.begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	if (rc == 0)
		rc = tl_snapshot_copy_freeze(&job->copy);
	job->result.rc = rc;
}

void *
tl_snapshots_run_copier(void *context)
{
	struct tl_snapshots *s = context;

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		s->copying = tl_snapshot_jobs_get(&s->waiting);
		if (!s->copying) {
			pthread_cond_wait(&s->asked, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		freeze(s, s->copying);
		pthread_mutex_lock(&s->lock);
		tl_snapshot_jobs_put(&s->frozen, s->copying);
		s->copying = NULL;
		pthread_cond_signal(&s->frozen_more);
	}
	s->copier_ended = true;
	pthread_cond_signal(&s->frozen_more);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* == the saver == */

int
tl_snapshot_job_name(const struct tl_snapshots *s, struct tl_snapshot_job *job,
    int64_t unix_ns)
{
	return tl_snapshot_name_make(job->path + strlen(s->path) + 1,
	    job->timeline, unix_ns, job->reason, job->how.compress != 0);
}

/* A name that is taken is not ours: a microsecond later there is another. */
static int
commit(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	int rc = -EEXIST;

	for (int i = 0; rc == -EEXIST && i < NAMES_TRIED_MAX; i++) {
		rc = tl_snapshot_job_name(s, job,
		    job->unix_ns + i * NS_A_MICROSECOND);
		if (rc == 0)
			rc = tl_snapshot_file_commit(&job->copy.file,
			    &s->folder, job->path + strlen(s->path) + 1);
	}
	return rc;
}

static void
save(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	struct tl_snapshot_result *result = &job->result;

	if (result->rc == 0)
		result->rc = tl_snapshot_copy_finish(&job->copy, &s->folder,
		    job->how.compress, &result->size);
	if (result->rc == 0)
		result->rc = commit(s, job);
	tl_snapshot_copy_close(&job->copy, &s->folder);
	result->done_ns = tl_clock_read(CLOCK_MONOTONIC);
}

/* What lies in the folder now.  The lock is held, but not meanwhile. */
static void
count_files(struct tl_snapshots *s)
{
	uint64_t files, bytes;
	int rc;

	pthread_mutex_unlock(&s->lock);
	rc = tl_snapshots_keep_count(s->folder.fd, &files, &bytes);
	pthread_mutex_lock(&s->lock);
	if (rc != 0)
		return;
	s->status.files = files;
	s->status.bytes = bytes;
}

/* Look after every timeline that is due.  As above. */
static void
keep_due(struct tl_snapshots *s)
{
	const int64_t now = tl_clock_read(CLOCK_MONOTONIC);
	uint64_t removed = 0, all = 0;
	struct tl_snapshots_rule *rule;
	struct tl_config_keep keep;
	char timeline[TL_NAME_PART_MAX];
	int64_t next_ns;

	while ((rule = tl_snapshots_rules_first(&s->rules)) &&
	       rule->due_ns <= now) {
		snprintf(timeline, sizeof(timeline), "%s", rule->timeline);
		keep = rule->keep;
		/* who says it again meanwhile makes it due again */
		tl_snapshots_rules_done(&s->rules, timeline, now, INT64_MAX);
		pthread_mutex_unlock(&s->lock);
		(void)tl_snapshots_keep_apply(s->folder.fd, timeline, &keep,
		    tl_clock_read(CLOCK_REALTIME), &removed, &next_ns);
		pthread_mutex_lock(&s->lock);
		all += removed;
		rule = tl_snapshots_rules_find(&s->rules, timeline);
		if (rule && rule->due_ns > now)
			tl_snapshots_rules_done(&s->rules, timeline, now,
			    next_ns);
	}
	s->status.removed += all;
	if (all > 0)
		count_files(s);
}

static void
save_one(struct tl_snapshots *s, struct tl_snapshot_job *job)
{
	s->saving = job;
	pthread_mutex_unlock(&s->lock);
	save(s, job);
	pthread_mutex_lock(&s->lock);
	s->memory -= job->memory;
	if (job->result.rc == 0)
		s->status.saved++;
	else
		s->status.failed++;
	(void)tl_snapshots_rules_put(&s->rules, job->timeline, &job->how.keep);
	keep_due(s);
	if (!s->frozen.first) /* of many, count once */
		count_files(s);
	s->saving = NULL;
	s->status.queued--;
	tl_snapshot_jobs_put(&s->done, job);
	ev_async_send(s->loop, &s->answer);
}

/* Until a copy is there, or something grows too old. */
static void
wait_frozen(struct tl_snapshots *s)
{
	const struct tl_snapshots_rule *rule =
	    tl_snapshots_rules_first(&s->rules);
	struct timespec until;

	if (!rule || rule->due_ns == INT64_MAX) {
		pthread_cond_wait(&s->frozen_more, &s->lock);
		return;
	}
	until.tv_sec = (time_t)(rule->due_ns / NS_A_SECOND);
	until.tv_nsec = (long)(rule->due_ns % NS_A_SECOND);
	pthread_cond_timedwait(&s->frozen_more, &s->lock, &until);
}

void *
tl_snapshots_run_saver(void *context)
{
	struct tl_snapshots *s = context;
	struct tl_snapshot_job *job;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		job = tl_snapshot_jobs_get(&s->frozen);
		if (job) {
			save_one(s, job);
			continue;
		}
		if (s->copier_ended)
			break;
		keep_due(s);
		if (!s->frozen.first && !s->copier_ended)
			wait_frozen(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
