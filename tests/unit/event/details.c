/* SPDX-License-Identifier: Apache-2.0 */
/*
 * details.c - own time is divided as a computation divides it that looks at
 * each moment.
 */
#include "event/details.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdlib.h>
#include <string.h>
#include <timeline.h>

enum {
	MOMENTS = 3000,
	OPEN_MAX = 6,
	MESSAGES = 4,
	SLOT = 3, /* a slot is 2^SLOT moments */
	SEED = 7
};

static const struct tl_message burst = { .builtin = TIMELINE_BUILTIN_BURST };
static const struct tl_message priority = { .builtin =
						TIMELINE_BUILTIN_PRIORITY };
static const struct tl_message plan = { .builtin = TIMELINE_BUILTIN_PLAN };
static const struct tl_message note = { .level = 9, .gate = 9 };
static struct tl_message messages[MESSAGES];

static bool partial;
static bool is_known; /* the own time of the last end */
static struct tl_spans *spans;
static struct tl_details *details;

static void
setup(void)
{
	for (unsigned i = 0; i < MESSAGES; i++)
		messages[i] = (struct tl_message){ .kind = TIMELINE_RECORD_SPAN,
			.scope = TIMELINE_THREAD,
			.id = 100 + i,
			.level = (uint8_t)(6 - i),
			.gate = (uint8_t)(6 - i) };
	ck_assert_ok(tl_spans_new(&spans));
	ck_assert_ok(tl_details_new(&details, true));
}

static void
teardown(void)
{
	tl_details_free(details);
	tl_spans_free(spans);
}

TEST_FILE(.setup = setup, .teardown = teardown);

static uint64_t
tsc_of(int64_t ns)
{
	return (uint64_t)(ns + 1) << TIMELINE_UNTIL_SHIFT;
}

static bool
put(const struct tl_event *what, int64_t ns, struct tl_span *span)
{
	struct tl_event event = *what;
	int rc;

	event.ns = ns;
	event.tsc = tsc_of(ns);
	event.pid = 7;
	event.tid = 8;
	event.base = 5;
	event.partial = partial;
	rc = tl_spans_put(spans, &event, span);
	ck_assert_int_ge(rc, 0);
	ck_assert_ok(tl_details_put(details, spans, &event));
	return rc == 1;
}

static void
begin(unsigned message, int64_t ns)
{
	put(&(struct tl_event){ .message = &messages[message],
		.kind = TL_BEGIN,
		.proven = true },
	    ns, NULL);
}

static struct tl_own
end(unsigned message, int64_t begun, int64_t ns)
{
	struct tl_span span;
	struct tl_own own;
	int rc;

	ck_assert(put(&(struct tl_event){ .message = &messages[message],
			  .kind = TL_END,
			  .proven = true,
			  .duration_ns = ns - begun,
			  .begun_ns = begun,
			  .begun_tsc = tsc_of(begun) },
	    ns, &span));
	rc = tl_details_own(details, &span, &own);
	ck_assert_int_ge(rc, 0);
	is_known = rc > 0;
	return own;
}

static void
set_levels(const struct tl_message *message, unsigned threshold, unsigned base,
    int64_t until, int64_t ns)
{
	put(&(struct tl_event){ .message = message,
		.kind = TL_INSTANT,
		.args = { threshold, base, until ? tsc_of(until - 1) : 0 } },
	    ns, NULL);
}

static void
expect_parts(unsigned message, const struct tl_own *own, int64_t itself,
    int64_t closed, int64_t overwritten, int64_t lost)
{
	int64_t parts[TL_OWN_PARTS] = { 0 };

	tl_details_divide(details, &messages[message], own, parts);
	ck_assert_int_eq(parts[TL_OWN_IS_ITSELF], itself);
	ck_assert_int_eq(parts[TL_OWN_IS_CLOSED], closed);
	ck_assert_int_eq(parts[TL_OWN_IS_OVERWRITTEN], overwritten);
	ck_assert_int_eq(parts[TL_OWN_IS_LOST], lost);
}

TEST(time_in_which_details_are_closed_is_not_the_span_itself)
{
	struct tl_own first, second, inner;

	begin(0, 100);
	first = end(0, 100, 200);
	expect_parts(0, &first, 100, 0, 0, 0); /* no detail is known */
	set_levels(&burst, 1, 5, 420, 300);
	begin(0, 310);
	begin(2, 320);
	inner = end(2, 320, 400);
	second = end(0, 310, 500);
	expect_parts(0, &first, 0, 100, 0, 0);
	expect_parts(0, &second, 30, 80, 0, 0);
	expect_parts(2, &inner, 80, 0, 0, 0);
}

