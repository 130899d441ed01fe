/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_layout.h - owns every byte of a timeline file, live or saved.
 *
 *	+--------------------------+ 0
 *	| header            4096 B |  identity, geometry, levels, counts, clock
 *	+--------------------------+ heads_offset
 *	| lane heads   128 B each  |  head, then cleared mark and saved range
 *	+--------------------------+ entries_offset[tier]   page aligned
 *	| entries      64 B each   |  per tier: CPU lane after CPU lane of 2^n
 *	|                          |  entries, then the fallback lanes of 2^m
 *	+--------------------------+ knots_offset           page aligned
 *	| clock knots  64 B each   |  1024, append only, then oldest first out
 *	+--------------------------+ names_offset           page aligned
 *	| names        32 B each   |  1024, of processes and threads
 *	+--------------------------+ strings_offset         page aligned
 *	| string table             |  message records and text, append only
 *	+--------------------------+ timers_offset          page aligned
 *	| timers       64 B each   |  what each one's number is, and thresholds
 *	+--------------------------+ page aligned
 *	| histograms   24 KiB each |  of a timer after the other: those of each
 *	|                          |  CPU lane, then one of the other threads;
 *	|                          |  no memory before the timer is defined
 *	+--------------------------+ total_size == size of the file
 *
 * All numbers are little endian.  C code reads the structs, assembler code the
 * #defines, and timeline(5) draws the file for people.  No other file adds up
 * offsets.
 */
#ifndef TIMELINE_LAYOUT_H
#define TIMELINE_LAYOUT_H

/* "TIMELINE" as a little-endian word; the order of the letters tells the
 * endianness of the file. */
#define TIMELINE_MAGIC		 0x454e494c454d4954
#define TIMELINE_MAJOR		 2
#define TIMELINE_MINOR		 3
#define TIMELINE_MAJOR_OLDEST	 1 /* the oldest major version that is read */
/* The number changes whenever a writer of another build could harm the file. */
#define TIMELINE_WRITER_ABI	 0x0000000200000001
/* The number of a file NAME.sched: one process writes the lanes with given
 * stamps, and no other process may log. */
#define TIMELINE_SCHED_ABI	 0x0000000200000100

#define TIMELINE_HEADER_SIZE	 4096
#define TIMELINE_PAGE_SIZE	 4096
#define TIMELINE_ENTRY_SIZE	 64
#define TIMELINE_ENTRY_SHIFT	 6
#define TIMELINE_HEAD_SIZE	 128
#define TIMELINE_KNOT_SIZE	 64
#define TIMELINE_KNOTS_MAX	 1024
#define TIMELINE_NAME_SIZE	 32
#define TIMELINE_NAMES		 1024 /* of a new file */
#define TIMELINE_NAMES_MAX	 65536
#define TIMELINE_NAMES_SET	 8 /* slots that may hold a given name */
#define TIMELINE_TIERS_MAX	 4
#define TIMELINE_LANES_MAX	 4096 /* CPU and fallback lanes of one tier */
#define TIMELINE_ARGS_MAX	 4
#define TIMELINE_RECORD_ALIGN	 16 /* leaves 4 flag bits in entry.message */
#define TIMELINE_STRINGS_START	 64 /* the offset of the first record */
#define TIMELINE_GATES		 3072 /* of header.gates */
#define TIMELINE_TRIES_MAX	 2 /* of an append in the lane of its CPU */
#define TIMELINE_TIMERS_MAX    64 /* of a file made by this version */
#define TIMELINE_EXITS		 15
#define TIMELINE_EXIT_SHIFT	 24 /* ns in a unit of the time of an exit */

/* struct timeline_entry */
#define TIMELINE_OFF_TSC	 0
#define TIMELINE_OFF_TID	 8 /* and pid: one 8-byte store */
#define TIMELINE_OFF_PID	 12
#define TIMELINE_OFF_MESSAGE	 16 /* and cpu: one 8-byte store */
#define TIMELINE_OFF_CPU	 20
#define TIMELINE_OFF_ARGS	 24
#define TIMELINE_OFF_STAMP	 56

/*
 * struct timeline_event, the handle that the append reads.  The append stores
 * to tls.rseq_cs, whose address is 8 modulo 32 because the kernel aligns struct
 * rseq.  Where the lower 16 bits of that address equal those of a word of the
 * handle, a Zen CPU takes the store for the source of a load of the word, and
 * the append waits 3 to 6 cycles; one process of 16 has such addresses.  So the
 * word at offset 40 holds members that the append loads before the store.
 */
#define TIMELINE_EVENT_GATE	 0
#define TIMELINE_EVENT_LEVELS	 8
#define TIMELINE_EVENT_HEADS	 16
#define TIMELINE_EVENT_ENTRIES	 24
#define TIMELINE_EVENT_MESSAGE	 32
#define TIMELINE_EVENT_IDS	 36
#define TIMELINE_EVENT_RSEQ	 40
#define TIMELINE_EVENT_LANES	 48
#define TIMELINE_EVENT_HEAD_STEP 52
#define TIMELINE_EVENT_LANE_STEP 56
#define TIMELINE_EVENT_MASK	 60
#define TIMELINE_EVENT_BURST_MAX 64
#define TIMELINE_EVENT_HISTOGRAM 112
#define TIMELINE_EVENT_SLOWER    120
#define TIMELINE_EVENT_SIZE	 128

/* struct timeline_histogram */
#define TIMELINE_HISTOGRAM_SIZE   24576
#define TIMELINE_HISTOGRAM_COUNT  0
#define TIMELINE_HISTOGRAM_STATE  64 /* two, 32 bytes each */
#define TIMELINE_HISTOGRAM_VALUES 128
#define TIMELINE_STATE_BUCKET     0
#define TIMELINE_STATE_VALUE      8
#define TIMELINE_STATE_SUM        16
#define TIMELINE_STATE_MAX        24

