/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.c - a table of the processes that log, by pid.
 *
 *	first entry --> WATCHED     its pidfd becomes readable at the end
 *		    --> POLLED      no pidfd available: the timer polls
 *		    --> GONE        was not there; for a second, more entries
 *				    may show that it is of another namespace
 *		    --> ELSEWHERE   of another namespace: its end is invisible;
 *				    all of a timeline of another one are
 *	all but ELSEWHERE --> ENDED until it is known how, a second at most
 *		    --> DEAD        and, with another entry, again from above
 */
#include "daemon/writers.h"

#include "base/ns.h"
#include "clock/clock.h"
#include "snap/process.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <time.h>
#include <timeline_layout.h>
#include <unistd.h>

#define NONE UINT32_MAX

enum { BUCKETS = 8192, POLL_MAX = 256 /* processes per turn */ };

static const double every_s = 1;
/* The age from which an entry of a missing process is history. */
static const int64_t fresh_ns = 5 * TL_NS_PER_S;
/* The time to wait for another entry of a missing pid, and for the status of a
 * process that has ended. */
static const int64_t grace_ns = TL_NS_PER_S;
/* The largest difference of stamps and the system's clock. */
static const int64_t margin_ns = TL_NS_PER_S / 10;

enum state { WATCHED, POLLED, ELSEWHERE, GONE, ENDED, DEAD };

struct slot {
	struct tl_writer writer;
	struct tl_writers *owner;
	ev_io io;
	enum state state;
	uint64_t start_ticks; /* POLLED: identifies the process; 0: unknown */
	int64_t looked_ns;    /* GONE, ENDED, DEAD: when found missing */
	int64_t left_ns;      /* time of its mark; 0: no mark */
	uint32_t next;  /* slot of the next in the bucket, plus 1; 0: none */
	uint32_t older; /* DEAD: list in the order of death */
	uint32_t newer;
};

struct tl_writers {
	struct ev_loop *loop;
	bool elsewhere;
	tl_writer_died *died;
	void *context;
	uint32_t count;
	uint32_t last; /* slot of the last entry */
	uint32_t oldest_dead;
	uint32_t newest_dead;
	uint32_t waiting; /* POLLED, GONE or ENDED: the timer runs */
	uint32_t ended;   /* ENDED */
	uint64_t marks[TIMELINE_EXITS];
	uint32_t polled_at;
	ev_timer timer;
	struct slot slots[TL_WRITERS_MAX];
	uint32_t buckets[BUCKETS]; /* slot plus 1; 0: none */
};

static unsigned fds_open;

/* Is a later than b by more than by_ns?  The comparison must not overflow. */
static bool
is_later(int64_t a, int64_t b, int64_t by_ns)
{
	int64_t bound;

	return !__builtin_add_overflow(b, by_ns, &bound) && a > bound;
}

static uint32_t
index_of(const struct slot *slot)
{
	return (uint32_t)(slot - slot->owner->slots);
}

/* == states == */

static bool
is_waiting(enum state state)
{
	return state == POLLED || state == GONE || state == ENDED;
}

static void
set_state(struct slot *slot, enum state state)
{
	struct tl_writers *w = slot->owner;

	w->waiting += is_waiting(state);
	w->waiting -= is_waiting(slot->state);
	w->ended += state == ENDED;
	w->ended -= slot->state == ENDED;
	slot->state = state;
	if (w->waiting > 0 && !ev_is_active(&w->timer))
		ev_timer_again(w->loop, &w->timer);
}

/* Close the pidfd and leave the list of the dead. */
static void
stop_watching(struct slot *slot)
{
	if (slot->io.fd >= 0) {
		ev_io_stop(slot->owner->loop, &slot->io);
		close(slot->io.fd);
		slot->io.fd = -1;
		fds_open--;
	}
	if (slot->state == DEAD) {
		struct tl_writers *w = slot->owner;

		*(slot->newer == NONE ? &w->newest_dead
				      : &w->slots[slot->newer].older) =
		    slot->older;
		*(slot->older == NONE ? &w->oldest_dead
				      : &w->slots[slot->older].newer) =
		    slot->newer;
	}
}

