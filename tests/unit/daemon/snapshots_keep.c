/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_keep.c - the names of snapshots, and the files that are kept,
 * compared with the simplest rules.
 */
#include "daemon/disk/keep.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snapshots_fixture.h"

#include <time.h>

enum { FILES_MAX = 24, ROUNDS = 200, BLOCK = 4096 };

static const int64_t second = 1000000000;
static const int64_t now = INT64_C(1795202658123456000);

/* A file that may be kept or removed. */
struct file {
	char name[TL_FILE_NAME_MAX];
	int64_t ns;
	uint64_t bytes;
	bool ours;  /* of the timeline under test */
	bool stays; /* according to the simple rules */
};

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

	ck_assert_int_eq(tl_snapshot_name_make(f->name, timeline, ns, reason,
			     compressed),
	    0);
	if (faccessat(folder_fd, f->name, F_OK, 0) == 0)
		return; /* the name exists already */
	f->bytes = make_file(f->name, blocks);
	f->ns = ns / 1000 * 1000;
	f->ours = strcmp(timeline, "app") == 0;
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

	ck_assert_int_eq(tl_snapshot_name_make(name, "app", now, "trigger 3",
			     true),
	    0);
	ck_assert_str_eq(name, "app-20261120T192418.123456Z-trigger_3.tl.zst");
	ck_assert(tl_snapshot_name_parse(&parts, name));
	ck_assert_uint_eq(parts.timeline_size, 3);
	ck_assert_int_eq(parts.ns, now);
	ck_assert_int_eq(tl_snapshot_name_make(name, "app", now, "", false), 0);
	ck_assert_str_eq(name, "app-20261120T192418.123456Z-_.tl");
	ck_assert_int_eq(tl_snapshot_name_make(name, "a", now, "../\n\xff",
			     false),
	    0);
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
		ck_assert_int_eq(tl_snapshot_name_make(name, timeline, ns,
				     reason, i & 1),
		    0);
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
keep_dumbly(const struct tl_config_keep *keep, const char *reason)
{
	for (;;) {
		struct file *oldest = NULL;
		uint64_t count = 0, bytes = 0;

		for (size_t i = 0; i < file_count; i++) {
			struct file *f = &files[i];

			if (!f->ours || !f->stays || !is_for(f, reason))
				continue;
			count++;
			bytes += f->bytes;
			if (!oldest || f->ns < oldest->ns ||
			    (f->ns == oldest->ns &&
				strcmp(f->name, oldest->name) < 0))
				oldest = f;
		}
		if (count < 2)
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
	while (file_count < FILES_MAX) {
		const int64_t age =
		    (int64_t)random_below(seed, 100) * second - 5 * second;

		add_file(timelines[random_below(seed, 7)], now - age,
		    random_below(seed, 2) ? "a" : "b", random_below(seed, 2),
		    random_below(seed, 4));
	}
}

TEST(what_stays_is_what_the_dumbest_rules_leave)
{
	uint64_t seed = 42;

	for (int round = 0; round < ROUNDS; round++) {
		struct tl_config_keep keep = { 0 };
		uint64_t removed, expected = 0;
		int64_t next_ns;

		add_random_files(&seed);
		if (random_below(&seed, 2))
			keep.count = 1 + random_below(&seed, 8);
		if (random_below(&seed, 2))
			keep.age_ns =
			    1 + random_below(&seed, 100) * (uint64_t)second;
		if (random_below(&seed, 2))
			keep.bytes = 1 + random_below(&seed, 20) * BLOCK;
		keep_dumbly(&keep, "-a");
		keep_dumbly(&keep, "-b");
		ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app",
				     &keep, now, &removed, &next_ns),
		    0);
		for (size_t i = 0; i < file_count; i++) {
			ck_assert_msg((faccessat(folder_fd, files[i].name, F_OK,
					   0) == 0) == files[i].stays,
			    "%s", files[i].name);
			expected += !files[i].stays;
		}
		ck_assert_uint_eq(removed, expected);
		folder_each(remove_name);
	}
}

