/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the loop of timeline-ship run: find timelines, send blocks, take
 * acknowledgements
 */
#include "base/file.h"
#include "base/ns.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ship/run.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
	SCAN_MS = 250, /* for timelines */
	SHOW_MS = 200,
	IDLE_MS = 100, /* longest sleep of the loop */
	WAIT_MS = 20,
	TURN_BLOCKS = 64, /* sent before acknowledgements are read */
	AGAIN_MS_MIN = 100,
	AGAIN_MS_MAX = 5000,
	REPORT_MS = 60000 /* between two reports of one outage */
};

struct run {
	const struct tl_run_options *options;
	struct tl_spool *spool;
	struct tl_target *target;
	struct tl_ship_sources *sources;
	int wake; /* an eventfd: there is a block */
	struct tl_run_result result;
	uint64_t in_flight;
	uint64_t acked;
	bool moved; /* a block was sent or acked in this turn */
	bool disconnected;
	int64_t again_ms; /* next pause before a retry */
	/* CLOCK_MONOTONIC */
	int64_t begun_ns;
	int64_t retry_ns; /* send nothing before */
	int64_t scan_ns;
	int64_t show_ns;
	int64_t report_ns; /* report again that it is disconnected */
	bool on_terminal;  /* standard error: show progress */
	bool shown;
};

static int64_t
now(void)
{
	return tl_clock_read(CLOCK_MONOTONIC);
}

static void
wake(void *context)
{
	const struct run *r = context;
	const uint64_t one = 1;

	if (write(r->wake, &one, sizeof(one)) < 0)
		return; /* the counter is full: it is awake */
}

/* == the target == */

static void
acked(void *context, const char *chain, uint64_t number, int rc)
{
	struct run *r = context;

	if (rc < 0)
		return; /* send or wait returns the same error */
	tl_spool_acked(r->spool, chain, number);
	r->in_flight -= r->in_flight > 0;
	r->acked++;
	r->moved = true;
	if (r->disconnected) {
		r->disconnected = false;
		r->again_ms = 0;
		tl_report_write(r->options->report, 0, TL_FAULT_NOWHERE,
		    "the target accepts blocks again");
	}
}

/* Blocks in flight will not arrive: send all of them again after a pause. */
static void
disconnect(struct run *r, int rc, const struct tl_fault *fault)
{
	if (rc == -EPIPE && strcmp(r->options->target.url, "-") == 0)
		r->result.reader_left = true;
	else if (!r->disconnected || now() >= r->report_ns) {
		/* At once, then each minute. */
		r->report_ns = now() + (int64_t)REPORT_MS * TL_NS_PER_MS;
		tl_report_write(r->options->report, rc, TL_FAULT_NOWHERE,
		    "%s; blocks are kept and sent again",
		    fault->text[0] ? fault->text : tl_file_error(rc));
	}
	r->disconnected = true;
	r->in_flight = 0;
	tl_spool_disconnected(r->spool);
	r->again_ms = r->again_ms ? r->again_ms * 2 : AGAIN_MS_MIN;
	if (r->again_ms > AGAIN_MS_MAX)
		r->again_ms = AGAIN_MS_MAX;
	r->retry_ns = now() + r->again_ms * TL_NS_PER_MS;
}

/* Send one block: 0; -EAGAIN: none now; -errno. */
static int
send_one(struct run *r)
{
	struct tl_fault fault = { 0 };
	struct tl_block block;
	int rc = tl_spool_take(r->spool, &block);

	if (rc == 0) {
		rc = r->target->send(r->target, &block, &fault);
		if (rc == -EMSGSIZE && r->target->size_max > 0 &&
		    block.data.size > r->target->size_max) {
			if (r->result.refused++ == 0)
				tl_report_write(r->options->report, -EMSGSIZE,
				    TL_FAULT_NOWHERE,
				    "%s: block of %zu bytes exceeds the limit "
				    "of the target (%zu): it is thinned, or "
				    "dropped and counted; use a smaller "
				    "--block-size",
				    block.timeline, block.data.size,
				    r->target->size_max);
			tl_spool_reject(r->spool);
			r->moved = true;
			return 0;
		}
		tl_spool_give(r->spool, rc);
	}
	if (rc < 0 && rc != -EAGAIN)
		disconnect(r, rc, &fault);
	if (rc == 0) {
		r->in_flight++;
		r->moved = true;
	}
	return rc;
}

/* Send waiting blocks, take acknowledgements. */
static void
pump(struct run *r)
{
	struct tl_fault fault = { 0 };
	int rc = 0;

	r->moved = false;
	if (r->result.reader_left || now() < r->retry_ns)
		return;
	for (int i = 0; rc == 0 && i < TURN_BLOCKS; i++)
		rc = send_one(r);
	if (rc < 0 && rc != -EAGAIN)
		return;
	rc = r->target->wait(r->target, r->moved ? 0 : WAIT_MS, &fault);
	if (rc < 0)
		disconnect(r, rc, &fault);
}

/* == progress == */

static void
update_result(struct run *r)
{
	tl_spool_status(r->spool, &r->result.spool);
	tl_ship_sources_status(r->sources, &r->result.sources);
	r->result.lasted_ns = now() - r->begun_ns;
}

