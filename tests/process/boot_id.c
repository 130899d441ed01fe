/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot_id.c - a process that cannot read the boot ID attaches to no timeline
 * whose boot it would have to compare, and removes no file.
 */
#include "../lib/process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const struct timeline_options small = { .entries = 64,
	.stringtablesize = 16384,
	.cpu_lanes = 1 };
static char path[TEST_NAME_MAX + 16];
static char folder[] = "/tmp/test-boot-XXXXXX";
/* a timeline on disk, not in shared memory */
static char own_path[sizeof(folder) + 8];
static const char *const nowhere = "/nonexistent/boot_id";
static const char *somewhere; /* the default path of the boot ID */
static bool skipped;

static ino_t
inode_of(const char *of)
{
	struct stat st;

	expect(stat(of, &st) == 0, "%s is gone", of);
	return st.st_ino;
}

/*
 * timeline_new and timeline_open fail with a text, and the file is unchanged.
 */
static void
expect_refused(const char *name, const char *file, const char *words)
{
	const ino_t before = inode_of(file);
	struct timeline *tl = (struct timeline *)(uintptr_t)1;
	int rc = timeline_new(&tl, name, &small);

	expect(rc == -ENOTSUP && !tl && strstr(timeline_error(), words),
	    "new: %d, %s", rc, timeline_error());
	tl = (struct timeline *)(uintptr_t)1;
	rc = timeline_open(&tl, name);
	expect(rc == -ENOTSUP && !tl && strstr(timeline_error(), words),
	    "open: %d, %s", rc, timeline_error());
	expect(inode_of(file) == before, "%s was replaced", file);
}

static void
attaches(void *unused)
{
	const ino_t before = inode_of(path);
	struct timeline *tl;
	struct stat st;

	(void)unused;
	expect_ok(timeline_new(&tl, test_name, &small));
	expect(fstat(tl->fd, &st) == 0 && st.st_ino == before &&
		   inode_of(path) == before,
	    "%s was replaced", path);
	timeline_close(tl);
	expect_ok(timeline_open(&tl, test_name));
	timeline_close(tl);
}

static void
makes_the_first(void *unused)
{
	struct timeline *tl;

	(void)unused;
	expect_ok(timeline_new(&tl, test_name, &small));
	timeline_close(tl);
}

static void
cannot_read_it(void *unused)
{
	(void)unused;
	tl_boot_id_file = nowhere;
	expect_refused(test_name, path, "boot_id");
}

static void
reads_no_id_in_it(void *unused)
{
	(void)unused;
	tl_boot_id_file = "/dev/null";
	expect_refused(test_name, path, "/dev/null");
	tl_boot_id_file = "/proc/self/comm";
	expect_refused(test_name, path, "cannot tell whether");
}

/* A process that has read the boot ID once keeps it. */
static void
could_read_it_once(void *unused)
{
	(void)unused;
	attaches(NULL);
	tl_boot_id_file = nowhere;
	attaches(NULL);
	expect_success(spawn(attaches, NULL));
}

/* The limit leaves room for exactly one more descriptor. */
static void
has_one_descriptor(void *unused)
{
	const int next = dup(0);
	const struct rlimit limit = { (rlim_t)next + 1, (rlim_t)next + 1 };

	(void)unused;
	expect(next >= 0 && close(next) == 0 &&
		   setrlimit(RLIMIT_NOFILE, &limit) == 0,
	    "setrlimit: %m");
	attaches(NULL);
}

/*
 * No process could attach to a timeline without a boot ID, not even the same
 * program after a restart: none is created.
 */
static void
expect_not_created(void)
{
	struct timeline *tl = (struct timeline *)(uintptr_t)1;
	int rc = timeline_new(&tl, own_path, &small);
	char command[96];

	expect(rc == -ENOTSUP && !tl && strstr(timeline_error(), "ProcSubset"),
	    "new: %d, %s", rc, timeline_error());
	snprintf(command, sizeof(command), "test -z \"$(ls %s)\"", folder);
	expect(system(command) == 0, "it left a file");
}

