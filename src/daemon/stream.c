/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - read the entries of all targets as they come.
 *
 * A writer that logs wakes no process, because waking would cost the writer a
 * system call.  The daemon polls each poll_ns, and reads the heads of the lanes
 * first.  While all timelines are idle the daemon polls less often, and each
 * timeline rests for an eighth of the time since its last entry.  A turn
 * reads a bounded number of entries of each target, so that a busy target does
 * not starve the others; then the loop handles other events, and the next turn
 * follows at once.
 */
#include "daemon/targets.h"

#include "base/word.h"
#include "clock/clock.h"
#include "daemon/target.h"
#include "ring/ring.h"
#include "snap/snap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	TURN_MAX = 20000,  /* entries of a target in one turn */
	IDLE_ROUNDS = 100, /* without an entry, then poll less often */
	IDLE_FACTOR = 3,
	REST_PART = 8 /* of the time since the last entry */
};

static const int64_t rest_max_ns = TL_NS_PER_S / 10;

/* The factor of target->busy per round: at 10 ms, half after 7 s. */
static const double fading = 0.999;

struct tl_stream {
	struct tl_daemon *daemon;
	ev_timer poll;
	uint64_t idle; /* rounds without an entry */
};

static void
count(struct tl_target *t, const struct tl_event *event)
{
	if (event->kind == TL_LOST) {
		*(event->overwritten ? &t->counts.overwritten
				     : &t->counts.lost) += event->lost;
		return;
	}
	t->counts.spans += event->kind == TL_END;
	if (event->paired) /* of an entry that is counted */
		return;
	t->counts.entries++;
	if (event->level <= TIMELINE_LEVEL_NONE)
		t->counts.by_level[event->level]++;
	t->has_logged |= event->message->builtin == TIMELINE_BUILTIN_NONE;
	tl_writers_seen(t->writers, event->pid, event->ns);
}

/* The current rate of the target's clock. */
static uint64_t
rate_of(const struct tl_target *t)
{
	return tl_load_64(&t->tl->header->clock.mult);
}

/* Read the new entries of a target.  Returns 0 if all were read, 1 after one
 * turn, or -errno at the end of the stream.  *complete becomes the time of the
 * last entry, if there was one. */
static int
read_turn(struct tl_target *target, struct tl_rules_now *complete)
{
	struct tl_event event;
	int rc;

	for (int i = 0; i < TURN_MAX; i++) {
		rc = tl_cursor_next(target->stream, &event);
		if (rc <= 0)
			return rc;
		if (event.kind != TL_LOST)
			*complete =
			    (struct tl_rules_now){ event.ns, event.tsc };
		count(target, &event);
		tl_rules_put(target->rules, &event);
	}
	return 1;
}

/* Copy the marks of processes that have exited. */
static void
copy_marks(const struct tl_target *t, uint64_t marks[TIMELINE_EXITS])
{
	for (size_t i = 0; i < TIMELINE_EXITS; i++)
		marks[i] = tl_load_64(&t->tl->header->exits[i]);
}

/* Give the rules the rate of the clock, and tell the rules when messages were
 * defined. */
static void
prepare_rules(struct tl_target *t)
{
	const uint64_t newest = tl_strings_next(t->tl, 0);

	tl_rules_set_rate(t->rules, rate_of(t));
	if (newest != t->newest_message) {
		tl_rules_forget_gates(t->rules);
		tl_lacking_warn(t);
	}
	t->newest_message = newest;
}

/* Count the time in which each level was observed, up to a stamp before which
 * all entries were read. */
static void
count_open(struct tl_target *t, uint64_t tsc)
{
	struct tl_observer *observer = tl_follow_observer(t->stream);
	const uint64_t mult = rate_of(t);
	const bool goes_on = t->open_tsc != 0 && tsc > t->open_tsc;
	const int64_t known_ns =
	    goes_on ? tl_ticks_to_ns((int64_t)(tsc - t->open_tsc), mult) : 0;
	struct tl_observed now;

	for (unsigned gate = 0; gate <= TIMELINE_LEVEL_NONE; gate++) {
		tl_observed_at(observer, gate, tsc, &now);
		if (goes_on && now.ticks > t->open_ticks[gate]) {
			const int64_t ns =
			    tl_ticks_to_ns((int64_t)(now.ticks -
						     t->open_ticks[gate]),
				mult);

			/* a gate that was open all the time may be a tick ahead
			 */
			t->counts.open_ns[gate] +=
			    ns < known_ns ? ns : known_ns;
		}
		t->open_ticks[gate] = now.ticks;
	}
	t->counts.known_ns += known_ns;
	t->open_tsc = tsc;
}

