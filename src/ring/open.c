/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - attach to a file, replace a stale file, close, remove.
 *
 * The name may refer to a file of any kind and content.  The file is opened
 * without blocking and without following links, and is used only after every
 * check.
 */
#include "base/file.h"
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS_MAX = 8,
	LOCK_TRIES_MAX = 100, /* one second, with the pauses */
	LOCK_PAUSE_NS = 10000000,
	BOOTS_MAX = 3 /* files of earlier boots kept beside a file */
};

/* Check that the file is a regular file of this user, root, or the trusted
 * user. */
static int
check_owner(int fd, const char *path, uint32_t trusted_uid, uint64_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return tl_error(-errno, "%s: %m", path);
	if (!S_ISREG(st.st_mode))
		return tl_error(-EBADMSG, "%s is not a regular file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0 &&
	    (trusted_uid == 0 || st.st_uid != trusted_uid))
		return tl_error(-EPERM, "%s belongs to user %u", path,
		    (unsigned)st.st_uid);
	*size = (uint64_t)st.st_size;
	return 0;
}

static int
read_checked(int fd, const char *path, uint64_t size,
    struct timeline_header *header)
{
	struct tl_fault fault = { 0 };
	const int64_t n = tl_read_at(fd, header, sizeof(*header), 0);
	int rc;

	if (n < 0)
		return tl_error((int)n, "%s: %s", path, strerror((int)-n));
	if (n < (int64_t)sizeof(*header) && n >= (int64_t)sizeof(uint64_t) &&
	    header->magic == TIMELINE_MAGIC)
		return tl_error(-ENODATA, "%s: truncated in its header", path);
	if (n < (int64_t)sizeof(*header))
		return tl_error(-EBADMSG, "%s is not a timeline", path);
	rc = tl_layout_check(header, &fault);
	if (rc == 0)
		rc = tl_layout_check_writer(header, size, &fault);
	if (rc != 0)
		tl_error(rc, "%s: byte %llu: %s", path,
		    (unsigned long long)fault.at, fault.text);
	return rc;
}

/* Is the counter allowed?  If rdtsc is forbidden, rdtsc kills the process, and
 * so does clock_gettime, which reads the same counter in user space. */
bool
tl_clock_is_allowed(void)
{
	int mode = PR_TSC_ENABLE;

	return prctl(PR_GET_TSC, &mode, 0UL, 0UL, 0UL) != 0 ||
	       mode == PR_TSC_ENABLE;
}

/* Check that the stamps of this process continue the stamps of the file. */
static int
check_clock(const char *path, const struct timeline_header *header)
{
	uint8_t id[16];

	switch (tl_boot_of(header)) {
	case TL_BOOT_THIS:
		break;
	case TL_BOOT_OTHER:
		return tl_error(-ESTALE, "%s is from before the last boot",
		    path);
	case TL_BOOT_UNKNOWN:
		return tl_boot_id(id)
			   ? tl_error(-ENOTSUP,
				 "%s: it was made by a process that could not "
				 "read the boot id: remove it with timelinectl "
				 "remove",
				 path)
			   : tl_error(-ENOTSUP,
				 "%s: cannot tell whether it is of this boot: "
				 "%s cannot be read: mount all of /proc "
				 "(systemd: ProcSubset=all)",
				 path, tl_boot_id_file);
	}
	if (!tl_clock_is_allowed())
		return tl_error(-ENOTSUP,
		    "%s: this process may not read the counter of its CPU",
		    path);
	return 0;
}

const struct tl_map_guard *tl_map_guard;

/* Map the file and add the guard.  The region of timers is not populated,
 * because it has holes for timers that are not defined.  0 or -errno. */
