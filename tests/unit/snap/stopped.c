/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stopped.c - a reader is stopped between any two words of a live file while
 * threads go on: the entries that it shows of a thread have no gap, and no
 * entry is a mixture.
 *
 * No reader can be stopped inside the kernel's copy, so pread is wrapped: heads
 * and entries of the live file are read word by word, and the threads act
 * before one of the words.
 */
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/snap_open.h"
#include "lib/test.h"
#include "snap/reader.h"

#include <time.h>

enum { N = 64, CPU0 = 0, CPU1 = 2, FALLBACK = 4, WORDS_MAX = 20000 };

static struct timeline_event *event;
static uint64_t sequence; /* of the next event of the one thread */

static struct {
	bool armed;
	bool downwards; /* last word first */
	uint64_t word;  /* the number of words read so far */
	uint64_t at;    /* act before this word */
	void (*act)(void);
	uint64_t slept_ns;
	uint64_t slept_first; /* slept before the first word of a round, + 1 */
} stop;

ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);

static bool
is_watched(off_t offset)
{
	return stop.armed && offset >= (off_t)tl->geometry.heads_offset &&
	       offset < (off_t)tl->geometry.knots_offset;
}

static bool
is_live(int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstat(tl->fd, &b) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

ssize_t
__wrap_pread(int fd, void *data, size_t size, off_t offset)
{
	if (!is_watched(offset) || !is_live(fd))
		return __real_pread(fd, data, size, offset);
	if (stop.slept_first == 0) /* the first word of this round? */
		stop.slept_first = stop.slept_ns + 1;
	for (size_t i = 0; i < size / 8; i++) {
		const size_t word = stop.downwards ? size / 8 - 1 - i : i;

		if (stop.word++ == stop.at)
			stop.act();
		memcpy((char *)data + 8 * word,
		    tl->map + (size_t)offset + 8 * word, 8);
	}
	return (ssize_t)size;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int
__wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	stop.slept_ns += (uint64_t)time->tv_nsec;
	return 0;
}

static void
setup(void)
{
	const struct timeline_options options = { .entries = 2 * N,
		.stringtablesize = 16384,
		.cpu_lanes = 2,
		.stamp = TIMELINE_STAMP_TSC };

	fixture_open(&options);
	tl->geometry.cpu_flags |= TIMELINE_CPU_CLOCKSOURCE_TSC;
	tl->header->cpu_flags = tl->geometry.cpu_flags;
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c", &event));
	sequence = 0;
	memset(&stop, 0, sizeof(stop));
	stop.at = UINT64_MAX;
}

/* The words of event number i. */
static struct timeline_entry
entry_of(uint64_t i)
{
	return (struct timeline_entry){ .tsc = tl_stamp_now(tl),
		.message = event->message,
		.args = { i, random_mix(i), random_mix(i + 1) } };
}

/* The thread logs to a lane: the lane of a CPU or the fallback lane. */
static void
log_on(uint32_t lane)
{
	struct timeline_head *head = fixture_head(lane);
	const uint64_t q = head->head;
	struct timeline_entry *slot = fixture_entry(lane, q);
	struct timeline_entry e = entry_of(sequence);

	if (lane == FALLBACK) {
		tl_append_fallback(event, e.args[0], e.args[1], e.args[2], 0);
	} else {
		slot->stamp = timeline_stamp_writing(q);
		e.stamp = timeline_stamp_whole(q);
		*slot = e;
		head->head = q + 1;
	}
	sequence++;
}

/* The thread has its ticket and its stamp, and is stalled before its commit. */
static uint64_t stalled;

static void
stall(void)
{
	stalled = fixture_head(FALLBACK)->head++;
	*fixture_entry(FALLBACK, stalled) = entry_of(sequence++);
}

static void
cpu_0_then_1(void)
{
	log_on(CPU0);
	log_on(CPU1);
}

static void
cpu_1_then_0(void)
{
	log_on(CPU1);
	log_on(CPU0);
}

static void
fallback_then_cpu(void)
{
	log_on(FALLBACK);
	log_on(CPU0);
}

static void
cpu_then_fallback(void)
{
	log_on(CPU1);
	log_on(FALLBACK);
}

static void
finish_then_cpu(void)
{
	fixture_stamp(FALLBACK, stalled);
	log_on(CPU0);
	log_on(FALLBACK);
}

static void
lap_of_each(void)
{
	for (int i = 0; i < N + 3; i++) {
		log_on(CPU0);
		log_on(FALLBACK);
		log_on(CPU1);
	}
}

/* The entries of the thread that a reader showed. */
struct shown {
	uint64_t count;
	uint64_t most; /* the highest number + 1 */
	uint64_t lost;
};

static void
show(struct shown *s, const struct tl_event *e)
{
	if (e->kind == TL_LOST) {
		s->lost += e->lost;
		return;
	}
	if (e->message->builtin != TIMELINE_BUILTIN_NONE)
		return;
	ck_assert_msg(e->args[1] == random_mix(e->args[0]) &&
			  e->args[2] == random_mix(e->args[0] + 1),
	    "a mixture of entries is shown");
	s->count++;
	if (s->most < e->args[0] + 1)
		s->most = e->args[0] + 1;
}

/* An entry may be missing only if entries were overwritten in the meantime. */
static void
expect_no_gap(const struct shown *s)
{
	ck_assert_msg(s->lost > 0 || s->count == s->most,
	    "stopped before word %lu: %lu shown of %lu", stop.at, s->count,
	    s->most);
}

static void
snapshot(struct shown *s)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	*s = (struct shown){ 0 };
	stop.armed = true;
	stop.word = 0;
	ck_assert_int_eq(snap_open(&snap, fixture_name, 0, &fault), 0);
	stop.armed = false;
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &e) > 0)
		show(s, &e);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

