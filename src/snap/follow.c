/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - read a live timeline as it grows.
 *
 * Each round freezes a small copy, which continues each lane at the end of the
 * last round and cuts all lanes at one moment (take.h).  So the events of a
 * thread in a round follow the thread's events of the last round without a gap.
 *
 * In a CPU lane the follower knows the next entry by its number.  For a
 * fallback lane the follower remembers the tickets that it has seen, and the
 * tickets without an entry.  A ticket is lost when it is overwritten, or has no
 * entry after a second.  If its thread writes the entry later, the entry
 * appears in a later snapshot, but not in the follower.
 *
 * A round costs as much for one entry as for hundreds.  With a delay a round
 * waits until its first entry has this age, or a lane has a thousand new
 * entries or a quarter of its room; until then each call reads only the heads
 * of the lanes.
 *
 * Many followers look at their heads a hundred times a second.  In a program
 * that has a guard (ring/guard.h) the heads are mapped and a look makes no
 * system call.  A guarded mapping cannot end the program, but it may change at
 * any moment, so that nothing else is read from it.
 */
#include "base/file.h"
#include "base/ns.h"
#include "base/word.h"
#include "clock/clock.h"
#include "ring/guard.h"
#include "snap/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct follow {
	struct tl_cursor cursor; /* first: what callers hold */

	/* == what tl_follow_is_idle() reads, in one cache line == */
	/* in a guarded mapping of the file; NULL: heads are read */
	const struct timeline_head *mapped;
	uint64_t *heads; /* by lane: number of entries, as last seen */
	size_t lane_count;
	/* time when removal is checked next, CLOCK_MONOTONIC; 0: now */
	int64_t check_ns;
	bool idle; /* the last look saw nothing new in the mapping */

	int guard; /* of the mapping */
	int fd;
	uint64_t tail; /* most entries of the first round */
	struct tl_messages *messages;
	struct tl_snap *round;
	struct tl_parts parts; /* copy of the round */
	/* events of the round; NULL: between rounds */
	struct tl_cursor *events;
	uint64_t *from; /* by lane: the first entry of the next round */
	/* by lane: the first entry that has not been returned */
	uint64_t *next;
	uint64_t *lost; /* by fallback lane: lost entries not yet reported */
	struct tl_holes *holes;     /* by lane: before this round */
	struct tl_holes *found;     /* by lane: after this round */
	struct timeline_head *copy; /* of the heads in the file, as last read */
	uint64_t delay_ns;          /* between rounds; 0: none */
	/* CLOCK_MONOTONIC time when waiting entries were first seen; 0: none
	 * wait */
	int64_t waiting_ns;
	/* size of the smallest lane that grew; UINT64_MAX: none */
	uint64_t grown;
	struct timeline_header header; /* as first read */
	struct tl_observer observer;
	uint64_t losses; /* lost entries of this round not yet reported */
	/* in the first round, missing entries were never wanted */
	bool is_first;
	bool is_behind; /* there are entries older than the follower */
	size_t gated;   /* messages with a first gate */
	/* the event with the latest stamp so far */
	struct tl_event newest;
	/* the next lane whose losses without a stamp are reported */
	size_t lane;
	bool removed; /* the file has been removed */
	bool finish;  /* entries in progress are no longer awaited */
};

/* A removed file ends when it has no new entries.  Removal is checked in the
 * first quiet round and then rarely, because most rounds of most files are
 * quiet. */
#define REMOVED_NS (TL_NS_PER_S / 2)

static void
end_round(struct follow *f)
{
	if (f->losses > 0)
		tl_observe_again(&f->observer);
	f->losses = 0;
	tl_cursor_close(f->events);
	tl_snap_close(f->round);
	f->events = NULL;
	f->round = NULL;
}

/* All events of the round have been returned: the next round continues at its
 * end. */
static void
accept_round(struct follow *f)
{
	struct tl_holes *before = f->holes;

	f->holes = f->found;
	f->found = before;
	end_round(f);
}

/* Repeat the round.  Entries that have not been returned come again. */
static int
begin_again(struct follow *f, int rc)
{
	memcpy(f->from, f->next, f->lane_count * sizeof(*f->from));
	end_round(f);
	return rc;
}