TEST(only_regular_files_of_ours_are_removed)
{
	const struct tl_config_keep keep = { .count = 1 };
	static const char *const others[] = { "app.tl",
		"app-20261120T192418.123456Z-r.tl~",
		".app-20261120T192418.123456Z-r.tl",
		"app-20261120T192418.123456Z-r.txt" };
	uint64_t removed, count, bytes;
	int64_t next_ns;

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
	ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app", &keep, now,
			     &removed, &next_ns),
	    0);
	ck_assert_uint_eq(removed, 1);
	ck_assert_int_ne(faccessat(folder_fd, files[0].name, F_OK, 0), 0);
	ck_assert_uint_eq(folder_each(NULL), 7);
	/* the name with a dot is a snapshot of a timeline of that name */
	ck_assert_int_eq(tl_snapshots_keep_count(folder_fd, &count, &bytes), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_ge(bytes, 2 * BLOCK);
}

/* 523 deaths within five minutes once removed the snapshot of a trigger. */
TEST(no_reason_pushes_out_what_another_saved)
{
	const struct tl_config_keep keep = { .count = 3, .bytes = 16 * BLOCK };
	uint64_t removed;
	int64_t next_ns;

	add_file("app", now - 1000 * second, "slow-request", true, 1);
	for (int i = 0; i < 10; i++)
		add_file("app", now - i * second, "writer-died", true, 1);
	add_file("app", now - 2000 * second, "request", false, 1);
	ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app", &keep, now,
			     &removed, &next_ns),
	    0);
	ck_assert_uint_eq(removed, 7);
	for (size_t i = 0; i < file_count; i++)
		ck_assert_int_eq(faccessat(folder_fd, files[i].name, F_OK, 0) ==
				     0,
		    i < 4 || i == 11);
}

TEST(the_time_of_the_next_is_told)
{
	const struct tl_config_keep keep = { .age_ns = 10000000000 };
	uint64_t removed;
	int64_t next_ns;

	add_file("app", now - 9 * second, "r", false, 0);
	ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app", &keep, now,
			     &removed, &next_ns),
	    0);
	ck_assert_int_eq(next_ns, INT64_MAX); /* the newest is kept */
	add_file("app", now - 4 * second, "r", false, 0);
	ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app", &keep, now,
			     &removed, &next_ns),
	    0);
	ck_assert_uint_eq(removed, 0);
	ck_assert_int_eq(next_ns, second + 1);
	ck_assert_int_eq(tl_snapshots_keep_apply(folder_fd, "app", &keep,
			     now + next_ns, &removed, &next_ns),
	    0);
	ck_assert_uint_eq(removed, 1);
}

/* == retention by the thread == */

TEST(what_is_too_old_goes_though_nothing_is_saved)
{
	const struct tl_config_keep keep = { .age_ns = 200000000 };
	struct tl_snapshots_status status;
	struct timespec t;
	int waited = 0;

	clock_gettime(CLOCK_REALTIME, &t);
	add_file("app", t.tv_sec * second - 9 * second, "r", false, 1);
	add_file("app", t.tv_sec * second + t.tv_nsec, "r", false, 1);
	add_file("app", t.tv_sec * second + t.tv_nsec + 1000, "r", false, 1);
	daemon_start();
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.files, 3);
	ck_assert_int_eq(tl_snapshots_keep(snapshots, "/app", &keep), 0);
	do { /* the first goes at once, the second later, the last never */
		usleep(10000);
		tl_snapshots_status(snapshots, &status);
	} while (status.removed < 2 && waited++ < WAIT_SECONDS_MAX * 100);
	ck_assert_uint_eq(status.removed, 2);
	ck_assert_uint_eq(folder_each(NULL), 1);
	ck_assert_int_eq(faccessat(folder_fd, files[2].name, F_OK, 0), 0);
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.files, 1);
	daemon_stop();
}

TEST(each_snapshot_makes_room)
{
	const struct tl_config_snapshots how = { .keep = { .count = 3 } };
	struct tl_snapshots_status status;

	fixture_setup_tiny();
	daemon_start();
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(ask_of(tl, i % 2 ? "a" : "b", "r", &how), 0);
		wait_answers((size_t)i + 1);
	}
	tl_snapshots_status(snapshots, &status);
	ck_assert_uint_eq(status.saved, 10);
	ck_assert_uint_eq(status.removed, 4);
	ck_assert_uint_eq(status.files, 6);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(access(answers[i].path, F_OK), i < 4 ? -1 : 0);
	daemon_stop();
	fixture_close();
}
