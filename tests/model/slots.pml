/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.pml - a plan of slots beside the levels word: enter follows the plan,
 * whoever changes the word.
 *
 * Stands for tl_plan_set, change and tl_levels_expire of src/ring/priority.c.
 * The word is enter (low: the plan's, or the threshold's) and base; the plan
 * is a share and a lease, words of their own.
 *
 *	plan	  lease = 0; share; lease; then follow: enter by the plan, one
 *		  compare and swap after the other until the word is right
 *	priority  load the word, then the plan; base, and enter by that plan;
 *		  compare and swap, again if the word has changed
 *	writer	  finds enter low and the lease over: load the word, then the
 *		  plan; enter up, one try
 *
 * A writer that was stalled before its try must not end a plan that has begun
 * since: what follows marks the word (until, which nothing reads outside of
 * bursts).
 *
 * With BURST a sample of a schedule is open all the time.  The mark is its end: a
 * plan that begins gives up two units, as a priority does that does not rise.
 *
 * Claims:
 *	kept	 neither priorities nor writers lose a plan that was set
 *	unbroken ... not even for a moment
 *	ended	 when the plan has ended and all are done, enter is up
 *	asked	 (with BURST) the end is not later than it was asked for
 *	sample	 (with BURST) ... and odd: a sample
 *
 * Variants that must fail:
 *	WORD_FIRST  the word follows before the plan is there
 *	PLAN_FIRST  a priority loads the plan before the word
 *	NO_MARK	    the word is not marked
 *	END_FIRST   the word follows before the plan has gone
 *	MOVE	    with BURST: a plan that begins adds two units
 *	REQUEST	    with BURST: ... gives up one
 *	REACH	    shows that the model gets where it should (see REACHED)
 */
#ifndef PRIORITIES
#define PRIORITIES 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

bool low;	/* enter is the plan's */
byte base = 5;
#ifdef BURST
#define ASKED	9
byte mark = ASKED;
#else
byte mark;
#endif
bool share;
bool lease;
byte ended;	/* priorities and writers */
bool set;	/* the plan is in force */
/* The mark of a word whose mark was k. */
#ifdef BURST
#ifdef NO_MARK
#define BEGUN	k
#elif defined(MOVE)
#define BEGUN	(k + 2)
#elif defined(REQUEST)
#define BEGUN	(k - 1)
#else
#define BEGUN	(k - 2)
#endif
#define OTHER	k
#define CHANGED(p) (p > b -> k : k - 2)
#define IS_RIGHT assert(mark <= ASKED /* asked */); \
	assert(mark % 2 == 1 /* sample */)
#else
#ifdef NO_MARK
#define BEGUN	0
#else
#define BEGUN	1
#endif
#define OTHER	0
#define CHANGED(p) 0
#define IS_RIGHT skip
#endif

/* Load the plan as plan_enter does. */
#define PLAN(to) to = lease; to = to && share

inline follow(m)
{
	do
	:: d_step { l = low; b = base; k = mark };
		PLAN(next);
		if
		:: d_step { low == l && base == b && mark == k ->
			low = next; mark = m; IS_RIGHT } ->
			break
		:: else -> REACHED(1)
		fi
	od
}

proctype change_priority(byte p)
{
	bool l, next;
	byte b, k;

	do
	:: true ->
#ifdef PLAN_FIRST
		PLAN(next);
#endif
		d_step { l = low; b = base; k = mark };
#ifndef PLAN_FIRST
		PLAN(next);
#endif
		if
		:: d_step { low == l && base == b && mark == k ->
			low = next; base = p; mark = CHANGED(p);
			IS_RIGHT } ->
			break
		:: else -> REACHED(2)
		fi
	od;
	ended++
}

proctype writer()
{
	bool l, next;
	byte b, k;

	if
	:: low && !lease ->
		d_step { l = low; b = base; k = mark };
		PLAN(next);
		if
		:: l && !next ->
			if
			:: atomic { low == l && base == b && mark == k ->
				low = false; mark = OTHER;
				assert(!set /* unbroken */) } ->
				REACHED(3)
			:: else
			fi
		:: else
		fi
	:: true
	fi;
	ended++
}

proctype daemon()
{
	bool l, next;
	byte b, k;

	/* a plan that is over: its lease has ended, enter is low yet */
	lease = false;
#ifdef WORD_FIRST
	lease = true;
	follow(BEGUN);
	share = true;
#else
	share = true;
	lease = true;
	follow(BEGUN);
#endif
	set = true;
	ended == PRIORITIES + WRITERS;
	assert(low /* kept */);
	/* the end */
	atomic {
		ended = 0;
		set = false;
		run change_priority(8);
		run change_priority(9)
	}
#ifdef END_FIRST
	low = false;
	lease = false;
	share = false;
#else
	lease = false;
	share = false;
	follow(OTHER);
#endif
	ended == 2;
	assert(!low /* ended */)
}

init {
	atomic {
		/* with writers: the plan before has just lost its lease */
		low = WRITERS > 0;
		share = WRITERS > 0;
		run daemon();
#if PRIORITIES > 0
		run change_priority(6);
#endif
#if PRIORITIES > 1
		run change_priority(7);
#endif
#if WRITERS > 0
		run writer();
#endif
#if WRITERS > 1
		run writer()
#endif
	}
}
