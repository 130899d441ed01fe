/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.c - several processes create one timeline at once; a stale file is
 * replaced once; any other file under the name is refused with an error text.
 */
#include "../lib/process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { RACERS = 8, ROUNDS = 60 };

static char path[TEST_NAME_MAX + 16];
static volatile unsigned *ready;
static volatile unsigned *go;
static uint64_t *inodes;

static const struct timeline_options small = { .entries = 64,
	.stringtablesize = 16384,
	.cpu_lanes = 1 };

/* The name "name" means "/name": no file appears in the current directory. */
static void
bare_name(void)
{
	struct timeline *made, *opened;

	expect_ok(timeline_new(&made, test_name + 1, &small));
	expect(access(test_name + 1, F_OK) != 0, "a file in the directory");
	expect_ok(timeline_open(&opened, test_name));
	timeline_close(opened);
	timeline_close(made);
	expect_ok(timeline_remove(test_name + 1));
	expect(timeline_open(&opened, test_name) == -ENOENT, "still there");
}

static ino_t
inode_of(const struct timeline *tl)
{
	struct stat st;

	expect(fstat(tl->fd, &st) == 0, "fstat: %m");
	return st.st_ino;
}

static void
race(void *context)
{
	const size_t me = (size_t)(uintptr_t)context;
	struct timeline *tl;

	__atomic_add_fetch(ready, 1, __ATOMIC_SEQ_CST);
	while (!*go)
		sched_yield();
	expect_ok(timeline_new(&tl, test_name, &small));
	inodes[me] = inode_of(tl);
	timeline_close(tl);
}

/*
 * Check that all racers have opened the same file, and that this file has the
 * name.
 */
static void
one_round(void)
{
	pid_t pids[RACERS];
	struct stat st;

	*ready = *go = 0;
	for (int i = 0; i < RACERS; i++)
		pids[i] = spawn(race, (void *)(uintptr_t)i);
	while (*ready < RACERS)
		sleep_ns(10000);
	*go = 1;
	for (int i = 0; i < RACERS; i++)
		expect_success(pids[i]);
	expect(stat(path, &st) == 0, "%s: %m", path);
	for (int i = 0; i < RACERS; i++)
		expect(inodes[i] == st.st_ino, "racer %d has another file", i);
}

static void
race_for_a_new_name(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		timeline_remove(test_name);
		one_round();
	}
}

/* Write the boot ID of another boot into the header. */
static void
make_stale(void)
{
	static const uint8_t other[16] = { 1, 2, 3 };
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	expect(fd >= 0 && pwrite(fd, other, sizeof(other),
			      offsetof(struct timeline_header, boot_id)) ==
			      sizeof(other),
	    "%s: %m", path);
	close(fd);
}

static void
race_for_a_stale_one(void)
{
	struct timeline *tl;
	struct stat before, after;

	for (int i = 0; i < ROUNDS; i++) {
		make_stale();
		expect(timeline_open(&tl, test_name) == -ESTALE,
		    "attached to a stale timeline");
		expect(stat(path, &before) == 0, "%s: %m", path);
		one_round();
		expect(stat(path, &after) == 0 &&
			   (after.st_ino != before.st_ino ||
			       after.st_mtime != before.st_mtime),
		    "a stale timeline was kept");
	}
}

static const char *
kept_path(int n)
{
	static char kept[256];

	(void)snprintf(kept, sizeof(kept), "%s.%d", path, n);
	return kept;
}

static ino_t
inode(const char *of)
{
	struct stat st;

	return stat(of, &st) == 0 ? st.st_ino : 0;
}

/*
 * Three files of earlier boots are kept, the newest as NAME.1.  A file that is
 * no timeline is left alone.
 */
