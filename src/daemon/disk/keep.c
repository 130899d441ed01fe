/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - remove the oldest files of a timeline. */
#include "daemon/disk/keep.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "daemon/disk/explain.h"
#include "event/sched.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BESIDE_MAX = 10 /* limit of the length of a suffix */
};

const struct tl_kept_kind tl_kept_snapshots = { tl_snapshot_name_parse,
	{ TL_EXPLANATION_SUFFIX, TL_SCHED_SUFFIX } };
const struct tl_kept_kind tl_kept_traces = { tl_record_name_parse, { ".idx" } };

/* The rank of a file in the order of age; files of one rank are ordered by
 * name. */
enum rank {
	AHEAD, /* in the future by more than clocks are corrected */
	ORDINARY,
	BUSY
};

static const int64_t ahead_ns = 60 * TL_NS_PER_S;

struct kept {
	char name[TL_FILE_NAME_MAX];
	enum rank rank;
	size_t stamp;  /* offset of the time in the name */
	size_t reason; /* offset of the reason; 0: none */
	size_t reason_size;
	int64_t ns;
	uint64_t bytes;
};

struct list {
	struct kept *items;
	size_t count;
	size_t capacity;
};

/* The function called for each file of a kind in a folder. */
typedef int
visit(void *context, const char *name, const struct tl_snapshot_name *parts);

static int
visit_all(const struct tl_kept_kind *kind, int directory, visit *each,
    void *context)
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
		if (kind->parse(&parts, entry->d_name))
			rc = each(context, entry->d_name, &parts);
	if (rc == 0)
		rc = -errno;
	closedir(folder);
	return rc;
}

/* Get the bytes that a regular file occupies.  False for other files, which are
 * not ours. */
static bool
measure(int directory, const char *name, uint64_t *bytes)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	*bytes = tl_file_used(&st);
	return true;
}

static void
put_beside(char path[TL_FILE_NAME_MAX + BESIDE_MAX], const char *name,
    const char *suffix)
{
	snprintf(path, TL_FILE_NAME_MAX + BESIDE_MAX, "%s%s", name, suffix);
}

/* Get the bytes that a file and the files beside it occupy. */
static bool
measure_all(const struct tl_kept_kind *kind, int directory, const char *name,
    uint64_t *bytes)
{
	char beside[TL_FILE_NAME_MAX + BESIDE_MAX];
	uint64_t more;

	if (!measure(directory, name, bytes))
		return false;
	for (size_t i = 0; i < TL_KEPT_BESIDE && kind->beside[i]; i++) {
		put_beside(beside, name, kind->beside[i]);
		if (measure(directory, beside, &more))
			*bytes += more;
	}
	return true;
}

/* Remove a file.  The files beside it go first: without the file they would
 * never be removed. */
static int
remove_all(const struct tl_kept_kind *kind, int directory, const char *name)
{
	char beside[TL_FILE_NAME_MAX + BESIDE_MAX];

	for (size_t i = 0; i < TL_KEPT_BESIDE && kind->beside[i]; i++) {
		put_beside(beside, name, kind->beside[i]);
		unlinkat(directory, beside, 0);
	}
	return unlinkat(directory, name, 0) != 0 ? -errno : 0;
}

/* == the files of one timeline == */

struct gathering {
	const struct tl_kept_kind *kind;
	int directory;
	const char *timeline;
	size_t timeline_size;
	const char *busy;
	int64_t now_ns;
	struct list list;
};

static enum rank
rank_of(const struct gathering *g, const char *name, int64_t ns)
{
	if (g->busy && strcmp(name, g->busy) == 0)
		return BUSY;
	return ns - ahead_ns > g->now_ns ? AHEAD : ORDINARY;
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
	    !measure_all(g->kind, g->directory, name, &bytes))
		return 0;
	if (TL_ARRAY_ROOM(g->list.items, g->list.capacity, g->list.count) < 0)
		return -ENOMEM;
	kept = &g->list.items[g->list.count++];
	*kept = (struct kept){ .bytes = bytes, .ns = parts->ns };
	memcpy(kept->name, name, strlen(name) + 1);
	kept->stamp = (size_t)(parts->stamp - name);
	kept->reason_size = parts->reason_size;
	if (parts->reason_size > 0)
		kept->reason = (size_t)(parts->reason - name);
	kept->rank = rank_of(g, name, parts->ns);
	return 0;
}

