/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_write.c - keep what comes; when all is there, lay it out. */
#include "snap/write.h"

#include "event/notes.h"
#include "ring/ring.h"
#include "snap/write_file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum {
	RAW_STAMPS,
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
	[ERRORS] = { -ENOTSUP,
	    "times have one bound of their error: that of the worst" },
	[LANES] = { -ENOTSUP,
	    "events of several timelines, or out of order, do not keep their "
	    "lanes" },
	[LOST_CPU] = { -ENOTSUP, "where lanes are not kept, losses do not tell "
				 "their CPU" },
	[LOST_PLACE] = { -ENOTSUP,
	    "long losses are told at the start, not at their place" },
	[LOST_CUT] = { -ERANGE,
	    "of more than 2^62 lost events not all are told" },
	[ONE_CLOCK] = { 0, "the clock knots of one timeline tell the times of "
			   "all" },
	[BUILTINS] = { -ENOTSUP,
	    "changes of level are kept as ordinary messages: when bursts ended "
	    "is told in stamps of another clock" },
	[TABLE_FULL] = { -ENOSPC,
	    "messages or strings find no room: too many for one timeline" },
	[NO_STRING] = { -EBADMSG,
	    "the number of a string that is not there is changed" },
	[TEXT] = { -EBADMSG,
	    "a message whose arguments cannot be told is written with _ for "
	    "$" },
	[EPOCHS] = { -ENOSPC, "clock epochs find no room: too many for one "
			      "timeline" },
};

struct snapshot_write {
	struct tl_writer writer; /* first: what callers see */
	const struct tl_snap **snaps;
	size_t snap_count;
	bool wall; /* stamps are the time */
	struct tl_timeline_file file;
	uint64_t count;
	bool any; /* event that is no loss: */
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

/* Are all snapshots of one clock? */
static bool
is_one_clock(const struct snapshot_write *w)
{
	for (size_t i = 1; i < w->snap_count; i++) {
		if (!tl_snap_same_clock(w->snaps[0], w->snaps[i]))
			return false;
	}
	return w->snap_count > 0;
}

/* All that one timeline defines, whether it was logged or not. */
static int
define_all(struct snapshot_write *w, const struct tl_snap *snap)
{
	const size_t count = tl_snap_message_count(snap);
	int rc = 0;

	for (size_t i = 0; i < count && (rc == 0 || rc == -ENOSPC); i++) {
		const struct tl_message *message = tl_snap_message(snap, i);
		uint32_t offset;

		rc = tl_timeline_table_message(&w->file.table, message,
		    message->kind, &offset);
		if (rc == -ENOSPC)
			tl_note(&w->notes, TABLE_FULL, TL_FAULT_NOWHERE);
	}
	return rc == -ENOSPC ? 0 : rc;
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
	w->wall = !is_one_clock(w);
	if ((rc = tl_timeline_lanes_init(&w->file.lanes, one)) < 0 ||
	    (rc = tl_timeline_table_init(&w->file.table, kept,
		 h ? h->tiers : 1)) < 0 ||
	    (rc = tl_store_new(&w->file.store, TL_TIMELINE_STORE_MEMORY)) < 0)
		return rc;
	w->file.table.no_builtins = w->wall;
	return one ? define_all(w, one) : 0;
}

/* What the event refers to is in the table from here on. */
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
		if (i < message->argc && tl_timeline_is_string(message, i))
			rc = tl_timeline_table_string(&w->file.table, message,
			    event->args[i], &named);
	}
	return 0;
}

/* Is stamp a before b? */
static bool
is_before(const struct tl_event *a, const struct tl_event *b)
{
	return a->epoch != b->epoch ? a->epoch < b->epoch : a->tsc < b->tsc;
}

static void
note_time(struct snapshot_write *w, const struct tl_event *event)
{
	if (!w->any || is_before(event, &w->oldest))
		w->oldest = *event;
	if (!w->any || is_before(&w->newest, event))
		w->newest = *event;
	if (!w->any || event->error_ns < w->error_min)
		w->error_min = event->error_ns;
	if (!w->any || event->error_ns > w->error_max)
		w->error_max = event->error_ns;
	w->any = true;
}

