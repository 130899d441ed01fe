/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h - the definitions of a file: every record that can be reached.
 *
 * Made from a private copy of the string table; may be brought up to date as
 * a followed file grows: messages once made stay where they are.
 */
#ifndef TL_SNAP_MESSAGES_H
#define TL_SNAP_MESSAGES_H

#include "base/storage.h"
#include "event/message.h"
#include "snap/faults.h"

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
	struct tl_record_slot *slots; /* by offset of the record */
	size_t slot_count;            /* a power of two */
	size_t slots_used;
	struct tl_epoch *epochs; /* oldest first */
	size_t epoch_count;
	struct tl_message unknown; /* for entries that name none */
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

#endif
