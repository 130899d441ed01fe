/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - a timeline that this process has open, and the functions that the
 * files of the write side share.
 *
 *	create.c   create a file		open.c	  attach, close, remove
 *	layout.c   plan and check the geometry	record.c  read a record, checked
 *	machine.c  boot id, namespace, CPUs	check.c	  arguments of a call
 *	strings.c  the string table		define.c  messages and events
 *	priority.c the levels word		level.c	  gates, clear
 *	log_c.c	   append in C, without rseq	ids.c	  ids of the thread
 *	timer.c	   timers: define, threshold, and the cases that timer.S
 *		   leaves to C
 *	epoch.c	   a counter that started again
 *	error.c	   text of the last error	exits.c	  marks of processes
 *	names.c	   names of threads		that exited
 *	asm/log.S  the append			asm/timer.S  timers, log_at
 */
#ifndef TL_RING_RING_H
#define TL_RING_RING_H

#include "base/bytes.h"
#include "base/fault.h"
#include "clock/calibrate.h"

#include <stdbool.h>
#include <stdint.h>
#include <timeline.h>
#include <timeline_layout.h>

struct tl_index; /* strings.c */

/* The offset from the thread pointer is the same in every thread, and no access
 * allocates, so signal handlers may use such a variable. */
#define TL_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

enum { TIMELINE_CHECK_MESSAGES = 4096 };

/*
 * geometry is a copy in the memory of this process, which was checked against
 * the size of the file when the file was opened.  Sizes, offsets and bounds
 * must come from geometry, never from the shared header, which another process
 * may damage at any time.
 */
struct timeline {
	/* First member: timeline.hpp reads it.  The number is not 0, and
	 * differs from the numbers of all timelines that the process has ever
	 * opened. */
	uint64_t number;
	int fd;
	uint8_t *map;
	void *area; /* the mapping with the first events before it */
	size_t area_size;
	struct timeline_header *header; /* shared */
	uint8_t *strings;               /* shared */
	struct timeline_name *names; /* shared; NULL: the file has no names */
	struct timeline_header geometry;
	struct tl_index *index;
	struct tl_chunk *chunks; /* chunks of events, newest first */
	struct timeline_event *priority_event;
	struct timeline_event *burst_event;
	/* logged after a change, in the same tiers; NULL: the string table is
	 * full */
	struct timeline_event *priority_in_force;
	struct timeline_event *burst_in_force;
	struct timeline_event *level_event;
	/* for one message; NULL: the string table is full */
	struct timeline_event *level_named;
	struct timeline_event *clear_event; /* NULL: the string table is full */
	struct timeline_event *plan_event;
	struct tl_calibrate calibrate;
	/* next in the list of open timelines (exits.c) */
	struct timeline *next;
	uint64_t reported[TIMELINE_CHECK_MESSAGES / 64]; /* see check.c */
	bool use_rseq;
	int32_t ids; /* offset of the word with the ids (tl_ids_offset()) */
	int guard;   /* guard of the mapping; -1: none */
};

/*
 * The guard of mappings.  A program that must survive the truncation of a
 * timeline guards every mapping from before the first byte is read until the
 * mapping is removed.  The library itself installs no signal handler.  add
 * returns the number of the guard, or -errno; the timeline is then not opened.
 */
struct tl_map_guard {
	int (*add)(const void *map, size_t size);
	void (*remove)(int guard);
};
extern const struct tl_map_guard *tl_map_guard; /* NULL: none */

/* The head of a lane, shared with its writers. */
static inline struct timeline_head *
tl_lane_head(const struct timeline *tl, uint32_t lane)
{
	const uint64_t at = timeline_head_offset(&tl->geometry, lane);

	return (struct timeline_head *)(void *)(tl->map + at);
}

/* The gate of the message whose valid record is given. */
uint8_t *tl_gate_of(const struct timeline *tl, uint64_t record);

