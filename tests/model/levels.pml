/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.pml - the levels word: bursts, priorities, and writers that end a
 * burst by their own clock.
 *
 * Stands for the compare-and-swap loops of src/ring/priority.c and for what
 * the append does with the word: the gate step, the burst test of asm/log.S
 * and src/ring/log_c.c before the stamp, and the slow path behind it
 * (tl_append_expired, tl_levels_expire).
 *
 * The word is threshold, base and until.  A burst is alive iff threshold <
 * base, its end has not come, and its end is no further away than the longest
 * burst.  The changes, each computed from one load of the word and then one
 * reading of the clock, in this order, and tried again when the swap fails:
 *
 *	burst(l, u)  u is over -> nothing: the caller was stalled too long
 *		     alive -> (min(l, threshold), base, max(u, until))
 *		     else  -> (min(l, base), base, u)
 *	priority(p)  alive -> (min(p, threshold), p, until + 2)
 *		     else  -> (p, p, past)
 *	expiry	     alive -> nothing
 *		     else  -> (base, base, until), one try
 *
 * Past is any time that is over, here 0; what the code gains by another value
 * each time is not searched here.  What a priority adds to a burst belongs to the
 * burst: one unit here.
 *
 * With SAMPLE burst 0 is a sample of a schedule and burst 1 a caller's.  The
 * caller's replaces the sample as if it were over; a sample is not opened while a
 * caller's lasts.  The kind is a bit of the word: the parity of until.
 *
 * The clock ticks at any moment, so a caller may be stalled anywhere for as
 * long as there is time.  Levels of bursts are below all priorities here: a
 * priority at or below the level of a burst ends the burst for good.
 *
 * Claims, each made from outside, of what the callers asked for:
 *	kept	 while a burst that has begun lasts, the gate lets through what
 *		 it opens, and what it opens is logged, if it had begun at the
 *		 event's stamp and lasts until the writer loads the word
 *	closed	 what is logged below the base was opened by a burst that was
 *		 not over, or by one that another burst carried on before it
 *		 was over (the longer end and the lower level hold for both)
 *		 With SAMPLE no burst carries the other on, and a sample is over
 *		 when the caller's replaces it.
 *	settled	 when all bursts are over and a writer has looked, threshold
 *		 and base are what the last priority said
 *
 * Variants that must fail:
 *	WORDS	 three words, loaded and stored one by one
 *	BLIND	 expiry without the test that the burst is not alive
 *	REVIVE	 changes look at the levels, not the clock: an expired burst's
 *		 level comes back
 *	CLOCK_FIRST reads the clock, then the word: a longest burst that began
 *		 in between looks too far away, and is ended
 *	LATE	 burst without the test that its own end has passed: its level
 *		 comes up in a burst of somebody else
 *	GATE_ONCE a gate that was let through by one burst's threshold is not
 *		 compared with the word that is loaded later: it may be let
 *		 through by the end of another burst, which is not open for
 *		 it.  With ANY_LEVEL (closed then says only that some burst
 *		 was not over) this passes: it is what an append promises that
 *		 compares the gate but once.
 *	MERGE	 with SAMPLE: a caller's burst and a sample carry each other on
 *	REACH	 shows that the model gets where it should (see REACHED)
 */
#ifndef BURSTS
#define BURSTS	2
#endif
#ifndef PRIORITIES
#define PRIORITIES 1
#endif
#ifndef LOGGERS
#define LOGGERS 1
#endif
#ifndef TIME
#define TIME	3	/* the clock stops here, at the latest */
#endif
#define LONGEST 2	/* length of the longest burst */
#define AHEAD	(LONGEST + PRIORITIES)	/* no end is further away */
#ifdef GATE_ONCE
#define PASSES	true
#else
#define PASSES	gate >= t
#endif
#define BASE	5	/* the first priority */
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

/* The word. */
byte threshold = BASE;
byte base = BASE;
byte until;
bool sample;	/* kind of until */
byte clock = 1;

