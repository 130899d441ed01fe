/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoch.c - the counter begins again: readers distinguish the entries of every
 * process before and after the restart, and list them in the order in which
 * they were logged.
 */
#include "../lib/process.h"
#include "../lib/snap_open.h"

enum { EACH = 5, EPOCHS = 3 };

static struct timeline *tl;
static struct timeline_event *event;

/*
 * A machine that was suspended leaves a newest point far ahead of the counter.
 */
static void
turn_the_counter_back(void)
{
	tl->header->clock.tsc += 100 * tl->header->tsc_khz * 1000;
}

static void
log_in_child(void *context)
{
	const uint64_t epoch = (uint64_t)(uintptr_t)context;
	struct timeline *own;
	struct timeline_event *other;

	expect_ok(timeline_open(&own, test_name));
	expect_ok(timeline_define(own, "epoch", "info", "$epoch $n", &other));
	for (uint64_t i = EACH; i < 2 * EACH; i++)
		timeline_log(other, epoch, i);
	timeline_close(own);
}

static void
check(void)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	uint64_t next = 0;

	expect(snap_open(&snap, test_name, 0, &fault) == 0, "%s", fault.text);
	expect(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0, "cursor");
	while (tl_cursor_next(cursor, &e) > 0) {
		expect(e.kind == TL_INSTANT && e.args[0] == e.epoch &&
			   e.epoch * 2 * EACH + e.args[1] == next,
		    "entry %lu of epoch %lu is in epoch %u", e.args[1],
		    e.args[0], e.epoch);
		next++;
	}
	expect(next == 2 * EACH * (EPOCHS + 1), "%lu entries", next);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

int
main(void)
{
	choose_test_name("epoch");
	expect_ok(timeline_new(&tl, test_name, NULL));
	expect_ok(timeline_define(tl, "epoch", "info", "$epoch $n", &event));
	for (uint64_t epoch = 0; epoch <= EPOCHS; epoch++) {
		for (uint64_t i = 0; i < EACH; i++)
			timeline_log(event, epoch, i);
		expect_success(spawn(log_in_child, (void *)(uintptr_t)epoch));
		turn_the_counter_back();
		/*
		 * the next process that defines a message detects the restart
		 */
		expect_ok(
		    timeline_define(tl, "epoch", "info", "$epoch $n", &event));
		expect(tl->header->epochs == epoch + 1, "%u epochs",
		    tl->header->epochs);
	}
	check();
	timeline_close(tl);
	return 0;
}