/* Set the text of timeline_error; returns rc. */
int
tl_error(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the fields that identify a timeline: magic, version, sizes, and the state
 * (TIMELINE_LIVE ...). */
void tl_layout_identify(struct timeline_header *header, uint32_t state);
/* Plan the geometry for the options.  The header must have its clock_kind and
 * be zero elsewhere.  creator_has_rseq: this process can append to the lane of
 * its CPU, if the clock lets any process do so.  0, -EINVAL, -EFBIG. */
int tl_layout_plan(struct timeline_header *header,
    const struct timeline_options *options, bool creator_has_rseq);
/* Do the CPU lanes hold fewer entries than were asked for, although threads
 * append to them?  Earlier versions made such files if the creator had no
 * rseq. */
bool tl_layout_is_small(const struct timeline_header *header);
/* Check that this program can read the timeline that a header describes: the
 * regions are in order, do not overlap, and end within header.total_size.  The
 * caller compares total_size with the size of the file.  Sets the fields that
 * the header of an older version lacks.  0; -errno with a fault. */
int tl_layout_check(struct timeline_header *header, struct tl_fault *fault);
/* Check that this program can also write to the timeline, after
 * tl_layout_check().  0; -errno with a fault. */
int tl_layout_check_writer(const struct timeline_header *header,
    uint64_t file_size, struct tl_fault *fault);

/* The number of bytes allocated when the file is created: all except the
 * histograms of timers. */
static inline uint64_t
tl_layout_dense(const struct timeline_header *h)
{
	return h->timers_max == 0 ? h->total_size
				  : timeline_histogram_offset(h, 0, 0);
}

/* The boot in which a file was created. */
enum tl_boot { TL_BOOT_THIS, TL_BOOT_OTHER, TL_BOOT_UNKNOWN };
enum tl_boot tl_boot_of(const struct timeline_header *header);
/* Is the boot of the file known to be the current boot? */
bool tl_is_this_boot(const struct timeline_header *header);
/* Get the id of the current boot, as in header.boot_id.  false: the id cannot
 * be read, and id is all zeros.  tl_boot_id() reads the id once;
 * tl_boot_id_read() always reads the id, for a process that may have been moved
 * to another boot. */
bool tl_boot_id(uint8_t id[16]);
bool tl_boot_id_read(uint8_t id[16]);
bool tl_boot_id_parse(struct tl_bytes text, uint8_t id[16]);
/* Is the id known?  The id of an unknown boot is all zeros. */
bool tl_boot_is_known(const uint8_t id[16]);
/* The file with the boot id; tests set another file. */
extern const char *tl_boot_id_file;

/* The PID namespace of this process, as in header.pidns_inode.  0: /proc does
 * not show the namespace. */
uint64_t tl_pidns(void);
/* Do the processes of a timeline belong to another PID namespace?  Their pids
 * and tids must then not be used in /proc or in a system call. */
bool tl_is_elsewhere(const struct timeline_header *header);

/* The number of CPU lanes that this machine needs: 1 + the highest number of a
 * CPU that is online or in the affinity mask of this thread. */
uint32_t tl_cpus(void);
/* Like tl_cpus(), from a list in the kernel's format and an affinity mask,
 * which may be NULL.  0: neither is valid. */
uint32_t
tl_cpu_count(const char *online, const unsigned long *mask, size_t mask_words);

/* A record of a string table, and its texts, after every check. */
struct tl_record {
	struct timeline_record fixed; /* a private copy */
	struct tl_bytes category;
	struct tl_bytes text;
	struct tl_bytes file;
};
/* Read the record at an offset of a table of `size` bytes.  Faults count bytes
 * from base, the place of the table in the file.  0; -EBADMSG with a fault. */
int tl_record_at(struct tl_record *record, const uint8_t *table, uint64_t size,
    uint64_t offset, uint64_t base, struct tl_fault *fault);

/* The value of record.hash: a hash of kind, level, scope, category and text. */
uint64_t tl_record_hash(const struct tl_record *record);
/* The size of a record with its texts. */
uint64_t tl_record_size(const struct tl_record *record);
/* Write a record with its texts to a place of this size.  Sets size, link, hash
 * and the places of the texts.  Returns the record. */
struct timeline_record *
tl_record_write(uint8_t *to, const struct tl_record *record, uint64_t link);
/* Find the first record at or after an offset whose hash is right.  Does not
 * follow the links, which may be damaged.  0: none. */
uint64_t tl_record_scan(struct tl_record *record, const uint8_t *table,
    uint64_t size, uint64_t from);

/* Check that a timeline and two globs are given.  0; -EINVAL, with the text of
 * timeline_error(). */
int tl_globs_check(const struct timeline *tl, const char *category,
    const char *message);
/* Is the record a message whose category and first line match two globs? */
bool tl_record_matches(const struct tl_record *r, const char *category,
    const char *message);

/* The gates of all messages that match two globs. */
struct tl_gates {
	uint8_t lowest; /* TIMELINE_LEVEL_OFF if a message is off */
	uint8_t highest;
};
bool tl_gates_find(const struct timeline *tl, const char *category,
    const char *message, struct tl_gates *gates);

/* Allocate the histograms of a timer.  0, -ENOSPC. */
int tl_timer_fill(struct timeline *tl, struct timeline_event *timer,
    uint64_t record);

/* Reserve the area of a mapping of size bytes, with the first chunk of events
 * before the mapping (memory.c).  Returns the address at which the caller maps
 * the file; NULL: no memory.  tl_area_unmap() also unmaps the file. */
uint8_t *tl_area_map(struct timeline *tl, size_t size);
void tl_area_unmap(struct timeline *tl);
/* Memory for definitions, which does not come from malloc (memory.c).  Filled
 * with zeros; NULL: no memory. */
void *tl_pages_map(size_t size);
void tl_pages_unmap(void *pages, size_t size);
/* Take events that follow each other, all zeros.  NULL: no memory.  The caller
 * holds the lock.  tl_chunks_give_back() undoes the last take. */
struct timeline_event *tl_chunks_take(struct timeline *tl, size_t count);
void tl_chunks_give_back(struct timeline *tl, size_t count);
/* Set the ids of every event that has been taken. */
void tl_chunks_set_ids(struct timeline *tl, int32_t ids);
void tl_chunks_free(struct timeline *tl);

/* Make an empty index of the string table.  0 or -ENOMEM. */
int tl_strings_open(struct timeline *tl);
void tl_strings_close(struct timeline *tl);
/*
 * Find the record with the same content, or publish this record.  Sets the
 * offset of the record, and the address of the pointer to its event in this
 * process.  The caller holds tl_strings_lock().  0, -ENOSPC, -E2BIG, -ENOMEM.
 */
int tl_strings_add_locked(struct timeline *tl, const struct tl_record *record,
    uint64_t *offset, struct timeline_event ***event);
/* The offset of the next older record; for offset 0 of the newest record.  0:
 * the end of the list, or damage. */
uint64_t tl_strings_next(const struct timeline *tl, uint64_t offset);
void tl_strings_lock(void);
void tl_strings_unlock(void);
/* Hold the lock around fork, also if the fork is made in a signal handler that
 * interrupted the holder of the lock. */
void tl_strings_before_fork(void);
void tl_strings_after_fork(void);

/* Define the messages of category "timeline", which readers interpret. */
int tl_define_builtins(struct timeline *tl);
/* Define the message of a loss, for programs that write all lanes of a file.
 * Its first argument is the number of lost entries. */
int tl_define_lost(struct timeline *tl, struct timeline_event **event);
/* Define the message of plans of slots, if it is not yet defined. */
int tl_define_plan(struct timeline *tl);

/* The level of the name of a priority.  "off" has the level `off`, unless off
 * is negative.  -EINVAL, with the text of timeline_error(). */
int tl_priority_parse(const char *name, int off);

/*
 * A thread keeps its pid and tid in several words, one for each of the first
 * timelines of a process, so that each timeline records the name of the thread.
 * TL_IDS_OWN belongs to no timeline.  TL_IDS_NONE is for timelines of other PID
 * namespaces, in which this process has no number: the word is always 0, so
 * that every append goes to tl_append_fallback(), with pid and tid 0.  Offsets
 * count from the thread pointer.
 */
enum { TL_IDS_TIMELINES = 4, TL_IDS_OWN = 4, TL_IDS_NONE, TL_IDS_WORDS };
int32_t tl_ids_offset(unsigned word);
/* The word of this thread at an offset. */
static inline uint64_t *
tl_ids_word(int32_t offset)
{
	return (
	    uint64_t *)(void *)((char *)__builtin_thread_pointer() + offset);
}
/* Set the word at an offset to the ids of this thread.  false: the word is
 * TL_IDS_NONE, and stays 0. */
bool tl_ids_fill(int32_t offset);
/* How often this thread became the thread of a child of fork.  A signal handler
 * may fork: a function that reads the same count before and after has run in
 * one process. */
extern TL_THREAD_LOCAL uint32_t tl_forks;
/* Does this process have no numbers in the namespace of a timeline? */
bool tl_ids_are_none(const struct timeline *tl);
/* Take note that this process has no numbers any more, because it was moved to
 * another namespace. */
void tl_ids_leave(struct timeline *tl);

/* Record the names of this thread and its process, before the thread logs its
 * first entry, in all timelines that share the word of the ids.  Signal
 * handlers may call this function. */
void tl_names_record(struct timeline *tl);
/* Find the table of names in the file.  tl_names_copy() records the threads
 * that have names in other timelines of this process; call it when the timeline
 * is in the list of open timelines. */
void tl_names_open(struct timeline *tl);
void tl_names_copy(struct timeline *tl);

/* The offset of the rseq area that the append uses; NULL: of an area that the
 * kernel does not read. */
int32_t tl_rseq_offset(const struct timeline *tl);
bool tl_rseq_usable(void);
/* Keep the object that holds the append mapped until the process ends. */
void tl_stay_loaded(void);

/* The pid of this process; 0: the process has not logged since it was
 * forked. */
uint32_t tl_ids_logged(void);

/* Add a timeline to the list of timelines that are marked when the process
 * calls exit.  tl_exits_remove() marks the timeline now and removes it from the
 * list; it need not be in the list. */
void tl_exits_add(struct timeline *tl);
void tl_exits_remove(struct timeline *tl);
/* Call a function for the other open timelines that have the same word of ids.
 * None of them is closed meanwhile.  Signals are held off, and the function
 * does not wait for a thread that stands still: it then calls nothing.  Signal
 * handlers may call this function. */
void tl_exits_others(struct timeline *tl, void (*call)(struct timeline *other));
/* Call in the child of fork.  moved: the child is in another PID namespace than
 * the parent, and so than all open timelines. */
void tl_exits_after_fork(bool moved);

/* Is rdtsc allowed?  If not (PR_SET_TSC), rdtsc would kill the process. */
bool tl_clock_is_allowed(void);

/* The current stamp of the timeline's clock. */
static inline uint64_t
tl_stamp_now(const struct timeline *tl)
{
	return tl_clock_now(tl->geometry.clock_kind);
}

/* Add a point to the calibration of the clock, unless the calibration has a
 * point of this second.  Publish the record of an epoch if the counter
 * restarted. */
void tl_clock_visit(struct timeline *tl);
/* Publish the record of an epoch, after TL_CALIBRATE_EPOCH. */
void tl_epoch_publish(struct timeline *tl);

/*
 * Is a burst that ends at until over at stamp now?  A burst whose end is
 * further ahead than the end of any burst can be is over too.  The levels word
 * has 44 bits for until, 2^56 ticks, so both are taken modulo 2^56, here and in
 * asm/log.S.
 */
#define TL_UNTIL_MASK (UINT64_MAX >> TIMELINE_LEVELS_UNTIL)
static inline bool
tl_until_is_over(uint64_t until, uint64_t now, uint64_t burst_max)
{
	return ((until - (now >> TIMELINE_UNTIL_SHIFT)) & TL_UNTIL_MASK) >
	       burst_max;
}

/*
 * Open a burst as timeline_burst() does: for a caller, or as a sample of a
 * schedule.  A caller's burst replaces a sample.  level is one of the nine
 * levels.  0, -ERANGE; -EBUSY: a sample is not opened during a caller's burst.
 */
int
tl_burst(struct timeline *tl, uint8_t level, uint64_t duration_ns, bool sample);

/* The levels at one moment. */
struct tl_levels_now {
	uint8_t threshold; /* lowest level that is logged */
	uint8_t base;      /* lowest level logged while no burst is open */
	bool burst;        /* a burst is open */
	uint64_t word; /* a different value after every change of the levels */
};
void tl_levels_get(const struct timeline *tl, struct tl_levels_now *now);

/*
 * A plan of slots.  A writer finds out by a hash of its stamp whether the slot
 * of the stamp is open.  No thread has to open a slot in time, so the sample
 * does not depend on the scheduler.  timeline(5) describes the entries of a
 * plan.
 */
struct tl_plan {
	uint64_t seed;
	uint32_t shift; /* a slot is 2^shift ticks: 1 to 63 */
	/* parts of 2^32, by gate; [0] is 0; no gate has a smaller share than
	 * the gate below */
	uint32_t shares[TIMELINE_PLAN_GATES];
};
/* Is the plan in force, by the header? */
bool tl_plan_is_held(const struct timeline *tl, const struct tl_plan *plan);
/* Replace a plan by another plan, or renew the lease if both are the same.
 * NULL: no plan.  One caller at a time.  0, or an error of
 * timeline_define(). */
int tl_plan_set(struct timeline *tl, const struct tl_plan *before,
    const struct tl_plan *plan, uint64_t lease_ns);

/* Reset the levels after a burst that is over.  Any writer may call this
 * function. */
void tl_levels_expire(struct timeline *tl);
/* The furthest that the end of a burst can be ahead, in units of until. */
uint64_t tl_burst_max(const struct timeline *tl);

/* Called by asm/log.S: the ids of the thread are unknown; there is no CPU lane;
 * the burst is over.  Each function returns the stamp of the entry, also for an
 * entry that was dropped because another thread is a lap ahead.  0: not
 * logged. */
uint64_t tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
uint64_t tl_append_fallback(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
uint64_t tl_append_expired(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* Called by asm/timer.S if there is no CPU lane, the ids of the thread are
 * unknown, or only a burst opens the event: append with a stamp; end a timer;
 * append the entry of a timer that has been counted, also if a newer entry was
 * found.  The upper half of the bits of word is the code of the duration that
 * was counted, and stamp is the end. */
void tl_append_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_end(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_keep(struct timeline_event *timer, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3, double word);

/* Is an event logged now?  If only a burst or a slot lets the event pass, *now
 * is set to the stamp that decided.  Ends a burst that is over. */
bool tl_event_is_open(struct timeline_event *event, uint64_t *now);
/* Append an entry to a fallback lane, and return the stamp of the entry.  stamp
 * 0: read the clock.  code: the duration of a timer, in the format of
 * timeline_duration_code(). */
uint64_t tl_append_shared(struct timeline_event *event, uint64_t stamp,
    uint32_t code, const uint64_t args[TIMELINE_ARGS_MAX]);

/* Set the threshold of timers as timeline_slower() does, in ticks, and the
 * percentile (in millionths) from which timelined sets the threshold; 0: ticks
 * stays in force.  Returns the number of matching timers. */
int tl_timers_set(struct timeline *tl, const char *category,
    const char *message, uint64_t ticks, uint64_t percentile);

/* Create a file and open it.  The file gets its name when it is complete.  *tl
 * is unchanged after a failure.  0; -EEXIST: the name exists; -errno. */
int tl_create(struct timeline **tl, const char *path,
    const struct timeline_options *options);
/* Open an existing file for writing.  The file may belong to another PID
 * namespace, in which this process then has no ids.  *tl is unchanged after a
 * failure.  0; -ENOENT; -ESTALE: the file is from another boot; -ENOTSUP: its
 * boot is unknown; -errno. */
int tl_attach(struct timeline **tl, const char *path, uint32_t trusted_uid);
/* Map a file whose header has been checked.  Takes the descriptor over, even on
 * failure.  0 or -errno. */
int tl_map(struct timeline **tl, int fd, const struct timeline_header *header);

#endif
