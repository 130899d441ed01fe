/* SPDX-License-Identifier: Apache-2.0 */
/*
 * create.c - create a file that has its name only when it is complete.
 *
 *	unnamed file (O_TMPFILE) -> allocate -> header, clock, builtin messages
 *	-> mode -> link
 *
 * If the file system has no O_TMPFILE, or /proc is not mounted, a temporary
 * name is used until the link is made.
 */
#include "base/file.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* linkat(2) needs this path to link an unnamed file. */
#define DESCRIPTORS "/proc/self/fd"

struct new_file {
	int fd;
	char temporary[TL_PATH_MAX]; /* "": the file is unnamed */
};

static void
read_word(const char *path, char *text, size_t size)
{
	tl_read_start(text, size, "%s", path);
	text[strcspn(text, "\n")] = '\0';
}

static void
fill_creator(struct timeline_header *h)
{
	struct stat timens;
	char id[40] = ""; /* the file may be missing or short */
	unsigned byte;

	h->created_ns = tl_clock_read(CLOCK_REALTIME);
	h->creator_pid = (uint32_t)getpid();
	h->creator_uid = (uint32_t)geteuid();
	tl_boot_id(h->boot_id);
	read_word("/etc/machine-id", id, sizeof(id));
	for (size_t i = 0; i < 16; i++)
		if (sscanf(id + 2 * i, "%2x", &byte) == 1)
			h->machine_id[i] = (uint8_t)byte;
	gethostname(h->creator_host, sizeof(h->creator_host) - 1);
	read_word("/proc/self/comm", h->creator_command,
	    sizeof(h->creator_command));
	if (stat("/proc/self/ns/time", &timens) == 0)
		h->timens_inode = timens.st_ino;
	h->pidns_inode = tl_pidns();
}

static int
choose_clock(struct timeline_header *h, uint32_t stamp)
{
	uint32_t kind;

	if (!tl_clock_is_allowed())
		return tl_error(-ENOTSUP,
		    "this process may not read the counter of its CPU");
	kind = tl_clock_choose(&h->cpu_flags);
	switch (stamp) {
	case TIMELINE_STAMP_AUTO:
		h->clock_kind = kind;
		return 0;
	case TIMELINE_STAMP_TSC:
		h->clock_kind = TIMELINE_CLOCK_TSC;
		return 0;
	case TIMELINE_STAMP_REALTIME:
		h->clock_kind = TIMELINE_CLOCK_REALTIME;
		return 0;
	}
	return tl_error(-EINVAL, "no such kind of stamp: %u", stamp);
}

static int
plan_header(struct timeline_header *h, const struct timeline_options *options)
{
	int rc;

	if ((rc = choose_clock(h, options->stamp)) != 0)
		return rc;
	if ((rc = tl_layout_plan(h, options, tl_rseq_usable())) != 0)
		return rc == -EFBIG
			   ? tl_error(rc,
				 "cannot make a timeline of that size: a lane "
				 "has at most 2G entries, and the table of "
				 "strings 2G bytes")
			   : tl_error(rc,
				 "cannot make a timeline with so many lanes: "
				 "at most %u, in 1 or 2 tiers",
				 TIMELINE_LANES_MAX);
	h->levels = TIMELINE_LEVEL_MIN | TIMELINE_LEVEL_MIN
					     << TIMELINE_LEVELS_BASE;
	h->strings_tail = TIMELINE_STRINGS_START;
	fill_creator(h);
	h->created_tsc = tl_clock_now(h->clock_kind);
	return 0;
}

static int
open_named(struct new_file *file, const char *path)
{
	if (snprintf(file->temporary, TL_PATH_MAX, "%s.XXXXXX", path) >=
	    TL_PATH_MAX)
		return -ENAMETOOLONG;
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	return file->fd < 0 ? -errno : 0;
}

static int
open_unnamed(struct new_file *file, const char *path)
{
	char directory[TL_PATH_MAX];
	const char *slash = strrchr(path, '/');
	const size_t size = slash ? (size_t)(slash - path) : 0;

	file->temporary[0] = '\0';
	/* an unnamed file could not be linked */
	if (access(DESCRIPTORS, F_OK) != 0)
		return open_named(file, path);
	if (!slash)
		strcpy(directory, ".");
	else if (size == 0)
		strcpy(directory, "/");
	else
		snprintf(directory, sizeof(directory), "%.*s", (int)size, path);
	file->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->fd < 0 &&
	    (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		return open_named(file, path);
	return file->fd < 0 ? -errno : 0;
}

static int
give_name(const struct new_file *file, const char *path)
{
	char self[64];
	const char *from = file->temporary;

	if (!from[0]) {
		snprintf(self, sizeof(self), DESCRIPTORS "/%d", file->fd);
		from = self;
	}
	if (linkat(AT_FDCWD, from, AT_FDCWD, path,
		file->temporary[0] ? 0 : AT_SYMLINK_FOLLOW) != 0)
		return -errno;
	return 0;
}

static int
allocate(int fd, const struct timeline_header *h)
{
	int rc = tl_file_reserve(fd, 0, tl_layout_dense(h));

	if (rc == 0)
		rc = tl_file_resize(fd, h->total_size);
	if (rc == 0)
		rc = tl_write_at(fd, h, sizeof(*h), 0);
	return rc;
}

/* Fill the file.  No other process can open the file yet. */
static int
fill(struct timeline **tl, int fd, const struct timeline_header *h,
    uint32_t mode)
{
	int rc;

	if ((rc = tl_map(tl, fd, h)) != 0)
		return rc;
	if ((rc = tl_calibrate_first(&(*tl)->calibrate)) != 0)
		tl_error(rc, "the clock of this machine cannot be read");
	if (rc == 0)
		rc = tl_define_builtins(*tl);
	if (rc == 0 && fchmod((*tl)->fd, mode ? mode : 0600) != 0)
		rc = tl_error(-errno, "cannot set its mode: %m");
	if (rc != 0)
		timeline_close(*tl);
	return rc;
}

int
tl_create(struct timeline **out, const char *path,
    const struct timeline_options *options)
{
	struct timeline_header header = { 0 };
	struct timeline *tl;
	struct new_file file;
	int rc;

	if ((rc = plan_header(&header, options)) != 0)
		return rc;
	if (!tl_boot_is_known(header.boot_id))
		return tl_error(-ENOTSUP,
		    "cannot create %s: no process could tell whether it is of "
		    "this boot: %s cannot be read: mount all of /proc "
		    "(systemd: ProcSubset=all)",
		    path, tl_boot_id_file);
	if ((rc = open_unnamed(&file, path)) != 0)
		return tl_error(rc, "cannot create %s: %s", path,
		    strerror(-rc));
	if ((rc = allocate(file.fd, &header)) != 0) {
		tl_error(rc, "no room for %s (%llu bytes): %s", path,
		    (unsigned long long)tl_layout_dense(&header),
		    tl_file_error(rc));
		close(file.fd);
	} else if ((rc = fill(&tl, file.fd, &header, options->mode)) == 0) {
		rc = give_name(&file, path);
		if (rc != 0) {
			tl_error(rc, "cannot link %s: %s", path, strerror(-rc));
			timeline_close(tl);
		} else {
			*out = tl;
		}
	}
	if (file.temporary[0])
		unlink(file.temporary);
	return rc;
}
