/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_sources.c - machines that appear while entries are followed, and
 * overlaps, compared with a check of every two entries.
 */
#include "dump/follow/sources.h"

#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 200, BATCH = 20, ROUNDS = 200 };

static struct tl_follow_sources sources;
static struct tl_hosts_plan plan;
static struct tl_message message;
static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	return random_mix(++seed) % below;
}

static void
start(void)
{
	struct tl_source item;
	const struct tl_source_plan follow = { .follow = true };
	const struct tl_sources inputs = { .items = &item, .count = 1 };

	tl_source_open(&item, "test://", &follow);
	ck_assert_ok(tl_follow_sources_init(&sources, &inputs, &plan));
	tl_source_free(&item);
}

static void
setup(void)
{
	plan = (struct tl_hosts_plan){ 0 };
	start();
}

static void
teardown(void)
{
	tl_follow_sources_free(&sources);
}

static void
come(const char *machine, uint8_t boot, const char *name)
{
	struct tl_origin origin = { .boot_id = { boot, boot } };

	snprintf(origin.machine, sizeof(origin.machine), "%s", machine);
	ck_assert_ok(tl_follow_sources_add(&sources, &origin, name));
}

static bool
overlap(const struct tl_event *a, const struct tl_event *b)
{
	const int64_t apart = a->ns > b->ns ? a->ns - b->ns : b->ns - a->ns;

	return sources.machines[a->source] != sources.machines[b->source] &&
	       apart <= a->error_ns + b->error_ns +
			    1000 * ((int64_t)a->sync_us + b->sync_us);
}

/* Make events in order of time, batch after batch. */
static void
make(struct tl_event *events)
{
	int64_t ns = 1000;

	for (size_t i = 0; i < EVENTS; i++) {
		ns += (int64_t)any(4000);
		events[i] = (struct tl_event){ .ns = ns,
			.message = &message,
			.kind = TL_INSTANT,
			.error_ns = (uint32_t)any(100),
			.sync_us = (uint32_t)any(3),
			.source = (uint16_t)(1 + any(4)) };
	}
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(what_overlaps_is_what_every_two_say)
{
	static struct tl_event events[EVENTS];

	come("web", 1, "a");
	come("web", 1, "b"); /* the same machine */
	come("db", 2, "c");
	come("", 0, "d");
	for (unsigned round = 0; round < ROUNDS; round++) {
		sources.shown = (struct tl_follow_ends){ 0 };
		make(events);
		for (size_t i = 0; i < EVENTS; i += BATCH)
			tl_follow_sources_mark(&sources, &events[i], BATCH);
		for (size_t i = 0; i < EVENTS; i++) {
			const size_t end = i - i % BATCH + BATCH;
			bool expected = false;

			for (size_t k = 0; k < end; k++)
				expected |= overlap(&events[i], &events[k]);
			ck_assert_msg(events[i].overlaps == expected,
			    "round %u, entry %zu", round, i);
		}
	}
}

TEST(one_machine_alone_overlaps_with_nobody)
{
	struct tl_event events[] = {
		{ .source = 1, .message = &message, .sync_us = 5 },
		{ .source = 2,
		    .message = &message,
		    .sync_us = TL_SYNC_UNBOUNDED },
	};

	come("web", 1, "a");
	come("web", 1, "b");
	tl_follow_sources_mark(&sources, events, 2);
	ck_assert(!events[0].overlaps && !events[1].overlaps);
	come("db", 2, "c");
	tl_follow_sources_mark(&sources, events, 2);
	ck_assert(!events[0].overlaps);
	ck_assert(events[1].overlaps);
}

TEST(an_offset_waits_for_its_host)
{
	struct tl_event event = { .ns = 5, .source = 2 };

	tl_follow_sources_free(&sources);
	ck_assert_ok(tl_hosts_plan_offset(&plan, "db=1us", NULL));
	ck_assert_ok(tl_hosts_plan_offset(&plan, "db/main=1us", NULL));
	ck_assert_ok(tl_hosts_plan_offset(&plan, "never=1us", NULL));
	start();
	come("web", 1, "web/main");
	come("db", 2, "db/main");
	tl_follow_sources_shift(&sources, &event);
	ck_assert_int_eq(event.ns, 2005);
	event.source = 1;
	tl_follow_sources_shift(&sources, &event);
	ck_assert_int_eq(event.ns, 2005);
}
