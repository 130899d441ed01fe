/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - remove the oldest files of each section. */
#include "daemon/disk/names.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "daemon/disk/snapshot_file.h"
#include "event/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BESIDE = 2,     /* limit of the suffixes of a kind */
	BESIDE_MAX = 10 /* limit of the length of a suffix */
};

/* A kind of files: the parser of names, and the suffixes of files beside them
 * that are removed with them. */
struct kind {
	bool (*parse)(struct tl_snapshot_name *parts, const char *name);
	const char *beside[BESIDE]; /* NULL: end of the list */
};
static const struct kind kinds[TL_KEPT_KINDS] = {
	[TL_KEPT_SNAPSHOT] = { tl_snapshot_name_parse,
	    { TL_EXPLANATION_SUFFIX, TL_SCHED_SUFFIX } },
	[TL_KEPT_TRACE] = { tl_record_name_parse, { TL_RECORD_INDEX_SUFFIX } },
};

/* The rank of a file in the order of age; files of one rank are ordered by
 * name. */
enum rank {
	AHEAD, /* in the future by more than clocks are corrected */
	ORDINARY,
	BUSY
};

static const int64_t ahead_ns = 60 * TL_NS_PER_S;

struct kept {
	char *name;
	const struct tl_config_timeline *section;
	enum tl_kept kind;
	enum rank rank;
	const char *reason; /* in the name */
	size_t reason_size; /* 0: a trace */
	int64_t ns;
	uint64_t bytes;
};

/* The sweep of one folder. */
struct sweep {
	const struct tl_keep_sweep *how;
	const char *path;
	int folder;
	struct kept *items;
	size_t count;
	size_t capacity;
	struct tl_keep_sums *sums;
};

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

/* == the files of one folder == */

static enum rank
rank_of(const struct tl_keep_sweep *how, const char *name, int64_t ns)
{
	if (how->is_busy && how->is_busy(how->context, name))
		return BUSY;
	return ns - ahead_ns > how->now_ns ? AHEAD : ORDINARY;
}

static const char *
traces_of(const struct tl_config *config,
    const struct tl_config_timeline *section)
{
	return section->record.directory ? section->record.directory
					 : config->directory;
}

static const struct tl_config_keep *
limits_of(const struct kept *kept)
{
	return kept->kind == TL_KEPT_TRACE ? &kept->section->record.keep
					   : &kept->section->snapshots.keep;
}

/* The section that limits a file, or NULL.  Traces of a section that records to
 * another folder, or no more, stay. */
static const struct tl_config_timeline *
section_of(const struct sweep *s, enum tl_kept kind, const char *name,
    size_t timeline_size)
{
	const struct tl_config *config = s->how->config;
	const struct tl_config_timeline *section;
	char timeline[TL_FILE_NAME_MAX];

	memcpy(timeline, name, timeline_size);
	timeline[timeline_size] = '\0';
	section = tl_config_find(config, timeline);
	if (section && kind == TL_KEPT_TRACE &&
	    (!section->record.on ||
		strcmp(traces_of(config, section), s->path) != 0))
		return NULL;
	return section;
}

static int
gather_one(void *context, const char *name)
{
	struct sweep *s = context;
	struct kept kept = { .kind = TL_KEPT_TRACE };
	struct tl_snapshot_name parts;
	const struct tl_config_keep *keep;

	if (!tl_record_name_parse(&parts, name)) {
		kept.kind = TL_KEPT_SNAPSHOT;
		if (strcmp(s->path, s->how->home_path) != 0 ||
		    !tl_snapshot_name_parse(&parts, name))
			return 0;
	}
	if (!measure(s->folder, name, &kept.bytes))
		return 0;
	if (kept.kind == TL_KEPT_SNAPSHOT) {
		s->sums->files++;
		s->sums->bytes += kept.bytes;
	}
	kept.section = section_of(s, kept.kind, name, parts.timeline_size);
	if (!kept.section)
		return 0;
	keep = limits_of(&kept);
	if (!keep->count && !keep->age_ns && !keep->bytes)
		return 0;
	if (TL_ARRAY_ROOM(s->items, s->capacity, s->count) < 0 ||
	    !(kept.name = strdup(name)))
		return -ENOMEM;
	kept.ns = parts.ns;
	kept.reason_size = parts.reason_size;
	kept.reason = kept.name + (parts.reason_size ? parts.reason - name : 0);
	kept.rank = rank_of(s->how, name, parts.ns);
	s->items[s->count++] = kept;
	return 0;
}

/* Order by kind, section and reason: the limits apply to each group. */
static int
compare_groups(const struct kept *x, const struct kept *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->reason_size != y->reason_size)
		return x->reason_size < y->reason_size ? -1 : 1;
	return memcmp(x->reason, y->reason, x->reason_size);
}

