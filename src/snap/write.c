/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - write a snapshot made of events.
 */
#include "snap/write.h"

#include "base/array.h"
#include "clock/clock.h"
#include "event/names.h"
#include "event/observe.h"
#include "event/reader.h"
#include "event/sorter.h"
#include "event/writer.h"
#include "ring/ring.h"
#include "snap/snap.h"
#include "snap/timers.h"
#include "snap/write_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == clock == */

/* The highest bit of a stamp that counts from the least int64_t. */
#define BIAS ((uint64_t)1 << 63)

struct clock {
	struct timeline_knot knots[TIMELINE_KNOTS_MAX]; /* by slot */
	uint32_t knots_max;                             /* slots */
};

static uint64_t
bias_of(int64_t oldest_ns)
{
	return oldest_ns < 0 ? BIAS : 0;
}

/* The knots of a longer line, apart from its ends. */
static const int64_t joints_ns[] = { -(INT64_C(1) << 62), 0, INT64_C(1) << 62,
	INT64_MAX - 1 };

enum { JOINTS = TL_COUNT(joints_ns) };

/* Can all knots in the ring of the snapshot be trusted? */
static bool
is_unbroken(const struct tl_snap *snap, size_t count)
{
	const struct timeline_header *h = tl_snap_header(snap);
	const uint64_t ever = h->knot_count;
	const uint64_t kept = ever < h->knots_max ? ever : h->knots_max;

	for (size_t i = 0; i < count; i++) {
		if (tl_snap_knot(snap, i)->seq != ever - count + i + 1)
			return false;
	}
	/* the oldest knot may just have been replaced */
	return count == kept || (kept == h->knots_max && count + 1 == kept);
}

/* Copy the knots of a snapshot.  The header already has the clock of the
 * snapshot. */
static void
copy_clock(struct clock *clock, const struct tl_snap *snap,
    struct timeline_header *header)
{
	size_t count = tl_snap_knot_count(snap);
	bool unbroken;

	/* the newest point is in the header, and is no knot yet */
	if (count > 0 && tl_snap_knot(snap, count - 1)->seq == 0)
		count--;
	unbroken = is_unbroken(snap, count);
	memset(clock, 0, sizeof(*clock));
	clock->knots_max = unbroken ? header->knots_max : TIMELINE_KNOTS_MAX;
	if (!unbroken)
		header->knot_count = count;
	for (size_t i = 0; i < count; i++) {
		struct timeline_knot knot = *tl_snap_knot(snap, i);

		if (!unbroken)
			knot.seq = i + 1;
		clock->knots[(knot.seq - 1) % clock->knots_max] = knot;
	}
	if (header->knot_count < clock->knots_max)
		clock->knots_max =
		    header->knot_count > 0 ? (uint32_t)header->knot_count : 1;
}

/*
 * Make a clock whose stamps are Unix time from oldest to newest ns.  If oldest
 * is before 1970, stamps count from the least int64_t.  error_ns bounds the
 * error of each time.
 */
static void
make_clock(struct clock *clock, int64_t oldest_ns, int64_t newest_ns,
    uint32_t error_ns, struct timeline_header *header)
{
	const uint64_t bias = bias_of(oldest_ns);
	const int64_t end_ns = tl_add_ns(newest_ns, 1);
	struct timeline_knot knot = { .utc_ns = oldest_ns,
		.mult = TL_MULT_ONE,
		.est_err_ns = error_ns,
		.max_err_ns = error_ns,
		.flags = TIMELINE_KNOT_FIRST };
	uint64_t count = 0;

	memset(clock, 0, sizeof(*clock));
	for (size_t i = 0; i <= JOINTS; i++) {
		knot.tsc = (uint64_t)knot.utc_ns ^ bias;
		knot.seq = count + 1;
		clock->knots[count++] = knot;
		knot.flags = 0;
		while (i < JOINTS &&
		       (joints_ns[i] <= oldest_ns || joints_ns[i] >= end_ns))
			i++;
		if (i < JOINTS)
			knot.utc_ns = joints_ns[i];
	}
	clock->knots_max = (uint32_t)count;
	header->knot_count = count;
	header->clock_kind = TIMELINE_CLOCK_REALTIME;
	header->rate_source = TL_RATE_EXACT;
	header->clock =
	    (struct timeline_clock_tail){ .tsc = (uint64_t)end_ns ^ bias,
		    .utc_ns = end_ns,
		    .mult = TL_MULT_ONE,
		    .est_err_ns = error_ns,
		    .max_err_ns = error_ns };
}

