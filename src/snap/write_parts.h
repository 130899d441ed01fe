/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_parts.h - two parts of a snapshot that is made of events: its string
 * table, and the lanes of its entries.
 *
 * The table has a record for each message and each string, once, in memory
 * until the end.  Records of one timeline keep their place, so that their
 * numbers remain the same.
 *
 * Lanes.  Readers take the next entry of a lane by its number, and from the
 * lanes by epoch, stamp and lane.  There are two ways to keep the order in
 * which the events were put:
 *
 *	as they were	lanes and numbers of the one timeline that they come
 *			from.  Whole lanes are copied as they are; one that a
 *			filter thinned out is numbered anew, because a gap
 *			would be a loss.  Right where all lanes are whole, or
 *			the events came in order of epoch, stamp and lane.
 *	in a row	one fallback lane, whose entries know their CPUs, or,
 *			where stamps never go back, several one after the
 *			other: then no lane need be twice as long as the
 *			events, and a loss of any length can stand where a
 *			lane begins.
 *
 * A loss is a slot for each lost entry or, at the begin of a lane, a number.
 * In a row the last slot of a loss also carries its CPU, plus 1, in its first
 * argument; a number at the begin of a lane then counts one less.  Losses of
 * several CPUs at one place become one loss of no CPU, which is reported.
 */
#ifndef TL_SNAP_WRITE_PARTS_H
#define TL_SNAP_WRITE_PARTS_H

#include "base/table.h"
#include "event/message.h"
#include "snap/snap.h"

#define TL_TIMELINE_TABLE_MAX (UINT64_C(1) << 31) /* offsets have 32 bits */

enum {
	/* Room that is reserved for epochs, and for the message of those
	 * without room. */
	TL_TIMELINE_TABLE_SPARE = 128 << 20
};

struct tl_timeline_table {
	uint8_t *bytes;
	size_t capacity;
	uint64_t tail;     /* bytes in use */
	uint64_t size_max; /* the limit for messages and strings */
	uint64_t newest;   /* offset of the last record */
	uint32_t tiers;
	/* builtin messages become ordinary ones, as their arguments are stamps
	 * of another clock */
	bool no_builtins;
	uint64_t kept;   /* records below this offset keep their places */
	uint64_t *taken; /* a bit for each 16 bytes below kept */
	uint64_t hole;   /* there is no free place below this offset */
	struct tl_id_map messages;
	uint32_t *message_at; /* by number; 0: there was no room */
	size_t message_capacity;
	struct tl_id_map strings;
	uint32_t *string_at;
	size_t string_capacity;
	uint64_t unreadable; /* texts written without their $ */
	uint64_t builtins;   /* builtin messages written as ordinary ones */
	uint32_t lost;       /* the message of those without room */
};

/* Records below the offset kept keep their places.  0 or -ENOMEM. */
int tl_timeline_table_init(struct tl_timeline_table *table, uint64_t kept,
    uint32_t tiers);
void tl_timeline_table_free(struct tl_timeline_table *table);

/* The offset of a message as a record of this kind.  -ENOSPC: there is no room,
 * and it is the offset of a message that reports this; -ENOMEM. */
int tl_timeline_table_message(struct tl_timeline_table *table,
    const struct tl_message *message, uint8_t kind, uint32_t *offset);

/* The number of the string of a %s argument in this table.  -ENOSPC: there is
 * no room, and it is 0; -ENOENT: there is no such string, nor one of the new
 * number; -ENOMEM. */
int tl_timeline_table_string(struct tl_timeline_table *table,
    const struct tl_message *message, uint64_t number, uint64_t *named);

/* Add an epoch, which begins at these entries of the lanes. */
int tl_timeline_table_epoch(struct tl_timeline_table *table, uint32_t number,
    const uint64_t *heads, size_t lanes);

enum {
	TL_TIMELINE_EPOCHS_MAX = 256, /* the limit of readers */
	/* A loss of more entries begins another lane. */
	TL_TIMELINE_TORN_MAX = 64,
	/* Lanes that such losses may begin; further ones are written before all
	 * events. */
	TL_TIMELINE_BREAKS_MAX = 1000,
	/* Entries lost after the last event; more are written before all. */
	TL_TIMELINE_TAIL_MAX = 4096
};
/* A larger loss at the begin of a lane is cut to this: the numbers of entries
 * are bounded. */
#define TL_TIMELINE_LOST_MAX (UINT64_MAX / 4 - (UINT64_C(1) << 33))