TEST(a_span_of_a_source_is_itself_whatever_overlaps_it)
{
	struct tl_own own;

	messages[0].scope = TIMELINE_SOURCE;
	set_levels(&priority, 6, 6, 0, 50); /* details are closed */
	begin(0, 100);
	begin(0, 110);
	end(0, 100, 120);
	begin(0, 130);
	own = end(0, 110, 140); /* the last of its depth is another */
	expect_parts(0, &own, 30, 0, 0, 0);
	own = end(0, 130, 170);
	expect_parts(0, &own, 40, 0, 0, 0);
}

TEST(what_was_within_a_span_that_ends_by_surprise_is_not_known)
{
	struct tl_own own;

	set_levels(&burst, 1, 5, 500, 90);
	begin(0, 100);
	begin(2, 110);
	end(2, 110, 120);
	own = end(0, 100, 200);
	expect_parts(0, &own, 90, 0, 0, 0);
	own = end(0, 210, 300); /* its begin was not put */
	expect_parts(0, &own, 0, 90, 0, 0);
	own = end(1, 310, 400); /* though no detail is known */
	expect_parts(1, &own, 0, 90, 0, 0);
}

/* The middle span began where its level was not observed: the third is not known
 * to be within it. */
TEST(own_time_around_a_span_that_left_the_stack_is_not_known)
{
	struct tl_own own;

	begin(0, 100);
	put(&(struct tl_event){ .message = &messages[1],
		.kind = TL_BEGIN,
		.observed = TL_UNOBSERVED },
	    110, NULL);
	begin(0, 120);
	end(0, 120, 130);
	end(1, 110, 200);
	own = end(0, 100, 300);
	ck_assert(!is_known);
	expect_parts(0, &own, 10 + 100, 10, 0, 0);
}

TEST(a_detail_that_was_not_logged_may_last_into_a_burst)
{
	struct tl_own own;

	set_levels(&burst, 1, 5, 120, 90);
	begin(0, 100);
	begin(2, 110);
	end(2, 110, 115);
	set_levels(&burst, 1, 5, 300, 200);
	begin(2, 250);
	end(2, 250, 260);
	own = end(0, 100, 400);
	/* closed: from 120 to the begin of the second, from 300 on */
	expect_parts(0, &own, 10 + 5 + 40, 130 + 100, 0, 0);
}

TEST(a_detail_without_an_end_may_have_lasted)
{
	struct tl_own own;

	begin(0, 100);
	begin(1, 110);
	own = end(0, 100, 200);
	expect_parts(0, &own, 10, 90, 0, 0);
}

TEST(a_piece_is_itself_up_to_the_first_closed_moment)
{
	enum tl_part_of_own rest;

	set_levels(&burst, 1, 5, 420, 300);
	begin(0, 310);
	begin(2, 320);
	end(2, 320, 400);
	end(0, 310, 500);
	ck_assert_int_eq(tl_details_until(details, 0, &messages[0], 310, 320,
			     &rest),
	    320);
	ck_assert_int_eq(rest, TL_OWN_IS_ITSELF);
	ck_assert_int_eq(tl_details_until(details, 0, &messages[0], 400, 500,
			     &rest),
	    420);
	ck_assert_int_eq(rest, TL_OWN_IS_CLOSED);
}

TEST(an_overwritten_ring_hides_details)
{
	struct tl_own first, second;

	partial = true;
	begin(0, 100);
	first = end(0, 100, 150);
	begin(0, 160);
	partial = false;
	begin(1, 180);
	end(1, 180, 200);
	second = end(0, 160, 230);
	expect_parts(0, &first, 0, 0, 50, 0);
	expect_parts(0, &second, 30, 0, 20, 0);
}

TEST(a_loss_hides_details)
{
	const struct tl_event lost = { .kind = TL_LOST };
	const struct tl_event instant = { .kind = TL_INSTANT,
		.message = &note };
	struct tl_own own;

	begin(0, 150);
	begin(1, 160);
	end(1, 160, 170);
	put(&instant, 175, NULL);
	put(&lost, 180, NULL);
	put(&instant, 190, NULL);
	own = end(0, 150, 200);
	/* from the last entry on; a lost detail may have lasted to the end */
	expect_parts(0, &own, 10 + 5, 0, 0, 25);
}

