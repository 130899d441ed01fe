/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snap.h - read a timeline: a live one, a saved one, or one that is followed.
 *
 *	live file --take--> frozen copy --+
 *	saved file -----------------------+--> snap --> cursor of tl_event
 *	compressed file --frames----------+
 *
 * How a live ring is read.  Writers never wait for a reader, so a reader may
 * see an entry half written, an entry that overwrites another, or a lane that
 * grows while the next one is read.  One function handles all three cases:
 * tl_take() (take.h has the proof) copies the file, with only the wanted tail
 * of each lane, and keeps whole entries.  All later code parses bytes that do
 * not change:
 *
 *	take.c		live file --> frozen copy, whole entries only
 *	snap.c		check header and geometry, open lanes and tables
 *	messages.c	the string table: records --> messages, epochs
 *	lane.c		the whole entries of one lane, a chunk at a time
 *	order.c		all lanes, merged by (epoch, stamp, lane)
 *	follow.c	the same for new entries, round by round
 *
 * Invariants.
 *	- A number from the file is hostile until it has been checked against
 *	  the size of the file.  Damage is listed as faults; the rest is shown.
 *	- An entry is shown only if its stamp belongs to its number.
 *	- Lost entries of a lane are a TL_LOST event before its next entry, so
 *	  that every missing entry is counted.
 *	- Events of one thread come in the order in which it logged them.
 *
 * Who may call.  A snap and its cursors are used by one thread at a time;
 * different snaps share nothing.  Any number of readers, in any process, may
 * read one live file, because readers do not write to the file.
 *
 * Rejected: mapping the live file and parsing it in place.  Every function
 * above, instead of tl_take() alone, would check numbers that may change after
 * the check.
 *
 * The way back, from events to a snapshot, is write.h.
 */
#ifndef TL_SNAP_SNAP_H
#define TL_SNAP_SNAP_H

#include "base/fault.h"
#include "event/cursor.h"
#include "event/merge.h"

#include <stdbool.h>
#include <timeline_layout.h>

enum { TL_SNAP_FAULTS_MAX = 100 };

struct tl_names;
struct tl_observed_start;
struct tl_observer;
struct tl_snap;
struct tl_text;
struct tl_storage;
struct tl_time;

/* A lane, as far as it has been read. */
struct tl_snap_lane {
	uint32_t cpu; /* TL_CPU_UNKNOWN for a fallback lane */
	uint32_t tier;
	uint64_t entries; /* number of slots: N */
	uint64_t head;    /* number of entries appended so far */
	uint64_t cleared; /* entries before this number are hidden */
	uint64_t first;   /* entries [first, end) can be shown */
	uint64_t end;
	uint64_t torn; /* incomplete entries in [first, end) */
	/* entries overwritten before first, in the wanted range */
	uint64_t lapped;
	/* of these, the entries overwritten during the copy */
	uint64_t left_out;
	/* of these, in an imported file, the overwritten entries; the others
	 * are lost */
	uint64_t overwritten;
	uint64_t stuck; /* number of slots that a dead writer holds */
};

/*
 * Open a timeline from a regular file, which stays the caller's.  tail is the
 * number of newest entries wanted of each lane (0: all); from a live file only
 * these entries are copied.  0; -errno with a fault: -ENOENT etc. from the
 * system, -EBADMSG not a timeline, -EPROTO another version, -ENODATA truncated
 * before the end of header or geometry.  Lesser damage is no error, but is
 * listed by tl_snap_fault().
 */
int tl_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    struct tl_fault *fault);
/* Open a timeline from other storage, which is taken over, even on failure.
 * The storage is never frozen: a byte-by-byte copy of a live file counts as
 * damaged.  Errors as tl_snap_open_fd(). */
int tl_snap_open_storage(struct tl_snap **snap, struct tl_storage *storage,
    uint64_t tail, struct tl_fault *fault);
