/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_work.h - what the threads that save share with the loop.
 *
 * Everything of struct tl_snapshots that changes lies under its one lock; a
 * job that was taken from a list belongs to who took it.
 */
#ifndef TL_DAEMON_SNAPSHOTS_WORK_H
#define TL_DAEMON_SNAPSHOTS_WORK_H

#include "daemon/snapshots.h"
#include "daemon/snapshots_copy.h"
#include "daemon/snapshots_name.h"
#include "daemon/snapshots_rules.h"

#include <pthread.h>

enum { TL_NAME_PART_MAX = TL_SNAPSHOT_TIMELINE_MAX + 1 };

struct tl_snapshot_job {
	struct tl_snapshot_job *next;
	char timeline[TL_NAME_PART_MAX];
	char reason[TL_REASON_MAX + 1];
	struct tl_config_snapshots how;
	tl_snapshot_done *done;
	void *context;
	int64_t unix_ns; /* when it was asked for */
	struct tl_snapshot_copy copy;
	uint64_t memory; /* that is reserved for the copy */
	struct tl_snapshot_result result;
	char path[]; /* the folder, a slash, room for a name */
};

struct tl_snapshot_jobs {
	struct tl_snapshot_job *first;
	struct tl_snapshot_job **last;
};

struct tl_snapshots {
	struct ev_loop *loop;
	struct ev_async answer;
	char *path; /* of the folder */
	struct tl_snapshot_folder folder;
	pthread_t copier;
	pthread_t saver;
	pthread_mutex_t lock;       /* of everything below */
	pthread_cond_t asked;       /* the copier waits for it */
	pthread_cond_t frozen_more; /* the saver does */
	struct tl_snapshot_jobs waiting;
	struct tl_snapshot_jobs frozen;
	struct tl_snapshot_jobs done;
	struct tl_snapshot_job *copying; /* in hand */
	struct tl_snapshot_job *saving;
	uint64_t memory; /* bytes of copies that lie in memory */
	bool stop;
	bool copier_ended;
	struct tl_snapshots_rules rules;
	struct tl_snapshots_status status;
};

void tl_snapshot_jobs_init(struct tl_snapshot_jobs *jobs);
void tl_snapshot_jobs_put(struct tl_snapshot_jobs *jobs,
    struct tl_snapshot_job *job);
/* The first; NULL: there is none. */
struct tl_snapshot_job *tl_snapshot_jobs_get(struct tl_snapshot_jobs *jobs);

/* Put the name that a job would have had at this time into its path. */
int tl_snapshot_job_name(const struct tl_snapshots *s,
    struct tl_snapshot_job *job, int64_t unix_ns);

/* The threads; each ends when stop is set and nothing is left to it. */
void *tl_snapshots_run_copier(void *snapshots);
void *tl_snapshots_run_saver(void *snapshots);

#endif
