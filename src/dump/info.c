/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - --info: the program that made a file, geometry, lanes, levels,
 * losses, clock.
 */
#include "base/fields.h"
#include "clock/clock.h"
#include "dump/stats/observed.h"
#include "dump/views.h"
#include "ring/ring.h"
#include "snap/inspect.h"
#include "source/hosts.h"
#include "source/sources.h"
#include "trace/read.h"

#include <string.h>

/* == host == */

static const char *
state_of(const struct tl_host *host)
{
	if (host->clock.count == 0)
		return "unknown";
	return host->stated_us == TL_SYNC_UNBOUNDED ? "unsynchronised"
						    : "synchronised";
}

static void
put_host(struct tl_fields *f, const struct tl_host *host)
{
	char boot_id[TL_ORIGIN_BOOT_SIZE];

	tl_origin_boot_text(host->origin.boot_id, boot_id);
	tl_fields_object(f, "host");
	tl_fields_string(f, "name", host->name);
	if (boot_id[0])
		tl_fields_string(f, "boot_id", boot_id);
	else
		tl_fields_null(f, "boot_id");
	tl_fields_string(f, "clock", state_of(host));
	/* Append an error bound.  json_name: the name in the form of
	 * tl_fields_duration(). */
	if (host->stated_us == TL_SYNC_UNBOUNDED)
		tl_fields_null(f, f->json ? "clock_bound_ns" : "clock_bound");
	else
		tl_fields_duration(f, "clock_bound",
		    (int64_t)host->stated_us * 1000);
	if (host->given_ns != 0)
		tl_fields_duration(f, "offset", host->offset_ns);
	tl_fields_object_end(f);
}

/* == time: levels and clock == */

static const struct {
	uint32_t flag;
	const char *name;
} knot_flags[] = { { TIMELINE_KNOT_FIRST, "first" },
	{ TIMELINE_KNOT_STEP, "step" }, { TIMELINE_KNOT_LEAP, "leap" },
	{ TIMELINE_KNOT_KINK, "kink" }, { TIMELINE_KNOT_GAP, "gap" },
	{ TIMELINE_KNOT_NEW_EPOCH, "new-epoch" },
	{ TIMELINE_KNOT_CLOSE, "close" }, { TIMELINE_KNOT_COARSE, "coarse" },
	{ TIMELINE_KNOT_UNSYNC, "unsynchronised" },
	{ TIMELINE_KNOT_SUSPECT, "suspect" },
	{ TIMELINE_KNOT_NO_VDSO, "no-vdso" } },
  cpu_flags[] = { { TIMELINE_CPU_CONSTANT_TSC, "constant" },
	  { TIMELINE_CPU_NONSTOP_TSC, "nonstop" },
	  { TIMELINE_CPU_CLOCKSOURCE_TSC, "clocksource" },
	  { TIMELINE_CPU_HYPERVISOR, "hypervisor" } };

/* Append the names of the set flags, separated by commas. */
static void
put_flags(struct tl_fields *f, const char *name, uint32_t flags, bool of_cpu)
{
	struct tl_text text = { 0 };
	const size_t count = of_cpu
				 ? sizeof(cpu_flags) / sizeof(cpu_flags[0])
				 : sizeof(knot_flags) / sizeof(knot_flags[0]);

	for (size_t i = 0; i < count; i++) {
		const uint32_t flag =
		    of_cpu ? cpu_flags[i].flag : knot_flags[i].flag;

		if (!(flags & flag))
			continue;
		if (text.size > 0)
			tl_put_char(&text, ',');
		tl_put_string(&text,
		    of_cpu ? cpu_flags[i].name : knot_flags[i].name);
	}
	if (text.size > 0)
		tl_fields_bytes(f, name, tl_bytes(text.data, text.size));
	else
		tl_fields_string(f, name, "-");
	tl_text_free(&text);
}

