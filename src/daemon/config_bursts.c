/* SPDX-License-Identifier: Apache-2.0 */
/* config_bursts.c - the sampling bursts of a section. */
#include "daemon/config_read.h"

#include "event/message.h"

#include <errno.h>
#include <string.h>

static const uint64_t length_ns = 100000;
static const uint64_t period_ns = 10000000;
static const double rarer_max = 1e6;
static const uint64_t slot_max_ns = TL_CONFIG_SECOND_NS;

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

/* One level: to is struct tl_config_bursts. */
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
		    "there is 'level' already");
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

/* "daemon" or "slots". */
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
static const struct tl_config_key keys[] = {
	{ .name = "level", read_level, 0 },
	{ .name = "levels", read_levels, 0 },
	{ .name = "rarer", read_rarer, AT(rarer) },
	{ .name = "length",
	    tl_config_duration,
	    AT(length_ns),
	    .min = 1000,
	    .max = TL_CONFIG_HOUR_NS },
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

int
tl_config_read_bursts(struct tl_config_reader *reader,
    const struct tl_data *table, const struct tl_config_key *key, void *to)
{
	struct tl_config_bursts *bursts = to;
	int rc;

	(void)key;
	bursts->rarer = 5;
	bursts->length_ns = length_ns;
	bursts->period_ns = period_ns;
	bursts->jitter = 0.5;
	if ((rc = tl_config_read_keys(reader, table, keys, bursts)) < 0)
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