static const struct {
	void (*before)(void);
	void (*act)(void);
} actions[] = { { cpu_0_then_1, cpu_0_then_1 }, { cpu_0_then_1, cpu_1_then_0 },
	{ fallback_then_cpu, fallback_then_cpu },
	{ fallback_then_cpu, cpu_then_fallback }, { stall, finish_then_cpu },
	{ lap_of_each, lap_of_each } };
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

/* Stop at each word, or at every 13th word where the action takes long. */
static uint64_t
stop_step(int action)
{
	return random_step(actions[action].act == lap_of_each ? 13 : 1);
}

static void
prepare_stop(int action, uint64_t at)
{
	stop.act = actions[action / 2].act;
	stop.downwards = action % 2;
	stop.at = at;
}

TEST_FILE(.setup = setup, .teardown = fixture_close, .timeout = 300);

TEST(a_snapshot_has_no_gap_wherever_it_is_stopped, .to = 2 * ACTIONS,
    .sampled = true)
{
	struct shown s;
	uint64_t stops = 0;

	for (uint64_t at = 0; at < WORDS_MAX; at += stop_step(_i / 2)) {
		fixture_close();
		setup();
		actions[_i / 2].before();
		prepare_stop(_i, at);
		snapshot(&s);
		if (stop.word <= at) /* the copy has fewer words */
			break;
		stops++;
		expect_no_gap(&s);
	}
	ck_assert_uint_gt(stops * random_step(1), 100);
}

static void
round_of(struct tl_cursor *follow, struct shown *s)
{
	struct tl_event e;
	int rc;

	stop.armed = true;
	stop.word = 0;
	while ((rc = tl_cursor_next(follow, &e)) > 0)
		show(s, &e);
	stop.armed = false;
	ck_assert_int_eq(rc, 0);
}

TEST(a_follower_has_no_gap_wherever_it_is_stopped, .to = 2 * ACTIONS,
    .sampled = true)
{
	uint64_t stops = 0;

	for (uint64_t at = 0; at < WORDS_MAX; at += stop_step(_i / 2)) {
		struct tl_fault fault = { 0 };
		struct shown s = { 0 };
		struct tl_cursor *follow;

		fixture_close();
		setup();
		ck_assert_ok(tl_follow_open(&follow, fixture_name, 0, &fault));
		actions[_i / 2].before();
		prepare_stop(_i, at);
		round_of(follow, &s);
		if (stop.word <= at) {
			tl_cursor_close(follow);
			break;
		}
		stops++;
		expect_no_gap(&s);
		stop.at = UINT64_MAX;
		for (int i = 0; i < 3; i++)
			round_of(follow, &s);
		/* no entry is shown twice, and none is forgotten */
		ck_assert_uint_eq(s.count + s.lost, sequence);
		tl_cursor_close(follow);
	}
	ck_assert_uint_gt(stops * random_step(1), 50);
}

