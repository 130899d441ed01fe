/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fallback.pml - a fallback lane: ticket and claim, and its readers.
 *
 * Stands for the append of src/ring/log_c.c that threads without a lane of
 * their own take (tl_append_fallback).  Its steps:
 *
 *	gate	the burst test, before there is a ticket: over -> return
 *	ticket	q = fetch and add of the lane's head
 *	look	the stamp of the slot: odd or newer than q -> drop and count
 *	claim	compare and swap it to 2q+1: lost -> drop and count
 *	fill	the entry
 *	stamp	2q+2
 *
 * Writers run on any CPU, each as slowly as it likes, and may be killed before
 * any step.  Every ticket is one event of one writer, so the words of an
 * entry are the ticket's number.  All locked operations are full barriers and
 * x86 keeps stores in order, so interleavings are all there is.
 *
 * Two searches, because together they are too large.  Without AUDIT there is
 * a reader, and a killed writer is one that never runs again: no reader can
 * tell it from a stalled one.  With AUDIT there is no reader; writers are
 * killed, and when all have ended the books are checked.
 *
 * The reader copies the lane twice and then loads the head; of the first copy
 * only the stamp is used.  It looks at any one slot, and takes the words of
 * the second copy in any order.  Claims:
 *	torn	 an accepted entry is what its ticket's owner wrote, all of it
 *	missing	 when all is quiet, every entry that was stored and not
 *		 lapped is accepted
 *	account	 tickets == stored + dropped by cause + slots that are stuck
 *		 + tickets of writers killed before they had a slot
 *	stuck	 only a dead writer leaves an odd stamp behind
 *
 * Variants that must fail:
 *	NO_CLAIM fetch and add, then plain stores: a lapped writer tears
 *	NO_LOOK	 claims whatever the stamp is (a plain swap)
 *	ONE_COPY one copy, bytes before stamp, with the window
 *	NO_WINDOW two copies, but no look at the head
 *	LEAVE	 makes the burst test with the slot claimed, and returns
 *	REACH	 shows that the model gets where it should (see REACHED)
 */
#ifndef N
#define N	2	/* entries of the lane */
#endif
#ifndef WRITERS
#define WRITERS 3
#endif
#ifndef EVENTS
#define EVENTS	2	/* that the first writer logs */
#endif
#ifndef OTHERS
#define OTHERS	EVENTS	/* that each of the others logs */
#endif
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

#ifdef NO_WINDOW
#define WINDOW	true
#else
#define WINDOW	(q + N > h2)
#endif

/* The lane, and the counters of the header. */
byte head;
byte stamp[N];
byte args[N];
byte tsc[N];
byte busy, lapped, raced;

/* For the claims of the audit only. */
byte whole[N];		/* number + 1 of the newest entry stored in a slot */
byte stored, unclaimed, inside, ended;

/* One step, or the end of the writer. */
#ifdef AUDIT
#define STEP(what, count, death) \
	if \
	:: atomic { what; count } \
	:: atomic { death; goto gone } \
	fi
#else
#define STEP(what, count, death) what
#endif

proctype writer(byte events)
{
	byte q, old, event;

	do
	:: event < events ->
		/* gate, ticket */
		STEP(d_step { q = head; head++ }, skip, skip);
#ifndef NO_CLAIM
		/* look */
		STEP(old = stamp[q % N], skip, unclaimed++);
#ifndef NO_LOOK
		if
		:: old & 1 ->
			REACHED(1);
			STEP(skip, busy++, unclaimed++);
			goto next
		:: !(old & 1) && old > 2 * q ->
			REACHED(2);
			STEP(skip, lapped++, unclaimed++);
			goto next
		:: else
		fi;
#endif
		/* claim */
		if
		:: d_step {
			stamp[q % N] == old -> stamp[q % N] = 2 * q + 1
		}
		:: stamp[q % N] != old ->
			REACHED(3);
			STEP(skip, raced++, unclaimed++);
			goto next
#ifdef AUDIT
		:: atomic { unclaimed++; goto gone }
#endif
		fi;
#else
		STEP(stamp[q % N] = 2 * q + 1, skip, inside++);
#endif
#ifdef LEAVE
		if
		:: true
		:: goto next
		fi;
#endif
		/* fill */
		STEP(args[q % N] = q, skip, inside++);
		STEP(tsc[q % N] = q, skip, inside++);
		/* stamp */
		STEP(stamp[q % N] = 2 * q + 2, stored++; whole[q % N] = q + 1,
		    inside++);
next:
		atomic {
			q = 0;
			old = 0;
			event++
		}
	:: else -> break
	od;
gone:
#ifdef AUDIT
	ended++
#else
	skip
#endif
}

proctype reader()
{
	byte h2, slot, q;
	byte first_stamp, copied_args, copied_tsc, copied_stamp;
	byte left = 7;

	select(slot : 0 .. N - 1);
#ifdef ONE_COPY
	left = 3;
#else
	first_stamp = stamp[slot];
#endif
	do
	:: left & 1 -> d_step { copied_args = args[slot]; left = left - 1 }
	:: left & 2 -> d_step { copied_tsc = tsc[slot]; left = left - 2 }
	:: left & 4 -> d_step { copied_stamp = stamp[slot]; left = left - 4 }
	:: left == 0 -> break
	od;
#ifdef ONE_COPY
	copied_stamp = stamp[slot];
	first_stamp = copied_stamp;
#endif
	h2 = head;
	atomic {
		if
		:: first_stamp == copied_stamp && copied_stamp > 0 &&
		    !(copied_stamp & 1) ->
			q = (copied_stamp - 2) / 2;
			if
			:: WINDOW ->
				assert(copied_args == q /* torn */);
				assert(copied_tsc == q /* torn */);
				if
				:: q >= N -> REACHED(4)
				:: else
				fi
			:: else
			fi
		:: else
		fi
	}
}

/* When all writers have ended: is everything accounted for? */
proctype auditor()
{
	byte slot, stuck;

	atomic {
		ended == WRITERS ->
		do
		:: slot < N ->
			if
			:: stamp[slot] & 1 -> stuck++; REACHED(5)
			:: else
			fi;
			if
			:: whole[slot] > 0 && whole[slot] - 1 + N > head ->
				assert(stamp[slot] == 2 * whole[slot]
				    /* missing */);
				assert(args[slot] == whole[slot] - 1);
				assert(tsc[slot] == whole[slot] - 1)
			:: else
			fi;
			slot++
		:: else -> break
		od;
		assert(stuck == inside /* stuck */);
		assert(head == stored + busy + lapped + raced + inside +
		    unclaimed /* account */)
	}
}

init {
	byte i;

	atomic {
		run writer(EVENTS);
		i = 1;
		do
		:: i < WRITERS -> run writer(OTHERS); i++
		:: else -> break
		od;
#ifdef AUDIT
		run auditor()
#else
		run reader()
#endif
	}
}
