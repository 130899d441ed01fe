/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.c - a requested snapshot is saved whole and under its name,
 * whatever happens to the timeline.
 */
#include "base/file.h"
#include "lib/test.h"
#include "snapshots_fixture.h"

#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { MANY = 64 };

static void
setup(void)
{
	folder_setup();
	daemon_start();
}

static void
teardown(void)
{
	daemon_stop();
	folder_teardown();
}

static void
expect_saved(const struct answer *a)
{
	struct stat st;

	ck_assert_msg(a->rc == 0, "%s: %s", a->path, strerror(-a->rc));
	ck_assert_int_le(a->asked_ns, a->begun_ns);
	ck_assert_int_le(a->begun_ns, a->done_ns);
	ck_assert_int_eq(stat(a->path, &st), 0);
	ck_assert_uint_eq(a->used, tl_file_used(&st));
	ck_assert_uint_eq(st.st_mode & 07777 & ~0640u, 0);
	ck_assert_uint_eq(st.st_nlink, 1);
	expect_whole(a->path);
}

TEST_FILE(.setup = setup, .teardown = teardown,
    .timeout = 2 * WAIT_SECONDS_MAX);

TEST(a_snapshot_shows_what_the_timeline_does, .to = 2)
{
	const struct tl_config_snapshots *how = _i ? &packed : &plain;
	struct tl_snapshots_status status;

	ck_assert_int_eq(ask_and_wait(how), 0);
	expect_saved(&answers[0]);
	ck_assert_str_eq(answers[0].timeline, fixture_name + 1);
	ck_assert_str_eq(answers[0].reason, "test");
	ck_assert_uint_eq(folder_each(expect_whole_name), 1);
	ck_assert_ptr_nonnull(
	    strstr(answers[0].path, _i ? "Z-test.tl.zst" : "Z-test.tl"));
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.saved, 1);
	ck_assert_uint_eq(status.failed, 0);
	ck_assert_uint_eq(status.queued, 0);
	ck_assert_uint_eq(status.files, 1);
	ck_assert_uint_gt(status.bytes, 0);
}

/* The path of the kernel events of the last snapshot. */
static const char *
kernel_path(void)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s.sched",
	    answers[answer_count - 1].path);
	return path;
}

TEST(kernel_events_are_saved_beside_it_and_go_with_it, .to = 2)
{
	const struct tl_config_snapshots how = _i ? packed : plain;
	struct tl_config_timeline section = { .name = "*",
		.snapshots.keep.count = 1 };
	struct tl_config config = { .directory = folder,
		.timelines = &section,
		.timeline_count = 1 };
	struct tl_snapshots_status status = { 0 };
	char name[80], first[600];
	struct timeline *sched;
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	snprintf(name, sizeof(name), "%s.sched", fixture_name);
	ck_assert_ok(timeline_new(&sched, name, &fixture_tiny));
	ck_assert_int_eq(ask_and_wait(&how), 0);
	ck_assert_int_eq(answers[0].kernel_rc, 0);
	expect_saved(&answers[0]);
	ck_assert_ok(tl_zst_snap_open(&snap, kernel_path(), 0, &fault));
	ck_assert_uint_eq(tl_snap_header(snap)->strings_size,
	    sched->geometry.strings_size);
	tl_snap_close(snap);
	strcpy(first, kernel_path());
	timeline_close(sched);
	timeline_remove(name);
	ck_assert_int_eq(ask_and_wait(&how), 0);
	ck_assert_int_eq(answers[1].kernel_rc, 0);
	ck_assert_int_ne(access(kernel_path(), F_OK), 0);
	tl_snapshots_keep(snapshots, &config);
	while (status.removed == 0)
		tl_snapshots_status(snapshots, &status);
	ck_assert_int_ne(access(first, F_OK), 0);
	ck_assert_uint_eq(folder_each(NULL), 1);
}

/* Any user who may write to /dev/shm can create a file of that name. */
TEST(kernel_events_that_are_no_timeline_are_left_out)
{
	char path[100];

	snprintf(path, sizeof(path), "/dev/shm%s.sched", fixture_name);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	ck_assert_int_eq(answers[0].kernel_rc, -ELOOP);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	ck_assert_int_eq(answers[1].kernel_rc, -EPERM);
	ck_assert_int_eq(unlink(path), 0);
	fclose(fopen(path, "w"));
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	ck_assert_int_eq(answers[2].kernel_rc, -ENODATA);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_eq(folder_each(expect_whole_name), 3);
}