static int
map_file(struct timeline *tl, int fd, const struct timeline_header *h)
{
	const uint64_t size = h->total_size;
	const uint64_t dense = tl_layout_dense(h);
	const int access = PROT_READ | PROT_WRITE;
	void *const at = tl_area_map(tl, size);
	struct stat st;
	void *map;

	tl->guard = -1;
	if (!at)
		return tl_error(-ENOMEM, "no memory to map a timeline");
	map = mmap(at, size, access, MAP_SHARED | MAP_FIXED, fd, 0);
	/* MAP_POPULATE would allocate missing pages, as many as a sparse file
	 * claims to have */
	if (map != MAP_FAILED && fstat(fd, &st) == 0 &&
	    tl_file_used(&st) >= dense &&
	    mmap(map, dense, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
		0) == MAP_FAILED)
		map = MAP_FAILED;
	if (map == MAP_FAILED) {
		tl_area_unmap(tl);
		return tl_error(-ENOMEM, "no memory to map a timeline");
	}
	if (tl_map_guard)
		tl->guard = tl_map_guard->add(map, size);
	if (tl_map_guard && tl->guard < 0) {
		tl_area_unmap(tl);
		return tl_error(tl->guard, "too many timelines are open");
	}
	tl->map = map;
	return 0;
}

static uint64_t maps; /* number of mappings made so far */

int
tl_map(struct timeline **out, int fd, const struct timeline_header *header)
{
	struct timeline *tl = calloc(1, sizeof(*tl));
	uint64_t count;
	int rc = tl ? map_file(tl, fd, header)
		    : tl_error(-ENOMEM, "no memory for a timeline");

	if (rc != 0) {
		free(tl);
		close(fd);
		return rc;
	}
	/* two copies of the library in one process make different numbers */
	count = tl_fetch_add_64(&maps, 1);
	tl->number =
	    (count + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)&maps;
	tl->number += tl->number == 0;
	tl->fd = fd;
	tl->geometry = *header;
	tl->header = (struct timeline_header *)(void *)tl->map;
	tl->strings = tl->map + header->strings_offset;
	tl->calibrate = (struct tl_calibrate){
		.header = tl->header,
		.knots = (void *)(tl->map + header->knots_offset),
		.knots_max = header->knots_max,
		.source = tl_clock_source(header->clock_kind),
	};
	tl->use_rseq =
	    header->clock_kind == TIMELINE_CLOCK_TSC && tl_rseq_usable();
	if (tl_strings_open(tl) != 0) {
		timeline_close(tl);
		return tl_error(-ENOMEM, "no memory for an index");
	}
	tl->ids = tl_ids_offset(tl_is_elsewhere(header)
				    ? TL_IDS_NONE
				    : (unsigned)(count % TL_IDS_TIMELINES));
	tl_names_open(tl);
	tl_exits_add(tl);
	tl_names_copy(tl);
	tl_stay_loaded();
	*out = tl;
	return 0;
}

/* Open a file for writing and check its header.  Returns the descriptor or
 * -errno. */
static int
open_checked(const char *path, uint32_t trusted_uid, bool of_any_namespace,
    struct timeline_header *header)
{
	uint64_t size = 0;
	int rc;
	const int fd =
	    open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return tl_error(-errno, "%s: %m", path);
	if ((rc = check_owner(fd, path, trusted_uid, &size)) != 0 ||
	    (rc = read_checked(fd, path, size, header)) != 0 ||
	    (rc = check_clock(path, header)) != 0) {
		close(fd);
		return rc;
	}
	/* pids and tids are those of a namespace */
	if (!of_any_namespace && tl_is_elsewhere(header)) {
		close(fd);
		return tl_error(-EXDEV,
		    "%s belongs to another PID namespace: share the namespace "
		    "(docker run --pid, shareProcessNamespace of Kubernetes) "
		    "or give this program a timeline of another name; "
		    "timeline-dump merges both",
		    path);
	}
	return fd;
}

