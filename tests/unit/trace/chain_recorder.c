/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_recorder.c - a live timeline that is recorded into small files, which
 * are shipped in any order, is read as it was logged.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

#include "base/process.h"
#include "lib/random.h"
#include "snap/snap.h"
#include "trace/chain/chain.h"

#include <pthread.h>

enum { WRITERS = 3, EACH = 5000, MORE = 20000 };
enum { ALL = WRITERS * EACH + MORE, LANES_MAX = 2 * TIMELINE_LANES_MAX };

static const char chain_id[] = "0123456789abcdef0123456789abcdef";

static int
describe(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_content *content)
{
	char number[16];
	int rc;

	(void)context;
	if (content) /* the infos were written at the start */
		return 0;
	snprintf(number, sizeof(number), "%u", made - 1);
	rc = tl_recorder_info(recorder, "chain", chain_id);
	return rc < 0 ? rc : tl_recorder_info(recorder, "block", number);
}

/*
 * Record from the very first entry that was logged, even if it was overwritten.
 */
static struct tl_recorder *
record_into(const struct tl_recorder_host *host, uint64_t size)
{
	static const uint64_t positions[LANES_MAX];
	const uint32_t lanes = timeline_lane_count(&tl->geometry);
	const struct tl_recorder_options options = { .size_max = size };
	struct tl_fault fault = { 0 };
	struct tl_recorder *recorder;

	ck_assert_uint_le(lanes, LANES_MAX);
	ck_assert_ok(tl_recorder_new(&recorder, &options, host));
	ck_assert_ok(tl_recorder_add_at(recorder, "demo", tl->fd, positions,
	    lanes, &fault));
	ck_assert_ok(tl_recorder_start(recorder));
	return recorder;
}

static struct tl_recorder *
record_blocks(uint64_t size)
{
	const struct tl_recorder_host host = { .begin = begin_file,
		.describe = describe };

	return record_into(&host, size);
}

/* Log ticks, texts and spans; some spans stay open for long. */
static void *
log_some(void *context)
{
	uint64_t seed = (uintptr_t)context;
	unsigned depth = 0;

	for (unsigned i = 0; i < EACH; i++) {
		const uint64_t r = random_below(&seed, 100);

		if (r < 10 && depth < 5)
			timeline_begin(depth++ % 2 ? inner : outer, i);
		else if (r < 19 && depth > 0)
			timeline_end(--depth % 2 ? inner : outer, i);
		else
			timeline_log(tick, i);
		if (i % 500 == 0)
			sleep_ms(1);
	}
	return NULL;
}

static void
log_all(void)
{
	pthread_t threads[WRITERS];

	for (uintptr_t i = 0; i < WRITERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, log_some,
				     (void *)(i + 1)),
		    0);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
}

static void
append_file(int fd, unsigned number)
{
	struct tl_text bytes = { 0 };
	char path[128];

	snprintf(path, sizeof(path), "%s/%03u.trace", folder, number);
	ck_assert_ok(tl_read_file(path, 1 << 24, &bytes));
	ck_assert_ok(tl_write_all(fd, bytes.data, bytes.size));
	tl_text_free(&bytes);
}

