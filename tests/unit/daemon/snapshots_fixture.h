/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_fixture.h - a folder of snapshots for each test, with a loop that
 * receives the answers.
 */
#ifndef TESTS_UNIT_SNAPSHOTS_FIXTURE_H
#define TESTS_UNIT_SNAPSHOTS_FIXTURE_H

#include "daemon/disk/names.h"
#include "daemon/disk/snapshots.h"
#include "lib/frozen.h"
#include "lib/test.h"
#include "snap/compressed.h"

#include <dirent.h>
#include <string.h>

enum { ANSWERS_MAX = 512, WAIT_SECONDS_MAX = 60, LOGGED = 50 };

struct answer {
	int rc, kernel_rc;
	uint64_t used;
	int64_t asked_ns, begun_ns, done_ns;
	char timeline[256];
	char reason[80];
	char path[512];
};

static char folder[64];
static struct ev_loop *loop;
static struct tl_snapshots *snapshots;
static struct answer answers[ANSWERS_MAX];
static size_t answer_count;
static const struct tl_config_snapshots plain = { .compress = 0 };
static const struct tl_config_snapshots packed = { .compress = 3 };

static inline void
hear(void *context, const struct tl_snapshot_result *result)
{
	struct answer *a = &answers[answer_count++];

	ck_assert_ptr_eq(context, answers);
	ck_assert_uint_le(answer_count, ANSWERS_MAX);
	a->rc = result->rc;
	a->kernel_rc = result->kernel_rc;
	a->used = result->used;
	a->asked_ns = result->asked_ns;
	a->begun_ns = result->begun_ns;
	a->done_ns = result->done_ns;
	snprintf(a->timeline, sizeof(a->timeline), "%s", result->timeline);
	snprintf(a->reason, sizeof(a->reason), "%s", result->reason);
	snprintf(a->path, sizeof(a->path), "%s", result->path);
}

static inline void
too_late(struct ev_loop *l, struct ev_timer *timer, int events)
{
	(void)l;
	(void)timer;
	(void)events;
	ck_abort_msg("no answer");
}

/* Wait for so many answers in all. */
static inline void
wait_answers(size_t count)
{
	struct ev_timer timer;

	ev_timer_init(&timer, too_late, WAIT_SECONDS_MAX, 0);
	ev_timer_start(loop, &timer);
	while (answer_count < count)
		ev_run(loop, EVRUN_ONCE);
	ev_timer_stop(loop, &timer);
}

static inline void
daemon_start(void)
{
	struct tl_fault fault = { 0 };

	loop = ev_loop_new(EVFLAG_AUTO);
	ck_assert_msg(tl_snapshots_new(&snapshots, loop, folder, &fault) == 0,
	    "%s", fault.text);
	answer_count = 0;
}

static inline void
daemon_stop(void)
{
	tl_snapshots_free(snapshots);
	ev_loop_destroy(loop);
	snapshots = NULL;
}

/* No file beside the snapshot. */
static const struct tl_snapshot_beside nothing;

static inline int
ask_of(const struct timeline *timeline, const char *name, const char *reason,
    const struct tl_config_snapshots *how)
{
	return tl_snapshots_take(snapshots, name, timeline->fd, reason, how,
	    &nothing, hear, answers);
}

static inline int
ask(const struct tl_config_snapshots *how)
{
	return ask_of(tl, fixture_name, "test", how);
}

/* Take a snapshot from start to end; returns its rc. */
static inline int
ask_and_wait(const struct tl_config_snapshots *how)
{
	ck_assert_int_eq(ask(how), 0);
	wait_answers(answer_count + 1);
	return answers[answer_count - 1].rc;
}

/* Call each for every name in the folder; returns how many there are. */
static inline size_t
folder_each(void (*each)(const char *name))
{
	DIR *names = opendir(folder);
	const struct dirent *entry;
	size_t count = 0;

	ck_assert_ptr_nonnull(names);
	while ((entry = readdir(names))) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (each)
			each(entry->d_name);
	}
	closedir(names);
	return count;
}

static inline void
remove_name(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(remove(path), 0);
}

/* Check that path is a whole snapshot of the fixture's timeline. */
static inline void
expect_whole(const char *path)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_msg(tl_zst_snap_open(&snap, path, 0, &fault) == 0, "%s: %s",
	    path, fault.text);
	ck_assert_uint_eq(frozen_walk(snap, TL_NEWEST_FIRST).events,
	    fixture_logged());
	ck_assert_msg(tl_snap_fault_count(snap) == 0, "%s: %s", path,
	    tl_snap_fault(snap, 0)->text);
	ck_assert_uint_eq(tl_snap_header(snap)->state, TIMELINE_SAVED);
	tl_snap_close(snap);
}

static inline void
expect_whole_name(const char *name)
{
	struct tl_snapshot_name parts;
	char path[512];

	ck_assert_msg(tl_snapshot_name_parse(&parts, name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	expect_whole(path);
}

static inline void
folder_setup(void)
{
	struct timeline_event *event;

	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "test", "info", "$n", &event));
	for (uint64_t i = 0; i < LOGGED; i++)
		timeline_log(event, i);
	strcpy(folder, "/tmp/test-snapshots-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void
folder_teardown(void)
{
	folder_each(remove_name);
	rmdir(folder);
	fixture_close();
}

#endif
