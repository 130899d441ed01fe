/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_keep.c - the names of snapshots, and the files that are kept,
 * compared with the simplest rules.
 */
#include "daemon/disk/names.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snapshots_fixture.h"

#include <time.h>

enum { FILES_MAX = 48, RANDOM_FILES = 24, ROUNDS = 200, BLOCK = 4096 };

static const int64_t second = 1000000000;
static const int64_t now = INT64_C(1795202658123456000);

/* A file that may be kept or removed. */
struct file {
	char name[TL_FILE_NAME_MAX];
	int64_t ns;
	uint64_t bytes;
	int section; /* the first that matches; -1: none */
	bool stays;  /* according to the simple rules */
};

/* Both globs match "app"; the first section counts. */
static struct tl_config_timeline sections[] = { { .name = "app" },
	{ .name = "app*" } };
static struct tl_config config = { .directory = folder,
	.timelines = sections,
	.timeline_count = 2 };
static struct file files[FILES_MAX];
static size_t file_count;
static int folder_fd;

static void
setup(void)
{
	strcpy(folder, "/tmp/test-snapshots-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(folder_fd, 0);
	file_count = 0;
	for (int i = 0; i < 2; i++)
		sections[i].snapshots.keep = (struct tl_config_keep){ 0 };
}

/* Sweep at a time; returns the sums. */
static struct tl_keep_sums
sweep(int64_t now_ns)
{
	const struct tl_keep_sweep how = { .config = &config,
		.home = folder_fd,
		.home_path = folder,
		.now_ns = now_ns };
	struct tl_keep_sums sums;

	ck_assert_ok(tl_keep_sweep(&how, &sums));
	return sums;
}

static bool
exists(const struct file *f)
{
	return faccessat(folder_fd, f->name, F_OK, 0) == 0;
}

static void
teardown(void)
{
	folder_each(remove_name);
	close(folder_fd);
	rmdir(folder);
}

static uint64_t
make_file(const char *name, size_t blocks)
{
	const int fd =
	    openat(folder_fd, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	char block[BLOCK];
	struct stat st;

	ck_assert_msg(fd >= 0, "%s: %m", name);
	memset(block, 'x', sizeof(block));
	for (size_t i = 0; i < blocks; i++)
		ck_assert(write(fd, block, sizeof(block)) == BLOCK);
	fsync(fd); /* else the blocks are not counted yet */
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	return (uint64_t)st.st_blocks * 512;
}

static void
add_file(const char *timeline, int64_t ns, const char *reason, bool compressed,
    size_t blocks)
{
	struct file *f = &files[file_count];

	ck_assert_ok(
	    tl_snapshot_name_make(f->name, timeline, ns, reason, compressed));
	if (faccessat(folder_fd, f->name, F_OK, 0) == 0)
		return; /* the name exists already */
	f->bytes = make_file(f->name, blocks);
	f->ns = ns / 1000 * 1000;
	f->section = strncmp(timeline, "app", 3) != 0 ? -1 : timeline[3] != 0;
	f->stays = true;
	file_count++;
}

/* == names == */

TEST_FILE(.setup = setup, .teardown = teardown,
    .timeout = 2 * WAIT_SECONDS_MAX);

TEST(a_name_says_timeline_time_and_reason)
{
	char name[TL_FILE_NAME_MAX];
	struct tl_snapshot_name parts;

	ck_assert_ok(
	    tl_snapshot_name_make(name, "app", now, "trigger 3", true));
	ck_assert_str_eq(name, "app-20261120T192418.123456Z-trigger_3.tl.zst");
	ck_assert(tl_snapshot_name_parse(&parts, name));
	ck_assert_uint_eq(parts.timeline_size, 3);
	ck_assert_int_eq(parts.ns, now);
	ck_assert_ok(tl_snapshot_name_make(name, "app", now, "", false));
	ck_assert_str_eq(name, "app-20261120T192418.123456Z-_.tl");
	ck_assert_ok(tl_snapshot_name_make(name, "a", now, "../\n\xff", false));
	ck_assert_str_eq(name, "a-20261120T192418.123456Z-_____.tl");
	ck_assert_int_eq(tl_snapshot_name_make(name, "a", -1, "r", false),
	    -EINVAL);
}

TEST(what_we_would_not_write_is_no_name)
{
	static const char *const names[] = { "", ".", "..", ".tl", "x.tl",
		"-20261120T192418.123456Z-r.tl", "app.tl.zst",
		"app-20261120T192418.123456Z-.tl",
		"app-20261120T192418.123456Z.tl",
		"app-20261120T192418.123456Z-r.t",
		"app-20261120T192418.123456Z-r.tl.zs",
		"app-20261120T192418.123456Z-r.tl.tl",
		"app-20261120T192418.123456-r.tl",
		"app-20261120T192418.12345Z-r.tl",
		"app-20261120T192418.1234567Z-r.tl",
		"app-20261120T192418.123 56Z-r.tl",
		"app-20261120T192418.+23456Z-r.tl",
		"app-20261320T192418.123456Z-r.tl",
		"app-20260230T192418.123456Z-r.tl",
		"app-20261120T242418.123456Z-r.tl",
		"app-20261120t192418.123456Z-r.tl",
		"app_20261120T192418.123456Z-r.tl",
		"app-20261120T192418.123456Z_r.tl",
		"app-20261120T192418.123456Z-r r.tl",
		"app-20261120T192418.123456Z-r.r.tl",
		"app-19691120T192418.123456Z-r.tl",
		"app-00010101T000000.000000Z-r.tl",
		"app-99991231T235959.999999Z-r.tl",
		"app-20261120T192418.123456Z-r.tl~" };
	struct tl_snapshot_name parts;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(!tl_snapshot_name_parse(&parts, names[i]), "%s",
		    names[i]);
}

TEST(any_name_is_taken_apart_as_it_was_made)
{
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		char timeline[40] = "", reason[80] = "", name[TL_FILE_NAME_MAX];
		const int64_t ns = (int64_t)(random_next(&seed) >> 1);
		static const char odd[] = "-.Z0T1tlzs ~\n\x80:_a9";
		struct tl_snapshot_name parts;
		size_t n = 1 + random_below(&seed, sizeof(timeline) - 1);

		for (size_t k = 0; k + 1 < n + (n == 1); k++)
			timeline[k] = odd[random_below(&seed, sizeof(odd) - 1)];
		n = random_below(&seed, sizeof(reason));
		for (size_t k = 0; k < n; k++)
			reason[k] = (char)(1 + random_below(&seed, 255));
		ck_assert_ok(
		    tl_snapshot_name_make(name, timeline, ns, reason, i & 1));
		ck_assert_msg(tl_snapshot_name_parse(&parts, name), "%s", name);
		ck_assert_uint_eq(parts.timeline_size, strlen(timeline));
		ck_assert_int_eq(parts.ns, ns / 1000 * 1000);
	}
}

/* == retention == */

/* True if the file was saved for this reason. */
static bool
is_for(const struct file *f, const char *reason)
{
	const char *suffix = strstr(f->name, ".tl");
	const size_t size = strlen(reason);

	return suffix && memcmp(suffix - size, reason, size) == 0;
}

/* Remove the oldest file as long as a rule is broken. */
static void
keep_dumbly(int section, const char *reason)
{
	const struct tl_config_keep *keep = &sections[section].snapshots.keep;

	for (;;) {
		struct file *oldest = NULL;
		uint64_t count = 0, bytes = 0;

		for (size_t i = 0; i < file_count; i++) {
			struct file *f = &files[i];

			if (f->section != section || !f->stays ||
			    !is_for(f, reason))
				continue;
			count++;
			bytes += f->bytes;
			if (!oldest || f->ns < oldest->ns ||
			    (f->ns == oldest->ns &&
				strcmp(f->name, oldest->name) < 0))
				oldest = f;
		}
		if (count == 0)
			return;
		if (!(keep->count && count > keep->count) &&
		    !(keep->bytes && bytes > keep->bytes) &&
		    !(keep->age_ns && now - oldest->ns > 0 &&
			(uint64_t)(now - oldest->ns) > keep->age_ns))
			return;
		oldest->stays = false;
	}
}

static void
add_random_files(uint64_t *seed)
{
	static const char *const timelines[] = { "app", "app", "app", "app-x",
		"ap", "xapp", "app-20261120T192418.123456Z" };

	file_count = 0;
	while (file_count < RANDOM_FILES) {
		const int64_t age =
		    (int64_t)random_below(seed, 100) * second - 5 * second;

		add_file(timelines[random_below(seed, 7)], now - age,
		    random_below(seed, 2) ? "a" : "b", random_below(seed, 2),
		    random_below(seed, 4));
	}
}

static void
limit_randomly(struct tl_config_keep *keep, uint64_t *seed)
{
	*keep = (struct tl_config_keep){ 0 };
	if (random_below(seed, 2))
		keep->count = 1 + random_below(seed, 8);
	if (random_below(seed, 2))
		keep->age_ns = 1 + random_below(seed, 100) * (uint64_t)second;
	if (random_below(seed, 2))
		keep->bytes = 1 + random_below(seed, 20) * BLOCK;
}

TEST(what_stays_is_what_the_dumbest_rules_leave)
{
	uint64_t seed = 42;

	for (int round = 0; round < ROUNDS; round++) {
		struct tl_keep_sums sums;
		uint64_t removed = 0, bytes = 0;

		add_random_files(&seed);
		for (int i = 0; i < 2; i++) {
			limit_randomly(&sections[i].snapshots.keep, &seed);
			keep_dumbly(i, "-a");
			keep_dumbly(i, "-b");
		}
		sums = sweep(now);
		for (size_t i = 0; i < file_count; i++) {
			ck_assert_msg(exists(&files[i]) == files[i].stays, "%s",
			    files[i].name);
			removed += !files[i].stays;
			bytes += files[i].stays ? files[i].bytes : 0;
		}
		ck_assert_uint_eq(sums.removed[TL_KEPT_SNAPSHOT], removed);
		ck_assert_uint_eq(sums.files, file_count - removed);
		ck_assert_uint_eq(sums.bytes, bytes);
		folder_each(remove_name);
	}
}

/* Short-lived programs name their timelines by their pids. */
TEST(timelines_that_are_gone_leave_nothing_for_ever)
{
	struct tl_config_keep *keep = &sections[1].snapshots.keep;

	*keep = (struct tl_config_keep){ .count = 1,
		.age_ns = 60 * (uint64_t)second,
		.bytes = 1 << 20 };
	for (int i = 0; i < 40; i++) {
		char timeline[20];

		snprintf(timeline, sizeof(timeline), "app-%d", 1000 + i);
		add_file(timeline, now - i * second, "t", true, 1);
	}
	ck_assert_uint_eq(sweep(now).files, 1);
	ck_assert(exists(&files[0]));
	ck_assert_uint_eq(sweep(now + 60 * second).files, 1);
	ck_assert_uint_eq(sweep(now + 61 * second).files, 0);
	ck_assert_uint_eq(folder_each(NULL), 0);
	add_file("app-1", now, "t", true, 257);
	ck_assert_uint_eq(sweep(now).files, 0); /* more than bytes */
}

TEST(only_regular_files_of_ours_are_removed)
{
	static const char *const others[] = { "app.tl",
		"app-20261120T192418.123456Z-r.tl~",
		".app-20261120T192418.123456Z-r.tl",
		"app-20261120T192418.123456Z-r.txt" };
	struct tl_keep_sums sums;

	sections[0].snapshots.keep.count = 1;
	for (int i = 0; i < 4; i++)
		make_file(others[i], 1);
	ck_assert_int_eq(symlinkat("app.tl", folder_fd,
			     "app-20200101T000000.000000Z-r.tl"),
	    0);
	ck_assert_int_eq(mkdirat(folder_fd, "app-20200101T000001.000000Z-r.tl",
			     0700),
	    0);
	add_file("app", now - 2 * second, "one", false, 1);
	add_file("app", now - 1 * second, "one", true, 1);
	sums = sweep(now);
	ck_assert_uint_eq(sums.removed[TL_KEPT_SNAPSHOT], 1);
	ck_assert(!exists(&files[0]));
	ck_assert_uint_eq(folder_each(NULL), 7);
	/* the name with a dot is a snapshot of a timeline of that name */
	ck_assert_uint_eq(sums.files, 2);
	ck_assert_uint_ge(sums.bytes, 2 * BLOCK);
}

/* 523 deaths within five minutes once removed the snapshot of a trigger. */
TEST(no_reason_pushes_out_what_another_saved)
{
	sections[0].snapshots.keep =
	    (struct tl_config_keep){ .count = 3, .bytes = 16 * BLOCK };
	add_file("app", now - 1000 * second, "slow-request", true, 1);
	for (int i = 0; i < 10; i++)
		add_file("app", now - i * second, "writer-died", true, 1);
	add_file("app", now - 2000 * second, "request", false, 1);
	ck_assert_uint_eq(sweep(now).removed[TL_KEPT_SNAPSHOT], 7);
	for (size_t i = 0; i < file_count; i++)
		ck_assert_int_eq(exists(&files[i]), i < 4 || i == 11);
}

/* == retention by the thread == */

/* Wait until the thread has removed so many snapshots. */
static struct tl_snapshots_status
wait_removed(uint64_t count)
{
	struct tl_snapshots_status status;

	for (;;) {
		tl_snapshots_status(snapshots, &status);
		if (status.removed >= count)
			return status;
		usleep(1000);
	}
}

TEST(what_is_too_old_goes_though_nothing_is_saved)
{
	struct timespec t;

	sections[0].snapshots.keep.age_ns = 3600 * (uint64_t)second;
	clock_gettime(CLOCK_REALTIME, &t);
	add_file("app", (t.tv_sec - 7200) * second, "r", false, 1);
	add_file("app", t.tv_sec * second, "r", false, 1);
	daemon_start();
	tl_snapshots_keep(snapshots, &config);
	ck_assert_uint_eq(wait_removed(1).files, 1);
	ck_assert(!exists(&files[0]) && exists(&files[1]));
	/* the next configuration is applied at once */
	sections[0].snapshots.keep.age_ns = 1;
	tl_snapshots_keep(snapshots, &config);
	ck_assert_uint_eq(wait_removed(2).files, 0);
	daemon_stop();
}

TEST(the_snapshots_of_a_section_make_room_for_each_other)
{
	struct tl_snapshots_status status;

	fixture_setup_tiny();
	sections[1].snapshots.keep.count = 3;
	daemon_start();
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(ask_of(tl, i % 2 ? "app-a" : "app-b", "r",
				     &plain),
		    0);
		wait_answers((size_t)i + 1);
	}
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.saved, 10);
	ck_assert_uint_eq(status.files, 10);
	ck_assert_uint_eq(status.removed, 0);
	tl_snapshots_keep(snapshots, &config);
	status = wait_removed(7);
	ck_assert_uint_eq(status.files, 3);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(access(answers[i].path, F_OK), i < 7 ? -1 : 0);
	daemon_stop();
	fixture_close();
}

/* A trace is removed as soon as it is not being written any more. */
TEST(the_trace_that_is_being_written_stays)
{
	static const char busy[] = "app-20200101T000001.000000Z.trace";
	static const char other[] = "app-20200101T000002.000000Z.trace";
	struct tl_snapshots_status status = { 0 };
	char same[sizeof(busy)];

	sections[0].record =
	    (struct tl_config_record){ .on = true, .keep.age_ns = 1 };
	daemon_start();
	ck_assert_ok(tl_snapshots_trace_begun(snapshots, busy));
	strcpy(same, busy);
	ck_assert_int_eq(tl_snapshots_trace_begun(snapshots, same), -EEXIST);
	make_file(busy, 1);
	make_file(other, 1);
	tl_snapshots_keep(snapshots, &config);
	while (status.traces_removed < 1)
		tl_snapshots_status(snapshots, &status);
	ck_assert_int_eq(faccessat(folder_fd, busy, F_OK, 0), 0);
	tl_snapshots_trace_ended(snapshots, busy);
	tl_snapshots_keep(snapshots, &config);
	while (status.traces_removed < 2)
		tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(folder_each(NULL), 0);
	daemon_stop();
	sections[0].record.on = false;
}
