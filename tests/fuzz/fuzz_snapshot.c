/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_snapshot.c - any bytes as a file: open it, walk it both ways, render
 * every line and call every accessor, timers included.  Both ways must show the
 * same.
 */
#include "event/render.h"
#include "snap/snap.h"
#include "snap/timers.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t events;
	uint64_t lost;
	uint64_t sum;
};

static void
see(struct seen *seen, const struct tl_event *e)
{
	if (e->kind == TL_LOST) {
		assert(e->lost > 0);
		seen->lost += e->lost;
		return;
	}
	assert(e->message && e->level <= TIMELINE_LEVEL_MAX);
	assert(e->kind >= TL_INSTANT && e->kind < TL_LOST);
	seen->events++;
	seen->sum += e->args[0] ^ e->tsc ^ e->number;
}

/* Whatever the file claims, it cannot have more entries than bytes for them. */
static struct seen
walk(struct tl_snap *snap, enum tl_order order, size_t size)
{
	struct tl_text text = { 0 };
	struct tl_cursor *cursor;
	struct seen seen = { 0 };
	struct tl_event e;
	int rc = tl_snap_cursor(snap, order, &cursor);

	assert(rc == 0);
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		see(&seen, &e);
		text.size = 0;
		tl_render_line(&text, &e);
	}
	assert(rc == 0);
	assert(seen.events <= size / TIMELINE_ENTRY_SIZE);
	tl_cursor_close(cursor);
	tl_text_free(&text);
	return seen;
}

static void
ask_about_lanes(const struct tl_snap *snap)
{
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		assert(lane->first <= lane->end && lane->end <= lane->head);
		assert(lane->end - lane->first <= lane->entries);
	}
}

static void
ask_about_the_rest(const struct tl_snap *snap)
{
	uint32_t error_ns;

	for (size_t i = 0; i < tl_snap_message_count(snap); i++) {
		const struct tl_message *m = tl_snap_message(snap, i);

		assert(m->argc <= TL_ARGS_MAX && m->category.data && m->id);
		(void)tl_message_string(m, m->id);
	}
	for (size_t i = 0; i < tl_snap_knot_count(snap); i++)
		(void)tl_snap_time(snap, tl_snap_knot(snap, i)->epoch,
		    tl_snap_knot(snap, i)->tsc, &error_ns);
	(void)tl_snap_time(snap, 0, 0, &error_ns);
	(void)tl_snap_time(snap, UINT32_MAX, UINT64_MAX, NULL);
	(void)tl_snap_same_clock(snap, snap);
	for (size_t i = 0;
	     i < tl_snap_fault_count(snap) && i < TL_SNAP_FAULTS_MAX; i++)
		assert(tl_snap_fault(snap, i)->text[0]);
}

/*
 * Counts may have any value and their sums may wrap; a duration never exceeds
 * the largest one.
 */
static void
ask_about_timers(const struct tl_snap *snap)
{
	static struct tl_timer timer, same;
	struct tl_fields fields = { .text = &(struct tl_text){ 0 },
		.json = true };
	int rc;

	for (uint32_t i = 0; (rc = tl_snap_timer(&timer, snap, i)) > 0; i++) {
		for (double percent = 0; percent <= 100; percent += 25)
			assert(tl_timer_at(&timer, percent) <= timer.max);
		tl_text_clear(fields.text);
		tl_fields_object(&fields, NULL);
		tl_timer_put(&fields, &timer);
		tl_timer_put_slower(&fields, &timer);
		tl_fields_object_end(&fields);
		same = timer;
		tl_timer_since(&timer, &same);
		assert(timer.count == 0 && timer.sum == 0 && timer.max == 0);
	}
	assert(rc == 0);
	for (size_t i = 0; i < tl_snap_message_count(snap); i++)
		(void)tl_snap_timer_of(&timer, snap, tl_snap_message(snap, i));
	tl_text_free(fields.text);
}

static void
look(int fd, size_t size, uint64_t tail)
{
	struct tl_fault fault = { 0 };
	struct seen newest, oldest;
	struct tl_snap *snap;
	const int rc = tl_snap_open_fd(&snap, fd, tail, &fault);

	assert(rc == 0 || (fault.rc == rc && fault.text[0]));
	if (rc != 0)
		return;
	ask_about_lanes(snap);
	newest = walk(snap, TL_NEWEST_FIRST, size);
	oldest = walk(snap, TL_OLDEST_FIRST, size);
	assert(newest.events == oldest.events && newest.lost == oldest.lost &&
	       newest.sum == oldest.sum);
	ask_about_the_rest(snap);
	ask_about_timers(snap);
	tl_snap_close(snap);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	assert(fd >= 0);
	if (write(fd, data, size) == (ssize_t)size) {
		look(fd, size, 0);
		look(fd, size, 3);
	}
	close(fd);
	return 0;
}
