/* SPDX-License-Identifier: Apache-2.0 */
#include "dump/overwritten.h"

#include "snap/snap.h"
#include "source/hosts.h"

#include <errno.h>
#include <stdlib.h>

enum { BITS = 64, SMALL = 10 /* least part of the file's time */ };

static bool
has_cpu(const struct tl_overwritten *o, uint32_t cpu)
{
	return cpu < TIMELINE_LANES_MAX &&
	       (o->cpus[cpu / BITS] >> cpu % BITS & 1) != 0;
}

static bool
is_turned(const struct tl_snap_lane *lane, const struct tl_filter *filter)
{
	const struct tl_event event = { .kind = TL_LOST, .cpu = lane->cpu };

	return lane->lapped > 0 && tl_filter_place(filter, &event);
}

static int
find(struct tl_overwritten *o, const struct tl_source *input,
    const struct tl_filter *filter)
{
	struct tl_snap *snap =
	    tl_source_is_open(input) ? tl_source_snap(input) : NULL;

	o->since_ns = INT64_MIN;
	o->first_ns = INT64_MAX;
	o->cpus = calloc(TIMELINE_LANES_MAX / BITS + 1, sizeof(*o->cpus));
	if (!o->cpus)
		return -ENOMEM;
	if (!snap || !timeline_is_whole(tl_snap_header(snap)))
		return 0;
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);
		int64_t ns;
		const int rc = tl_snap_lane_begin(snap, (uint32_t)i, &ns);

		if (rc < 0)
			return rc;
		ns = rc > 0 ? tl_source_shifted(input, ns) : INT64_MIN;
		if (rc > 0 && ns < o->first_ns)
			o->first_ns = ns;
		if (is_turned(lane, filter)) {
			/* Add a lane whose oldest entries were overwritten.  ns
			 * is the time of its first entry, or INT64_MIN. */
			o->any = true;
			if (ns > o->since_ns)
				o->since_ns = ns;
			if (lane->cpu < TIMELINE_LANES_MAX)
				o->cpus[lane->cpu / BITS] |=
				    UINT64_C(1) << lane->cpu % BITS;
			else
				o->fallback = true;
		}
	}
	return 0;
}

int
tl_overwritten_find(struct tl_overwritten **list,
    const struct tl_sources *inputs, const struct tl_filter *filter)
{
	struct tl_overwritten *all = calloc(inputs->count + 1, sizeof(*all));
	int rc = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		struct tl_source *input = &inputs->items[i];

		all[i].name = inputs->count > 1 ? input->name : NULL;
		rc = find(&all[i], input, filter);
	}
	if (rc == 0)
		*list = all;
	else
		tl_overwritten_free(all, inputs->count);
	return rc;
}

void
tl_overwritten_free(struct tl_overwritten *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		free(list[i].cpus);
	free(list);
}

/* The last CPU of a run of CPUs that begins at cpu. */
static uint32_t
run_end(const struct tl_overwritten *o, uint32_t cpu)
{
	while (has_cpu(o, cpu + 1))
		cpu++;
	return cpu;
}

/* The next CPU from cpu on.  TIMELINE_LANES_MAX: none. */
static uint32_t
next_cpu(const struct tl_overwritten *o, uint32_t cpu)
{
	while (cpu < TIMELINE_LANES_MAX && !has_cpu(o, cpu))
		cpu++;
	return cpu;
}

/* Append "CPU 1, 3 and 8-15". */
static bool
put_cpus(struct tl_text *text, const struct tl_overwritten *o)
{
	uint32_t cpu = next_cpu(o, 0);
	const bool any = cpu < TIMELINE_LANES_MAX;

	for (bool first = true; cpu < TIMELINE_LANES_MAX; first = false) {
		/* a run of two CPUs is listed as two numbers */
		const uint32_t end =
		    run_end(o, cpu) > cpu + 1 ? run_end(o, cpu) : cpu;
		const uint32_t next = next_cpu(o, end + 1);

		tl_put_string(text, first                        ? "CPU "
				    : next == TIMELINE_LANES_MAX ? " and "
								 : ", ");
		tl_put_unsigned(text, cpu);
		if (end > cpu) {
			tl_put_char(text, '-');
			tl_put_unsigned(text, end);
		}
		cpu = next;
	}
	return any;
}

void
tl_overwritten_put(struct tl_text *text, const struct tl_overwritten *o)
{
	tl_put_format(text, "before %s: entries of ", TL_TIME(o->since_ns));
	if (put_cpus(text, o) && o->fallback)
		tl_put_string(text, " and of ");
	if (o->fallback)
		tl_put_string(text, "no CPU");
	if (o->name) {
		tl_put_string(text, " of ");
		tl_put_plain(text, tl_bytes_of(o->name));
	}
	tl_put_string(text, " are overwritten");
}

int
tl_overwritten_warn(struct tl_text *text, const struct tl_sources *inputs,
    const struct tl_filter *filter)
{
	struct tl_overwritten *list;
	const int rc = tl_overwritten_find(&list, inputs, filter);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_overwritten *o = &list[i];
		int64_t last_ns;

		if (!o->any ||
		    tl_source_newest(&inputs->items[i], &last_ns) != 0 ||
		    last_ns <= o->first_ns ||
		    last_ns - o->since_ns >= (last_ns - o->first_ns) / SMALL)
			continue;
		tl_put_plain(text, tl_bytes_of(inputs->items[i].name));
		tl_put_format(text,
		    ": complete since %s, for %s of %s:\n  before that, "
		    "entries of ",
		    TL_TIME(o->since_ns), TL_DURATION(last_ns - o->since_ns),
		    TL_DURATION(last_ns - o->first_ns));
		if (!put_cpus(text, o))
			tl_put_string(text, "no CPU");
		tl_put_string(text,
		    " are overwritten; a larger ring (timelinectl "
		    "create --entries) or timelinectl record keeps "
		    "more\n\n");
	}
	tl_overwritten_free(list, inputs->count);
	return 0;
}