/* Is a lane a fallback lane with sums?  The fallback lanes of version 1 are
 * read like CPU lanes. */
static bool
is_fallback(const struct follow *f, size_t lane)
{
	return f->header.major > 1 &&
	       timeline_lane_is_fallback(&f->header, (uint32_t)lane);
}

/* The urgency of a round. */
enum need {
	NONE, /* no lane has new entries */
	SOME,
	FULL /* a lane has many entries, or the round reports a fault */
};

enum {
	FULL_PART = 4,   /* part of a lane that makes a round urgent ... */
	FULL_MAX = 1024, /* ... or this many entries */
	/* time between the entries of a burst in one lane */
	BURST_ENTRY_NS = 200
};

/* The file up to the end of the heads. */
static size_t
map_size(const struct follow *f)
{
	return f->header.heads_offset + f->lane_count * sizeof(*f->copy);
}

/* Map the heads, if the mapping can be guarded. */
static void
map_heads(struct follow *f)
{
	uint8_t *map = mmap(NULL, map_size(f), PROT_READ, MAP_SHARED, f->fd, 0);

	if (map == MAP_FAILED)
		return;
	f->guard = tl_guard_add(map, map_size(f));
	if (f->guard < 0)
		munmap(map, map_size(f));
	else
		f->mapped = (void *)(map + f->header.heads_offset);
}

static void
unmap_heads(struct follow *f)
{
	if (!f->mapped)
		return;
	tl_guard_remove(f->guard);
	munmap((uint8_t *)(uintptr_t)f->mapped - f->header.heads_offset,
	    map_size(f));
}

/* The heads in the file now.  NULL: the file is too short. */
static const struct timeline_head *
heads_of(struct follow *f)
{
	const size_t size = f->lane_count * sizeof(*f->copy);

	if (f->mapped && !tl_guard_is_lost(f->guard))
		return f->mapped;
	return tl_read_at(f->fd, f->copy, size, f->header.heads_offset) ==
		       (int64_t)size
		   ? f->copy
		   : NULL;
}

/* Look at the heads of all lanes.  with_holes: a ticket whose entry may still
 * come counts as new. */
static enum need
look(struct follow *f, bool with_holes)
{
	const struct timeline_head *heads = heads_of(f);
	enum need need = NONE;

	f->grown = UINT64_MAX;
	f->idle = false;
	if (!heads)
		return FULL;
	for (size_t i = 0; i < f->lane_count; i++) {
		const uint64_t from =
		    is_fallback(f, i) ? f->holes[i].seen : f->from[i];
		const uint64_t n =
		    timeline_lane_entries(&f->header, (uint32_t)i);
		const uint64_t head = tl_load_64(&heads[i].head);
		const uint64_t waiting = head > from ? head - from : 0;

		if (waiting >= FULL_MAX || waiting >= n / FULL_PART)
			need = FULL;
		else if (need == NONE &&
			 (head > from || (with_holes && f->holes[i].count > 0)))
			need = SOME;
		if (head != f->heads[i] && n < f->grown)
			f->grown = n;
		f->heads[i] = head;
	}
	f->idle = need == NONE && heads == f->mapped;
	return need;
}

bool
tl_follow_is_idle(const struct tl_cursor *cursor, int64_t now_ns)
{
	const struct follow *f = (const struct follow *)(const void *)cursor;

	if (!f->idle || now_ns >= f->check_ns)
		return false;
	for (size_t i = 0; i < f->lane_count; i++)
		if (tl_load_64(&f->mapped[i].head) != f->heads[i])
			return false;
	return true;
}

/* Is a round due?  A round of a removed file is due at once. */
static bool
is_due(struct follow *f, bool removed)
{
	const enum need need = look(f, true);
	int64_t now_ns;

	if (need == NONE || need == FULL || removed || f->delay_ns == 0) {
		f->waiting_ns = 0;
		return need != NONE;
	}
	now_ns = tl_clock_read(CLOCK_MONOTONIC);
	if (f->waiting_ns == 0)
		f->waiting_ns = now_ns;
	if ((uint64_t)(now_ns - f->waiting_ns) < f->delay_ns)
		return false;
	f->waiting_ns = 0;
	return true;
}

