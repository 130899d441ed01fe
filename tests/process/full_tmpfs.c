/* SPDX-License-Identifier: Apache-2.0 */
/*
 * full_tmpfs.c - timeline_new fails if the file system has no room.  A process
 * that logs later must never die by SIGBUS.
 */
#include "../lib/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>

static char directory[] = "/tmp/test-full-XXXXXX";
static char path[sizeof(directory) + 16];

static void
remove_directory(void)
{
	if (getpid() != test_owner)
		return;
	umount2(directory, MNT_DETACH);
	rmdir(directory);
}

/* Mount a file system that no other process sees. */
static void
mount_small(void)
{
	expect(mkdtemp(directory) != NULL, "mkdtemp: %m");
	test_owner = getpid();
	atexit(remove_directory);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", directory, "tmpfs", 0, "size=1m") != 0)
		skip("cannot mount a file system of its own (not root?)");
}

static unsigned
count_files(void)
{
	DIR *dir = opendir(directory);
	unsigned count = 0;

	expect(dir != NULL, "opendir: %m");
	for (const struct dirent *e; (e = readdir(dir));)
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void
fill_the_rest(void)
{
	static const char page[4096] = "x";
	char name[sizeof(path) + 8];
	int fd;

	snprintf(name, sizeof(name), "%s/filler", directory);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	expect(fd >= 0, "open: %m");
	while (write(fd, page, sizeof(page)) > 0)
		;
	expect(errno == ENOSPC, "write: %m");
	close(fd);
}

int
main(void)
{
	const struct timeline_options small = { .entries = 64,
		.stringtablesize = 65536,
		.cpu_lanes = 1 };
	struct timeline_event *event;
	struct timeline *tl;
	char name[sizeof(path) + 8];
	int rc;

	mount_small();
	snprintf(path, sizeof(path), "%s/timeline", directory);
	rc = timeline_new(&tl, path, NULL);
	expect(rc == -ENOSPC && strstr(timeline_error(), "no room"), "%d %s",
	    rc, timeline_error());
	expect(count_files() == 0, "a file was left behind");
	expect_ok(timeline_new(&tl, path, &small));
	fill_the_rest();
	for (int i = 0; i < 1000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "message %d", i % 500);
		expect_ok(timeline_define(tl, "full", "fatal", text, &event));
		timeline_log(event);
	}
	expect(sum_of_heads(tl) == 1000, "%lu appended", sum_of_heads(tl));
	snprintf(name, sizeof(name), "%s/saved", directory);
	rc = timeline_save(tl, name);
	expect(rc == -ENOSPC && strstr(timeline_error(), "cannot save"),
	    "%d %s", rc, timeline_error());
	expect(count_files() == 2, "%u files left", count_files());
	timeline_close(tl);
	return 0;
}
