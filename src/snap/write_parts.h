/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_parts.h - two parts of a snapshot that is made of events: its string
 * table, and the lanes of its entries.
 *
 * The table has a record for each message and each string, once, in memory
 * until the end.  Records that come from one timeline keep their place, so
 * that the number by which entries and people know them is the same.
 *
 * Lanes.  Readers take the next entry of a lane by its number, and from the
 * lanes by epoch, stamp and lane.  There are two ways to get the events back
 * in the order in which they were put:
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
 * A loss is a slot for each lost entry, or at the begin of a lane a number.
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
	bool no_builtins; /* their arguments are stamps of another clock */
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
	uint64_t builtins;   /* builtin messages written as ordinary ones */
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

enum {
	TL_TIMELINE_EPOCHS_MAX = 256, /* as many as readers take */
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

/* The events of one lane, where lanes are to be as they were. */
struct tl_timeline_strand {
	uint64_t base;  /* number of its first event */
	uint64_t next;  /* the one that comes now if nothing is missing */
	uint64_t lead;  /* lost before the first */
	uint64_t span;  /* events, and what was lost between and behind */
	uint64_t torn;  /* of these, lost */
	uint64_t start; /* planned: the number of the first */
	uint32_t epoch;
	bool any;        /* event yet */
	bool renumbered; /* some are missing */
};

/* The heads when the epoch began. */
struct tl_timeline_epoch {
	uint32_t number;
	uint64_t *heads; /* of every lane */
};

/* Counts of the events as they are put, from which lanes are planned. */
struct tl_timeline_lanes {
	const struct tl_snap *snap; /* NULL: lanes do not matter */
	struct tl_timeline_strand *strands;
	size_t strand_count;
	bool apart;      /* can the lanes be as they were? */
	bool any;        /* event yet */
	bool lanes_rise; /* by epoch, stamp and lane */
	bool rises;      /* by epoch and stamp */
	struct tl_event last;
	/* in a row: */
	uint64_t lost;  /* since the last event; in the end, behind it */
	bool has_cpus;  /* some losses have a CPU */
	bool leads_cpu; /* a loss before the first event has one */
	uint64_t span;  /* events, and slots of what was lost */
	uint64_t events;
	uint64_t breaks; /* losses that begin a lane */
	/* planned: */
	struct timeline_head *heads;
	size_t head_capacity;
	uint32_t lane_count;
	struct tl_timeline_epoch *epochs; /* oldest first */
	size_t epoch_count;
	bool epochs_full; /* some found no room */
	bool displaced;   /* losses are at the start, not at their place */
	bool cut; /* losses of more than TL_TIMELINE_LOST_MAX were cut */
	uint64_t cpus_lost; /* losses whose CPU is not kept */
};

int tl_timeline_lanes_init(struct tl_timeline_lanes *lanes,
    const struct tl_snap *snap);
void tl_timeline_lanes_free(struct tl_timeline_lanes *lanes);

/* One more event, oldest first. */
int tl_timeline_lanes_note(struct tl_timeline_lanes *lanes,
    const struct tl_event *event);

/*
 * All were noted: plan the lanes, their heads and epochs, and fill in
 * cpu_lanes, fallback_lanes, tiers and tier_entries of the header.  events
 * opens a cursor over those that were put, in that order.  0, -EFBIG, -errno.
 */
struct tl_timeline_source {
	int (*open)(void *context, struct tl_cursor **cursor);
	void *context;
};
int tl_timeline_lanes_plan(struct tl_timeline_lanes *lanes,
    const struct tl_timeline_source *events, struct timeline_header *header);
/* The plan where lanes cannot be as they were. */
int tl_timeline_row_plan(struct tl_timeline_lanes *lanes,
    const struct tl_timeline_source *events, struct timeline_header *header);

/* a + b, or as much as there is of numbers. */
static inline uint64_t
tl_timeline_lost_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
/* One more epoch: its heads are all 0.  NULL: no room. */
struct tl_timeline_epoch *tl_timeline_epoch_add(struct tl_timeline_lanes *lanes,
    size_t at, uint32_t number, size_t heads);

/* Where the events go as they come once more in the same order. */
struct tl_timeline_walk {
	struct tl_timeline_lanes *lanes;
	uint64_t slots;    /* of each lane, in a row */
	uint64_t lost;     /* since the last event */
	uint32_t lost_cpu; /* the CPU of these; TL_CPU_UNKNOWN: any */
	uint32_t mark;     /* CPU in the slot before the event that was put */
	uint64_t used;     /* slots of the lane so far */
	uint64_t events;
	uint64_t breaks;
	uint32_t lane;
	uint32_t epoch;
	bool split; /* may the lane end before it is full? */
	bool planning;
};

void tl_timeline_walk_start(struct tl_timeline_walk *walk,
    struct tl_timeline_lanes *lanes, const struct timeline_header *header);
/* The lane and number of an event that is no loss.  0, -ENOMEM. */
int tl_timeline_walk_put(struct tl_timeline_walk *walk,
    const struct tl_event *event, uint32_t *lane, uint64_t *number);

#endif
