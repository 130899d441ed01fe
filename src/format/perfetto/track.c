/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track.c - the track of an event.
 *
 *	key                     track
 *	(pid, tid; 0)           thread, under its process
 *	(pid; PROCESS)          process
 *	(0; message)            spans of scope TIMELINE_SOURCE
 *	(pid; message | 1)      counter, under its process
 *	(0; LOSSES)             missing entries
 *	(uuid; LANES_FROM + n)  lane n of a track, under this track
 *
 * The uuid of a track is the number of its key, plus 1: small, because every
 * event carries the uuid.  Messages lie at even addresses above the small
 * numbers, so that no two keys are equal.
 */
#include "format/perfetto/perfetto.h"

#include "event/hosts/hosts.h"

#include <errno.h>
#include <timeline.h>

enum { THREAD = 0, PROCESS = 1, LOSSES = 2, LANES_FROM = 3 };

/* Begin the packet of a track; parent 0: none.  The caller ends the packet. */
static void
begin_track(struct perfetto_write *w, uint64_t uuid, uint64_t parent)
{
	struct tl_text *text = &w->writer.out.text;

	tl_perfetto_begin(w);
	tl_pb_put_unsigned(text, PACKET_TIMESTAMP, 0); /* since the last */
	tl_perfetto_open(w, PACKET_TRACK);
	tl_pb_put_unsigned(text, TRACK_UUID, uuid);
	if (parent != 0)
		tl_pb_put_unsigned(text, TRACK_PARENT, parent);
}

/*
 * Return the uuid of a key: 0 known, 1 new, -errno.  Uuid 0, the track of the
 * whole trace, serves when no more tracks fit.
 */
static int
number_track(struct perfetto_write *w, uint64_t a, uint64_t b, uint64_t *uuid)
{
	uint32_t number;
	int rc = tl_id_map_get(&w->tracks, (struct tl_id_key){ a, b }, &number);

	if (rc == -ENOSPC) {
		tl_note(&w->writer.notes, TRACKS, TL_FAULT_NOWHERE);
		*uuid = 0;
		return 0;
	}
	if (rc >= 0)
		*uuid = (uint64_t)number + 1;
	return rc;
}

/*
 * Return the name of an event's process: a recorded name, or the command of the
 * process if it made a timeline of the same host.
 */
static struct tl_bytes
command_of(const struct perfetto_write *w, const struct tl_event *event)
{
	const struct tl_origin *origin = tl_writer_source(&w->writer, event);
	const struct tl_bytes name =
	    tl_names_process(&w->writer.names, event->pid);

	if (name.size > 0 || event->pid == 0)
		return name;
	if (origin->pid == event->pid)
		return tl_bytes_of(origin->command);
	for (size_t i = 0; i < w->writer.facts.source_count; i++) {
		const struct tl_origin *other = &w->writer.facts.sources[i];

		if (other->pid == event->pid &&
		    tl_fleet_same_host(other, origin))
			return tl_bytes_of(other->command);
	}
	return w->writer.facts.origin.pid == event->pid
		   ? tl_bytes_of(w->writer.facts.origin.command)
		   : name;
}

static int
process_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid)
{
	struct tl_text *text = &w->writer.out.text;
	int rc = number_track(w, event->pid, PROCESS, uuid);

	if (rc <= 0 || (rc = tl_writer_name(&w->writer, event)) < 0)
		return rc;
	begin_track(w, *uuid, 0);
	tl_perfetto_open(w, TRACK_PROCESS);
	tl_pb_put_signed(text, PROCESS_PID, (int32_t)event->pid);

	/*
	 * Put the process name into scratch; with several hosts, the name has
	 * the host.
	 */
	tl_text_clear(&w->scratch);
	if (w->writer.pids)
		tl_host_pids_name(&w->writer, event->pid, "", &w->scratch);
	else
		tl_put_bytes(&w->scratch, command_of(w, event));
	if (w->scratch.size > 0)
		tl_pb_put_plain(text, PROCESS_NAME, tl_text_bytes(&w->scratch));
	tl_perfetto_end(w);
	return 0;
}