/* For the claims only: what was asked for, and since when. */
typedef wish {
	bool begun;
	byte level;
	byte from;	/* clock when it was decided */
	byte to;
	bool replaced	/* a sample, by a caller's burst */
};
wish asked[BURSTS];
byte last = BASE;	/* priority */
byte ended;		/* callers */

/* A caller's copy of the word, its clock, and the word it wants. */
#define COPY	byte t, b, u, now, t2, b2, u2; bool s, s2

/* Keeps the search small: a caller that is done holds nothing. */
#define FORGET	atomic { t = 0; b = 0; u = 0; now = 0; s = false; \
	t2 = 0; b2 = 0; u2 = 0; s2 = false; ended++ }

#ifdef WORDS
#define LOAD	t = threshold; b = base; u = until; s = sample
#else
#define LOAD	d_step { t = threshold; b = base; u = until; s = sample }
#endif
#ifdef CLOCK_FIRST
#define LOOK	now = clock; LOAD
#else
#define LOOK	LOAD; now = clock
#endif

#define SAME	(threshold == t && base == b && until == u && sample == s)
#define PUT	threshold = t2; base = b2; until = u2; sample = s2
/* Swap the word if it is still the copy; note is for the claims. */
#ifdef WORDS
#define SWAP(note) \
	if \
	:: true -> threshold = t2; base = b2; \
		atomic { until = u2; sample = s2; note; goto done } \
	fi
#else
#define SWAP(note) \
	if \
	:: atomic { SAME -> PUT; note; goto done } \
	:: !SAME -> REACHED(1) \
	fi
#endif

#define ALIVE	(t < b && now <= u && u - now <= AHEAD)
#ifdef REVIVE
#define CARRY	(t < b)
#else
#define CARRY	ALIVE
#endif
#define MIN(x, y) (x < y -> x : y)
#define MAX(x, y) (x > y -> x : y)

/* Does the burst carry on the one in the word, which is alive? */
#ifdef SAMPLE
#define IS_SAMPLE	(me == 0)
#ifdef MERGE
#define IS_RESTING	false
#define CARRIES	CARRY
#else
#define IS_RESTING	(IS_SAMPLE && ALIVE && !s)
#define CARRIES	(CARRY && s == IS_SAMPLE)
#endif
#define REPLACE	\
	if \
	:: me == 1 && s && t < b -> \
		asked[0].replaced = true; \
		if \
		:: asked[0].to > clock -> asked[0].to = clock; REACHED(5) \
		:: else \
		fi \
	:: else \
	fi
#else
#define IS_SAMPLE	false
#define IS_RESTING	false
#define CARRIES	CARRY
#define REPLACE	skip
#endif

proctype start_burst(byte me; byte l)
{
	COPY;
	byte end;

	/* its length is the caller's wish, its end is fixed once */
	if
	:: end = clock + 1
	:: end = clock + LONGEST
	fi;
	do
	:: LOOK;
#ifndef LATE
		if
		:: now > end -> REACHED(4); goto done
		:: else
		fi;
#endif
		if
		:: IS_RESTING -> goto done
		:: else
		fi;
		d_step {
			b2 = b;
			s2 = IS_SAMPLE;
			if
			:: CARRIES ->
				t2 = MIN(l, t);
				u2 = MAX(end, u)
			:: else ->
				t2 = MIN(l, b);
				u2 = end
			fi
		}
		SWAP(REPLACE; asked[me].begun = true; asked[me].level = l;
		    asked[me].from = now; asked[me].to = end)
	od;
done:
	FORGET
}

/* What was asked for lasts as long as the word says. */
#define EXTEND(i) \
	if \
	:: t2 < b2 && asked[i].begun && asked[i].to == u -> \
		asked[i].to = u2 \
	:: else \
	fi

proctype change_priority(byte p)
{
	COPY;

	do
	:: LOOK;
		d_step {
			b2 = p;
			s2 = s;
			if
			:: CARRY ->
				t2 = MIN(p, t);
				u2 = u + 1
			:: else ->
				t2 = p;
				u2 = 0
			fi
		}
		SWAP(last = p; EXTEND(0); EXTEND(BURSTS - 1))
	od;
done:
	FORGET
}

