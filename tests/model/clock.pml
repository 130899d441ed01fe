/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.pml - the sequence lock of the clock tail.
 *
 * Stands for tl_tail_lock, tl_tail_unlock and tl_calibrate_read of
 * src/ring/calibrate_tail.c.  Sequence and the owner's pid are one word of
 * 8 bytes.  Steps of a writer:
 *
 *	look	 load the word: even -> claim it; odd -> is the owner dead?
 *		 alive -> go away without waiting
 *	claim	 compare and swap of the word: even to odd, +1 and my pid;
 *		 or stolen from the dead, odd to the next odd, +2 and my pid;
 *		 lost -> go away
 *	fill	 the tail
 *	release	 the sequence to even, by compare and swap
 *
 * Writers are killed at any step, and a process that has ended is dead, too:
 * its pid stays in the word.  Pids are not used again here, and all processes
 * see each other (one pid namespace).
 *
 * Readers load the word, copy in any order, load the word again, and accept
 * between two equal even words; they try a bounded number of times.  The tail
 * is two words here.  A writer fills both with its own number, so a mixture of
 * two writers is seen; a writer that takes the lock again is another one.
 * Claims:
 *	mixed	 an accepted tail was written by one writer
 *	alone	 nobody writes while another is alive inside
 *	free	 when all have ended, the next writer gets the lock
 *	kept	 a writer that finds the sequence as it left it finds the
 *		 tail as it left it, too: a daemon's keeper goes on from its
 *		 private copy
 *
 * Variants that must fail:
 *	ONE_LOAD readers do not load the word again
 *	APART	 owner is a word of its own, stored after the swap: its
 *		 predecessor is long dead, and the living is robbed
 *	RUDE	 steals without asking whether the owner is dead
 *	STUCK	 does not steal
 *	TRUST	 a keeper does not compare the sequence
 *	REACH	 shows that the model gets where it should (see REACHED)
 */
#ifndef WRITERS
#define WRITERS 3
#endif
#ifndef EVENTS
#define EVENTS	1	/* points that each writer has */
#endif
#define TRIES	2	/* of a reader */
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

/* The tail: its first word, and two that stand for the rest. */
byte sequence;
byte owner;
byte tsc;
byte utc;

/* What kill(pid, 0) says; pids begin at 1, 0 is nobody's. */
bool dead[WRITERS + 1];

/* For the claims only. */
byte inside;		/* who is alive between claim and release */
byte ended;

#define STEP(what) \
	if \
	:: atomic { what } \
	:: goto killed \
	fi

#ifdef APART
#define UNCHANGED (sequence == s)
#define TAKE	sequence = next
#else
#define UNCHANGED (sequence == s && owner == o)
#define TAKE	sequence = next; owner = me
#endif

#ifdef STUCK
#define MAY_STEAL false
#else
#define MAY_STEAL dead[owner]
#endif

#ifdef TRUST
#define AS_LEFT	(left != 0)
#else
#define AS_LEFT	(left != 0 && next == left + 1)
#endif

proctype writer(byte me)
{
	byte s, o, next, done;
	byte left, left_tsc;	/* as the writer left them; 0 never yet */

	do
	:: done < EVENTS ->
		/* look */
		STEP(s = sequence; o = owner);
		if
		:: !(s & 1) -> next = s + 1
#ifndef STUCK
#ifdef RUDE
		:: s & 1 -> next = s + 2
#else
		:: s & 1 && dead[o] -> REACHED(1); next = s + 2
#endif
		:: s & 1 && !dead[o] -> REACHED(2); goto next_point
#else
		:: s & 1 -> goto next_point
#endif
		fi;
		/* claim */
		if
		:: atomic {
			UNCHANGED -> TAKE;
			assert(inside == 0 /* alone */);
			inside = me;
			if
			:: AS_LEFT ->
				REACHED(6);
				assert(tsc == left_tsc /* kept */)
			:: else
			fi
		}
		:: !UNCHANGED -> REACHED(3); goto next_point
		:: goto killed
		fi;
#ifdef APART
		STEP(owner = me);
#endif
		/* fill */
		STEP(tsc = me + done * WRITERS);
		STEP(utc = me + done * WRITERS);
		/* release */
		STEP(if
		    :: sequence == next -> sequence = next + 1
		    :: else
		    fi;
		    inside = 0;
		    left = next + 1;
		    left_tsc = me + done * WRITERS);
next_point:
		atomic {
			s = 0;
			o = 0;
			next = 0;
			done++
		}
	:: else -> break
	od;
killed:
	atomic {
		dead[me] = true;
		if
		:: inside == me -> inside = 0
		:: else
		fi;
		ended++
	}
}

proctype reader()
{
	byte s, copied_tsc, copied_utc, try;

	do
	:: try < TRIES ->
		try++;
		s = sequence;
		if
		:: copied_tsc = tsc; copied_utc = utc
		:: copied_utc = utc; copied_tsc = tsc
		fi;
		atomic {
#ifdef ONE_LOAD
			if
			:: !(s & 1) ->
#else
			if
			:: !(s & 1) && sequence == s ->
#endif
				assert(copied_tsc == copied_utc /* mixed */);
				if
				:: s > 2 -> REACHED(4)
				:: else
				fi;
				break
			:: else
			fi
		}
	:: else -> break
	od
}

/* The next process, after all others. */
proctype successor()
{
	ended == WRITERS;
	assert(!(sequence & 1) || MAY_STEAL /* free */);
	if
	:: sequence & 1 -> REACHED(5)
	:: else
	fi
}

init {
	byte i = 1;

	atomic {
		dead[0] = true;
		do
		:: i <= WRITERS -> run writer(i); i++
		:: else -> break
		od;
		run reader();
		run successor()
	}
}
