/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_parts.h - two parts of a snapshot that is made of events: its string
 * table, and the lanes of its entries.
 *
 * The table has a record for each message and each string, once, in memory
 * until the end.  Records of a single timeline keep their places, so that their
 * numbers stay the same.
 *
 * Lanes.  Readers take the next entry of a lane by its number, and from the
 * lanes by epoch, stamp and lane.  There are two ways to keep the order in
 * which the events were put:
 *
 *	as they were	lanes and numbers of the single timeline that the events
 *			come from.  Whole lanes are copied as they are; a lane
 *			that a filter thinned out is numbered anew, because a
 *			gap would be a loss.  This way is right if all lanes are
 *			whole, or the events came in order of epoch, stamp and
 *			lane.
 *	in a row	one fallback lane, whose entries have their CPUs, or, if
 *			stamps never go back, several lanes one after the other.
 *			With several lanes no lane need be twice as long as the
 *			events, and a loss of any length fits at the begin of a
 *			lane.
 *
 * A loss is a slot for each lost entry or, at the begin of a lane, a number.
 * In a row the last slot of a loss also carries its CPU, plus 1, in its first
 * argument; a number at the begin of a lane then counts one less.  Losses of
 * several CPUs at the same place become one loss without a CPU, which is
 * reported.
 */
#ifndef TL_SNAP_WRITE_PARTS_H
#define TL_SNAP_WRITE_PARTS_H

#include "base/table.h"
#include "event/message.h"
#include "event/sorter.h"
#include "snap/snap.h"

#define TL_TIMELINE_TABLE_MAX (UINT64_C(1) << 31) /* offsets have 32 bits */

enum {
	/* Room reserved for epochs, and for the message that stands for
	 * messages without room. */
	TL_TIMELINE_TABLE_SPARE = 128 << 20
};

struct tl_timeline_table {
	uint8_t *bytes;
	size_t capacity;
	uint64_t tail;     /* bytes in use */
	uint64_t size_max; /* limit for messages and strings */
	uint64_t newest;   /* offset of the last record */
	uint32_t tiers;
	/* builtin messages become ordinary ones, because their arguments are
	 * stamps of another clock */
	bool no_builtins;
	uint64_t kept;   /* records below this offset keep their places */
	uint64_t *taken; /* a bit for each 16 bytes below kept */
	uint64_t hole;   /* no place below this offset is free */
	struct tl_id_map messages;
	uint32_t *message_at; /* by number; 0: no room */
	size_t message_capacity;
	struct tl_id_map strings;
	uint32_t *string_at;
	size_t string_capacity;
	uint64_t unreadable; /* texts written without their $ */
	/* number of builtin messages written as ordinary ones */
	uint64_t builtins;
	uint32_t lost; /* the message that stands for messages without room */
};

/* Start.  Records below the offset kept keep their places.  0 or -ENOMEM. */
int tl_timeline_table_init(struct tl_timeline_table *table, uint64_t kept,
    uint32_t tiers);
void tl_timeline_table_free(struct tl_timeline_table *table);

/* Find or write a message as a record of a kind.  0; -ENOSPC: no room, and
 * *offset is the message that reports this; -ENOMEM. */
int tl_timeline_table_message(struct tl_timeline_table *table,
    const struct tl_message *message, uint8_t kind, uint32_t *offset);

/* Find or write the string of a %s argument.  0; -ENOSPC: no room, and *named
 * is 0; -ENOENT: no such string, and no string has the number *named either;
 * -ENOMEM. */
int tl_timeline_table_string(struct tl_timeline_table *table,
    const struct tl_message *message, uint64_t number, uint64_t *named);

/* Add an epoch that begins at the given entry of each lane.  0 or -errno. */
int tl_timeline_table_epoch(struct tl_timeline_table *table, uint32_t number,
    const uint64_t *heads, size_t lanes);

enum {
	TL_TIMELINE_EPOCHS_MAX = 256, /* the limit of readers */
	/* A larger loss begins another lane. */
	TL_TIMELINE_TORN_MAX = 64,
	/* Most lanes that such losses begin.  Further losses are written before
	 * all events. */
	TL_TIMELINE_BREAKS_MAX = 1000,
	/* Entries lost after the last event.  A larger loss is written before
	 * all events. */
	TL_TIMELINE_TAIL_MAX = 4096
};
/* A larger loss at the begin of a lane is cut, because the numbers of entries
 * are bounded. */