/* Begin to observe, with the entries of the first round, which are older than
 * the follower.  Between two positions of a lane no change of levels leaves the
 * levels of now in force, and a change leaves them unknown before it. */
static int
observe_from(struct follow *f, struct tl_snap *snap)
{
	struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = f->header.tiers };
	bool begins = true, changed = false;
	int rc = 0;

	for (uint32_t i = 0; i < f->lane_count; i++)
		begins &= f->tail > 0 || f->from[i] == 0;
	for (uint32_t i = 0;
	     !begins && !changed && rc == 0 && i < f->lane_count; i++) {
		const struct tl_builtin_entry *b;
		size_t count;

		rc = tl_snap_builtins(snap, i, &b, &count);
		for (; rc == 0 && count > 0 && !changed; b++, count--)
			changed =
			    b->message && tl_observed_is_change(b->message);
	}
	if (rc == 0 && begins)
		rc = tl_snap_observed(snap, &start);
	else if (rc == 0 && changed)
		rc = tl_snap_gates_before(snap, false, &start);
	if (rc != 0 || (!begins && !changed))
		return rc;
	start.gates = true;
	tl_observer_init(&f->observer, &start);
	return 0;
}

/* Continue the lanes at the end of the round, and note the entries that were
 * overwritten since the last round.  They are reported before the remaining
 * entries of their lane.  Hidden entries are not lost, but were not
 * observed. */
static void
continue_lanes(struct follow *f)
{
	bool hidden = false;

	for (size_t i = 0; i < f->lane_count; i++) {
		struct tl_snap_lane *lane = &f->round->lanes[i];
		uint64_t from = f->from[i];

		hidden |= from < lane->cleared;
		if (is_fallback(f, i)) {
			f->from[i] = f->found[i].seen;
			f->lost[i] = lane->lapped = f->found[i].lost;
		} else {
			if (from < lane->cleared)
				from = f->next[i] = lane->cleared;
			lane->lapped =
			    lane->first > from ? lane->first - from : 0;
			f->from[i] = lane->end > from ? lane->end : from;
		}
		f->losses += lane->lapped;
	}
	/* A loss began after the last event, and is reported at its end. */
	if (f->losses > 0 || hidden)
		tl_observe_loss(&f->observer);
	if (f->losses == 0 && hidden)
		tl_observe_again(&f->observer);
}

/* Freeze the new entries.  1: there are new entries; 0; -errno. */
static int
begin_round(struct follow *f)
{
	struct tl_fault fault = { 0 };
	const struct tl_snap_plan plan = { .tail = f->tail,
		.from = f->tail ? NULL : f->from,
		.messages = f->messages,
		.geometry = &f->header,
		.holes = f->holes,
		.found = f->found,
		.parts = &f->parts,
		.finish = f->finish };
	const size_t had = f->messages->count;
	bool any = false;
	int rc = tl_snap_read(&f->round, f->fd, &plan, &fault);

	if (rc != 0)
		return rc;
	/* a new message had the gate of its definition; entries to come change
	 * it */
	for (size_t i = had; !f->is_behind && i < f->messages->count; i++)
		f->messages->list[i]->gate = f->messages->list[i]->level;
	for (size_t i = 0; i < f->lane_count; i++)
		any |= is_fallback(f, i)
			   ? f->found[i].whole + f->found[i].lost > 0
			   : f->round->lanes[i].end > f->from[i];
	for (size_t i = 0; f->tail && i < f->lane_count; i++) {
		const struct tl_snap_lane *lane = &f->round->lanes[i];

		/* older entries are not wanted, or lost */
		f->from[i] = f->next[i] = lane->first - lane->lapped;
	}
	if (f->is_behind && (rc = observe_from(f, f->round)) != 0)
		return begin_again(f, rc);
	for (; f->gated < f->messages->count; f->gated++) {
		struct tl_message *m = f->messages->list[f->gated];

		m->first_gate = (uint8_t)tl_observed_gate(&f->observer, m) + 1;
	}
	f->is_first = f->tail > 0;
	f->is_behind = false;
	f->tail = 0;
	f->lane = 0;
	continue_lanes(f);
	rc = tl_snap_cursor(f->round, TL_OLDEST_FIRST, &f->events);
	if (rc != 0)
		return begin_again(f, rc);
	if (any)
		return 1;
	accept_round(f);
	return 0;
}

