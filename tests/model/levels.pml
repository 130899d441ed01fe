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
 *		     alive -> (min(l, threshold), base, max(u, until)),
 *			      or nothing if that is the same
 *		     else  -> (min(l, base), base, u)
 *	priority(p)  alive -> (threshold, p, until), until - 2 if p <= base
 *		     else, or if until - 2 is over -> (p, p, past)
 *	expiry	     alive -> nothing
 *		     else  -> (base, base, until), one try
 *
 * Past is any time that is over, here 0; the claim "unique" has another past each
 * time beside it.  A priority gives up one unit of a burst here, because the kind
 * of a burst is a bit of its own here.
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
 *	asked	 no change moves the end of a burst beyond the ends asked for
 *	unique	 (with RECORD) when a caller's swap succeeds, no change was made
 *		 since its copy, so no other entry is between its entry and the
 *		 swap.  The claim is dropped once a burst asks for an end that
 *		 the word had before.
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
 *	MOVE	 a priority moves the end up to make the word another one
 *	KEEP	 with RECORD: a priority never gives up a part of the burst
 *	NOTHING	 with RECORD: a burst that changes nothing is a change like
 *		 others
 *	STRICT	 with RECORD: the claim is never dropped
 *	REACH	 shows that the model gets where it should (see REACHED)
 */
#ifndef BURSTS
#define BURSTS	2
#endif
#ifndef PRIORITIES
#define PRIORITIES 1
#endif
#ifdef RECORD
#define LOGGERS 0
#define TIME	2
#endif
#ifndef LOGGERS
#define LOGGERS 1
#endif
#ifndef TIME
#define TIME	3	/* the clock stops here, at the latest */
#endif
#define LONGEST 2	/* length of the longest burst */
#ifdef MOVE
#define AHEAD	(LONGEST + PRIORITIES)	/* no end is further away */
#define GIVE_UP	u2 = u + 1
#else
#define AHEAD	LONGEST
#ifdef KEEP
#define GIVE_UP	skip
#else
#define GIVE_UP	u2 = (u > 0 -> u - 1 : 0)
#endif
#endif
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
#ifdef RECORD
byte past;	/* which past until is, outside of bursts */
byte pasts;
byte version;	/* for the claim only: of the word, as changes count */
bool had[TIME + LONGEST + 1]; /* ends of bursts that were in the word ... */
bool again;	/* ... and one that came back as a burst asked for it */
#endif

/* For the claims only: what was asked for, and since when. */
typedef wish {
	bool begun;
	byte level;
	byte from;	/* clock when it was decided */
	byte to;
	bool replaced	/* a sample by a caller's burst, or given up */
};
wish asked[BURSTS];
byte most;		/* the latest end asked for by what is in the word */
byte last = BASE;	/* priority */
byte ended;		/* callers */

/* A caller's copy of the word, its clock, and the word it wants. */
#ifdef RECORD
#define COPY	byte t, b, u, now, t2, b2, u2, x, x2, v; bool s, s2
#define RECORD_LOAD x = past; v = version
#define RECORD_SAME && past == x
#define RECORD_PUT \
	assert(version == v || again /* unique */); \
	version++; \
	past = x2; \
	had[u2] = had[u2] || t2 < b2
#ifdef STRICT
#define RECORD_AGAIN skip
#else
#define RECORD_AGAIN again = again || (u2 != u && had[u2])
#endif
#define RECORD_PAST pasts++; x2 = pasts
#define RECORD_FORGET x = 0; x2 = 0; v = 0
#else
#define COPY	byte t, b, u, now, t2, b2, u2; bool s, s2
#define RECORD_LOAD skip
#define RECORD_SAME
#define RECORD_PUT skip
#define RECORD_AGAIN skip
#define RECORD_PAST skip
#define RECORD_FORGET skip
#endif

/* Keeps the search small: a caller that is done holds nothing. */
#define FORGET	atomic { t = 0; b = 0; u = 0; now = 0; s = false; \
	t2 = 0; b2 = 0; u2 = 0; s2 = false; RECORD_FORGET; ended++ }

#ifdef WORDS
#define LOAD	t = threshold; b = base; u = until; s = sample
#else
#define LOAD	d_step { t = threshold; b = base; u = until; s = sample; \
	RECORD_LOAD }
#endif
#ifdef CLOCK_FIRST
#define LOOK	now = clock; LOAD
#else
#define LOOK	LOAD; now = clock
#endif

#define SAME	(threshold == t && base == b && until == u && sample == s \
	RECORD_SAME)
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
	:: atomic { SAME -> note; RECORD_PUT; PUT; goto done } \
	:: !SAME -> REACHED(1) \
	fi
#endif

#define ALIVE_TO(end) (t < b && now <= end && end - now <= AHEAD)
#define ALIVE	ALIVE_TO(u)
#ifdef REVIVE
#define CARRY	(t < b)
#define CARRY_TO(end) (t < b)
#else
#define CARRY	ALIVE
#define CARRY_TO(end) ALIVE_TO(end)
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
#ifndef NOTHING
		if
		:: CARRIES && t2 == t && u2 == u -> REACHED(7); goto done
		:: else
		fi;
#endif
		SWAP(REPLACE; RECORD_AGAIN;
		    most = (CARRIES && most > end -> most : end);
		    asked[me].begun = true; asked[me].level = l;
		    asked[me].from = now; asked[me].to = end)
	od;
done:
	FORGET
}

/* A priority that gives up a part of a burst: what was asked for lasts until
 * end, and what was logged by the word before remains right. */
#define CUT(i, end) \
	if \
	:: asked[i].begun && asked[i].to > end -> \
		asked[i].to = MAX(end, clock); \
		asked[i].replaced = asked[i].replaced || end < clock \
	:: else \
	fi
#define CUT_BOTH \
	if \
	:: t2 < b2 && u2 < u -> CUT(0, u2); CUT(BURSTS - 1, u2) \
	:: t2 == b2 && ALIVE && p <= b && u == now -> \
		CUT(0, (clock - 1)); CUT(BURSTS - 1, (clock - 1)); REACHED(6) \
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
			u2 = u;
			if
			:: p <= b -> GIVE_UP
			:: else
			fi;
			if
			:: CARRY_TO(u2) ->
				t2 = t
			:: else ->
				t2 = p;
				u2 = 0;
				RECORD_PAST
			fi
		}
		SWAP(assert(t2 == b2 || u2 <= most /* asked */); last = p;
		    CUT_BOTH)
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
#if PRIORITIES > 2
		run change_priority(5);
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
