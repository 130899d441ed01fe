/* SPDX-License-Identifier: Apache-2.0 */
/*
 * details.c - own time is divided as a computation divides it that looks at
 * each moment.
 */
#include "event/details.h"
#include "lib/golden.h"
#include "lib/random.h"

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

static struct {
	int64_t begun;
	struct tl_own own;
} ended[16]; /* the spans of a case */
static unsigned ended_count;

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
	ended_count = 0;
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

/* == cases in details.cases == */

static void
put_parts(struct tl_text *out, unsigned message, const struct tl_own *own)
{
	static const char *const names[TL_OWN_PARTS] = { [TL_OWN_IS_ITSELF] =
							     "itself",
		[TL_OWN_IS_CLOSED] = "closed",
		[TL_OWN_IS_OVERWRITTEN] = "overwritten",
		[TL_OWN_IS_LOST] = "lost" };
	int64_t parts[TL_OWN_PARTS] = { 0 };

	tl_details_divide(details, &messages[message], own, parts);
	tl_put_string(out, " =");
	for (unsigned i = 0; i < TL_OWN_PARTS; i++)
		if (parts[i] != 0)
			tl_put_format(out, " %s %lld", names[i],
			    (long long)parts[i]);
}

/*
 * Run a line; messages are numbers:
 *	> MESSAGE NS			begins; unobserved: its level was not
 *	< MESSAGE BEGUN NS		ends: the parts of its own time
 *	again MESSAGE BEGUN		the parts, by what is known since
 *	until MESSAGE FROM TO		how far a piece of its time is itself
 *	burst LEVEL BASE UNTIL NS	and priority
 *	source MESSAGE, partial 0|1, note NS, lost NS
 */
static void
run_line(struct tl_text *out, const char *line)
{
	enum tl_part_of_own rest;
	struct tl_event event = { .kind = TL_INSTANT, .message = &note };
	long long n[4] = { 0 };
	char word[16];
	unsigned i = 0;

	sscanf(line, "%15s %lld %lld %lld %lld", word, &n[0], &n[1], &n[2],
	    &n[3]);
	if (*word == '>') {
		begin((unsigned)n[0], n[1]);
	} else if (strcmp(word, "unobserved") == 0) {
		event.message = &messages[n[0]];
		event.kind = TL_BEGIN;
		event.observed = TL_UNOBSERVED;
		put(&event, n[1], NULL);
	} else if (*word == '<') {
		ck_assert_uint_lt(ended_count, 16);
		ended[ended_count].begun = n[1];
		ended[ended_count].own = end((unsigned)n[0], n[1], n[2]);
		put_parts(out, (unsigned)n[0], &ended[ended_count++].own);
		if (!is_known)
			tl_put_string(out, ", not known");
	} else if (strcmp(word, "again") == 0) {
		while (ended[i].begun != n[1])
			ck_assert_uint_lt(++i, ended_count);
		put_parts(out, (unsigned)n[0], &ended[i].own);
	} else if (strcmp(word, "until") == 0) {
		tl_put_format(out, " = %lld",
		    (long long)tl_details_until(details, 0, &messages[n[0]],
			n[1], n[2], &rest));
		ck_assert(rest == TL_OWN_IS_ITSELF || rest == TL_OWN_IS_CLOSED);
		tl_put_string(out,
		    rest == TL_OWN_IS_CLOSED ? ", then closed" : "");
	} else if (strcmp(word, "source") == 0) {
		messages[n[0]].scope = TIMELINE_SOURCE;
	} else if (strcmp(word, "partial") == 0) {
		partial = n[0];
	} else if (strcmp(word, "note") == 0) {
		put(&event, n[0], NULL);
	} else if (strcmp(word, "lost") == 0) {
		put(&(struct tl_event){ .kind = TL_LOST }, n[0], NULL);
	} else {
		set_levels(*word == 'b' ? &burst : &priority, (unsigned)n[0],
		    (unsigned)n[1], n[2], n[3]);
	}
}

TEST_LINES(parts, "tests/unit/event/details.cases", run_line);

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

TEST(a_lease_of_too_many_slots_is_not_walked_through)
{
	const int64_t last = INT64_C(1) << 50;
	struct tl_own own;

	begin(0, 0);
	put(&(struct tl_event){ .message = &plan,
		.kind = TL_INSTANT,
		.args = { 2 | 1 << TIMELINE_PLAN_SHIFT, UINT32_MAX / 2, SEED,
		    UINT64_MAX - 1 } },
	    1, NULL);
	own = end(0, 0, last);
	expect_parts(0, &own, last, 0, 0, 0);
	begin(0, last + 1);
	own = end(0, last + 1, last + 3);
	expect_parts(0, &own, 2, 0, 0, 0);
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