static void
keep_stale_ones(void)
{
	struct timeline *tl;
	ino_t old[5];
	FILE *foreign;

	for (int i = 0; i < 5; i++) {
		old[i] = inode(path);
		make_stale();
		expect(timeline_new(&tl, test_name, &small) == 0, "%s",
		    timeline_error());
		timeline_close(tl);
	}
	for (int n = 1; n <= 3; n++)
		expect(inode(kept_path(n)) == old[5 - n], "%s is another",
		    kept_path(n));
	expect(inode(kept_path(4)) == 0, "a fourth one was kept");
	expect(unlink(kept_path(1)) == 0 &&
		   (foreign = fopen(kept_path(1), "w")) != NULL,
	    "%s: %m", kept_path(1));
	fputs("another program's", foreign);
	fclose(foreign);
	old[0] = inode(kept_path(1));
	make_stale();
	expect(timeline_new(&tl, test_name, &small) == 0, "%s",
	    timeline_error());
	timeline_close(tl);
	expect(inode(kept_path(1)) == old[0] && inode(kept_path(2)) == old[3],
	    "a file of another program was replaced");
}

static void
remove_kept_ones(void)
{
	for (int n = 1; n <= 3 && getpid() == test_owner; n++)
		(void)unlink(kept_path(n));
}

/*
 * An invalid pointer.  A call that fails must replace the pointer by NULL, so
 * that closing it does no harm.
 */
static struct timeline *const before = (void *)(uintptr_t)1;

static void
expect_refused(int rc, const char *words)
{
	struct timeline *tl = before;
	const int opened = timeline_open(&tl, test_name);

	expect(opened == rc && strstr(timeline_error(), words), "%s: %d %s",
	    words, opened, timeline_error());
	expect(!tl, "%s: timeline_open leaves a pointer", words);
	if (rc == -ENOENT)
		return;
	tl = before;
	expect(timeline_new(&tl, test_name, &small) == rc &&
		   strstr(timeline_error(), words),
	    "%s: timeline_new says %s", words, timeline_error());
	expect(!tl, "%s: timeline_new leaves a pointer", words);
}

enum { PATIENCE_S = 120 };

static void
meet_the_lock(void *unused)
{
	struct timeline *tl = before;
	int rc;

	(void)unused;
	alarm(PATIENCE_S);
	rc = timeline_new(&tl, test_name, &small);
	expect(rc == -EBUSY && !tl && strstr(timeline_error(), "lock"),
	    "%d, %s", rc, timeline_error());
}

/*
 * timeline_new does not wait for a process that holds the lock of a stale file.
 */
static void
refuse_a_locked_stale_one(void)
{
	int fd;

	make_stale();
	fd = open(path, O_RDWR | O_CLOEXEC);
	expect(fd >= 0 && flock(fd, LOCK_EX) == 0, "flock: %m");
	expect_success(spawn(meet_the_lock, NULL));
	expect(access(path, F_OK) == 0, "removed a locked file");
	close(fd);
	one_round();
}

/*
 * A valid file but for its string table, which is full and defines nothing:
 * attaching cannot add the definitions that it needs.
 */
static void
refuse_a_full_table(void)
{
	struct timeline *tl;

	unlink(path);
	expect_ok(timeline_new(&tl, test_name, &small));
	memset(tl->strings, 0, tl->geometry.strings_size);
	tl->header->strings_tail = tl->geometry.strings_size;
	tl->header->newest = 0;
	timeline_close(tl);
	expect_refused(-ENOSPC, "string table is full");
	unlink(path);
}

static void
make_file(const void *data, size_t size)
{
	const int fd =
	    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	expect(fd >= 0 && write(fd, data, size) == (ssize_t)size, "%s: %m",
	    path);
	close(fd);
}

static void
refuse_what_is_no_file(void)
{
	unlink(path);
	expect_refused(-ENOENT, "No such file");
	expect(mkfifo(path, 0600) == 0, "mkfifo: %m");
	expect_refused(-EBADMSG, "not a regular file");
	unlink(path);
	expect(mkdir(path, 0700) == 0, "mkdir: %m");
	expect_refused(-EISDIR, "Is a directory");
	rmdir(path);
	expect(symlink("/dev/null", path) == 0, "symlink: %m");
	expect_refused(-ELOOP, "symbolic link");
	unlink(path);
}

