/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_random.c - the rules engine, compared with a reference that keeps every
 * entry and searches all of them each time.
 */
#include "daemon/rules/rules.h"
#include "lib/random.h"
#include "lib/test.h"
#include "rules_fixture.h"

#include <timeline.h>

enum { STEPS = 3000, ROUNDS = 30, THREADS = 3 };

/* An entry so far. */
struct step {
	enum { STEP_BEGIN, STEP_END, STEP_PING, STEP_PONG, STEP_LOST } what;
	int64_t ns;
	uint32_t tid;
	bool used; /* a begin that has its end */
	bool judged;
};

static struct step steps[STEPS];
static size_t count;
/* The state of the rule in the reference. */
static bool disarmed;
static size_t expected;

static void
teardown(void)
{
	tl_rules_free(rules);
	rules = NULL;
}

static void
add(int what, int64_t ns, uint32_t tid)
{
	steps[count].what = what;
	steps[count].ns = ns;
	steps[count].tid = tid;
	steps[count].used = steps[count].judged = false;
	count++;
}

static bool
lost_since(size_t i)
{
	for (size_t k = i; k < count; k++)
		if (steps[k].what == STEP_LOST)
			return true;
	return false;
}

static void
judge(int64_t took_ns, int64_t limit_ns, int64_t clear_ns)
{
	if (disarmed && took_ns <= clear_ns)
		disarmed = false;
	else if (!disarmed && took_ns > limit_ns) {
		disarmed = true;
		expected++;
	}
}

/* == spans == */

static void
expect_end(int64_t ns, uint32_t tid, int64_t limit_ns, int64_t clear_ns)
{
	for (size_t i = count; i-- > 0;) {
		struct step *s = &steps[i];

		if (s->what != STEP_BEGIN || s->used || s->tid != tid)
			continue;
		if (lost_since(i))
			return;
		s->used = true;
		if (!s->judged)
			judge(ns - s->ns, limit_ns, clear_ns);
		return;
	}
}

static void
expect_open(int64_t now_ns, int64_t limit_ns)
{
	for (size_t i = 0; i < count; i++) {
		struct step *s = &steps[i];

		if (s->what != STEP_BEGIN || s->used || s->judged ||
		    lost_since(i) || now_ns - s->ns <= limit_ns)
			continue;
		s->judged = true;
		if (!disarmed) {
			disarmed = true;
			expected++;
		}
	}
}

static void
setup(void)
{
	rules_fixture_define();
	count = expected = 0;
	disarmed = false;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(spans_fire_as_the_reference_says, .to = ROUNDS)
{
	uint64_t state = 100 + (uint64_t)_i;
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);
	const int64_t limit = 20 * MS, clear = _i % 2 ? 5 * MS : limit;
	int64_t ns = 0;

	rule.limit_ns = (uint64_t)limit;
	rule.clear = _i % 2 ? (double)clear : NAN;
	start(&rule, 1);
	for (int k = 0; k < STEPS; k++) {
		const uint32_t tid = (uint32_t)random_below(&state, THREADS);
		const uint64_t dice = random_below(&state, 100);

		/* so far apart that no tick is postponed */
		ns += MS + (int64_t)random_below(&state, 3 * MS);
		if (dice < 40) {
			put_full(WORK, TL_BEGIN, ns, 0, tid);
			add(STEP_BEGIN, ns, tid);
		} else if (dice < 85) {
			expect_end(ns, tid, limit, clear);
			put_full(WORK, TL_END, ns, 0, tid);
		} else if (dice < 98) {
			expect_open(ns, limit);
			tick(ns);
		} else {
			lose(ns);
			add(STEP_LOST, ns, 0);
		}
		ck_assert_uint_eq(seen.count, expected);
	}
	ck_assert_uint_gt(expected, 10);
}

/* == intervals == */

static void
expect_other(int64_t ns, int64_t limit_ns)
{
	struct step *first = NULL;

	for (size_t i = count; i-- > 0 && steps[i].what == STEP_PING;)
		first = &steps[i];
	if (first && !first->judged)
		judge(ns - first->ns, limit_ns, limit_ns);
}

static void
expect_waiting(int64_t now_ns, int64_t limit_ns)
{
	struct step *first = NULL;

	for (size_t i = count; i-- > 0 && steps[i].what == STEP_PING;)
		first = &steps[i];
	if (!first || first->judged || now_ns - first->ns <= limit_ns)
		return;
	first->judged = true;
	if (!disarmed)
		judge(now_ns - first->ns, limit_ns, limit_ns);
}

TEST(intervals_fire_as_the_reference_says, .to = ROUNDS)
{
	uint64_t state = 200 + (uint64_t)_i;
	struct tl_config_rule rule = rule_of(TL_RULE_INTERVAL);
	int64_t ns = 0;

	rule.match.message = "ping*";
	rule.other.message = "pong*";
	rule.limit_ns = 10 * MS;
	start(&rule, 1);
	for (int k = 0; k < STEPS; k++) {
		const uint64_t dice = random_below(&state, 100);

		ns += (int64_t)random_below(&state, 8 * MS);
		if (dice < 40) {
			put(PING, ns, 0);
			add(STEP_PING, ns, 0);
		} else if (dice < 75) {
			expect_other(ns, 10 * MS);
			put(PONG, ns, 0);
			add(STEP_PONG, ns, 0);
		} else if (dice < 98) {
			expect_waiting(ns, 10 * MS);
			tick(ns);
		} else {
			lose(ns);
			add(STEP_LOST, ns, 0);
		}
		ck_assert_uint_eq(seen.count, expected);
	}
	ck_assert_uint_gt(expected, 10);
}