static struct tl_chain *
ship(uint64_t seed)
{
	const int fd = tl_file_unnamed();
	struct tl_fault fault = { 0 };
	struct tl_chains *chains;
	struct tl_chain *chain;
	unsigned order[RECORD_FILES_MAX];

	for (unsigned i = 0; i < made; i++) {
		const unsigned k = (unsigned)random_below(&seed, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (unsigned i = 0; i < made; i++) {
		append_file(fd, order[i]);
		if (i % 5 == 0)
			append_file(fd, order[i / 2]);
	}
	ck_assert_msg(tl_chains_open(&chains, fd, &fault) == 0, "%s",
	    fault.text);
	close(fd);
	ck_assert_uint_eq(chains->count, 1);
	chain = tl_chains_take(chains, 0);
	tl_chains_free(chains);
	return chain;
}

static bool
is_same(const struct tl_event *a, const struct tl_event *b)
{
	return a->kind == b->kind && a->tsc == b->tsc && a->lane == b->lane &&
	       a->number == b->number && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->level == b->level &&
	       memcmp(a->args, b->args, sizeof(a->args)) == 0 &&
	       tl_bytes_equal(a->message->text, b->message->text);
}

/* All events that a cursor returns. */
struct list {
	struct tl_event *events;
	size_t count;
};

static struct list
take_all(struct tl_cursor *cursor)
{
	struct list list = { calloc(ALL + 1, sizeof(struct tl_event)), 0 };

	ck_assert_ptr_nonnull(list.events);
	while (tl_cursor_next(cursor, &list.events[list.count]) > 0) {
		list.count++;
		ck_assert_uint_le(list.count, ALL);
	}
	tl_cursor_close(cursor);
	return list;
}

static int
by_time(const void *a, const void *b)
{
	const struct tl_event *x = a, *y = b;
	const int order = (x->ns > y->ns) - (x->ns < y->ns);

	return order != 0 ? order : tl_event_compare_tied(x, y);
}

/* Skip the losses at this place; returns how many entries they count. */
static uint64_t
pass_losses(const struct list *list, size_t *at)
{
	uint64_t lost = 0;

	for (; *at < list->count && list->events[*at].kind == TL_LOST; (*at)++)
		lost += list->events[*at].lost;
	return lost;
}

/*
 * A lane of several CPUs may have stamps that are not in the order of its
 * numbers, whereas shipped events are in order of time.  An entry that was
 * unfinished when the entries after it were read counts as lost.
 */
static void
expect_same(struct tl_cursor *logged, struct tl_cursor *shipped,
    enum tl_order order, uint64_t lost)
{
	struct list a = take_all(logged), b = take_all(shipped);
	uint64_t missing = 0, said = 0;
	size_t at = 0;

	ck_assert_uint_eq(a.count, WRITERS * EACH);
	qsort(a.events, a.count, sizeof(*a.events), by_time);
	for (size_t i = 0; i < a.count; i++) {
		const size_t k = order == TL_OLDEST_FIRST ? i : a.count - 1 - i;

		said += pass_losses(&b, &at);
		if (at < b.count && is_same(&a.events[k], &b.events[at]))
			at++;
		else
			missing++;
	}
	said += pass_losses(&b, &at);
	ck_assert_uint_eq(at, b.count);
	ck_assert_uint_eq(missing, lost);
	ck_assert_uint_eq(said, lost);
	free(a.events);
	free(b.events);
}

static void
setup(void)
{
	recorder_setup_of(1 << 17);
}

/* Each lane has less room than the threads log. */
static void
setup_small(void)
{
	recorder_setup_of(1 << 10);
}

TEST_FILE(.setup = setup_small, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

TEST(a_timeline_that_was_shipped_is_the_one_that_was_logged, .setup = setup,
    .teardown = recorder_teardown)
{
	struct tl_recorder *recorder = record_blocks(48 << 10);
	struct tl_cursor *logged, *shipped;
	struct tl_fault fault = { 0 };
	struct tl_chain *chain;
	struct tl_snap *snap;
	uint64_t lost;

	log_all();
	lost = end_record(recorder).lost;
	ck_assert_uint_le(lost, WRITERS * EACH / 100);
	ck_assert_uint_gt(made, 3);
	chain = ship(7);
	ck_assert_ptr_null(chain->faults);
	ck_assert_ok(tl_snap_open_fd(&snap, tl->fd, 0, &fault));
	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		ck_assert_ok(tl_snap_cursor(snap, o, &logged));
		ck_assert_ok(tl_chain_cursor(chain, o, &shipped));
		expect_same(logged, shipped, o, lost);
	}
	tl_snap_close(snap);
	tl_chain_free(chain);
}

/* == overwritten entries == */

/* Overwrite a part of the entries, in one lane more than its size. */
static void
log_too_much(void)
{
	log_all();
	for (uint64_t i = 0; i < MORE; i++)
		timeline_log(tick, i);
}

/* A loss is followed by the oldest entry left of its lane. */
static void
expect_next_of(const struct tl_event *loss, const struct tl_event *event)
{
	ck_assert_int_ne(event->kind, TL_LOST);
	ck_assert_uint_eq(event->lane, loss->lane);
	ck_assert_uint_eq(event->number, loss->number + loss->lost);
	ck_assert_int_eq(event->ns, loss->ns);
	ck_assert_uint_eq(event->tsc, loss->tsc);
}

static void
check_losses(struct recorded *recorded, const struct tl_event *event)
{
	struct tl_event *before = recorded->context;

	if (before->kind == TL_LOST) {
		expect_next_of(before, event);
		recorded->n++;
	}
	*before = *event;
}

TEST(a_loss_in_a_file_stands_right_before_what_outlived_it)
{
	const struct tl_recorder_host host = { .begin = begin_file };
	struct tl_event before = { 0 };
	struct recorded recorded = { .each = check_losses, .context = &before };

	log_too_much();
	ck_assert_uint_gt(end_record(record_into(&host, 0)).lost, 0);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.n, 0);
	ck_assert_int_ne(before.kind, TL_LOST);
}

TEST(a_loss_in_a_chain_stands_right_before_what_outlived_it)
{
	struct tl_cursor *cursor;
	struct tl_chain *chain;
	struct list list;
	uint64_t losses = 0;

	log_too_much();
	ck_assert_uint_gt(end_record(record_blocks(2 << 10)).lost, 0);
	ck_assert_uint_gt(made, 1);
	chain = ship(3);
	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		const size_t step = o == TL_OLDEST_FIRST ? 1 : SIZE_MAX;

		ck_assert_ok(tl_chain_cursor(chain, o, &cursor));
		list = take_all(cursor);
		for (size_t i = 0; i < list.count; i++) {
			if (list.events[i].kind != TL_LOST)
				continue;
			ck_assert_uint_lt(i + step, list.count);
			expect_next_of(&list.events[i], &list.events[i + step]);
			losses++;
		}
		free(list.events);
	}
	ck_assert_uint_gt(losses, 1);
	tl_chain_free(chain);
}
