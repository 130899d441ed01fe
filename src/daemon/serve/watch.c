/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - count all entries of a timeline for the pages that show it. */
#include "daemon/serve/answer.h"

#include "base/array.h"
#include "base/word.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/snap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	HISTORY_MAX = 1 << 19, /* entries of all lanes, at the start */
	TURN_MAX = 20000       /* entries before the loop continues */
};

static const double poll_s = 0.02, unasked_s = 60;

struct tl_watch {
	struct tl_target *target;
	struct tl_cursor *cursor;
	struct tl_html_summary *summary;
	int64_t complete_ns; /* all entries before are counted */
	bool is_whole;       /* no older entry was left out */
	ev_timer poll;
	ev_timer unasked;
};

void
tl_watch_end(struct tl_target *target)
{
	struct tl_watch *w = target->watch;

	if (!w)
		return;
	ev_timer_stop(target->daemon->loop, &w->poll);
	ev_timer_stop(target->daemon->loop, &w->unasked);
	tl_html_summary_free(w->summary);
	tl_cursor_close(w->cursor);
	free(w);
	target->watch = NULL;
}

/* Count entries.  Returns 1 if more entries wait, 0 if all were counted, or
 * -errno. */
static int
count(struct tl_watch *w)
{
	const int64_t now_ns = tl_clock_read(CLOCK_REALTIME);
	struct tl_event event;
	int rc = 1;

	for (int i = 0; i < TURN_MAX; i++) {
		if ((rc = tl_cursor_next(w->cursor, &event)) <= 0)
			break;
		if (event.kind != TL_LOST)
			w->complete_ns = event.ns;
		if ((rc = tl_html_summary_put(w->summary, &event)) != 0)
			return rc;
		rc = 1;
	}
	if (rc == 0)
		w->complete_ns = now_ns;
	return rc;
}

static void
on_poll(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_watch *w = timer->data;
	const int rc = count(w);

	(void)events;
	if (rc < 0) {
		/* the target's own stream reports the reason */
		tl_watch_end(w->target);
		return;
	}
	ev_timer_set(&w->poll, rc > 0 ? 0 : poll_s, 0);
	ev_timer_start(loop, &w->poll);
}

static void
on_unasked(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_watch *w = timer->data;

	(void)loop;
	(void)events;
	tl_watch_end(w->target);
}

/* The number of entries that all lanes have among their newest `tail`. */
static uint64_t
newest(const struct timeline *tl, uint64_t tail)
{
	const struct timeline_header *g = &tl->geometry;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < timeline_lane_count(g); i++) {
		uint64_t n = tl_load_64(&tl_lane_head(tl, i)->head);

		if (n > timeline_lane_entries(g, i))
			n = timeline_lane_entries(g, i);
		sum += n < tail ? n : tail;
	}
	return sum;
}

static int
start(struct tl_target *target, struct tl_fault *fault)
{
	uint64_t tail;
	struct tl_watch *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return tl_fail(fault, -ENOMEM, "out of memory");
	w->target = target;
	ev_init(&w->poll, on_poll);
	ev_init(&w->unasked, on_unasked);
	w->poll.data = w->unasked.data = w;
	w->unasked.repeat = unasked_s;
	target->watch = w;
	TL_SEARCH(tail, 1, HISTORY_MAX, newest(target->tl, tail) < HISTORY_MAX);
	w->is_whole =
	    newest(target->tl, tail) == newest(target->tl, UINT64_MAX);
	rc = tl_follow_open_fd(&w->cursor, target->tl->fd, tail, fault);
	if (rc == 0 && (rc = tl_html_summary_new(&w->summary)) != 0)
		tl_fail(fault, rc, "out of memory");
	if (rc != 0) {
		tl_watch_end(target);
		return rc;
	}
	ev_timer_set(&w->poll, 0, 0);
	ev_timer_start(target->daemon->loop, &w->poll);
	return 0;
}

/* Has a thread ended?  Signal 0 tests whether the thread exists. */
static bool
has_ended(uint32_t pid, uint32_t tid)
{
	return syscall(SYS_tgkill, (pid_t)pid, (pid_t)tid, 0) != 0 &&
	       errno == ESRCH;
}

int
tl_watch_ask(struct tl_target *target, struct tl_text *text,
    struct tl_html_question question, struct tl_fault *fault)
{
	uint64_t tsc;
	int rc;

	if (!target->watch) {
		if ((rc = start(target, fault)) != 0)
			return rc;
	}
	tsc = tl_stamp_now(target->tl);
	if ((rc = count(target->watch)) < 0) {
		tl_watch_end(target);
		return tl_fail(fault, rc, "cannot read the timeline");
	}
	ev_timer_again(target->daemon->loop, &target->watch->unasked);
	if (!tl_ids_are_none(target->tl))
		question.has_ended = has_ended;
	question.now_ns = target->watch->complete_ns;
	question.is_whole = target->watch->is_whole;
	if (rc == 0) /* all entries up to tsc are counted */
		question.now_tsc = tsc;
	tl_html_summary_write(target->watch->summary, text, &question);
	return text->rc;
}