static int
attach(struct timeline **out, const char *path, uint32_t trusted_uid,
    bool of_any_namespace)
{
	struct timeline_header header;
	struct timeline *tl;
	uint8_t id[16];
	int fd, rc;

	tl_boot_id(id); /* cache the id while a descriptor is free */
	fd = open_checked(path, trusted_uid, of_any_namespace, &header);
	if (fd < 0)
		return fd;
	if ((rc = tl_map(&tl, fd, &header)) != 0)
		return rc;
	/* has the kernel marked the counter unstable since it was created? */
	tl->calibrate.suspect =
	    header.clock_kind == TIMELINE_CLOCK_TSC &&
	    (header.cpu_flags & TIMELINE_CPU_CLOCKSOURCE_TSC) &&
	    tl_clock_kernel_lists_tsc() == 0;
	if ((rc = tl_define_builtins(tl)) != 0) {
		timeline_close(tl);
		return rc;
	}
	tl_clock_visit(tl);
	*out = tl;
	return 0;
}

int
tl_attach(struct timeline **tl, const char *path, uint32_t trusted_uid)
{
	return attach(tl, path, trusted_uid, true);
}

/* Is the file still a file of another boot?  Another process may have created a
 * new file with this name meanwhile. */
static bool
is_stale(int fd)
{
	struct timeline_header header;

	return tl_read_at(fd, &header, sizeof(header), 0) ==
		   (int64_t)sizeof(header) &&
	       header.magic == TIMELINE_MAGIC &&
	       tl_boot_of(&header) == TL_BOOT_OTHER;
}

/* Lock a file, with a limit in time: timeline holds this lock only for a
 * moment, but any program may hold it.  0; -EBUSY: the file remains locked;
 * -errno. */