/* Note an event that is returned.  In a CPU lane the event follows the last
 * one, apart from hidden entries; in a fallback lane numbers come in any
 * order. */
static void
note_given(struct follow *f, struct tl_event *event)
{
	const struct tl_holes *found = &f->found[event->lane];
	const bool fallback = is_fallback(f, event->lane);
	uint64_t *next = &f->next[event->lane];
	uint64_t *lost = &f->lost[event->lane];
	uint64_t end = event->number + 1;

	if (event->paired) /* the event shares its number with another event */
		return;
	if (event->kind == TL_LOST && event->level == 0) {
		/* A ticket of a fallback lane may have no entry.  If that is
		 * the case for any of the missing tickets, all count as
		 * lost. */
		event->overwritten =
		    f->header.major > 1 &&
		    (!fallback || found->lapped == found->lost);
		event->unread = event->overwritten && !f->is_first;
		event->number = *next;
		if (fallback) {
			event->number = found->lost_end - event->lost;
			*lost -= event->lost < *lost ? event->lost : *lost;
		}
		end = event->number + event->lost;
	}
	if (*next < end)
		*next = end;
}

/* The next loss without a stamp, at the end of the round.  false: none. */
static bool
next_unstamped(struct follow *f, struct tl_event *event)
{
	uint64_t lost = 0;

	for (; f->lane < f->lane_count; f->lane++) {
		/* of a CPU lane, neither returned nor reported as lost */
		if (is_fallback(f, f->lane))
			lost = f->lost[f->lane];
		else if (f->from[f->lane] > f->next[f->lane])
			lost = f->from[f->lane] - f->next[f->lane];
		if (lost != 0)
			break;
	}
	if (f->lane == f->lane_count)
		return false;
	*event = (struct tl_event){ .kind = TL_LOST,
		.lost = lost,
		.cpu = f->round->lanes[f->lane].cpu,
		.lane = (uint32_t)f->lane,
		.ns = f->round->header.saved_ns };
	note_given(f, event);
	return true;
}

/* Note the gates of messages after a change.  The file has the gates of now,
 * which later entries may have changed, so the gates are read only if the
 * observer knows no message of the change. */
static int
note_gates(struct follow *f, const struct tl_event *change)
{
	struct tl_gate_entry entry;

	if (!tl_gate_read(change->args, &entry) ||
	    (f->observer.gates.count == 0 && entry.before != entry.after))
		return tl_messages_read_gates(f->messages, f->fd);
	for (size_t i = 0; i < f->messages->count; i++) {
		struct tl_message *m = f->messages->list[i];

		if (!m->builtin)
			tl_store_8(&m->gate,
			    (uint8_t)tl_observed_gate(&f->observer, m));
	}
	return 0;
}

/* Observe an event. */
static int
observe(struct follow *f, struct tl_event *event)
{
	tl_observe(&f->observer, event);
	if (event->kind == TL_LOST && event->level == 0 && f->losses > 0) {
		f->losses -= event->lost < f->losses ? event->lost : f->losses;
		if (f->losses == 0)
			tl_observe_again(&f->observer);
	}
	return event->message &&
		       event->message->builtin == TIMELINE_BUILTIN_LEVEL
		   ? note_gates(f, event)
		   : 0;
}

