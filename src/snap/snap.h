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
 * goes on while the next one is read.  All of that is settled in one place:
 * tl_take() (take.h has the proof) copies the file, only as much of each
 * lane's tail as is asked for, and keeps what was whole.  Everything after it
 * parses bytes that do not change:
 *
 *	take.c		live file --> frozen copy, whole entries only
 *	snap.c		check header and geometry, open lanes and tables
 *	messages.c	the string table: records --> messages, epochs
 *	lane.c		the whole entries of one lane, a chunk at a time
 *	order.c		all lanes, merged by (epoch, stamp, lane)
 *	follow.c	the same again for what is new, round by round
 *
 * Invariants.
 *	- A number from the file is hostile until it was checked against the
 *	  size of the file.  What is damaged is listed as faults; the rest is
 *	  shown.
 *	- An entry is shown only if its stamp belongs to its number.
 *	- What a lane lost is a TL_LOST event before the next entry of it: no
 *	  entry is missing without a number that says so.
 *	- Events of one thread come in the order in which it logged them.
 *
 * Who may call.  A snap and its cursors are used by one thread at a time;
 * different snaps share nothing.  Any number of readers, in any process, may
 * read one live file: they do not write to it.
 *
 * Rejected: mapping the live file and parsing it in place.  Each check would
 * be of a number that changes after the check, in every function above, and
 * not in one.
 *
 * The way back, from events to a file of our own, is write.h.
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
struct tl_snap;
struct tl_storage;

/* A lane, as far as it is known. */
struct tl_snap_lane {
	uint32_t cpu; /* TL_CPU_UNKNOWN for a fallback lane */
	uint32_t tier;
	uint64_t entries; /* slots it has: N */
	uint64_t head;    /* appended so far */
	uint64_t cleared; /* hidden below */
	uint64_t first;   /* [first, end) can be shown */
	uint64_t end;
	uint64_t torn;   /* of those, not whole */
	uint64_t lapped; /* overwritten before first, where that was wanted */
	uint64_t stuck;  /* slots that a dead writer holds */
};

/*
 * Open a timeline from a regular file, which stays the caller's.  tail bounds
 * how many of the newest entries of each lane are wanted (0: all); a live file
 * is copied only so far.  The fault has the reason if it returns -errno:
 * -ENOENT etc. from the system, -EBADMSG not a timeline, -EPROTO of another
 * version, -ENODATA truncated before its header or geometry.  Lesser damage is
 * no error here but is listed by tl_snap_fault.
 */
int tl_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    struct tl_fault *fault);
/* The same of other storage, which is taken over, even on failure.  It is read
 * as it lies there: what was copied of a live file byte by byte is damaged. */
int tl_snap_open_storage(struct tl_snap **snap, struct tl_storage *storage,
    uint64_t tail, struct tl_fault *fault);
/* Find damage of compressed storage also in parts that are not read; it is
 * listed by tl_snap_fault.  0 or -errno. */
int tl_snap_check(struct tl_snap *snap);
void tl_snap_close(struct tl_snap *snap);

/* The header as read (checked as far as geometry goes). */
const struct timeline_header *tl_snap_header(const struct tl_snap *snap);
/* Was it live (and copied) when opened? */
bool tl_snap_was_live(const struct tl_snap *snap);

size_t tl_snap_lane_count(const struct tl_snap *snap);
const struct tl_snap_lane *tl_snap_lane(const struct tl_snap *snap, size_t i);

/* The messages that are defined, oldest definition first. */
size_t tl_snap_message_count(const struct tl_snap *snap);
const struct tl_message *tl_snap_message(const struct tl_snap *snap, size_t i);

/* The clock knots that can be trusted, oldest first, the last one a closing
 * point. */
size_t tl_snap_knot_count(const struct tl_snap *snap);
const struct timeline_knot *tl_snap_knot(const struct tl_snap *snap, size_t i);

/* Damage found so far (opening, and reading since); at most
 * TL_SNAP_FAULTS_MAX are kept, all are counted. */
size_t tl_snap_fault_count(const struct tl_snap *snap);
const struct tl_fault *tl_snap_fault(const struct tl_snap *snap, size_t i);

/* Unix time of a stamp, and the bound of its error (may be NULL). */
int64_t tl_snap_time(const struct tl_snap *snap, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns);

/* A number that two snaps share if their stamps compare: made of boot id and
 * clock kind. */
bool tl_snap_same_clock(const struct tl_snap *a, const struct tl_snap *b);

/* All events that can be shown, in order of time. */
int tl_snap_cursor(struct tl_snap *snap, enum tl_order order,
    struct tl_cursor **cursor);

/*
 * Follow a live timeline.  The cursor yields what was logged since the last
 * call round, oldest first; its next returns 0 when there is nothing new yet
 * (ask again later) and -EPIPE when the file was removed.  Starts with the
 * newest tail entries.  Entries overwritten between two rounds are said as
 * TL_LOST, with the stamp of the oldest entry left of their lane.
 */
int tl_follow_open(struct tl_cursor **cursor, const char *path, uint64_t tail,
    struct tl_fault *fault);
/* The same of an open file, which stays the caller's. */
int tl_follow_open_fd(struct tl_cursor **cursor, int fd, uint64_t tail,
    struct tl_fault *fault);

/* Where to begin: at an entry of each lane, or with the newest of all. */
struct tl_follow_start {
	uint64_t tail;
	const uint64_t *from; /* by lane; NULL: use tail */
	size_t lane_count;    /* of from */
};

/* ... beginning anywhere; what was overwritten since is said as TL_LOST, too.
 * -ESTALE: this cannot be the timeline that those numbers are of. */
int tl_follow_open_at(struct tl_cursor **cursor, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault);
/* The next entry of each lane that the cursor has not given yet, as a loss or
 * as an event (both have a number): where another one may go on.  How many
 * lanes there are; *next goes with the cursor. */
size_t
tl_follow_positions(const struct tl_cursor *follow, const uint64_t **next);
/* How many entries of fallback lanes the last round left for later rounds:
 * they were not whole yet.  Positions pass them over. */
size_t tl_follow_awaited(const struct tl_cursor *follow);
/* From the next round on such an entry is lost. */
void tl_follow_finish(struct tl_cursor *follow);
/* The timeline's header as it was when it was opened. */
const struct timeline_header *tl_follow_header(const struct tl_cursor *follow);

struct tl_faults {
	struct tl_fault list[TL_SNAP_FAULTS_MAX];
	struct tl_fault beyond; /* the last of those that found no room */
	size_t count;
};

/* Where the next fault goes; when all are full, to beyond.  A thread-local
 * one would take static TLS, of which dlopen has little, for each caller. */
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
