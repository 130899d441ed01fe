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
static const uint64_t slot_max_ns = TL_NS_PER_S;
static const double rarer_max = 1e6;
static const uint64_t record_size = UINT64_C(256) << 20;
static const uint64_t record_size_min = UINT64_C(64) << 10;
static const uint64_t record_size_max = UINT64_C(1) << 60;

/* == name == */

static int
read_name(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char **name = to;
	int rc;

	if ((rc = tl_config_glob(reader, value, key, name)) < 0)
		return rc;
	*name += (*name)[0] == '/';
	if (strchr(*name, '/'))
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "contains '/': only timelines in /dev/shm are attached");
	if (strcmp(*name, "") == 0 || strcmp(*name, ".") == 0 ||
	    strcmp(*name, "..") == 0)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "not a name of a file");
	if (strlen(*name) > NAME_MAX)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "longer than %d bytes", NAME_MAX);
	return 0;
}

/* == create == */

static int
read_stamp(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	static const char *const names[] = { [TIMELINE_STAMP_AUTO] = "auto",
		[TIMELINE_STAMP_TSC] = "tsc",
		[TIMELINE_STAMP_REALTIME] = "realtime" };
	uint32_t *stamp = to;

	(void)key;
	for (uint32_t i = 0; i < TL_COUNT(names); i++) {
		if (value->kind != TL_DATA_TEXT ||
		    strcmp(value->text, names[i]) != 0)
			continue;
		*stamp = i;
		return 0;
	}
	return tl_data_fault(value, reader->fault, -EINVAL,
	    "not \"auto\", \"tsc\" or \"realtime\"");
}

#define AT(member) offsetof(struct timeline_options, member)
static const struct tl_config_key create_keys[] = {
	{ .name = "entries",
	    tl_config_size,
	    AT(entries),
	    .min = 1,
	    .max = entries_max },
	{ .name = "stringtablesize",
	    tl_config_size,
	    AT(stringtablesize),
	    .min = 1,
	    .max = strings_max },
	{ .name = "mode", tl_config_mode, AT(mode) },
	{ .name = "tiers", tl_config_number, AT(tiers), .min = 1, .max = 2 },
	{ .name = "cpu_lanes",
	    tl_config_number,
	    AT(cpu_lanes),
	    .min = 1,
	    .max = TIMELINE_LANES_MAX },
	{ .name = "fallback_lanes",
	    tl_config_number,
	    AT(fallback_lanes),
	    .min = 1,
	    .max = TIMELINE_LANES_MAX },
	{ .name = "stamp", read_stamp, AT(stamp) },
	{ .name = NULL },
};
#undef AT

/* Read true, false or the options of creation; to is struct
 * tl_config_timeline. */
static int
read_create(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_timeline *timeline = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(reader, value, key, &timeline->create);
	timeline->create = true;
	return tl_config_read_keys(reader, value, create_keys,
	    &timeline->options);
}

/* == owners == */

static int
read_owners(struct tl_config_reader *reader, const struct tl_data *list,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_timeline *timeline = to;
	int rc = tl_config_check_list(reader, list, TL_CONFIG_OWNERS_MAX);

	(void)key;
	for (size_t i = 0; rc == 0 && i < list->count; i++)
		rc = tl_config_find_user(reader, &list->items[i],
		    &timeline->owners[i]);
	if (rc == 0)
		timeline->owner_count = list->count;
	return rc;
}

/* == snapshots == */

#define AT(member) offsetof(struct tl_config_keep, member)
static const struct tl_config_key keep_keys[] = {
	{ .name = "count",
	    tl_config_size,
	    AT(count),
	    .min = 1,
	    .max = UINT64_C(1) << 30 },
	{ .name = "age",
	    tl_config_duration,
	    AT(age_ns),
	    .min = TL_NS_PER_S,
	    .max = TL_CONFIG_AGE_NS_MAX },
	{ .name = "bytes",
	    tl_config_size,
	    AT(bytes),
	    .min = 1,
	    .max = UINT64_C(1) << 60 },
	{ .name = NULL },
};
#undef AT

/* Read the limits of kept files.  A table replaces the default: an absent key
 * means no limit. */
static int
read_keep(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_keep *keep = to;

	(void)key;
	memset(keep, 0, sizeof(*keep));
	return tl_config_read_keys(reader, value, keep_keys, keep);
}

static int
read_compress(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	int *level = to;

	(void)key;
	if (value->kind == TL_DATA_FLAG) {
		*level = value->flag ? COMPRESS : 0;
		return 0;
	}
	if (value->kind != TL_DATA_INTEGER || value->integer < 1 ||
	    value->integer > COMPRESS_MAX)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "not true, false or a level from 1 to %d", COMPRESS_MAX);
	*level = (int)value->integer;
	return 0;
}