static void
refuse_what_is_no_timeline(void)
{
	static const uint64_t magic = TIMELINE_MAGIC;
	static char text[8192] = "not a timeline at all";

	make_file("", 0);
	expect_refused(-EBADMSG, "not a timeline");
	make_file(text, 20);
	expect_refused(-EBADMSG, "not a timeline");
	make_file(text, sizeof(text));
	expect_refused(-EBADMSG, "not a timeline");
	expect(timeline_remove(test_name) == -EBADMSG,
	    "removed what is no timeline");
	make_file(&magic, sizeof(magic));
	expect_refused(-ENODATA, "truncated in its header");
}

/* Change one word of a valid file. */
static void
refuse_with(size_t at, uint64_t value, size_t size, int rc, const char *words)
{
	struct timeline *tl;
	int fd;

	unlink(path);
	expect_ok(timeline_new(&tl, test_name, &small));
	timeline_close(tl);
	fd = open(path, O_RDWR | O_CLOEXEC);
	expect(fd >= 0 && pwrite(fd, &value, size, (off_t)at) == (ssize_t)size,
	    "%s: %m", path);
	close(fd);
	expect_refused(rc, words);
}

#define FIELD(name) offsetof(struct timeline_header, name)

static void
refuse_other_versions(void)
{
	refuse_with(FIELD(magic), __builtin_bswap64(TIMELINE_MAGIC), 8, -EPROTO,
	    "byte order");
	refuse_with(FIELD(major), 3, 2, -EPROTO, "version 3");
	refuse_with(FIELD(incompat), 4, 8, -EPROTO, "features");
	refuse_with(FIELD(compat), UINT64_C(1) << 62, 8, -EPROTO,
	    "another version");
	refuse_with(FIELD(writer_abi), 9, 8, -EPROTO, "another version");
	refuse_with(FIELD(header_size), 8192, 4, -EPROTO, "header of 8192");
	refuse_with(FIELD(clock_kind), 7, 4, -EPROTO, "unknown clock");
	refuse_with(FIELD(tier_entries), 63, 8, -EBADMSG, "power of two");
	refuse_with(FIELD(total_size), UINT64_C(1) << 40, 8, -ENODATA,
	    "truncated");
}

static void
refuse_cut_and_saved(void)
{
	struct timeline *tl;
	char saved[sizeof(path) + 8];

	unlink(path);
	expect_ok(timeline_new(&tl, test_name, &small));
	snprintf(saved, sizeof(saved), "%s.saved", path);
	expect_ok(timeline_save(tl, saved));
	expect(truncate(path, (off_t)tl->geometry.total_size - 1) == 0,
	    "truncate: %m");
	timeline_close(tl);
	expect_refused(-ENODATA, "truncated");
	expect(rename(saved, path) == 0, "rename: %m");
	expect_refused(-EROFS, "saved");
	unlink(path);
}

/*
 * A process that attaches marks the clock suspect if the kernel no longer lists
 * the counter.  Without a list from the kernel the clock stays unmarked.
 */
static void
suspect_counter_is_told(void)
{
	const struct timeline_options tsc = { .entries = 64,
		.stringtablesize = 16384,
		.cpu_lanes = 1,
		.stamp = TIMELINE_STAMP_TSC };
	static const char *const texts[] = { NULL, "tsc hpet acpi_pm \n",
		"hpet acpi_pm \n" };
	const char *usual = tl_clock_sources_file;
	char list[sizeof(path) + 8];
	struct timeline *tl, *other;

	snprintf(list, sizeof(list), "%s.list", path);
	unlink(path);
	unlink(list);
	expect_ok(timeline_new(&tl, test_name, &tsc));
	tl->header->cpu_flags |= TIMELINE_CPU_CLOCKSOURCE_TSC;
	tl_clock_sources_file = list;
	for (int i = 0; i < 3; i++) {
		FILE *file = texts[i] ? fopen(list, "we") : NULL;

		expect(!texts[i] || (file && fputs(texts[i], file) >= 0 &&
					fclose(file) == 0),
		    "%s: %m", list);
		expect_ok(timeline_open(&other, test_name));
		expect(!!(tl->header->clock.flags & TIMELINE_KNOT_SUSPECT) ==
			   (i == 2),
		    "case %d: the flags of the clock are 0x%x", i,
		    tl->header->clock.flags);
		timeline_close(other);
	}
	tl_clock_sources_file = usual;
	unlink(list);
	timeline_close(tl);
	timeline_remove(test_name);
}