static uint64_t
sum_of(const struct tl_target_counts *counts)
{
	return counts->entries + counts->lost + counts->overwritten;
}

/* Does a target rest?  A target with rules, which follow the time, does not,
 * nor one with processes that ended, which are judged by their marks. */
static bool
rests(struct tl_target *t, int64_t now_ns)
{
	int64_t rest_ns = (now_ns - t->read_ns) / REST_PART;

	if (now_ns < t->rest_ns)
		return true;
	if (t->config->rule_count > 0 || tl_writers_wait(t->writers) ||
	    !tl_follow_is_idle(t->stream, now_ns))
		return false;
	if (rest_ns > rest_max_ns)
		rest_ns = rest_max_ns;
	t->rest_ns = now_ns + rest_ns;
	return true;
}

/* Read one target, and detach from it on failure.  Returns whether the target
 * had entries. */
static bool
take_turn(struct tl_stream *s, struct tl_target *target, int64_t turn_ns,
    bool *more)
{
	const uint64_t counted = target->counts.entries;
	const uint64_t before = sum_of(&target->counts);
	/* If the stream is empty afterwards, all entries before now_ns were
	 * read. */
	const int64_t now_ns = tl_clock_read(CLOCK_REALTIME);
	const struct tl_rules_now now = { now_ns,
		tl_clock_now(target->tl->geometry.clock_kind) };
	struct tl_rules_now complete = now;
	uint64_t marks[TIMELINE_EXITS];
	int rc;
	bool any;

	copy_marks(target, marks);
	prepare_rules(target);
	rc = read_turn(target, &complete);
	any = sum_of(&target->counts) != before;
	if (any)
		target->read_ns = turn_ns;
	target->busy =
	    target->busy * fading + (double)(target->counts.entries - counted);
	if (rc < 0) {
		const char *why = tl_target_fault(target);

		if (!why)
			why = rc == -EPIPE ? "it was removed" : strerror(-rc);
		tl_targets_drop(s->daemon->folder, target, why);
		return true;
	}
	tl_rules_tick(target->rules, rc == 0 ? &now : &complete);
	if (rc == 0) {
		tl_writers_update(target->writers, marks, now_ns);
		tl_bursts_set_left(target->bursts,
		    target->has_logged && tl_writers_are_gone(target->writers));
		count_open(target, now.tsc);
	}
	*more |= rc > 0;
	return any;
}

/* Set the timer for the next poll, which finds a target after rest_ns. */
static void
rearm(struct tl_stream *s, bool more, int64_t rest_ns)
{
	double wait_s = (double)s->daemon->config->poll_ns / 1e9;

	if (s->idle > IDLE_ROUNDS)
		wait_s *= IDLE_FACTOR;
	if (wait_s < (double)rest_ns / 1e9)
		wait_s = (double)rest_ns / 1e9;
	ev_timer_stop(s->daemon->loop, &s->poll);
	ev_timer_set(&s->poll, more ? 0 : wait_s, 0);
	ev_timer_start(s->daemon->loop, &s->poll);
}

static void
poll_all(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_stream *s = timer->data;
	struct tl_daemon *d = s->daemon;
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	int64_t rest_ns = rest_max_ns;
	bool any = false, more = false;

	(void)loop;
	(void)events;
	/* backwards, because detaching moves the later targets */
	for (size_t i = d->target_count; i-- > 0;) {
		struct tl_target *t = d->targets[i];

		if (!rests(t, now_ns)) {
			any |= take_turn(s, t, now_ns, &more);
			rest_ns = 0;
		} else if (t->rest_ns - now_ns < rest_ns) {
			rest_ns = t->rest_ns - now_ns;
		}
	}
	s->idle = any ? 0 : s->idle + 1;
#ifdef __GLIBC__
	/* give back what attaching and reading left free */
	if (s->idle == 2 * IDLE_ROUNDS)
		malloc_trim(0);
#endif
	rearm(s, more, rest_ns);
}

int
tl_streams_new(struct tl_stream **stream, struct tl_daemon *daemon)
{
	struct tl_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->daemon = daemon;
	ev_init(&s->poll, poll_all);
	s->poll.data = s;
	rearm(s, false, 0);
	*stream = s;
	return 0;
}

void
tl_streams_configure(struct tl_stream *stream)
{
	stream->idle = 0;
	rearm(stream, false, 0);
}

void
tl_streams_free(struct tl_stream *stream)
{
	if (!stream)
		return;
	ev_timer_stop(stream->daemon->loop, &stream->poll);
	free(stream);
}
