/* SPDX-License-Identifier: Apache-2.0 */
/* shm.c - find the timelines in /dev/shm, by their first bytes. */
#include "snap/shm.h"

#include "base/file.h"
#include "base/options.h"
#include "event/message.h"
#include "snap/inspect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHM "/dev/shm"

enum {
	/* a header, lanes, knots and strings, in whole pages */
	SIZE_MIN = 16 * TIMELINE_PAGE_SIZE,
	FILES_MAX = 65536, /* files in the directory */
	LISTED_MAX = 1024,
	NAME_SIZE = NAME_MAX + 2,
	NAME_COLUMN = 24,
	SIZE_COLUMN = 8
};

bool
tl_begins_timeline(struct tl_bytes first)
{
	uint64_t magic;

	if (first.size < sizeof(magic))
		return false;
	memcpy(&magic, first.data, sizeof(magic));
	return magic == TIMELINE_MAGIC ||
	       magic == __builtin_bswap64(TIMELINE_MAGIC);
}

bool
tl_is_timeline(int fd)
{
	char first[sizeof(uint64_t)];

	return tl_read_at(fd, first, sizeof(first), 0) == sizeof(first) &&
	       tl_begins_timeline(tl_bytes(first, sizeof(first)));
}

bool
tl_may_be_timeline(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_size >= SIZE_MIN &&
	       status->st_size % TIMELINE_PAGE_SIZE == 0;
}

/* Open a timeline.  -1: it cannot be read, or is not a timeline. */
static int
open_timeline(int directory, const char *name)
{
	const int fd = openat(directory, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && tl_is_timeline(fd))
		return fd;
	close(fd);
	return -1;
}

/* Call found() with each readable timeline, in any order: with its name after a
 * slash, and with its descriptor, which is closed afterwards.  0; the first
 * result of found() that is not 0; -errno. */
static int
for_each(int (*found)(void *context, const char *name, int fd), void *context)
{
	DIR *directory = opendir(SHM);
	const struct dirent *entry;
	char name[NAME_SIZE] = "/";
	int rc = 0;

	if (!directory)
		return -errno;
	for (int i = 0; rc == 0 && i < FILES_MAX; i++) {
		int fd;

		if (!(entry = readdir(directory)))
			break;
		fd = open_timeline(dirfd(directory), entry->d_name);
		if (fd < 0)
			continue;
		memcpy(name + 1, entry->d_name,
		    strnlen(entry->d_name, NAME_MAX) + 1);
		rc = found(context, name, fd);
		close(fd);
	}
	closedir(directory);
	return rc;
}

static int
try_name(void *context, const char *name, int fd)
{
	(void)fd;
	tl_near_try(context, name);
	return 0;
}

int
tl_shm_no_such(const char *name, struct tl_fault *fault)
{
	char slashed[NAME_SIZE + 1] = "/";
	struct tl_near near;

	name += name[0] == '/';
	if (strchr(name, '/') || strlen(name) > NAME_MAX)
		return tl_fail(fault, -ENOENT, "%s", strerror(ENOENT));
	strcat(slashed, name);
	near = tl_near_to(slashed);
	(void)for_each(try_name, &near);
	if (!near.best[0] && access(name, R_OK) == 0)
		return tl_fail(fault, -ENOENT,
		    "no such timeline; did you mean ./%s?", name);
	if (!near.best[0])
		return tl_fail(fault, -ENOENT, "no such timeline");
	return tl_fail(fault, -ENOENT, "no such timeline; did you mean %s?",
	    near.best);
}

/* == a table == */

struct row {
	char name[NAME_SIZE];
	uint64_t used;
	unsigned threshold;
	int rc; /* -EPROTO: another version; other -errno: damaged */
};

struct rows {
	struct row *list;
	size_t count;
};

static int
add_row(void *context, const char *name, int fd)
{
	struct rows *rows = context;
	struct row *row = &rows->list[rows->count];
	struct tl_fault fault = { 0 };
	struct tl_inspection inspection;

	if (rows->count == LISTED_MAX)
		return 1;
	*row = (struct row){ 0 };
	strcpy(row->name, name);
	row->rc = tl_inspect_fd(&inspection, fd, false, &fault);
	if (row->rc == 0) {
		row->used = inspection.used;
		row->threshold = inspection.threshold;
		tl_inspection_free(&inspection);
	}
	rows->count++;
	return 0;
}

static int
compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void
put_row(struct tl_text *text, const struct row *row)
{
	const size_t start = text->size;

	tl_put_plain(text, tl_bytes_of(row->name));
	do
		tl_put_char(text, ' ');
	while (text->size - start < NAME_COLUMN);
	if (row->rc < 0) {
		tl_put_string(text,
		    row->rc == -EPROTO ? "of another version\n" : "damaged\n");
		return;
	}
	tl_put_size(text, row->used);
	do
		tl_put_char(text, ' ');
	while (text->size - start < NAME_COLUMN + SIZE_COLUMN);
	tl_put_string(text, row->threshold > TIMELINE_LEVEL_MAX
				? "off"
				: tl_level_name(row->threshold));
	tl_put_char(text, '\n');
}

int
tl_shm_list(struct tl_text *text)
{
	struct rows rows = { calloc(LISTED_MAX, sizeof(struct row)), 0 };
	int rc = rows.list ? for_each(add_row, &rows) : -ENOMEM;

	if (rc >= 0 && rows.count > 0) {
		qsort(rows.list, rows.count, sizeof(*rows.list), compare);
		tl_put_padded(text, "NAME", NAME_COLUMN);
		tl_put_padded(text, "USED", SIZE_COLUMN);
		tl_put_string(text, "LEVEL\n");
		for (size_t i = 0; i < rows.count; i++)
			put_row(text, &rows.list[i]);
	}
	free(rows.list);
	return rc < 0 ? rc : (int)rows.count;
}
