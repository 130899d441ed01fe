/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_table.h - the string table of a snapshot that is being written: a
 * record for each message and each string, once, in memory until the end.
 *
 * What comes out of one timeline keeps the place that it had there, so that
 * its number, which entries and people know it by, is the same.
 */
#ifndef TL_SNAP_WRITE_TABLE_H
#define TL_SNAP_WRITE_TABLE_H

#include "base/id_map.h"

#include "event/message.h"

#define TL_TIMELINE_TABLE_MAX (UINT64_C(1) << 31) /* offsets have 32 bits */

enum {
	/* Room that messages and strings leave: for the epochs, and for the
	 * message that stands for those which found no room. */
	TL_TIMELINE_TABLE_SPARE = 128 << 20
};

struct tl_timeline_table {
	uint8_t *bytes;
	size_t capacity;
	uint64_t tail;     /* bytes in use */
	uint64_t size_max; /* that messages and strings may fill */
	uint64_t newest;   /* offset of the last record */
	uint32_t tiers;
	bool no_builtins; /* what they say counts in another clock's stamps */
	uint64_t kept;    /* records keep their places below */
	uint64_t *taken;  /* a bit for each 16 bytes below */
	uint64_t hole;    /* none is free below */
	struct tl_id_map messages;
	uint32_t *message_at; /* by number; 0: found no room */
	size_t message_capacity;
	struct tl_id_map strings;
	uint32_t *string_at;
	size_t string_capacity;
	uint64_t unreadable; /* texts written without their $ */
	uint64_t builtins;   /* ... that are ordinary messages now */
	uint32_t lost;       /* the message of those that found no room */
};

/* kept: how far places are kept; 0 nowhere.  0 or -ENOMEM. */
int tl_timeline_table_init(struct tl_timeline_table *table, uint64_t kept,
    uint32_t tiers);
void tl_timeline_table_free(struct tl_timeline_table *table);

/* The offset of a message as a record of this kind.  When it finds no room,
 * that of one which says so, and -ENOSPC; -ENOMEM. */
int tl_timeline_table_message(struct tl_timeline_table *table,
    const struct tl_message *message, uint8_t kind, uint32_t *offset);

/* The number that a %s argument of the message has in this table: 0 for one
 * that found no room, and -ENOSPC; -ENOENT: it names no string, and the new
 * number none either; -ENOMEM. */
int tl_timeline_table_string(struct tl_timeline_table *table,
    const struct tl_message *message, uint64_t number, uint64_t *named);

/* From these entries of the lanes on the clock's epoch is another. */
int tl_timeline_table_epoch(struct tl_timeline_table *table, uint32_t number,
    const uint64_t *heads, size_t lanes);

#endif
