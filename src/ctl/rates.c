/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rates.c - the rows of top, found by the id of their message, and its rounds
 */
#include "base/array.h"
#include "ctl/view.h"

#include "snap/snap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == messages == */

const char *const tl_tally_keys[TL_TALLY_KEYS] = { [TL_TALLY_RATE] = "rate",
	[TL_TALLY_TOTAL] = "total",
	[TL_TALLY_PRIORITY] = "priority",
	[TL_TALLY_NAME] = "name" };

static void
row_free(struct tl_tally_row *row)
{
	free((void *)(uintptr_t)row->category.data);
	free((void *)(uintptr_t)row->line.data);
	free(row->before);
	free(row);
}

void
tl_tally_free(struct tl_tally *tally)
{
	for (size_t i = 0; i < tally->count; i++)
		row_free(tally->by_id[i]);
	free(tally->rows);
	free(tally->by_id);
	tl_table_free(&tally->table);
	*tally = (struct tl_tally){ 0 };
}

static struct tl_tally_row *
find(const struct tl_tally *tally, uint32_t id)
{
	struct tl_probe probe =
	    tl_table_probe(&tally->table, tl_hash_number(id));
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (tally->by_id[at]->id == id)
			return tally->by_id[at];
	return NULL;
}

/* A copy; data is NULL without memory. */
static struct tl_bytes
keep(struct tl_bytes bytes)
{
	char *copy = malloc(bytes.size + 1);

	if (copy && bytes.size > 0)
		memcpy(copy, bytes.data, bytes.size);
	return tl_bytes(copy, bytes.size);
}

static int
add(struct tl_tally *t, const struct tl_message *message,
    struct tl_tally_row **added)
{
	struct tl_tally_row *row;

	if (TL_ARRAY_ROOM(t->rows, t->capacity, t->count) < 0 ||
	    TL_ARRAY_ROOM(t->by_id, t->by_id_capacity, t->count) < 0 ||
	    !(row = calloc(1, sizeof(*row))))
		return -ENOMEM;
	row->id = message->id;
	row->level = message->level;
	row->category = keep(message->category);
	row->line = keep(message->line1);
	if (!row->category.data || !row->line.data ||
	    tl_table_add(&t->table, tl_hash_number(row->id), t->count) < 0) {
		row_free(row);
		return -ENOMEM;
	}
	t->by_id[t->count] = t->rows[t->count] = row;
	t->count++;
	*added = row;
	return 0;
}

int
tl_tally_put(struct tl_tally *tally, const struct tl_event *event)
{
	struct tl_tally_row *row = find(tally, event->message->id);
	int rc;

	tally->seen++;
	if (!row && tally->count == TL_TALLY_MAX)
		return 0;
	if (!row && (rc = add(tally, event->message, &row)) != 0)
		return rc;
	row->seen++;
	return 0;
}

void
tl_tally_end_round(struct tl_tally *tally, double seconds, uint64_t fresh)
{
	const double scale = tally->seen > 0 && fresh > tally->seen
				 ? (double)fresh / (double)tally->seen
				 : 1;

	for (size_t i = 0; i < tally->count; i++) {
		struct tl_tally_row *row = tally->rows[i];
		const double count = (double)row->seen * scale;

		row->rate = seconds > 0 ? count / seconds : 0;
		row->total += count;
		row->seen = 0;
	}
	tally->seen = 0;
}