/* Check the parts of compressed storage that are not read otherwise.  Damage is
 * listed by tl_snap_fault().  0 or -errno. */
int tl_snap_check(struct tl_snap *snap);
void tl_snap_close(struct tl_snap *snap);

/* The header of the file.  Its geometry has been checked. */
const struct timeline_header *tl_snap_header(const struct tl_snap *snap);
/* The size of the file; of a compressed file the decoded size. */
uint64_t tl_snap_size(const struct tl_snap *snap);
/* The bytes that the file takes, without its holes.  0: unknown. */
uint64_t tl_snap_used(const struct tl_snap *snap);
/* Was the file live, and copied, when it was opened? */
bool tl_snap_was_live(const struct tl_snap *snap);

size_t tl_snap_lane_count(const struct tl_snap *snap);
const struct tl_snap_lane *tl_snap_lane(const struct tl_snap *snap, size_t i);

/* Append a sentence, without a full stop, about the entries of a lane that the
 * copy left out: "CPU 1, tier 0: ...".  cpu may be TL_CPU_UNKNOWN. */
void tl_snap_put_left_out(struct tl_text *text, uint32_t cpu, uint32_t tier,
    uint64_t kept, uint64_t left_out);

/* The defined messages, oldest definition first. */
size_t tl_snap_message_count(const struct tl_snap *snap);
const struct tl_message *tl_snap_message(const struct tl_snap *snap, size_t i);
const struct tl_message *const *tl_snap_messages(const struct tl_snap *snap);
/* Get the cut as an event without a message: the snapshot has each entry whose
 * append had returned by then.  It is the place of the newest entry if
 * tl_snap_has_ended.  false: unknown. */
bool tl_snap_cut(const struct tl_snap *snap, struct tl_event *cut);
/* Find out whether the processes of the newest entries have ended.  A copy of a
 * live file asks the system, which a sandbox may forbid.  0 or -errno. */
int tl_snap_find_end(struct tl_snap *snap);
bool tl_snap_has_ended(const struct tl_snap *snap);
/* Is the process alive that logged age_ns ago?  A process that started later
 * has the same number only. */
bool tl_writer_is_alive(uint32_t pid, uint64_t age_ns);

/* The trusted knots, oldest first.  The last knot is a closing point. */
size_t tl_snap_knot_count(const struct tl_snap *snap);
const struct timeline_knot *tl_snap_knot(const struct tl_snap *snap, size_t i);

/* The damage found so far, when opening and reading.  At most
 * TL_SNAP_FAULTS_MAX faults are kept, but all are counted. */
size_t tl_snap_fault_count(const struct tl_snap *snap);
const struct tl_fault *tl_snap_fault(const struct tl_snap *snap, size_t i);

/* The Unix time of a stamp, and the bound of its error.  error_ns may be
 * NULL. */
int64_t tl_snap_time(const struct tl_snap *snap, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns);

/* Read the current clock of a live file whose header has been checked, without
 * a copy of the file.  Free time with tl_time_free().  0 or -errno. */
int tl_snap_clock(struct tl_time *time, int fd,
    const struct timeline_header *geometry);

/* Can the stamps of two timelines be compared?  Boot ID and clock kind must be
 * equal. */
bool tl_snap_same_clock(const struct tl_snap *a, const struct tl_snap *b);

/* Make a cursor over all events that can be shown, in order of time.  0 or
 * -errno. */
int tl_snap_cursor(struct tl_snap *snap, enum tl_order order,
    struct tl_cursor **cursor);
/* As tl_snap_cursor() oldest first, for what can change the levels.  Of entries
 * of other messages in a row of their lane only the last is an event;
 * *skipped counts the others, none of which is earlier than all events, later
 * than all, or next to a loss.  No event is observed.  0 or -errno. */
int tl_snap_changes(struct tl_snap *snap, struct tl_cursor **cursor,
    uint64_t *skipped);
/* The observer of the cursor's events, oldest first, as it is after the last
 * event.  Valid as long as the cursor. */