static void
put_clock(struct tl_fields *f, const struct tl_snap *snap)
{
	const struct timeline_header *h = tl_snap_header(snap);
	const size_t knots = tl_snap_knot_count(snap);
	uint32_t worst_ns = 0;

	for (size_t i = 0; i < knots; i++) {
		if (tl_snap_knot(snap, i)->max_err_ns > worst_ns)
			worst_ns = tl_snap_knot(snap, i)->max_err_ns;
	}
	tl_fields_object(f, "clock");
	tl_fields_string(f, "stamps",
	    h->clock_kind == TIMELINE_CLOCK_TSC ? "tsc" : "realtime");
	if (h->clock_kind == TIMELINE_CLOCK_TSC) {
		tl_fields_unsigned(f, "nominal_khz", h->tsc_khz);
		put_flags(f, "counter", h->cpu_flags, true);
	}
	tl_fields_unsigned(f, "epochs", (uint64_t)h->epochs + 1);
	tl_fields_unsigned(f, "knots_ever", h->knot_count);
	tl_fields_duration(f, "error_bound", worst_ns);
	tl_fields_array(f, "knots");
	for (size_t i = 0; i < knots; i++) {
		const struct timeline_knot *knot = tl_snap_knot(snap, i);

		tl_fields_object(f, NULL);
		tl_fields_time(f, "time", knot->utc_ns);
		tl_fields_unsigned(f, "stamp", knot->tsc);
		tl_fields_unsigned(f, "epoch", knot->epoch);
		tl_fields_duration(f, "likely_error", knot->est_err_ns);
		tl_fields_duration(f, "error_bound", knot->max_err_ns);
		put_flags(f, "flags", knot->flags, false);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* The name of a threshold. */
static const char *
threshold_name(unsigned threshold)
{
	if (threshold == 0)
		return "unknown";
	return threshold == TIMELINE_LEVEL_NONE ? "off"
						: tl_level_name(threshold);
}

/* Append the share of the measured time in which each level was open. */
static void
put_shares(struct tl_fields *f, const struct tl_observed_time *time)
{
	int64_t open_ns, all_ns;

	tl_fields_array(f, "open_times");
	(void)tl_observed_time_of_level(time, TIMELINE_LEVEL_NONE, &all_ns);
	for (unsigned level = TIMELINE_LEVEL_MAX; level > 0; level--) {
		const double share =
		    tl_observed_time_of_level(time, level, &open_ns);

		if (share < 0)
			continue;
		tl_fields_object(f, NULL);
		tl_fields_string(f, "level", tl_level_name(level));
		tl_fields_duration(f, "open", open_ns);
		tl_fields_duration(f, "of", all_ns);
		tl_fields_double(f, "share", share);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

static void
put_levels(struct tl_fields *f, const struct timeline_header *header,
    const struct tl_levels *levels, const struct tl_observed_time *time)
{
	/* A file that does not say where it was cut has the levels as
	 * stored. */
	const uint8_t threshold =
	    header->cut ? tl_threshold_at(header, header->cut)
			: timeline_threshold(timeline_levels(header));

	tl_fields_object(f, "levels");
	tl_fields_string(f, "threshold_now", threshold_name(threshold));
	tl_fields_string(f, "base_now",
	    threshold_name(
		timeline_levels(header) >> TIMELINE_LEVELS_BASE & 0xff));
	tl_fields_unsigned(f, "bursts", levels->bursts);
	tl_fields_unsigned(f, "bursts_merged", levels->merged_bursts);
	tl_fields_unsigned(f, "bursts_sampled", levels->samples);
	put_shares(f, time);
	tl_fields_array(f, "windows");
	for (size_t i = 0; i < levels->count; i++) {
		const struct tl_level_window *window = &levels->windows[i];

		tl_fields_object(f, NULL);
		tl_fields_time(f, "from", window->from_ns);
		tl_fields_time(f, "to", window->to_ns);
		tl_fields_duration(f, "length",
		    tl_ns_between(window->from_ns, window->to_ns));
		tl_fields_string(f, "open_from",
		    threshold_name(window->threshold));
		tl_fields_bool(f, "burst", window->burst);
		tl_fields_bool(f, "merged", window->merged);
		tl_fields_bool(f, "joined", window->joined);
		tl_fields_bool(f, "sample", window->sample);
		if (window->pid != 0)
			tl_fields_unsigned(f, "by_pid", window->pid);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* == the file == */

static const char *
state_name(const struct tl_snap *snap)
{
	if (tl_snap_was_live(snap))
		return "live";
	switch (tl_snap_header(snap)->state) {
	case TIMELINE_LIVE:
		return "copy of a live one";
	case TIMELINE_SAVED:
		return "saved";
	case TIMELINE_IMPORTED:
		return "imported";
	default:
		return "unknown";
	}
}

/* Append text from a fixed field, which may lack the NUL. */
static void
put_fixed(struct tl_fields *f, const char *name, const char *field, size_t size)
{
	tl_fields_bytes(f, name, tl_bytes(field, strnlen(field, size)));
}

static void
put_id(struct tl_fields *f, const char *name, const uint8_t id[16])
{
	static const char digits[] = "0123456789abcdef";
	char hex[33];

	for (size_t i = 0; i < 16; i++) {
		hex[2 * i] = digits[id[i] >> 4];
		hex[2 * i + 1] = digits[id[i] & 15];
	}
	hex[32] = '\0';
	tl_fields_string(f, name, hex);
}

static void
put_identity(struct tl_fields *f, const struct tl_snap *snap)
{
	const struct timeline_header *h = tl_snap_header(snap);
	struct tl_text text = { 0 };
	struct tl_event cut;

	tl_put_unsigned(&text, h->major);
	tl_put_char(&text, '.');
	tl_put_unsigned(&text, h->minor);
	tl_fields_string(f, "state", state_name(snap));
	tl_fields_bytes(f, "format", tl_bytes(text.data, text.size));
	tl_text_free(&text);
	tl_fields_unsigned(f, "size", tl_snap_size(snap));
	if (tl_snap_used(snap) != 0)
		tl_fields_unsigned(f, "used", tl_snap_used(snap));
	tl_fields_bool(f, "superseded", h->superseded != 0);
	tl_fields_time(f, "created", h->created_ns);
	if (h->saved_ns != 0 && !tl_snap_was_live(snap))
		tl_fields_time(f, "saved", h->saved_ns);
	if (tl_snap_cut(snap, &cut))
		tl_fields_time(f, "complete_to", cut.ns);
	tl_fields_bool(f, "ended", tl_snap_has_ended(snap));
	tl_fields_object(f, "creator");
	put_fixed(f, "command", h->creator_command, sizeof(h->creator_command));
	tl_fields_unsigned(f, "pid", h->creator_pid);
	tl_fields_unsigned(f, "uid", h->creator_uid);
	put_fixed(f, "host", h->creator_host, sizeof(h->creator_host));
	put_id(f, "machine_id", h->machine_id);
	put_id(f, "boot_id", h->boot_id);
	if (h->pidns_inode)
		tl_fields_unsigned(f, "pid_namespace", h->pidns_inode);
	else
		tl_fields_null(f, "pid_namespace");
	tl_fields_object_end(f);
}

static void
put_geometry(struct tl_fields *f, const struct timeline_header *h)
{
	uint64_t given = 0;

	for (uint32_t t = 0; t < h->tiers && t < TIMELINE_TIERS_MAX; t++)
		given += timeline_tier_slots(h, t);
	tl_fields_object(f, "geometry");
	tl_fields_unsigned(f, "entries_asked", h->entries_asked);
	tl_fields_unsigned(f, "entries_given", given);
	if (f->json)
		tl_fields_bool(f, "small_lanes", tl_layout_is_small(h));
	else if (tl_layout_is_small(h))
		tl_fields_string(f, "warning",
		    "the lanes of CPUs hold fewer entries than were asked "
		    "for: remove the timeline and start its programs again");
	tl_fields_unsigned(f, "cpu_lanes", h->cpu_lanes);
	tl_fields_unsigned(f, "fallback_lanes", h->fallback_lanes);
	tl_fields_array(f, "tiers");
	for (uint32_t t = 0; t < h->tiers && t < TIMELINE_TIERS_MAX; t++) {
		tl_fields_object(f, NULL);
		tl_fields_unsigned(f, "tier", t);
		tl_fields_unsigned(f, "entries_of_each_lane",
		    h->tier_entries[t]);
		tl_fields_unsigned(f, "entries_of_each_fallback_lane",
		    h->fallback_entries[t]);
		tl_fields_unsigned(f, "at_byte", h->entries_offset[t]);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
	tl_fields_unsigned(f, "string_table", h->strings_size);
	tl_fields_unsigned(f, "string_table_used",
	    h->strings_tail < h->strings_size ? h->strings_tail
					      : h->strings_size);
	tl_fields_object_end(f);
}

static void
put_lanes(struct tl_fields *f, const struct tl_snap *snap)
{
	tl_fields_array(f, "lanes");
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		tl_fields_object(f, NULL);
		tl_fields_unsigned(f, "lane", i);
		if (lane->cpu == TL_CPU_UNKNOWN)
			tl_fields_null(f, "cpu");
		else
			tl_fields_unsigned(f, "cpu", lane->cpu);
		tl_fields_unsigned(f, "tier", lane->tier);
		tl_fields_unsigned(f, "room", lane->entries);
		tl_fields_unsigned(f, "logged", lane->head);
		tl_fields_unsigned(f, "cleared", lane->cleared);
		tl_fields_unsigned(f, "first", lane->first);
		tl_fields_unsigned(f, "end", lane->end);
		tl_fields_unsigned(f, "torn", lane->torn);
		tl_fields_unsigned(f, "left_out", lane->left_out);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

static void
put_losses(struct tl_fields *f, const struct tl_snap *snap)
{
	static const char *const causes[TIMELINE_DROP_CAUSES] = {
		[TIMELINE_DROP_LAPPED] = "dropped_writer_lapped",
		[TIMELINE_DROP_TABLE_FULL] = "definitions_refused",
		[TIMELINE_DROP_KNOTS] = "clock_knots_pushed_out"
	};
	const struct timeline_header *h = tl_snap_header(snap);
	uint64_t overwritten = 0, left_out = 0, torn = 0;

	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		if (lane->first > lane->cleared)
			overwritten += lane->first - lane->cleared;
		left_out += lane->left_out;
		torn += lane->torn;
	}
	tl_fields_object(f, "losses");
	tl_fields_unsigned(f, "overwritten", overwritten);
	tl_fields_unsigned(f, "left_out", left_out);
	tl_fields_unsigned(f, "torn", torn);
	for (size_t i = 0; i < TIMELINE_DROP_CAUSES; i++)
		if (causes[i])
			tl_fields_unsigned(f, causes[i], h->drops[i]);
	tl_fields_object_end(f);
}

/* Fields of a recorded trace. */
static void
put_trace(struct tl_fields *f, const struct tl_trace *trace)
{
	static const char *const states[] = { [TL_INDEX_READ] = "read",
		[TL_INDEX_MISSING] = "missing, made again",
		[TL_INDEX_BROKEN] = "broken, made again" };

	tl_fields_string(f, "index", states[tl_trace_index_state(trace)]);
	tl_fields_array(f, "threads");
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++) {
		const struct tl_trace_thread *t = tl_trace_thread(trace, i);

		tl_fields_object(f, NULL);
		tl_fields_unsigned(f, "thread", i + 1);
		tl_fields_unsigned(f, "pid", t->pid);
		tl_fields_unsigned(f, "tid", t->tid);
		if (t->name.size > 0)
			tl_fields_bytes(f, "name", t->name);
		if (t->command.size > 0)
			tl_fields_bytes(f, "process", t->command);
		tl_fields_unsigned(f, "entries", t->events);
		tl_fields_unsigned(f, "bytes", t->size);
		if (t->events > 0) {
			tl_fields_time(f, "oldest", t->min_ns);
			tl_fields_time(f, "newest", t->max_ns);
		}
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

static int
put_input(struct tl_fields *f, const struct tl_source *input)
{
	struct tl_progress quiet = { 0 };
	const struct tl_snap *snap = tl_source_snap(input);
	struct tl_observed_time time;
	struct tl_levels levels;
	int rc = tl_levels_read(&levels, input, &quiet);

	if (rc == 0 && snap)
		rc = tl_observed_time_read(&time, input, &levels, &quiet);
	if (rc == 0) {
		tl_fields_object(f, NULL);
		tl_fields_string(f, "file", input->name);
		if (snap) {
			put_identity(f, snap);
			put_geometry(f, tl_snap_header(snap));
		} else {
			tl_fields_string(f, "state", "foreign");
			tl_fields_string(f, "format", input->format);
		}
		if (input->host)
			put_host(f, input->host);
		tl_fields_unsigned(f, "messages",
		    tl_source_message_count(input));
		tl_fields_unsigned(f, "entries_shown", levels.entries);
		if (levels.entries > 0) {
			tl_fields_time(f, "oldest", levels.first_ns);
			tl_fields_time(f, "newest", levels.last_ns);
		}
		if (snap) {
			/* Fields of a timeline. */
			put_lanes(f, snap);
			put_losses(f, snap);
			put_clock(f, snap);
			put_levels(f, tl_snap_header(snap), &levels, &time);
		} else if (tl_source_trace(input))
			put_trace(f, tl_source_trace(input));
		tl_fields_unsigned(f, "faults", tl_source_fault_count(input));
		tl_fields_object_end(f);
	}
	tl_levels_free(&levels);
	return rc;
}

int
tl_info_show(const struct tl_sources *inputs, const struct tl_options *options,
    struct tl_output *output)
{
	bool first = true;
	int rc = 0;

	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		struct tl_fields f = { .text = &output->text,
			.json = options->format == TL_FORMAT_JSON };

		if (!tl_source_is_open(&inputs->items[i]))
			continue;
		if (!first && !f.json)
			tl_put_char(&output->text, '\n');
		first = false;
		rc = put_input(&f, &inputs->items[i]);
		if (rc == 0)
			rc = tl_output_more(output);
	}
	return rc;
}
