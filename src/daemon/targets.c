/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.c - find the timelines in /dev/shm, attach and detach.
 *
 * The folder is scanned 20 ms after a change in it (inotify; many new files
 * thus cost one scan) and every 5 seconds.
 */
#include "daemon/targets.h"

#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
	REFUSED_MAX = 4096, /* remembered, so that each is reported once */
	NAMES_MAX = 65536,  /* read in one scan */
	/* descriptors that a timeline may need, and those for everything
	 * else */
	FDS_OF_TARGET = 8,
	FDS_SPARE = 32
};

static const double delay_s = 0.02;
static const double rescan_s = 5.0;

/* A file that was refused, and its time of change. */
struct refused {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	/* The file is in use by another daemon or by a recording that ends:
	 * only the report is remembered, and each scan tries again. */
	bool busy;
	bool seen; /* in the current scan */
};

struct tl_targets {
	struct tl_daemon *daemon;
	char folder[PATH_MAX];
	int inotify;
	ev_io changed;
	ev_timer delay;
	ev_timer rescan;
	struct refused refused[REFUSED_MAX];
	size_t refused_count;
	bool is_full; /* no descriptors are left; it was reported */
};

/* The record of a file that was refused, or NULL. */
static struct refused *
find_refused(struct tl_targets *f, const struct stat *st)
{
	for (size_t i = 0; i < f->refused_count; i++) {
		struct refused *r = &f->refused[i];

		if (r->dev == st->st_dev && r->ino == st->st_ino &&
		    r->changed.tv_sec == st->st_ctim.tv_sec &&
		    r->changed.tv_nsec == st->st_ctim.tv_nsec)
			return r;
	}
	return NULL;
}

/* Remember a file and report the reason of the refusal (NULL: no report,
 * because the file is not a timeline). */
static void
refuse(struct tl_targets *f, const char *name, const struct stat *st,
    const char *why, bool busy)
{
	if (f->refused_count == REFUSED_MAX)
		return; /* a report would be repeated in each scan */
	f->refused[f->refused_count++] = (struct refused){ .dev = st->st_dev,
		.ino = st->st_ino,
		.changed = st->st_ctim,
		.busy = busy,
		.seen = true };
	if (!why)
		return;
	f->daemon->refused++;
	tl_daemon_log(TL_LOG_WARNING, "%s: not attached: %s", name, why);
}

/* Forget files that are gone. */
static void
forget_refused(struct tl_targets *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->refused_count; i++) {
		if (f->refused[i].seen)
			f->refused[kept++] = f->refused[i];
	}
	f->refused_count = kept;
	for (size_t i = 0; i < kept; i++)
		f->refused[i].seen = false;
}

static bool
is_in_group(gid_t gid)
{
	gid_t groups[1024];
	const int count = getgroups(1024, groups);

	if (gid == getegid())
		return true;
	for (int i = 0; i < count; i++) {
		if (groups[i] == gid)
			return true;
	}
	return false;
}

/* May this file be opened for writing?  Returns NULL, or the reason against
 * it. */
static const char *
refusal_of(const struct tl_config_timeline *config, const struct stat *st)
{
	const mode_t group = S_IRGRP | S_IWGRP;
	bool trusted = false;

	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (st->st_uid == geteuid())
		return NULL;
	for (size_t i = 0; i < config->owner_count; i++)
		trusted |= config->owners[i] == st->st_uid;
	if (!trusted)
		return "its owner is not trusted; see \"owners\"";
	if ((st->st_mode & group) != group || !is_in_group(st->st_gid))
		return "its mode does not let the daemon's group read and "
		       "write";
	return NULL;
}

static size_t
index_of(const struct tl_daemon *daemon, const char *name)
{
	size_t i = 0;

	while (i < daemon->target_count &&
	       strcmp(daemon->targets[i]->name, name) < 0)
		i++;
	return i;
}

struct tl_target *
tl_daemon_find(const struct tl_daemon *daemon, const char *name)
{
	const char *plain = name + (name[0] == '/');
	const size_t i = index_of(daemon, plain);

	if (i < daemon->target_count &&
	    strcmp(daemon->targets[i]->name, plain) == 0)
		return daemon->targets[i];
	return NULL;
}

