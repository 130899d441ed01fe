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
 * allocates: signal handlers may use such a variable. */
#define TL_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

enum { TIMELINE_CHECK_MESSAGES = 4096 };

/*
 * geometry is the copy of this process, checked against the size of the file
 * when it was opened.  Take sizes, offsets and bounds from it, never from the
 * shared header, which another process may damage at any time.
 */
struct timeline {
	/* First: timeline.hpp reads it.  No other timeline that the process
	 * opened has this number, nor one that is closed; it is not 0. */
	uint64_t number;
	int fd;
	uint8_t *map;
	struct timeline_header *header; /* shared */
	uint8_t *strings;               /* shared */
	struct timeline_name *names;    /* shared; NULL: the file has none */
	struct timeline_header geometry;
	struct tl_index *index;
	struct tl_chunk *chunks; /* of events; the newest first */
	struct timeline_event *priority_event;
	struct timeline_event *burst_event;
	/* after a change, in the same tiers; NULL: the string table is full */
	struct timeline_event *priority_in_force;
	struct timeline_event *burst_in_force;
	struct timeline_event *level_event;
	/* of one message; NULL: the string table is full */
	struct timeline_event *level_named;
	struct timeline_event *clear_event; /* NULL: the string table is full */
	struct timeline_event *plan_event;
	struct tl_calibrate calibrate;
	struct timeline *next; /* in the list of open timelines: exits.c */
	uint64_t reported[TIMELINE_CHECK_MESSAGES / 64]; /* see check.c */
	bool use_rseq;
	int32_t ids; /* offset of the word with the ids: tl_ids_offset */
	int guard;   /* of the mapping; -1: none */
};

/*
 * A program that must survive the truncation of a timeline guards every
 * mapping, from before its first byte is read until it is unmapped.  The
 * library itself installs no signal handler.  add returns the number of the
 * guard, or -errno; then the timeline is not opened.
 */
struct tl_map_guard {
	int (*add)(const void *map, size_t size);
	void (*remove)(int guard);
};
extern const struct tl_map_guard *tl_map_guard; /* NULL: none */