static void
expect_superseded(struct timeline *tl, int is, const char *by)
{
	expect(timeline_superseded(tl) == is, "%s: superseded is not %d", by,
	    is);
	timeline_close(tl);
}

static struct timeline *
open_small(void)
{
	struct timeline *tl;

	expect_ok(timeline_new(&tl, test_name, &small));
	expect(timeline_superseded(tl) == 0, "superseded at once");
	return tl;
}

/*
 * A process that has a file open can detect that the file lost its name, even
 * if the file has another name.
 */
static void
writers_know_of_removal(void)
{
	char other[sizeof(path) + 8];
	struct timeline *tl, *next;

	snprintf(other, sizeof(other), "%s.other", path);
	unlink(path);
	tl = open_small();
	expect(link(path, other) == 0, "link: %m");
	expect_ok(timeline_remove(test_name));
	expect_superseded(tl, 1, "timeline_remove");
	unlink(other);

	tl = open_small();
	expect(link(path, other) == 0, "link: %m");
	make_stale();
	next = open_small();
	expect_superseded(tl, 1, "another boot");
	unlink(other);

	expect(unlink(path) == 0, "unlink: %m");
	expect_superseded(next, 1, "rm");

	tl = open_small();
	expect(rename(path, other) == 0, "rename: %m");
	next = open_small();
	expect(rename(other, path) == 0, "rename: %m");
	expect_superseded(next, 1, "mv");
	expect_superseded(tl, 0, "its own mv");
	timeline_remove(test_name);
}

/*
 * Options count for the process that creates the file; for later processes the
 * geometry of the file wins.
 */
static void
geometry_stays(void)
{
	const struct timeline_options other = { .entries = 4096,
		.cpu_lanes = 3,
		.mode = 0644 };
	struct timeline *first, *second;
	struct stat st;

	expect_ok(timeline_new(&first, test_name, &small));
	expect_ok(timeline_new(&second, test_name, &other));
	expect(second->geometry.cpu_lanes == 1 && stat(path, &st) == 0 &&
		   (st.st_mode & 07777) == 0600,
	    "an attach changed the file");
	timeline_close(second);
	timeline_close(first);
	timeline_remove(test_name);
	umask(077);
	expect_ok(timeline_new(&first, test_name, &other));
	expect(stat(path, &st) == 0 && (st.st_mode & 07777) == 0644, "mode %o",
	    st.st_mode);
	timeline_close(first);
}

int
main(void)
{
	choose_test_name("attach");
	atexit(remove_kept_ones);
	snprintf(path, sizeof(path), "/dev/shm%s", test_name);
	/* an earlier run may have left a file that is no timeline */
	(void)remove(path);
	ready = share(sizeof(*ready));
	go = share(sizeof(*go));
	inodes = share(RACERS * sizeof(*inodes));
	bare_name();
	race_for_a_new_name();
	race_for_a_stale_one();
	remove_kept_ones();
	keep_stale_ones();
	refuse_a_locked_stale_one();
	refuse_a_full_table();
	refuse_what_is_no_file();
	refuse_what_is_no_timeline();
	refuse_other_versions();
	refuse_cut_and_saved();
	suspect_counter_is_told();
	writers_know_of_removal();
	geometry_stays();
	return 0;
}
