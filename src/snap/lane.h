/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the parts of a frozen file: its messages, and the whole entries of
 * one lane, one after the other in either direction, a chunk at a time.
 *
 * Messages are every record that can be reached, made from a private copy of
 * the string table.  They can be brought up to date as a followed file grows;
 * a message once made stays where it is.
 *
 * In CPU lanes entries are in the order of their numbers.  In fallback lanes
 * threads take tickets and stamps side by side, so there the order is (epoch,
 * stamp, number): the lane is read once for the stamps, which are nearly
 * sorted, and the runs that are there by nature are merged.  Each thread's
 * entries stay in its order, because its tickets and stamps grow together.
 */
#ifndef TL_SNAP_LANE_H
#define TL_SNAP_LANE_H

#include "base/file.h"
#include "base/table.h"
#include "event/message.h"
#include "event/names.h"
#include "snap/snap.h"

/* The counter began again: entries from heads[lane] on are of this epoch. */
struct tl_epoch {
	uint32_t number;
	uint64_t *heads;
};

struct tl_messages {
	struct tl_strings strings; /* first: found from the messages */
	uint8_t *table;            /* copy of the string table */
	uint64_t size;             /* of the table */
	uint64_t filled;           /* bytes of it that were read */
	uint64_t newest;           /* record the last walk began with */
	uint64_t base;             /* where the table is in the file */
	size_t lane_count;
	struct tl_message **list; /* oldest definition first */
	size_t count;
	size_t capacity;
	struct tl_table places; /* of records, by offset */
	struct tl_record_place *records;
	size_t record_count;
	size_t record_capacity;
	struct tl_epoch *epochs; /* oldest first */
	size_t epoch_count;
	struct tl_names names;     /* of processes and threads */
	uint64_t names_put;        /* names are as of then */
	struct tl_message unknown; /* for entries that name none */
	uint64_t mult;             /* of the clock, for builtin messages */
};

/* An empty table for a file of this geometry.  -ENOMEM. */
int tl_messages_new(struct tl_messages **messages,
    const struct timeline_header *header, uint64_t file_size);
void tl_messages_free(struct tl_messages *messages);

/* Read what was added to the file since, and walk to the new records. */
int tl_messages_update(struct tl_messages *messages, struct tl_storage *file,
    const struct timeline_header *header, struct tl_faults *faults);

/* The message of a record; NULL when none was met at this offset. */
const struct tl_message *
tl_messages_find(const struct tl_messages *messages, uint32_t offset);

/* The epoch of an entry. */
uint32_t tl_messages_epoch(const struct tl_messages *messages, uint32_t lane,
    uint64_t number);

struct tl_messages;

/* How a lane is sorted by stamp. */
struct tl_lane_sort {
	const struct tl_messages *epochs;
	uint64_t tail;   /* the newest so many; 0 all */
	bool has_losses; /* count what is not whole */
};

/* An entry of a sorted lane. */
struct tl_lane_key {
	uint64_t tsc;
	uint32_t number; /* counted from the first of the range */
	uint32_t lost;   /* not whole right before that number */
};

struct tl_lane {
	struct tl_storage *frozen;
	const struct timeline_header *header;
	uint32_t number; /* of the lane */
	enum tl_order order;
	uint64_t first; /* entries [first, end) are still to come */
	uint64_t end;
	uint64_t slots; /* so many of the lane's lie in the file */
	/* entries [chunk_first, chunk_end) are in memory */
	struct timeline_entry *chunk;
	uint64_t chunk_first;
	uint64_t chunk_end;
	uint64_t chunk_max;
	bool has_sums; /* timeline_lane_has_sums */
	/* sorted by stamp, else NULL: keys [key, key_end) are still to come */
	struct tl_lane_key *keys;
	size_t key;
	size_t key_end;
	uint64_t key_base;  /* number of the first of the range */
	uint64_t range_end; /* behind the last of the range */
	uint64_t lost_next; /* stands before the next one */
	uint64_t lost_last; /* stands behind the last one */
	/* what tl_lane_step found */
	const struct timeline_entry *entry; /* NULL: no more */
	uint64_t entry_number;
	uint64_t lost;     /* entries before it that are not whole */
	uint32_t lost_cpu; /* their CPU, in an imported file */
};

/* chunk_max entries are read at a time.  sort: by stamp, or NULL: by number.
 * -ENOMEM, or where it is sorted what reading says. */
int tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max,
    const struct tl_lane_sort *sort);
void tl_lane_close(struct tl_lane *lane);

/* Go on to the next whole entry: sets entry (until the next call), its number
 * and how many that were not whole were passed.  0 or -errno. */
int tl_lane_step(struct tl_lane *lane);

#endif