/* Order by group, then from new to old. */
static int
compare(const void *a, const void *b)
{
	const struct kept *x = a;
	const struct kept *y = b;
	int order = compare_groups(x, y);

	if (order == 0)
		order = (x->rank < y->rank) - (x->rank > y->rank);
	if (order == 0)
		order = (x->ns < y->ns) - (x->ns > y->ns);
	return order ? order : strcmp(y->name, x->name);
}

/* The number of files to keep of the count files of a group, from the newest
 * on.  Files that are being written are kept, and only their bytes count:
 * otherwise many timelines that are recorded would leave no ended file. */
static size_t
count_kept(const struct sweep *s, const struct kept *items, size_t count)
{
	const struct tl_config_keep *keep = limits_of(items);
	uint64_t bytes = 0;
	size_t n = 0, busy = 0;

	for (; n < count; n++) {
		const struct kept *kept = &items[n];
		const char *const *suffixes = kinds[kept->kind].beside;
		const int64_t age_ns = s->how->now_ns - kept->ns;
		char beside[TL_FILE_NAME_MAX + BESIDE_MAX];
		uint64_t size;

		bytes += kept->bytes;
		for (size_t i = 0; keep->bytes && i < BESIDE && suffixes[i];
		     i++) {
			put_beside(beside, kept->name, suffixes[i]);
			if (measure(s->folder, beside, &size))
				bytes += size;
		}
		if (kept->rank == BUSY)
			busy++;
		else if ((keep->count && n - busy >= keep->count) ||
			 (keep->bytes && bytes > keep->bytes) ||
			 (keep->age_ns && age_ns > 0 &&
			     (uint64_t)age_ns > keep->age_ns))
			break;
	}
	return n;
}

/* Remove a file, or find it removed. */
static int
remove_kept(struct sweep *s, const struct kept *kept)
{
	const char *const *suffixes = kinds[kept->kind].beside;
	char beside[TL_FILE_NAME_MAX + BESIDE_MAX];
	int rc;

	/* First: without the file those beside it would never be removed. */
	for (size_t i = 0; i < BESIDE && suffixes[i]; i++) {
		put_beside(beside, kept->name, suffixes[i]);
		unlinkat(s->folder, beside, 0);
	}
	rc = unlinkat(s->folder, kept->name, 0) != 0 ? -errno : 0;
	if (rc != 0 && rc != -ENOENT)
		return rc;
	if (rc == 0)
		s->sums->removed[kept->kind]++;
	if (kept->kind == TL_KEPT_SNAPSHOT) {
		s->sums->files--;
		s->sums->bytes -= kept->bytes;
	}
	return 0;
}

static int
sweep_folder(const struct tl_keep_sweep *how, const char *path,
    struct tl_keep_sums *sums)
{
	struct sweep s = { .how = how, .path = path, .sums = sums };
	const bool is_home = strcmp(path, how->home_path) == 0;
	const int fd = openat(how->home, is_home ? "." : path,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t end;
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	s.folder = fd;
	rc = tl_folder_each(fd, gather_one, &s);
	if (rc == 0 && s.count > 0) {
		qsort(s.items, s.count, sizeof(*s.items), compare);

		/* Apply the limits to each group; the oldest files go first. */
		for (size_t i = 0; i < s.count; i = end) {
			size_t stay;

			for (end = i + 1; end < s.count; end++)
				if (compare_groups(&s.items[i],
					&s.items[end]) != 0)
					break;
			stay = i + count_kept(&s, &s.items[i], end - i);
			for (size_t k = end; k > stay; k--) {
				const int one =
				    remove_kept(&s, &s.items[k - 1]);

				rc = rc == 0 ? one : rc;
			}
		}
	}
	for (size_t i = 0; i < s.count; i++)
		free(s.items[i].name);
	free(s.items);
	close(fd);
	return rc;
}

/* The folder of the traces of section i, unless it was swept before. */
static const char *
next_folder(const struct tl_keep_sweep *how, size_t i)
{
	const struct tl_config *c = how->config;
	const char *path = traces_of(c, &c->timelines[i]);
	bool swept =
	    !c->timelines[i].record.on || strcmp(path, how->home_path) == 0;

	for (size_t k = 0; k < i && !swept; k++)
		swept = c->timelines[k].record.on &&
			strcmp(path, traces_of(c, &c->timelines[k])) == 0;
	return swept ? NULL : path;
}

int
tl_keep_sweep(const struct tl_keep_sweep *how, struct tl_keep_sums *sums)
{
	int rc;

	*sums = (struct tl_keep_sums){ 0 };
	rc = sweep_folder(how, how->home_path, sums);
	for (size_t i = 0; i < how->config->timeline_count; i++) {
		const char *path = next_folder(how, i);
		const int one = path ? sweep_folder(how, path, sums) : 0;

		rc = rc == 0 ? one : rc;
	}
	return rc;
}
