/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the files of a recording: names, log lines.
 */
#include "daemon/disk/record.h"

#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "daemon/disk/snapshots.h"
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_TRIED_MAX = 1000 };

struct tl_record {
	struct tl_daemon *daemon;
	struct tl_record *next; /* in the list of ending recordings */
	struct ev_loop *loop;
	struct ev_async changed;
	struct tl_recorder *recorder;
	char name[NAME_MAX + 1];
	int live; /* its group may read the files */

	pthread_mutex_t lock; /* of directory */
	char directory[PATH_MAX];

	/* The file that is being written, "": none.  Used by the writing thread
	 * only. */
	char file[TL_FILE_NAME_MAX];

	/* Used by the loop only, the state logged last: */
	int reported_rc;
	int reported_source_rc;
	uint64_t reported_files;
	bool reported_done;
	uint64_t entries_ever;
};

/* == in the writing thread == */

/* The mode of new files: the group that may read the timeline may read its
 * recordings. */
static mode_t
mode_of(const struct tl_record *r)
{
	struct stat st;

	if (fstat(r->live, &st) != 0 || st.st_gid != getegid())
		return S_IRUSR | S_IWUSR;
	return S_IRUSR | S_IWUSR | (st.st_mode & S_IRGRP);
}

/* The file is not being written any more: keep may remove it. */
static void
leave_file(struct tl_record *r)
{
	if (r->file[0])
		tl_snapshots_trace_ended(r->daemon->snapshots, r->file);
	r->file[0] = '\0';
}

static void
ended(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_files *files,
    const struct tl_recorder_content *content, int rc)
{
	(void)recorder;
	(void)files;
	(void)content;
	(void)rc;
	leave_file(context);
}

static int
begin(void *context, int64_t ns, struct tl_recorder_files *files)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct tl_record *r = context;
	char directory[PATH_MAX];
	int folder, rc;

	/* Open the current folder, and make it if it is absent. */
	pthread_mutex_lock(&r->lock);
	memcpy(directory, r->directory, PATH_MAX);
	pthread_mutex_unlock(&r->lock);
	folder = open(directory, flags);
	if (folder < 0 && errno == ENOENT && mkdir(directory, 0750) == 0)
		folder = open(directory, flags);
	rc = folder < 0 ? -errno : -EEXIST;

	leave_file(r); /* a file whose begin failed has not ended */
	/* If the name is taken, use the next microsecond. */
	for (int i = 0; rc == -EEXIST && i < NAMES_TRIED_MAX; i++) {
		rc = tl_record_name_make(r->file, r->name,
		    ns + i * TL_NS_PER_US);
		if (rc == 0) {
			/* A sweep must not find a file whose name it does not
			 * know. */
			rc = tl_snapshots_trace_begun(r->daemon->snapshots,
			    r->file);
			if (rc != 0)
				r->file[0] = '\0';
			else if ((rc = tl_recorder_files_make(files, folder,
				      r->file, mode_of(r), true)) != 0)
				leave_file(r);
		} else
			r->file[0] = '\0';
	}
	if (folder >= 0)
		close(folder);
	if (rc == 0 && snprintf(files->path, sizeof(files->path), "%s/%s",
			   directory, r->file) >= (int)sizeof(files->path))
		files->path[0] = '\0';
	return rc;
}

static void
changed(void *context)
{
	struct tl_record *r = context;

	ev_async_send(r->loop, &r->changed);
}

/* == in the loop == */

/* Report an error once, and its end once. */
static void
report_error(const struct tl_record *r, int *reported, int rc, const char *verb)
{
	if (rc == *reported)
		return;
	if (rc < 0)
		tl_daemon_log(TL_LOG_ERROR, "%s: cannot %s: %s", r->name, verb,
		    tl_file_error(rc));
	else
		tl_daemon_log(TL_LOG_NOTICE, "%s: can %s again", r->name, verb);
	*reported = rc;
}

static void
report(struct tl_record *r)
{
	struct tl_recorder_status s;

	tl_recorder_status(r->recorder, &s);
	if (s.files != r->reported_files)
		tl_daemon_log(TL_LOG_INFO, "%s: recording to %s", r->name,
		    s.path);
	r->reported_files = s.files;
	report_error(r, &r->reported_rc, s.rc, "record");
	report_error(r, &r->reported_source_rc, s.source_rc,
	    "follow it to record it");
	if (s.done && !r->reported_done)
		tl_daemon_log(TL_LOG_INFO,
		    "%s: recorded %lu entries, %lu were lost", r->name,
		    s.events, s.lost);
	r->reported_done = s.done;
}

static bool
is_ending(const struct tl_record *r)
{
	const struct tl_record *one = r->daemon->ending;

	while (one && one != r)
		one = one->next;
	return one != NULL;
}

