/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - a timeline as this process has it open, and what the files of the
 * write side ask of each other.
 *
 *	create.c   birth of the file		open.c	  attach, close, remove
 *	layout.c   geometry: plan and check	record.c  one record, checked
 *	machine.c  boot id, number of CPUs
 *	strings.c  the string table		define.c  messages and events
 *	priority.c the levels word		level.c	  gates, clear
 *	log_c.c    append without rseq		ids.c	  who is logging
 *	timer.c    timers: define, threshold, and what timer.S leaves to C
 *	calibrate.c the clock			epoch.c	  when it starts again
 *	error.c    the last error's words	exits.c	  who has left
 *	names.c	   what threads are called
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

/* One offset from the thread pointer serves every thread, and no use of it
 * allocates, in a signal handler for instance. */
#define TL_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

enum { TIMELINE_CHECK_MESSAGES = 4096 };

/*
 * geometry is this process's own copy, checked against the size of the file
 * when it was opened: sizes, offsets and bounds come from it, never from the
 * shared header.
 */
struct timeline {
	int fd;
	uint8_t *map;
	struct timeline_header *header; /* shared */
	uint8_t *strings;               /* shared */
	struct timeline_name *names;    /* shared; NULL: it has none */
	struct timeline_header geometry;
	struct tl_index *index;
	struct timeline_event *priority_event;
	struct timeline_event *burst_event;
	struct timeline_event *level_event;
	struct timeline_event *plan_event;
	struct tl_calibrate calibrate;
	struct timeline *next; /* of those this process has open: exits.c */
	uint64_t reported[TIMELINE_CHECK_MESSAGES / 64]; /* see check.c */
	bool use_rseq;
	int32_t ids; /* of the word for the ids of a thread: tl_ids_offset */
	int guard;   /* of the mapping; -1: none */
};

/*
 * A program that must survive a timeline being cut short under it has every
 * mapping guarded: from before its first byte is read until it is gone.  The
 * library itself installs no signal handler.  add: the number of the guard, or
 * -errno, and then the timeline is not opened.
 */
struct tl_map_guard {
	int (*add)(const void *map, size_t size);
	void (*remove)(int guard);
};
extern const struct tl_map_guard *tl_map_guard; /* NULL: none */

