/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.c - look for timelines, and follow each until it is removed
 */
#include "ship/run.h"

#include "base/file.h"
#include "snap/shm.h"
#include "trace/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* == names and globs == */

#define SHM "/dev/shm/"

/* The name of a path: for a file of /dev/shm without the folder. */
static const char *
name_of(const char *path)
{
	const size_t size = strlen(SHM);

	if (strncmp(path, SHM, size) == 0 && !strchr(path + size, '/'))
		return path + size;
	return path;
}

/* == sources == */

struct source {
	char name[TL_BLOCK_NAME_MAX];
	struct tl_feed *feed; /* NULL: it is not followed */
	struct tl_spool_chain *kept;
	dev_t device; /* of the file last opened */
	ino_t inode;
	int reported;   /* the last fault reported; 0: none */
	uint64_t found; /* number of the last scan that found it */
};

struct tl_ship_sources {
	struct tl_spool *spool;
	const char *const *names;
	size_t name_count;
	struct tl_feed_options options;
	uint64_t scans; /* counted from 1; what appears later is new */
	bool too_many;
	struct source *items[TL_SOURCES_MAX];
	size_t count;
	uint64_t entries; /* of timelines that have ended */
	uint64_t lost;
};

int
tl_ship_sources_new(struct tl_ship_sources **sources, struct tl_spool *spool,
    const char *const *names, size_t count,
    const struct tl_feed_options *options)
{
	struct tl_ship_sources *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->spool = spool;
	s->names = names;
	s->name_count = count;
	s->options = *options;
	rc = tl_recorder_readers_new(&s->options.readers);
	if (rc < 0)
		free(s);
	else
		*sources = s;
	return rc;
}

/* == one timeline == */

/* A free place, or that of a timeline that the last two scans did not find.
 * NULL: there is none. */
static struct source *
make_room(struct tl_ship_sources *s)
{
	if (s->count < TL_SOURCES_MAX) {
		struct source *added = calloc(1, sizeof(*added));

		if (added)
			s->items[s->count++] = added;
		return added;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct source *gone = s->items[i];

		if (gone->feed || gone->found + 1 >= s->scans)
			continue;
		if (gone->kept)
			tl_spool_chain_leave(gone->kept);
		memset(gone, 0, sizeof(*gone));
		return gone;
	}
	return NULL;
}

static struct source *
find_source(const struct tl_ship_sources *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->items[i]->name, name) == 0)
			return s->items[i];
	return NULL;
}

/* Follow the file of this name, unless it is the one already tried. */
static int
follow_file(struct tl_ship_sources *s, struct source *source, int fd,
    struct tl_fault *fault)
{
	struct tl_feed_options options = s->options;
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (source->device == st.st_dev && source->inode == st.st_ino)
		return source->reported;

	options.all |= s->scans > 1;
	if (!source->kept)
		rc = tl_spool_chain(&source->kept, s->spool, options.host,
		    source->name, fault);
	if (rc == 0)
		rc = tl_feed_start(&source->feed, source->kept, source->name,
		    fd, &options, fault);
	/* The others pass: it is being created, or a resource is short. */
	if (rc != -EAGAIN && rc != -EMFILE && rc != -ENFILE && rc != -ENOMEM) {
		source->device = st.st_dev;
		source->inode = st.st_ino;
	}
	return rc == -EAGAIN ? source->reported : rc;
}

/* Does the glob match a file that is not a timeline? */
static bool
is_other(const char *path, int fd, bool globbed)
{
	struct stat st;

	if (strlen(name_of(path)) >= TL_BLOCK_NAME_MAX)
		return true;
	if (!globbed)
		return false;
	return fd >= 0 ? !tl_is_timeline(fd)
		       : stat(path, &st) != 0 || !tl_may_be_timeline(&st);
}

