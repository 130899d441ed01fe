/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append.pml - a CPU lane: appends as restartable sequences, and its readers.
 *
 * Stands for the section of asm/log.S and for its C twin src/ring/log_c.c,
 * with the same step names: gate, arm, start, lane, fill, stamp, commit, and
 * abort out of line.  The reader stands for the copy of a CPU lane that
 * src/ring and src/snap make: h1, the entries, h2.
 *
 * Writers share one CPU, so one of them runs at a time.  A writer is aborted
 * at any instruction of its section: preempted, by a signal, or moved away.
 * That happens before another writer runs there, so cpu names the one writer
 * that is inside, and abort gives the CPU away.  A writer killed inside is one
 * that is aborted and never runs again, as any writer here may.  After TRIES
 * attempts it gives the event to the fallback lane, and where it reads the
 * levels word it may leave because a burst is over.  Stores of one CPU reach
 * readers in program order on x86, and a lane is written from one CPU only,
 * so the interleavings of this model are all there are.
 *
 * An entry is two words and its stamp: two words are enough to be torn.  One
 * attempt of a run, any one, writes 1 in both words and all others write 0:
 * if two attempts are ever mixed up, there is a run that marks one of them.
 * truth[q] is what was committed as entry q; no program reads it.
 *
 * A reader looks at any one slot, in any order of its words: entries are
 * judged one by one, and copying the others is only a delay.  Claims:
 *	torn	   an accepted entry is what was committed under its number
 *	missing	   an entry inside the window is always accepted
 *	overrun	   a commit never goes over another writer's commit
 *	twice	   no event is committed twice
 *
 * Variants that must fail:
 *	LOOSE	   window q + N >= h2: the slot of h2 - N is being rewritten
 *	STAMP_ONLY stamp before and after, no window: an aborted attempt left
 *		   a good stamp (the same number is tried more than once)
 *	EARLY	   commit before the last word and the stamp
 *	STALE_HEAD the head is read before arm
 *	JUMP_OUT   leaves the section for a living burst and jumps back
 *	REACH	   shows that the model gets where it should (see REACHED)
 */
#ifndef N
#define N	2	/* entries of the lane */
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef EVENTS
#define EVENTS	2	/* that each writer logs */
#endif
#ifndef TRIES
#define TRIES	2	/* at each of them */
#endif
#define TOTAL	(WRITERS * EVENTS)
#define NOBODY	255
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

#ifdef LOOSE
#define WINDOW(q) (q < h1 && q + N >= h2)
#else
#ifdef STAMP_ONLY
#define WINDOW(q) (before == 2 * q + 2)
#else
#define WINDOW(q) (q < h1 && q + N > h2)
#endif
#endif

/* The lane. */
byte head;
byte stamp[N];
bit args[N];
bit tsc[N];

/* Which writer is inside its section. */
byte cpu = NOBODY;

/* For the claims only. */
bit truth[TOTAL];
bool marked;	/* the one attempt has been chosen */

/* One instruction of the section: done, or aborted. */
#ifdef JUMP_OUT
#define STEP(what) \
	if \
	:: atomic { cpu == me -> what } \
	:: atomic { cpu == me -> cpu = NOBODY; goto abort } \
	:: atomic { bare && cpu == NOBODY -> what } \
	fi
#else
#define STEP(what) \
	if \
	:: atomic { cpu == me -> what } \
	:: atomic { cpu == me -> cpu = NOBODY; goto abort } \
	fi
#endif

/* The committing store, with what the claims want to know. */
#define COMMIT \
	d_step { \
		assert(head == q /* overrun */); \
		assert(!done /* twice */); \
		head = q + 1; \
		truth[q] = mark; \
		done = true \
	}

proctype writer(byte me)
{
	byte q, event, try;
	bit mark;
	bool done;
#ifdef JUMP_OUT
	bool bare;	/* preempted outside: the kernel disarmed the section */
#endif

	do
	:: event < EVENTS ->
arm:
#ifdef STALE_HEAD
		q = head;
#endif
		atomic {
			cpu == NOBODY -> cpu = me;
			if
			:: mark = 0
			:: !marked -> marked = true; mark = 1
			fi
		}
		/* start, lane */
#ifndef STALE_HEAD
		STEP(q = head);
#endif
		STEP(stamp[q % N] = 2 * q + 1);
		/* fill */
		STEP(args[q % N] = mark);
#ifdef EARLY
		STEP(COMMIT);
#endif
		STEP(tsc[q % N] = mark);
		/* the burst test: over -> leave without commit */
		if
		:: true
		:: atomic { cpu = NOBODY; goto next }
#ifdef JUMP_OUT
		:: atomic { cpu = NOBODY; bare = true }
#endif
		fi;
		/* stamp */
		STEP(stamp[q % N] = 2 * q + 2);
#ifndef EARLY
		STEP(COMMIT);
#endif
		atomic {
			if
			:: cpu == me -> cpu = NOBODY
			:: else
			fi;
			goto next
		}
abort:
		try++;
		if
		:: try < TRIES -> REACHED(1); goto arm
		:: else	/* fallback */
		fi;
next:
		atomic {
#ifdef JUMP_OUT
			bare = false;
#endif
			q = 0;
			try = 0;
			mark = 0;
			done = false;
			event++
		}
	:: else -> break
	od
}

proctype reader()
{
	byte h1, h2, slot, q;
	bit copied_args, copied_tsc;
	byte copied_stamp;
	byte left = 7;
	bool accepted;
#ifdef STAMP_ONLY
	byte before;
#endif

	select(slot : 0 .. N - 1);
	h1 = head;
#ifdef STAMP_ONLY
	before = stamp[slot];
	copied_stamp = before;
	left = 3;
#endif
	do
	:: left & 1 -> d_step { copied_args = args[slot]; left = left - 1 }
	:: left & 2 -> d_step { copied_tsc = tsc[slot]; left = left - 2 }
	:: left & 4 -> d_step { copied_stamp = stamp[slot]; left = left - 4 }
	:: left == 0 -> break
	od;
#ifdef STAMP_ONLY
	copied_stamp = stamp[slot];
#endif
	h2 = head;
	atomic {
		q = slot;
		do
		:: q < TOTAL ->
			accepted = WINDOW(q) && copied_stamp == 2 * q + 2;
			if
			:: accepted ->
				assert(copied_args == copied_tsc /* torn */);
#ifndef STAMP_ONLY
				assert(copied_args == truth[q] /* torn */);
#endif
				REACHED(2);
				if
				:: h2 > N && h2 != h1 -> REACHED(3)
				:: else
				fi
			:: else ->
#ifndef STAMP_ONLY
				assert(!(q < h1 && q + N > h2) /* missing */)
#endif
			fi;
			q = q + N
		:: else -> break
		od
	}
}

init {
	byte i;

	atomic {
		do
		:: i < WRITERS -> run writer(i); i++
		:: else -> break
		od;
		run reader()
	}
}