/* Set the text of timeline_error; returns rc. */
int
tl_error(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the fields that identify a timeline: magic, version, sizes, and the state
 * (TIMELINE_LIVE ...). */
void tl_layout_identify(struct timeline_header *header, uint32_t state);
/* Plan the geometry for the options, into a header that has its clock_kind and
 * is zero elsewhere.  creator_has_rseq: this process can append to the lane of
 * its CPU, where the clock lets any process do so.  0, -EINVAL, -EFBIG. */
int tl_layout_plan(struct timeline_header *header,
    const struct timeline_options *options, bool creator_has_rseq);
/* Do the lanes of CPUs hold fewer entries than were asked for, although threads
 * append to them?  Earlier versions made such files where the creator had no
 * rseq. */
bool tl_layout_is_small(const struct timeline_header *header);
/* Check that this program can read the timeline that a header describes: its
 * regions are in order, do not overlap, and end within header.total_size, which
 * the caller compares with the size of the file.  Sets the fields that the
 * header of an older version did not have.  0; -errno, and the fault. */
int tl_layout_check(struct timeline_header *header, struct tl_fault *fault);
/* Check that this program can also write to it, after tl_layout_check.  0;
 * -errno, and the fault. */
int tl_layout_check_writer(const struct timeline_header *header,
    uint64_t file_size, struct tl_fault *fault);

/* The number of bytes that are allocated when the file is created: all but the
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
/* Is it known to be the present boot? */
bool tl_is_this_boot(const struct timeline_header *header);
/* Get the id of the present boot, as in header.boot_id.  false: it cannot be
 * read, and id is all zeros.  tl_boot_id reads it once; tl_boot_id_read always
 * reads it, for a process that may have been moved to another boot. */
bool tl_boot_id(uint8_t id[16]);
bool tl_boot_id_read(uint8_t id[16]);
bool tl_boot_id_parse(struct tl_bytes text, uint8_t id[16]);
/* false: all zeros, the id of an unknown boot. */
bool tl_boot_is_known(const uint8_t id[16]);
/* The file it is read from; tests set another one. */
extern const char *tl_boot_id_file;

/* The PID namespace of this process, as in header.pidns_inode; 0: /proc does not
 * show it. */
uint64_t tl_pidns(void);
/* Are the processes of a timeline known to be those of another PID namespace?
 * Then its pids and tids must not be used in /proc or in a system call. */
bool tl_is_elsewhere(const struct timeline_header *header);

/* The number of CPU lanes that this machine needs: 1 + the highest number of a
 * CPU that is online or in the affinity mask of this thread. */
uint32_t tl_cpus(void);
/* The same for a list in the kernel's format and an affinity mask, or NULL.  0:
 * neither is valid. */
uint32_t
tl_cpu_count(const char *online, const unsigned long *mask, size_t mask_words);

/* A record of a string table, and its texts, that passed every check. */
struct tl_record {
	struct timeline_record fixed; /* a private copy */
	struct tl_bytes category;
	struct tl_bytes text;
	struct tl_bytes file;
};
/* Read the record at an offset of a table of size bytes.  Faults count bytes
 * from base, the place of the table in the file.  0; -EBADMSG and the fault. */
int tl_record_at(struct tl_record *record, const uint8_t *table, uint64_t size,
    uint64_t offset, uint64_t base, struct tl_fault *fault);

/* The value of record.hash: a hash of kind, level, scope, category and text. */
uint64_t tl_record_hash(const struct tl_record *record);
/* Find the first record at or after an offset whose hash is right, without the
 * links, which may be damaged.  0: there is none. */
uint64_t tl_record_scan(struct tl_record *record, const uint8_t *table,
    uint64_t size, uint64_t from);

/* Are a timeline and two globs given?  0; -EINVAL, and the text. */
int tl_globs_check(const struct timeline *tl, const char *category,
    const char *message);
/* Is it a message whose category and first line match two globs? */
bool tl_record_matches(const struct tl_record *r, const char *category,
    const char *message);

/* The gates of all messages that match two globs.  false: none does. */
struct tl_gates {
	uint8_t lowest; /* TIMELINE_LEVEL_OFF where a message is off */
	uint8_t highest;
};
bool tl_gates_find(const struct timeline *tl, const char *category,
    const char *message, struct tl_gates *gates);

/* Allocate the histograms of a timer.  0, -ENOSPC. */
int tl_timer_fill(struct timeline *tl, struct timeline_event *timer,
    uint64_t record);

/* Memory of definitions, which is not of malloc: memory.c.  Zeros, or NULL. */
void *tl_pages_map(size_t size);
void tl_pages_unmap(void *pages, size_t size);
/* Events that follow each other, of zeros; NULL: no memory.  The caller holds
 * the lock.  give_back undoes the last take. */
struct timeline_event *tl_chunks_take(struct timeline *tl, size_t count);
void tl_chunks_give_back(struct timeline *tl, size_t count);
/* Set the ids of every event that was taken. */
void tl_chunks_set_ids(struct timeline *tl, int32_t ids);
void tl_chunks_free(struct timeline *tl);

/* Make an empty index of the string table.  0, -ENOMEM. */
int tl_strings_open(struct timeline *tl);
void tl_strings_close(struct timeline *tl);
/*
 * Find the record with the same content, or publish this one.  Sets its offset,
 * and the address of the pointer to its event in this process.  The caller
 * holds tl_strings_lock.  0, -ENOSPC, -E2BIG, -ENOMEM.
 */
int tl_strings_add_locked(struct timeline *tl, const struct tl_record *record,
    uint64_t *offset, struct timeline_event ***event);
/* The offset of the next older record; of the newest one for 0.  0: the end of
 * the list, or damage. */
uint64_t tl_strings_next(const struct timeline *tl, uint64_t offset);
void tl_strings_lock(void);
void tl_strings_unlock(void);
/* Hold the lock around fork, also if a signal handler that interrupted the
 * holder of the lock forks. */
void tl_strings_before_fork(void);
void tl_strings_after_fork(void);

/* Define the messages of category "timeline", which readers interpret. */
int tl_define_builtins(struct timeline *tl);
/* Define the message of a loss, for programs that write all lanes of a file.
 * Readers count as many lost entries as its first argument. */
int tl_define_lost(struct timeline *tl, struct timeline_event **event);
/* Define the message of plans of slots, if it is not defined. */
int tl_define_plan(struct timeline *tl);

/* The level of the name of a priority; of "off" the number off, unless it is
 * negative.  -EINVAL, and the text of timeline_error. */
int tl_priority_parse(const char *name, int off);

/*
 * A thread keeps its pid and tid in several words, one for each of the first
 * timelines of a process, so that each timeline records the name of the thread.
 * TL_IDS_OWN belongs to no timeline.  TL_IDS_NONE is of the timelines of other
 * PID namespaces, in which this process has no number: it is always 0, so that
 * every append is one of tl_append_fallback, with pid and tid 0.  Offsets count
 * from the thread pointer.
 */
enum { TL_IDS_TIMELINES = 4, TL_IDS_OWN = 4, TL_IDS_NONE, TL_IDS_WORDS };
int32_t tl_ids_offset(unsigned word);
/* Set the word at this offset to the ids of this thread.  false: the word is
 * that of TL_IDS_NONE, and stays 0. */
bool tl_ids_fill(int32_t offset);
/* Has this process no numbers in the namespace of a timeline? */
bool tl_ids_are_none(const struct timeline *tl);
/* From now on it has none: it was moved to another namespace. */
void tl_ids_leave(struct timeline *tl);

/* Record the names of this thread and its process, before the thread logs its
 * first entry.  Signal handlers may call it. */
void tl_names_record(struct timeline *tl);
/* Find the table of names in the file, and record the threads whose names other
 * timelines of this process have. */
void tl_names_open(struct timeline *tl);

int32_t tl_rseq_offset(const struct timeline *tl);
bool tl_rseq_usable(void);
/* Keep the object that holds the append mapped until the process ends. */
void tl_stay_loaded(void);

/* The pid of this process; 0: it has not logged since it was forked. */
uint32_t tl_ids_logged(void);

/* Add a timeline to the list of those that are marked when the process calls
 * exit.  tl_exits_remove marks it now and removes it; it need not be in the
 * list. */
void tl_exits_add(struct timeline *tl);
void tl_exits_remove(struct timeline *tl);
/* In the child of fork.  moved: it is of another PID namespace than its parent,
 * and so than all open timelines. */
void tl_exits_after_fork(bool moved);

/* false: rdtsc is forbidden to this process (PR_SET_TSC), and would kill it. */
bool tl_clock_is_allowed(void);

/* The present stamp of the timeline's clock. */
static inline uint64_t
tl_stamp_now(const struct timeline *tl)
{
	return tl_clock_now(tl->geometry.clock_kind);
}

/* Add a point to the calibration of the clock unless it has one of this second;
 * publish the record of an epoch if the counter started again. */
void tl_clock_visit(struct timeline *tl);
/* Publish the record of an epoch, after TL_CALIBRATE_EPOCH. */
void tl_epoch_publish(struct timeline *tl);

/*
 * Is a burst that ends at until over at stamp now?  One whose end is further
 * ahead than that of any burst can be is over, too.  The levels word has 44
 * bits for until, 2^56 ticks, so both are taken modulo 2^56, here and in
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
 * Open a burst as timeline_burst does; a sample of a schedule or for a caller.
 * A caller's burst replaces a sample.  level is one of the nine.  0, -ERANGE;
 * -EBUSY: a sample, during a caller's burst, is not opened.
 */
int
tl_burst(struct timeline *tl, uint8_t level, uint64_t duration_ns, bool sample);

/* The levels at one moment. */
struct tl_levels_now {
	uint8_t threshold; /* lowest level that is logged */
	uint8_t base;      /* the same while no burst is open */
	bool burst;        /* a burst is open */
	uint64_t word;     /* differs after every change of the levels */
};
void tl_levels_get(const struct timeline *tl, struct tl_levels_now *now);

/*
 * A plan of slots.  A writer finds by a hash of its stamp whether the slot of
 * the stamp is open.  No thread has to open a slot in time, so the sample does
 * not depend on the scheduler.  timeline(5) describes the entries of a plan.
 */
struct tl_plan {
	uint64_t seed;
	uint32_t shift; /* a slot is 2^shift ticks: 1 to 63 */
	uint32_t shares[TIMELINE_PLAN_GATES]; /* of 2^32; [0] is 0; not
						 less than of the gate below */
};
/* Is this plan in force now, by the header? */
bool tl_plan_is_held(const struct timeline *tl, const struct tl_plan *plan);
/* Replace a plan by another, or renew the lease if both are the same; NULL: no
 * plan.  One caller at a time.  0, or the errors of timeline_define. */
int tl_plan_set(struct timeline *tl, const struct tl_plan *before,
    const struct tl_plan *plan, uint64_t lease_ns);

/* Reset the levels after a burst that is over.  Any writer calls it. */
void tl_levels_expire(struct timeline *tl);
/* The furthest that the end of a burst can be ahead, in units of until. */
uint64_t tl_burst_max(const struct timeline *tl);

/* asm/log.S calls these: the ids of the thread are unknown; there is no CPU
 * lane; the burst is over.  Each returns the stamp of the entry, also of one that
 * was dropped because another thread is a lap ahead; 0: it is not logged. */
uint64_t tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
uint64_t tl_append_fallback(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
uint64_t tl_append_expired(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* asm/timer.S calls these where there is no CPU lane, the ids of the thread are
 * unknown, or only a burst opens the event: append with a stamp; end a timer;
 * append the entry of a timer that is counted. */
void tl_append_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_end(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_keep(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* Is an event logged at present?  If only a burst or a slot lets it pass, sets
 * *now to the stamp for which that was decided.  Ends a burst that is over. */
bool tl_event_is_open(struct timeline_event *event, uint64_t *now);
/* Append an entry to a fallback lane, and return its stamp.  stamp 0: read the
 * clock.  code: the duration of a timer, as timeline_duration_code writes it. */
uint64_t tl_append_shared(struct timeline_event *event, uint64_t stamp,
    uint32_t code, const uint64_t args[TIMELINE_ARGS_MAX]);

/* Set the threshold of timers as timeline_slower does, in ticks, and the
 * percentile (in millionths) at which timelined keeps it; 0: it does not, and
 * ticks counts.  Returns the number of timers that matched. */
int tl_timers_set(struct timeline *tl, const char *category,
    const char *message, uint64_t ticks, uint64_t percentile);

/* Create a file and open it; it gets its name when it is complete.  0; -EEXIST:
 * the name exists; -errno.  *tl is unchanged after a failure. */
int tl_create(struct timeline **tl, const char *path,
    const struct timeline_options *options);
/* Open an existing file for writing, also one of another PID namespace, of which
 * this process is no thread then.  0; -ENOENT; -ESTALE: it is of another
 * boot; -ENOTSUP: its boot is unknown; -errno.  *tl is unchanged after a
 * failure. */
int tl_attach(struct timeline **tl, const char *path, uint32_t trusted_uid);
/* Map a file whose header was checked.  Owns the descriptor from here on, also
 * after a failure.  0, -errno. */
int tl_map(struct timeline **tl, int fd, const struct timeline_header *header);

#endif