static void
on_changed(struct ev_loop *loop, ev_async *async, int events)
{
	struct tl_record *r = async->data;

	(void)loop;
	(void)events;
	report(r);
	if (r->reported_done && is_ending(r))
		tl_record_free(r);
}

static struct tl_recorder_options
options_of(const struct tl_config *config, const struct tl_config_record *how)
{
	return (struct tl_recorder_options){ .size_max = how->size,
		.age_ns = how->age_ns,
		.flush_ns = how->flush_ns,
		.poll_ns = config->poll_ns,
		.compress = how->compress,
		.command = "timelined" };
}

static int
set_folder(struct tl_record *r, const struct tl_config *config,
    const struct tl_config_record *how)
{
	const char *directory =
	    how->directory ? how->directory : config->directory;

	if (strlen(directory) >= sizeof(r->directory))
		return -ENAMETOOLONG;
	pthread_mutex_lock(&r->lock);
	strcpy(r->directory, directory);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

int
tl_record_configure(struct tl_record *r, const struct tl_config *config,
    const struct tl_config_record *how)
{
	const struct tl_recorder_options options = options_of(config, how);
	const int rc = set_folder(r, config, how);

	if (rc == 0)
		tl_recorder_configure(r->recorder, &options);
	return rc;
}

static int
start(struct tl_record *r, struct tl_daemon *daemon, int fd, bool all,
    const struct tl_config_record *how, struct tl_fault *fault)
{
	const struct tl_recorder_options options =
	    options_of(daemon->config, how);
	const struct tl_recorder_host host = { .begin = begin,
		.ended = ended,
		.changed = changed,
		.context = r };
	int rc = set_folder(r, daemon->config, how);

	r->live = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (rc == 0 && r->live < 0)
		rc = -errno;
	if (rc == 0 && !daemon->crew)
		rc = tl_recorder_crew_new(&daemon->crew);
	if (rc == 0)
		rc = tl_recorder_new(&r->recorder, &options, &host);
	if (rc == 0 &&
	    (rc = tl_recorder_add(r->recorder, r->name, fd, all, fault)) != 0)
		return rc;
	if (rc == 0)
		rc = tl_recorder_start_with(r->recorder, daemon->crew);
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", tl_file_error(rc));
}

int
tl_record_new(struct tl_record **record, struct tl_daemon *daemon,
    const char *name, int fd, bool all, const struct tl_config_record *how,
    struct tl_fault *fault)
{
	struct tl_record *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tl_fail(fault, -ENOMEM, "out of memory");
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->daemon = daemon;
	r->daemon->record_count++;
	r->loop = daemon->loop;
	r->live = -1;
	pthread_mutex_init(&r->lock, NULL);
	ev_async_init(&r->changed, on_changed);
	r->changed.data = r;
	ev_async_start(r->loop, &r->changed);
	rc = start(r, daemon, fd, all, how, fault);
	if (rc < 0)
		tl_record_free(r);
	else
		*record = r;
	return rc;
}

void
tl_record_status(struct tl_record *r, struct tl_record_status *status)
{
	const struct tl_recorder_status *s = &status->recorder;

	tl_recorder_status(r->recorder, &status->recorder);
	/* A recording that ended although its timeline continues has no other
	 * error. */
	status->rc = s->rc < 0          ? s->rc
		     : s->source_rc < 0 ? s->source_rc
		     : s->done          ? -ECANCELED
					: 0;
	if (status->recorder.events > r->entries_ever)
		r->entries_ever = status->recorder.events;
	status->entries_ever = r->entries_ever;
}

void
tl_record_end(struct tl_record *r)
{
	if (!r)
		return;
	r->next = r->daemon->ending;
	r->daemon->ending = r;
	r->daemon->ending_count++;
	tl_recorder_stop(r->recorder);
	/* the recorder may have ended before */
	ev_async_send(r->loop, &r->changed);
}

void
tl_record_free(struct tl_record *r)
{
	struct tl_daemon *d;
	struct tl_record **link;

	if (!r)
		return;
	if (r->recorder) {
		tl_recorder_finish(r->recorder);
		report(r);
		tl_recorder_free(r->recorder);
		leave_file(r);
	}
	ev_async_stop(r->loop, &r->changed);

	/* Remove a recording from the daemon.  The last recording frees the
	 * threads, which are idle by then. */
	d = r->daemon;
	link = &d->ending;
	while (*link && *link != r)
		link = &(*link)->next;
	if (*link) {
		*link = r->next;
		d->ending_count--;
	}
	if (--d->record_count == 0) {
		tl_recorder_crew_free(d->crew);
		d->crew = NULL;
	}

	if (r->live >= 0)
		close(r->live);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
