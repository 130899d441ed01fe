/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer.pml - a timer's histogram of one CPU: additions as restartable
 * sequences, and a reader.
 *
 * Stands for the section of asm/timer.S, with its step names, and for add_row
 * of src/snap/timers.c.  As in append.pml one writer is inside at a time, may
 * be aborted at any instruction, and is killed where it is aborted and never
 * runs again.  Each writer adds EVENTS durations: writer w adds w + 1 to
 * bucket w % BUCKETS.
 *
 * truth[b] and truth_sum are what was committed.  Claims:
 *	exact	whenever no writer is inside, and whatever was aborted before,
 *		count, sum and each bucket are what was committed
 *	torn	a reader gets a sum of one moment during its read, and buckets
 *		with no less than was committed when it began and no more than
 *		when it ended
 *
 * Variants that must fail:
 *	DIRECT	the bucket is added to before the commit: an aborted addition
 *		is there twice
 *	ONE	there is one state: the sum of an aborted addition stays
 *	NO_REDO	the bucket of the last addition is never stored
 *	TWICE	the bucket is added to once more instead of stored: an abort
 *		behind it adds it twice
 *	BEHIND	the reader does not look at the state: the last one is missing
 */
#ifndef EVENTS
#define EVENTS	2
#endif
#define WRITERS 2
#define BUCKETS 2
#define NOBODY	255
#ifndef REACH
#define REACH	0
#endif
#define REACHED(n) assert(REACH != n)

byte count;
byte values[BUCKETS];
byte s_bucket[2];
byte s_value[2];
byte s_sum[2];

byte truth[BUCKETS];
byte truth_sum;
byte truth_count;
byte cpu = NOBODY;
byte aborts;

#ifdef ONE
#define NEXT(n) 0
#define LAST(n) 0
#else
#define NEXT(n) ((n + 1) % 2)
#define LAST(n) (n % 2)
#endif

/* What add_row makes of bucket b. */
#ifdef BEHIND
#define SHOWN(b) values[b]
#else
#define SHOWN(b) \
	((s_bucket[LAST(count)] == b && s_value[LAST(count)] > values[b]) -> \
	    s_value[LAST(count)] : values[b])
#endif

#define ABORT :: aborts < 3 -> aborts++; cpu = NOBODY; goto arm

proctype Writer(byte w)
{
	byte n, v, sum, done;
	byte b = w % BUCKETS;

arm:
	if
	:: done == EVENTS -> goto out
	:: atomic { done < EVENTS && cpu == NOBODY -> cpu = w }
	:: aborts > 0 -> goto out /* killed */
	fi;
	n = count;
#ifndef NO_REDO
#ifdef TWICE
	if :: n > 0 -> values[s_bucket[LAST(n)]]++ :: else fi;
#else
	if
	:: n > 0 -> values[s_bucket[LAST(n)]] = s_value[LAST(n)]
	:: else
	fi;
#endif
#endif
	if ABORT :: true fi;
#ifdef DIRECT
	values[b]++;
	if ABORT :: true fi;
	v = values[b];
#else
	v = values[b] + 1;
#endif
	sum = s_sum[LAST(n)] + w + 1;
	if ABORT :: true fi;
	s_bucket[NEXT(n)] = b;
	if ABORT :: true fi;
	s_value[NEXT(n)] = v;
	if ABORT :: true fi;
	s_sum[NEXT(n)] = sum;
	if ABORT :: REACHED(1) :: true fi;
	atomic {
		count = n + 1; /* commit */
		truth[b]++;
		truth_sum = truth_sum + w + 1;
		truth_count++;
		cpu = NOBODY;
		done++;
		/* exact */
		assert(count == truth_count);
		assert(s_sum[LAST(count)] == truth_sum);
		assert(SHOWN(0) == truth[0]);
		assert(SHOWN(1) == truth[1]);
	}
	if :: aborts > 1 -> REACHED(2) :: else fi;
	goto arm;
out:
	skip
}

proctype Reader()
{
	byte n, bucket, value, sum, got[BUCKETS], least[BUCKETS], i;
	byte sum_least, sum_most;

	atomic {
		least[0] = truth[0];
		least[1] = truth[1];
		sum_least = truth_sum;
		n = count;
	}
	/* one read after the other, as a copy of the bytes is */
	bucket = s_bucket[LAST(n)];
	value = s_value[LAST(n)];
	sum = s_sum[LAST(n)];
	got[0] = values[0];
	got[1] = values[1];
	atomic {
		if
		:: count == n -> /* nothing was added meanwhile */
#ifndef BEHIND
			if
			:: value > got[bucket] -> got[bucket] = value
			:: else
			fi;
#endif
			/* torn */
			assert(sum == truth_sum);
			assert(got[0] >= least[0] && got[0] <= truth[0]);
			assert(got[1] >= least[1] && got[1] <= truth[1]);
			if :: truth_count > 2 -> REACHED(3) :: else fi
		:: else
		fi
	}
}

init {
	atomic {
		run Writer(0);
		run Writer(1);
		run Reader()
	}
}