/* Choose, among several timelines with one clock, the timeline that converts
 * the stamps from oldest to newest with the least error; of equal ones the
 * timeline that was measured last. */
static const struct tl_snap *
choose_clock(const struct tl_snap *const *snaps, size_t count,
    const struct tl_event *oldest, const struct tl_event *newest)
{
	const struct tl_snap *best = NULL;
	uint32_t least = 0;

	for (size_t i = 0; i < count; i++) {
		const struct timeline_clock_tail *p =
		    &tl_snap_header(snaps[i])->clock;
		const struct timeline_clock_tail *q =
		    best ? &tl_snap_header(best)->clock : p;
		const bool is_newer = p->epoch != q->epoch ? p->epoch > q->epoch
							   : p->tsc > q->tsc;
		uint32_t worst, last;

		tl_snap_time(snaps[i], oldest->epoch, oldest->tsc, &worst);
		tl_snap_time(snaps[i], newest->epoch, newest->tsc, &last);
		if (last > worst)
			worst = last;
		if (best && (worst > least || (worst == least && !is_newer)))
			continue;
		best = snaps[i];
		least = worst;
	}
	return best;
}

/* == file == */

/* Starts from all zeros.  The caller then sets store, lanes and table. */
struct file {
	struct timeline_header header;
	struct tl_timeline_lanes lanes;
	struct tl_timeline_table table;
	struct clock clock;
	struct tl_names names;
	const struct tl_snap *timers; /* its timers are kept; NULL: none */
	struct tl_store *store;       /* the events; their ns is their number */
	struct tl_store *placed; /* sorted by place in the file, if needed */
	uint64_t flip;           /* bits to invert in every stamp */
	/* number of strings that are missing and got another number */
	uint64_t renamed;
	struct tl_out *out;
	uint64_t at; /* bytes written */
};

enum {
	STORE_MEMORY = 16 << 20, /* memory of each sorter */
	ZEROS = 4096             /* number of zeros written at a time */
};

static bool
is_string(const struct tl_message *message, unsigned i)
{
	return message->args[i].format == TIMELINE_ARG_STRING;
}

static uint64_t
to_page(uint64_t at)
{
	return (at + TIMELINE_PAGE_SIZE - 1) &
	       ~(uint64_t)(TIMELINE_PAGE_SIZE - 1);
}

/* Place the timers behind the strings, each with one histogram. */
static void
place_timers(struct file *f, uint64_t end)
{
	struct timeline_header *h = &f->header;
	const uint32_t count = f->timers ? tl_snap_timer_count(f->timers) : 0;

	h->compat = count > 0 ? TIMELINE_COMPAT_TIMERS : 0;
	h->timers_max = count;
	h->timer_rows = count > 0;
	h->timers_offset = count > 0 ? to_page(end) : 0;
	h->total_size =
	    count > 0 ? timeline_histogram_offset(h, count, 0) : end;
}