static void
set_dead(struct slot *slot, int64_t died_ns)
{
	struct tl_writers *w = slot->owner;
	const uint32_t i = index_of(slot);

	stop_watching(slot);
	set_state(slot, DEAD);
	slot->writer.died_ns = died_ns;
	slot->newer = NONE;
	slot->older = w->newest_dead;
	*(w->newest_dead == NONE ? &w->oldest_dead
				 : &w->slots[w->newest_dead].newer) = i;
	w->newest_dead = i;
}

/* == how it ended == */

enum answer { UNKNOWN, LATER, KNOWN };

/* Read the status of a process, like wait(2).  LATER: the parent has not reaped
 * the process yet. */
static enum answer
read_status(const struct slot *slot, int *status)
{
	struct tl_pidfd_info info = { .mask = TL_PIDFD_INFO_EXIT };
	struct tl_process process;

	if (slot->io.fd < 0)
		return UNKNOWN;
	if (ioctl(slot->io.fd, TL_PIDFD_GET_INFO, &info) == 0 &&
	    info.mask & TL_PIDFD_INFO_EXIT) {
		*status = info.exit_code;
		return KNOWN;
	}
	tl_process_inspect(&process, slot->writer.pid);
	if (!process.ended || process.start_ticks != slot->start_ticks)
		return UNKNOWN;
	*status = process.status;
	return process.status != 0 ? KNOWN : LATER;
}

/* Has the process left its mark, and logged nothing after the mark?  Other
 * threads may log while one thread calls exit. */
static bool
has_left(struct slot *slot)
{
	const struct tl_writers *w = slot->owner;
	const int64_t now_ns = tl_clock_read(CLOCK_REALTIME);

	for (size_t i = 0; i < TIMELINE_EXITS; i++) {
		if (timeline_exit_pid(w->marks[i]) == slot->writer.pid)
			slot->left_ns = timeline_exit_ns(w->marks[i], now_ns);
	}
	return slot->left_ns != 0 &&
	       !is_later(slot->writer.last_ns, slot->left_ns, margin_ns);
}

static void
conclude(struct slot *slot, bool clean)
{
	struct tl_writers *w = slot->owner;

	slot->writer.clean = clean;
	set_dead(slot, slot->writer.died_ns);
	if (!clean)
		w->died(w->context, &slot->writer);
}

/* Is the wait for a status over?  It also ends when the clock was set back. */
static bool
is_over(const struct slot *slot, int64_t now_ns)
{
	return now_ns < slot->looked_ns ||
	       !is_later(slot->looked_ns, now_ns, -grace_ns);
}

/* Decide how the process ended.  last: all its entries and marks were read. */
static void
judge(struct slot *slot, bool last)
{
	const bool over = is_over(slot, tl_clock_read(CLOCK_REALTIME));
	int status = 0;
	const enum answer answer = read_status(slot, &status);

	if (answer == KNOWN)
		conclude(slot, status == 0);
	else if (answer == LATER && !over)
		return;
	else if (has_left(slot))
		conclude(slot, true);
	else if (last || over)
		conclude(slot, false);
}

/* The process is not there any more, since about ended_ns. */
static void
end(struct slot *slot, int64_t ended_ns)
{
	ev_io_stop(slot->owner->loop, &slot->io);
	slot->looked_ns = tl_clock_read(CLOCK_REALTIME);
	slot->writer.died_ns = ended_ns;
	set_state(slot, ENDED);
	judge(slot, false);
}

static void
fd_is_readable(struct ev_loop *loop, ev_io *io, int events)
{
	(void)loop;
	(void)events;
	end(io->data, tl_clock_read(CLOCK_REALTIME));
}

void
tl_writers_update(struct tl_writers *w, const uint64_t *marks, int64_t ns)
{
	memcpy(w->marks, marks, sizeof(w->marks));
	for (uint32_t i = 0; i < w->count && w->waiting > 0; i++) {
		struct slot *slot = &w->slots[i];

		/* before newer marks overwrite its mark */
		if (slot->state == GONE)
			(void)has_left(slot);
		else if (slot->state == ENDED)
			judge(slot, is_later(ns, slot->looked_ns, 0));
	}
}