/* One try to end a burst that is over. */
#ifdef BLIND
#define OVER	true
#else
#define OVER	(t < b && !ALIVE)
#endif
#ifdef WORDS
#define EXPIRE \
	LOOK; \
	if \
	:: OVER -> threshold = b \
	:: else \
	fi
#else
#define EXPIRE \
	LOOK; \
	if \
	:: OVER -> \
		d_step { \
			if \
			:: SAME -> threshold = b \
			:: else \
			fi \
		} \
	:: else \
	fi
#endif

/* Was burst i, at stamp now, open for gate?  Was it by way of burst j? */
#ifdef ANY_LEVEL
#define BEGUN(i) asked[i].begun
#else
#define BEGUN(i) (asked[i].begun && asked[i].level <= gate)
#endif
#define OPEN(i)	(BEGUN(i) && now <= asked[i].to)
#define CARRIED(i, j) (BEGUN(i) && asked[j].begun && \
	asked[j].from <= asked[i].to && asked[i].from <= asked[j].to && \
	now <= asked[j].to)
#define LASTS(i) (asked[i].begun && asked[i].level <= gate && \
	clock <= asked[i].to && !asked[i].replaced)
#ifdef SAMPLE
#define ANY_OPEN (OPEN(0) || OPEN(1))
#elif BURSTS == 2
#define ANY_OPEN (OPEN(0) || OPEN(1) || CARRIED(0, 1) || CARRIED(1, 0))
#else
#define ANY_OPEN OPEN(0)
#endif

/* Logs one event below every base.  If the burst looks over, the slow path
 * ends it and sends the event through the append once more. */
proctype logger(byte gate)
{
	COPY;
	byte rounds;
	bool must[BURSTS];
	bool logged;

	do
	:: rounds < 2 ->
		rounds++;
		must[0] = false;
		must[BURSTS - 1] = false;
		/* gate */
		atomic {
			if
			:: gate < threshold ->
				assert(!LASTS(0) && !LASTS(BURSTS - 1)
				    /* kept */);
				break
			:: else
			fi
		}
		/* stamp: the clock, then the word */
		d_step {
			now = clock;
			must[0] = LASTS(0);
			must[BURSTS - 1] = LASTS(BURSTS - 1)
		}
		LOAD;
		d_step {
			must[0] = must[0] && LASTS(0);
			must[BURSTS - 1] = must[BURSTS - 1] &&
			    LASTS(BURSTS - 1)
		}
		if
#ifndef GATE_ONCE
		:: gate < t -> break
#endif
		:: PASSES && now <= u && u - now <= AHEAD ->
			logged = true;
			break
		:: PASSES && !(now <= u && u - now <= AHEAD) ->
			REACHED(2);
			EXPIRE
		fi
	:: else -> break
	od;
	atomic {
		assert(!must[0] && !must[BURSTS - 1] || logged /* kept */);
		assert(!logged || ANY_OPEN /* closed */);
		if
		:: logged -> REACHED(3)
		:: else
		fi;
		must[0] = false;
		must[BURSTS - 1] = false;
		logged = false;
		rounds = 0
	}
	FORGET
}

proctype ticks()
{
	do
	:: clock < TIME -> clock++
	:: break
	od
}

/* The last writer, when every caller is done and every burst is over. */
proctype settle()
{
	COPY;

	atomic {
		ended == BURSTS + PRIORITIES + LOGGERS ->
		clock = TIME + AHEAD + 1
	}
	EXPIRE;
	assert(threshold == base /* settled */);
	assert(base == last /* settled */)
}

init {
	atomic {
		run start_burst(0, 1);
#if BURSTS == 2
		run start_burst(1, 3);
#endif
#if PRIORITIES > 0
		run change_priority(7);
#endif
#if PRIORITIES > 1
		run change_priority(6);
#endif
#if LOGGERS > 0
		run logger(2);
#endif
#if LOGGERS > 1
		run logger(3);
#endif
		run ticks();
		run settle()
	}
}
