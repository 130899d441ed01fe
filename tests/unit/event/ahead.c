/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - a cursor that a thread reads ahead yields what its inner yields. */
#include "event/ahead.h"
#include "lib/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 100000 };

/* Yields events numbered from 0, then a result again and again. */
struct counting {
	struct tl_cursor cursor;
	uint64_t count;
	uint64_t read;
	int rc;
	pid_t last_reader;
	bool closed;
};

static struct counting inner;

static int
counting_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct counting *c = (struct counting *)cursor;

	c->last_reader = gettid();
	if (c->read == c->count)
		return c->rc;
	*event =
	    (struct tl_event){ .number = c->read, .args = { c->read * 7 } };
	c->read++;
	return 1;
}

static void
counting_close(struct tl_cursor *cursor)
{
	((struct counting *)cursor)->closed = true;
}

static struct tl_cursor *
ahead_of(uint64_t count, int rc)
{
	struct tl_cursor *cursor;

	inner = (struct counting){ .cursor = { counting_next, counting_close },
		.count = count,
		.rc = rc };
	tl_ahead_cursor(&inner.cursor, &cursor);
	return cursor;
}

static void
take(struct tl_cursor *cursor, uint64_t from, uint64_t to)
{
	struct tl_event event;

	for (uint64_t i = from; i < to; i++) {
		memset(&event, 0xaa, sizeof(event));
		if (tl_cursor_next(cursor, &event) != 1)
			ck_abort_msg("ends after %lu of %lu", i, to);
		if (event.number != i || event.args[0] != i * 7)
			ck_abort_msg("event %lu is number %lu", i,
			    event.number);
	}
}

static void
check_count(uint64_t count, int rc)
{
	struct tl_cursor *cursor = ahead_of(count, rc);
	struct tl_event event;

	take(cursor, 0, count);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), rc);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), rc);
	ck_assert(!inner.closed);
	tl_cursor_close(cursor);
	ck_assert(inner.closed);
}

TEST(all_events_come_in_their_order)
{
	check_count(0, 0);
	check_count(1, 0);
	/* around the start of the thread, and around batches behind it */
	for (uint64_t count = 16383; count < 16384 + 4 * 256; count += 51)
		check_count(count, 0);
	for (uint64_t count = 16384 - 1; count <= 16384 + 16 * 256 + 1;
	     count += 128)
		check_count(count, 0);
	check_count(MANY, 0);
}

TEST(an_error_comes_after_the_events_before_it)
{
	check_count(0, -EBADMSG);
	check_count(20000, -ENOMEM);
	check_count(MANY, -EBADMSG);
}

TEST(a_cursor_may_be_closed_before_its_end)
{
	for (uint64_t taken = 0; taken < MANY / 2; taken += 777) {
		struct tl_cursor *cursor = ahead_of(MANY, 0);

		take(cursor, 0, taken);
		tl_cursor_close(cursor);
		ck_assert(inner.closed);
	}
}

TEST(few_events_need_no_thread_and_many_have_one)
{
	struct tl_cursor *cursor = ahead_of(MANY, 0);

	take(cursor, 0, 16384);
	ck_assert_int_eq(inner.last_reader, gettid());
	take(cursor, 16384, MANY);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		ck_assert_int_ne(inner.last_reader, gettid());
	tl_cursor_close(cursor);
}
