/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.c - the sources of a command line, and one cursor for all of them.
 */
#include "source/sources.h"

#include "base/array.h"
#include "base/file.h"
#include "clock/clock.h"
#include "event/sched.h"
#include "event/spans.h"
#include "source/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add a source of all zeros.  Returns NULL without memory or if there are too
 * many sources. */
static struct tl_source *
add_item(struct tl_sources *sources)
{
	if (sources->count == TL_SOURCES_ITEMS_MAX ||
	    TL_ARRAY_ROOM(sources->items, sources->capacity, sources->count) <
		0)
		return NULL;
	sources->items[sources->count] = (struct tl_source){ 0 };
	return &sources->items[sources->count++];
}

/* Add the other timelines in the file of the newest source. */
static int
add_others(struct tl_sources *sources)
{
	const size_t first = sources->count - 1;
	const struct tl_source_ops *ops = sources->items[first].ops;
	struct tl_source *other;
	int rc = 0;

	while (rc == 0 && ops && ops->others &&
	       ops->others(&sources->items[first]) > 0) {
		other = add_item(sources);
		rc = ops->take_other(&sources->items[first], other);
		if (other)
			other->withheld = sources->items[first].withheld;
	}
	while (rc == 0 && tl_core_has_more(sources->items[first].core)) {
		if (!(other = add_item(sources)))
			return -ENOMEM;
		other->name = other->file = sources->items[first].file;
		other->withheld = sources->items[first].withheld;
		tl_core_open_next(sources->items[first].core, other);
	}
	return rc;
}

/* Drop sources of hosts that the request does not name; unknown hosts stay.  If
 * none is left, a source with a fault takes their place. */
static int
keep_hosts(struct tl_sources *sources, const struct tl_remote_plan *plan)
{
	const char *file = sources->count > 0 ? sources->items[0].file : NULL;
	struct tl_source *item;
	size_t kept = 0;

	for (size_t i = 0; i < sources->count; i++) {
		struct tl_origin origin = { 0 };

		item = &sources->items[i];
		if (tl_source_is_open(item))
			tl_source_origin(item, &origin);
		if (tl_remote_is_meant(plan, origin.machine))
			sources->items[kept++] = *item;
		else
			tl_source_free(item);
	}
	sources->count = kept;
	if (kept > 0 || !file)
		return 0;
	item = add_item(sources);
	item->name = item->file = file;
	tl_fail(&item->fault, -ENOENT, "there is nothing of such a host");
	return 0;
}

/* Add the kernel events beside the file names[i], if they exist. */
static int
add_kernel(struct tl_sources *sources, const char *const *names, size_t count,
    size_t i, const struct tl_source_plan *plan)
{
	char path[TL_PATH_MAX], beside[TL_PATH_MAX];
	struct tl_source_plan own = *plan;
	struct tl_source *item;
	char *file;

	if (tl_name_find(names[i], path) != 0 ||
	    tl_sched_path(beside, path) != 0 || access(beside, F_OK) != 0)
		return 0;
	for (size_t k = 0; k < count; k++) /* is it one of the named files? */
		if (tl_name_find(names[k], path) == 0 &&
		    strcmp(path, beside) == 0)
			return 0;
	file = strdup(beside);
	item = file ? add_item(sources) : NULL;
	if (!item) {
		free(file);
		return -ENOMEM;
	}
	own.format = NULL;
	tl_source_open(item, file, &own);
	item->own_file = file;
	item->beside = true;
	if (tl_source_is_open(item) && !tl_source_has_kernel(item)) {
		tl_source_free(item);
		sources->count--;
	}
	return 0;
}

int
tl_sources_open(struct tl_sources *sources, const char *const *names,
    size_t count, const struct tl_source_plan *plan)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct tl_source *item = add_item(sources);

		if (!item)
			return -ENOMEM;
		tl_source_open(item, names[i], plan);
		rc = add_others(sources);
		if (rc == 0 && plan->kernel)
			rc = add_kernel(sources, names, count, i, plan);
	}
	if (rc == 0 && plan->remote && plan->remote->host_count > 0)
		rc = keep_hosts(sources, plan->remote);
	return rc < 0 ? rc : tl_sources_find_hosts(sources);
}

