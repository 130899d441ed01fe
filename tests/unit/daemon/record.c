/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the names of the files of recordings, and the files that are kept.
 */
#include "daemon/disk/names.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 100, FILES_MAX = 20 };

static const int64_t second = 1000000000;
static const int64_t now = INT64_C(1795202658123456000);

/* == names == */

TEST(a_name_has_the_time_and_comes_apart_again)
{
	struct tl_snapshot_name parts;
	char name[TL_FILE_NAME_MAX];

	ck_assert_ok(tl_record_name_make(name, "app", now));
	ck_assert_str_eq(name, "app-20261120T192418.123456Z.trace");
	ck_assert(tl_record_name_parse(&parts, name));
	ck_assert_uint_eq(parts.timeline_size, 3);
	ck_assert_int_eq(parts.ns, now);
	ck_assert(!tl_snapshot_name_parse(&parts, name));
	ck_assert_int_eq(tl_record_name_make(name, "a/b", now), -EINVAL);
	ck_assert_int_eq(tl_record_name_make(name, "", now), -EINVAL);
}

TEST(the_longest_name_leaves_room_for_that_of_its_index)
{
	char timeline[300], name[TL_FILE_NAME_MAX];

	memset(timeline, 'x', sizeof(timeline));
	timeline[TL_RECORD_TIMELINE_MAX] = '\0';
	ck_assert_ok(tl_record_name_make(name, timeline, now));
	ck_assert_uint_eq(strlen(name) + strlen(TL_RECORD_INDEX_SUFFIX), 255);
	timeline[TL_RECORD_TIMELINE_MAX] = 'x';
	timeline[TL_RECORD_TIMELINE_MAX + 1] = '\0';
	ck_assert_int_eq(tl_record_name_make(name, timeline, now),
	    -ENAMETOOLONG);
}

TEST(what_is_not_named_so_is_not_ours)
{
	static const char *const others[] = { "", ".trace", "app.trace",
		"app-20261120T192418.123456Z", "-20261120T192418.123456Z.trace",
		"app-20261120T192418.123456Z-r.trace",
		"app-20261120T192418.123456Z.trace.idx",
		"app-20261120T192418.123456Z.tl",
		"app-20261320T192418.123456Z.trace",
		"app20261120T192418.123456Z.trace" };
	struct tl_snapshot_name parts;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!tl_record_name_parse(&parts, others[i]), "%s",
		    others[i]);
}

/* == retention == */

static char folder[64];
static int folder_fd;
static struct tl_config_timeline recorded = { .name = "app*",
	.record = { .on = true, .directory = folder } };
static struct tl_config kept = { .directory = "/nonexistent",
	.timelines = &recorded,
	.timeline_count = 1 };

static bool
is_name(void *context, const char *name)
{
	return strcmp(name, context) == 0;
}

/* Sweep with these limits while the file busy is being written; returns the
 * number of removed traces. */
static uint64_t
sweep(struct tl_config_keep keep, const char *busy)
{
	const struct tl_keep_sweep how = { .config = &kept,
		.home = folder_fd,
		.home_path = kept.directory,
		.now_ns = now,
		.is_busy = busy ? is_name : NULL,
		.context = (char *)(uintptr_t)busy };
	struct tl_keep_sums sums;

	recorded.record.keep = keep;
	recorded.snapshots.keep = keep;
	ck_assert_ok(tl_keep_sweep(&how, &sums));
	ck_assert_uint_eq(sums.removed[TL_KEPT_SNAPSHOT], 0);
	return sums.removed[TL_KEPT_TRACE];
}

