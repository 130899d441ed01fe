/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.h - freeze a live file: copy the file so that no half written or
 * overwritten entry is mistaken for a whole entry.
 *
 *	levels and gates -> T -> h1 of all lanes -> entries -> h2
 *	-> newest -> string tail -> strings -> clock and a closing point
 *	-> header, built last
 *
 * A follower copies lane after lane into memory (parts.h), oldest entries
 * first, and reads h2 after each lane; the follower reads new names and strings
 * from the live file.  A snapshot copies the newest chunk of each lane first,
 * then older chunks in turns, and reads h2 after each chunk: whatever writers
 * overwrite meanwhile, the newest entries of each lane are in the copy.  If a
 * lane turns over before the newest entries, or hardly more, are copied, the
 * snapshot begins again with another T.  The head of a lane in the copy has the
 * number of the first entry that was wanted.
 *
 * A change of levels is logged before it is made, so a change that was made
 * after T may have no entry in the copy.  So a snapshot has the levels and
 * gates as read before T, and the entries of all changes made between this read
 * and T.
 *
 * The records that an entry refers to were published before it was logged, so
 * the copy contains them.
 *
 * CPU lanes.  An entry q is whole iff q < h1, q + N > h2 and its stamp is
 * 2q+2: the stamp alone is not enough, for an attempt that was aborted can
 * leave an old stamp over new bytes.
 *
 * Fallback lanes.  The head moves before the entry is written, and a late
 * thread may store into a slot that belongs to another entry by then.  An entry
 * is whole iff its stamp has the low half 2q+2 and the high half the sum of the
 * bytes that were copied: one copy, words in any order.  The copy gets the
 * plain stamp 2q+2, so readers of copies know one form only.  (In version 1
 * there was no sum; the stamp had to be 2q+2 in two copies.)
 *
 * The cut.  Heads are read one after the other, so entries logged meanwhile
 * would be in one lane and not in another: the copy would have an event without
 * the event that the same thread logged before.  T is the clock before the
 * first head is read; entries with a stamp after T are left out: in CPU lanes
 * the entries at the end, in fallback lanes all such entries.
 *
 *	Claim	a copy that has an entry e' has every e that the same thread
 *		logged before it, unless e was lost, or e' has a stamp that was
 *		read before e was logged: by the caller, or for a timer that a
 *		signal handler interrupted.  Such an e' comes before e in order
 *		of stamps, too.
 *	Proof	t <= t' <= T.  So e was not left out for its stamp, but was
 *		not yet visible when its lane was read.  The thread had issued
 *		its last store before it read t'.  The lane was read after T
 *		>= t', so the store was visible by then, if it leaves its CPU
 *		in less time than passed, and all CPUs read one clock.
 *
 * A follower adds a margin for both conditions: it waits between T and the
 * first head.  The wait costs no entries, because entries that were left out
 * come in the next round.  A snapshot has no next round and does not wait.  An
 * entry more than a second ahead of T has a wrong stamp, or was stamped before
 * the counter began again: it is copied.  If the counter is not trusted, a
 * snapshot is not cut.
 *
 * Holes.  A ticket of a fallback lane without an entry belongs to a thread that
 * was killed, jumped out of its append, or is still in it; a reader cannot
 * distinguish these cases and need not.  A follower remembers such tickets and
 * checks them again in each round, until they are whole, or overwritten, or a
 * second old.  In the last two cases the tickets are lost.
 */
#ifndef TL_SNAP_TAKE_H
#define TL_SNAP_TAKE_H

#include "snap/parts.h"
#include "snap/snap.h"

/* A ticket of a fallback lane without an entry. */
struct tl_hole {
	uint64_t number;
	/* T of the first round in which the ticket had no entry */
	uint64_t since;
};

/* The state of a fallback lane in a follower. */
struct tl_holes {
	uint64_t seen;        /* tickets before this number have been seen */
	struct tl_hole *list; /* the holes among these, by number */
	size_t count;
	size_t capacity;
	/* == set by the round that found them == */
	uint64_t whole;    /* number of whole entries in the copy */
	uint64_t lost;     /* tickets that will never have an entry */
	uint64_t lapped;   /* the overwritten tickets among the lost */
	uint64_t lost_end; /* number after the last lost ticket */
};

struct tl_take {
	/* == input == */
	uint64_t tail; /* newest entries of a CPU lane; 0: all */
	/* by lane: the first entry to copy from a CPU lane; NULL: the oldest */
	const uint64_t *from;
	bool close_clock; /* measure a closing point */
	/* For the round of a follower: the state of each lane before and after
	 * the round.  The caller frees found, even on failure.  NULL: a
	 * snapshot. */
	const struct tl_holes *holes;
	struct tl_holes *found;
	struct tl_parts *parts; /* where the copy of a round goes */
	bool finish; /* the last round: entries in progress are lost */
	/* == output == */
	struct timeline_header header; /* as written to the copy */
	/* of all lanes; the caller frees the array */
	struct timeline_head *heads;
};

/*
 * Copy the timeline in live, whose header has been checked, to out, an empty
 * file of the caller's.  A round is copied to its parts, which must be empty,
 * without timers.  Damage is added to faults.  0; -ENOMEM, or -errno of reading
 * or writing; heads is then NULL.
 */
int tl_take(struct tl_take *take, int live,
    const struct timeline_header *geometry, int out, struct tl_faults *faults);

/* Read only the header of a timeline, with an undisturbed tail of the clock or
 * an odd clock.sequence.  0 or -errno. */
int tl_take_header(int live, const struct timeline_header *geometry,
    struct timeline_header *header);
/* Read only the clock: the current header, and the slots of knots with a
 * closing point, which the caller frees.  0 or -errno. */
int tl_take_clock(int live, const struct timeline_header *geometry,
    struct timeline_header *header, struct timeline_knot **knots);

#endif
