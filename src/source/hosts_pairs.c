/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts_pairs.c - bound the differences of clocks by messages between hosts.
 *
 *	UTC --+- what each kernel says -- host --- least delay --- host
 *
 * Every difference has its narrowest interval.  One host is the reference, and
 * the middle of its interval is added to the times of each other host.  The
 * correction is constant for a source: drift is not considered.
 */
#include "source/hosts.h"

#include "base/text.h"
#include "clock/clock.h"

#include <errno.h>
#include <string.h>

struct pairing {
	struct tl_hosts *hosts;
	const struct tl_report *report;
	struct tl_pairs *pairs;
	struct tl_bounds *bounds; /* of offsets; the last one is UTC, 0 */
};

/* == messages between hosts == */

/* Read all events.  Damage is reported when they are read again to be shown. */
static int
read_pairs(struct pairing *p, struct tl_cursor *cursor, size_t count)
{
	struct tl_event event;
	int rc = 0;

	for (size_t failed = 0; failed <= count;) {
		rc = tl_cursor_next(cursor, &event);
		if (rc == 0 || rc == -ENOMEM)
			break;
		if (rc < 0) {
			failed++;
			continue;
		}
		rc = tl_pairs_put(p->pairs, &event,
		    p->hosts->of_source[event.source]);
		if (rc < 0)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* == bounds == */

/* A time as text: sign, number, unit. */
static const char *
put_offset(struct tl_text *text, int64_t ns)
{
	tl_text_clear(text);
	if (ns >= 0)
		tl_put_char(text, '+');
	tl_put_duration(text, ns);
	return tl_text_string(text);
}

static void
state_bounds(struct pairing *p)
{
	int64_t by;

	for (size_t i = 0; i < p->hosts->count; i++) {
		const struct tl_host *host = &p->hosts->list[i];
		const int64_t ns = (int64_t)host->stated_us * 1000;

		if (host->stated_us != TL_SYNC_UNBOUNDED)
			(void)tl_bounds_add(p->bounds, p->hosts->count, i,
			    (struct tl_range){ -ns, ns }, &by);
	}
}

static void
say_contradiction(struct pairing *p, size_t a, size_t b, int64_t by)
{
	struct tl_text text = { 0 };

	tl_put_duration(&text, by);
	tl_report_write(p->report, 0, TL_FAULT_NOWHERE,
	    "%s and %s: their pairs contradict what else is known by %s, and "
	    "are left out",
	    p->hosts->list[a].name, p->hosts->list[b].name,
	    tl_text_string(&text));
	tl_text_free(&text);
}

/* Add the bounds from messages between two hosts. */
static void
bound_two(struct pairing *p, size_t a, size_t b)
{
	struct tl_range range = { INT64_MIN, INT64_MAX };
	int64_t delay_ns, by;
	const uint64_t there = tl_pairs_delay(p->pairs, a, b, &delay_ns);
	uint64_t back;

	if (there > 0)
		range.least = delay_ns == INT64_MIN ? INT64_MAX : -delay_ns;
	back = tl_pairs_delay(p->pairs, b, a, &delay_ns);
	if (back > 0)
		range.most = delay_ns;
	if (there + back == 0)
		return;
	if (tl_bounds_add(p->bounds, a, b, range, &by) < 0) {
		say_contradiction(p, a, b, by);
		return;
	}
	p->hosts->list[a].pairs += there + back;
	p->hosts->list[b].pairs += there + back;
}

/* The best synchronised host with pairs; SIZE_MAX: none. */
static size_t
choose_reference(const struct tl_hosts *hosts)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < hosts->count; i++) {
		if (hosts->list[i].pairs > 0 &&
		    (best == SIZE_MAX ||
			hosts->list[i].stated_us < hosts->list[best].stated_us))
			best = i;
	}
	return best;
}

/* Half the width of a range in microseconds, rounded up. */
static uint32_t
half_us(struct tl_range range)
{
	const uint64_t ns = (uint64_t)range.most - (uint64_t)range.least;
	const uint64_t us = ns / 2000 + (ns % 2000 > 0);

	return us < TL_SYNC_UNBOUNDED ? (uint32_t)us : TL_SYNC_UNBOUNDED;
}

/* The middle of a range; the end nearest to 0 if it has one bound only. */
static int64_t
middle_of(struct tl_range range)
{
	if (range.least == INT64_MIN || range.most == INT64_MAX) {
		if (range.least > 0)
			return range.least;
		return range.most < 0 ? range.most : 0;
	}
	return range.least +
	       (int64_t)(((uint64_t)range.most - (uint64_t)range.least) / 2);
}

