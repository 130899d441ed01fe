/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrator.c - take points of the clock: twice a second, four times a second
 * after the clock changed its rate, and at once when the wall clock is set.
 *
 * All timelines of a machine share its clocks, so all calibrators share one
 * ticker, and a point is measured once for all of them.  A timerfd that never
 * expires becomes readable when the wall clock is set
 * (TFD_TIMER_CANCEL_ON_SET).  The ticker also reads the timerfd after each
 * point, so that a step is not taken for a slew.
 */
#include "daemon/calibrator.h"

#include "clock/keeper.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
	TRIES_MAX = 4,    /* limit while the clock is being set */
	LIVELY_TICKS = 12 /* three seconds after a change of rate */
};

static const ev_tstamp period_s = 0.5;
static const ev_tstamp lively_s = 0.25;
/* expiry of the timerfd: in 31 years */
static const time_t never_s = 1000000000;

/* State shared by the calibrators of a loop. */
struct ticker {
	struct ev_loop *loop;
	ev_timer timer;
	ev_io set;       /* the wall clock was set */
	int set_fd;      /* -1: the kernel does not report steps */
	unsigned lively; /* quick ticks left */
	struct tl_sampler sampler;
	struct tl_calibrator *first;
};

struct tl_calibrator {
	struct timeline *tl;
	struct tl_keeper keeper;
	struct tl_keep_news news; /* news not applied yet */
	uint64_t rejected;
	struct ticker *ticker;
	struct tl_calibrator *next;
};

/* The clock of a process is kept by one loop only. */
static struct ticker *the_ticker;