static int
follow_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct follow *f = (struct follow *)(void *)cursor;
	int rc;

	if (!f->events) {
		const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
		struct stat st;
		bool removed;

		if (!f->removed && now_ns >= f->check_ns) {
			f->removed = fstat(f->fd, &st) == 0 && st.st_nlink == 0;
			f->check_ns = now_ns + REMOVED_NS;
		}
		removed = f->removed;
		rc = f->tail || is_due(f, removed) ? begin_round(f) : 0;
		if (rc < 0)
			return rc;
		if (rc == 0)
			return removed && look(f, false) == NONE ? -EPIPE : 0;
	}
	f->check_ns = 0;
	do /* a loss after the last entry of a lane has no stamp */
		rc = tl_cursor_next(f->events, event);
	while (rc > 0 && event->kind == TL_LOST && event->tsc == 0);
	if (rc > 0 && (rc = observe(f, event)) == 0) {
		const struct tl_event *newest = &f->newest;
		const struct tl_event *early =
		    event->tsc < newest->tsc ? event : newest;
		const struct tl_event *late = early == event ? newest : event;

		/* Keep the times in order.  Each round knows the clock a little
		 * better, which may reverse the times of two stamps, but within
		 * the error of the times.  The order of the stamps then counts,
		 * unless the clock was set. */
		if (event->epoch == newest->epoch && newest->tsc != 0 &&
		    early->ns > late->ns &&
		    (uint64_t)early->ns - (uint64_t)late->ns <=
			(uint64_t)newest->error_ns + event->error_ns)
			event->ns = newest->ns;
		if (event->epoch != newest->epoch || event->tsc >= newest->tsc)
			f->newest = *event;
		note_given(f, event);
		return 1;
	}
	if (rc == 0 && next_unstamped(f, event))
		return observe(f, event) < 0 ? -EIO : 1;
	if (rc < 0)
		return begin_again(f, rc);
	accept_round(f);
	return 0;
}

static void
follow_close(struct tl_cursor *cursor)
{
	struct follow *f = (struct follow *)(void *)cursor;

	end_round(f);
	tl_messages_free(f->messages);
	for (size_t i = 0; i < f->lane_count; i++) {
		free(f->holes ? f->holes[i].list : NULL);
		free(f->found ? f->found[i].list : NULL);
	}
	tl_parts_free(&f->parts);
	free(f->holes);
	free(f->found);
	free(f->lost);
	free(f->from);
	free(f->next);
	free(f->heads);
	free(f->copy);
	unmap_heads(f);
	close(f->fd);
	free(f);
}

/* Set the start of the first round: the given start, else the end. */
static int
set_start(struct follow *f, const struct tl_snap *snap,
    const struct tl_follow_start *start, struct tl_fault *fault)
{
	if (start->from && start->lane_count != f->lane_count)
		return tl_fail(fault, -ESTALE,
		    "it has other lanes than before");
	for (size_t i = 0; i < f->lane_count; i++) {
		if (start->from && start->from[i] > snap->lanes[i].head)
			return tl_fail(fault, -ESTALE,
			    "it has fewer entries than before");
		if (start->from)
			f->from[i] = start->from[i];
		else if (start->tail == 0) /* only new entries are wanted */
			f->from[i] = snap->lanes[i].end;
		f->is_behind |= f->from[i] < snap->lanes[i].end;
		f->holes[i].seen = f->from[i];
	}
	memcpy(f->next, f->from, f->lane_count * sizeof(*f->next));
	return 0;
}

/* Begin to observe at the heads that were read, with the current levels and
 * plan, because changes up to now may have been logged before the heads. */
static int
begin_observing(struct follow *f)
{
	struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = f->header.tiers,
		.gates = true,
		.named = true };
	struct timeline_header *h = &f->header;
	const int64_t n = tl_read_at(f->fd, &h->levels,
	    offsetof(struct timeline_header, strings_tail) -
		offsetof(struct timeline_header, levels),
	    offsetof(struct timeline_header, levels));
	const uint64_t word = timeline_levels(h);

	start.now =
	    (struct tl_observed_now){ .threshold = timeline_threshold(word),
		    .base = (uint8_t)(word >> TIMELINE_LEVELS_BASE),
		    .until_epoch = h->epochs,
		    .until = ((word >> TIMELINE_LEVELS_UNTIL) + 1)
			     << TIMELINE_UNTIL_SHIFT };
	if (h->major >= 2 && h->lease != 0) {
		start.now.has_plan = true;
		start.now.shift = h->lease & 63;
		start.now.seed = h->seed;
		start.now.lease = h->lease;
		start.now.plan_epoch = h->epochs;
		memcpy(start.now.shares, h->shares, sizeof(h->shares));
		start.now.shares[TIMELINE_LEVEL_NONE] =
		    h->shares[TIMELINE_LEVEL_MAX];
	}
	tl_observer_init(&f->observer, &start);
	return n < 0 ? (int)n : 0;
}

/* Read the file once for its geometry. */
static int
prepare(struct follow *f, const struct tl_follow_start *start,
    struct tl_fault *fault)
{
	struct tl_snap *snap;
	int rc = tl_snap_open_fd(&snap, f->fd, 1, fault);