/* The events of one lane, if lanes stay as they were. */
struct tl_timeline_strand {
	uint64_t base;        /* number of its first event */
	uint64_t next;        /* of the next event if no entry is lost */
	uint64_t lead;        /* entries missing before the first event ... */
	uint64_t overwritten; /* ... and those of them that are not lost */
	uint64_t span;        /* events, and losses between and after them */
	uint64_t torn;        /* of these, lost entries */
	uint64_t start;       /* when planned: the number of the first event */
	uint32_t epoch;
	bool any;        /* it has an event */
	bool renumbered; /* a filter removed events */
};

/* The heads at the begin of an epoch. */
struct tl_timeline_epoch {
	uint32_t number;
	uint64_t *heads; /* of every lane */
};

/* Counts of the events put so far, by which the lanes are planned. */
struct tl_timeline_lanes {
	const struct tl_snap *snap; /* NULL: lanes are not kept */
	struct tl_timeline_strand *strands;
	size_t strand_count;
	bool apart;      /* can the lanes stay as they were? */
	bool any;        /* there is an event */
	bool lanes_rise; /* ordered by epoch, stamp and lane */
	bool rises;      /* ordered by epoch and stamp */
	struct tl_event last;
	/* in a row: */
	uint64_t lost;  /* since the last event; at last, after it */
	bool has_cpus;  /* some losses have a CPU */
	bool leads_cpu; /* a loss before the first event has one */
	uint64_t span;  /* events and slots of losses */
	uint64_t events;
	uint64_t breaks; /* losses that begin a lane */
	/* planned: */
	struct timeline_head *heads;
	size_t head_capacity;
	uint32_t lane_count;
	struct tl_timeline_epoch *epochs; /* oldest first */
	size_t epoch_count;
	bool epochs_full; /* there was no room for some */
	bool displaced;   /* losses were moved before all events */
	bool cut; /* losses of more than TL_TIMELINE_LOST_MAX were cut */
	uint64_t cpus_lost; /* losses without their CPU */
};

int tl_timeline_lanes_init(struct tl_timeline_lanes *lanes,
    const struct tl_snap *snap);
void tl_timeline_lanes_free(struct tl_timeline_lanes *lanes);

/* Count one more event, oldest first. */
int tl_timeline_lanes_note(struct tl_timeline_lanes *lanes,
    const struct tl_event *event);

/*
 * After all events: plan the lanes, their heads and epochs, and set cpu_lanes,
 * fallback_lanes, tiers and tier_entries of the header.  events opens a cursor
 * of all events in the order in which they were put.  0, -EFBIG, -errno.
 */
struct tl_timeline_source {
	int (*open)(void *context, struct tl_cursor **cursor);
	void *context;
};
int tl_timeline_lanes_plan(struct tl_timeline_lanes *lanes,
    const struct tl_timeline_source *events, struct timeline_header *header);
/* The plan if the lanes cannot stay as they were. */
int tl_timeline_row_plan(struct tl_timeline_lanes *lanes,
    const struct tl_timeline_source *events, struct timeline_header *header);

/* a + b, at most UINT64_MAX. */
static inline uint64_t
tl_timeline_lost_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
/* Add an epoch whose heads are all 0.  NULL: no room. */
struct tl_timeline_epoch *tl_timeline_epoch_add(struct tl_timeline_lanes *lanes,
    size_t at, uint32_t number, size_t heads);

/* The places of the events as they are read again in the same order. */
struct tl_timeline_walk {
	struct tl_timeline_lanes *lanes;
	uint64_t slots;       /* of each lane, in a row */
	uint64_t lost;        /* since the last event ... */
	uint64_t overwritten; /* ... and those of them that are not lost */
	uint32_t lost_cpu; /* the CPU of that loss; TL_CPU_UNKNOWN: unknown */
	uint32_t mark;     /* CPU in the slot before the last event */
	uint64_t used;     /* slots of the lane so far */
	uint64_t events;
	uint64_t breaks;
	uint32_t lane;
	uint32_t epoch;
	bool split; /* may a lane end before it is full? */
	bool planning;
};

void tl_timeline_walk_start(struct tl_timeline_walk *walk,
    struct tl_timeline_lanes *lanes, const struct timeline_header *header);
/* The lane and number of an event, not TL_LOST.  0, -ENOMEM. */
int tl_timeline_walk_put(struct tl_timeline_walk *walk,
    const struct tl_event *event, uint32_t *lane, uint64_t *number);

#endif