/* Place all regions of the file. */
static void
place_regions(struct file *f)
{
	struct timeline_header *h = &f->header;
	const uint64_t lanes = (uint64_t)h->cpu_lanes + h->fallback_lanes;
	const uint64_t step = 4 * TIMELINE_NAMES_SET; /* of slots for names */
	uint64_t end = TIMELINE_HEADER_SIZE;

	h->heads_offset = end;
	end += lanes * h->tiers * TIMELINE_HEAD_SIZE;
	memset(h->entries_offset, 0, sizeof(h->entries_offset));
	for (uint32_t tier = 0; tier < h->tiers; tier++) {
		h->entries_offset[tier] = to_page(end);
		end = h->entries_offset[tier] +
		      timeline_tier_slots(h, tier) * TIMELINE_ENTRY_SIZE;
	}
	h->knots_max = f->clock.knots_max;
	h->knots_offset = to_page(end);
	end = h->knots_offset + h->knots_max * TIMELINE_KNOT_SIZE;
	h->names_max = (f->names.count + step - 1) / step * step;
	if (h->names_max > TIMELINE_NAMES_MAX)
		h->names_max = TIMELINE_NAMES_MAX;
	h->names_put = h->names_max;
	h->names_offset = h->names_max > 0 ? to_page(end) : 0;
	if (h->names_max > 0)
		end = h->names_offset + h->names_max * TIMELINE_NAME_SIZE;
	h->strings_offset = to_page(end);
	h->strings_size = h->strings_tail = f->table.tail;
	h->newest = f->table.newest;
	place_timers(f, h->strings_offset + h->strings_size);
	assert(tl_layout_check(h, NULL) == 0);
}

static int
append(struct file *f, const void *data, size_t size)
{
	f->at += size;
	tl_put_bytes(&f->out->text, tl_bytes(data, size));
	return tl_out_flush_full(f->out);
}

/* Write zeros up to an offset. */
static int
append_zeros(struct file *f, uint64_t to)
{
	static const char zeros[ZEROS];
	int rc = 0;

	assert(to >= f->at);
	while (rc == 0 && f->at < to)
		rc = append(f, zeros,
		    to - f->at < ZEROS ? (size_t)(to - f->at) : ZEROS);
	return rc;
}

/* Take an event, with its lane and number. */
typedef int take_event(struct file *f, struct tl_event *event);

static int
take_from(struct file *f, struct tl_store *store, bool walk, take_event *take)
{
	struct tl_timeline_walk places;
	struct tl_cursor *cursor;
	struct tl_event e;
	int rc = tl_store_cursor(store, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	tl_timeline_walk_start(&places, &f->lanes, &f->header);
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (walk)
			rc = tl_timeline_walk_put(&places, &e, &e.lane,
			    &e.number);
		if (rc >= 0 && e.kind != TL_LOST) {
			/* the CPU of a loss is in the slot before an event */
			const struct timeline_entry entry = {
				.args = { (uint64_t)places.mark + 1 }
			};

			if (places.mark != TL_CPU_UNKNOWN &&
			    (rc = append_zeros(f,
				 timeline_entry_offset(&f->header, e.lane,
				     e.number - 1))) >= 0)
				rc = append(f, &entry, sizeof(entry));
			if (rc >= 0)
				rc = take(f, &e);
		}
		if (rc < 0)
			break;
	}
	tl_cursor_close(cursor);
	return rc;
}

static int
keep_placed(struct file *f, struct tl_event *event)
{
	struct tl_sink *sink = tl_store_sink(f->placed);

	event->ns = (int64_t)timeline_entry_offset(&f->header, event->lane,
	    event->number);
	return sink->put(sink, event);
}

/* Sort the events by their places in the file. */
static int
sort_by_place(struct file *f)
{
	int rc = tl_store_new(&f->placed, STORE_MEMORY);

	if (rc == 0)
		rc = take_from(f, f->store, true, keep_placed);
	if (rc < 0)
		return rc;
	tl_store_free(f->store);
	f->store = NULL;
	return tl_store_sink(f->placed)->finish(tl_store_sink(f->placed));
}