#define AT(member) offsetof(struct tl_config_rate, member)
static const struct tl_config_key rate_keys[] = {
	{ .name = "every",
	    tl_config_duration,
	    AT(every_ns),
	    .max = TL_CONFIG_DAY_NS },
	{ .name = "per_hour", tl_config_size, AT(per_hour), .max = 3600000 },
	{ .name = NULL },
};
#undef AT

static int
read_rate(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	(void)key;
	return tl_config_read_keys(reader, value, rate_keys, to);
}

/* Read true, false or the limit of snapshots on death; to is struct
 * tl_config_snapshots. */
static int
read_on_death(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_snapshots *snapshots = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(reader, value, key, &snapshots->on_death);
	snapshots->on_death = true;
	return read_rate(reader, value, key, &snapshots->death);
}

#define AT(member) offsetof(struct tl_config_snapshots, member)
static const struct tl_config_key snapshot_keys[] = {
	{ .name = "every",
	    tl_config_duration,
	    AT(every_ns),
	    .min = TL_NS_PER_S,
	    .max = 366 * TL_CONFIG_DAY_NS },
	{ .name = "on_death", read_on_death, 0 },
	{ .name = "on_request", read_rate, AT(request) },
	{ .name = "compress", read_compress, AT(compress) },
	{ .name = "keep", read_keep, AT(keep) },
	{ .name = NULL },
};
#undef AT

static int
read_snapshots(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	(void)key;
	return tl_config_read_keys(reader, value, snapshot_keys, to);
}

/* == bursts == */

static int
read_rarer(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	double *rarer = to;
	int rc;

	if ((rc = tl_config_real(reader, value, key, rarer)) < 0)
		return rc;
	if (*rarer < 1 || *rarer > rarer_max)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "not between 1 and %g", rarer_max);
	return 0;
}

/* Read a single level; to is struct tl_config_bursts. */
static int
read_level(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_bursts *bursts = to;

	bursts->level_count = 1;
	return tl_config_level(reader, value, key, &bursts->levels[0]);
}

static int
read_levels(struct tl_config_reader *reader, const struct tl_data *list,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_bursts *bursts = to;
	int rc = tl_config_check_list(reader, list, TL_CONFIG_LEVELS_MAX);

	if (rc < 0)
		return rc;
	if (bursts->level_count > 0)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "'level' is given as well");
	for (size_t i = 0; i < list->count; i++) {
		rc = tl_config_level(reader, &list->items[i], key,
		    &bursts->levels[i]);
		if (rc < 0)
			return rc;
		if (i > 0 && bursts->levels[i] >= bursts->levels[i - 1])
			return tl_data_fault(&list->items[i], reader->fault,
			    -EINVAL, "not more detailed than %s before it",
			    tl_level_name(bursts->levels[i - 1]));
	}
	bursts->level_count = list->count;
	return 0;
}

/* Read "daemon" or "slots". */
static int
read_by(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char *by = NULL;
	bool *slots = to;
	int rc;

	if ((rc = tl_config_text(reader, value, key, &by)) < 0)
		return rc;
	*slots = strcmp(by, "slots") == 0;
	if (!*slots && strcmp(by, "daemon") != 0)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "neither \"daemon\" nor \"slots\"");
	return 0;
}

#define AT(member) offsetof(struct tl_config_bursts, member)
static const struct tl_config_key burst_keys[] = {
	{ .name = "level", read_level, 0 },
	{ .name = "levels", read_levels, 0 },
	{ .name = "rarer", read_rarer, AT(rarer) },
	{ .name = "length",
	    tl_config_duration,
	    AT(length_ns),
	    .min = 1000,
	    .max = TL_NS_PER_H },
	{ .name = "period",
	    tl_config_duration,
	    AT(period_ns),
	    .min = 1000000,
	    .max = TL_CONFIG_DAY_NS },
	{ .name = "jitter", tl_config_share, AT(jitter) },
	{ .name = "by", read_by, AT(slots) },
	{ .name = "share", tl_config_share, AT(share) },
	{ .name = NULL },
};
#undef AT

static int
read_bursts(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_bursts *bursts = to;
	int rc;

	(void)key;
	bursts->rarer = 5;
	bursts->length_ns = burst_length_ns;
	bursts->period_ns = burst_period_ns;
	bursts->jitter = 0.5;
	if ((rc = tl_config_read_keys(reader, table, burst_keys, bursts)) < 0)
		return rc;
	if (bursts->level_count == 0)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "'level' is missing (or 'levels')");
	if (bursts->share > 0 && !bursts->slots)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "'share' needs by = \"slots\"");
	if (bursts->slots && bursts->length_ns > slot_max_ns)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "'length' of a slot is at most 1s");
	if (bursts->length_ns < bursts->period_ns || bursts->share > 0)
		return 0;
	return tl_data_fault(table, reader->fault, -EINVAL,
	    "'length' is not less than 'period'");
}

/* == recordings == */

