/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - make, remove and find instances of tracefs. */
#include "kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TRACEFS_MAGIC 0x74726163
#define LOCKDOWN      "/sys/kernel/security/lockdown"
/* From <sys/mount.h>, which older C libraries lack: */
#define OPEN_CLOEXEC  1
#define CONFIG_CREATE 6
#define MOUNT_CLOEXEC 1
#define ATTR_NOSUID   0x2
#define ATTR_NOEXEC   0x8

enum { REMOVE_TRIES = 500, REMOVE_PAUSE_MS = 10 };

static const char *const mount_points[] = { "/sys/kernel/tracing",
	"/sys/kernel/debug/tracing", NULL };
const char *const *tl_tracefs_paths = mount_points;

/* Mount tracefs without a place in any tree; the mount ends with its
 * descriptor.  Returns the descriptor or -errno. */
static int
mount_tracefs(void)
{
	const int context =
	    (int)syscall(SYS_fsopen, "tracefs", (unsigned)OPEN_CLOEXEC);
	int mount = -1;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, (unsigned)CONFIG_CREATE, NULL, NULL,
		0) == 0)
		mount =
		    (int)syscall(SYS_fsmount, context, (unsigned)MOUNT_CLOEXEC,
			(unsigned)(ATTR_NOSUID | ATTR_NOEXEC));
	if (mount < 0)
		mount = -errno;
	close(context);
	return mount;
}

/* Is the kernel locked down?  Kernels report a lockdown by different errors, at
 * different files. */
static bool
is_locked_down(void)
{
	char text[128];
	const int fd = open(LOCKDOWN, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, "[confidentiality]") != NULL;
}

static int
report_tracefs(int rc, struct tl_fault *fault)
{
	if (is_locked_down())
		return tl_fail(fault, rc,
		    "the kernel is locked down, which forbids tracefs: boot it "
		    "without lockdown=confidentiality");
	switch (rc) {
	case -EPERM:
	case -EACCES:
		return tl_fail(fault, rc,
		    "kernel events need root: run it with sudo");
	case -ENODEV:
	case -ENOENT:
	case -ENOSYS:
		return tl_fail(fault, -ENODEV,
		    "this kernel has no tracefs (CONFIG_TRACING), or this "
		    "container hides it: run it on the host");
	case -EROFS:
		return tl_fail(fault, rc,
		    "tracefs is mounted read-only (a container, or "
		    "ProtectKernelTunables): run it on the host, or mount "
		    "tracefs for writing");
	}
	return tl_fail(fault, rc, "tracefs: %s", strerror(-rc));
}