TEST(a_plain_one_takes_no_more_room_than_what_was_logged)
{
	struct tl_snapshots_status status;
	struct stat st;

	ck_assert_int_eq(ask_and_wait(&plain), 0);
	tl_snapshots_status(snapshots, &status);
	ck_assert_int_eq(stat(answers[0].path, &st), 0);
	ck_assert_uint_lt(answers[0].used, (uint64_t)st.st_size);
	ck_assert_uint_eq(status.bytes, answers[0].used);
}

TEST(a_timeline_may_be_removed_as_soon_as_it_was_asked, .to = 2)
{
	const uint64_t logged = fixture_logged();
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_int_eq(ask(_i ? &packed : &plain), 0);
	fixture_close();
	wait_answers(1);
	ck_assert_int_eq(answers[0].rc, 0);
	ck_assert_ok(tl_zst_snap_open(&snap, answers[0].path, 0, &fault));
	ck_assert_uint_eq(frozen_walk(snap, TL_OLDEST_FIRST).events, logged);
	tl_snap_close(snap);
	fixture_setup_tiny();
}

/* A copy is held in memory only while it is small. */
TEST(a_large_timeline_is_saved_by_way_of_the_disk, .to = 2)
{
	const struct timeline_options large = { .entries = 1 << 22,
		.cpu_lanes = 1 };
	struct timeline_event *event;

	fixture_close();
	fixture_open(&large);
	ck_assert_uint_gt(tl->geometry.total_size, 128 << 20);
	ck_assert_ok(timeline_define(tl, "test", "info", "$n", &event));
	timeline_log(event, 1);
	ck_assert_int_eq(ask_and_wait(_i ? &packed : &plain), 0);
	expect_saved(&answers[0]);
	ck_assert_uint_eq(folder_each(NULL), 1);
}

TEST(many_timelines_are_saved_at_once)
{
	static struct timeline *many[MANY];
	char name[80];

	for (int i = 0; i < MANY; i++) {
		struct timeline_event *event;

		snprintf(name, sizeof(name), "%s-%d", fixture_name, i);
		ck_assert_ok(timeline_new(&many[i], name, &fixture_tiny));
		ck_assert_ok(
		    timeline_define(many[i], "test", "info", "$n", &event));
		timeline_log(event, (uint64_t)i);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s-%d", fixture_name, i);
		ck_assert_int_eq(ask_of(many[i], name, "test",
				     i % 2 ? &packed : &plain),
		    0);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s-%d", fixture_name, i);
		timeline_close(many[i]);
		timeline_remove(name);
	}
	wait_answers(MANY);
	for (int i = 0; i < MANY; i++) {
		struct tl_fault fault = { 0 };
		struct tl_snap *snap;
		struct walk w;

		ck_assert_int_eq(answers[i].rc, 0);
		ck_assert_ok(
		    tl_zst_snap_open(&snap, answers[i].path, 0, &fault));
		w = frozen_walk(snap, TL_NEWEST_FIRST);
		ck_assert_uint_eq(w.events, 1);
		ck_assert_int_eq((int)w.sum,
		    atoi(strrchr(answers[i].timeline, '-') + 1));
		tl_snap_close(snap);
	}
	ck_assert_uint_eq(folder_each(NULL), MANY);
}

TEST(who_was_forgotten_hears_nothing)
{
	struct tl_snapshots_status status;
	int waited = 0;

	ck_assert_int_eq(ask(&packed), 0);
	tl_snapshots_cancel(snapshots, answers);
	do {
		ev_run(loop, EVRUN_NOWAIT);
		usleep(1000);
		tl_snapshots_status(snapshots, &status);
	} while (status.queued > 0 && waited++ < WAIT_SECONDS_MAX * 1000);
	ev_run(loop, EVRUN_NOWAIT);
	ck_assert_uint_eq(status.saved, 1);
	ck_assert_uint_eq(answer_count, 0);
}

TEST(nobody_needs_to_listen)
{
	struct tl_snapshots_status status;

	ck_assert_ok(tl_snapshots_take(snapshots, "quiet", tl->fd, "test",
	    &plain, &nothing, NULL, NULL));
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.saved, 2);
}

