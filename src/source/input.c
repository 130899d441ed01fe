/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - what is asked of a file that is open, whatever its format. */
#include "source/input.h"
#include "clock/clock.h"
#include "source/hosts.h"

#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
tl_input_close(struct tl_input *input)
{
	tl_snap_close(input->snap);
	tl_import_free(input->import);
	tl_trace_close(input->trace);
	tl_chain_free(input->chain);
	tl_chains_free(input->others);
	free(input->faults);
	free(input->messages);
	input->trace = NULL;
	input->faults = NULL;
	input->messages = NULL;
	input->snap = NULL;
	input->import = NULL;
	input->chain = NULL;
	input->others = NULL;
	input->host = NULL;
}

int
tl_input_take(struct tl_input *input, struct tl_chain *chain)
{
	struct tl_text name = { 0 };

	tl_put_string(&name, input->name);
	tl_put_string(&name, ": ");
	tl_put_string(&name, tl_chain_name(chain));
	input->file = input->name;
	input->chain = chain;
	if (name.rc == 0)
		input->own_name = strdup(tl_text_string(&name));
	tl_text_free(&name);
	if (!input->own_name)
		return -ENOMEM;
	input->name = input->own_name;
	return 0;
}

const char *
tl_input_format(const struct tl_input *input)
{
	if (input->import)
		return tl_import_format(input->import)->name;
	if (input->chain)
		return "trace";
	if (input->trace)
		return input->is_packed ? "packed" : "trace";
	return "timeline";
}

/* ... as its events were logged. */
static int
open_cursor(const struct tl_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	if (input->import)
		return tl_import_cursor(input->import, order, cursor);
	if (input->chain)
		return tl_chain_cursor(input->chain, order, cursor);
	return input->trace ? tl_trace_cursor(input->trace, order, cursor)
			    : tl_snap_cursor(input->snap, order, cursor);
}

int
tl_input_cursor(const struct tl_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_cursor *logged;
	const int rc = open_cursor(input, order, &logged);

	return rc < 0 ? rc : tl_host_cursor(input->host, logged, cursor);
}

static uint64_t
trace_entries(const struct tl_trace *trace)
{
	uint64_t entries = 0;

	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		entries += tl_trace_thread(trace, i)->events;
	return entries;
}