/* The process is not there: wait for a moment if its entry is fresh. */
static void
set_gone(struct slot *slot, int64_t ns)
{
	slot->looked_ns = tl_clock_read(CLOCK_REALTIME);
	if (is_later(slot->looked_ns, ns, fresh_ns))
		set_dead(slot, ns);
	else
		set_state(slot, GONE);
}

/* Open a pidfd; the number of pidfds is limited.  Returns a descriptor or
 * -errno. */
static int
open_fd(uint32_t pid)
{
	int fd;

	if (fds_open >= TL_WRITERS_FDS_MAX)
		return -EMFILE;
	fd = pidfd_open((pid_t)pid, 0);
	if (fd < 0)
		return -errno;
	fds_open++;
	return fd;
}

static void
watch_fd(struct slot *slot, int fd)
{
	ev_io_init(&slot->io, fd_is_readable, fd, EV_READ);
	slot->io.data = slot;
	ev_io_start(slot->owner->loop, &slot->io);
	set_state(slot, WATCHED);
}

static void
close_fd(int fd)
{
	if (fd < 0)
		return;
	close(fd);
	fds_open--;
}

/* Inspect the process that logged at ns, and watch the process. */
static void
inspect(struct slot *slot, int64_t ns)
{
	const uint32_t pid = slot->writer.pid;
	const int fd = open_fd(pid);
	struct tl_process process;
	const bool gone = fd == -ESRCH ||
			  (fd < 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH);

	if (gone) {
		set_gone(slot, ns);
		return;
	}
	tl_process_inspect(&process, pid);
	memcpy(slot->writer.command, process.command,
	    sizeof(slot->writer.command));
	slot->start_ticks = process.start_ticks;
	if (process.elsewhere) {
		close_fd(fd);
		strcpy(slot->writer.command, "?");
		set_state(slot, ELSEWHERE);
	} else if (is_later(process.start_ns, ns, TL_NS_PER_S)) {
		close_fd(fd); /* the pid was reused */
		strcpy(slot->writer.command, "?");
		set_gone(slot, ns);
	} else if (fd >= 0) {
		watch_fd(slot, fd);
	} else {
		set_state(slot, POLLED);
	}
}

/* == the timer == */

static void
time_came(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_writers *w = timer->data;
	const int64_t now_ns = tl_clock_read(CLOCK_REALTIME);
	struct tl_process process;
	uint32_t polled = 0;

	(void)events;
	for (uint32_t i = 0; i < w->count && polled < POLL_MAX; i++) {
		struct slot *slot = &w->slots[w->polled_at++ % w->count];
		const uint32_t pid = slot->writer.pid;
		int fd;

		if (slot->state != POLLED)
			continue;
		fd = open_fd(pid);
		tl_process_inspect(&process, pid);
		if (fd == -ESRCH || process.ended ||
		    (slot->start_ticks && process.start_ticks &&
			process.start_ticks != slot->start_ticks) ||
		    (fd < 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)) {
			close_fd(fd);
			end(slot, tl_clock_read(CLOCK_REALTIME));
		} else if (fd >= 0) {
			watch_fd(slot, fd);
		}

		polled++;
	}

	for (uint32_t i = 0; i < w->count; i++) {
		struct slot *slot = &w->slots[i];

		if (!is_over(slot, now_ns))
			continue;
		if (slot->state == GONE) {
			slot->writer.died_ns = slot->looked_ns;
			conclude(slot, has_left(slot));
		} else if (slot->state == ENDED) {
			judge(slot, true);
		}
	}
	if (w->waiting == 0)
		ev_timer_stop(loop, timer);
}

/* == the table == */

static uint32_t *
bucket_of(struct tl_writers *w, uint32_t pid)
{
	return &w->buckets[pid * 0x9e3779b1u >> 19];
}

/* Free a slot for reuse: the process that is dead for the longest time or, if
 * none is dead, silent for the longest time. */