TEST(what_is_no_live_timeline_is_refused)
{
	int fd;

	/* a saved timeline */
	ck_assert_int_eq(ask_and_wait(&plain), 0);
	fd = open(answers[0].path, O_RDONLY | O_CLOEXEC);
	ck_assert_ok(tl_snapshots_take(snapshots, "x", fd, "r", &plain,
	    &nothing, hear, answers));
	wait_answers(2);
	ck_assert_int_eq(answers[1].rc, -EROFS);
	close(fd);
	/* a file of another kind */
	fd = frozen_file("nothing of the kind", 19);
	ck_assert_ok(tl_snapshots_take(snapshots, "x", fd, "r", &plain,
	    &nothing, hear, answers));
	wait_answers(3);
	ck_assert_int_eq(answers[2].rc, -ENODATA);
	close(fd);
	/* a file that is shorter than its header claims */
	fd = frozen_file(tl->map, 8192);
	ck_assert_ok(tl_snapshots_take(snapshots, "x", fd, "r", &plain,
	    &nothing, hear, answers));
	wait_answers(4);
	ck_assert_int_eq(answers[3].rc, -ENODATA);
	close(fd);
	ck_assert_int_eq(tl_snapshots_take(snapshots, "x", -1, "r", &plain,
			     &nothing, hear, answers),
	    -EBADF);
	ck_assert_uint_eq(folder_each(NULL), 1);
}

TEST(a_name_that_makes_no_file_name_is_refused)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(ask_of(tl, name, "r", &plain), -ENAMETOOLONG);
	ck_assert_int_eq(ask_of(tl, "", "r", &plain), -EINVAL);
	ck_assert_int_eq(ask_of(tl, "/", "r", &plain), -EINVAL);
	ck_assert_int_eq(ask_of(tl, "../x", "r", &plain), -EINVAL);
	ck_assert_int_eq(ask_of(tl, "//x", "r", &plain), -EINVAL);
	/* the longest name that fits */
	name[TL_SNAPSHOT_TIMELINE_MAX] = '\0';
	ck_assert_int_eq(ask_of(tl, name, "a long reason", &packed), 0);
	wait_answers(1);
	ck_assert_int_eq(answers[0].rc, 0);
	ck_assert_uint_eq(strlen(strrchr(answers[0].path, '/') + 1), 255);
	ck_assert_uint_eq(folder_each(expect_whole_name), 1);
}

TEST(a_limit_of_the_file_size_is_said, .to = 2)
{
	const struct rlimit small = { .rlim_cur = 4096,
		.rlim_max = RLIM_INFINITY };
	struct rlimit old;

	getrlimit(RLIMIT_FSIZE, &old);
	setrlimit(RLIMIT_FSIZE, &small);
	ck_assert_int_eq(ask_and_wait(_i ? &packed : &plain), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_uint_eq(folder_each(NULL), 0);
	ck_assert_int_eq(ask_and_wait(_i ? &packed : &plain), 0);
	expect_saved(&answers[1]);
}

TEST(a_removed_folder_is_said)
{
	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert_int_lt(ask_and_wait(&plain), 0);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
}

TEST(a_folder_is_made_but_no_link_is_followed)
{
	struct tl_fault fault = { 0 };
	struct tl_snapshots *other;
	char path[128];

	snprintf(path, sizeof(path), "%s/new/newer", folder);
	ck_assert_int_eq(tl_snapshots_new(&other, loop, path, &fault), -ENOENT);
	ck_assert_ptr_nonnull(strstr(fault.text, path));
	*strrchr(path, '/') = '\0';
	ck_assert_ok(tl_snapshots_new(&other, loop, path, NULL));
	tl_snapshots_free(other);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(symlink("/tmp", path), 0);
	ck_assert_int_lt(tl_snapshots_new(&other, loop, path, NULL), 0);
	unlink(path);
}

/*
 * Some of the files were left by a dead daemon, and one is being written by a
 * live one.
 */
TEST(half_files_of_the_dead_are_removed)
{
	static const char *const names[] = { ".timelined-1-0.tmp",
		".timelined-123456-99.tmp", ".timelined-2-0.tmp",
		".timelined-x-0.tmp", "timelined-1-0.tmp" };
	char path[128];
	int locked = -1;

	daemon_stop();
	for (int i = 0; i < 5; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		ck_assert_int_ge(fd, 0);
		if (i == 2)
			ck_assert_int_eq(flock(locked = fd, LOCK_EX), 0);
		else
			close(fd);
	}
	daemon_start();
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		ck_assert_int_eq(access(path, F_OK), i < 2 ? -1 : 0);
	}
	close(locked);
}
