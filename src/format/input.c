/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - what is asked of a file that is open, whatever its format. */
#include "format/input.h"

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
	free(input->faults);
	free(input->messages);
	input->trace = NULL;
	input->faults = NULL;
	input->messages = NULL;
	input->snap = NULL;
	input->import = NULL;
}

const char *
tl_input_format(const struct tl_input *input)
{
	if (input->import)
		return tl_import_format(input->import)->name;
	if (input->trace)
		return input->is_packed ? "packed" : "trace";
	return "timeline";
}

int
tl_input_cursor(const struct tl_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	if (input->import)
		return tl_import_cursor(input->import, order, cursor);
	return input->trace ? tl_trace_cursor(input->trace, order, cursor)
			    : tl_snap_cursor(input->snap, order, cursor);
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
	if (input->trace)
		return trace_entries(input->trace);
	for (size_t i = 0; i < tl_snap_lane_count(input->snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(input->snap, i);

		entries += lane->end - lane->first;
	}
	return entries;
}

int
tl_input_newest(const struct tl_input *input, int64_t *ns)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	if (input->import)
		return tl_import_newest(input->import, ns);
	rc = tl_input_cursor(input, TL_NEWEST_FIRST, &cursor);
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

size_t
tl_input_message_count(const struct tl_input *input)
{
	if (input->import)
		return tl_import_message_count(input->import);
	return input->trace ? input->message_count
			    : tl_snap_message_count(input->snap);
}

const struct tl_message *
tl_input_message(const struct tl_input *input, size_t i)
{
	if (input->import)
		return tl_import_messages(input->import)[i];
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
	if (input->faults)
		return &input->faults->list[i];
	return input->snap ? tl_snap_fault(input->snap, i) : &input->fault;
}

bool
tl_input_is_damaged(const struct tl_input *input)
{
	if (input->import)
		return tl_import_is_damaged(input->import);
	if (input->trace)
		return tl_trace_damage(input->trace) > 0;
	return !input->snap || tl_snap_fault_count(input->snap) > 0;
}

bool
tl_input_same_clock(const struct tl_input *a, const struct tl_input *b)
{
	return a->snap && b->snap && tl_snap_same_clock(a->snap, b->snap);
}

bool
tl_input_is_steady(const struct tl_input *input)
{
	const uint16_t jumps = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

	for (size_t k = 0; input->snap && k < tl_snap_knot_count(input->snap);
	     k++) {
		if (tl_snap_knot(input->snap, k)->flags & jumps)
			return false;
	}
	return true;
}

/* A name in a fixed field, which may lack its NUL, or of any length. */
static void
copy_name(char to[65], const char *from, size_t size)
{
	size = strnlen(from, size < 64 ? size : 64);
	memcpy(to, from, size);
	to[size] = '\0';
}

/* 32 digits, with or without dashes; else all 0. */
static void
read_boot_id(uint8_t id[16], struct tl_bytes text)
{
	static const char digits[] = "0123456789abcdef";
	unsigned n = 0;

	memset(id, 0, 16);
	for (size_t i = 0; i < text.size && n < 32; i++) {
		const char *digit =
		    text.data[i] ? strchr(digits, text.data[i]) : NULL;

		if (text.data[i] == '-')
			continue;
		if (!digit)
			break;
		id[n / 2] = (uint8_t)(id[n / 2] << 4 | (digit - digits));
		n++;
	}
	if (n < 32)
		memset(id, 0, 16);
}

/* The last part of the file's name, without what tells its kind. */
static void
name_timeline(const struct tl_input *input, struct tl_origin *origin)
{
	const char *slash = strrchr(input->name, '/');
	const char *name = slash ? slash + 1 : input->name;

	if (strcmp(name, "-") != 0)
		copy_name(origin->timeline, name, strcspn(name, "."));
}

static void
trace_origin(const struct tl_trace *trace, struct tl_origin *origin)
{
	const struct tl_bytes host = tl_trace_info(trace, "host");
	const struct tl_bytes command = tl_trace_info(trace, "command");
	const struct tl_bytes timeline = tl_trace_info(trace, "timeline");

	copy_name(origin->machine, host.data, host.size);
	copy_name(origin->command, command.data, command.size);
	read_boot_id(origin->boot_id, tl_trace_info(trace, "boot"));
	if (timeline.size > 0)
		copy_name(origin->timeline, timeline.data, timeline.size);
}

static void
snap_origin(const struct tl_snap *snap, struct tl_origin *origin)
{
	const struct timeline_header *h = tl_snap_header(snap);
	struct tl_origin here;
	uint8_t boot_id[16];

	copy_name(origin->machine, h->creator_host, sizeof(h->creator_host));
	copy_name(origin->command, h->creator_command,
	    sizeof(h->creator_command));
	origin->pid = h->creator_pid;
	memcpy(origin->boot_id, h->boot_id, sizeof(origin->boot_id));
	tl_boot_id(boot_id);
	if (memcmp(boot_id, h->boot_id, sizeof(boot_id)) != 0)
		return;
	tl_origin_here(&here);
	origin->monotonic_ns = here.monotonic_ns;
	origin->boottime_ns = here.boottime_ns;
}

void
tl_input_origin(const struct tl_input *input, struct tl_origin *origin)
{
	*origin = (struct tl_origin){ 0 };
	name_timeline(input, origin);
	if (input->snap)
		snap_origin(input->snap, origin);
	else if (input->trace)
		trace_origin(input->trace, origin);
}
