/* SPDX-License-Identifier: Apache-2.0 */
/*
 * define.pml - the string table: definitions of several processes at once.
 *
 * Stands for tl_strings_add_locked of src/ring/strings.c, which one thread of
 * each process is in at a time.  Its steps:
 *
 *	look	 walk what was published since the last look; the same
 *		 definition is there -> return it
 *	reserve	 compare and swap of the tail; no room -> a clear error
 *	write	 the record, its link last: to the newest record looked at
 *	publish	 one compare and swap of newest; lost -> look again from the
 *		 newest down to where the last look began, then link, publish
 *
 * A record is two words of a definition and a link; a place of the table
 * holds one record.  Writers may be killed between any two steps, which is
 * the same as never running again.  All stores are in order on x86.
 *
 * A reader loads newest and then the tail, and copies the table below that
 * tail; it walks the links in its copy.  Records do not change once they are
 * published, so here the reader walks the table itself, with that tail as
 * bound.  Claims:
 *	whole	 every record met is written
 *	inside	 every record met is in the copy
 *	once	 no two records say the same, and every process gets the same
 *		 record for the same definition
 *	found	 what was returned before the reader began is met (an entry
 *		 may refer to it)
 *	ends	 the walk ends within as many steps as there are places
 *
 * Variants that must fail:
 *	EARLY	 publish before the record is written
 *	NO_LOOK	 no look after a lost race, only a new link
 *	NO_LINK	 no new link after a lost race
 *	NO_SWAP	 reserve by load and store
 *	TAIL_FIRST the reader loads the tail before newest
 *	REACH	 shows that the model gets where it should (see REACHED)
 */
#ifndef WRITERS
#define WRITERS 3
#endif
#ifndef EVENTS
#define EVENTS	1	/* definitions of each writer */
#endif
#ifndef PLACES
#define PLACES	3	/* of the table; place 0 is none */
#endif
#define KEYS	2	/* different definitions: 1 and 2 */
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

/* The table and the two words of the header. */
byte tail = 1;
byte newest;
byte text1[PLACES + 1];
byte text2[PLACES + 1];
byte link[PLACES + 1];

/* For the claims only: the record returned for a definition. */
byte returned[KEYS + 1];

/* Walk from at to stop, looking for key: place is where, or 0. */
#define LOOK \
	do \
	:: at == seen || at == 0 -> break \
	:: else -> \
		if \
		:: text1[at] == key && text2[at] == key -> \
			place = at; break \
		:: else -> at = link[at] \
		fi \
	od

/* Two variants are to fail before the eyes of the reader. */
#if defined(EARLY) || defined(NO_LINK)
#define ONCE	true
#else
#define ONCE	(returned[key] == 0 || returned[key] == place)
#endif
#define RETURN \
	atomic { \
		assert(ONCE); \
		returned[key] = place \
	}

proctype writer()
{
	byte seen, now, at, mine, place, key, defined;

	do
	:: defined < EVENTS ->
		select(key : 1 .. KEYS);
		/* look */
		now = newest;
		at = now;
		LOOK;
		seen = now;
		if
		:: place != 0 -> REACHED(1); RETURN; goto next
		:: else
		fi;
		/* reserve */
#ifdef NO_SWAP
		mine = tail;
		if
		:: mine > PLACES -> goto next
		:: else
		fi;
		tail = mine + 1;
#else
		do
		:: mine = tail;
			if
			:: mine > PLACES -> REACHED(2); goto next
			:: d_step { mine <= PLACES && tail == mine ->
				tail = mine + 1 }
				break
			:: mine <= PLACES && tail != mine
			fi
		od;
#endif
		/* write */
#ifndef EARLY
		text1[mine] = key;
		text2[mine] = key;
#endif
		link[mine] = seen;
		/* publish */
		do
		:: d_step { newest == seen -> newest = mine }
			place = mine;
			break
		:: newest != seen ->
			REACHED(3);
#ifdef NO_LOOK
			seen = newest;
#else
			now = newest;
			at = now;
			LOOK;
			seen = now;
			if
			:: place != 0 -> REACHED(4); break
			:: else
			fi;
#endif
#ifndef NO_LINK
			link[mine] = seen
#endif
		od;
#ifdef EARLY
		text1[mine] = key;
		text2[mine] = key;
#endif
		RETURN;
next:
		atomic {
			place = 0;
			seen = 0; /* an index keeps what was seen */
			mine = 0;
			at = 0;
			now = 0;
			key = 0;
			defined++
		}
	:: else -> break
	od
}

proctype reader()
{
	byte at, bound, steps, expected1, expected2;
	bit met[KEYS + 1];

	d_step {
		expected1 = returned[1];
		expected2 = returned[2]
	}
#ifdef TAIL_FIRST
	bound = tail;
	at = newest;
#else
	at = newest;
	bound = tail;
#endif
	do
	:: at == 0 -> break
	:: else -> atomic {
		assert(steps < PLACES /* ends */);
		assert(at < bound /* inside */);
		assert(text1[at] != 0 && text1[at] == text2[at] /* whole */);
		assert(met[text1[at]] == 0 /* once */);
		met[text1[at]] = 1;
		steps++;
		at = link[at];
		if
		:: steps == KEYS -> REACHED(5)
		:: else
		fi
	}
	od;
	atomic {
		assert(expected1 == 0 || met[1] == 1 /* found */);
		assert(expected2 == 0 || met[2] == 1 /* found */)
	}
}

init {
	byte i;

	atomic {
		do
		:: i < WRITERS -> run writer(); i++
		:: else -> break
		od;
		run reader()
	}
}
