/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - the records of spans, one after another.
 *
 *	chunk | head args parts path | head args parts path | ... |
 *	chunk | head ...
 *
 * All heads have the same size.  A head is followed by the arguments of the
 * begin event, the parts (a feature in the upper 16 bits, its amount in the
 * lower 48), and the numbers of the path in the call tree.
 */
#ifndef TL_ANALYSIS_RECORDS_H
#define TL_ANALYSIS_RECORDS_H

#include "event/event.h"

enum {
	TL_RECORDS_MAX = 1 << 20,
	TL_RECORDS_SIZE_MAX = 112 << 20, /* bytes, for all messages together */
	TL_PARTS_MAX = 255,              /* of one span */
	TL_RECORD_PATH_MAX = 16,
	TL_PART_BITS = 48,
	TL_FEATURES_MAX = 1 << 16,
	TL_LEVELS_MAX = 8 /* the thresholds, and the level below them */
};

struct tl_record {
	int64_t begin_ns;
	int64_t duration_ns;
	int64_t since_thread_ns; /* INT64_MIN: the first span, or unknown */
	int64_t since_any_ns;    /* as since_thread_ns */
	uint32_t thread;
	uint32_t definition; /* number of the message's definition */
	uint32_t cpu;
	uint32_t end_cpu;
	uint32_t queue; /* other open spans of the message */
	uint32_t rank;  /* among the spans of the thread, from 1 */
	uint32_t children;
	uint32_t weight; /* number of spans that the record represents */
	uint8_t argc;
	uint8_t part_count;
	uint8_t path_count; /* 0: no path */
	uint8_t level : 4;  /* number of thresholds that the duration reaches */
	uint8_t lost : 1;
	/* the begin event is not in the record: only the duration is known */
	uint8_t alone : 1;
};

struct tl_records_chunk;

/* Starts from all zeros. */
struct tl_records {
	struct tl_records_chunk **chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	uint64_t count;
	uint64_t weight; /* sum over all records */
	uint32_t thinned;
};

/* The position of an iteration.  Set records, and all else to 0. */
struct tl_records_at {
	const struct tl_records *records;
	size_t chunk;
	size_t word;
};

/* The next record, in place.  NULL: the end. */
struct tl_record *tl_records_next(struct tl_records_at *at);
/* The next record of which more than the duration is known. */
struct tl_record *tl_records_known(struct tl_records_at *at);

static inline const uint64_t *
tl_record_args(const struct tl_record *record)
{
	return (const uint64_t *)(const void *)(record + 1);
}
static inline const uint64_t *
tl_record_parts(const struct tl_record *record)
{
	return tl_record_args(record) + record->argc;
}
static inline const uint64_t *
tl_record_path(const struct tl_record *record)
{
	return tl_record_parts(record) + record->part_count;
}
static inline unsigned
tl_part_feature(uint64_t part)
{
	return (unsigned)(part >> TL_PART_BITS);
}
static inline uint64_t
tl_part_amount(uint64_t part)
{
	return part & ((UINT64_C(1) << TL_PART_BITS) - 1);
}

/* The amount of a feature in a record.  0: the record lacks the feature. */
uint64_t tl_record_amount(const struct tl_record *record, unsigned feature);

/* Add a record: copy the head and the arrays that follow.  0 or -ENOMEM. */
int tl_records_add(struct tl_records *records, const struct tl_record *head,
    const uint64_t *args, const uint64_t *parts, const uint64_t *path);
size_t tl_records_size(const struct tl_records *records); /* in bytes */
void tl_records_free(struct tl_records *records);

/*
 * Drop about half of the records with durations below kept_ns, and double the
 * weight of the half that stays.
 */
void tl_records_thin(struct tl_records *records, int64_t kept_ns);

/* A value with a weight. */
struct tl_weighed {
	int64_t value;
	uint64_t weight;
};

/* The value up to which the sum of weights exceeds rank.  0 <= rank < the sum
 * of all weights, count > 0.  Reorders values. */
int64_t
tl_weighed_select(struct tl_weighed *values, size_t count, uint64_t rank);

#endif