/* Until the oldest is known, stamps count from the least int64_t. */
static void
stamp_by_wall(struct snapshot_write *w, struct tl_event *event)
{
	if (event->kind != TL_LOST && event->tsc != 0 &&
	    event->tsc != (uint64_t)event->ns)
		tl_note(&w->notes, RAW_STAMPS, TL_FAULT_NOWHERE);
	event->tsc = (uint64_t)event->ns ^ TL_TIMELINE_BIAS;
	event->epoch = 0;
}

static int
put(struct tl_writer *writer, const struct tl_event *event)
{
	struct snapshot_write *w = write_of(writer);
	struct tl_event e = *event;
	int rc;

	if (!w->file.store) /* it could not begin */
		return -ENOMEM;
	if (w->wall)
		stamp_by_wall(w, &e);
	if (e.kind == TL_LOST && e.cpu != TL_CPU_UNKNOWN)
		tl_note(&w->notes, LOST_CPU, TL_FAULT_NOWHERE);
	if (e.kind != TL_LOST) {
		if ((rc = define(w, &e)) < 0)
			return rc;
		note_time(w, &e);
	}
	if ((rc = tl_timeline_lanes_note(&w->file.lanes, &e)) < 0)
		return rc;
	e.ns = (int64_t)w->count++; /* the store keeps this order */
	return tl_store_sink(w->file.store)
	    ->put(tl_store_sink(w->file.store), &e);
}

/* As much of a name as there is room for. */
static void
copy_name(char to[64], const char *from)
{
	memcpy(to, from, strnlen(from, 64));
}

static void
make_identity(struct snapshot_write *w)
{
	struct timeline_header *h = &w->file.header;
	const struct tl_origin *origin = &w->writer.origin;

	copy_name(h->creator_host, origin->machine);
	copy_name(h->creator_command, origin->command);
	h->creator_pid = origin->pid;
	h->created_ns = w->any ? w->oldest.ns : 0;
	h->saved_ns = w->any ? w->newest.ns : 0;
}

/* Who made it, and its clock. */
static void
make_header(struct snapshot_write *w)
{
	struct timeline_header *h = &w->file.header;
	const struct tl_snap *snap = NULL;

	if (!w->wall) {
		snap = tl_timeline_clock_choose(w->snaps, w->snap_count,
		    &w->oldest, &w->newest);
		*h = *tl_snap_header(snap);
		tl_timeline_clock_copy(&w->file.clock, snap, h);
	} else {
		make_identity(w);
		tl_timeline_clock_make(&w->file.clock, h->created_ns,
		    h->saved_ns, w->error_max, h);
		w->file.flip =
		    TL_TIMELINE_BIAS ^ tl_timeline_clock_bias(h->created_ns);
	}
	tl_layout_identify(h, TIMELINE_IMPORTED);
	h->compat = h->incompat = 0;
}

static void
say_notes(struct snapshot_write *w)
{
	struct tl_notes *notes = &w->notes;

	notes->count[LANES] = w->snap_count > 0 && !w->file.lanes.apart;
	if (w->file.lanes.apart)
		notes->count[LOST_CPU] = 0;
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
	tl_notes_say(notes, w->writer.report);
}

static int
end(struct tl_writer *writer)
{
	struct snapshot_write *w = write_of(writer);
	struct tl_sink *sink = tl_store_sink(w->file.store);
	int rc = w->file.store ? sink->finish(sink) : -ENOMEM;

	if (rc == 0) {
		make_header(w);
		rc = tl_timeline_file_plan(&w->file);
	}
	if (rc == 0)
		rc = tl_timeline_file_write(&w->file);
	if (rc == 0)
		say_notes(w);
	return rc;
}

static void
release(struct tl_writer *writer)
{
	struct snapshot_write *w = write_of(writer);

	tl_timeline_file_free(&w->file);
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

int
tl_timeline_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	static const struct tl_writer_kind kind = { .put = put,
		.begin = begin,
		.end = end,
		.free = release };

	return tl_writer_make(writer, sizeof(struct snapshot_write), &kind,
	    write, context, report);
}