/* The value of an argument in the file. */
static uint64_t
argument(struct file *f, const struct tl_event *event, unsigned i)
{
	uint64_t named = event->args[i];

	/* all messages keep their numbers */
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL &&
	    timeline_is_whole(&f->header))
		return named;
	if (i < event->message->argc && is_string(event->message, i) &&
	    tl_timeline_table_string(&f->table, event->message, event->args[i],
		&named) == -ENOENT)
		f->renamed += named != event->args[i];
	return named;
}

/* What is stored in an end as the stamp of its begin. */
static uint64_t
begun_stamp(const struct file *f, const struct tl_event *end)
{
	const uint64_t stamp = end->begun_tsc ^ f->flip;

	if (end->begun == TL_BEGUN_NONE)
		return TIMELINE_BEGUN_NONE;
	return end->proven ? stamp
			   : timeline_begun_said(end->tsc ^ f->flip, stamp,
				 end->begun == TL_BEGUN_UNSURE);
}

static int
write_entry(struct file *f, struct tl_event *event)
{
	struct timeline_entry entry = { .tsc = event->tsc ^ f->flip,
		.tid = event->tid,
		.pid = event->pid,
		.stamp = timeline_stamp_whole(event->number) };
	int rc = tl_timeline_table_message(&f->table, event->message,
	    tl_record_kind_of(event->kind), &entry.message);

	if (rc < 0 && rc != -ENOSPC)
		return rc;
	if (event->kind == TL_END)
		entry.message |= TIMELINE_MESSAGE_END;
	if (event->bare)
		entry.message |= TIMELINE_MESSAGE_BARE;
	if (event->moved)
		entry.message |= TIMELINE_MESSAGE_MOVED;
	if (event->proven || event->begun)
		entry.message |= TIMELINE_MESSAGE_WHOLE;
	if (timeline_lane_is_fallback(&f->header, event->lane))
		entry.cpu = event->cpu;
	for (unsigned i = 0; i < TIMELINE_ARGS_MAX; i++)
		entry.args[i] = event->known ? 0 : argument(f, event, i);
	if (event->begun)
		entry.args[timeline_begun_word(entry.message)] =
		    begun_stamp(f, event);
	rc = append_zeros(f,
	    timeline_entry_offset(&f->header, event->lane, event->number));
	return rc < 0 ? rc : append(f, &entry, sizeof(entry));
}

/* Write the names without gaps.  Readers check each slot. */
static int
write_names(struct file *f)
{
	const struct timeline_header *h = &f->header;
	int rc = h->names_max > 0 ? append_zeros(f, h->names_offset) : 0;

	for (size_t i = 0; rc == 0 && i < f->names.count && i < h->names_max;
	     i++) {
		const struct tl_named *name = &f->names.list[i];
		struct timeline_name n = { .tid = name->tid, .pid = name->pid };

		memcpy(n.text, name->text,
		    name->size < sizeof(n.text) ? name->size
						: sizeof(n.text) - 1);
		n.sum = timeline_name_sum(&n);
		rc = append(f, &n, sizeof(n));
	}
	return rc < 0 ? rc : append_zeros(f, h->strings_offset);
}

/* Write the strings.  The places of records may extend past the last byte. */
static int
write_strings(struct file *f)
{
	const uint64_t size = f->table.tail < f->table.capacity
				  ? f->table.tail
				  : f->table.capacity;
	int rc = 0;

	for (uint64_t at = 0; at < size && rc == 0; at += ZEROS)
		rc = append(f, f->table.bytes + at,
		    size - at < ZEROS ? (size_t)(size - at) : ZEROS);
	return rc;
}

