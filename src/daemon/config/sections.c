/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.c - one section of "timelines": name, creation, snapshots, bursts,
 * recordings.
 */
#include "base/ns.h"
#include "daemon/config/read.h"

#include "base/array.h"
#include "event/message.h"
#include "kernel/kernel.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { COMPRESS = 3, COMPRESS_MAX = 19, KEEP_COUNT = 100 };

static const uint64_t entries_max = UINT64_C(1) << 43; /* of all lanes */
static const uint64_t strings_max = UINT64_C(1) << 31;
static const uint64_t burst_length_ns = 100000;
static const uint64_t burst_period_ns = 10000000;
static const uint64_t day_ns = TL_CONFIG_DAY_NS;
static const uint64_t year_ns = 366 * TL_CONFIG_DAY_NS;
static const uint64_t slot_max_ns = TL_NS_PER_S;
static const double rarer_max = 1e6;
static const uint64_t record_size = UINT64_C(256) << 20;
static const uint64_t record_size_min = UINT64_C(64) << 10;
static const uint64_t record_size_max = UINT64_C(1) << 60;

/* == name == */

static int
read_name(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	const char **name = to;
	int rc;

	if ((rc = tl_config_glob(r, value, name)) < 0)
		return rc;
	*name += (*name)[0] == '/';
	if (strchr(*name, '/'))
		return tl_config_wrong(r, value,
		    "contains '/': only timelines in /dev/shm are attached");
	if (strcmp(*name, "") == 0 || strcmp(*name, ".") == 0 ||
	    strcmp(*name, "..") == 0)
		return tl_config_wrong(r, value, "not a name of a file");
	if (strlen(*name) > NAME_MAX)
		return tl_config_wrong(r, value, "longer than %d bytes",
		    NAME_MAX);
	return 0;
}

/* == create == */

static int
read_stamp(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	static const char *const names[] = { [TIMELINE_STAMP_AUTO] = "auto",
		[TIMELINE_STAMP_TSC] = "tsc",
		[TIMELINE_STAMP_REALTIME] = "realtime" };

	for (uint32_t i = 0; i < TL_COUNT(names); i++) {
		if (value->kind != TL_DATA_TEXT ||
		    strcmp(value->text, names[i]) != 0)
			continue;
		*(uint32_t *)to = i;
		return 0;
	}
	return tl_config_wrong(r, value,
	    "not \"auto\", \"tsc\" or \"realtime\"");
}

/* From the flag "create" on. */
#define AT(member) \
	(offsetof(struct tl_config_timeline, options.member) - \
	    offsetof(struct tl_config_timeline, create))
static const struct tl_config_key create_keys[] = {
	{ "entries", tl_config_size, AT(entries), 1, .max = entries_max },
	{ "stringtablesize", tl_config_size, AT(stringtablesize), 1,
	    .max = strings_max },
	{ "mode", tl_config_mode, .offset = AT(mode) },
	{ "tiers", tl_config_number, AT(tiers), 1, .max = 2 },
	{ "cpu_lanes", tl_config_number, AT(cpu_lanes), 1,
	    .max = TIMELINE_LANES_MAX },
	{ "fallback_lanes", tl_config_number, AT(fallback_lanes), 1,
	    .max = TIMELINE_LANES_MAX },
	{ "stamp", read_stamp, .offset = AT(stamp) },
	{ .name = NULL },
};
#undef AT

/* == owners == */

static int
read_owners(struct tl_config_reader *r, const struct tl_data *list, void *to)
{
	struct tl_config_timeline *timeline = to;
	int rc = tl_config_check_list(r, list, TL_CONFIG_OWNERS_MAX);

	for (size_t i = 0; rc == 0 && i < list->count; i++)
		rc = tl_config_find_user(r, &list->items[i],
		    &timeline->owners[i]);
	if (rc == 0)
		timeline->owner_count = list->count;
	return rc;
}

/* == snapshots == */

#define AT(member) offsetof(struct tl_config_keep, member)
static const struct tl_config_key keep_keys[] = {
	{ "count", tl_config_size, AT(count), 1, .max = UINT64_C(1) << 30 },
	{ "age", tl_config_duration, AT(age_ns), TL_NS_PER_S,
	    .max = TL_CONFIG_AGE_NS_MAX },
	{ "bytes", tl_config_size, AT(bytes), 1, .max = UINT64_C(1) << 60 },
	{ .name = NULL },
};
#undef AT

/* Read the limits of kept files.  A table replaces the default: an absent key
 * means no limit. */
