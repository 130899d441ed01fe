/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - truncating the file under a mapping does not end the process. */
#include "ring/guard.h"
#include "lib/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4 };

static int fd;
static void *mapped;
static volatile char *map;

static void
setup(void)
{
	char path[] = "/tmp/test-guard-XXXXXX";

	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	unlink(path);
	ck_assert_int_eq(ftruncate(fd, PAGES * PAGE), 0);
	mapped =
	    mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	map = mapped;
	ck_assert_ok(tl_guard_start());
}

static void
teardown(void)
{
	munmap(mapped, PAGES * PAGE);
	close(fd);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_store_past_the_end_is_survived_and_told)
{
	const int guard = tl_guard_add(mapped, PAGES * PAGE);

	ck_assert_int_ge(guard, 0);
	map[2 * PAGE] = 1;
	ck_assert(!tl_guard_is_lost(guard));
	ck_assert_int_eq(ftruncate(fd, PAGE), 0);
	map[0] = 1; /* this page still exists */
	ck_assert(!tl_guard_is_lost(guard));
	map[2 * PAGE + 7] = 5;
	ck_assert_int_eq(map[2 * PAGE + 7], 5);
	ck_assert_int_eq(map[2 * PAGE], 0);
	ck_assert(tl_guard_is_lost(guard));
	map[3 * PAGE] = 1; /* the next page is lost, too */
	tl_guard_remove(guard);
}

TEST(a_guard_that_was_removed_may_be_used_again)
{
	const int guard = tl_guard_add(mapped, PAGES * PAGE);
	int again;

	ck_assert_int_eq(ftruncate(fd, 0), 0);
	map[0] = 1;
	ck_assert(tl_guard_is_lost(guard));
	tl_guard_remove(guard);
	again = tl_guard_add(mapped, PAGES * PAGE);
	ck_assert_int_eq(again, guard);
	ck_assert(!tl_guard_is_lost(again));
	tl_guard_remove(again);
}

TEST(there_are_no_more_guards_than_there_are)
{
	for (int i = 0; i < TL_GUARDS_MAX; i++)
		ck_assert_int_eq(tl_guard_add(mapped, PAGE), i);
	ck_assert_int_lt(tl_guard_add(mapped, PAGE), 0);
	for (int i = 0; i < TL_GUARDS_MAX; i++)
		tl_guard_remove(i);
}

TEST(any_other_bus_error_ends_the_process_as_before)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (ftruncate(fd, 0) == 0)
			map[0] = 1;
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	/* a sanitizer's own handler exits instead */
	ck_assert(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS
				      : WEXITSTATUS(status) != 0);
}