/*
 * Buckets: each value below 128 has a bucket of its own; each doubling above
 * has 64 buckets, so the middle of a bucket is within 0.8 % of each value in
 * the bucket.  The last bucket also holds the values from 2^52 on.
 */
#define TIMELINE_BUCKET_BITS   6
#define TIMELINE_BUCKETS       3008
#define TIMELINE_BUCKET_VALUES 52 /* bits that distinguish values */

/* The append takes a stamp that the caller gives without reading the clock, if
 * the stamp is less than 2^TIMELINE_GIVEN_SHIFT ticks after the stamp of the
 * entry before ... */
#define TIMELINE_GIVEN_SHIFT 22
/* ... and if the number of the entry is no multiple of TIMELINE_GIVEN_RUN.  So
 * a stamp is ahead of the clock by less than 2^TIMELINE_GIVEN_SHIFT *
 * TIMELINE_GIVEN_RUN ticks.  The run is at most 64, the least room of a lane,
 * so that the append reads the clock at the first entry of each lap. */
#define TIMELINE_GIVEN_RUN 64

/*
 * The levels word: enter 8 bits | base 8 | threshold 4 | until 44.  The append
 * compares a gate with enter.  Without a sampling plan enter is the threshold
 * and the field threshold is 0; with a plan enter is less than the threshold.
 */
#define TIMELINE_LEVELS_BASE	 8	/* shift of base, in bits */
#define TIMELINE_LEVELS_THRESHOLD 16
#define TIMELINE_LEVELS_UNTIL	 20	/* shift of until, in bits */
#define TIMELINE_UNTIL_SHIFT	 12	/* until counts stamps >> 12 */

/* The sampling plan, counted from the levels word. */
#define TIMELINE_PLAN_LEASE	 8
#define TIMELINE_PLAN_SEED	 16
#define TIMELINE_PLAN_SHARES	 24
#define TIMELINE_PLAN_GATES	 10