static int
read_keep(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	struct tl_config_keep *keep = to;

	memset(keep, 0, sizeof(*keep));
	return tl_config_read_keys(r, value, keep_keys, keep);
}

static int
read_compress(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	int *level = to;

	if (value->kind == TL_DATA_FLAG) {
		*level = value->flag ? COMPRESS : 0;
		return 0;
	}
	if (value->kind != TL_DATA_INTEGER || value->integer < 1 ||
	    value->integer > COMPRESS_MAX)
		return tl_config_wrong(r, value,
		    "not true, false or a level from 1 to %d", COMPRESS_MAX);
	*level = (int)value->integer;
	return 0;
}

#define AT(member) offsetof(struct tl_config_rate, member)
static const struct tl_config_key rate_keys[] = {
	{ "every", tl_config_duration, AT(every_ns), .max = day_ns },
	{ "per_hour", tl_config_size, AT(per_hour), .max = 3600000 },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct tl_config_snapshots, member)
static const struct tl_config_key snapshot_keys[] = {
	{ "every", tl_config_duration, AT(every_ns), TL_NS_PER_S,
	    .max = year_ns },
	{ "on_death", tl_config_switch, AT(death), .keys = rate_keys },
	{ "on_request", tl_config_table, AT(request), .keys = rate_keys },
	{ "compress", read_compress, .offset = AT(compress) },
	{ "keep", read_keep, .offset = AT(keep) },
	{ .name = NULL },
};
#undef AT

/* == bursts == */

static int
read_rarer(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	double *rarer = to;
	int rc;

	if ((rc = tl_config_real(r, value, rarer)) < 0)
		return rc;
	if (*rarer < 1 || *rarer > rarer_max)
		return tl_config_wrong(r, value, "not between 1 and %g",
		    rarer_max);
	return 0;
}

/* Read a single level; to is struct tl_config_bursts. */
static int
read_level(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	struct tl_config_bursts *bursts = to;

	bursts->level_count = 1;
	return tl_config_level(r, value, &bursts->levels[0]);
}

static int
read_levels(struct tl_config_reader *r, const struct tl_data *list, void *to)
{
	struct tl_config_bursts *bursts = to;
	int rc = tl_config_check_list(r, list, TL_CONFIG_LEVELS_MAX);

	if (rc < 0)
		return rc;
	if (bursts->level_count > 0)
		return tl_config_wrong(r, list, "'level' is given as well");
	for (size_t i = 0; i < list->count; i++) {
		rc = tl_config_level(r, &list->items[i], &bursts->levels[i]);
		if (rc < 0)
			return rc;
		if (i > 0 && bursts->levels[i] >= bursts->levels[i - 1])
			return tl_config_wrong(r, &list->items[i],
			    "not more detailed than %s before it",
			    tl_level_name(bursts->levels[i - 1]));
	}
	bursts->level_count = list->count;
	return 0;
}

/* Read "daemon" or "slots". */
static int
read_by(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	const char *by = NULL;
	bool *slots = to;
	int rc;

	if ((rc = tl_config_text(r, value, &by)) < 0)
		return rc;
	*slots = strcmp(by, "slots") == 0;
	if (!*slots && strcmp(by, "daemon") != 0)
		return tl_config_wrong(r, value,
		    "neither \"daemon\" nor \"slots\"");
	return 0;
}

#define AT(member) offsetof(struct tl_config_bursts, member)
static const struct tl_config_key burst_keys[] = {
	{ "level", read_level, .offset = 0 },
	{ "levels", read_levels, .offset = 0 },
	{ "rarer", read_rarer, .offset = AT(rarer) },
	{ "length", tl_config_duration, AT(length_ns), 1000,
	    .max = TL_NS_PER_H },
	{ "period", tl_config_duration, AT(period_ns), 1000000, .max = day_ns },
	{ "jitter", tl_config_share, .offset = AT(jitter) },
	{ "by", read_by, .offset = AT(slots) },
	{ "share", tl_config_share, .offset = AT(share) },
	{ .name = NULL },
};
#undef AT

static int
read_bursts(struct tl_config_reader *r, const struct tl_data *table, void *to)
{
	struct tl_config_bursts *bursts = to;
	int rc;

	bursts->rarer = 5;
	bursts->length_ns = burst_length_ns;
	bursts->period_ns = burst_period_ns;
	bursts->jitter = 0.5;
	if ((rc = tl_config_read_keys(r, table, burst_keys, bursts)) < 0)
		return rc;
	if (bursts->level_count == 0)
		return tl_config_wrong(r, table,
		    "'level' is missing (or 'levels')");
	if (bursts->share > 0 && !bursts->slots)
		return tl_config_wrong(r, table,
		    "'share' needs by = \"slots\"");
	if (bursts->slots && bursts->length_ns > slot_max_ns)
		return tl_config_wrong(r, table,
		    "'length' of a slot is at most 1s");
	if (bursts->length_ns < bursts->period_ns || bursts->share > 0)
		return 0;
	return tl_config_wrong(r, table, "'length' is not less than 'period'");
}