static void
make_folder(void)
{
	strcpy(folder, "/dev/shm/test-record-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(folder_fd, 0);
}

static void
remove_folder(void)
{
	char command[128];

	close(folder_fd);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void
make_file(const char *name, const char *suffix, size_t size)
{
	char path[TL_FILE_NAME_MAX + 8], bytes[4096] = { 1 };
	int fd;

	snprintf(path, sizeof(path), "%s%s", name, suffix);
	fd = openat(folder_fd, path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static bool
exists(const char *name, const char *suffix)
{
	char path[TL_FILE_NAME_MAX + 8];

	snprintf(path, sizeof(path), "%s%s", name, suffix);
	return faccessat(folder_fd, path, F_OK, 0) == 0;
}

/* Make a trace of this age, with its index. */
static void
make_trace(char name[TL_FILE_NAME_MAX], int64_t age_ns)
{
	ck_assert_ok(tl_record_name_make(name, "app", now - age_ns));
	make_file(name, "", 4096);
	make_file(name, ".idx", 4096);
}

TEST(the_oldest_go_with_their_indexes)
{
	char names[FILES_MAX][TL_FILE_NAME_MAX];
	uint64_t seed = 7;

	for (int round = 0; round < ROUNDS; round++) {
		const size_t count = 1 + random_below(&seed, FILES_MAX);
		const size_t stay = 1 + random_below(&seed, FILES_MAX);
		const bool by_bytes = random_below(&seed, 2);
		const struct tl_config_keep keep = { .count =
							 by_bytes ? 0 : stay,
			.bytes = by_bytes ? stay * 8192 : 0 };

		make_folder();
		for (size_t i = 0; i < count; i++)
			make_trace(names[i], (int64_t)i * second);
		ck_assert_uint_eq(sweep(keep, NULL),
		    count > stay ? count - stay : 0);
		for (size_t i = 0; i < count; i++) {
			ck_assert(exists(names[i], "") == (i < stay));
			ck_assert(exists(names[i], ".idx") == (i < stay));
		}
		remove_folder();
	}
}

/* The home of the snapshots is the folder of the traces, too, or another. */
TEST(snapshots_and_traces_do_not_count_for_each_other, .to = 2)
{
	static const char snapshot[] = "app-20200101T000000.000000Z-r.tl";
	char new[TL_FILE_NAME_MAX], old[TL_FILE_NAME_MAX];

	make_folder();
	kept.directory = _i ? folder : "/nonexistent";
	make_file(snapshot, "", 100);
	make_trace(new, 0);
	make_trace(old, second);
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .count = 1 }, NULL),
	    1);
	ck_assert(exists(snapshot, "") && exists(new, "") && !exists(old, ""));
	remove_folder();
}

TEST(traces_of_a_section_that_does_not_record_here_stay)
{
	char name[TL_FILE_NAME_MAX];

	make_folder();
	kept.directory = folder;
	make_trace(name, 3600 * second);
	recorded.record.on = false;
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .age_ns = 1 }, NULL),
	    0);
	recorded.record.on = true;
	recorded.record.directory = "/nonexistent";
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .age_ns = 1 }, NULL),
	    0);
	recorded.record.directory = NULL; /* that of the snapshots */
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .age_ns = 1 }, NULL),
	    1);
	ck_assert(!exists(name, ""));
	remove_folder();
}

/* Some files are later than the time to which a clock was set back. */
TEST(what_is_made_after_the_clock_was_set_back_stays)
{
	const int64_t hour = 3600 * second;
	char later[TL_FILE_NAME_MAX], latest[TL_FILE_NAME_MAX];
	char new[TL_FILE_NAME_MAX], old[TL_FILE_NAME_MAX];

	make_folder();
	make_trace(latest, -2 * hour);
	make_trace(later, -hour);
	make_trace(old, second);
	make_trace(new, 0);
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .count = 2 }, NULL),
	    2);
	ck_assert(exists(new, "") && exists(new, ".idx") && exists(old, ""));
	ck_assert(!exists(later, "") && !exists(latest, ""));
	remove_folder();
}

/* The file that is being written stays whatever its time, age and size, and
 * does not displace another. */
TEST(the_file_that_is_written_stays, .to = 4)
{
	const int64_t hour = 3600 * second;
	char first[TL_FILE_NAME_MAX], second_one[TL_FILE_NAME_MAX];
	char third[TL_FILE_NAME_MAX], last[TL_FILE_NAME_MAX];
	const char *const names[] = { first, second_one, third, last };

	make_folder();
	make_trace(first, -hour);
	make_trace(second_one, 0);
	make_trace(third, second);
	make_trace(last, hour);
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .count = 2 },
			      names[_i]),
	    1);
	ck_assert(exists(names[_i], ""));
	ck_assert(exists(names[_i == 1 ? 2 : 1], ""));
	ck_assert_uint_eq(sweep((struct tl_config_keep){ .count = 1,
				    .age_ns = 1,
				    .bytes = 1 },
			      names[_i]),
	    2);
	ck_assert(exists(names[_i], "") && exists(names[_i], ".idx"));
	remove_folder();
}