static int
thread_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_bytes name;
	uint64_t parent;
	int rc = number_track(w, (uint64_t)event->pid << 32 | event->tid,
	    THREAD, uuid);

	if (rc <= 0)
		return rc;
	if ((rc = process_track(w, event, &parent)) < 0 ||
	    (rc = tl_writer_name(&w->writer, event)) < 0)
		return rc;
	begin_track(w, *uuid, parent);
	tl_perfetto_open(w, TRACK_THREAD);
	tl_pb_put_signed(text, THREAD_PID, (int32_t)event->pid);
	tl_pb_put_signed(text, THREAD_TID, event->tid);
	name = tl_names_thread(&w->writer.names, event->pid, event->tid);
	if (name.size > 0)
		tl_pb_put_bytes(text, THREAD_NAME, name);
	tl_perfetto_end(w);
	return 0;
}

/* Append name and description of a track that belongs to a message. */
static void
put_message(struct perfetto_write *w, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	struct tl_text *text = &w->writer.out.text;

	tl_pb_put_plain(text, TRACK_NAME, tl_perfetto_name(w, event));
	if (message->explain.size > 0)
		tl_pb_put_plain(text, TRACK_DESCRIPTION, message->explain);
}

static int
counter_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_message *message = event->message;
	uint64_t parent;
	int rc = number_track(w, event->pid, (uintptr_t)message | 1, uuid);

	if (rc <= 0)
		return rc;
	if ((rc = process_track(w, event, &parent)) < 0)
		return rc;
	begin_track(w, *uuid, parent);
	put_message(w, event);
	tl_perfetto_open(w, TRACK_COUNTER);
	if (message->category.size > 0)
		tl_pb_put_plain(text, COUNTER_CATEGORIES, message->category);
	if (message->args[0].format == TIMELINE_ARG_DURATION)
		tl_pb_put_unsigned(text, COUNTER_UNIT, UNIT_TIME_NS);
	tl_perfetto_end(w);
	return 0;
}

static int
loss_track(struct perfetto_write *w, uint64_t *uuid)
{
	int rc = number_track(w, 0, LOSSES, uuid);

	if (rc <= 0)
		return rc;
	begin_track(w, *uuid, 0);
	tl_pb_put_bytes(&w->writer.out.text, TRACK_NAME,
	    tl_bytes_of("entries lost"));
	tl_perfetto_end(w);
	return 0;
}

int
tl_perfetto_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid)
{
	if (!event->message)
		return loss_track(w, uuid);
	if (event->kind == TL_COUNTER)
		return counter_track(w, event, uuid);
	if (event->kind != TL_INSTANT &&
	    event->message->scope == TIMELINE_SOURCE) {
		const int rc =
		    number_track(w, 0, (uintptr_t)event->message, uuid);

		if (rc <= 0)
			return rc;
		begin_track(w, *uuid, 0);
		put_message(w, event);
		tl_perfetto_end(w);
		return 0;
	}
	return thread_track(w, event, uuid);
}

/* Append the name that viewers show for the track of a span, so that they draw
 * its lanes as one. */
static void
put_lane_name(struct perfetto_write *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_bytes name;

	if (event->message->scope == TIMELINE_SOURCE) {
		put_message(w, event);
		return;
	}
	name = tl_names_thread(&w->writer.names, event->pid, event->tid);
	tl_text_clear(&w->scratch);
	if (name.size > 0) {
		tl_put_bytes(&w->scratch, name);
	} else {
		tl_put_string(&w->scratch, "thread ");
		tl_put_unsigned(&w->scratch, event->tid);
	}
	tl_pb_put_plain(text, TRACK_NAME, tl_text_bytes(&w->scratch));
}

int
tl_perfetto_lane(struct perfetto_write *w, const struct tl_event *event,
    unsigned lane, uint64_t *uuid)
{
	uint64_t parent;
	int rc = tl_perfetto_track(w, event, &parent);

	*uuid = parent;
	if (rc < 0 || lane == 0 || parent == 0)
		return rc;
	rc = number_track(w, parent, LANES_FROM + lane, uuid);
	if (rc <= 0)
		return rc;
	begin_track(w, *uuid, parent);
	put_lane_name(w, event);
	tl_perfetto_end(w);
	return 0;
}