/* Write the timers, then their histograms. */
static int
write_timers(struct file *f)
{
	const struct timeline_header *h = &f->header;
	struct tl_timer *timer = malloc(sizeof(*timer));
	struct timeline_histogram *sum = malloc(sizeof(*sum));
	int rc = timer && sum ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc >= 0 && i < h->timers_max; i++) {
		if ((rc = tl_snap_timer(timer, f->timers, i)) < 0 ||
		    (rc = append_zeros(f, timeline_timer_offset(h, i))) < 0)
			break;
		rc = append(f, &timer->fixed, sizeof(timer->fixed));
	}
	for (uint32_t i = 0; rc >= 0 && i < h->timers_max; i++) {
		if ((rc = tl_snap_timer(timer, f->timers, i)) < 0 ||
		    (rc = append_zeros(f, timeline_histogram_offset(h, i, 0))) <
			0)
			break;
		tl_timer_histogram(sum, timer);
		rc = append(f, sum, sizeof(*sum));
	}
	free(timer);
	free(sum);
	return rc < 0 ? rc : append_zeros(f, h->total_size);
}

static int
write_file(struct file *f)
{
	const struct timeline_header *h = &f->header;
	struct tl_store *store = f->placed ? f->placed : f->store;
	int rc;

	if ((rc = append(f, h, sizeof(*h))) < 0 ||
	    (rc = append(f, f->lanes.heads,
		 f->lanes.lane_count * sizeof(*f->lanes.heads))) < 0 ||
	    (rc = take_from(f, store, !f->placed, write_entry)) < 0 ||
	    (rc = append_zeros(f, h->knots_offset)) < 0 ||
	    (rc = append(f, f->clock.knots,
		 h->knots_max * sizeof(f->clock.knots[0]))) < 0 ||
	    (rc = write_names(f)) < 0 || (rc = write_strings(f)) < 0)
		return rc;
	return write_timers(f);
}

/* Plan the lanes and place all regions.  The header already has the clock. */
static int
plan_file(struct file *f)
{
	struct tl_timeline_lanes *l = &f->lanes;
	int rc = tl_timeline_lanes_plan(l, f->store, &f->header);

	for (size_t i = 0; i < l->epoch_count && rc == 0; i++)
		rc = tl_timeline_table_epoch(&f->table, l->epochs[i].number,
		    l->epochs[i].heads, l->lane_count);
	l->epochs_full |= rc == -ENOSPC;
	if (rc < 0 && rc != -ENOSPC)
		return rc;
	place_regions(f);
	return l->apart ? sort_by_place(f) : 0;
}

/* == events == */

enum {
	RAW_STAMPS,
	PROOFS,
	ERRORS,
	LANES,
	LOST_CPU,
	LOST_PLACE,
	LOST_CUT,
	ONE_CLOCK,
	BUILTINS,
	TABLE_FULL,
	NO_STRING,
	TEXT,
	EPOCHS
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[RAW_STAMPS] = { -ENOTSUP,
	    "raw stamps are not kept of events that come from other clocks or "
	    "other formats" },
	[PROOFS] = { -ENOTSUP,
	    "the stamp of its begin is left out of an end with four arguments "
	    "or behind a step of the clock" },
	[ERRORS] = { -ENOTSUP,
	    "times have one bound of their error: that of the worst" },
	[LANES] = { -ENOTSUP,
	    "events of several timelines, or out of order, do not keep their "
	    "lanes" },
	[LOST_CPU] = { -ENOTSUP,
	    "losses of several CPUs at one place, and those that are moved, do "
	    "not keep their CPU" },
	[LOST_PLACE] = { -ENOTSUP,
	    "long losses are recorded at the start, not at their place" },
	[LOST_CUT] = { -ERANGE,
	    "of more than 2^62 lost events not all are recorded" },
	[ONE_CLOCK] = { 0, "the clock knots of one timeline tell the times of "
			   "all" },
	[BUILTINS] = { -ENOTSUP,
	    "changes of level are kept as ordinary messages: when bursts ended "
	    "is given in stamps of another clock" },
	[TABLE_FULL] = { -ENOSPC,
	    "messages or strings find no room: too many for one timeline" },
	[NO_STRING] = { -EBADMSG,
	    "the number of a string that is not there is changed" },
	[TEXT] = { -EBADMSG,
	    "a message whose arguments cannot be parsed is written with _ for "
	    "$" },
	[EPOCHS] = { -ENOSPC, "clock epochs find no room: too many for one "
			      "timeline" },
};