/* Begin to follow a timeline.  rc: the error of opening its file, or 0. */
static void
begin(struct tl_ship_sources *s, const char *path, int fd, int rc)
{
	struct source *source = find_source(s, name_of(path));
	struct tl_fault fault = { 0 }, missing = { 0 };
	const char *words, *end = "";

	if (!source && (source = make_room(s)))
		snprintf(source->name, sizeof(source->name), "%s",
		    name_of(path));
	s->too_many |= !source;
	if (!source)
		return;
	source->found = s->scans;
	if (rc == 0)
		rc = follow_file(s, source, fd, &fault);

	/* Report a fault once, and its end. */
	if (rc == source->reported)
		return;
	source->reported = rc;
	words = fault.text[0] ? fault.text : tl_file_error(rc);
	if (rc == -ENOENT) {
		tl_shm_no_such(source->name, &missing);
		words = missing.text;
		end = " (waiting for it)";
	}
	tl_report_write(s->options.report, rc, TL_FAULT_NOWHERE, "%s: %s%s",
	    source->name, rc < 0 ? words : "followed now", end);
}

/* Visit a path; globbed: it matched a glob, and may be any file.  The file of a
 * timeline that is followed is not opened: a scan costs as much as its new
 * files. */
static void
visit(struct tl_ship_sources *s, const char *path, bool globbed)
{
	struct source *known = find_source(s, name_of(path));
	int fd, rc;

	if (known && known->feed) {
		known->found = s->scans;
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	rc = fd < 0 ? -errno : 0;
	if (!is_other(path, fd, globbed))
		begin(s, path, fd, rc);
	if (fd >= 0)
		close(fd);
}

/* == all timelines == */

void
tl_ship_sources_scan(struct tl_ship_sources *s)
{
	const bool before = s->too_many;
	char path[TL_PATH_MAX];
	glob_t paths;
	struct tl_feed_status status;

	/* Release the feeds of timelines that have ended. */
	for (size_t i = 0; i < s->count; i++) {
		struct source *source = s->items[i];

		if (source->feed)
			tl_feed_status(source->feed, &status);
		if (!source->feed || !status.done)
			continue;
		if (status.rc < 0)
			tl_report_write(s->options.report, status.rc,
			    TL_FAULT_NOWHERE, "%s: following it failed: %s",
			    source->name, tl_file_error(status.rc));
		s->entries += status.entries;
		s->lost += status.lost;
		tl_feed_free(source->feed);
		source->feed = NULL;
	}
	s->too_many = false;
	s->scans++;

	/* Expand "app", "/app", "/run/x.tl" or "web*".  A name without a slash
	 * is in /dev/shm.  A name that is not a glob is visited even if no such
	 * file exists. */
	for (size_t i = 0; i < s->name_count; i++) {
		if (tl_name_path(s->names[i], path) != 0)
			continue;
		if (!strpbrk(s->names[i], "*?[")) {
			visit(s, path, false);
			continue;
		}
		if (glob(path, 0, NULL, &paths) != 0)
			continue;
		for (size_t k = 0; k < paths.gl_pathc; k++)
			visit(s, paths.gl_pathv[k], true);
		globfree(&paths);
	}
	if (s->too_many && !before)
		tl_report_write(s->options.report, -ENOSPC, TL_FAULT_NOWHERE,
		    "more than %d timelines match: the others are not shipped",
		    TL_SOURCES_MAX);
}

void
tl_ship_sources_status(struct tl_ship_sources *s,
    struct tl_ship_sources_status *status)
{
	*status = (struct tl_ship_sources_status){ .entries = s->entries,
		.lost = s->lost };
	for (size_t i = 0; i < s->count; i++) {
		struct tl_feed_status one;

		if (!s->items[i]->feed)
			continue;
		tl_feed_status(s->items[i]->feed, &one);
		status->count++;
		status->entries += one.entries;
		status->lost += one.lost;
	}
}

void
tl_ship_sources_stop(struct tl_ship_sources *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i]->feed)
			tl_feed_stop(s->items[i]->feed);
}

bool
tl_ship_sources_are_done(struct tl_ship_sources *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct tl_feed_status one;

		if (!s->items[i]->feed)
			continue;
		tl_feed_status(s->items[i]->feed, &one);
		if (!one.done)
			return false;
	}
	return true;
}

void
tl_ship_sources_free(struct tl_ship_sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		tl_feed_free(s->items[i]->feed);
		free(s->items[i]);
	}
	tl_recorder_crew_free(s->options.readers);
	free(s);
}