int
tl_instances_open(struct tl_fault *fault)
{
	struct statfs status;
	int root = -ENOENT;
	int fd;

	for (size_t i = 0; root < 0 && tl_tracefs_paths[i]; i++) {
		fd = open(tl_tracefs_paths[i],
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			root = -errno;
		else if (fd >= 0 && fstatfs(fd, &status) == 0 &&
			 status.f_type == TRACEFS_MAGIC)
			root = fd;
		else if (fd >= 0)
			close(fd);
	}
	if (root == -ENOENT && (root = mount_tracefs()) == -EPERM &&
	    geteuid() == 0)
		return tl_fail(fault, root,
		    "tracefs is not mounted, and without CAP_SYS_ADMIN it "
		    "cannot be: mount -t tracefs nodev /sys/kernel/tracing");
	if (root < 0)
		return report_tracefs(root, fault);
	fd = openat(root, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else if (faccessat(fd, ".", W_OK, 0) != 0) {
		const int rc = -errno;

		close(fd);
		fd = rc;
	}
	close(root);
	return fd < 0 ? report_tracefs(fd, fault) : fd;
}

/* Write a word to a file of a folder.  Returns 0 or -errno. */
static int
set(int folder, const char *path, const char *word)
{
	const int fd = openat(folder, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (word[0] && write(fd, word, strlen(word)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static void
turn_off(int folder)
{
	(void)set(folder, "tracing_on", "0");
	(void)set(folder, "events/enable", "0");
	(void)set(folder, "set_event_pid", "");
	(void)set(folder, "set_event_notrace_pid", "");
}

static int
open_folder(int instances, const char *name)
{
	return openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

unsigned
tl_instances_list(int instances,
    void (*each)(void *context, const char *name, bool held), void *context)
{
	const size_t size = sizeof(TL_INSTANCE_PREFIX) - 1;
	DIR *dir = fdopendir(dup(instances));
	struct dirent *entry;
	unsigned count = 0;

	if (!dir)
		return 0;
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		int fd;

		if (strncmp(entry->d_name, TL_INSTANCE_PREFIX, size) != 0 ||
		    (fd = open_folder(instances, entry->d_name)) < 0)
			continue;
		each(context, entry->d_name, flock(fd, LOCK_EX | LOCK_NB) != 0);
		close(fd);
		count++;
	}
	closedir(dir);
	return count;
}

/* Remove an instance.  Readers that were killed, or processes that look at the
 * instance, may be about to close their files, so a busy instance is tried
 * again. */
static int
remove_folder(int instances, const char *name)
{
	for (int n = 0;; n++) {
		if (unlinkat(instances, name, AT_REMOVEDIR) == 0)
			return 0;
		if (errno != EBUSY || n == REMOVE_TRIES)
			return -errno;
		(void)poll(NULL, 0, REMOVE_PAUSE_MS);
	}
}

struct removal {
	int instances;
	unsigned count;
};

static void
remove_one(void *context, const char *name, bool held)
{
	struct removal *r = context;
	const int fd = held ? -1 : open_folder(r->instances, name);

	if (fd < 0)
		return;
	turn_off(fd);
	close(fd);
	r->count += remove_folder(r->instances, name) == 0;
}

unsigned
tl_instances_remove_stale(int instances)
{
	struct removal r = { instances, 0 };

	tl_instances_list(instances, remove_one, &r);
	return r.count;
}

static int
enable_events(int folder, bool faults, struct tl_fault *fault)
{
	char path[80];
	int rc;

	for (size_t i = 0; i < TL_KERNEL_KNOWN; i++) {
		const struct tl_kernel_known *k = &tl_kernel_known[i];

		if (k->kind == TL_KERNEL_FAULT && !faults)
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/enable", k->system,
		    k->name);
		if ((rc = set(folder, path, "1")) != 0 &&
		    !(rc == -ENOENT && k->optional))
			return tl_fail(fault, rc, "%s: %s", path,
			    strerror(-rc));
	}
	return 0;
}

static int
set_up(struct tl_instance *i, const struct tl_kernel_plan *plan,
    struct tl_fault *fault)
{
	char number[32];
	int rc;

	/* first, because a change of the clock empties the buffer */
	if ((rc = set(i->folder, "tracing_on", "0")) != 0 ||
	    (rc = set(i->folder, "trace_clock", "x86-tsc")) != 0)
		return rc == -EINVAL
			   ? tl_fail(fault, -ENOTSUP,
				 "the kernel's trace clock cannot be x86-tsc "
				 "here")
			   : report_tracefs(rc, fault);
	snprintf(number, sizeof(number), "%lu", plan->size / 1024);
	if ((rc = set(i->folder, "buffer_size_kb", number)) != 0)
		return tl_fail(fault, rc,
		    "no room for a kernel buffer of %s KiB for each CPU: %s",
		    number, strerror(-rc));
	/* no real thread yet: an empty list would mean all threads */
	snprintf(number, sizeof(number), "%u", plan->client);
	if ((rc = set(i->folder, "set_event_pid", number)) != 0)
		return tl_fail(fault, rc, "set_event_pid: %s", strerror(-rc));
	(void)set(i->folder, "options/event-fork", "1");
	/* a full buffer keeps the newest events */
	(void)set(i->folder, "options/overwrite", "1");
	if (plan->quiet_client) /* kernels before 5.8 lack the list */
		(void)set(i->folder, "set_event_notrace_pid", number);
	i->release = openat(i->folder, "free_buffer", O_WRONLY | O_CLOEXEC);
	(void)set(i->folder, "options/disable_on_free", "1");
	return enable_events(i->folder, plan->faults, fault);
}

int
tl_instance_make(struct tl_instance *i, int instances,
    const struct tl_kernel_plan *plan, struct tl_fault *fault)
{
	int rc = 0;

	*i = (struct tl_instance){ .instances = instances,
		.folder = -1,
		.release = -1 };
	snprintf(i->name, sizeof(i->name), TL_INSTANCE_PREFIX "%s", plan->name);
	/* one start at a time: making and locking the folder is one step */
	while (flock(instances, LOCK_EX) != 0 && errno == EINTR)
		;
	tl_instances_remove_stale(instances);
	if (mkdirat(instances, i->name, 0700) != 0)
		rc = -errno;
	else if ((i->folder = open_folder(instances, i->name)) < 0 ||
		 flock(i->folder, LOCK_EX | LOCK_NB) != 0)
		rc = -errno;
	flock(instances, LOCK_UN);
	if (rc == -EEXIST)
		tl_fail(fault, rc = -EBUSY,
		    "kernel events are recorded for this timeline already "
		    "(instance %s)",
		    i->name);
	else if (rc != 0)
		report_tracefs(rc, fault);
	else if ((rc = set_up(i, plan, fault)) == 0)
		return 0;
	if (i->folder >= 0)
		tl_instance_remove(i);
	else
		close(instances);
	return rc;
}

int
tl_instance_remove(struct tl_instance *i)
{
	int rc;

	turn_off(i->folder);
	if (i->release >= 0)
		close(i->release);
	close(i->folder);
	rc = remove_folder(i->instances, i->name);
	close(i->instances);
	return rc;
}