static void
fix_host(struct pairing *p, size_t reference, size_t i)
{
	struct tl_host *host = &p->hosts->list[i];

	host->may = (struct tl_range){ 0, 0 };
	if (i != reference)
		host->may = tl_bounds_of(p->bounds, reference, i);
	host->is_fixed = true;
	host->is_reference = i == reference;
	host->sync_us = TL_SYNC_UNBOUNDED;
	if (host->may.least != INT64_MIN && host->may.most != INT64_MAX)
		host->sync_us = half_us(host->may);
	host->offset_ns = tl_add_ns(host->offset_ns, middle_of(host->may));
}

/* == reports == */

/* Append "+-1.5ms", or that there is no bound. */
static void
put_bound(struct tl_text *text, uint32_t sync_us)
{
	if (sync_us == TL_SYNC_UNBOUNDED) {
		tl_put_string(text, "without a bound");
		return;
	}
	tl_put_string(text, "+-");
	tl_put_duration(text, (int64_t)sync_us * 1000);
}

static void
say_host(struct pairing *p, const struct tl_host *host)
{
	struct tl_text text = { 0 }, number = { 0 };

	tl_put_string(&text, put_offset(&number, middle_of(host->may)));
	tl_put_char(&text, ' ');
	put_bound(&text, host->sync_us);
	tl_put_string(&text, " (was ");
	put_bound(&text, host->stated_us);
	tl_put_string(&text, ") from ");
	tl_put_unsigned(&text, host->pairs);
	tl_put_string(&text, host->pairs == 1 ? " pair" : " pairs");
	tl_report_write(p->report, 0, TL_FAULT_NOWHERE, "%s: %s", host->name,
	    host->is_reference ? "the clock that others are compared with"
			       : tl_text_string(&text));
	tl_text_free(&text);
	tl_text_free(&number);
}

static void
say_counts(struct pairing *p)
{
	const struct tl_pairs_counts *c = &p->hosts->counts;

	if (c->paired == 0)
		tl_report_write(p->report, 0, TL_FAULT_NOWHERE,
		    "no pair of two hosts was found: %lu of one host, %lu "
		    "without the other side",
		    c->same_clock, c->alone);
	if (c->again > 0)
		tl_report_write(p->report, 0, TL_FAULT_NOWHERE,
		    "%lu messages of pairs named a value again, and were "
		    "left out",
		    c->again);
	if (c->over > 0)
		tl_report_write(p->report, 0, TL_FAULT_NOWHERE,
		    "more than %d values of pairs: %lu messages were left out",
		    TL_PAIRS_MAX, c->over);
}

static void
tighten(struct pairing *p)
{
	struct tl_hosts *hosts = p->hosts;
	size_t reference;

	state_bounds(p);
	for (size_t a = 0; a < hosts->count; a++) {
		for (size_t b = a + 1; b < hosts->count; b++)
			bound_two(p, a, b);
	}
	reference = choose_reference(hosts);
	for (size_t i = 0; reference != SIZE_MAX && i < hosts->count; i++) {
		fix_host(p, reference, i);
		if (hosts->list[i].pairs > 0)
			say_host(p, &hosts->list[i]);
	}
}

int
tl_hosts_pair(struct tl_hosts *hosts, struct tl_cursor *cursor, size_t count,
    const struct tl_hosts_plan *plan, const struct tl_report *report)
{
	struct pairing p = { .hosts = hosts, .report = report };
	int rc;

	if (hosts->count >= TL_BOUNDS_MAX) {
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "more than %d hosts: no pairs are looked for",
		    TL_BOUNDS_MAX - 1);
		return 0;
	}
	rc = tl_bounds_new(&p.bounds, hosts->count + 1);
	if (rc < 0)
		return rc;
	rc =
	    tl_pairs_new(&p.pairs, plan->pairs, plan->pair_count, hosts->count);
	if (rc == 0)
		rc = read_pairs(&p, cursor, count);
	if (rc == 0) {
		hosts->are_paired = true;
		hosts->counts = tl_pairs_counts(p.pairs);
		tighten(&p);
		say_counts(&p);
	}
	tl_pairs_free(p.pairs);
	tl_bounds_free(p.bounds);
	return rc;
}