/* Stores of another CPU become visible a little later than they were made. */
TEST(a_follower_waits_before_it_reads_heads)
{
	struct tl_fault fault = { 0 };
	struct shown s = { 0 };
	struct tl_cursor *follow;

	ck_assert_ok(tl_follow_open(&follow, fixture_name, 1000, &fault));
	log_on(CPU0);
	stop.slept_ns = stop.slept_first = 0;
	round_of(follow, &s);
	ck_assert_uint_eq(s.count, 1);
	ck_assert_uint_ge(stop.slept_first, 20000 + 1);
	tl_cursor_close(follow);
}

/* Writers of a CPU fill the lane once around while the lane is copied. */
static void
turn_over(void)
{
	for (int i = 0; i < N; i++)
		log_on(CPU0);
}

TEST(a_lane_that_turned_over_is_copied_again)
{
	struct shown s;

	for (int i = 0; i < 3 * N; i++)
		log_on(CPU0);
	stop.act = turn_over;
	/* within the entries of the lane */
	stop.at = 6 * TIMELINE_HEAD_SIZE / 8 + 40;
	snapshot(&s);
	ck_assert_uint_gt(stop.word, stop.at);
	ck_assert_uint_ge(s.count, N / 2);
	ck_assert_uint_eq(s.count + s.lost, 4 * N);
}

/* The entries of a chunk are safe once the chunk has been copied. */
TEST(a_lane_that_turns_over_late_keeps_its_newest_entries)
{
	enum { CHUNK = 32 };
	const uint64_t words = 6 * TIMELINE_HEAD_SIZE / 8 +
			       CHUNK * TIMELINE_ENTRY_SIZE / 8 +
			       TIMELINE_HEAD_SIZE / 8;
	struct shown s;

	for (int i = 0; i < 3 * N; i++)
		log_on(CPU0);
	stop.act = turn_over;
	stop.at = words + 1; /* within the second chunk */
	snapshot(&s);
	ck_assert_uint_gt(stop.word, stop.at);
	ck_assert_uint_eq(s.count, CHUNK);
	ck_assert_uint_eq(s.count + s.lost, 3 * N);
}

/* == levels == */

static uint8_t *
gate_of_event(void)
{
	return tl_gate_of(tl, event->message);
}

static uint64_t
levels_from(uint64_t level)
{
	return level << TIMELINE_LEVELS_THRESHOLD | level
							<< TIMELINE_LEVELS_BASE;
}

static void
open_all_levels(void)
{
	*gate_of_event() = TIMELINE_LEVEL_MAX;
	tl->header->levels = levels_from(TIMELINE_LEVEL_MIN);
}

/*
 * The copy must have the levels of its cut.  Entries about earlier levels are
 * overwritten, and entries about later ones come after the cut.  Half of the
 * files have their gates in the records, as those of earlier versions.
 */
TEST(a_snapshot_has_the_levels_of_its_cut_wherever_it_is_stopped, .to = 4)
{
	uint64_t stops = 0;

	for (uint64_t at = 0; at < WORDS_MAX; at += random_step(7)) {
		struct tl_fault fault = { 0 };
		struct tl_snap *snap;
		const struct tl_message *m;

		fixture_close();
		setup();
		if (_i / 2)
			tl->geometry.compat = tl->header->compat =
			    TIMELINE_COMPAT_TIMERS;
		for (int i = 0; i < 3 * N; i++)
			log_on(CPU0);
		*gate_of_event() = TIMELINE_LEVEL_OFF;
		tl->header->levels = levels_from(TIMELINE_LEVEL_MAX);
		stop.act = open_all_levels;
		stop.downwards = _i % 2;
		stop.at = at;
		stop.armed = true;
		stop.word = 0;
		ck_assert_int_eq(snap_open(&snap, fixture_name, 0, &fault), 0);
		stop.armed = false;
		m = tl_messages_find(snap->messages, event->message);
		if (stop.word > at) {
			ck_assert_uint_eq(m->gate, TIMELINE_LEVEL_OFF);
			ck_assert_uint_eq(timeline_levels(&snap->header),
			    levels_from(TIMELINE_LEVEL_MAX));
		}
		tl_snap_close(snap);
		if (stop.word <= at)
			break;
		stops++;
	}
	ck_assert_uint_gt(stops * random_step(7), 100);
}
