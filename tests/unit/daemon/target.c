/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the daemon attaches to the very file that it judged, even if a
 * process changes files meanwhile.
 */
#include "daemon/targets.h"
#include "lib/test.h"
#include "service_fixture.h"

#include <fcntl.h>

static char path[128];
static struct stat judged;
static struct tl_target *opened;

static void
setup(void)
{
	service_open();
	snprintf(path, sizeof(path), "/dev/shm%s", fixture_name);
	ck_assert_int_eq(lstat(path, &judged), 0);
}

static void
teardown(void)
{
	service_close();
}

static int
open_it(void)
{
	struct tl_fault fault = { 0 };

	return tl_target_open(&opened, d, path, &judged, &section, &fault);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(the_file_that_was_judged_is_looked_after)
{
	ck_assert_int_eq(open_it(), 0);
	ck_assert_str_eq(opened->name, fixture_name + 1);
	ck_assert(opened->status.st_ino == judged.st_ino);
	ck_assert(!tl_target_is_recorded(opened));
	tl_target_close(opened);
}

TEST(another_file_under_its_name_is_not)
{
	judged.st_ino++;
	ck_assert_int_eq(open_it(), -EAGAIN);
	judged.st_ino--;
	judged.st_dev++;
	ck_assert_int_eq(open_it(), -EAGAIN);
}

TEST(one_that_another_user_owns_by_now_is_not)
{
	judged.st_uid++;
	ck_assert_int_lt(open_it(), 0);
}

/* The number of bytes that the file occupies. */
static uint64_t
occupied(const char *of)
{
	struct stat st;

	ck_assert_int_eq(stat(of, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* A file may claim any size: attaching must not fill it. */
TEST(a_sparse_file_stays_sparse)
{
	const struct timeline_options options = { .entries = 1 << 20,
		.stringtablesize = 16384,
		.cpu_lanes = 1 };
	struct timeline *sparse;
	uint64_t size;
	char name[64];

	snprintf(name, sizeof(name), "/test-sparse-%d", (int)getpid());
	snprintf(path, sizeof(path), "/dev/shm%s", name);
	ck_assert_ok(timeline_new(&sparse, name, &options));
	size = sparse->geometry.total_size;
	/* histograms of undefined timers take no memory */
	ck_assert_uint_ge(occupied(path), sparse->geometry.timers_offset);
	ck_assert_int_eq(fallocate(sparse->fd,
			     FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			     (off_t)sparse->geometry.entries_offset[0],
			     (off_t)(sparse->geometry.knots_offset -
				     sparse->geometry.entries_offset[0])),
	    0);
	timeline_close(sparse);
	ck_assert_uint_lt(occupied(path), size / 16);
	ck_assert_int_eq(lstat(path, &judged), 0);
	ck_assert_int_eq(open_it(), 0);
	ck_assert_uint_lt(occupied(path), size / 16);
	tl_target_close(opened);
	ck_assert_ok(timeline_remove(name));
}
