/* SPDX-License-Identifier: Apache-2.0 */
/* config_record.c - how a timeline is recorded. */
#include "daemon/config_read.h"

enum { COMPRESS = 3, KEEP_COUNT = 100 };

static const uint64_t size_default = UINT64_C(256) << 20;
static const uint64_t size_min = UINT64_C(64) << 10;
static const uint64_t size_max = UINT64_C(1) << 60;

void
tl_config_record_init(struct tl_config_record *record)
{
	*record = (struct tl_config_record){ .size = size_default,
		.age_ns = TL_CONFIG_HOUR_NS,
		.flush_ns = TL_CONFIG_SECOND_NS,
		.compress = COMPRESS,
		.keep = { .count = KEEP_COUNT } };
}

#define AT(member) offsetof(struct tl_config_record, member)
static const struct tl_config_key keys[] = {
	{ .name = "directory", tl_config_path, AT(directory) },
	{ .name = "size",
	    tl_config_size,
	    AT(size),
	    .min = size_min,
	    .max = size_max },
	{ .name = "age",
	    tl_config_duration,
	    AT(age_ns),
	    .min = TL_CONFIG_SECOND_NS,
	    .max = 366 * TL_CONFIG_DAY_NS },
	{ .name = "flush",
	    tl_config_duration,
	    AT(flush_ns),
	    .min = 1000000,
	    .max = TL_CONFIG_HOUR_NS },
	{ .name = "compress", tl_config_read_compress, AT(compress) },
	{ .name = "keep", tl_config_read_keep, AT(keep) },
	{ .name = NULL },
};
#undef AT

int
tl_config_read_record(struct tl_config_reader *reader,
    const struct tl_data *value, const struct tl_config_key *key, void *to)
{
	struct tl_config_record *record = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(reader, value, key, &record->on);
	record->on = true;
	return tl_config_read_keys(reader, value, keys, record);
}
