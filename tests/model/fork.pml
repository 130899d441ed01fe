/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.pml - the ids of a thread and the append to a fallback lane, where a
 * signal handler forks at any instruction.
 *
 * Stands for tl_ids_fill() of src/ring/ids.c, and for tl_append_shared() and
 * set_ids() of src/ring/log_c.c.  The parent goes on as if nothing had happened,
 * so the model follows the child: a fork makes the running process another one,
 * which keeps the local variables and the place in the code.  In the child the
 * word of the ids is cleared and forks are counted before the interrupted code
 * goes on; the handler may log in the child, which fills the word again.
 *
 * Claims:
 *	own	what is stored in the place of a ticket was read by the process
 *		that took the ticket: its ids and its clock.  So a child that is
 *		forked between two stores stores the bytes of its parent.
 *	once	a call that returns has stored an entry with the ids of the
 *		process to which it returns
 *	proof	an end that proves itself was stored for process 1, which logged
 *		the begin
 *
 * IDS_FIRST reads the ids before the ticket is taken, which holds as well: the
 * comparison of forks covers both.
 *
 * Variants that must fail:
 *	ONCE	  ids are asked for once, not again after a fork
 *	NO_LOOK	  forks are not compared before the stores
 *	NO_AGAIN  forks are not compared after the stores
 *	KEEP_PROOF a repetition keeps the proof
 *	REACH	  shows that the model gets where it should (see REACHED)
 */
#ifndef FORKS
#define FORKS	2
#endif
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

byte process = 1;	/* the process that runs */
byte word = 1;		/* the ids of the thread; 0: not known */
byte forks;
byte left = FORKS;

#define FORK \
	if \
	:: true \
	:: atomic { left > 0 -> left--; process++; forks++; word = 0 } \
	:: atomic { left > 0 -> left--; process++; forks++; word = process } \
	fi

inline fill()
{
	do
	:: asked = forks;
		FORK;
		answer = process;
		FORK;
		word = answer;
		FORK;
#ifdef ONCE
		break
#else
		if
		:: asked == forks -> break
		:: else -> REACHED(1)
		fi
#endif
	od
}

inline read_ids()
{
	do
	:: atomic { word != 0 -> ids = word; break }
	:: word == 0 ->
		fill();
		proven = false
	od
}

active proctype append()
{
	byte asked, answer, ids, owner, clock, counted, stored;
	bool proven = true;

	/* the first entry of the thread, or a later one */
	if
	:: word = 0; proven = false
	:: true
	fi;
	do
	:: counted = forks;
		FORK;
#ifdef IDS_FIRST
		read_ids();
		FORK;
#endif
		owner = process;	/* the ticket */
		FORK;
#ifndef IDS_FIRST
		read_ids();
		FORK;
#endif
		clock = process;
		FORK;
#ifndef NO_LOOK
		if
		:: counted == forks
		:: else -> REACHED(2); goto again
		fi;
		FORK;
#endif
		assert(owner == ids /* own */);
		assert(owner == clock /* own */);
		assert(!proven || ids == 1 /* proof */);
		stored = ids;
		FORK;
#ifdef NO_AGAIN
		break;
#endif
		if
		:: counted == forks -> break
		:: else -> REACHED(3)
		fi;
again:
#ifndef KEEP_PROOF
		proven = false
#else
		skip
#endif
	od;
	assert(stored == process /* once */)
}