int
tl_sources_add(struct tl_sources *sources, const struct tl_source_from *from,
    const struct tl_source_plan *plan)
{
	struct tl_source_from copy = *from;
	char *name = strdup(from->name);
	struct tl_source *item = name ? add_item(sources) : NULL;

	if (!item) {
		free(name);
		return -ENOMEM;
	}
	copy.name = name;
	tl_source_open_from(item, &copy, plan);
	item->own_file = name;
	return add_others(sources);
}

int
tl_sources_find_hosts(struct tl_sources *sources)
{
	int rc;

	tl_hosts_free(sources->hosts);
	tl_repeats_free(sources->repeats);
	sources->repeats = NULL;
	rc = tl_hosts_find(&sources->hosts, sources->items, sources->count);
	return rc < 0 ? rc
		      : tl_repeats_find(&sources->repeats, sources->items,
			    sources->count);
}

void
tl_sources_close(struct tl_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (!tl_source_is_followed(&sources->items[i]))
			tl_source_close(&sources->items[i]);
	}
	tl_hosts_free(sources->hosts);
	sources->hosts = NULL;
	tl_repeats_free(sources->repeats);
	sources->repeats = NULL;
}

void
tl_sources_free(struct tl_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		tl_source_free(&sources->items[i]);
	tl_hosts_free(sources->hosts);
	tl_repeats_free(sources->repeats);
	free(sources->items);
	*sources = (struct tl_sources){ 0 };
}

int
tl_sources_cursor(const struct tl_sources *sources, enum tl_order order,
    struct tl_cursor **cursor)
{
	return tl_sources_range(sources, 0, sources->count, order, cursor);
}

int
tl_sources_range(const struct tl_sources *sources, size_t first, size_t end,
    enum tl_order order, struct tl_cursor **cursor)
{
	const size_t count = sources->count;
	struct tl_cursor **cursors = calloc(count + 1, sizeof(*cursors));
	bool any = false;
	int rc = cursors ? 0 : -ENOMEM;

	for (size_t i = first; sources->hosts && i < end && rc == 0; i++) {
		if (!tl_source_is_open(&sources->items[i]))
			continue;
		any = true;
		rc = tl_source_cursor(&sources->items[i], order, &cursors[i]);
		if (rc < 0)
			cursors[i] = NULL;
	}
	if (rc == 0 && !any)
		rc = -ENOENT;
	if (rc == 0 && count == 1) {
		*cursor = cursors[0];
	} else if (rc == 0) {
		rc = tl_merge_new(cursor, cursors, sources->hosts->of_source,
		    count, order);
		if (rc == 0 && sources->hosts->are_several)
			tl_merge_mark_overlaps(*cursor);
	} else {
		for (size_t i = 0; cursors && i < count; i++)
			tl_cursor_close(cursors[i]);
	}
	free(cursors);
	return rc;
}

int
tl_sources_spans(const struct tl_sources *sources, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_cursor *inner;
	const int rc = tl_sources_cursor(sources, order, &inner);

	return rc < 0 ? rc
		      : tl_spans_cursor(order, TL_SPANS_WINDOW, inner, cursor);
}

int
tl_sources_apply(struct tl_sources *sources, const struct tl_hosts_plan *plan,
    struct tl_fault *fault)
{
	const int rc = tl_hosts_shift(sources->hosts, sources->items,
	    sources->count, plan, fault);

	return rc < 0 ? tl_fail(fault, rc, "%s", tl_file_error(rc)) : 0;
}

