/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - our own file as a source: live, saved or compressed. */
#include "source/kinds.h"

#include "base/file.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/compressed.h"
#include "snap/shm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the file uncompressed? */
static bool
is_plain(const struct tl_opening *o)
{
	return tl_begins_timeline(tl_bytes(o->first, o->first_size));
}

static struct tl_snap *
snap_of(const struct tl_source *source)
{
	return source->state;
}

static void
close_snap(struct tl_source *source)
{
	tl_snap_close(snap_of(source));
}

static int
open_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	return tl_snap_cursor(snap_of(source), order, cursor);
}

static uint64_t
entries(const struct tl_source *source)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tl_snap_lane_count(snap_of(source)); i++) {
		const struct tl_snap_lane *lane =
		    tl_snap_lane(snap_of(source), i);

		sum += lane->end - lane->first;
	}
	return sum;
}

static size_t
messages(const struct tl_source *source, const struct tl_message *const **list)
{
	*list = tl_snap_messages(snap_of(source));
	return tl_snap_message_count(snap_of(source));
}

static size_t
lane_count(const struct tl_source *source)
{
	return tl_snap_lane_count(snap_of(source));
}

static bool
lane_is_cut(const struct tl_source *source, size_t i)
{
	const struct tl_snap_lane *lane = tl_snap_lane(snap_of(source), i);

	/* a file of events says which of the entries before were overwritten */
	return timeline_is_whole(tl_snap_header(snap_of(source)))
		   ? lane->first > 0
		   : lane->overwritten > 0;
}

static size_t
faults(const struct tl_source *source, const struct tl_fault **list)
{
	*list = tl_snap_fault(snap_of(source), 0);
	return tl_snap_fault_count(snap_of(source));
}

static size_t
knots(const struct tl_source *source, const struct timeline_knot **list)
{
	const size_t count = tl_snap_knot_count(snap_of(source));

	if (count > 0)
		*list = tl_snap_knot(snap_of(source), 0);
	return count;
}

static unsigned
clock_kind(const struct tl_source *source)
{
	return tl_snap_header(snap_of(source))->clock_kind;
}

static int
observed(const struct tl_source *source, struct tl_observed_start *start)
{
	struct tl_snap *snap = snap_of(source);
	const int rc = tl_snap_observed(snap, start);
	struct tl_event cut;

	if (tl_snap_cut(snap, &cut)) {
		start->cut = tl_observed_place(&cut);
		start->cut_ns = cut.ns;
		start->cut_steps_ns = cut.steps_ns;
	}
	start->guessed = !timeline_is_whole(tl_snap_header(snap));
	return rc;
}

static void
add_origin_of(const struct timeline_header *h, struct tl_origin *origin)
{
	struct tl_origin here;

	tl_origin_name(origin->machine,
	    tl_bytes(h->creator_host, sizeof(h->creator_host)));
	tl_origin_name(origin->command,
	    tl_bytes(h->creator_command, sizeof(h->creator_command)));
	origin->pid = h->creator_pid;
	memcpy(origin->boot_id, h->boot_id, sizeof(origin->boot_id));
	if (!tl_is_this_boot(h))
		return;
	tl_origin_here(&here);
	origin->monotonic_ns = here.monotonic_ns;
	origin->boottime_ns = here.boottime_ns;
}

static void
add_origin(const struct tl_source *source, struct tl_origin *origin)
{
	add_origin_of(tl_snap_header(snap_of(source)), origin);
}

static const struct tl_source_ops timeline_ops = { .close = close_snap,
	.cursor = open_cursor,
	.entries = entries,
	.messages = messages,
	.faults = faults,
	.knots = knots,
	.lane_count = lane_count,
	.lane_is_cut = lane_is_cut,

	.clock_kind = clock_kind,
	.observed = observed,
	.is_steady = tl_source_has_steady_knots,
	.origin = add_origin,
	.snap = snap_of };

void
tl_source_of_snap(struct tl_source *source, struct tl_snap *snap)
{
	source->ops = &timeline_ops;
	source->state = snap;
	source->format = "timeline";
}

/* == a live timeline that is followed == */

struct live {
	struct tl_cursor *follow;
	bool is_removed; /* and -EPIPE was returned */
};

/* All cursors of a live timeline share one position. */
struct live_cursor {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	struct live *live;
};