static void
record_defaults(struct tl_config_record *record)
{
	*record = (struct tl_config_record){ .size = record_size,
		.age_ns = TL_NS_PER_H,
		.flush_ns = TL_NS_PER_S,
		.compress = COMPRESS,
		.keep = { .count = KEEP_COUNT } };
}

#define AT(member) offsetof(struct tl_config_record, member)
static const struct tl_config_key record_keys[] = {
	{ .name = "directory", tl_config_path, AT(directory) },
	{ .name = "size",
	    tl_config_size,
	    AT(size),
	    .min = record_size_min,
	    .max = record_size_max },
	{ .name = "age",
	    tl_config_duration,
	    AT(age_ns),
	    .min = TL_NS_PER_S,
	    .max = 366 * TL_CONFIG_DAY_NS },
	{ .name = "flush",
	    tl_config_duration,
	    AT(flush_ns),
	    .min = 1000000,
	    .max = TL_NS_PER_H },
	{ .name = "compress", read_compress, AT(compress) },
	{ .name = "keep", read_keep, AT(keep) },
	{ .name = NULL },
};
#undef AT

static int
read_record(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_record *record = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(reader, value, key, &record->on);
	record->on = true;
	return tl_config_read_keys(reader, value, record_keys, record);
}

/* == the kernel's events == */

/* Read "save", the only value: the kernel's buffer is read when a snapshot is
 * saved. */
static int
read_drain(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char *drain = NULL;
	int rc;

	(void)to;
	if ((rc = tl_config_text(reader, value, key, &drain)) < 0)
		return rc;
	if (strcmp(drain, "save") != 0)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "not \"save\"");
	return 0;
}

#define AT(member) offsetof(struct tl_config_kernel, member)
static const struct tl_config_key kernel_keys[] = {
	{ .name = "drain", read_drain, 0 },
	{ .name = "size",
	    tl_config_size,
	    AT(size),
	    .min = TL_KERNEL_SIZE_MIN,
	    .max = TL_KERNEL_SIZE_MAX },
	{ .name = "faults", tl_config_flag, AT(faults) },
	{ .name = "names", tl_config_flag, AT(names) },
	{ .name = NULL },
};
#undef AT

static int
read_kernel(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_kernel *kernel = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(reader, value, key, &kernel->on);
	kernel->on = true;
	return tl_config_read_keys(reader, value, kernel_keys, kernel);
}

/* == the section == */

#define AT(member) offsetof(struct tl_config_timeline, member)
static const struct tl_config_key section_keys[] = {
	{ .name = "name", read_name, AT(name), .required = true },
	{ .name = "create", read_create, 0 },
	{ .name = "priority", tl_config_gate, AT(priority) },
	{ .name = "keep",
	    tl_config_duration,
	    AT(keep_ns),
	    .min = 1000000,
	    .max = 366 * TL_CONFIG_DAY_NS },
	{ .name = "priority_max", tl_config_level, AT(priority_max) },
	{ .name = "owners", read_owners, 0 },
	{ .name = "bursts", read_bursts, AT(bursts) },
	{ .name = "triggers", tl_config_read_triggers, 0 },
	{ .name = "snapshots", read_snapshots, AT(snapshots) },
	{ .name = "record", read_record, AT(record) },
	{ .name = "kernel", read_kernel, AT(kernel) },
	{ .name = "timer_window",
	    tl_config_duration,
	    AT(timer_window_ns),
	    .min = TL_NS_PER_S,
	    .max = TL_CONFIG_DAY_NS },
	{ .name = NULL },
};
#undef AT

static int
check_priority_max(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_timeline *timeline)
{
	const struct tl_data *value = tl_data_get(table, "priority_max");

	if (!value)
		return 0;
	if (timeline->keep_ns == 0)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "has no effect without 'keep'");
	if (timeline->priority_max < timeline->priority)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "less than 'priority'");
	return 0;
}

int
tl_config_read_timeline(struct tl_config_reader *reader,
    const struct tl_data *table, struct tl_config_timeline *to)
{
	int rc;

	to->snapshots.compress = COMPRESS;
	to->snapshots.keep.count = KEEP_COUNT;
	to->snapshots.death =
	    (struct tl_config_rate){ .every_ns = 10 * TL_NS_PER_S,
		    .per_hour = 60 };
	to->snapshots.request = (struct tl_config_rate){ .per_hour = 600 };
	record_defaults(&to->record);
	to->kernel.size = TL_KERNEL_SIZE_DEFAULT;
	to->timer_window_ns = 60 * TL_NS_PER_S;
	if ((rc = tl_config_read_keys(reader, table, section_keys, to)) < 0)
		return rc;
	if (to->create && tl_config_is_glob(to->name))
		return tl_data_fault(tl_data_get(table, "create"),
		    reader->fault, -EINVAL, "'%s' is a glob: no name to create",
		    to->name);
	return check_priority_max(reader, table, to);
}