/* == the loop == */

static void
wait_for_blocks(const struct run *r, int timeout_ms)
{
	struct pollfd ready = { .fd = r->wake, .events = POLLIN };
	uint64_t count;

	if (poll(&ready, 1, timeout_ms) > 0 &&
	    read(r->wake, &count, sizeof(count)) < 0)
		return; /* read already */
}

static bool
is_over(const struct run *r)
{
	const struct tl_run_options *o = r->options;

	return r->result.reader_left || *o->stop != 0 ||
	       (o->for_ns > 0 && now() - r->begun_ns >= o->for_ns);
}

static void
turn(struct run *r)
{
	struct tl_text text = { 0 };

	pump(r);
	if (r->on_terminal && now() >= r->show_ns) {
		r->show_ns = now() + SHOW_MS * TL_NS_PER_MS;
		update_result(r);
		tl_put_string(&text, "\r\033[K");
		tl_run_line(&text, &r->result, r->disconnected);
		if (text.rc == 0)
			(void)tl_write_all(STDERR_FILENO, text.data, text.size);
		tl_text_free(&text);
		r->shown = true;
	}

	if (!r->moved && !r->target->is_busy) {
		/* Sleep until there is a block or a retry is due. */
		const int64_t left_ms =
		    (r->retry_ns - now()) / TL_NS_PER_MS + 1;

		if (r->disconnected && left_ms > 0)
			(void)poll(NULL, 0,
			    left_ms < IDLE_MS ? (int)left_ms : IDLE_MS);
		else
			wait_for_blocks(r, IDLE_MS);
	}
}

static void
look(struct run *r)
{
	tl_ship_sources_scan(r->sources);
	r->scan_ns = now() + SCAN_MS * TL_NS_PER_MS;
}

/* Are all blocks of the spool in flight? */
static bool
is_empty(struct run *r)
{
	struct tl_spool_status status;

	tl_spool_status(r->spool, &status);
	return status.blocks <= r->in_flight;
}

static bool
may_linger(const struct run *r, int64_t until_ns)
{
	return !r->result.reader_left && now() < until_ns;
}

/* Send what was logged before the end, for linger_ns at most. */
static void
linger(struct run *r)
{
	const int64_t until_ns = now() + r->options->linger_ns;
	struct tl_fault fault;

	tl_ship_sources_stop(r->sources);
	do {
		while (may_linger(r, until_ns) &&
		       !(tl_ship_sources_are_done(r->sources) && is_empty(r)))
			turn(r);
		/* Each ends soon: its feed was stopped. */
		while (!tl_ship_sources_are_done(r->sources))
			wait_for_blocks(r, WAIT_MS);
		/* Wait for the blocks in flight.  A target that was
		 * disconnected remains so until it acknowledges a block. */
		fault = (struct tl_fault){ 0 };
		if ((r->in_flight > 0 || !r->disconnected) &&
		    r->target->finish(r->target, &fault) < 0)
			disconnect(r, fault.rc, &fault);
		while (r->in_flight > 0 && now() < until_ns)
			turn(r);
	} while (r->disconnected && !is_empty(r) && may_linger(r, until_ns));
}

static int
open_all(struct run *r, struct tl_fault *fault)
{
	const struct tl_run_options *o = r->options;
	const struct tl_spool_options options = { .path = o->spool,
		.size_max = o->spool_size,
		.report = o->report,
		.wake = wake,
		.context = r };
	struct tl_fault why = { 0 };
	int rc;

	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake < 0)
		return tl_fail(fault, -errno, "%s", strerror(errno));
	rc = tl_spool_open(&r->spool, &options, &why);
	if (rc < 0)
		return tl_fail(fault, rc, "%s%s%s", o->spool ? o->spool : "",
		    o->spool ? ": " : "", why.text);
	if ((rc = tl_target_open(&r->target, &o->target, fault)) < 0)
		return rc;
	r->target->acked = acked;
	r->target->context = r;
	rc = tl_ship_sources_new(&r->sources, r->spool, o->timelines,
	    o->timeline_count, &o->chain);
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}

int
tl_run(const struct tl_run_options *options, struct tl_run_result *result,
    struct tl_fault *fault)
{
	struct run r = { .options = options, .wake = -1, .begun_ns = now() };
	const int rc = open_all(&r, fault);

	r.on_terminal = !options->quiet && isatty(STDERR_FILENO) == 1;
	if (rc == 0 && r.target->unreachable.rc < 0)
		disconnect(&r, r.target->unreachable.rc,
		    &r.target->unreachable);
	if (rc == 0) {
		for (look(&r); !is_over(&r); turn(&r))
			if (now() >= r.scan_ns)
				look(&r);
		linger(&r);
		update_result(&r);
		if (r.shown)
			(void)tl_write_all(STDERR_FILENO, "\r\033[K", 4);
		r.result.failed = r.result.spool.blocks > 0 &&
				  !r.options->spool && !r.result.reader_left;
		*result = r.result;
	}
	tl_ship_sources_free(r.sources);
	tl_target_free(r.target);
	tl_spool_free(r.spool);
	if (r.wake >= 0)
		close(r.wake);
	return rc;
}