struct snapshot_write {
	struct tl_writer writer; /* first: what callers see */
	const struct tl_snap **snaps;
	size_t snap_count;
	bool wall; /* stamps are Unix time */
	bool is_whole;
	struct file file;
	uint64_t count;
	bool any; /* == over all events except losses == */
	struct tl_event oldest;
	struct tl_event newest;
	uint32_t error_min;
	uint32_t error_max;
	struct tl_notes notes;
};

static struct snapshot_write *
write_of(struct tl_writer *writer)
{
	return (struct snapshot_write *)(void *)writer;
}

static int
begin(struct tl_writer *writer)
{
	struct snapshot_write *w = write_of(writer);
	const struct tl_snap *one = w->snap_count == 1 ? w->snaps[0] : NULL;
	const struct timeline_header *h = one ? tl_snap_header(one) : NULL;
	uint64_t kept = h ? h->strings_tail : 0;
	int rc;

	if (h && kept > h->strings_size)
		kept = h->strings_size;

	w->notes.kinds = kinds;
	w->file.out = &writer->out;
	/* do all snapshots have the same clock? */
	w->wall = w->snap_count == 0;
	for (size_t i = 1; i < w->snap_count; i++)
		w->wall |= !tl_snap_same_clock(w->snaps[0], w->snaps[i]);
	if ((rc = tl_timeline_lanes_init(&w->file.lanes, one)) < 0 ||
	    (rc = tl_timeline_table_init(&w->file.table, kept,
		 h ? h->tiers : 1)) < 0 ||
	    (rc = tl_store_new(&w->file.store, STORE_MEMORY)) < 0)
		return rc;
	w->file.table.no_builtins = w->wall;
	/* define all messages of a timeline, logged or not */
	for (size_t i = 0; one && rc == 0 && i < tl_snap_message_count(one);
	     i++) {
		const struct tl_message *message = tl_snap_message(one, i);
		uint32_t offset;

		rc = tl_timeline_table_message(&w->file.table, message,
		    message->kind, &offset);
		if (rc == -ENOSPC) {
			tl_note(&w->notes, TABLE_FULL, TL_FAULT_NOWHERE);
			rc = 0;
		}
	}
	return rc;
}

/* Define the records that an event refers to. */
static int
define(struct snapshot_write *w, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	uint64_t named;
	uint32_t offset;
	int rc = tl_timeline_table_message(&w->file.table, message,
	    tl_record_kind_of(event->kind), &offset);

	for (unsigned i = 0; i <= message->argc; i++) {
		if (rc == -ENOSPC)
			tl_note(&w->notes, TABLE_FULL, TL_FAULT_NOWHERE);
		else if (rc < 0 && rc != -ENOENT)
			return rc;
		rc = 0;
		if (i < message->argc && is_string(message, i))
			rc = tl_timeline_table_string(&w->file.table, message,
			    event->args[i], &named);
	}
	return 0;
}

static void
note_time(struct snapshot_write *w, const struct tl_event *event)
{
	const struct tl_observed_from here = tl_observed_place(event);

	if (!w->any || tl_observed_before(here, tl_observed_place(&w->oldest)))
		w->oldest = *event;
	if (!w->any || tl_observed_before(tl_observed_place(&w->newest), here))
		w->newest = *event;
	if (!w->any || event->error_ns < w->error_min)
		w->error_min = event->error_ns;
	if (!w->any || event->error_ns > w->error_max)
		w->error_max = event->error_ns;
	w->any = true;
}

/* Four arguments leave no word for a stamp. */
static bool
has_begun_word(const struct tl_event *e)
{
	return e->bare || e->message->argc < TL_ARGS_MAX;
}

