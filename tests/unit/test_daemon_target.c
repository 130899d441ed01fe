/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_daemon_target.c - is what is attached to what was judged, though
 * somebody changes files meanwhile?
 */
#include "daemon/targets.h"
#include "service_fixture.h"

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

START_TEST(the_file_that_was_judged_is_looked_after)
{
	ck_assert_int_eq(open_it(), 0);
	ck_assert_str_eq(opened->name, fixture_name + 1);
	ck_assert(opened->status.st_ino == judged.st_ino);
	ck_assert(!tl_target_is_recorded(opened));
	tl_target_close(opened);
}
END_TEST

START_TEST(another_file_under_its_name_is_not)
{
	judged.st_ino++;
	ck_assert_int_eq(open_it(), -EAGAIN);
	judged.st_ino--;
	judged.st_dev++;
	ck_assert_int_eq(open_it(), -EAGAIN);
}
END_TEST

START_TEST(one_that_another_user_owns_by_now_is_not)
{
	judged.st_uid++;
	ck_assert_int_lt(open_it(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("daemon target");
	TCase *t = tcase_create("target");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_file_that_was_judged_is_looked_after);
	tcase_add_test(t, another_file_under_its_name_is_not);
	tcase_add_test(t, one_that_another_user_owns_by_now_is_not);
	suite_add_tcase(s, t);
	return run_suite(s);
}