/* == recordings == */

#define AT(member) offsetof(struct tl_config_record, member)
static const struct tl_config_key record_keys[] = {
	{ "directory", tl_config_path, .offset = AT(directory) },
	{ "size", tl_config_size, AT(size), record_size_min,
	    .max = record_size_max },
	{ "age", tl_config_duration, AT(age_ns), TL_NS_PER_S, .max = year_ns },
	{ "flush", tl_config_duration, AT(flush_ns), 1000000,
	    .max = TL_NS_PER_H },
	{ "compress", read_compress, .offset = AT(compress) },
	{ "keep", read_keep, .offset = AT(keep) },
	{ .name = NULL },
};
#undef AT

/* == the kernel's events == */

/* Read "save", the only value: the kernel's buffer is read when a snapshot is
 * saved. */
static int
read_drain(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	const char *drain = NULL;
	int rc;

	(void)to;
	if ((rc = tl_config_text(r, value, &drain)) < 0)
		return rc;
	if (strcmp(drain, "save") != 0)
		return tl_config_wrong(r, value, "not \"save\"");
	return 0;
}

#define AT(member) offsetof(struct tl_config_kernel, member)
static const struct tl_config_key kernel_keys[] = {
	{ "drain", read_drain, .offset = 0 },
	{ "size", tl_config_size, AT(size), TL_KERNEL_SIZE_MIN,
	    .max = TL_KERNEL_SIZE_MAX },
	{ "faults", tl_config_flag, .offset = AT(faults) },
	{ "names", tl_config_flag, .offset = AT(names) },
	{ .name = NULL },
};
#undef AT

/* == the section == */

#define AT(member) offsetof(struct tl_config_timeline, member)
static const struct tl_config_key section_keys[] = {
	{ "name", read_name, AT(name), .required = true },
	{ "create", tl_config_switch, AT(create), .keys = create_keys },
	{ "priority", tl_config_gate, .offset = AT(priority) },
	{ "keep", tl_config_duration, AT(keep_ns), 1000000, .max = year_ns },
	{ "priority_max", tl_config_level, .offset = AT(priority_max) },
	{ "owners", read_owners, .offset = 0 },
	{ "bursts", read_bursts, .offset = AT(bursts) },
	{ "triggers", tl_config_read_triggers, .offset = 0 },
	{ "snapshots", tl_config_table, AT(snapshots), .keys = snapshot_keys },
	{ "record", tl_config_switch, AT(record), .keys = record_keys },
	{ "kernel", tl_config_switch, AT(kernel), .keys = kernel_keys },
	{ "timer_window", tl_config_duration, AT(timer_window_ns), TL_NS_PER_S,
	    .max = day_ns },
	{ .name = NULL },
};
#undef AT

int
tl_config_read_timeline(struct tl_config_reader *r, const struct tl_data *table,
    struct tl_config_timeline *to)
{
	const struct tl_data *limit;
	int rc;

	to->snapshots.compress = COMPRESS;
	to->snapshots.keep.count = KEEP_COUNT;
	to->snapshots.death =
	    (struct tl_config_rate){ .every_ns = 10 * TL_NS_PER_S,
		    .per_hour = 60 };
	to->snapshots.request = (struct tl_config_rate){ .per_hour = 600 };
	to->record = (struct tl_config_record){ .size = record_size,
		.age_ns = TL_NS_PER_H,
		.flush_ns = TL_NS_PER_S,
		.compress = COMPRESS,
		.keep = { .count = KEEP_COUNT } };
	to->kernel.size = TL_KERNEL_SIZE_DEFAULT;
	to->timer_window_ns = 60 * TL_NS_PER_S;
	if ((rc = tl_config_read_keys(r, table, section_keys, to)) < 0)
		return rc;
	limit = tl_data_get(table, "priority_max");
	if (to->create && tl_config_is_glob(to->name))
		return tl_config_wrong(r, tl_data_get(table, "create"),
		    "'%s' is a glob: no name to create", to->name);
	if (limit && to->keep_ns == 0)
		return tl_config_wrong(r, limit,
		    "has no effect without 'keep'");
	if (limit && to->priority_max < to->priority)
		return tl_config_wrong(r, limit, "less than 'priority'");
	return 0;
}