/* Can the entry of an end hold what is known of its begin?  A step of the clock
 * between begin and end would change the duration by more than the error of the
 * times. */
static bool
holds_begun(const struct snapshot_write *w, const struct tl_event *e)
{
	const uint64_t ticks = e->tsc - e->begun_tsc;
	uint64_t step_ns;

	if (!has_begun_word(e) || e->begun == TL_BEGUN_NONE)
		return has_begun_word(e);
	if (e->begun_tsc > e->tsc || (!e->proven && ticks + 1 >= ~e->tsc / 2))
		return false;
	step_ns =
	    (uint64_t)e->ns - (uint64_t)e->begun_ns - (uint64_t)e->duration_ns;
	return !w->wall || e->begun == TL_BEGUN_UNSURE ||
	       step_ns + e->error_ns <= 2 * (uint64_t)e->error_ns;
}

/* Leave out of an end what its entry cannot hold of its begin. */
static void
fit_begun(struct snapshot_write *w, struct tl_event *e)
{
	const bool is_plain = !e->proven && e->begun == TL_BEGUN;

	if (!tl_event_is_stamped(e) && e->begun != TL_BEGUN_NONE)
		return;
	e->proven = e->proven && e->begun != TL_BEGUN_UNSURE;
	if (e->proven)
		e->begun = TL_BEGUN;
	if (holds_begun(w, e))
		return;
	e->proven = false;
	e->begun = e->begun == TL_BEGUN_UNSURE && has_begun_word(e)
		       ? TL_BEGUN_NONE
		       : TL_BEGUN_UNKNOWN;
	if (!is_plain)
		tl_note(&w->notes, PROOFS, TL_FAULT_NOWHERE);
}

static int
put(struct tl_writer *writer, const struct tl_event *event)
{
	struct snapshot_write *w = write_of(writer);
	struct tl_event e = *event;
	int rc;

	if (!w->file.store) /* the writer could not begin */
		return -ENOMEM;
	if (w->wall) {
		/* Set the stamp from the time.  Stamps count from the least
		 * int64_t until the oldest time is known. */
		if (e.kind != TL_LOST && e.tsc != 0 && e.tsc != (uint64_t)e.ns)
			tl_note(&w->notes, RAW_STAMPS, TL_FAULT_NOWHERE);
		e.tsc = (uint64_t)e.ns ^ BIAS;
		e.begun_tsc = (uint64_t)e.begun_ns ^ BIAS;
		e.epoch = 0;
	}
	if (e.kind == TL_END)
		fit_begun(w, &e);
	else if (e.kind == TL_BEGIN)
		e.proven = e.proven && has_begun_word(&e);
	if (e.kind != TL_LOST) {
		if ((rc = define(w, &e)) < 0 ||
		    (rc = tl_names_gather(&w->file.names, &e, e.pid)) < 0)
			return rc;
		note_time(w, &e);
	}
	if ((rc = tl_timeline_lanes_note(&w->file.lanes, &e)) < 0)
		return rc;
	e.ns = (int64_t)w->count++; /* keeps the order in the sorter */
	return tl_store_sink(w->file.store)
	    ->put(tl_store_sink(w->file.store), &e);
}

/* Make the header: the process that created the file, and the clock. */
static void
make_header(struct snapshot_write *w)
{
	struct timeline_header *h = &w->file.header;
	const struct tl_origin *origin = &w->writer.facts.origin;
	const struct tl_snap *snap = NULL;

	if (!w->wall) {
		snap = choose_clock(w->snaps, w->snap_count, &w->oldest,
		    &w->newest);
		*h = *tl_snap_header(snap);
		copy_clock(&w->file.clock, snap, h);
	} else {
		/* as much of a name as fits */
		memcpy(h->creator_host, origin->machine,
		    strnlen(origin->machine, sizeof(h->creator_host)));
		memcpy(h->creator_command, origin->command,
		    strnlen(origin->command, sizeof(h->creator_command)));
		h->creator_pid = origin->pid;
		h->created_ns = w->any ? w->oldest.ns : 0;
		h->saved_ns = w->any ? w->newest.ns : 0;
		make_clock(&w->file.clock, h->created_ns, h->saved_ns,
		    w->error_max, h);
		w->file.flip = BIAS ^ bias_of(h->created_ns);
	}
	tl_layout_identify(h, TIMELINE_IMPORTED);
	h->compat = h->incompat = 0;
}