/* == rates == */

struct rate {
	bool below;
	double bound;
	double clear;
	int64_t limit_ns;
};

/* The rate in the window that ends at now_ns. */
static double
rate_at(const struct rate *rate, int64_t now_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += steps[i].what == STEP_PING &&
		     steps[i].ns > now_ns - rate->limit_ns;
	return (double)n / ((double)rate->limit_ns / 1e9);
}

/*
 * True if all of that window was observed; observation begins at first_ns and
 * after each loss.
 */
static bool
is_whole(const struct rate *rate, int64_t first_ns, int64_t now_ns)
{
	int64_t from_ns = first_ns;

	for (size_t i = 0; i < count; i++)
		if (steps[i].what == STEP_LOST)
			from_ns = steps[i].ns;
	return now_ns - from_ns >= rate->limit_ns;
}

static void
expect_rate(const struct rate *rate, int64_t now_ns, bool whole)
{
	const double now = rate_at(rate, now_ns);
	const bool bad =
	    rate->below ? now < rate->bound && whole : now > rate->bound;
	const bool good =
	    rate->below ? now >= rate->clear : now <= rate->clear && whole;

	if (disarmed ? good : bad) {
		expected += !disarmed;
		disarmed = !disarmed;
	}
}

static void
run_rate(const struct rate *rate, uint64_t state)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);
	int64_t ns = 0, first_ns = -1;
	uint64_t slow = 0;

	rule.match.message = "ping*";
	rule.limit_ns = (uint64_t)rate->limit_ns;
	rule.bound = rate->bound;
	rule.clear = rate->clear;
	rule.below = rate->below;
	start(&rule, 1);
	for (int k = 0; k < STEPS; k++) {
		const uint64_t dice = random_below(&state, 100);

		if (k % 60 == 0)
			slow = random_below(&state, 3);
		ns += (int64_t)random_below(&state, (slow == 0      ? 2
							: slow == 1 ? 10
								    : 40) *
							MS);
		if (dice == 0) {
			lose(ns);
			add(STEP_LOST, ns, 0);
			continue;
		}
		if (first_ns < 0)
			first_ns = ns;
		/* time is judged first, then the entry */
		expect_rate(rate, ns, is_whole(rate, first_ns, ns));
		if (dice < 90) {
			add(STEP_PING, ns, 0);
			expect_rate(rate, ns, is_whole(rate, first_ns, ns));
			put(PING, ns, 0);
		} else {
			tick(ns);
		}
		ck_assert_uint_eq(seen.count, expected);
	}
	ck_assert_uint_gt(expected, 5);
}

TEST(rates_fire_as_the_reference_says, .to = ROUNDS)
{
	static const struct rate rates[] = {
		{ false, 200, 200, 50 * MS },
		{ false, 200, 50, 50 * MS },
		{ false, 333.3, 100, 33 * MS },
		{ true, 100, 100, 100 * MS },
		{ true, 45.5, 300, 100 * MS },
	};

	run_rate(&rates[_i % 5], 300 + (uint64_t)_i);
}

/* == the window == */

TEST(a_window_knows_what_a_list_knows, .to = 5)
{
	struct tl_window window;
	uint64_t state = 400 + (uint64_t)_i;
	const uint64_t n_max = 1 + random_below(&state, 50);
	int64_t ns = 0;

	ck_assert_ok(tl_window_init(&window, n_max));
	for (int k = 0; k < STEPS; k++) {
		const uint64_t n = random_below(&state, n_max + 1);
		const int64_t after = ns - (int64_t)random_below(&state, 200);
		uint64_t have = 0;

		for (size_t i = 0; i < count; i++)
			have += steps[i].ns > after;
		ck_assert_int_eq(tl_window_has(&window, n, after), have >= n);
		ns += (int64_t)random_below(&state, 10);
		add(STEP_PING, ns, 0);
		tl_window_add(&window, ns);
	}
	tl_window_free(&window);
}

TEST(a_large_window_is_nearly_exact)
{
	const uint64_t n_max = 10 * TL_WINDOW_SLOTS + 7;
	struct tl_window window;

	ck_assert_ok(tl_window_init(&window, n_max));
	for (uint64_t i = 1; i <= 3 * n_max; i++)
		tl_window_add(&window, (int64_t)i);
	for (uint64_t n = 1; n <= n_max; n += 997) {
		const int64_t nth = (int64_t)(3 * n_max - n + 1);

		ck_assert(!tl_window_has(&window, n, nth));
		ck_assert(tl_window_has(&window, n, nth - 12));
	}
	tl_window_free(&window);
}