static void
makes_none_without(void *unused)
{
	(void)unused;
	unlink(own_path);
	tl_boot_id_file = nowhere;
	expect_not_created();
}

/* Older libraries made files without a boot ID: no process replaces them. */
static void
finds_one_of_no_boot(void *unused)
{
	struct timeline *tl;

	(void)unused;
	unlink(own_path);
	expect_ok(timeline_new(&tl, own_path, &small));
	memset(tl->header->boot_id, 0, sizeof(tl->header->boot_id));
	timeline_close(tl);
	expect_refused(own_path, own_path, "timelinectl remove");
}

/*
 * A process that was moved to another boot after it read the boot ID must leave
 * the files of the present boot in place.
 */
static void
was_restored(void *unused)
{
	uint8_t id[16];
	const int fd = open(own_path, O_CREAT | O_TRUNC | O_RDWR, 0600);

	(void)unused;
	expect(fd >= 0 && write(fd, "01234567-89ab-cdef-0123-456789abcdef\n",
			      37) == 37,
	    "%s: %m", own_path);
	tl_boot_id_file = own_path;
	expect(tl_boot_id(id), "not an id");
	tl_boot_id_file = somewhere;
	unlink(own_path);
	close(fd);
	attaches(NULL);
}

/* Mount a private /proc; false: mounting is not allowed here. */
static bool
mount_proc(const char *type, const char *options)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/proc", type, 0, options) == 0;
}

static void
sees_only_processes(void *unused)
{
	(void)unused;
	if (!mount_proc("proc", "subset=pid"))
		_exit(TEST_SKIPPED);
	expect(access(somewhere, F_OK) != 0, "subset=pid shows the boot id");
	expect_refused(test_name, path, "ProcSubset");
	unlink(own_path);
	expect_not_created();
}

/*
 * A process that read the boot ID earlier creates a whole timeline, and leaves
 * no file beside it.
 */
static void
has_no_proc(void *unused)
{
	struct timeline *tl;
	struct timeline_event *event;
	char command[96];
	uint8_t id[16];

	(void)unused;
	unlink(own_path);
	expect(tl_boot_id(id), "no boot id");
	if (!mount_proc("tmpfs", NULL))
		_exit(TEST_SKIPPED);
	expect_ok(timeline_new(&tl, own_path, &small));
	expect_ok(timeline_define(tl, "test", "info", "made", &event));
	timeline_log(event);
	expect(sum_of_heads(tl) == 1, "nothing was logged");
	expect((uint64_t)lseek(tl->fd, 0, SEEK_END) == tl->geometry.total_size,
	    "not whole");
	snprintf(command, sizeof(command), "test \"$(ls %s)\" = tl", folder);
	expect(system(command) == 0, "something lies beside it");
	timeline_close(tl);
	attaches(NULL);
}

static void
try(void (*run)(void *))
{
	const int status = wait_for(spawn(run, NULL));

	if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
		skipped = true;
	else
		expect(status == 0, "a child ended with 0x%x", status);
}

int
main(void)
{
	somewhere = tl_boot_id_file;
	choose_test_name("boot");
	snprintf(path, sizeof(path), "/dev/shm%s", test_name);
	expect(mkdtemp(folder) != NULL, "%s: %m", folder);
	snprintf(own_path, sizeof(own_path), "%s/tl", folder);
	/*
	 * Each case is a child, because a boot ID that this process has read
	 * would be known to all of them.
	 */
	try(makes_the_first);
	try(cannot_read_it);
	try(reads_no_id_in_it);
	try(could_read_it_once);
	try(has_one_descriptor);
	try(makes_none_without);
	try(finds_one_of_no_boot);
	try(was_restored);
	try(sees_only_processes);
	try(has_no_proc);
	unlink(own_path);
	rmdir(folder);
	if (skipped)
		skip("no file system may be mounted here");
	return 0;
}
