/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given.pml - a CPU lane into which events are logged at stamps that their
 * callers give, among others that read the clock.
 *
 * Stands for timeline_append_at of asm/timer.S, with its step names.  As in
 * append.pml one writer is inside at a time, and may be aborted at any
 * instruction; what it stored stays in the slot.  A caller gives the clock as
 * it was at any time before, or up to AHEAD ticks of the future.  A stamp less
 * than SHIFT ticks after the entry before is taken without a look at the
 * clock, but for one entry of RUN.
 *
 * With TIMERS a caller may also be timeline_timer_append, which has read the
 * clock and counted, and now appends at that stamp.  The lane may have a newer
 * entry by then: the timer leaves for a fallback lane, which readers sort.
 *
 * Claims, of each entry when it is committed:
 *	order	its stamp is not before that of the entry before, or not
 *		before now, if that is ahead; or it is of a timer, and that is
 *		ahead
 *	bound	it is at most (RUN - 1) * (SHIFT - 1) ticks ahead of now
 *	marked	it is marked if and only if its stamp is not the one given
 *	near	one that was moved is not ahead of now
 *	shown	that of a timer is the clock it read
 *
 * Variants that must fail:
 *	NO_LOOK		a stamp is taken as it is given
 *	EARLY		the stamp of the entry before is read before arm
 *	NO_RUN		the clock is read only where stamps are apart
 *	KEEP_MARK	an attempt does not store the message again: the mark
 *			of an aborted one stays
 *	NO_NOW		a stamp becomes that of the entry before even if that
 *			is ahead of now
 *	TIMERS MOVE	a timer is moved as any other entry
 *	TIMERS STAY	a timer stays in the lane at its stamp
 *	REACH=n
 */
#define WRITERS 2
#define EVENTS	2
#define TOTAL	(WRITERS * EVENTS)
#define SHIFT	2
#define RUN	2
#ifndef AHEAD
#define AHEAD	2
#endif
#define TICKS	2	/* how far time goes on by itself */
#define ABORTS	1
#define NOBODY	255
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

byte head;
byte stamp[TOTAL];
bit mark[TOTAL];
byte clock = 10;
byte cpu = NOBODY;
byte aborts;

#define STEP(what) \
	if \
	:: atomic { cpu == me -> what } \
	:: atomic { cpu == me && aborts < ABORTS -> \
		aborts++; cpu = NOBODY; goto arm } \
	fi

#define BEFORE(q) (q == 0 -> 0 : stamp[q - 1])

proctype writer(byte me)
{
	byte q, given, before, now, to, done;
	bool reads; /* the clock, as timeline_log does */
	bool timer;

next:
	if
	:: done == EVENTS -> goto out
	:: done < EVENTS -> reads = true
#ifdef TIMERS
	:: atomic { done < EVENTS -> timer = true; given = clock }
#endif
	:: atomic {
		done < EVENTS -> reads = false;
		/* a clock of before: others go on until it is used */
		select(given : 10 .. 10 + TICKS + AHEAD);
		if
		:: given <= clock + AHEAD
		:: else -> given = clock
		fi
	}
	fi;
arm:
#ifdef EARLY
	before = BEFORE(head);
#endif
	atomic { cpu == NOBODY -> cpu = me };
	STEP(q = head);
#ifndef KEEP_MARK
	STEP(mark[q] = 0);
#endif
	if
	:: reads ->
		STEP(now = clock);
		given = now;
		STEP(stamp[q] = now);
		goto commit
	:: else
	fi;
	STEP(stamp[q] = given);
#ifdef NO_LOOK
	goto commit;
#endif
#ifndef EARLY
	before = BEFORE(q);
#endif
	if
#ifdef NO_RUN
	:: given >= before && given - before < SHIFT -> goto commit
#else
	:: q % RUN != 0 && given >= before && given - before < SHIFT ->
		goto commit
#endif
	:: else
	fi;
	/* look */
	STEP(now = clock);
#ifndef MOVE
	if
	:: timer && before > now -> REACHED(4); goto commit
	:: timer && before <= now && given >= before -> goto commit
#ifndef STAY
	:: timer && before <= now && given < before ->
		REACHED(5);
		STEP(cpu = NOBODY; done++; timer = false; now = 0; before = 0;
		    given = 0; q = 0);
		goto next
#else
	:: timer && before <= now && given < before -> goto commit
#endif
	:: !timer
	fi;
#endif
#ifndef NO_NOW
	if
	:: before > now -> REACHED(1); before = now
	:: else
	fi;
#endif
	if
	:: given > now -> to = now
	:: given < before -> REACHED(2); to = before
	:: else -> goto commit
	fi;
	STEP(stamp[q] = to);
	STEP(mark[q] = 1);
commit:
	STEP(
		assert(stamp[q] >= BEFORE(q) ||
			(now > 0 && stamp[q] >= now) ||
			(timer && BEFORE(q) > now) /* order */);
		assert(!timer || stamp[q] == given /* shown */);
		assert(stamp[q] <= clock + (RUN - 1) * (SHIFT - 1) /* bound */);
		assert(mark[q] == (stamp[q] != given) /* marked */);
		assert(!mark[q] || stamp[q] <= clock /* near */);
		if
		:: stamp[q] > clock -> REACHED(3)
		:: else
		fi;
		head = q + 1;
		cpu = NOBODY;
		done++;
		reads = false;
		timer = false;
		now = 0;
		before = 0;
		given = 0;
		to = 0;
		q = 0
	);
	goto next;
out:
	skip
}

active proctype time()
{
	byte ticks;

	do
	:: ticks < TICKS -> atomic { clock++; ticks++ }
	:: break
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