struct tl_observer *tl_snap_observer(struct tl_cursor *cursor);
/* Get the time from which a lane has all its entries except lost ones.  1; 0:
 * no entries; -errno. */
int tl_snap_lane_begin(struct tl_snap *snap, uint32_t number, int64_t *ns);
/* Get the state of observation at the oldest event (event/observe.h).  0 or
 * -errno. */
int tl_snap_observed(struct tl_snap *snap, struct tl_observed_start *start);

/*
 * Follow a live timeline, starting with its newest `tail` entries.  The cursor
 * returns the entries since its last round, oldest first; next() returns 0
 * while there are no new entries, and -EPIPE if the file has been removed.
 * Entries overwritten between two rounds are a TL_LOST event with the stamp of
 * the oldest remaining entry of their lane.
 */
int tl_follow_open(struct tl_cursor **cursor, const char *path, uint64_t tail,
    struct tl_fault *fault);
/* Follow an open file, which stays the caller's. */
int tl_follow_open_fd(struct tl_cursor **cursor, int fd, uint64_t tail,
    struct tl_fault *fault);

/* The start of a follower: an entry of each lane, or the newest entries. */
struct tl_follow_start {
	uint64_t tail;
	const uint64_t *from; /* by lane; NULL: use tail */
	size_t lane_count;    /* number of elements of from */
};

/* Follow from a given start.  Entries overwritten since are TL_LOST events too.
 * -ESTALE: the numbers belong to another timeline. */
int tl_follow_open_at(struct tl_cursor **cursor, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault);
/* Get the next entry of each lane that the cursor has neither returned as an
 * event nor counted in a loss.  Another cursor can continue at these entries.
 * Returns the number of lanes; *next is valid as long as the cursor. */
size_t
tl_follow_positions(const struct tl_cursor *follow, const uint64_t **next);
/* The number of entries of fallback lanes that were not whole in the last round
 * and are left for later rounds.  Positions skip these entries. */
size_t tl_follow_awaited(const struct tl_cursor *follow);
/* From the next round on, count entries that are not whole as lost. */
void tl_follow_finish(struct tl_cursor *follow);
/* Let entries wait for up to delay_ns before a round reads them, while they are
 * few.  delay_ns 0, the default: a round begins with any entry. */
void tl_follow_delay(struct tl_cursor *follow, uint64_t delay_ns);
/* Is it certain that next() would return 0 now?  Reads almost no memory, for
 * idle timelines.  now_ns is CLOCK_MONOTONIC. */
bool tl_follow_is_idle(const struct tl_cursor *follow, int64_t now_ns);
/* The time within which next() must be called again to read a burst in time: 5
 * million entries a second fill a quarter of a lane in this time.  Counts the
 * lanes that grew before the last call.  UINT64_MAX: no lane grew. */
uint64_t tl_follow_again_ns(const struct tl_cursor *follow);
/* The observer of the follower's events, as it is after the last event.  Valid
 * as long as the cursor. */
struct tl_observer *tl_follow_observer(struct tl_cursor *follow);
/* The header as it was when the file was opened. */
const struct timeline_header *tl_follow_header(const struct tl_cursor *follow);

struct tl_faults {
	struct tl_fault list[TL_SNAP_FAULTS_MAX];
	struct tl_fault beyond; /* the last fault that did not fit */
	size_t count;
};

/* The place for the next fault, or beyond if all places are used.  A
 * thread-local fault would take static TLS for each caller, and dlopen() has
 * little of it. */
static inline struct tl_fault *
tl_faults_next(struct tl_faults *faults)
{
	const size_t i = faults->count++;

	if (i < TL_SNAP_FAULTS_MAX)
		return &faults->list[i];
	faults->beyond.rc = 0;
	return &faults->beyond;
}

#define tl_faults_add(faults, at, ...) \
	tl_fault(tl_faults_next(faults), -EBADMSG, (at), __VA_ARGS__)

#endif