static struct live *
live_of(const struct tl_source *source)
{
	return source->state;
}

static void
close_live(struct tl_source *source)
{
	tl_cursor_close(live_of(source)->follow);
	free(source->state);
}

/* Get the next event.  Returns -EPIPE once, then 0. */
static int
live_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct live *live = ((struct live_cursor *)(void *)cursor)->live;
	const int rc =
	    live->is_removed ? 0 : tl_cursor_next(live->follow, event);

	live->is_removed |= rc == -EPIPE;
	return rc;
}

static void
live_close(struct tl_cursor *cursor)
{
	free(cursor);
}

static int
live_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct live_cursor *c;

	if (order != TL_OLDEST_FIRST)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	*c = (struct live_cursor){ { live_next, live_close }, live_of(source) };
	*cursor = &c->cursor;
	return 0;
}

static int
live_newest(const struct tl_source *source, int64_t *ns)
{
	(void)source, (void)ns;
	return -ENODATA;
}

static unsigned
live_clock_kind(const struct tl_source *source)
{
	return tl_follow_header(live_of(source)->follow)->clock_kind;
}

static void
add_live_origin(const struct tl_source *source, struct tl_origin *origin)
{
	add_origin_of(tl_follow_header(live_of(source)->follow), origin);
}

static const struct tl_source_ops live_ops = { .close = close_live,
	.cursor = live_cursor,
	.newest = live_newest,

	.clock_kind = live_clock_kind,
	.origin = add_live_origin };

bool
tl_source_is_live(const struct tl_source *source)
{
	return source->ops == &live_ops && !live_of(source)->is_removed;
}

static int
open_live(struct tl_source *source, const struct tl_opening *o)
{
	struct live *live;
	int rc;

	if (o->fd < 0 || !o->is_regular || !is_plain(o))
		return tl_fail(&source->fault, -EINVAL,
		    "only a live timeline can be followed");
	live = calloc(1, sizeof(*live));
	if (!live)
		return tl_source_fail(source, -ENOMEM);
	rc = tl_follow_open_fd(&live->follow, o->fd, o->plan->tail,
	    &source->fault);
	if (rc < 0) {
		free(live);
		return rc;
	}
	source->ops = &live_ops;
	source->state = live;
	source->format = "timeline";
	return 0;
}

/* == opening == */

/* Open a snapshot.  A compressed file in memory is written to an unnamed file
 * first. */
static int
open_snap(struct tl_snap **snap, const struct tl_opening *o, bool *compressed,
    struct tl_fault *fault)
{
	struct tl_storage *storage;
	int fd, rc;

	if (o->fd < 0 && is_plain(o)) {
		rc = tl_source_storage(o, &storage);
		return rc < 0 ? tl_fail(fault, rc, "%s", tl_file_error(rc))
			      : tl_snap_open_storage(snap, storage,
				    o->plan->tail, fault);
	}
	fd = o->fd < 0       ? tl_file_unnamed()
	     : o->is_regular ? o->fd
			     : tl_source_copy(o);
	rc = fd < 0 ? fd : 0;
	if (rc == 0 && o->fd < 0)
		rc = tl_write_all(fd, o->memory.data, o->memory.size);
	rc = rc < 0 ? tl_fail(fault, rc, "%s", tl_file_error(rc))
		    : tl_zst_snap_open_fd(snap, fd, o->plan->tail, compressed,
			  fault);
	if (fd >= 0 && fd != o->fd)
		close(fd);
	return rc;
}

int
tl_source_open_timeline(struct tl_source *source, struct tl_opening *o)
{
	struct tl_snap *snap;
	bool compressed = false;
	int rc;

	if (o->plan->live)
		return open_live(source, o);
	rc = open_snap(&snap, o, &compressed, &source->fault);
	if (rc < 0)
		return rc;
	tl_source_of_snap(source, snap);
	if (o->plan->follow && compressed) {
		/* the caller would follow the file as a live one */
		tl_source_close(source);
		return tl_fail(&source->fault, -EINVAL,
		    "a saved timeline does not grow");
	}
	if ((o->plan->check && (rc = tl_snap_check(snap)) < 0) ||
	    (rc = tl_snap_find_end(snap)) < 0)
		return tl_source_fail(source, rc);
	return 0;
}