static void
insert(struct tl_daemon *daemon, struct tl_target *target)
{
	const size_t i = index_of(daemon, target->name);

	memmove(&daemon->targets[i + 1], &daemon->targets[i],
	    (daemon->target_count - i) * sizeof(*daemon->targets));
	daemon->targets[i] = target;
	daemon->target_count++;
}

void
tl_targets_drop(struct tl_targets *targets, struct tl_target *target,
    const char *why)
{
	struct tl_daemon *d = targets->daemon;
	const size_t i = index_of(d, target->name);

	tl_daemon_log(TL_LOG_NOTICE, "%s: detached: %s", target->name, why);
	d->target_count--;
	memmove(&d->targets[i], &d->targets[i + 1],
	    (d->target_count - i) * sizeof(*d->targets));
	tl_target_close(target);
}

/* Attach to a file of the folder that a section names. */
static int
attach(struct tl_targets *f, const char *name,
    const struct tl_config_timeline *config, const struct stat *st,
    bool was_busy, struct tl_fault *fault)
{
	const char *why = refusal_of(config, st);
	struct tl_fault own = { 0 };
	struct tl_target *target;
	char path[PATH_MAX + NAME_MAX + 2];
	int rc;

	if (why) {
		refuse(f, name, st, why, false);
		return 0;
	}
	if (f->daemon->target_count == TL_TARGETS_MAX) {
		refuse(f, name, st, "too many timelines are attached", false);
		return 0;
	}
	if (!tl_fds_have_room(FDS_OF_TARGET + FDS_SPARE)) {
		if (!f->is_full)
			tl_daemon_log(TL_LOG_ERROR,
			    "%s and later timelines: not attached: no file "
			    "descriptors are left; raise LimitNOFILE= of the "
			    "unit, or ulimit -n",
			    name);
		f->is_full = true;
		return 0;
	}
	f->is_full = false;
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	rc = tl_target_open(&target, f->daemon, path, st, config, &own);
	if (rc == -EBUSY && was_busy)
		return 0;
	if (rc == -ENOENT || rc == -EAGAIN) /* removed or replaced meanwhile */
		return 0;
	if (rc != 0) {
		/* a file that is not a timeline is not reported */
		refuse(f, name, st, rc == -EBADMSG ? NULL : own.text,
		    rc == -EBUSY);
		if (rc == -EBUSY)
			return tl_fail(fault, rc, "%s: %s", name, own.text);
		return 0;
	}
	insert(f->daemon, target);
	tl_daemon_log(TL_LOG_NOTICE, "%s: attached", name);
	return 0;
}

/* Attach to, detach from or ignore one name of the folder. */
static int
scan_one(struct tl_targets *f, int folder, const char *name,
    struct tl_fault *fault)
{
	const struct tl_config_timeline *config =
	    tl_config_find(f->daemon->config, name);
	struct tl_target *target = tl_daemon_find(f->daemon, name);
	struct refused *refused;
	struct stat st;

	if (!config && !target)
		return 0;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0; /* removed meanwhile */
	if (target && (target->status.st_ino != st.st_ino ||
			  target->status.st_dev != st.st_dev)) {
		tl_targets_drop(f, target, "it was replaced by another file");
		target = NULL;
	}
	if (target || !config)
		return 0;
	if ((refused = find_refused(f, &st)) != NULL) {
		refused->seen = true;
		if (!refused->busy)
			return 0;
	}
	return attach(f, name, config, &st, refused != NULL, fault);
}

/* Detach from timelines that are gone; retry recordings of the others. */
static void
drop_lost(struct tl_targets *f)
{
	const char *why;

	for (size_t i = f->daemon->target_count; i-- > 0;) {
		struct tl_target *target = f->daemon->targets[i];

		if ((why = tl_target_fault(target)) != NULL)
			tl_targets_drop(f, target, why);
		else
			tl_target_retry(target);
	}
}

int
tl_targets_scan(struct tl_targets *targets, struct tl_fault *fault)
{
	DIR *folder = opendir(targets->folder);
	const struct dirent *entry;
	int rc = 0, one;

	drop_lost(targets);
	if (!folder)
		return tl_fail(fault, -errno, "%s: %s", targets->folder,
		    strerror(errno));
	for (int i = 0; i < NAMES_MAX && (entry = readdir(folder)); i++) {
		if (entry->d_name[0] == '.')
			continue;
		one = scan_one(targets, dirfd(folder), entry->d_name, fault);
		rc = rc ? rc : one;
	}
	closedir(folder);
	forget_refused(targets);
	return rc;
}

