/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.c - files exchange their names, on file systems that can do so
 * atomically and on others.
 */
#include "convert/replace.h"

#include "base/file.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[] = "/tmp/test_convert_replace.XXXXXX";
static bool knows_flags; /* of the file system */
static bool knows_links;
static int intruder_fd = -1; /* renameat2 makes a file in this folder first */

/* These replace functions of the C library. */
int
renameat2(int from_fd, const char *from, int to_fd, const char *to,
    unsigned flags)
{
	if (!knows_flags) {
		errno = EINVAL;
		return -1;
	}
	if (intruder_fd >= 0) {
		const int fd = openat(intruder_fd, "intruder",
		    O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

		close(fd);
		close(intruder_fd);
		intruder_fd = -1;
	}
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int
link(const char *from, const char *to)
{
	if (!knows_links) {
		errno = EPERM;
		return -1;
	}
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

static const char *
at(const char *name)
{
	static char paths[4][TL_PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, TL_PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void
make(const char *name, const char *text)
{
	FILE *file = fopen(at(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void
make_trace(const char *name, const char *stream, const char *text)
{
	char path[TL_PATH_MAX];

	mkdir(at(name), 0777);
	snprintf(path, sizeof(path), "%s/metadata", name);
	make(path, text);
	snprintf(path, sizeof(path), "%s/%s", name, stream);
	make(path, text);
}

static const char *
read_back(const char *name)
{
	static char text[100];
	FILE *file = fopen(at(name), "r");

	if (!file)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static bool
is_there(const char *name)
{
	struct stat status;

	return lstat(at(name), &status) == 0;
}

static void
set_up(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_convert_replace.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
clean_up(void)
{
	static const char *const names[] = { "new", "out", "new.old" };

	for (size_t i = 0; i < 3; i++)
		tl_remove_flat(at(names[i]));
	tl_remove_flat(folder);
	ck_assert(access(folder, F_OK) < 0);
}

/* Choose one of three kinds of file systems. */
static void
choose(int i)
{
	knows_flags = i == 0;
	knows_links = i <= 1;
}

TEST_FILE(.setup = set_up, .teardown = clean_up);

TEST(a_file_takes_a_name_that_nothing_has, .to = 3)
{
	choose(_i);
	make("new", "x");
	ck_assert_ok(tl_rename_new(at("new"), at("out")));
	ck_assert_str_eq(read_back("out"), "x");
	ck_assert(!is_there("new"));
}

TEST(a_file_does_not_take_a_name_that_something_has, .to = 3)
{
	choose(_i);
	make("new", "x");
	make("out", "mine");
	ck_assert_int_eq(tl_rename_new(at("new"), at("out")), -EEXIST);
	ck_assert_str_eq(read_back("out"), "mine");
	ck_assert_str_eq(read_back("new"), "x");
}

TEST(a_trace_takes_the_place_of_a_trace, .to = 3)
{
	choose(_i);
	make_trace("new", "stream_0", "x");
	make_trace("out", "stream_1", "old");
	ck_assert_ok(tl_rename_trace(at("new"), at("out")));
	ck_assert_str_eq(read_back("out/stream_0"), "x");
	ck_assert(!is_there("out/stream_1"));
	ck_assert_str_eq(read_back("new/stream_1"), "old");
	ck_assert(!is_there("new.old"));
}

TEST(a_trace_takes_a_name_that_nothing_has, .to = 3)
{
	choose(_i);
	make_trace("new", "stream_0", "x");
	ck_assert_ok(tl_rename_trace(at("new"), at("out")));
	ck_assert_str_eq(read_back("out/stream_0"), "x");
	ck_assert(!is_there("new"));
}

TEST(what_came_to_be_no_trace_gets_its_name_again)
{
	choose(0);
	make_trace("new", "stream_0", "x");
	make_trace("out", "stream_1", "old");
	ck_assert_ok(tl_replace_check(at("out"), true, true));
	intruder_fd = open(at("out"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(tl_rename_trace(at("new"), at("out")), -ENOTEMPTY);
	ck_assert_str_eq(read_back("out/stream_1"), "old");
	ck_assert(is_there("out/intruder"));
	ck_assert_str_eq(read_back("new/stream_0"), "x");
}

TEST(a_file_is_no_trace, .to = 3)
{
	choose(_i);
	make_trace("new", "stream_0", "x");
	make("out", "mine");
	ck_assert_int_eq(tl_replace_check(at("out"), true, true), -ENOTDIR);
	ck_assert_int_eq(tl_rename_trace(at("new"), at("out")), -ENOTDIR);
	ck_assert_str_eq(read_back("out"), "mine");
}

TEST(what_may_be_replaced_is_told)
{
	ck_assert_ok(tl_replace_check(at("out"), false, false));
	ck_assert_ok(tl_replace_check(at("no/out"), false, false));
	make("out", "mine");
	ck_assert_int_eq(tl_replace_check(at("out"), false, false), -EEXIST);
	ck_assert_ok(tl_replace_check(at("out"), true, false));
	ck_assert_int_eq(tl_replace_check(at("out/x"), true, false), -ENOTDIR);
	make_trace("new", "stream_0", "x");
	ck_assert_int_eq(tl_replace_check(at("new"), true, false), -EISDIR);
	ck_assert_int_eq(tl_replace_check(at("new"), false, true), -EEXIST);
	ck_assert_ok(tl_replace_check(at("new"), true, true));
	unlink(at("new/metadata"));
	ck_assert_int_eq(tl_replace_check(at("new"), true, true), -ENOTEMPTY);
	ck_assert_int_eq(symlink("/dev/null", at("new/metadata")), 0);
	ck_assert_int_eq(tl_replace_check(at("new"), true, true), -ENOTEMPTY);
}

TEST(a_link_to_a_trace_is_none)
{
	make_trace("new", "stream_0", "x");
	ck_assert_int_eq(symlink("new", at("out")), 0);
	ck_assert_int_eq(tl_replace_check(at("out"), true, true), -ENOTDIR);
	tl_remove_flat(at("out"));
	ck_assert(!is_there("out"));
	ck_assert(is_there("new/metadata"));
}

TEST(many_files_are_removed_and_folders_are_not)
{
	char name[TL_PATH_MAX];

	mkdir(at("out"), 0777);
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "out/stream_%u", i);
		make(name, "");
	}
	mkdir(at("out/kept"), 0777);
	tl_remove_flat(at("out"));
	ck_assert(!is_there("out/stream_2999"));
	ck_assert(is_there("out/kept"));
	rmdir(at("out/kept"));
	tl_remove_flat(at("out"));
	ck_assert(!is_there("out"));
}
