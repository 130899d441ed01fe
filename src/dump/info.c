/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - what is known of a file.
 */
#include "dump/info.h"

#include "base/fields.h"
#include "dump/info_host.h"
#include "dump/info_time.h"

#include <string.h>

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

/* Text in a fixed field, which may lack its NUL. */
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

	tl_put_unsigned(&text, h->major);
	tl_put_char(&text, '.');
	tl_put_unsigned(&text, h->minor);
	tl_fields_string(f, "state", state_name(snap));
	tl_fields_bytes(f, "format", tl_bytes(text.data, text.size));
	tl_text_free(&text);
	tl_fields_unsigned(f, "size", h->total_size);
	tl_fields_bool(f, "superseded", h->superseded != 0);
	tl_fields_time(f, "created", h->created_ns);
	if (h->saved_ns != 0 && !tl_snap_was_live(snap))
		tl_fields_time(f, "saved", h->saved_ns);
	tl_fields_object(f, "creator");
	put_fixed(f, "command", h->creator_command, sizeof(h->creator_command));
	tl_fields_unsigned(f, "pid", h->creator_pid);
	tl_fields_unsigned(f, "uid", h->creator_uid);
	put_fixed(f, "host", h->creator_host, sizeof(h->creator_host));
	put_id(f, "machine_id", h->machine_id);
	put_id(f, "boot_id", h->boot_id);
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
put_lane(struct tl_fields *f, size_t i, const struct tl_snap_lane *lane)
{
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
	tl_fields_object_end(f);
}

static void
put_lanes(struct tl_fields *f, const struct tl_snap *snap)
{
	tl_fields_array(f, "lanes");
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++)
		put_lane(f, i, tl_snap_lane(snap, i));
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
	uint64_t overwritten = 0, torn = 0;

	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		if (lane->first > lane->cleared)
			overwritten += lane->first - lane->cleared;
		torn += lane->torn;
	}
	tl_fields_object(f, "losses");
	tl_fields_unsigned(f, "overwritten", overwritten);
	tl_fields_unsigned(f, "torn", torn);
	for (size_t i = 0; i < TIMELINE_DROP_CAUSES; i++)
		if (causes[i])
			tl_fields_unsigned(f, causes[i], h->drops[i]);
	tl_fields_object_end(f);
}

/* What only a timeline has. */
static void
put_timeline(struct tl_fields *f, const struct tl_snap *snap,
    const struct tl_levels *levels)
{
	put_lanes(f, snap);
	put_losses(f, snap);
	tl_info_put_clock(f, snap);
	tl_info_put_levels(f, tl_snap_header(snap), levels);
}

static int
put_input(struct tl_fields *f, const struct tl_input *input)
{
	struct tl_progress quiet = { 0 };
	struct tl_levels levels;
	int rc = tl_levels_read(&levels, input, &quiet);

	if (rc == 0) {
		tl_fields_object(f, NULL);
		tl_fields_string(f, "file", input->name);
		if (input->snap) {
			put_identity(f, input->snap);
			put_geometry(f, tl_snap_header(input->snap));
		} else {
			tl_fields_string(f, "state", "foreign");
			tl_fields_string(f, "format", tl_input_format(input));
		}
		if (input->host)
			tl_info_put_host(f, input->host);
		tl_fields_unsigned(f, "messages",
		    tl_input_message_count(input));
		tl_fields_unsigned(f, "entries_shown", levels.entries);
		if (levels.entries > 0) {
			tl_fields_time(f, "oldest", levels.first_ns);
			tl_fields_time(f, "newest", levels.last_ns);
		}
		if (input->snap)
			put_timeline(f, input->snap, &levels);
		tl_fields_unsigned(f, "faults", tl_input_fault_count(input));
		tl_fields_object_end(f);
	}
	tl_levels_free(&levels);
	return rc;
}

int
tl_info_show(const struct tl_inputs *inputs, const struct tl_options *options,
    struct tl_output *output)
{
	bool first = true;
	int rc = 0;

	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		struct tl_fields f = { .text = &output->text,
			.json = options->format == TL_FORMAT_JSON };

		if (!tl_input_is_open(&inputs->items[i]))
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
