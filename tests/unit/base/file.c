/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of names: which files "name", "/name" and "./name" mean. */
#include "base/file.h"

#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[TL_PATH_MAX];

TEST(a_name_with_or_without_a_slash_in_front_is_in_dev_shm)
{
	static const char *const cases[][2] = { { "app", "/dev/shm/app" },
		{ "/app", "/dev/shm/app" }, { "a.tl", "/dev/shm/a.tl" },
		{ "...", "/dev/shm/..." }, { "./app", "./app" },
		{ "a/b", "a/b" }, { "/a/b", "/a/b" }, { "app/", "app/" },
		{ "//app", "//app" }, { ".", "." }, { "..", ".." } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_ok(tl_name_path(cases[i][0], path));
		ck_assert_str_eq(path, cases[i][1]);
	}
}

TEST(an_empty_name_and_one_that_is_too_long_are_refused)
{
	char name[TL_PATH_MAX];

	ck_assert_int_eq(tl_name_path("", path), -EINVAL);
	ck_assert_int_eq(tl_name_path("/", path), -EINVAL);
	memset(name, 'x', sizeof(name));
	name[TL_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(tl_name_path(name, path), -ENAMETOOLONG);
	name[TL_PATH_MAX - sizeof("/dev/shm/")] = '\0';
	ck_assert_ok(tl_name_path(name, path));
}

static void
make(const char *name)
{
	const int fd = open(name, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

TEST(a_reader_finds_a_file_in_its_folder_where_dev_shm_has_none)
{
	char folder[] = "/tmp/timeline-names-XXXXXX", name[64], shm[128];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	snprintf(name, sizeof(name), "names-%d.tl", (int)getpid());
	snprintf(shm, sizeof(shm), "/dev/shm/%s", name);
	ck_assert_ok(tl_name_find(name, path));
	ck_assert_str_eq(path, shm); /* neither file exists: the rule decides */
	make(name);
	tl_name_find(name, path);
	ck_assert_str_eq(path, name);
	make(shm);
	tl_name_find(name, path);
	unlink(shm);
	unlink(name);
	rmdir(folder);
	ck_assert_str_eq(path, shm);
}

TEST(a_new_file_replaces_files_alone)
{
	char folder[] = "/tmp/timeline-names-XXXXXX";
	struct tl_file_new new;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	make("file");
	ck_assert_int_eq(tl_file_new_begin(&new, "directory"), -EISDIR);
	ck_assert_int_eq(tl_file_new_begin(&new, "fifo"), -EEXIST);
	ck_assert_int_eq(tl_file_new_begin(&new, "/dev/null"), -EEXIST);
	ck_assert_int_eq(tl_file_new_begin(&new, "/dev/stdout"), -EEXIST);
	ck_assert_int_eq(tl_file_new_begin(&new, "/dev/fd/7"), -EEXIST);
	ck_assert_ok(tl_file_new_begin(&new, "file"));
	ck_assert_ok(tl_file_new_commit(&new));

	ck_assert(!tl_file_is_special("file"));
	ck_assert(!tl_file_is_special("directory"));
	ck_assert(!tl_file_is_special("none"));
	fd = tl_file_open_special("/dev/null");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, "x", 1), 1);
	close(fd);
	ck_assert_int_eq(tl_file_open_special("none"), -ENOENT);
	unlink("file");
	unlink("fifo");
	rmdir("directory");
	rmdir(folder);
}

TEST(the_start_of_a_small_file_is_a_string)
{
	static const char format[] = "/tmp/timeline-start-%d";
	const int pid = (int)getpid();
	char text[] = "before.";
	int fd;

	snprintf(path, sizeof(path), format, pid);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(tl_read_start(text, 6, format, pid), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(write(fd, "abcdefgh", 8), 8);
	close(fd);
	ck_assert_uint_eq(tl_read_start(text, 6, format, pid), 5);
	unlink(path);
	ck_assert_mem_eq(text, "abcde\0.", 7);
	ck_assert_uint_eq(tl_read_start(text, 6, format, pid), 0);
	ck_assert_str_eq(text, "");
}

TEST(what_is_made_of_a_file_is_for_no_more_users)
{
	static const struct {
		mode_t mode, own,
		    other; /* withheld, by the group of the file */
	} cases[] = { { 0644, 0022, 0022 }, { 0666, 0000, 0000 },
		{ 0600, 0077, 0077 }, { 0640, 0027, 0077 },
		{ 0660, 0007, 0077 }, { 0604, 0072, 0072 },
		{ 0664, 0002, 0022 } };
	struct stat st = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		st.st_mode = S_IFREG | cases[i].mode;
		st.st_gid = getegid();
		ck_assert_uint_eq(tl_file_withheld(&st), cases[i].own);
		st.st_gid++;
		ck_assert_uint_eq(tl_file_withheld(&st), cases[i].other);
	}
	st.st_mode = S_IFIFO | 0600;
	ck_assert_uint_eq(tl_file_withheld(&st), 0);
}