static int
compare_reasons(const struct kept *x, const struct kept *y)
{
	if (x->reason_size != y->reason_size)
		return x->reason_size < y->reason_size ? -1 : 1;
	return memcmp(x->name + x->reason, y->name + y->reason, x->reason_size);
}

/* Order by reason, then from new to old. */
static int
compare(const void *a, const void *b)
{
	const struct kept *x = a;
	const struct kept *y = b;
	const int reasons = compare_reasons(x, y);

	if (reasons != 0)
		return reasons;
	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return strcmp(y->name + y->stamp, x->name + x->stamp);
}

/* The number of files at the start of items that have one reason. */
static size_t
count_of_reason(const struct kept *items, size_t count)
{
	size_t n = 1;

	while (n < count && compare_reasons(&items[0], &items[n]) == 0)
		n++;
	return n;
}

/* The number of files of one reason to keep, from the newest on. */
static size_t
count_kept(const struct kept *items, size_t count,
    const struct tl_config_keep *keep, int64_t now_ns)
{
	uint64_t bytes = 0;
	size_t n = 0;

	for (; n < count; n++) {
		const struct kept *kept = &items[n];
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

/* The time until the oldest kept file is too old.  The newest file never is. */
static int64_t
until_next(const struct kept *items, size_t kept,
    const struct tl_config_keep *keep, int64_t now_ns)
{
	while (kept > 1 && items[kept - 1].rank == AHEAD)
		kept--;
	if (kept < 2 || keep->age_ns == 0 || keep->age_ns > INT64_MAX / 2)
		return INT64_MAX;
	return (int64_t)keep->age_ns - (now_ns - items[kept - 1].ns) + 1;
}

/* Remove the files after the first stay files. */
static int
remove_rest(const struct gathering *g, const struct kept *items, size_t count,
    size_t stay, uint64_t *removed)
{
	int result = 0;

	for (size_t i = count; i > stay; i--) {
		const int rc =
		    remove_all(g->kind, g->directory, items[i - 1].name);

		if (rc == 0)
			++*removed;
		else if (rc != -ENOENT)
			result = rc;
	}
	return result;
}

/* Apply the limits to each reason. */
static int
keep_each(const struct gathering *g, const struct tl_config_keep *keep,
    uint64_t *removed, int64_t *next_ns)
{
	const struct list *list = &g->list;
	size_t count;
	int rc = 0;

	for (size_t i = 0; i < list->count; i += count) {
		const struct kept *items = &list->items[i];
		size_t stay;
		int64_t ns;
		int one;

		count = count_of_reason(items, list->count - i);
		stay = count_kept(items, count, keep, g->now_ns);
		one = remove_rest(g, items, count, stay, removed);
		rc = rc == 0 ? one : rc;
		ns = until_next(items, stay, keep, g->now_ns);
		*next_ns = ns < *next_ns ? ns : *next_ns;
	}
	return rc;
}

int
tl_kept_apply(const struct tl_kept_kind *kind, int directory,
    const char *timeline, const char *busy, const struct tl_config_keep *keep,
    int64_t now_ns, uint64_t *removed, int64_t *next_ns)
{
	struct gathering g = { .kind = kind,
		.directory = directory,
		.timeline = timeline,
		.timeline_size = strlen(timeline),
		.busy = busy,
		.now_ns = now_ns };
	struct list *list = &g.list;
	int rc = visit_all(kind, directory, gather_one, &g);

	*removed = 0;
	*next_ns = INT64_MAX;
	if (rc == 0 && list->count > 0) {
		qsort(list->items, list->count, sizeof(*list->items), compare);
		rc = keep_each(&g, keep, removed, next_ns);
	}
	free(list->items);
	return rc;
}

/* == the files of all timelines == */

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
	const int rc =
	    visit_all(&tl_kept_snapshots, directory, count_one, &total);

	*files = total.files;
	*bytes = total.bytes;
	return rc;
}
