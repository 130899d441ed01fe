/* SPDX-License-Identifier: Apache-2.0 */
/* snapshots_keep.c - remove the oldest snapshots of a timeline. */
#include "daemon/snapshots_keep.h"
#include "daemon/snapshots_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_SIZE = 512 }; /* in which st_blocks counts */

struct kept {
	char name[TL_FILE_NAME_MAX];
	size_t stamp; /* where in the name */
	int64_t ns;
	uint64_t bytes;
};

struct list {
	struct kept *items;
	size_t count;
	size_t capacity;
};

/* Called for each snapshot in a folder. */
typedef int
visit(void *context, const char *name, const struct tl_snapshot_name *parts);

static int
visit_all(int directory, visit *each, void *context)
{
	const int fd =
	    openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct tl_snapshot_name parts;
	const struct dirent *entry;
	int rc = 0;

	if (!folder) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (errno = 0, entry = readdir(folder)))
		if (tl_snapshot_name_parse(&parts, entry->d_name))
			rc = each(context, entry->d_name, &parts);
	if (rc == 0)
		rc = -errno;
	closedir(folder);
	return rc;
}

/* What a regular file occupies; links and the like are not ours. */
static bool
measure(int directory, const char *name, uint64_t *bytes)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	*bytes = (uint64_t)st.st_blocks * BLOCK_SIZE;
	return true;
}

/* == those of one timeline == */

struct gathering {
	int directory;
	const char *timeline;
	size_t timeline_size;
	struct list list;
};

static int
grow(struct list *list)
{
	const size_t capacity = list->capacity ? 2 * list->capacity : 64;
	struct kept *items = realloc(list->items, capacity * sizeof(*items));

	if (!items)
		return -ENOMEM;
	list->items = items;
	list->capacity = capacity;
	return 0;
}

static int
gather_one(void *context, const char *name,
    const struct tl_snapshot_name *parts)
{
	struct gathering *g = context;
	struct kept *kept;
	uint64_t bytes;

	if (parts->timeline_size != g->timeline_size ||
	    memcmp(name, g->timeline, g->timeline_size) != 0 ||
	    strlen(name) >= TL_FILE_NAME_MAX ||
	    g->list.count >= TL_SNAPSHOTS_KEPT_MAX ||
	    !measure(g->directory, name, &bytes))
		return 0;
	if (g->list.count == g->list.capacity && grow(&g->list) != 0)
		return -ENOMEM;
	kept = &g->list.items[g->list.count++];
	memcpy(kept->name, name, strlen(name) + 1);
	kept->stamp = (size_t)(parts->stamp - name);
	kept->ns = parts->ns;
	kept->bytes = bytes;
	return 0;
}

/* The newest first. */
static int
compare(const void *a, const void *b)
{
	const struct kept *x = a;
	const struct kept *y = b;

	return strcmp(y->name + y->stamp, x->name + x->stamp);
}

/* How many of the newest stay. */
static size_t
count_kept(const struct list *list, const struct tl_config_keep *keep,
    int64_t now_ns)
{
	uint64_t bytes = 0;
	size_t n = 0;

	for (; n < list->count; n++) {
		const struct kept *kept = &list->items[n];
		const int64_t age_ns = now_ns - kept->ns;

		bytes += kept->bytes;
		if (n == 0)
			continue;
		if ((keep->count && n >= keep->count) ||
		    (keep->bytes && bytes > keep->bytes) ||
		    (keep->age_ns && age_ns > 0 &&
			(uint64_t)age_ns > keep->age_ns))
			break;
	}
	return n;
}

/* Until the oldest of those that stay is too old; the newest never is. */
static int64_t
until_next(const struct list *list, size_t kept,
    const struct tl_config_keep *keep, int64_t now_ns)
{
	const int64_t age_ns = kept > 1 ? now_ns - list->items[kept - 1].ns : 0;

	if (kept < 2 || keep->age_ns == 0 || keep->age_ns > INT64_MAX / 2)
		return INT64_MAX;
	return (int64_t)keep->age_ns - age_ns + 1;
}

int
tl_snapshots_keep_apply(int directory, const char *timeline,
    const struct tl_config_keep *keep, int64_t now_ns, uint64_t *removed,
    int64_t *next_ns)
{
	struct gathering g = { .directory = directory,
		.timeline = timeline,
		.timeline_size = strlen(timeline) };
	struct list *list = &g.list;
	size_t stay;
	int rc = visit_all(directory, gather_one, &g);

	*removed = 0;
	*next_ns = INT64_MAX;
	if (rc == 0 && list->count > 0) {
		qsort(list->items, list->count, sizeof(*list->items), compare);
		stay = count_kept(list, keep, now_ns);
		for (size_t i = list->count; i > stay; i--) {
			if (unlinkat(directory, list->items[i - 1].name, 0) ==
			    0)
				++*removed;
			else if (errno != ENOENT)
				rc = -errno;
		}
		*next_ns = until_next(list, stay, keep, now_ns);
	}
	free(list->items);
	return rc;
}

/* == all of them == */

struct total {
	int directory;
	uint64_t files;
	uint64_t bytes;
};

static int
count_one(void *context, const char *name, const struct tl_snapshot_name *parts)
{
	struct total *total = context;
	uint64_t bytes;

	(void)parts;
	if (measure(total->directory, name, &bytes)) {
		total->files++;
		total->bytes += bytes;
	}
	return 0;
}

int
tl_snapshots_keep_count(int directory, uint64_t *files, uint64_t *bytes)
{
	struct total total = { .directory = directory };
	const int rc = visit_all(directory, count_one, &total);

	*files = total.files;
	*bytes = total.bytes;
	return rc;
}