static struct slot *
forget_one(struct tl_writers *w)
{
	uint32_t least = w->oldest_dead;
	uint32_t *link;

	if (least == NONE) {
		least = 0;
		for (uint32_t i = 1; i < w->count; i++)
			if (w->slots[i].writer.last_ns <
			    w->slots[least].writer.last_ns)
				least = i;
	}
	stop_watching(&w->slots[least]);
	set_state(&w->slots[least], ELSEWHERE);
	link = bucket_of(w, w->slots[least].writer.pid);
	while (*link != least + 1)
		link = &w->slots[*link - 1].next;
	*link = w->slots[least].next;
	return &w->slots[least];
}

static uint32_t
add(struct tl_writers *w, uint32_t pid, int64_t ns)
{
	struct slot *slot =
	    w->count < TL_WRITERS_MAX ? &w->slots[w->count++] : forget_one(w);
	uint32_t *bucket = bucket_of(w, pid);

	*slot = (struct slot){ .owner = w,
		.state = ELSEWHERE,
		.io.fd = -1,
		.next = *bucket,
		.writer = { .pid = pid, .command = "?", .last_ns = ns } };
	*bucket = index_of(slot) + 1;
	if (!w->elsewhere)
		inspect(slot, ns);
	return index_of(slot);
}

/* Take an entry of a process that is gone or dead: the entry is late, or the
 * pid is in use again. */
static void
seen_again(struct slot *slot, int64_t ns)
{
	if (!is_later(ns, slot->looked_ns, margin_ns)) {
		if (slot->writer.died_ns != 0 && slot->writer.died_ns < ns)
			slot->writer.died_ns = ns;
		return;
	}
	if (slot->state == GONE) {
		set_state(slot, ELSEWHERE);
		return;
	}
	if (slot->state == ENDED) /* the pid was reused */
		conclude(slot, has_left(slot));
	stop_watching(slot);
	slot->state = ELSEWHERE;
	slot->writer.died_ns = 0;
	slot->writer.clean = false;
	slot->writer.entries = 0;
	slot->left_ns = 0;
	strcpy(slot->writer.command, "?");
	inspect(slot, ns);
}

void
tl_writers_seen(struct tl_writers *w, uint32_t pid, int64_t ns)
{
	struct slot *slot = &w->slots[w->last];

	if (slot->writer.pid != pid || w->count == 0) {
		uint32_t i;

		if (pid == 0 || pid > INT32_MAX)
			return; /* not a pid */
		i = *bucket_of(w, pid);
		while (i != 0 && w->slots[i - 1].writer.pid != pid)
			i = w->slots[i - 1].next;
		i = i != 0 ? i - 1 : NONE;
		w->last = i == NONE ? add(w, pid, ns) : i;
		slot = &w->slots[w->last];
	}
	if (slot->state >= GONE)
		seen_again(slot, ns);
	slot->writer.entries++;
	if (ns > slot->writer.last_ns)
		slot->writer.last_ns = ns;
}

bool
tl_writers_wait(const struct tl_writers *w)
{
	return w->waiting > 0;
}

bool
tl_writers_are_gone(const struct tl_writers *w)
{
	const uint32_t own = (uint32_t)getpid();
	uint32_t i = 0;

	while (i < w->count && (w->slots[i].writer.died_ns != 0 ||
				   w->slots[i].writer.pid == own))
		i++;
	return i == w->count;
}

size_t
tl_writers_count(const struct tl_writers *w)
{
	return w->count;
}

const struct tl_writer *
tl_writers_get(const struct tl_writers *w, size_t i)
{
	assert(i < w->count);
	return &w->slots[i].writer;
}

int
tl_writers_new(struct tl_writers **writers, struct ev_loop *loop,
    bool elsewhere, tl_writer_died *died, void *context)
{
	/* large, so it is mapped, and pages are used on demand */
	struct tl_writers *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->loop = loop;
	w->elsewhere = elsewhere;
	w->died = died;
	w->context = context;
	w->oldest_dead = w->newest_dead = NONE;
	ev_timer_init(&w->timer, time_came, every_s, every_s);
	w->timer.data = w;
	*writers = w;
	return 0;
}

void
tl_writers_free(struct tl_writers *w)
{
	if (!w)
		return;
	ev_timer_stop(w->loop, &w->timer);
	for (uint32_t i = 0; i < w->count; i++)
		stop_watching(&w->slots[i]);
	free(w);
}