static int
create(struct tl_targets *f, const struct tl_config_timeline *config,
    struct tl_fault *fault)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct timeline *tl;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", f->folder, config->name);
	rc = timeline_new(&tl, path, &config->options);
	if (rc == -EXDEV) /* made by programs of another PID namespace */
		return 0;
	if (rc != 0)
		return tl_fail(fault, rc, "%s", timeline_error());
	timeline_close(tl);
	return 0;
}

int
tl_targets_create(struct tl_targets *targets, struct tl_fault *fault)
{
	const struct tl_config *config = targets->daemon->config;
	int rc = 0;

	for (size_t i = 0; i < config->timeline_count; i++) {
		const struct tl_config_timeline *t = &config->timelines[i];

		if (t->create && !tl_daemon_find(targets->daemon, t->name) &&
		    rc == 0)
			rc = create(targets, t, fault);
	}
	return rc;
}

void
tl_targets_configure(struct tl_targets *targets)
{
	struct tl_daemon *d = targets->daemon;

	for (size_t i = d->target_count; i-- > 0;) {
		struct tl_target *target = d->targets[i];
		const struct tl_config_timeline *config =
		    tl_config_find(d->config, target->name);

		struct tl_fault fault = { 0 };

		if (!config)
			tl_targets_drop(targets, target,
			    "no section names it any more");
		else if (tl_target_configure(target, config, &fault) != 0)
			tl_targets_drop(targets, target, fault.text);
	}
	/* an owner who was refused may be trusted now */
	targets->refused_count = 0;
}

static void
scan_again(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_targets *f = timer->data;
	struct tl_fault fault = { 0 };

	(void)events;
	if (timer == &f->delay)
		ev_timer_stop(loop, timer);
	tl_targets_scan(f, &fault);
}

static void
folder_changed(struct ev_loop *loop, ev_io *io, int events)
{
	struct tl_targets *f = io->data;
	char names[4096];

	(void)events;
	while (read(f->inotify, names, sizeof(names)) > 0)
		continue;
	if (!ev_is_active(&f->delay)) {
		ev_timer_set(&f->delay, delay_s, 0);
		ev_timer_start(loop, &f->delay);
	}
}

int
tl_targets_new(struct tl_targets **targets, struct tl_daemon *daemon,
    const char *folder, struct tl_fault *fault)
{
	struct tl_targets *f = calloc(1, sizeof(*f));

	if (!f)
		return tl_fail(fault, -ENOMEM, "out of memory");
	f->daemon = daemon;
	snprintf(f->folder, sizeof(f->folder), "%s",
	    folder ? folder : "/dev/shm");
	f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->inotify >= 0 &&
	    inotify_add_watch(f->inotify, f->folder,
		IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM |
		    IN_ATTRIB | IN_ONLYDIR) < 0) {
		close(f->inotify);
		f->inotify = -1; /* from now on only the timer scans */
	}
	ev_io_init(&f->changed, folder_changed, f->inotify, EV_READ);
	ev_timer_init(&f->delay, scan_again, delay_s, 0);
	ev_timer_init(&f->rescan, scan_again, rescan_s, rescan_s);
	f->changed.data = f->delay.data = f->rescan.data = f;
	if (f->inotify >= 0)
		ev_io_start(daemon->loop, &f->changed);
	ev_timer_start(daemon->loop, &f->rescan);
	*targets = f;
	return 0;
}

void
tl_targets_free(struct tl_targets *targets)
{
	struct tl_targets *f = targets;

	if (!f)
		return;
	while (f->daemon->target_count > 0)
		tl_target_close(f->daemon->targets[--f->daemon->target_count]);
	ev_io_stop(f->daemon->loop, &f->changed);
	ev_timer_stop(f->daemon->loop, &f->delay);
	ev_timer_stop(f->daemon->loop, &f->rescan);
	if (f->inotify >= 0)
		close(f->inotify);
	free(f);
}