#define TL_TIMELINE_LOST_MAX (UINT64_MAX / 4 - (UINT64_C(1) << 33))

/* The events of one lane, for lanes that stay as they were. */
struct tl_timeline_strand {
	uint64_t base;        /* number of the first event */
	uint64_t next;        /* number of the next event if no entry is lost */
	uint64_t lead;        /* entries missing before the first event ... */
	uint64_t overwritten; /* ... and the overwritten entries among them */
	uint64_t span;  /* events, and the losses between and after them */
	uint64_t torn;  /* lost entries in span */
	uint64_t start; /* when planned: number of the first event */
	uint32_t epoch;
	bool any;        /* the lane has an event */
	bool renumbered; /* a filter removed events */
};

/* The heads of all lanes at the begin of an epoch. */
struct tl_timeline_epoch {
	uint32_t number;
	uint64_t *heads; /* of every lane */
};

/* Counts of the events put so far, from which the lanes are planned. */
struct tl_timeline_lanes {
	const struct tl_snap *snap; /* NULL: lanes are not kept */
	struct tl_timeline_strand *strands;
	size_t strand_count;
	bool apart;      /* the lanes can stay as they were */
	bool any;        /* there is an event */
	bool lanes_rise; /* ordered by epoch, stamp and lane */
	bool rises;      /* ordered by epoch and stamp */
	struct tl_event last;
	/* == in a row == */
	uint64_t lost;  /* lost since the last event; finally, after it */
	bool has_cpus;  /* some losses have a CPU */
	bool leads_cpu; /* a loss before the first event has a CPU */
	uint64_t span;  /* events and slots of losses */
	uint64_t events;
	bool starts;     /* some of the lost entries were before their lane's */
	uint64_t breaks; /* losses that begin a lane */
	/* == planned == */
	struct timeline_head *heads;
	size_t head_capacity;
	uint32_t lane_count;
	struct tl_timeline_epoch *epochs; /* oldest first */
	size_t epoch_count;
	bool epochs_full; /* some epochs had no room */
	bool displaced;   /* losses were moved before all events */
	bool cut; /* losses of more than TL_TIMELINE_LOST_MAX were cut */
	uint64_t cpus_lost; /* losses without their CPU */
};

int tl_timeline_lanes_init(struct tl_timeline_lanes *lanes,
    const struct tl_snap *snap);
void tl_timeline_lanes_free(struct tl_timeline_lanes *lanes);

/* Count another event, oldest first.  0 or -errno. */
int tl_timeline_lanes_note(struct tl_timeline_lanes *lanes,
    const struct tl_event *event);

/*
 * After all events: plan the lanes, their heads and epochs, and set cpu_lanes,
 * fallback_lanes, tiers and tier_entries of the header.  events has all events
 * in the order in which they were put.  0, -EFBIG, -errno.
 */
int tl_timeline_lanes_plan(struct tl_timeline_lanes *lanes,
    struct tl_store *events, struct timeline_header *header);

/* a + b, at most UINT64_MAX. */
static inline uint64_t
tl_timeline_lost_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The places of the events, which are read again in the same order. */
struct tl_timeline_walk {
	struct tl_timeline_lanes *lanes;
	uint64_t slots;       /* slots of each lane, in a row */
	uint64_t lost;        /* lost since the last event ... */
	uint64_t overwritten; /* ... and the overwritten entries among them */
	uint32_t lost_cpu;    /* CPU of the loss; TL_CPU_UNKNOWN: unknown */
	uint32_t mark;        /* CPU in the slot before the last event */
	uint64_t used;        /* slots of the lane so far */
	uint64_t events;
	bool starts;
	uint64_t breaks;
	uint32_t lane;
	uint32_t epoch;
	bool split; /* a lane may end before it is full */
	bool planning;
};

void tl_timeline_walk_start(struct tl_timeline_walk *walk,
    struct tl_timeline_lanes *lanes, const struct timeline_header *header);
/* Get the lane and number of an event that is not TL_LOST.  0 or -ENOMEM. */
int tl_timeline_walk_put(struct tl_timeline_walk *walk,
    const struct tl_event *event, uint32_t *lane, uint64_t *number);

#endif