static void
say_notes(struct snapshot_write *w)
{
	struct tl_notes *notes = &w->notes;

	notes->count[LANES] = w->snap_count > 0 && !w->file.lanes.apart;
	notes->count[LOST_CPU] = w->file.lanes.cpus_lost;
	notes->count[ERRORS] = w->wall && w->error_min != w->error_max;
	notes->count[LOST_PLACE] = w->file.lanes.displaced;
	notes->count[LOST_CUT] = w->file.lanes.cut;
	notes->count[ONE_CLOCK] = !w->wall && w->snap_count > 1;
	notes->count[BUILTINS] = w->file.table.builtins;
	notes->count[NO_STRING] = w->file.renamed;
	notes->count[TEXT] = w->file.table.unreadable;
	notes->count[EPOCHS] += w->file.lanes.epochs_full;
	for (unsigned i = 0; i < TL_NOTES_MAX; i++)
		notes->first[i] = TL_FAULT_NOWHERE;
	tl_notes_report(notes, w->writer.report);
}

static int
end(struct tl_writer *writer)
{
	struct snapshot_write *w = write_of(writer);
	struct tl_sink *sink = tl_store_sink(w->file.store);
	const struct timeline_header *h = NULL;
	int rc = w->file.store ? sink->finish(sink) : -ENOMEM;

	if (rc < 0)
		return rc;
	make_header(w);
	if (w->is_whole && w->snap_count == 1) {
		w->file.timers = w->snaps[0];
		h = tl_snap_header(w->snaps[0]);
	}
	rc = plan_file(&w->file);
	/* Do the header and the heads of the lanes say of the entries what
	 * those of the snapshot do?  Before 2.2 an entry of a level did not
	 * name its message. */
	if (h && w->file.lanes.apart && timeline_is_whole(h) &&
	    h->major == TIMELINE_MAJOR && h->minor >= 2)
		w->file.header.compat |= TIMELINE_COMPAT_WHOLE;
	else
		w->file.header.cut = 0;
	if (rc == 0)
		rc = write_file(&w->file);
	if (rc == 0)
		say_notes(w);
	return rc;
}

static void
release(struct tl_writer *writer)
{
	struct snapshot_write *w = write_of(writer);

	tl_store_free(w->file.store);
	tl_store_free(w->file.placed);
	tl_timeline_table_free(&w->file.table);
	tl_timeline_lanes_free(&w->file.lanes);
	tl_names_free(&w->file.names);
	free(w->snaps);
}

int
tl_timeline_write_set_snap(struct tl_writer *writer, const struct tl_snap *snap)
{
	struct snapshot_write *w = write_of(writer);
	const struct tl_snap **snaps;

	assert(writer->begun == 0);
	snaps = realloc(w->snaps, (w->snap_count + 1) * sizeof(*snaps));
	if (!snaps)
		return -ENOMEM;
	w->snaps = snaps;
	w->snaps[w->snap_count++] = snap;
	return 0;
}

void
tl_timeline_write_set_whole(struct tl_writer *writer)
{
	write_of(writer)->is_whole = true;
}

int
tl_timeline_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	static const struct tl_writer_kind kind = { .put = put,
		.begin = begin,
		.end = end,
		.free = release,
		.set_snap = tl_timeline_write_set_snap };

	return tl_writer_make(writer, sizeof(struct snapshot_write), &kind,
	    write, context, report);
}