uint64_t
tl_input_entries(const struct tl_input *input)
{
	uint64_t entries = 0;

	if (input->import)
		return tl_import_entries(input->import);
	if (input->chain)
		return tl_chain_entries(input->chain);
	if (input->trace)
		return trace_entries(input->trace);
	for (size_t i = 0; i < tl_snap_lane_count(input->snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(input->snap, i);

		entries += lane->end - lane->first;
	}
	return entries;
}

static int
find_newest(const struct tl_input *input, int64_t *ns)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	if (input->import)
		return tl_import_newest(input->import, ns);
	if (input->chain)
		return tl_chain_newest(input->chain, ns);
	rc = open_cursor(input, TL_NEWEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	do
		rc = tl_cursor_next(cursor, &event);
	while (rc > 0 && event.kind == TL_LOST);
	tl_cursor_close(cursor);
	if (rc > 0)
		*ns = event.ns;
	return rc > 0 ? 0 : rc == 0 ? -ENODATA : rc;
}

int
tl_input_newest(const struct tl_input *input, int64_t *ns)
{
	const int rc = find_newest(input, ns);

	if (rc == 0 && input->host)
		*ns = tl_add_ns(*ns, input->host->offset_ns);
	return rc;
}

size_t
tl_input_message_count(const struct tl_input *input)
{
	if (input->import)
		return tl_import_message_count(input->import);
	if (input->chain)
		return tl_chain_message_count(input->chain);
	return input->trace ? input->message_count
			    : tl_snap_message_count(input->snap);
}

const struct tl_message *
tl_input_message(const struct tl_input *input, size_t i)
{
	if (input->import)
		return tl_import_messages(input->import)[i];
	if (input->chain)
		return tl_chain_messages(input->chain)[i];
	return input->trace ? input->messages[i]
			    : tl_snap_message(input->snap, i);
}

size_t
tl_input_lane_count(const struct tl_input *input)
{
	return input->snap ? tl_snap_lane_count(input->snap) : 1;
}

bool
tl_input_lane_is_cut(const struct tl_input *input, size_t i)
{
	return input->snap && tl_snap_lane(input->snap, i)->first > 0;
}

size_t
tl_input_fault_count(const struct tl_input *input)
{
	if (input->import)
		return tl_import_fault_count(input->import);
	if (input->chain)
		return tl_chain_fault_count(input->chain);
	if (input->faults)
		return input->faults->count;
	return input->snap ? tl_snap_fault_count(input->snap) : 1;
}

size_t
tl_input_faults_kept(const struct tl_input *input)
{
	const size_t count = tl_input_fault_count(input);

	return count < TL_SNAP_FAULTS_MAX ? count : TL_SNAP_FAULTS_MAX;
}

const struct tl_fault *
tl_input_fault(const struct tl_input *input, size_t i)
{
	if (input->import)
		return tl_import_fault(input->import, i);
	if (input->chain)
		return tl_chain_fault(input->chain, i);
	if (input->faults)
		return &input->faults->list[i];
	return input->snap ? tl_snap_fault(input->snap, i) : &input->fault;
}

bool
tl_input_is_damaged(const struct tl_input *input)
{
	if (input->import)
		return tl_import_is_damaged(input->import);
	if (input->chain)
		return tl_chain_is_damaged(input->chain);
	if (input->trace)
		return tl_trace_damage(input->trace) > 0;
	return !input->snap || tl_snap_fault_count(input->snap) > 0;
}

enum tl_input_state
tl_input_state(const struct tl_input *input)
{
	if (tl_input_is_damaged(input))
		return TL_INPUT_DAMAGED;
	for (size_t i = 0; i < tl_input_faults_kept(input); i++) {
		if (tl_input_fault(input, i)->rc == -ENODATA)
			return TL_INPUT_UNFINISHED;
	}
	return TL_INPUT_WHOLE;
}

size_t
tl_input_knot_count(const struct tl_input *input)
{
	if (input->import)
		return 0;
	if (input->chain)
		return tl_chain_knot_count(input->chain);
	return input->trace ? tl_trace_knot_count(input->trace)
			    : tl_snap_knot_count(input->snap);
}

const struct timeline_knot *
tl_input_knot(const struct tl_input *input, size_t i)
{
	if (input->chain)
		return tl_chain_knot(input->chain, i);
	return input->trace ? tl_trace_knot(input->trace, i)
			    : tl_snap_knot(input->snap, i);
}

/* Of a trace its knots tell: where stamps are the time, one tick is one
 * nanosecond.  Without, it is one of counters. */
unsigned
tl_input_clock_kind(const struct tl_input *input)
{
	const struct timeline_knot *knot;

	if (input->import)
		return 0;
	if (input->snap)
		return tl_snap_header(input->snap)->clock_kind;
	if (tl_input_knot_count(input) == 0)
		return TIMELINE_CLOCK_TSC;
	knot = tl_input_knot(input, 0);
	return knot->mult == TL_MULT_ONE && knot->tsc == (uint64_t)knot->utc_ns
		   ? TIMELINE_CLOCK_REALTIME
		   : TIMELINE_CLOCK_TSC;
}

bool
tl_input_is_steady(const struct tl_input *input)
{
	const uint16_t jumps = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

	const size_t count =
	    input->snap || input->chain ? tl_input_knot_count(input) : 0;

	for (size_t k = 0; k < count; k++) {
		if (tl_input_knot(input, k)->flags & jumps)
			return false;
	}
	return true;
}

/* The last part of the file's name, without what tells its kind. */
static void
name_timeline(const struct tl_input *input, struct tl_origin *origin)
{
	const char *slash = strrchr(input->name, '/');
	const char *name = slash ? slash + 1 : input->name;

	if (strcmp(name, "-") != 0)
		tl_origin_name(origin->timeline,
		    tl_bytes(name, strcspn(name, ".")));
}

static void
trace_origin(const struct tl_trace *trace, struct tl_origin *origin)
{
	const struct tl_bytes host = tl_trace_info(trace, "host");
	const struct tl_bytes command = tl_trace_info(trace, "command");
	const struct tl_bytes timeline = tl_trace_info(trace, "timeline");

	tl_origin_name(origin->machine, host);
	tl_origin_name(origin->command, command);
	tl_origin_boot(origin->boot_id, tl_trace_info(trace, "boot"));
	if (timeline.size > 0)
		tl_origin_name(origin->timeline, timeline);
}

static void
snap_origin(const struct tl_snap *snap, struct tl_origin *origin)
{
	const struct timeline_header *h = tl_snap_header(snap);
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

void
tl_input_origin(const struct tl_input *input, struct tl_origin *origin)
{
	*origin = (struct tl_origin){ 0 };
	if (input->chain) {
		tl_chain_origin(input->chain, origin);
		return;
	}
	name_timeline(input, origin);
	if (input->snap)
		snap_origin(input->snap, origin);
	else if (input->trace)
		trace_origin(input->trace, origin);
}
