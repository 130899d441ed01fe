/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - sources and their machines, in order of appearance. */
#include "dump/follow/sources.h"

#include "clock/clock.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline_layout.h>

int
tl_follow_sources_add(struct tl_follow_sources *s,
    const struct tl_origin *origin, const char *name)
{
	struct tl_host *host = &s->hosts.list[s->count];
	char number[24] = "";
	int rc;
	static const uint8_t unknown[sizeof(origin->boot_id)];
	struct tl_id_key key;

	if (s->count == TL_FOLLOW_SOURCES_MAX)
		return -ENOSPC;
	/* The number of a machine.  A machine without a boot ID gets a number
	 * of its own. */
	if (memcmp(origin->boot_id, unknown, sizeof(unknown)) == 0) {
		key.a = 0;
		key.b = s->count + 1; /* boot IDs are never this small */
	} else {
		memcpy(&key, origin->boot_id, sizeof(key));
	}
	rc = tl_id_map_get(&s->boots, key, &s->machines[s->count]);
	s->machine_count += rc > 0;
	if (rc < 0)
		return rc;
	*host = (struct tl_host){ .origin = *origin, .first_source = s->count };
	snprintf(host->name, sizeof(host->name), "%s",
	    origin->machine[0] ? origin->machine : name);
	if (s->count < s->input_count)
		snprintf(number, sizeof(number), "%zu", s->count + 1);
	host->offset_ns = host->given_ns = tl_hosts_plan_given(s->plan,
	    (const char *const[]){ origin->machine, name, number }, 3);
	s->origins[s->count] = *origin;
	s->hosts.of_source[s->count] = (unsigned)s->count;
	s->hosts.count = ++s->count;
	return 0;
}

int
tl_follow_sources_init(struct tl_follow_sources *s,
    const struct tl_sources *inputs, const struct tl_hosts_plan *plan)
{
	const size_t most = TL_FOLLOW_SOURCES_MAX;
	int rc;
	static const struct tl_origin unknown;
	struct tl_origin here;

	*s = (struct tl_follow_sources){
		.hosts = { .list = calloc(most, sizeof(*s->hosts.list)),
		    .of_source = calloc(most, sizeof(*s->hosts.of_source)) },
		.origins = calloc(most, sizeof(*s->origins)),
		.machines = calloc(most, sizeof(*s->machines)),
		.plan = plan
	};
	if (!s->hosts.list || !s->hosts.of_source || !s->origins ||
	    !s->machines)
		return -ENOMEM;
	/* Add the inputs.  A stream has no origin of its own; all other inputs
	 * are of this machine. */
	rc = 0;
	tl_origin_here(&here);
	tl_boot_id(here.boot_id);
	s->input_count = inputs->count;
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		const struct tl_source *item = &inputs->items[i];

		const bool is_stream = tl_source_is_followed(item);

		rc = tl_follow_sources_add(s, is_stream ? &unknown : &here,
		    is_stream ? "" : item->name);
		s->has_streams |= is_stream;
		s->machine_count -= is_stream;
	}
	/* streams may bring several hosts */
	s->hosts.are_several = s->has_streams;
	return rc;
}

void
tl_follow_sources_free(struct tl_follow_sources *s)
{
	free(s->origins);
	free(s->machines);
	free(s->hosts.list);
	free(s->hosts.of_source);
	tl_id_map_free(&s->boots);
}

void
tl_follow_sources_ask_clock(struct tl_follow_sources *s)
{
	const struct tl_clock_source *clock =
	    tl_clock_source(TIMELINE_CLOCK_REALTIME);
	struct tl_clock_sync sync = { .error_us = TL_SYNC_UNBOUNDED };

	if (!s->has_streams)
		return; /* all sources are on this machine */
	if (clock && clock->sync)
		clock->sync(clock->context, &sync);
	s->here_us = sync.error_us;
}

void
tl_follow_sources_shift(const struct tl_follow_sources *s,
    struct tl_event *event)
{
	tl_host_move(event, s->hosts.list[event->source].offset_ns);
}

/* == overlaps == */

static void
keep_end(struct tl_follow_ends *e, int64_t ns, uint32_t machine)
{
	const unsigned last = e->count > 0 && e->machine[0] == machine ? 0 : 1;

	if (e->count == 0 || ns > e->ns[0]) {
		/* the farthest end so far belongs to another machine */
		if (e->count > 0 && last == 1) {
			e->ns[1] = e->ns[0];
			e->machine[1] = e->machine[0];
		}
		e->count += e->count == 0 || (last == 1 && e->count == 1);
		e->ns[0] = ns;
		e->machine[0] = machine;
	} else if (last == 1 && (e->count == 1 || ns > e->ns[1])) {
		e->ns[1] = ns;
		e->machine[1] = machine;
		e->count = 2;
	}
}

/* Does an interval that begins at ns overlap an interval of another machine? */
static bool
reaches(const struct tl_follow_ends *e, int64_t ns, uint32_t machine)
{
	for (unsigned i = 0; i < e->count; i++) {
		if (e->machine[i] != machine)
			return ns <= e->ns[i];
	}
	return false;
}

/* Mark one event.  turned: the events are passed in reverse, with times
 * negated. */
static void
mark_one(const struct tl_follow_sources *s, struct tl_follow_ends *ends,
    struct tl_event *event, bool turned)
{
	const uint32_t machine = s->machines[event->source];
	const int64_t half =
	    event->sync_us == TL_SYNC_UNBOUNDED
		? -1
		: (int64_t)event->sync_us * 1000 + event->error_ns;
	/* Events of one machine do not overlap. */
	const bool is_alone = s->machine_count < 2;
	const int64_t ns = turned ? ~event->ns : event->ns;

	if (!event->message)
		return;
	if (half < 0) {
		event->overlaps = !is_alone;
		return;
	}
	event->overlaps |= reaches(ends, tl_add_ns(ns, -half), machine);
	keep_end(ends, tl_add_ns(ns, half), machine);
}

void
tl_follow_sources_mark(struct tl_follow_sources *s, struct tl_event *events,
    size_t count)
{
	struct tl_follow_ends behind = { 0 };

	if (!s->has_streams)
		return; /* all sources are on this machine */
	for (size_t i = 0; i < count; i++)
		mark_one(s, &s->shown, &events[i], false);
	while (count > 0)
		mark_one(s, &behind, &events[--count], true);
}