/* splitmix64: the step, and the two multipliers. */
#define TIMELINE_HASH_STEP	 0x9e3779b97f4a7c15
#define TIMELINE_HASH_FIRST	 0xbf58476d1ce4e5b9
#define TIMELINE_HASH_SECOND	 0x94d049bb133111eb

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define TIMELINE_ASSERT(what) static_assert(what, #what)
#else
#define TIMELINE_ASSERT(what) _Static_assert(what, #what)
#endif

/* The state of the file: header.state. */
enum {
	TIMELINE_LIVE = 1,	/* processes may be writing to the file */
	TIMELINE_SAVED = 2,	/* a snapshot: lanes have a valid range */
	TIMELINE_IMPORTED = 3	/* a snapshot made from another format */
};

/* The unit of a stamp: header.clock_kind. */
enum {
	TIMELINE_CLOCK_TSC = 1,	    /* raw time stamp counter */
	TIMELINE_CLOCK_REALTIME = 2 /* nanoseconds of CLOCK_REALTIME */
};

/* header.compat */
#	define TIMELINE_COMPAT_TIMERS 1 /* there is a region of timers */
#	define TIMELINE_COMPAT_GATES  2 /* see timeline_gate_offset */
#	define TIMELINE_COMPAT_WHOLE  4 /* imported: see timeline_is_whole */

/* Flags of a clock knot and of the clock tail. */
enum {
	TIMELINE_KNOT_FIRST = 1 << 0,	  /* first knot of the file */
	TIMELINE_KNOT_STEP = 1 << 1,	  /* the wall clock was set */
	TIMELINE_KNOT_LEAP = 1 << 2,	  /* leap second */
	TIMELINE_KNOT_KINK = 1 << 3,	  /* rate change, continuous */
	TIMELINE_KNOT_GAP = 1 << 4,	  /* suspend, resume, daemon away */
	TIMELINE_KNOT_NEW_EPOCH = 1 << 5, /* the TSC started again */
	TIMELINE_KNOT_CLOSE = 1 << 6,	  /* closing point of a snapshot */
	TIMELINE_KNOT_COARSE = 1 << 7,	  /* rate from a short measurement */
	TIMELINE_KNOT_UNSYNC = 1 << 8,	  /* kernel clock not synchronised */
	TIMELINE_KNOT_SUSPECT = 1 << 9,	  /* TSC not trusted */
	TIMELINE_KNOT_NO_VDSO = 1 << 10	  /* clock read by system call */
};

/*
 * One vertex of the line from stamps to Unix time.  Between two knots the time
 * lies on the straight line through both; where the later knot has STEP, LEAP,
 * GAP or NEW_EPOCH, the line of the earlier knot (mult) goes on up to the later
 * knot.  A knot never changes after seq is written.
 */
struct timeline_knot {
	uint64_t tsc;
	int64_t utc_ns;
	uint64_t mult;	      /* ns per tick, times 2^63, after this knot */
	int64_t raw_ns;	      /* CLOCK_MONOTONIC_RAW at tsc; 0 unknown */
	uint32_t est_err_ns;  /* likely error of a converted stamp */
	uint32_t max_err_ns;  /* bound of that error */
	uint32_t sync_err_us; /* adjtimex maxerror; ~0 unsynchronised */
	uint32_t epoch;	      /* counts NEW_EPOCH */
	uint16_t flags;
	int16_t tai_offset_s; /* 0 unknown */
	uint32_t pid;	      /* of the process that measured */
	uint64_t seq;	      /* number of the knot + 1, stored last */
};
TIMELINE_ASSERT(sizeof(struct timeline_knot) == TIMELINE_KNOT_SIZE);

/*
 * The newest calibration point, under a sequence lock: sequence is odd while
 * owner writes.  Readers try a bounded number of times.  The slopes bound a
 * cone: where the next point lies in the cone, this point is not needed and
 * becomes no knot.  A keeper decides about knots by itself and leaves an empty
 * cone (low > high).
 */
struct timeline_clock_tail {
	uint32_t sequence;
	uint32_t owner; /* pid of the last to take the lock */
	uint64_t tsc;
	int64_t utc_ns;
	uint64_t mult;
	int64_t raw_ns;
	uint32_t est_err_ns;
	uint32_t max_err_ns;
	uint32_t rate_err_ppb;
	uint32_t sync_err_us;
	uint16_t flags;
	int16_t tai_offset_s;
	uint32_t epoch;
	uint64_t slope_low;
	uint64_t slope_high;
	uint64_t before_tsc; /* tsc of the point before this point */
	uint32_t half_ns;    /* half of this point's bracket */
	uint32_t widest_ns;  /* the widest half since the last knot */
	uint32_t bend_ns;    /* bound of the clock's bend between points */
	uint32_t stray_ppb;  /* the latest change of the clock's rate */
	uint32_t points;     /* since the last knot */
	uint32_t keeper;     /* pid of the daemon that keeps the clock; 0 */
	uint64_t spare2[2];
};
TIMELINE_ASSERT(sizeof(struct timeline_clock_tail) == 128);

/* The causes of drops: indexes of header.drops. */
enum {
	TIMELINE_DROP_BUSY = 0,	 /* version 1 only; 0 */
	TIMELINE_DROP_LAPPED,	 /* another writer is a lap ahead */
	TIMELINE_DROP_RACED,	 /* version 1 only; 0 */
	TIMELINE_DROP_TABLE_FULL,/* definitions refused: string table full */
	TIMELINE_DROP_KNOTS,	 /* clock knots pushed out by newer ones */
	TIMELINE_DROP_CAUSES	 /* the number of causes; at most 8 */
};

/* Members are grouped by cache line: a line that each append reads is rarely
 * written. */
struct timeline_header {
	/* 0: identity; never changes */
	uint64_t magic;
	uint16_t major;
	uint16_t minor;
	uint32_t header_size;
	uint32_t entry_size;
	uint32_t state;
	uint64_t total_size;
	uint64_t writer_abi;
	uint64_t compat;   /* unknown bit: read, do not write */
	uint64_t incompat; /* unknown bit: refuse */
	uint32_t clock_kind;
	uint32_t cpu_flags; /* TIMELINE_CPU_* */

	/* 64: geometry; never changes */
	uint32_t cpu_lanes;
	uint32_t fallback_lanes; /* of each tier, after its CPU lanes */
	uint32_t tiers;
	uint32_t knots_max;
	uint64_t heads_offset;
	uint64_t knots_offset;
	uint64_t strings_offset;
	uint64_t strings_size;
	uint64_t entries_asked; /* as given to timeline_new */
	uint64_t spare1;

	/* 128: the entries of a tier: the room of each CPU lane, and the offset
	 * of lane 0 */
	uint64_t tier_entries[TIMELINE_TIERS_MAX];
	uint64_t entries_offset[TIMELINE_TIERS_MAX];

	/* 192: the levels word, which each log call reads.  In the same cache
	 * line lies the sampling plan, which changes as rarely: until the stamp
	 * in lease (the low byte of lease is the shift of slots, and a lease
	 * of 0 is over) a gate is open in the slots whose hash is below the
	 * gate's share of 2^32. */
	uint64_t levels;
	uint64_t lease;
	uint64_t seed;
	uint32_t shares[TIMELINE_PLAN_GATES]; /* by gate */

	/* 256: the string table grows here */
	uint64_t strings_tail; /* bytes reserved so far */
	uint64_t newest;       /* newest record; 0 none */
	uint64_t spare3[6];

	/* 320: entries that were not stored, by cause */
	uint64_t drops[8];

	/* 384: the clock */
	struct timeline_clock_tail clock;
	/* 512 */
	uint64_t knot_count; /* ever committed; the file keeps knots_max */
	uint64_t tsc_khz;    /* nominal; 0 unknown */
	uint32_t rate_source;
	uint32_t epochs;
	uint64_t timens_inode;
	uint64_t pidns_inode; /* the creator's PID namespace, to which pid and
				 tid of entries belong.  0 unknown */
	uint64_t spare4[3];

	/* 576: the creator */
	uint8_t boot_id[16];
	uint8_t machine_id[16];
	uint32_t creator_pid;
	uint32_t creator_uid;
	int64_t created_ns;  /* Unix time */
	int64_t saved_ns;    /* Unix time of the snapshot; 0 live */
	uint64_t created_tsc;

	/* 640 */
	char creator_host[64];
	char creator_command[64];

	/* 768: geometry again; never changes */
	uint64_t fallback_entries[TIMELINE_TIERS_MAX]; /* the room of each
							  fallback lane */

	/* 800: not 0: the name was taken from the file, and another file may
	 * have the name now */
	uint64_t superseded;

	/* 808: timers; never changes.  All 0: no timers */
	uint64_t timers_offset;
	uint32_t timers_max;
	uint32_t timer_rows; /* histograms of each timer */

	/* 824: names of processes and threads; names_offset 0: none */
	uint64_t names_offset; /* never changes */
	uint64_t names_max;    /* never changes; a multiple of the set */
	uint64_t names_put;    /* ever */

	/* 848: the stamp, in the last epoch, at which a snapshot was cut: the
	 * snapshot has each entry whose append had returned by then, and no
	 * entry with a later stamp but what callers stamped ahead of the clock.
	 * An append that was in progress may have an earlier stamp and no
	 * entry.  0: unknown */
	uint64_t cut;

	uint8_t rest[40];

	/* 896: the newest TIMELINE_EXITS processes that logged and then closed
	 * the timeline or called exit: see timeline_exit */
	uint64_t exit_count; /* ever */
	uint64_t exits[TIMELINE_EXITS];

	/* 1024: see timeline_gate_offset */
	uint8_t gates[TIMELINE_GATES];
};
TIMELINE_ASSERT(sizeof(struct timeline_header) == TIMELINE_HEADER_SIZE);
TIMELINE_ASSERT(offsetof(struct timeline_header, cpu_lanes) == 64);
TIMELINE_ASSERT(offsetof(struct timeline_header, tier_entries) == 128);
TIMELINE_ASSERT(offsetof(struct timeline_header, levels) == 192);
TIMELINE_ASSERT(
    offsetof(struct timeline_header, lease) == 192 + TIMELINE_PLAN_LEASE);
TIMELINE_ASSERT(
    offsetof(struct timeline_header, seed) == 192 + TIMELINE_PLAN_SEED);
TIMELINE_ASSERT(
    offsetof(struct timeline_header, shares) == 192 + TIMELINE_PLAN_SHARES);
TIMELINE_ASSERT(offsetof(struct timeline_header, strings_tail) == 256);
TIMELINE_ASSERT(offsetof(struct timeline_header, drops) == 320);
TIMELINE_ASSERT(offsetof(struct timeline_header, clock) == 384);
TIMELINE_ASSERT(offsetof(struct timeline_header, knot_count) == 512);
TIMELINE_ASSERT(offsetof(struct timeline_header, pidns_inode) == 544);
TIMELINE_ASSERT(offsetof(struct timeline_header, boot_id) == 576);
TIMELINE_ASSERT(offsetof(struct timeline_header, superseded) == 800);
TIMELINE_ASSERT(offsetof(struct timeline_header, creator_host) == 640);
TIMELINE_ASSERT(offsetof(struct timeline_header, fallback_entries) == 768);
TIMELINE_ASSERT(offsetof(struct timeline_header, names_offset) == 824);
TIMELINE_ASSERT(offsetof(struct timeline_header, exit_count) == 896);
TIMELINE_ASSERT(offsetof(struct timeline_header, gates) == 1024);
TIMELINE_ASSERT(TIMELINE_DROP_CAUSES <= 8);

/* header.cpu_flags: what was found out about the counter at creation. */
enum {
	TIMELINE_CPU_CONSTANT_TSC = 1 << 0,
	TIMELINE_CPU_NONSTOP_TSC = 1 << 1,
	TIMELINE_CPU_CLOCKSOURCE_TSC = 1 << 2,
	TIMELINE_CPU_HYPERVISOR = 1 << 3
};

/*
 * Lane heads.  The number of a lane is cpu * tiers + tier; the fallback lanes
 * follow the CPU lanes in the same way.  Only the writers of the lane write
 * head; any process may raise cleared, by compare and swap.  The other members
 * are 0 in a live file; the process that takes a snapshot writes them.
 */
struct timeline_head {
	uint64_t head; /* entries ever appended: never masked, never reset */
	uint64_t spare[7];
	uint64_t cleared; /* readers skip entries below */
	uint64_t first;	  /* saved: entries [first, end) are in the file */
	uint64_t end;
	uint64_t torn;	 /* saved: entries of [first, end) with a wrong stamp */
	uint64_t stuck;	 /* version 1 only; 0 */
	uint64_t wanted; /* saved: entries [wanted, first) were overwritten while
			  * the file was copied; 0 in older files */
	uint64_t overwritten; /* imported: entries before first that were
			       * overwritten; the others before first are lost */
	uint64_t spare2;
};
TIMELINE_ASSERT(sizeof(struct timeline_head) == TIMELINE_HEAD_SIZE);
TIMELINE_ASSERT(offsetof(struct timeline_head, cleared) == 64);

/*
 * One event.  The lane tells the CPU; in a fallback lane cpu is the CPU (~0
 * unknown), and in a CPU lane cpu is 0.
 *
 * In CPU lanes and in snapshots stamp is 2q+1 while entry number q of the lane
 * is being written and 2q+2 when the entry is whole.  In a fallback lane of a
 * live file a late thread may store into a slot that another thread has taken
 * over.  There the low half of stamp is 2q+2 and the high half is a sum of the
 * entry; the writer stores both last, with one store, so that an entry proves
 * itself.
 */
struct timeline_entry {
	uint64_t tsc;
	uint32_t tid;
	uint32_t pid;
	uint32_t message; /* offset of the record in the string table | flags */
	uint32_t cpu;
	uint64_t args[TIMELINE_ARGS_MAX];
	uint64_t stamp;
};
TIMELINE_ASSERT(sizeof(struct timeline_entry) == TIMELINE_ENTRY_SIZE);
TIMELINE_ASSERT(offsetof(struct timeline_entry, tsc) == TIMELINE_OFF_TSC);
TIMELINE_ASSERT(offsetof(struct timeline_entry, tid) == TIMELINE_OFF_TID);
TIMELINE_ASSERT(offsetof(struct timeline_entry, pid) == TIMELINE_OFF_PID);
TIMELINE_ASSERT(
    offsetof(struct timeline_entry, message) == TIMELINE_OFF_MESSAGE);
TIMELINE_ASSERT(offsetof(struct timeline_entry, cpu) == TIMELINE_OFF_CPU);
TIMELINE_ASSERT(offsetof(struct timeline_entry, args) == TIMELINE_OFF_ARGS);
TIMELINE_ASSERT(offsetof(struct timeline_entry, stamp) == TIMELINE_OFF_STAMP);

/*
 * Flags in the low bits of entry.message.
 *
 * END and BARE: an end that was logged without arguments.  BARE without END:
 * the entry ends the span of the message and begins the next span.
 *
 * WHOLE with END, of a timer: the span began timeline_duration(cpu) ticks
 * before tsc; an older reader sees an end without a begin.  The CPU of the
 * entry is the CPU of the lane.  WHOLE with END, of a span that is no timer: a
 * proven end; the word that timeline_begun_word names holds the stamp of the
 * begin, not an argument.  Writers before 2.2 do not set the flag.  In an
 * imported timeline a stamp behind that of the end proves nothing; it tells
 * what was known of the begin, see timeline_begun_said.  WHOLE alone: the begin
 * of a span whose end will be proven.
 *
 * MOVED: the caller gave a stamp before that of the last entry, or after the
 * present, and tsc is the nearest stamp that fits; TIMELINE_GIVEN_SHIFT tells
 * how far ahead of the clock a stamp may pass.
 */
enum {
	TIMELINE_MESSAGE_END = 1 << 0,
	TIMELINE_MESSAGE_BARE = 1 << 1,
	TIMELINE_MESSAGE_WHOLE = 1 << 2,
	TIMELINE_MESSAGE_MOVED = 1 << 3,
	TIMELINE_MESSAGE_FLAGS = TIMELINE_RECORD_ALIGN - 1
};

/* The index of the argument with the stamp of the begin of a proven end. */
static inline unsigned
timeline_begun_word(uint32_t message)
{
	return message & TIMELINE_MESSAGE_BARE ? 0 : TIMELINE_ARGS_MAX - 1;
}

/* In place of the stamp of a begin: the record has no begin of the end. */
#define TIMELINE_BEGUN_NONE UINT64_MAX

/*
 * What an end that was logged without the stamp of its begin stores, if the
 * begin was known when the timeline was imported: 1 and twice the ticks between
 * the two behind its own stamp, and 1 more if the begin may be that of another
 * span.
 */
static inline uint64_t
timeline_begun_said(uint64_t end, uint64_t begin, int is_unsure)
{
	return end + 1 + (end - begin) * 2 + (is_unsure ? 1 : 0);
}

/* record.kind */
enum {
	TIMELINE_RECORD_INSTANT = 1,
	TIMELINE_RECORD_SPAN = 2,    /* logged as begin and end */
	TIMELINE_RECORD_COUNTER = 3, /* argument 1 is the value */
	TIMELINE_RECORD_STRING = 4,  /* text only: what a %s argument names */
	TIMELINE_RECORD_EPOCH = 5    /* text holds the head of every lane */
};

/* record.builtin: messages of category "timeline" that readers understand */
enum {
	TIMELINE_BUILTIN_NONE = 0,
	TIMELINE_BUILTIN_PRIORITY = 1, /* level, base, until (stamp) */
	/* level, base, until (stamp); then 0 for a burst that a caller asked
	 * for, another number for a sample of a schedule */
	TIMELINE_BUILTIN_BURST = 2,
	TIMELINE_BUILTIN_LEVEL = 3,    /* gates of some messages changed */
	/* 4 is reserved: older files have it */
	TIMELINE_BUILTIN_PLAN = 5,     /* plan, share, seed, lease (stamp) */
	TIMELINE_BUILTIN_FORCE = 6,    /* the levels of 1 or 2 are in force */
	TIMELINE_BUILTIN_CLEAR = 7,    /* sum of the marks of all lanes */
	TIMELINE_BUILTIN_LOST = 8      /* a number of entries is missing here */
};

/*
 * Low bits of until in the entry of a priority or a burst; versions before 2.2
 * write 0 and ignore the bits.  The entry is logged before the levels change,
 * and the thread that logged the entry may die before it changes the levels.
 * BEFORE: the entry proves that the messages that the change closes are closed
 * from the entry on, and proves nothing else.  FOLLOWS: once the levels have
 * changed, the same thread logs an entry of builtin 6 with the same three
 * arguments.  The second entry proves the levels, if no other change was logged
 * between the two.
 */
enum {
	TIMELINE_UNTIL_BEFORE = 1 << 0,
	TIMELINE_UNTIL_FOLLOWS = 1 << 1
};

/* The first argument of the entry of a plan: level 8 bits | shift of slots 8 |
 * held 1. */
#define TIMELINE_PLAN_SHIFT 8
#define TIMELINE_PLAN_HELD  16 /* bit: in force since the last such entry */

/*
 * The entry of a level: the level (10: the level of the definition), the number
 * of messages that matched, the record of one of the messages, and the gates of
 * that message: before 8 bits | after 8 | made 1.  A caller logs the entry
 * without made before it changes the gate by compare and swap, and with made
 * after the swap.  The record is 0 in versions before 2.2, and where more than
 * TIMELINE_LEVEL_NAMED messages matched; all gates had changed when such an
 * entry was logged.
 */
#define TIMELINE_LEVEL_AFTER 8
#define TIMELINE_LEVEL_MADE  16 /* bit */
#define TIMELINE_LEVEL_NAMED 8

/* record.formats: the format of an argument */
enum {
	TIMELINE_ARG_UNSIGNED = 0, /* $x%u; $x by 0.1.0 */
	TIMELINE_ARG_SIGNED = 1,   /* $x, $x%d */
	TIMELINE_ARG_HEX = 2,	   /* $x%x */
	TIMELINE_ARG_DOUBLE = 3,   /* $x%f: the bits of a double */
	TIMELINE_ARG_DURATION = 4, /* $x%t: nanoseconds */
	TIMELINE_ARG_STRING = 5,   /* $x%s: a number from timeline_string */
	TIMELINE_ARG_TEXT8 = 6,	   /* $x%8s: up to eight bytes of text, from the
				      lowest byte up; NULs at the end are none */
	TIMELINE_ARG_OCTAL = 7	   /* $x%o */
};

/*
 * A record of the string table, aligned to 16 bytes, at an offset that never
 * changes; offset 0 means no record.  A compare and swap of header.newest
 * publishes a record.  Published records are linked from the newest to the
 * oldest (a link may point to a higher offset).  Only gate ever changes.  The
 * three texts lie at the given offsets, counted from the record; a NUL, which
 * the length does not count, ends each text.
 */
struct timeline_record {
	uint32_t size; /* of the whole record, a multiple of 16 */
	uint8_t kind;
	uint8_t level; /* of the definition: key, display, tier */
	uint8_t gate;  /* compared with the threshold; 0 off; see
			* timeline_gate_offset */
	uint8_t tier;
	uint64_t link; /* next older record; 0 none */
	uint64_t hash; /* of kind, level, scope, category and text */
	uint8_t argc;
	uint8_t scope; /* of a span: TIMELINE_THREAD, TIMELINE_SOURCE, or
			  TIMELINE_SCOPE_TIMER */
	uint8_t builtin;
	uint8_t spare;
	uint8_t formats[TIMELINE_ARGS_MAX];
	uint32_t line; /* of the source file; 0 unknown */
	uint32_t category;
	uint32_t category_length;
	uint32_t text;
	uint32_t text_length;
	uint32_t file;
	uint32_t file_length;
	uint32_t spare2;
};
TIMELINE_ASSERT(sizeof(struct timeline_record) == 64);
/* The smallest record; it bounds the number of records in a table. */
#define TIMELINE_RECORD_MIN sizeof(struct timeline_record)

/*
 * The offset in the file of the gate of the message whose record is given.  With
 * COMPAT_GATES the gates of the records in the first 192 KiB of the table lie
 * in the page of the levels word, so that a log call that meets cold caches
 * waits for one page less; no two records have one gate, because a record has at
 * least 64 bytes.  record.gate of such a record is a copy for readers of versions
 * before 2.3, which do not write to the file.
 */
static inline uint64_t
timeline_gate_offset(const struct timeline_header *h, uint64_t record)
{
	const uint64_t number = record / TIMELINE_RECORD_MIN;

	return h->compat & TIMELINE_COMPAT_GATES && number < TIMELINE_GATES
		   ? offsetof(struct timeline_header, gates) + number
		   : h->strings_offset + record +
			 offsetof(struct timeline_record, gate);
}

/* Are the levels, the plan and the cut of the header, and the heads of the lanes,
 * those of the timeline that logged the entries?  They are in a copy of all of
 * one timeline, not in another imported file. */
static inline int
timeline_is_whole(const struct timeline_header *h)
{
	return h->state != TIMELINE_IMPORTED ||
	       (h->compat & TIMELINE_COMPAT_WHOLE) != 0;
}

/* record.scope of a timer: each span is one entry. */
#	define TIMELINE_SCOPE_TIMER 2

/*
 * One timer.  The number of a timer is the index of the first element whose
 * record is the record of the message.  A process takes the next element by
 * compare and swap of record from 0; no element is given back.
 */
struct timeline_timer {
	uint64_t record; /* offset in the string table; 0: no more timers */
	uint64_t slower; /* spans of at least so many ticks are entries */
	uint64_t percentile; /* millionths: a daemon keeps slower at this
				percentile; 0: slower stays as set */
	uint64_t spare[5];
};
TIMELINE_ASSERT(sizeof(struct timeline_timer) == 64);

/*
 * The durations that one CPU has added up, in ticks.  Only threads on that CPU
 * write the histogram, with plain stores; the store to count commits:
 *
 *	the state that count selects (the first if count is even) describes
 *	the last addition: bucket got value, and sum and max are the totals
 *	store value in bucket once more, since the store may be missing
 *	store the new state over the state that count does not select
 *	count = count + 1
 *
 * Readers ignore the stores before the last line, or the stores are the same
 * when they are repeated, so a thread may be interrupted, moved or killed
 * anywhere (tests/model/timer.pml).
 *
 * The last histogram of each timer belongs to the threads without a CPU lane.
 * Such threads add to count, to sum of the first state and to the buckets by
 * atomic additions, raise max, and leave value 0.  A snapshot has only the last
 * histogram, which is the sum of all.
 */
struct timeline_histogram {
	uint64_t count;
	uint64_t spare[7];
	struct timeline_histogram_state {
		uint64_t bucket;
		uint64_t value;
		uint64_t sum;
		uint64_t max;
	} state[2];
	uint64_t values[TIMELINE_BUCKETS];
	uint8_t rest[TIMELINE_HISTOGRAM_SIZE - TIMELINE_HISTOGRAM_VALUES -
		     TIMELINE_BUCKETS * 8];
};
TIMELINE_ASSERT(sizeof(struct timeline_histogram) == TIMELINE_HISTOGRAM_SIZE);
TIMELINE_ASSERT(
    offsetof(struct timeline_histogram, state) == TIMELINE_HISTOGRAM_STATE);
TIMELINE_ASSERT(
    offsetof(struct timeline_histogram, values) == TIMELINE_HISTOGRAM_VALUES);

/* The bucket of a value, and the least value of a bucket. */
static inline uint32_t
timeline_bucket(uint64_t value)
{
	const unsigned shift = 63 - TIMELINE_BUCKET_BITS -
			       (unsigned)__builtin_clzll(
				   value | ((2u << TIMELINE_BUCKET_BITS) - 1));

	if (value >> TIMELINE_BUCKET_VALUES)
		return TIMELINE_BUCKETS - 1;
	return (uint32_t)((shift << TIMELINE_BUCKET_BITS) + (value >> shift));
}

static inline uint64_t
timeline_bucket_low(uint32_t bucket)
{
	const uint32_t half = 1u << TIMELINE_BUCKET_BITS;
	const uint32_t shift = bucket < 2 * half ? 0 : bucket / half - 1;

	return (uint64_t)(bucket - shift * half) << shift;
}

/* The duration of an entry in ticks: 26 bits and a shift, which rounds the
 * duration down by less than 3 parts in 10^8. */
static inline uint64_t
timeline_duration(uint32_t code)
{
	return (uint64_t)(code & ((1u << 26) - 1)) << (code >> 26);
}

static inline uint32_t
timeline_duration_code(uint64_t ticks)
{
	const unsigned shift =
	    38 - (unsigned)__builtin_clzll(ticks | ((1u << 26) - 1));

	return shift << 26 | (uint32_t)(ticks >> shift);
}

/*
 * The name of a process (tid 0) or of a thread.  The first quarter of the table
 * holds processes, the rest threads.  The ids choose a set of
 * TIMELINE_NAMES_SET slots (timeline_name_set).  A name takes a free slot of
 * the set, else the slot of a thread that has ended, else no slot, and the name
 * is not known.  A thread without a slot in a set that has a free slot has the
 * name of the process: older writers gave such a thread no slot.  A name
 * without text is not known.  Writers store at the same time and may die
 * between two stores: a slot counts if the sum, which is stored last, is right.
 */
struct timeline_name {
	uint32_t tid;
	uint32_t pid;
	uint64_t text[2]; /* 15 bytes, and zeros */
	uint64_t sum;
};
TIMELINE_ASSERT(sizeof(struct timeline_name) == TIMELINE_NAME_SIZE);

/* Levels, as in gate, level, threshold and base. */
#define TIMELINE_LEVEL_OFF  0 /* a gate: never logged */
#define TIMELINE_LEVEL_MIN  1 /* trace+++ */
#define TIMELINE_LEVEL_KEEP 7 /* warning: the lowest level of tier 1 */
#define TIMELINE_LEVEL_MAX  9 /* fatal */
#define TIMELINE_LEVEL_NONE 10 /* a threshold: nothing is logged */

/*
 * Geometry accessors.  The functions trust the header: a reader of a file
 * checks the header first.
 *
 * The number of a lane; the fallback lanes follow the CPU lanes.
 */
static inline uint32_t
timeline_lane(const struct timeline_header *h, uint32_t cpu, uint32_t tier)
{
	return cpu * h->tiers + tier;
}

/* CPU lanes and fallback lanes of all tiers. */
static inline uint32_t
timeline_lane_count(const struct timeline_header *h)
{
	return (h->cpu_lanes + h->fallback_lanes) * h->tiers;
}

static inline uint32_t
timeline_lane_tier(const struct timeline_header *h, uint32_t lane)
{
	return lane % h->tiers;
}

static inline int
timeline_lane_is_fallback(const struct timeline_header *h, uint32_t lane)
{
	return lane / h->tiers >= h->cpu_lanes;
}

/* The offset of a lane's head in the file. */
static inline uint64_t
timeline_head_offset(const struct timeline_header *h, uint32_t lane)
{
	return h->heads_offset + (uint64_t)lane * TIMELINE_HEAD_SIZE;
}

/* The number of entries for which a lane has room. */
static inline uint64_t
timeline_lane_entries(const struct timeline_header *h, uint32_t lane)
{
	return timeline_lane_is_fallback(h, lane)
	    ? h->fallback_entries[lane % h->tiers]
	    : h->tier_entries[lane % h->tiers];
}

/* The room of all lanes of a tier, in entries. */
static inline uint64_t
timeline_tier_slots(const struct timeline_header *h, uint32_t tier)
{
	return h->cpu_lanes * h->tier_entries[tier] +
	    h->fallback_lanes * h->fallback_entries[tier];
}

/* The offset in the file of entry number q of a lane. */
static inline uint64_t
timeline_entry_offset(const struct timeline_header *h, uint32_t lane,
    uint64_t q)
{
	const uint32_t tier = lane % h->tiers;
	const uint32_t row = lane / h->tiers; /* of the tier */
	const uint64_t n = timeline_lane_entries(h, lane);
	uint64_t slot = q & (n - 1);

	if (row < h->cpu_lanes)
		slot += row * n;
	else
		slot += h->cpu_lanes * h->tier_entries[tier] +
		    (row - h->cpu_lanes) * n;
	return h->entries_offset[tier] + slot * TIMELINE_ENTRY_SIZE;
}

/* The offsets in the file of a timer, and of a histogram of the timer. */
static inline uint64_t
timeline_timer_offset(const struct timeline_header *h, uint32_t timer)
{
	return h->timers_offset + timer * sizeof(struct timeline_timer);
}

static inline uint64_t
timeline_histogram_offset(const struct timeline_header *h, uint32_t timer,
    uint32_t row)
{
	const uint64_t page = TIMELINE_PAGE_SIZE;
	const uint64_t timers = h->timers_max * sizeof(struct timeline_timer);

	return h->timers_offset + (timers + page - 1) / page * page +
	       ((uint64_t)timer * h->timer_rows + row) *
		   TIMELINE_HISTOGRAM_SIZE;
}

/* The levels word of a header in the packing of this version: version 1 had 48
 * bits of until, and no plan. */
static inline uint64_t
timeline_levels(const struct timeline_header *h)
{
	return h->major >= 2 ? h->levels
			     : (h->levels & 0xffff) |
				   h->levels >> 16 << TIMELINE_LEVELS_UNTIL;
}

/* The least level that a levels word always logs; during a burst, the level of
 * the burst. */
static inline uint8_t
timeline_threshold(uint64_t levels)
{
	const uint8_t threshold = levels >> TIMELINE_LEVELS_THRESHOLD & 15;

	return threshold ? threshold : (uint8_t)levels;
}

/* The number of the slot in which a stamp lies; shift is 1 to 63. */
static inline uint64_t
timeline_slot(uint64_t stamp, unsigned shift)
{
	return (shift & 63) ? stamp >> (shift & 63) : 0;
}

/* The upper half of splitmix64 of slot + seed; a slot is open if the hash is
 * below the share. */
static inline uint32_t
timeline_slot_hash(uint64_t slot, uint64_t seed)
{
	uint64_t x = slot + seed + TIMELINE_HASH_STEP;

	x = (x ^ x >> 30) * TIMELINE_HASH_FIRST;
	x = (x ^ x >> 27) * TIMELINE_HASH_SECOND;
	return (uint32_t)((x ^ x >> 31) >> 32);
}

/* An element of header.exits.  The low half is the process that closed the
 * timeline or called exit (0: none); the high half is the Unix time of the exit
 * in units of 2^TIMELINE_EXIT_SHIFT ns, modulo 2^32. */
static inline uint64_t
timeline_exit(uint32_t pid, int64_t ns)
{
	return (uint64_t)ns >> TIMELINE_EXIT_SHIFT << 32 | pid;
}

static inline uint32_t
timeline_exit_pid(uint64_t exit)
{
	return (uint32_t)exit;
}

/* The end of the unit of time in which the process exited, if no other time
 * with the same bits is nearer to now_ns. */
static inline int64_t
timeline_exit_ns(uint64_t exit, int64_t now_ns)
{
	const uint64_t now = (uint64_t)now_ns >> TIMELINE_EXIT_SHIFT;
	const int32_t ahead = (int32_t)((uint32_t)(exit >> 32) - (uint32_t)now);

	return (int64_t)((now + (uint64_t)(int64_t)ahead + 1)
			 << TIMELINE_EXIT_SHIFT);
}

/* The stamps of entry number q: while the entry is written, and when the entry
 * is whole. */
static inline uint64_t
timeline_stamp_writing(uint64_t q)
{
	return 2 * q + 1;
}

static inline uint64_t
timeline_stamp_whole(uint64_t q)
{
	return 2 * q + 2;
}

/* Odd factors of the words of an entry: tsc, ids, message and cpu, and args. */
#define TIMELINE_SUM_TSC     UINT64_C(0x9e3779b97f4a7c15)
#define TIMELINE_SUM_IDS     UINT64_C(0xbf58476d1ce4e5b9)
#define TIMELINE_SUM_MESSAGE UINT64_C(0x94d049bb133111eb)
#define TIMELINE_SUM_ARG0    UINT64_C(0xd6e8feb86659fd93)
#define TIMELINE_SUM_ARG1    UINT64_C(0xa0761d6478bd642f)
#define TIMELINE_SUM_ARG2    UINT64_C(0xe7037ed1a0b428db)
#define TIMELINE_SUM_ARG3    UINT64_C(0x8ebc6af09c88c6e3)

/* The stamp of entry number q of a fallback lane of a live file. */
static inline uint64_t
timeline_stamp_fallback(uint64_t q, const struct timeline_entry *e)
{
	const uint64_t ids = (uint64_t)e->pid << 32 | e->tid;
	const uint64_t message = (uint64_t)e->cpu << 32 | e->message;
	const uint64_t sum =
	    e->tsc * TIMELINE_SUM_TSC + ids * TIMELINE_SUM_IDS +
	    message * TIMELINE_SUM_MESSAGE + e->args[0] * TIMELINE_SUM_ARG0 +
	    e->args[1] * TIMELINE_SUM_ARG1 + e->args[2] * TIMELINE_SUM_ARG2 +
	    e->args[3] * TIMELINE_SUM_ARG3;

	return (sum & ~(uint64_t)UINT32_MAX) |
	    (uint32_t)timeline_stamp_whole(q);
}

/* The sum of a whole name; never 0. */
static inline uint64_t
timeline_name_sum(const struct timeline_name *n)
{
	return (((uint64_t)n->pid << 32 | n->tid) * TIMELINE_SUM_IDS +
		   n->text[0] * TIMELINE_SUM_ARG0 +
		   n->text[1] * TIMELINE_SUM_ARG1) |
	    1;
}

/* The first slot of the set that the ids choose in a table of max names. */
static inline uint64_t
timeline_name_set(uint32_t pid, uint32_t tid, uint64_t max)
{
	const uint64_t processes =
	    max / 4 / TIMELINE_NAMES_SET * TIMELINE_NAMES_SET;
	const uint64_t first = tid ? processes : 0;
	const uint64_t sets =
	    ((tid ? max : processes) - first) / TIMELINE_NAMES_SET;
	const uint64_t hash =
	    ((uint64_t)pid << 32 | tid) * TIMELINE_HASH_FIRST >> 32;

	return first + hash % sets * TIMELINE_NAMES_SET;
}

/* Have the entries of a lane a sum in their stamps?  In version 1 and in
 * snapshots the stamps of all lanes are those of CPU lanes. */
static inline int
timeline_lane_has_sums(const struct timeline_header *h, uint32_t lane)
{
	return h->state == TIMELINE_LIVE && h->major > 1 &&
	    timeline_lane_is_fallback(h, lane);
}

#ifdef __cplusplus
}
#endif
#endif /* !__ASSEMBLER__ */
#endif