static void
arm(const struct ticker *ticker)
{
	struct itimerspec at = { 0 };

	if (ticker->set_fd < 0 ||
	    clock_gettime(CLOCK_REALTIME, &at.it_value) != 0)
		return;
	at.it_value.tv_sec += never_s;
	(void)timerfd_settime(ticker->set_fd,
	    TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

/* Was the clock set since the last call? */
static bool
was_set(const struct ticker *ticker)
{
	uint64_t expired;

	if (ticker->set_fd < 0 ||
	    read(ticker->set_fd, &expired, sizeof(expired)) >= 0 ||
	    errno != ECANCELED)
		return false;
	arm(ticker);
	return true;
}

/* Take a point, and find out whether the clock was set before the point.  If
 * the clock was set around the point, the order is unknown: take another
 * point. */
static int
take(struct ticker *ticker, struct tl_clock_point *point,
    struct tl_keep_news *news)
{
	int rc = -EAGAIN;

	news->sees_set = ticker->set_fd >= 0;
	news->was_set = was_set(ticker);
	for (int i = 0; i < TRIES_MAX; i++) {
		rc = tl_sampler_take(&ticker->sampler, point, news);
		if (!was_set(ticker))
			break;
		news->was_set = true;
	}
	return rc;
}

/* Apply the point to one timeline.  A busy timeline keeps the news for the next
 * point. */
static void
apply_point(struct tl_calibrator *c, const struct tl_clock_point *point)
{
	int rc;

	c->news.suspect |= c->tl->calibrate.suspect;
	rc = tl_keeper_point(&c->keeper, point, &c->news);

	if (rc < 0 || (rc & TL_CALIBRATE_BUSY))
		return;
	if (rc & TL_CALIBRATE_EPOCH)
		tl_epoch_publish(c->tl);
	if (c->keeper.bent)
		c->ticker->lively = LIVELY_TICKS;
	c->news = (struct tl_keep_news){ 0 };
}

static void
tick(struct ticker *ticker)
{
	struct tl_clock_point point;
	struct tl_keep_news news = { 0 };
	const int rc = take(ticker, &point, &news);
	ev_tstamp period;

	for (struct tl_calibrator *c = ticker->first; c; c = c->next) {
		if (c->tl->geometry.clock_kind != TIMELINE_CLOCK_TSC) {
			tl_clock_visit(c->tl); /* stamps are Unix time */
			continue;
		}
		c->news.was_set |= news.was_set;
		c->news.sees_set = news.sees_set;
		c->news.slept |= news.slept;
		c->news.restarted |= news.restarted;
		c->news.suspect = news.suspect;
		c->rejected += rc == -EAGAIN;
		if (rc == 0)
			apply_point(c, &point);
	}

	/* Sample more often for a while after the rate changed: some clocks
	 * change the rate every second, and the straight stretches in between
	 * need points. */
	period = ticker->lively > 0 ? lively_s : period_s;
	if (ticker->lively > 0)
		ticker->lively--;
	if (ticker->timer.repeat == period)
		return;
	ticker->timer.repeat = period;
	ev_timer_again(ticker->loop, &ticker->timer);
}

static void
on_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	tick(timer->data);
}

static void
on_set(struct ev_loop *loop, ev_io *io, int events)
{
	(void)loop;
	(void)events;
	tick(io->data);
}

static struct ticker *
ticker_new(struct ev_loop *loop)
{
	struct ticker *ticker = calloc(1, sizeof(*ticker));

	if (!ticker)
		return NULL;
	ticker->loop = loop;
	tl_sampler_init(&ticker->sampler, tl_clock_source(TIMELINE_CLOCK_TSC),
	    tl_sampler_machine());
	ticker->set_fd =
	    timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	arm(ticker);
	ev_timer_init(&ticker->timer, on_timer, 0., period_s);
	ticker->timer.data = ticker;
	ev_timer_start(loop, &ticker->timer);
	if (ticker->set_fd >= 0) {
		ev_io_init(&ticker->set, on_set, ticker->set_fd, EV_READ);
		ticker->set.data = ticker;
		ev_io_start(loop, &ticker->set);
	}
	return ticker;
}

int
tl_calibrator_new(struct tl_calibrator **out, struct ev_loop *loop,
    struct timeline *tl)
{
	struct tl_calibrator *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	if (!the_ticker && !(the_ticker = ticker_new(loop))) {
		free(c);
		return -ENOMEM;
	}
	if (the_ticker->loop != loop) {
		free(c);
		return -EBUSY;
	}
	c->tl = tl;
	tl_keeper_init(&c->keeper, &tl->calibrate);
	c->ticker = the_ticker;
	c->next = the_ticker->first;
	the_ticker->first = c;
	*out = c;
	return 0;
}

/* The error of a stamp taken now: the error at the tail, grown by the tail's
 * age. */
static void
error_now(const struct tl_calibrator *c, struct tl_calibrator_status *status)
{
	struct timeline_clock_tail tail;
	uint64_t age_ns;
	int64_t ticks;

	if (tl_calibrate_read(c->tl->header, &tail) < 0)
		tail = c->keeper.tail;
	ticks = tl_ticks_between(tail.tsc, tl_stamp_now(c->tl));
	age_ns = (uint64_t)tl_ticks_to_ns(ticks > 0 ? ticks : 0, tail.mult);
	status->rate_err_ppb = tail.rate_err_ppb;
	status->est_err_ns = tail.est_err_ns;
	status->max_err_ns = tail.max_err_ns;
	if (c->tl->geometry.clock_kind != TIMELINE_CLOCK_TSC)
		return;
	status->est_err_ns =
	    tl_add_32(tail.est_err_ns, tl_ppb_of(age_ns, tail.rate_err_ppb));
	status->max_err_ns = tl_add_32(tail.max_err_ns,
	    tl_ppb_of(age_ns,
		(uint64_t)tail.rate_err_ppb +
		    (tail.flags & TIMELINE_KNOT_UNSYNC
			    ? 0
			    : TL_CLOCK_STEER_PPM * UINT64_C(1000))));
}

void
tl_calibrator_status(const struct tl_calibrator *c,
    struct tl_calibrator_status *status)
{
	*status = (struct tl_calibrator_status){
		.points = c->keeper.points,
		.rejected = c->rejected,
		.knots = c->keeper.committed,
		.steps = c->keeper.steps,
		.epochs = c->keeper.epochs,
		.busy = c->keeper.busy,
		.suspect =
		    c->ticker->sampler.suspect || c->tl->calibrate.suspect,
	};
	error_now(c, status);
}

void
tl_calibrator_free(struct tl_calibrator *c)
{
	struct tl_calibrator **link;

	if (!c)
		return;
	tl_keeper_leave(&c->keeper);
	for (link = &c->ticker->first; *link != c; link = &(*link)->next)
		continue;
	*link = c->next;
	if (!c->ticker->first) {
		ev_timer_stop(c->ticker->loop, &c->ticker->timer);
		if (c->ticker->set_fd >= 0) {
			ev_io_stop(c->ticker->loop, &c->ticker->set);
			close(c->ticker->set_fd);
		}
		free(c->ticker);
		the_ticker = NULL;
	}
	free(c);
}