	if (rc != 0)
		return rc;
	if (!snap->was_live)
		rc = tl_fail(fault, -EINVAL, "a saved timeline does not grow");
	else
		f->messages = snap->messages;
	snap->owns_messages = !f->messages;
	f->header = snap->header;
	f->lane_count = snap->lane_count;
	tl_parts_init(&f->parts, f->fd, &f->header);
	f->from = calloc(snap->lane_count, sizeof(*f->from));
	f->next = calloc(snap->lane_count, sizeof(*f->next));
	f->lost = calloc(snap->lane_count, sizeof(*f->lost));
	f->heads = calloc(snap->lane_count, sizeof(*f->heads));
	f->copy = calloc(snap->lane_count, sizeof(*f->copy));
	f->holes = calloc(snap->lane_count, sizeof(*f->holes));
	f->found = calloc(snap->lane_count, sizeof(*f->found));
	if (rc == 0 && (!f->from || !f->next || !f->lost || !f->heads ||
			   !f->copy || !f->holes || !f->found))
		rc = -ENOMEM;
	if (rc == 0)
		rc = set_start(f, snap, start, fault);
	if (rc == 0)
		rc = begin_observing(f);
	if (rc == 0)
		map_heads(f);
	tl_snap_close(snap);
	return rc;
}

/* Follow a descriptor, or fail if it is -errno.  Takes the descriptor over,
 * even on failure. */
static int
follow_fd(struct tl_cursor **cursor, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault)
{
	struct follow *f;
	int rc;

	if (fd < 0)
		return tl_fail(fault, fd, "%s", tl_file_error(fd));
	if (!(f = calloc(1, sizeof(*f)))) {
		close(fd);
		return tl_fail(fault, -ENOMEM, "no memory");
	}
	f->cursor.next = follow_next;
	f->cursor.close = follow_close;
	f->tail = start->tail;
	f->fd = fd;
	if ((rc = prepare(f, start, fault)) != 0) {
		follow_close(&f->cursor);
		return rc;
	}
	*cursor = &f->cursor;
	return 0;
}

int
tl_follow_open_at(struct tl_cursor **cursor, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault)
{
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return follow_fd(cursor, own < 0 ? -errno : own, start, fault);
}

int
tl_follow_open_fd(struct tl_cursor **cursor, int fd, uint64_t tail,
    struct tl_fault *fault)
{
	const struct tl_follow_start start = { .tail = tail };

	return tl_follow_open_at(cursor, fd, &start, fault);
}

int
tl_follow_open(struct tl_cursor **cursor, const char *path, uint64_t tail,
    struct tl_fault *fault)
{
	const struct tl_follow_start start = { .tail = tail };

	return follow_fd(cursor, tl_open_read(path), &start, fault);
}

size_t
tl_follow_positions(const struct tl_cursor *cursor, const uint64_t **next)
{
	const struct follow *f = (const struct follow *)(const void *)cursor;

	*next = f->next;
	return f->lane_count;
}

size_t
tl_follow_awaited(const struct tl_cursor *cursor)
{
	const struct follow *f = (const struct follow *)(const void *)cursor;
	size_t count = 0;

	for (size_t i = 0; i < f->lane_count; i++)
		count += f->holes[i].count;
	return count;
}

void
tl_follow_finish(struct tl_cursor *cursor)
{
	((struct follow *)(void *)cursor)->finish = true;
}

void
tl_follow_delay(struct tl_cursor *cursor, uint64_t delay_ns)
{
	((struct follow *)(void *)cursor)->delay_ns = delay_ns;
}

uint64_t
tl_follow_again_ns(const struct tl_cursor *cursor)
{
	const struct follow *f = (const struct follow *)(const void *)cursor;

	return f->grown == UINT64_MAX ? UINT64_MAX
				      : f->grown / FULL_PART * BURST_ENTRY_NS;
}

struct tl_observer *
tl_follow_observer(struct tl_cursor *cursor)
{
	return &((struct follow *)(void *)cursor)->observer;
}

const struct timeline_header *
tl_follow_header(const struct tl_cursor *cursor)
{
	return &((const struct follow *)(const void *)cursor)->header;
}
