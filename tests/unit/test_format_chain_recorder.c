/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_chain_recorder.c - a live timeline, recorded into small files
 * that are shipped in any order, comes back as it was logged.
 */
#include "recorder_fixture.h"

#include "../lib/random.h"
#include "base/terminal.h"
#include "format/chain.h"
#include "snap/snap.h"

#include <pthread.h>

enum { WRITERS = 3, EACH = 5000, SMALL = 48 << 10 };

static const char chain_id[] = "0123456789abcdef0123456789abcdef";

static int
describe(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_content *content)
{
	char number[16];
	int rc;

	(void)context;
	if (content) /* said when it began */
		return 0;
	snprintf(number, sizeof(number), "%u", made - 1);
	rc = tl_recorder_info(recorder, "chain", chain_id);
	return rc < 0 ? rc : tl_recorder_info(recorder, "block", number);
}

static struct tl_recorder *
record_blocks(void)
{
	const struct tl_recorder_options options = { .size_max = SMALL };
	const struct tl_recorder_host host = { .begin = begin_file,
		.describe = describe };
	struct tl_fault fault = { 0 };
	struct tl_recorder *recorder;

	ck_assert_int_eq(tl_recorder_new(&recorder, &options, &host), 0);
	ck_assert_int_eq(tl_recorder_add(recorder, "demo", tl->fd, true,
			     &fault),
	    0);
	ck_assert_int_eq(tl_recorder_start(recorder), 0);
	return recorder;
}

/* Ticks, texts and spans, some of which are open for long. */
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
	ck_assert_int_eq(tl_read_file(path, 1 << 24, &bytes), 0);
	ck_assert_int_eq(tl_write_all(fd, bytes.data, bytes.size), 0);
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
	ck_assert_uint_eq(tl_chains_count(chains), 1);
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

/* All events of a cursor. */
struct list {
	struct tl_event *events;
	size_t count;
};

static struct list
take_all(struct tl_cursor *cursor)
{
	struct list list = {
		calloc(WRITERS * EACH + 1, sizeof(struct tl_event)), 0
	};

	ck_assert_ptr_nonnull(list.events);
	while (tl_cursor_next(cursor, &list.events[list.count]) > 0) {
		list.count++;
		ck_assert_uint_le(list.count, WRITERS * EACH);
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

/* A lane of many CPUs may have its stamps in another order than its numbers;
 * what is shipped is in order of time. */
static void
expect_same(struct tl_cursor *logged, struct tl_cursor *shipped,
    enum tl_order order)
{
	struct list a = take_all(logged), b = take_all(shipped);

	ck_assert_uint_eq(a.count, WRITERS * EACH);
	ck_assert_uint_eq(b.count, a.count);
	qsort(a.events, a.count, sizeof(*a.events), by_time);
	for (size_t i = 0; i < a.count; i++) {
		const size_t k = order == TL_OLDEST_FIRST ? i : a.count - 1 - i;

		ck_assert_msg(is_same(&a.events[k], &b.events[i]),
		    "event %zu of %zu", i, a.count);
	}
	free(a.events);
	free(b.events);
}

START_TEST(a_timeline_that_was_shipped_is_the_one_that_was_logged)
{
	struct tl_recorder *recorder = record_blocks();
	struct tl_cursor *logged, *shipped;
	struct tl_fault fault = { 0 };
	struct tl_chain *chain;
	struct tl_snap *snap;

	log_all();
	ck_assert_uint_eq(end_record(recorder).lost, 0);
	ck_assert_uint_gt(made, 3);
	chain = ship(7);
	ck_assert_uint_eq(tl_chain_fault_count(chain), 0);
	ck_assert_int_eq(tl_snap_open_fd(&snap, tl->fd, 0, &fault), 0);
	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		ck_assert_int_eq(tl_snap_cursor(snap, o, &logged), 0);
		ck_assert_int_eq(tl_chain_cursor(chain, o, &shipped), 0);
		expect_same(logged, shipped, o);
	}
	tl_snap_close(snap);
	tl_chain_free(chain);
}
END_TEST

static void
setup(void)
{
	recorder_setup_of(1 << 17);
}

int
main(void)
{
	Suite *suite = suite_create("format chain recorder");
	TCase *t = tcase_create("recorder");

	tcase_add_checked_fixture(t, setup, recorder_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t,
	    a_timeline_that_was_shipped_is_the_one_that_was_logged);
	suite_add_tcase(suite, t);
	return run_suite(suite);
}
