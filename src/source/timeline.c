/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - our own file as a source: live, saved, compressed. */
#include "source/kinds.h"

#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/compressed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
message_count(const struct tl_source *source)
{
	return tl_snap_message_count(snap_of(source));
}

static const struct tl_message *const *
messages(const struct tl_source *source)
{
	return tl_snap_messages(snap_of(source));
}

static size_t
lane_count(const struct tl_source *source)
{
	return tl_snap_lane_count(snap_of(source));
}

static bool
lane_is_cut(const struct tl_source *source, size_t i)
{
	return tl_snap_lane(snap_of(source), i)->first > 0;
}

static size_t
fault_count(const struct tl_source *source)
{
	return tl_snap_fault_count(snap_of(source));
}

static const struct tl_fault *
fault(const struct tl_source *source, size_t i)
{
	return tl_snap_fault(snap_of(source), i);
}

static bool
is_damaged(const struct tl_source *source)
{
	return tl_snap_fault_count(snap_of(source)) > 0;
}

static size_t
knot_count(const struct tl_source *source)
{
	return tl_snap_knot_count(snap_of(source));
}

static const struct timeline_knot *
knot(const struct tl_source *source, size_t i)
{
	return tl_snap_knot(snap_of(source), i);
}

static unsigned
clock_kind(const struct tl_source *source)
{
	return tl_snap_header(snap_of(source))->clock_kind;
}

static void
add_origin(const struct tl_source *source, struct tl_origin *origin)
{
	const struct timeline_header *h = tl_snap_header(snap_of(source));
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

static const struct tl_source_ops timeline_ops = { .close = close_snap,
	.cursor = open_cursor,
	.entries = entries,
	.message_count = message_count,
	.messages = messages,
	.lane_count = lane_count,
	.lane_is_cut = lane_is_cut,
	.fault_count = fault_count,
	.fault = fault,
	.is_damaged = is_damaged,
	.knot_count = knot_count,
	.knot = knot,
	.clock_kind = clock_kind,
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

int
tl_source_open_timeline(struct tl_source *source, struct tl_opening *o)
{
	const int fd = o->is_regular ? o->fd : tl_source_copy(o);
	struct tl_snap *snap;
	bool compressed = false;
	int rc;

	if (fd < 0)
		return tl_source_fail(source, fd);
	rc = tl_zst_snap_open_fd(&snap, fd, o->plan->tail, &compressed,
	    &source->fault);
	if (fd != o->fd)
		close(fd);
	if (rc < 0)
		return rc;
	tl_source_of_snap(source, snap);
	if (o->plan->follow && compressed) {
		/* follow would take it for a live one */
		tl_source_close(source);
		return tl_fail(&source->fault, -EINVAL,
		    "a saved timeline does not grow");
	}
	if (o->plan->check && (rc = tl_snap_check(snap)) < 0)
		return tl_source_fail(source, rc);
	return 0;
}