static int
compare_bytes(struct tl_bytes a, struct tl_bytes b)
{
	const size_t size = a.size < b.size ? a.size : b.size;
	const int order = memcmp(a.data, b.data, size);

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int
by_name(const void *a, const void *b)
{
	const struct tl_tally_row *const *x = a, *const *y = b;
	int order = compare_bytes((*x)->category, (*y)->category);

	if (order == 0)
		order = compare_bytes((*x)->line, (*y)->line);
	return order ? order : ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static int
by_rate(const void *a, const void *b)
{
	const struct tl_tally_row *const *x = a, *const *y = b;

	if ((*x)->rate != (*y)->rate)
		return (*x)->rate < (*y)->rate ? 1 : -1;
	return by_name(a, b);
}

static int
by_total(const void *a, const void *b)
{
	const struct tl_tally_row *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total < (*y)->total ? 1 : -1;
	return by_name(a, b);
}

static int
by_priority(const void *a, const void *b)
{
	const struct tl_tally_row *const *x = a, *const *y = b;

	if ((*x)->level != (*y)->level)
		return (*x)->level < (*y)->level ? 1 : -1;
	return by_rate(a, b);
}

void
tl_tally_sort(struct tl_tally *tally, enum tl_tally_key key)
{
	static int (*const orders[TL_TALLY_KEYS])(const void *,
	    const void *) = { [TL_TALLY_RATE] = by_rate,
		[TL_TALLY_TOTAL] = by_total,
		[TL_TALLY_PRIORITY] = by_priority,
		[TL_TALLY_NAME] = by_name };

	if (tally->count > 0)
		qsort(tally->rows, tally->count, sizeof(tally->rows[0]),
		    orders[key]);
}

/* == rounds == */

/* Inspect the timeline again.  Its geometry never changes, unless it is no
 * timeline any more. */
static int
update_view(struct tl_sample *s, struct tl_call *call)
{
	int rc = tl_view_update(&s->view, true);

	if (rc != 0)
		return tl_call_fault(call, s->name.shown, rc, &s->view.fault);
	if (s->heads && s->view.inspection.lane_count != s->lane_count)
		return tl_call_fail(call, s->name.shown, -EBADMSG,
		    "its geometry changed");
	return 0;
}

static void
keep_heads(struct tl_sample *s)
{
	for (size_t i = 0; i < s->lane_count; i++)
		s->heads[i] = s->view.inspection.lanes[i].head;
	s->dropped = s->view.inspection.dropped;
}

static int
follow(struct tl_sample *s, struct tl_call *call, uint64_t tail)
{
	struct tl_fault fault = { 0 };
	int rc;

	tl_cursor_close(s->cursor);
	s->cursor = NULL;
	rc = tl_follow_open_fd(&s->cursor, s->view.fd, tail, &fault);
	return rc == 0 ? 0 : tl_call_fault(call, s->name.shown, rc, &fault);
}

/* Add the row of a new timer.  1; 0: its message is damaged; -errno.  A copy of
 * the timeline is opened for the first new timer of a round. */
static int
add_timer(struct tl_sample *s, uint64_t id, struct tl_snap **snap,
    struct tl_tally_row **row)
{
	struct tl_fault fault;
	int rc = *snap ? 0 : tl_snap_open_fd(snap, s->view.fd, 1, &fault);

	for (size_t i = 0; rc == 0 && i < tl_snap_message_count(*snap); i++) {
		const struct tl_message *message = tl_snap_message(*snap, i);

		if (message->id == id)
			rc = add(&s->timers, message, row) < 0 ? -ENOMEM : 1;
	}
	if (rc > 0 && !((*row)->before = calloc(1, sizeof(*(*row)->before))))
		rc = -ENOMEM;
	return rc;
}

static int
read_timers(struct tl_sample *s, struct tl_call *call)
{
	struct tl_timer *timers = calloc(2, sizeof(*timers));
	struct tl_snap *snap = NULL;
	int rc = timers ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc >= 0 && i < TL_SAMPLE_TIMERS_MAX; i++) {
		struct tl_tally_row *row;
		uint64_t id;

		rc = tl_timer_read(&timers[0], s->view.fd,
		    &s->view.inspection.header, i);
		if (rc <= 0)
			break;
		id = timers[0].fixed.record;
		row = id > UINT32_MAX ? NULL : find(&s->timers, (uint32_t)id);
		rc = row ? 1 : add_timer(s, id, &snap, &row);
		if (rc > 0) {
			/* The counts of a timer only grow, so the difference is
			 * the count of this round. */
			struct tl_timer *now = &timers[0];

			timers[1] = *now;
			tl_timer_since(now, row->before);
			row->seen = now->count;
			row->p50_ns = tl_timer_ns(now, tl_timer_at(now, 50));
			row->p99_ns = tl_timer_ns(now, tl_timer_at(now, 99));
			row->max_ns =
			    now->count > 0 ? tl_timer_ns(now, now->max) : 0;
			*row->before = timers[1];
		}
	}
	if (snap)
		tl_snap_close(snap);
	free(timers);
	return rc < 0 ? tl_call_fail(call, s->name.shown, rc,
			    "its timers cannot be read")
		      : 0;
}

int
tl_sample_open(struct tl_sample *s, struct tl_call *call,
    const struct tl_name *name)
{
	int rc;

	*s = (struct tl_sample){ .name = *name };
	s->view.fd = tl_call_open(call, name);
	if (s->view.fd < 0)
		return s->view.fd;
	if ((rc = update_view(s, call)) != 0)
		return rc;
	s->lane_count = s->view.inspection.lane_count;
	s->heads = calloc(s->lane_count, sizeof(*s->heads));
	if (!s->heads)
		return -ENOMEM;
	keep_heads(s);
	if ((rc = read_timers(s, call)) != 0)
		return rc;
	for (size_t i = 0; i < s->timers.count; i++)
		/* spans before the first round do not count */
		s->timers.by_id[i]->seen = 0;
	return follow(s, call, 0);
}

/* Count the entries of this round, without older ones. */
static int
count(struct tl_sample *s)
{
	struct tl_event event;
	int rc = 0;

	for (int i = 0; i < 2 * TL_SAMPLE_MAX; i++) {
		rc = tl_cursor_next(s->cursor, &event);
		if (rc <= 0)
			break;
		if (event.kind == TL_LOST || event.paired ||
		    event.lane >= s->lane_count ||
		    event.number < s->heads[event.lane])
			continue;
		if ((rc = tl_tally_put(&s->tally, &event)) != 0)
			break;
	}
	return rc < 0 ? rc : 0;
}

int
tl_sample_round(struct tl_sample *s, struct tl_call *call)
{
	uint64_t seen, busy = 0;
	int rc = update_view(s, call);

	if (rc != 0)
		return rc;
	/* Lanes that are busy share the entries that are read in a round. */
	for (size_t i = 0; i < s->lane_count; i++)
		busy += s->view.inspection.lanes[i].head > s->heads[i];
	if (s->view.fresh > TL_SAMPLE_MAX)
		rc = follow(s, call,
		    busy < TL_SAMPLE_MAX ? TL_SAMPLE_MAX / (busy ? busy : 1)
					 : 1);
	if (rc != 0 || (rc = read_timers(s, call)) != 0)
		return rc;
	rc = count(s);
	if (rc == -EPIPE || (rc == 0 && s->view.status.st_nlink == 0))
		return tl_call_removed(call, &s->name) == 0 ? -EPIPE : -ENOENT;
	if (rc != 0)
		return tl_call_fail(call, s->name.shown, rc,
		    "following it failed");
	seen = s->tally.seen;
	s->share =
	    s->view.fresh > seen ? (double)seen / (double)s->view.fresh : 1;
	tl_tally_end_round(&s->tally, (double)s->view.round_ns / 1e9,
	    s->view.fresh);
	tl_tally_end_round(&s->timers, (double)s->view.round_ns / 1e9, 0);
	s->lost = s->view.inspection.dropped > s->dropped
		      ? s->view.inspection.dropped - s->dropped
		      : 0;
	keep_heads(s);
	return 0;
}

void
tl_sample_close(struct tl_sample *s)
{
	tl_cursor_close(s->cursor);
	tl_tally_free(&s->tally);
	tl_tally_free(&s->timers);
	tl_view_free(&s->view);
	free(s->heads);
}
