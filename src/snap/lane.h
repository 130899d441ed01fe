/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the parts of a frozen file: its messages, and the whole entries of
 * one lane in either direction, read in chunks.
 *
 * There is a message for every record that can be reached, made from a private
 * copy of the string table.  Messages are added as a followed file grows; a
 * message never moves.
 *
 * In CPU lanes entries are in the order of their numbers.  In fallback lanes
 * threads take tickets and stamps concurrently, so the order is (epoch, stamp,
 * number): the lane is read once for the stamps, which are nearly sorted, and
 * the sorted runs are merged.  The entries of each thread stay in order,
 * because a thread's tickets and stamps grow together.
 */
#ifndef TL_SNAP_LANE_H
#define TL_SNAP_LANE_H

#include "base/file.h"
#include "base/table.h"
#include "event/message.h"
#include "event/names.h"
#include "snap/snap.h"

/* The counter restarted.  Entries from heads[lane] on belong to this epoch. */
struct tl_epoch {
	uint32_t number;
	uint64_t *heads;
};

struct tl_messages {
	struct tl_strings strings; /* first member: messages point to it */
	uint8_t *table;            /* copy of the string table */
	uint64_t size;             /* of the table */
	uint64_t filled;           /* bytes of the table read so far */
	uint64_t newest;           /* the record at which the last walk began */
	uint64_t base;             /* offset of the table in the file */
	bool has_gates;            /* the header has gates of messages */
	bool is_cut;               /* the file ends before the table does */
	bool has_noted_cut;        /* the cut has been reported for an entry */
	size_t lane_count;
	struct tl_message **list; /* oldest definition first */
	size_t count;
	size_t capacity;
	/* By offset of a record / TIMELINE_RECORD_MIN: the address of a
	 * message, which is even, or twice the number of a string, plus 1; 0:
	 * none.  Records are at least as long, so no two have one place; and no
	 * hash is needed for each entry. */
	uintptr_t *places;
	struct tl_string_place *texts;
	size_t text_count;
	size_t text_capacity;
	struct tl_epoch *epochs; /* oldest first */
	size_t epoch_count;
	size_t epoch_capacity;
	struct tl_names names;     /* of processes and threads */
	uint64_t names_put;        /* names_put at the last reading of names */
	struct tl_message unknown; /* for entries without a valid message */
	uint64_t mult;             /* of the clock, for builtin messages */
};

/* Make the message that stands for messages that are not there. */
void tl_message_make_lost(struct tl_message *message);

/* Create an empty table for a file with this geometry.  0 or -ENOMEM. */
int tl_messages_new(struct tl_messages **messages,
    const struct timeline_header *header, uint64_t file_size);
void tl_messages_free(struct tl_messages *messages);

/* Read the new records of the file, and their messages.  0, -ENOMEM or
 * -errno. */
int tl_messages_update(struct tl_messages *messages, struct tl_storage *file,
    const struct timeline_header *header, struct tl_faults *faults);

/* Read the gates of the messages again from the live file.  0 or -errno. */
int tl_messages_read_gates(struct tl_messages *messages, int fd);

static inline uintptr_t
tl_messages_place(const struct tl_messages *m, uint64_t offset)
{
	const uint64_t block = offset / TIMELINE_RECORD_MIN;

	return block <= m->size / TIMELINE_RECORD_MIN ? m->places[block] : 0;
}

/* The message of the record at an offset.  NULL: none. */
static inline const struct tl_message *
tl_messages_find(const struct tl_messages *m, uint64_t offset)
{
	const uintptr_t place = tl_messages_place(m, offset);
	const struct tl_message *message =
	    place & 1 ? NULL : (const struct tl_message *)place;

	return message && message->id == offset ? message : NULL;
}

/* The first id after the ids of builtin messages. */
uint32_t tl_messages_end_of_builtins(const struct tl_messages *messages);

/* The epoch of an entry. */
uint32_t tl_messages_epoch(const struct tl_messages *messages, uint32_t lane,
    uint64_t number);

/* How a lane is sorted by stamp. */
struct tl_lane_sort {
	const struct tl_messages *epochs;
	uint64_t tail;   /* number of newest entries; 0: all */
	bool has_losses; /* count incomplete entries */
};

/* An entry of a sorted lane. */
struct tl_lane_key {
	uint64_t tsc;
	uint32_t number; /* relative to the first entry of the range */
	uint32_t lost;   /* incomplete entries right before the entry */
};

struct tl_lane {
	struct tl_storage *frozen;
	const struct timeline_header *header;
	uint32_t number; /* number of the lane */
	enum tl_order order;
	uint64_t first; /* entries [first, end) are still to be read */
	uint64_t end;
	uint64_t room;  /* slots of the lane ... */
	uint64_t slots; /* ... and the slots of these that the file has */
	/* entries [chunk_first, chunk_end) are in memory */
	struct timeline_entry *chunk;
	uint64_t chunk_first;
	uint64_t chunk_end;
	uint64_t chunk_max;
	bool has_sums; /* timeline_lane_has_sums */
	/* sorted by stamp, or NULL: keys [key, key_end) are still to be read */
	struct tl_lane_key *keys;
	size_t key;
	size_t key_end;
	uint64_t key_base;  /* number of the first entry of the range */
	uint64_t range_end; /* number after the last entry of the range */
	uint64_t lost_next; /* lost entries reported before the next entry */
	uint64_t lost_last; /* lost entries reported after the last entry */
	/* the entry that tl_lane_step() found */
	const struct timeline_entry *entry; /* NULL: the end */
	uint64_t entry_number;
	uint64_t lost;     /* incomplete entries before the entry */
	uint32_t lost_cpu; /* CPU of the loss, in an imported file */
};

/* Open a lane.  chunk_max entries are read at a time.  sort: by stamp; NULL: by
 * number.  0; -ENOMEM; for a sorted lane also -errno of reading. */
int tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max,
    const struct tl_lane_sort *sort);
void tl_lane_close(struct tl_lane *lane);

/* Step to the next whole entry.  Sets entry (until the next call), its number,
 * and the number of incomplete entries before.  0 or -errno. */
int tl_lane_step(struct tl_lane *lane);

/* Oldest first, by number: skip entries in memory that are whole, whose message
 * ids are not below id, and whose stamps rise and are before `before`.  The
 * last of these entries in a row is not skipped, nor is an entry that is two
 * events.  Returns the number of skipped entries. */
uint64_t tl_lane_skip(struct tl_lane *lane, uint32_t id, uint64_t before);

#endif