static int
lock_briefly(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES_MAX; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

/* Mark a file that has lost its name, for the programs that have the file
 * open. */
static void
mark_superseded(int fd)
{
	const uint64_t mark = 1;
	struct timeline_header header;

	if (tl_read_at(fd, &header, sizeof(header), 0) ==
		(int64_t)sizeof(header) &&
	    header.magic == TIMELINE_MAGIC && header.major == TIMELINE_MAJOR &&
	    header.state == TIMELINE_LIVE)
		(void)tl_write_at(fd, &mark, sizeof(mark),
		    offsetof(struct timeline_header, superseded));
}

/* May a kept file get this path?  The path must be free, or hold a file that
 * was kept earlier. */
static bool
may_keep_at(const char *path)
{
	const int fd =
	    open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	const bool is_free = fd < 0 ? errno == ENOENT : is_stale(fd);

	if (fd >= 0)
		close(fd);
	return is_free;
}

/*
 * Rename a file of another boot to NAME.1, rename an older NAME.1 to NAME.2,
 * and so on up to BOOTS_MAX; the oldest file is removed.  false: another file
 * has one of these names.
 */
static bool
keep_stale(const char *path)
{
	char kept[BOOTS_MAX + 1][TL_PATH_MAX + 12];
	int n = 0;

	(void)snprintf(kept[0], sizeof(kept[0]), "%s", path);
	do {
		n++;
		(void)snprintf(kept[n], sizeof(kept[n]), "%s.%d", path, n);
		if (!may_keep_at(kept[n]))
			return false;
	} while (n < BOOTS_MAX && access(kept[n], F_OK) == 0);
	while (n > 0 && rename(kept[n - 1], kept[n]) == 0)
		n--;
	return n == 0;
}

/*
 * Take the name from a file of another boot, which is kept under another name.
 * The lock on the old file prevents two processes from removing each other's
 * new file.
 */
static int
replace_stale(const char *path)
{
	struct stat opened;
	struct stat named;
	uint8_t id[16];
	int rc = 0;
	int fd;

	/* The cached id may be from an earlier boot (checkpoint, migration). */
	tl_boot_id_read(id);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (is_stale(fd) && (rc = lock_briefly(fd)) == 0 &&
	    fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
	    opened.st_ino == named.st_ino && opened.st_dev == named.st_dev &&
	    (keep_stale(path) || unlink(path) == 0))
		mark_superseded(fd);
	close(fd);
	if (rc != 0)
		tl_error(rc,
		    "%s is from before the last boot, and a process holds a "
		    "lock on it: end that process or remove the file",
		    path);
	return rc;
}

static int
bad_path(int rc, const char *path)
{
	return path ? tl_error(rc, "bad path \"%s\"", path)
		    : tl_error(rc, "the path is NULL");
}

int
timeline_new(struct timeline **tl, const char *path,
    const struct timeline_options *options)
{
	static const struct timeline_options defaults;
	const struct timeline_options *o = options ? options : &defaults;
	struct timeline *named;
	char resolved[TL_PATH_MAX];
	int rc = tl_name_path(path, resolved);

	*tl = NULL;
	if (rc != 0)
		return bad_path(rc, path);
	for (int round = 0; round < ROUNDS_MAX; round++) {
		rc = attach(tl, resolved, o->trusted_uid, false);
		if (rc == -ESTALE)
			rc = replace_stale(resolved);
		else if (rc == -ENOENT)
			rc = 0;
		else
			return rc;
		if (rc != 0)
			return rc;
		rc = tl_create(tl, resolved, o);
		/* The file got its name after it was mapped.  It is mapped
		 * again by its name, because a core names its mappings. */
		if (rc == 0 &&
		    attach(&named, resolved, o->trusted_uid, false) == 0) {
			timeline_close(*tl);
			*tl = named;
		}
		if (rc != -EEXIST)
			return rc;
	}
	return rc;
}

int
timeline_open(struct timeline **tl, const char *path)
{
	char resolved[TL_PATH_MAX];
	int rc = tl_name_path(path, resolved);

	*tl = NULL;
	if (rc != 0)
		return bad_path(rc, path);
	return attach(tl, resolved, 0, false);
}

void
timeline_close(struct timeline *tl)
{
	if (!tl)
		return;
	tl_exits_remove(tl);
	tl_strings_close(tl);
	if (tl->guard >= 0)
		tl_map_guard->remove(tl->guard);
	tl_area_unmap(tl);
	close(tl->fd);
	free(tl);
}

int
timeline_superseded(const struct timeline *tl)
{
	struct stat st;

	if (!tl)
		return -EINVAL;
	if (tl_load_64(&tl->header->superseded) != 0)
		return 1;
	return fstat(tl->fd, &st) == 0 && st.st_nlink == 0;
}

/* Open a timeline to remove it: for writing, which the mark needs, if
 * permitted. */
static int
open_to_remove(const char *path)
{
	const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, O_RDWR | flags);

	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
		fd = open(path, O_RDONLY | flags);
	return fd < 0 ? -errno : fd;
}

int
timeline_remove(const char *path)
{
	char resolved[TL_PATH_MAX];
	uint64_t magic = 0;
	struct stat st, after;
	int rc = tl_name_path(path, resolved);
	int fd;

	if (rc != 0)
		return bad_path(rc, path);
	if ((fd = open_to_remove(resolved)) < 0)
		return tl_error(fd, "%s: %s", path, strerror(-fd));
	rc = (int)tl_read_at(fd, &magic, sizeof(magic), 0);
	if (rc < 0)
		tl_error(rc, "%s: %s", path, strerror(-rc));
	else if (magic != TIMELINE_MAGIC)
		rc = tl_error(-EBADMSG, "%s is not a timeline", path);
	else if (fstat(fd, &st) != 0 || unlink(resolved) != 0)
		rc = tl_error(-errno, "%s: %m", path);
	else if (fstat(fd, &after) == 0 && after.st_nlink < st.st_nlink)
		/* otherwise the removed name belonged to another file */
		mark_superseded(fd);
	close(fd);
	return rc < 0 ? rc : 0;
}
