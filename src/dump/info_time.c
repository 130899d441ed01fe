/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info_time.c - the part of --info that tells of time: levels and clock.
 */
#include "dump/info_time.h"

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

/* The names of the flags that are set, with commas. */
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
put_knot(struct tl_fields *f, const struct timeline_knot *knot)
{
	tl_fields_object(f, NULL);
	tl_fields_time(f, "time", knot->utc_ns);
	tl_fields_unsigned(f, "stamp", knot->tsc);
	tl_fields_unsigned(f, "epoch", knot->epoch);
	tl_fields_duration(f, "likely_error", knot->est_err_ns);
	tl_fields_duration(f, "error_bound", knot->max_err_ns);
	put_flags(f, "flags", knot->flags, false);
	tl_fields_object_end(f);
}

void
tl_info_put_clock(struct tl_fields *f, const struct tl_snap *snap)
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
	for (size_t i = 0; i < knots; i++)
		put_knot(f, tl_snap_knot(snap, i));
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* The word for a threshold. */
static const char *
threshold_name(unsigned threshold)
{
	if (threshold == 0)
		return "unknown";
	return threshold == TIMELINE_LEVEL_NONE ? "off"
						: tl_level_name(threshold);
}

static void
put_window(struct tl_fields *f, const struct tl_level_window *window)
{
	tl_fields_object(f, NULL);
	tl_fields_time(f, "from", window->from_ns);
	tl_fields_time(f, "to", window->to_ns);
	tl_fields_duration(f, "length", window->to_ns - window->from_ns);
	tl_fields_string(f, "open_from", threshold_name(window->threshold));
	tl_fields_bool(f, "burst", window->burst);
	tl_fields_bool(f, "merged", window->merged);
	tl_fields_bool(f, "joined", window->joined);
	tl_fields_bool(f, "sample", window->sample);
	if (window->pid != 0)
		tl_fields_unsigned(f, "by_pid", window->pid);
	tl_fields_object_end(f);
}

/* How long each level was open, of the time that is known. */
static void
put_shares(struct tl_fields *f, const struct tl_levels *levels)
{
	tl_fields_array(f, "open_times");
	for (unsigned level = TIMELINE_LEVEL_MAX; level > 0; level--) {
		int64_t known_ns;
		const int64_t open_ns = tl_levels_open(levels, level, INT64_MIN,
		    INT64_MAX, &known_ns);

		if (known_ns == 0)
			continue;
		tl_fields_object(f, NULL);
		tl_fields_string(f, "level", tl_level_name(level));
		tl_fields_duration(f, "open", open_ns);
		tl_fields_duration(f, "of", known_ns);
		tl_fields_double(f, "share",
		    (double)open_ns / (double)known_ns);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

void
tl_info_put_levels(struct tl_fields *f, const struct timeline_header *header,
    const struct tl_levels *levels)
{
	tl_fields_object(f, "levels");
	tl_fields_string(f, "threshold_now",
	    threshold_name(timeline_threshold(timeline_levels(header))));
	tl_fields_string(f, "base_now",
	    threshold_name(
		timeline_levels(header) >> TIMELINE_LEVELS_BASE & 0xff));
	tl_fields_unsigned(f, "bursts", levels->bursts);
	tl_fields_unsigned(f, "bursts_merged", levels->merged_bursts);
	tl_fields_unsigned(f, "bursts_sampled", levels->samples);
	put_shares(f, levels);
	tl_fields_array(f, "windows");
	for (size_t i = 0; i < levels->count; i++)
		put_window(f, &levels->windows[i]);
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}