TEST(many_spans_within_a_span_are_taken_off)
{
	struct tl_own own;

	begin(0, 0);
	for (int64_t i = 1; i < 30000; i++) {
		begin(1, 10 * i);
		end(1, 10 * i, 10 * i + 4);
	}
	own = end(0, 0, 300000);
	expect_parts(0, &own, 300000 - 29999 * 4, 0, 0, 0);
}

/* == a computation that looks at each moment == */

struct seen {
	unsigned message;
	int64_t from, to;
	int64_t own[TL_OWN_KINDS];
	unsigned highest; /* level since the last span within */
	struct tl_own told;
};

static struct {
	struct seen seen[MOMENTS];
	unsigned count;
	unsigned open[OPEN_MAX]; /* indices of seen */
	unsigned depth;
	unsigned gates[MESSAGES]; /* lowest gate of spans within */
	unsigned threshold, base, share_from;
	uint64_t share;
	int64_t until;
} w;

static unsigned
below(unsigned n)
{
	static uint64_t random = 1;

	return (unsigned)random_below(&random, n);
}

static unsigned
level_of(int64_t ns)
{
	const uint64_t slot =
	    timeline_slot(tsc_of(ns), SLOT + TIMELINE_UNTIL_SHIFT);
	const unsigned levels = ns < w.until ? w.threshold : w.base;

	return w.share && w.share_from < levels &&
		       tl_slot_is_open(slot, (uint32_t)w.share, SEED)
		   ? w.share_from
		   : levels;
}

static void
step(int64_t ns)
{
	struct seen *top = w.depth ? &w.seen[w.open[w.depth - 1]] : NULL;
	const unsigned message = below(MESSAGES);
	unsigned from;

	switch (below(16)) {
	case 0:
		w.until = ns + 1 + below(40);
		w.threshold = 1 + below(4);
		set_levels(&burst, w.threshold, w.base, w.until, ns);
		break;
	case 1:
		if (below(4) != 0)
			break;
		w.base = w.threshold = 4 + below(3);
		w.until = 0;
		set_levels(&priority, w.base, w.base, 0, ns);
		break;
	case 2:
		if (below(4) != 0)
			break;
		from = 2 + below(3);
		if (!w.share || from < w.share_from)
			w.share_from = from;
		w.share = UINT32_MAX / 3;
		put(&(struct tl_event){ .message = &plan,
			.kind = TL_INSTANT,
			.args = { from | (SLOT + TIMELINE_UNTIL_SHIFT)
					     << TIMELINE_PLAN_SHIFT,
			    w.share, SEED, UINT64_MAX } },
		    ns, NULL);
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		if (w.depth == OPEN_MAX ||
		    messages[message].level < level_of(ns))
			break;
		if (top && messages[message].level < w.gates[top->message])
			w.gates[top->message] = messages[message].level;
		w.seen[w.count] =
		    (struct seen){ .message = message, .from = ns };
		w.open[w.depth++] = w.count++;
		begin(message, ns);
		break;
	case 7:
	case 8:
	case 9:
		if (!top)
			break;
		top->told = end(top->message, top->from, ns);
		top->to = ns;
		w.depth--;
		if (w.depth > 0)
			w.seen[w.open[w.depth - 1]].highest = 0;
		break;
	default:
		break;
	}
	if (w.depth == 0)
		return;
	top = &w.seen[w.open[w.depth - 1]];
	if (top->highest < level_of(ns))
		top->highest = level_of(ns);
	top->own[top->highest]++;
}

static void
check(const struct seen *seen)
{
	int64_t closed = 0, itself = 0;

	if (seen->to == 0)
		return;
	for (unsigned i = 0; i < TL_OBSERVED_GATES; i++) {
		ck_assert_int_eq(seen->told.ns[i], seen->own[i]);
		if (i > w.gates[seen->message])
			closed += seen->own[i];
		else
			itself += seen->own[i];
	}
	expect_parts(seen->message, &seen->told, itself, closed, 0, 0);
}

TEST(each_moment_is_in_the_part_that_a_plain_computation_gives)
{
	for (unsigned round = 0; round < 100; round++) {
		teardown();
		setup();
		memset(&w, 0, sizeof(w));
		w.base = w.threshold = 5;
		for (unsigned i = 0; i < MESSAGES; i++)
			w.gates[i] = TIMELINE_LEVEL_NONE;
		for (int64_t ns = 1; ns < MOMENTS; ns++)
			step(ns);
		for (unsigned i = 0; i < w.count; i++)
			check(&w.seen[i]);
	}
}