int
tl_sources_newest(const struct tl_sources *sources, int64_t *ns)
{
	int64_t newest = INT64_MIN, one;
	bool found = false;

	for (size_t i = 0; i < sources->count; i++) {
		const struct tl_source *source = &sources->items[i];

		if (!tl_source_is_open(source) ||
		    tl_source_newest(source, &one) < 0)
			continue;
		found = true;
		if (one > newest)
			newest = one;
	}
	if (!found)
		return -ENODATA;
	*ns = newest;
	return 0;
}

int
tl_sources_end(const struct tl_sources *sources, int64_t *ns)
{
	const int rc = tl_sources_newest(sources, ns);
	struct tl_event cut;

	for (size_t i = 0; rc == 0 && i < sources->count; i++)
		if (tl_source_is_open(&sources->items[i]) &&
		    tl_source_cut(&sources->items[i], &cut) && cut.ns > *ns)
			*ns = cut.ns;
	return rc;
}

uint64_t
tl_sources_entries(const struct tl_sources *sources)
{
	uint64_t entries = 0;

	for (size_t i = 0; i < sources->count; i++) {
		if (tl_source_is_open(&sources->items[i]))
			entries += tl_source_entries(&sources->items[i]);
	}
	return entries;
}

bool
tl_sources_are_steady(const struct tl_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (!tl_source_is_steady(&sources->items[i]))
			return false;
	}
	return true;
}

bool
tl_sources_are_damaged(const struct tl_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (tl_source_is_damaged(&sources->items[i]))
			return true;
	}
	return false;
}

/* Keep the members of origin that are equal in other. */
static void
keep_common(struct tl_origin *origin, const struct tl_origin *other)
{
	if (strcmp(origin->machine, other->machine) != 0) {
		*origin = (struct tl_origin){ 0 };
		return;
	}
	if (origin->pid != other->pid ||
	    strcmp(origin->command, other->command) != 0) {
		origin->pid = 0;
		origin->command[0] = '\0';
	}
	if (strcmp(origin->timeline, other->timeline) != 0)
		origin->timeline[0] = '\0';
	if (memcmp(origin->boot_id, other->boot_id, sizeof(other->boot_id)) !=
	    0)
		memset(origin->boot_id, 0, sizeof(origin->boot_id));
	if (other->boottime_ns == 0) { /* from another boot */
		origin->monotonic_ns = 0;
		origin->boottime_ns = 0;
	}
}

void
tl_sources_origin(const struct tl_sources *sources, struct tl_origin *origin)
{
	struct tl_origin other;
	bool any = false;

	*origin = (struct tl_origin){ 0 };
	for (size_t i = 0; i < sources->count; i++) {
		if (!tl_source_is_open(&sources->items[i]))
			continue;
		tl_source_origin(&sources->items[i], any ? &other : origin);
		if (any)
			keep_common(origin, &other);
		any = true;
	}
}

int
tl_sources_origins(const struct tl_sources *sources, struct tl_origin **origins)
{
	struct tl_origin *all = calloc(sources->count + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < sources->count; i++) {
		if (tl_source_is_open(&sources->items[i]))
			tl_source_origin(&sources->items[i], &all[i]);
	}
	*origins = all;
	return 0;
}

/* == diagnostics == */

void
tl_warn_more(tl_warn *warn, const char *name, size_t count)
{
	struct tl_fault more = { 0 };

	tl_fail(&more, 0, "and %zu more", count);
	warn(name, &more);
}

void
tl_warn_sources(tl_warn *warn, const struct tl_sources *sources, bool quiet)
{
	for (size_t i = 0; i < sources->count; i++) {
		const struct tl_source *source = &sources->items[i];
		const size_t kept = tl_source_faults_kept(source);
		const size_t count = tl_source_fault_count(source);

		for (size_t k = 0; k < kept; k++) {
			const struct tl_fault *fault =
			    tl_source_fault(source, k);

			if (fault->text[0] && !(quiet && fault->rc == 0))
				warn(source->name, fault);
		}
		if (count > kept)
			tl_warn_more(warn, source->name, count - kept);
	}
}