/* Set the text of timeline_error; returns rc. */
int
tl_error(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the fields that identify a timeline: magic, version, sizes, this state
 * (TIMELINE_LIVE ...). */
void tl_layout_identify(struct timeline_header *header, uint32_t state);
/* Geometry for the options, into a header of zeros; has_cpu_lanes: can a
 * thread append to the lane of its CPU?  -EINVAL, -EFBIG. */
int tl_layout_plan(struct timeline_header *header,
    const struct timeline_options *options, bool has_cpu_lanes);
/* Does a header describe a timeline this program can read?  Its regions lie
 * in order, apart and inside header.total_size (which the caller compares
 * with the file's).  Fills in what the header of an older version did not
 * have.  0, or -errno and where and what. */
int tl_layout_check(struct timeline_header *header, struct tl_fault *fault);
/* May this program write to a file of that size, too?  (After the first.) */
int tl_layout_check_writer(const struct timeline_header *header,
    uint64_t file_size, struct tl_fault *fault);

/* The bytes for which there is room from the start: all but those of the
 * timers' histograms. */
static inline uint64_t
tl_layout_dense(const struct timeline_header *h)
{
	return h->timers_max == 0 ? h->total_size
				  : timeline_histogram_offset(h, 0, 0);
}

/* Which start of the machine a file was made in. */
enum tl_boot { TL_BOOT_THIS, TL_BOOT_OTHER, TL_BOOT_UNKNOWN };
enum tl_boot tl_boot_of(const struct timeline_header *header);
/* Is it known to be this one? */
bool tl_is_this_boot(const struct timeline_header *header);
/* This boot's id, as in header.boot_id, and is it known?  Zeros if not.  Read
 * once, and again only while it is not known; _read always reads it, for a
 * process that may have been moved to another boot. */
bool tl_boot_id(uint8_t id[16]);
bool tl_boot_id_read(uint8_t id[16]);
bool tl_boot_id_parse(struct tl_bytes text, uint8_t id[16]);
/* Are these not the zeros of an unknown one? */
bool tl_boot_is_known(const uint8_t id[16]);
/* Where it is read; tests put another file here. */
extern const char *tl_boot_id_file;

/* How many CPU lanes this machine needs: the highest number of a CPU that is
 * online, or that this thread may run on, + 1. */
uint32_t tl_cpus(void);
/* ... of a list as the kernel writes it and an affinity mask (or NULL); 0:
 * neither is valid. */
uint32_t
tl_cpu_count(const char *online, const unsigned long *mask, size_t mask_words);

/* A record of a string table, with its texts, after every check. */
struct tl_record {
	struct timeline_record fixed; /* a private copy */
	struct tl_bytes category;
	struct tl_bytes text;
	struct tl_bytes file;
};
/* The record at offset of table (size bytes), or -errno and why; base is
 * what the table's first byte is called in faults. */
int tl_record_at(struct tl_record *record, const uint8_t *table, uint64_t size,
    uint64_t offset, uint64_t base, struct tl_fault *fault);

/* The value of record.hash: of kind, level, scope, category and text. */
uint64_t tl_record_hash(const struct tl_record *record);
/* The first place from there on where a record lies whose hash is right, for
 * who cannot go by the links; 0: none. */
uint64_t tl_record_scan(struct tl_record *record, const uint8_t *table,
    uint64_t size, uint64_t from);

/* Is it a message whose category and first line match two globs? */
bool tl_record_matches(const struct tl_record *r, const char *category,
    const char *message);

/* Give the event of a timer its histograms.  -ENOSPC. */
int tl_timer_fill(struct timeline *tl, struct timeline_event *timer,
    uint64_t record);

/* Look through the table once for the index; -ENOMEM. */
int tl_strings_open(struct timeline *tl);
void tl_strings_close(struct timeline *tl);
/*
 * The record with the same content, published now if there was none.  Sets its
 * offset, and where the event of this process is kept.  Caller holds
 * tl_strings_lock.  -ENOSPC, -E2BIG, -ENOMEM.
 */
int tl_strings_add_locked(struct timeline *tl, const struct tl_record *record,
    uint64_t *offset, struct timeline_event ***event);
/* Offsets of records, newest first: 0 ends the walk.  Bounded. */
uint64_t tl_strings_next(const struct timeline *tl, uint64_t offset);
void tl_strings_lock(void);
void tl_strings_unlock(void);
/* Around fork, also in a signal handler that interrupted the lock's holder. */
void tl_strings_before_fork(void);
void tl_strings_after_fork(void);

/* Define the messages of category "timeline" that readers understand. */
int tl_define_builtins(struct timeline *tl);
/* That of changes which timeline-ship makes for others; its arguments are
 * numbers of strings.  Logged by timeline_append, whatever the priority is. */
int tl_define_ask(struct timeline *tl, struct timeline_event **event);
/* A loss that the writer of all lanes of a file enters; readers take it for
 * one, of as many entries as its first argument. */
int tl_define_lost(struct timeline *tl, struct timeline_event **event);
/* The event that only plans of slots need. */
int tl_define_plan(struct timeline *tl);

/* The level of a priority's name, "off" being off; -EINVAL and the words. */
int tl_priority_parse(const char *name, int off);

/*
 * A thread keeps its pid and tid in words of its own, so that each of the
 * timelines of a process learns of the thread; the last of the words is for
 * what belongs to no timeline.  Offsets count from the thread pointer.
 */
enum { TL_IDS_TIMELINES = 4, TL_IDS_WORDS };
int32_t tl_ids_offset(unsigned word);
/* The word at this offset is known from here on. */
void tl_ids_fill(int32_t offset);

/* Record the names of this thread and its process, which log here for the
 * first time.  For signal handlers, too. */
void tl_names_note(struct timeline *tl);
/* Find the table; record the threads that are known from other timelines. */
void tl_names_open(struct timeline *tl);

int32_t tl_rseq_offset(const struct timeline *tl);
bool tl_rseq_usable(void);

/* The number of this process, if it has logged since it was forked; 0. */
uint32_t tl_ids_logged(void);

/* A timeline of this process: it is marked when the process calls exit; and
 * it is marked now, and forgotten (one that was not added, too). */
void tl_exits_add(struct timeline *tl);
void tl_exits_remove(struct timeline *tl);
void tl_exits_after_fork(void);

/* May this process read a clock at all? */
bool tl_clock_is_allowed(void);

/* A stamp of the timeline's clock, now. */
static inline uint64_t
tl_stamp_now(const struct timeline *tl)
{
	return tl_clock_now(tl->geometry.clock_kind);
}

/* Work a point into the clock's line unless there is one of this second;
 * where the counter began again, publish an epoch record. */
void tl_clock_visit(struct timeline *tl);
/* Publish the record of an epoch, after TL_CALIBRATE_EPOCH. */
void tl_epoch_publish(struct timeline *tl);

/*
 * Is a burst that ends at until over at stamp now?  One that ends further
 * ahead than any burst may is over, too.  The levels word has 44 bits for it,
 * 2^56 ticks, so both are taken modulo that, here and in asm/log.S.
 */
#define TL_UNTIL_MASK (UINT64_MAX >> TIMELINE_LEVELS_UNTIL)
static inline bool
tl_until_is_over(uint64_t until, uint64_t now, uint64_t burst_max)
{
	return ((until - (now >> TIMELINE_UNTIL_SHIFT)) & TL_UNTIL_MASK) >
	       burst_max;
}

/*
 * Like timeline_burst; the entry has its kind: a sample of a schedule (1), from
 * which totals are estimated, or a request (0).
 * level is one of the nine.  -ERANGE.
 */
int tl_burst(struct timeline *tl, uint8_t level, uint64_t duration_ns,
    uint64_t sample);

/* The levels as they are just now. */
struct tl_levels_now {
	uint8_t threshold; /* least level that is logged */
	uint8_t base;      /* the same when no burst is open */
	bool burst;        /* one is */
	uint64_t word;     /* another value: it was changed */
};
void tl_levels_look(const struct timeline *tl, struct tl_levels_now *now);

/*
 * A plan of slots, which writers open by a hash of the stamp: no thread has to
 * run for it at some time, so what it samples does not depend on the
 * scheduler.  timeline(5) describes its entries.
 */
#define TIMELINE_PLAN_SHIFT 8 /* first argument: level | shift << 8 | ... */
#define TIMELINE_PLAN_HELD  16
struct tl_plan {
	uint64_t seed;
	uint32_t shift; /* a slot is 2^shift ticks: 1 to 63 */
	uint32_t shares[TIMELINE_PLAN_GATES]; /* of 2^32; rising with the
						 gate; [0] is 0 */
};
/* Has this plan been in force up to now, as far as the header shows? */
bool tl_plan_is_held(const struct timeline *tl, const struct tl_plan *plan);
/* Change over from a plan to another, or renew its lease where they are the
 * same; NULL: none.  One caller at a time.  As timeline_define, or 0. */
int tl_plan_set(struct timeline *tl, const struct tl_plan *before,
    const struct tl_plan *plan, uint64_t lease_ns);

/* End a burst that is over: what a writer does that finds one. */
void tl_levels_expire(struct timeline *tl);
/* How far ahead the end of a burst may lie, in units of until. */
uint64_t tl_burst_max(const struct timeline *tl);

/* asm/log.S leaves to these: no ids yet; no lane of its own; burst over. */
void tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
void tl_append_fallback(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
void tl_append_expired(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

/* asm/timer.S leaves to these.  _at: no lane, no ids, or only a burst opens
 * it.  _end: the same of a timer, all there is to do; _keep: its entry
 * alone. */
void tl_append_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_end(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
void tl_timer_keep(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* Is an event open?  Sets *now where only a burst or a slot lets it pass, which
 * was looked at then; ends a burst that is over. */
bool tl_event_is_open(struct timeline_event *event, uint64_t *now);
/* Append it to a fallback lane; stamp 0: that of now.  code: of a timer, its
 * duration. */
void tl_append_shared(struct timeline_event *event, uint64_t stamp,
    uint32_t code, const uint64_t args[TIMELINE_ARGS_MAX]);

/* The same of timers as timeline_slower does; percentile in millionths is
 * where a daemon shall keep the threshold, 0 not.  How many matched: 0 or
 * more. */
int tl_timers_set(struct timeline *tl, const char *category,
    const char *message, uint64_t ticks, uint64_t percentile);

/* Make a file at path, complete under its name at once, and open it:
 * 0, -EEXIST when there is one, or -errno, then *tl is as it was. */
int tl_create(struct timeline **tl, const char *path,
    const struct timeline_options *options);
/* Open an existing one to write to.  -ENOENT, -ESTALE for another boot,
 * -ENOTSUP for one not known; after a failure *tl is as it was. */
int tl_attach(struct timeline **tl, const char *path, uint32_t trusted_uid);
/* Map a file whose header was checked.  Takes the descriptor over, even
 * when it fails. */
int tl_map(struct timeline **tl, int fd, const struct timeline_header *header);

#endif
