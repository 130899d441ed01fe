/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - hosts with planted clocks that send to each other. */
#include "event/hosts/pairs.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>

enum { HOSTS = 4, WRONG_MAX = 9000 };

#define FAR INT64_MAX /* nothing was sent */

static struct tl_message sent, received, other, span;
static const struct tl_strings *names;

static void
setup(void)
{
	static const char *const texts[] = { "sent $id to $peer",
		"got $peer $id%x", "nothing $id", "call $n" };
	struct tl_message *all[] = { &sent, &received, &other, &span };

	for (size_t i = 0; i < 4; i++) {
		*all[i] = (struct tl_message){ .strings = names };
		all[i]->category = tl_bytes_of(i == 1 ? "rx" : "tx");
		ck_assert_int_eq(tl_message_parse(all[i],
				     tl_bytes_of(texts[i])),
		    0);
	}
}

static struct tl_pair_rule
rule_of(const char *text)
{
	struct tl_pair_rule rule;
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_pair_parse(&rule, text, &fault) == 0, "%s",
	    fault.text);
	return rule;
}

static struct tl_pairs *
new_pairs(const struct tl_pair_rule *rules, size_t count)
{
	struct tl_pairs *pairs;

	ck_assert_int_eq(tl_pairs_new(&pairs, rules, count, HOSTS), 0);
	return pairs;
}

/* What is told of the first host and the second; then it is not needed. */
static void
expect_delay(struct tl_pairs *pairs, uint64_t count, int64_t ns)
{
	int64_t delay_ns;

	ck_assert_uint_eq(tl_pairs_delay(pairs, 0, 1, &delay_ns), count);
	ck_assert_int_eq(delay_ns, ns);
	tl_pairs_free(pairs);
}

static void
put(struct tl_pairs *pairs, size_t host, const struct tl_message *message,
    int64_t ns, uint64_t first, uint64_t second)
{
	const struct tl_event event = { .ns = ns,
		.message = message,
		.kind = TL_INSTANT,
		.args = { first, second } };

	ck_assert_int_eq(tl_pairs_put(pairs, &event, host), 0);
}

TEST_FILE(.setup = setup, .timeout = 600);

TEST(a_pair_is_two_globs_and_an_argument)
{
	struct tl_pair_rule rule = rule_of("tx:sent $id* = got * $id*");

	ck_assert_str_eq(rule.sides[0].glob, "tx:sent $id*");
	ck_assert_str_eq(rule.sides[0].name, "id");
	ck_assert_str_eq(rule.sides[1].glob, "got * $id*");
	ck_assert_str_eq(rule.sides[1].name, "id");
	rule = rule_of("sent*=  < serve *  ");
	ck_assert_str_eq(rule.sides[0].glob, "sent*");
	ck_assert_str_eq(rule.sides[0].name, "");
	ck_assert_str_eq(rule.sides[1].glob, "serve *");
	ck_assert(!rule.sides[0].of_ends && rule.sides[1].of_ends);
	rule = rule_of("a=1 = b=2 $");
	ck_assert_str_eq(rule.sides[0].glob, "a=1");
	ck_assert_str_eq(rule.sides[1].glob, "b=2 $");
	ck_assert_str_eq(rule.sides[1].name, "");
}

TEST(what_is_no_pair_is_refused)
{
	static const char *const words[] = { "", "sent", "=", "sent=", "=got",
		" = ", "  =got" };
	char longest[2 * TL_PAIR_GLOB_MAX];
	struct tl_pair_rule rule;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tl_fault fault = { 0 };

		ck_assert_int_eq(tl_pair_parse(&rule, words[i], &fault),
		    -EINVAL);
		ck_assert_int_eq(fault.rc, -EINVAL);
	}
	memset(longest, '$', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	longest[2] = '=';
	ck_assert_int_eq(tl_pair_parse(&rule, longest, NULL), -EINVAL);
}

TEST(each_value_is_paired_once)
{
	const struct tl_pair_rule rule = rule_of("sent $id* = got * $id*");
	struct tl_pairs *pairs;
	struct tl_pairs_counts counts;
	int64_t delay_ns;

	pairs = new_pairs(&rule, 1);
	put(pairs, 0, &sent, 100, 7, 0);
	put(pairs, 0, &sent, 110, 7, 0);     /* again */
	put(pairs, 1, &received, 90, 0, 7);  /* before it was sent */
	put(pairs, 1, &received, 120, 0, 7); /* again */
	put(pairs, 2, &received, 50, 9, 8);  /* seen first */
	put(pairs, 0, &sent, 60, 8, 0);
	put(pairs, 0, &sent, 60, 10, 0); /* alone */
	put(pairs, 3, &sent, 60, 11, 0);
	put(pairs, 3, &received, 70, 0, 11); /* of one clock */
	put(pairs, 1, &other, 70, 10, 10);
	counts = tl_pairs_counts(pairs);
	ck_assert_uint_eq(counts.paired, 2);
	ck_assert_uint_eq(counts.same_clock, 1);
	ck_assert_uint_eq(counts.again, 2);
	ck_assert_uint_eq(counts.alone, 1);
	ck_assert_uint_eq(counts.over, 0);
	ck_assert_uint_eq(tl_pairs_delay(pairs, 0, 1, &delay_ns), 1);
	ck_assert_int_eq(delay_ns, -10);
	ck_assert_uint_eq(tl_pairs_delay(pairs, 0, 2, &delay_ns), 1);
	ck_assert_int_eq(delay_ns, -10);
	ck_assert_uint_eq(tl_pairs_delay(pairs, 1, 0, &delay_ns), 0);
	tl_pairs_free(pairs);
}

TEST(a_category_and_the_first_argument_will_do)
{
	const struct tl_pair_rule rules[] = { rule_of("rx:* = tx:s*"),
		rule_of("*:nothing * = call $n") };
	struct tl_pairs *pairs = new_pairs(rules, 2);

	put(pairs, 0, &received, 5, 3, 4);
	put(pairs, 1, &sent, 9, 3, 0);
	put(pairs, 0, &other, 5, 3, 0); /* the same value of another rule */
	put(pairs, 1, &span, 8, 3, 0);
	expect_delay(pairs, 2, 3);
}

TEST(ends_of_spans_are_asked_for)
{
	const struct tl_pair_rule rules[] = { rule_of("call $n = got *"),
		rule_of("< call $n = sent *") };
	const struct tl_event end = { .ns = 30,
		.message = &span,
		.kind = TL_END,
		.args = { 1 } };
	struct tl_event bare = end;
	struct tl_pairs *pairs;

	bare.bare = true;
	bare.args[0] = 0;
	pairs = new_pairs(rules, 2);
	put(pairs, 0, &span, 10, 1, 0);
	ck_assert_int_eq(tl_pairs_put(pairs, &end, 0), 0);
	ck_assert_int_eq(tl_pairs_put(pairs, &bare, 0), 0);
	put(pairs, 1, &received, 15, 1, 0);
	put(pairs, 1, &sent, 32, 1, 0);
	put(pairs, 1, &sent, 40, 0, 0);
	expect_delay(pairs, 2, 2);
}

TEST(what_is_sent_and_received_alike_is_sent)
{
	const struct tl_pair_rule rule = rule_of("sent * = sent *");
	struct tl_pairs *pairs = new_pairs(&rule, 1);

	put(pairs, 0, &sent, 1, 5, 0);
	put(pairs, 1, &sent, 2, 5, 0);
	ck_assert_uint_eq(tl_pairs_counts(pairs).paired, 0);
	ck_assert_uint_eq(tl_pairs_counts(pairs).again, 1);
	tl_pairs_free(pairs);
}

static struct tl_bytes
two_words(const struct tl_strings *strings, uint64_t n)
{
	static const char *const words[] = { "left", "right" };
	const struct tl_bytes none = { NULL, 0 };

	/* The second host counts from ten. */
	(void)strings;
	n %= 10;
	return n < 2 ? tl_bytes_of(words[n]) : none;
}

TEST(texts_are_paired_by_what_they_say)
{
	static const struct tl_strings strings = { two_words };
	const struct tl_pair_rule rule = rule_of("put $w* = take $w*");
	struct tl_message from = { .strings = &strings }, to = from;
	struct tl_pairs *pairs;

	ck_assert_int_eq(tl_message_parse(&from, tl_bytes_of("put $w%s")), 0);
	ck_assert_int_eq(tl_message_parse(&to, tl_bytes_of("take $w%s")), 0);
	pairs = new_pairs(&rule, 1);
	put(pairs, 0, &from, 1, 0, 0);
	put(pairs, 0, &from, 2, 1, 0);
	put(pairs, 1, &to, 8, 10, 0);
	put(pairs, 1, &to, 4, 11, 0);
	expect_delay(pairs, 2, 2);
}

TEST(beyond_its_bound_values_are_counted)
{
	const struct tl_pair_rule rule = rule_of("sent * = got * $id*");
	struct tl_pairs *pairs = new_pairs(&rule, 1);

	for (uint64_t i = 0; i < TL_PAIRS_MAX + 5; i++)
		put(pairs, 0, &sent, 1, i, 0);
	for (uint64_t i = 0; i < TL_PAIRS_MAX + 5; i++)
		put(pairs, 1, &received, 1, 0, i);
	ck_assert_uint_eq(tl_pairs_counts(pairs).over, 10);
	ck_assert_uint_eq(tl_pairs_counts(pairs).paired, TL_PAIRS_MAX);
	ck_assert_uint_eq(tl_pairs_counts(pairs).alone, 0);
	tl_pairs_free(pairs);
}

/* == hosts that send to each other == */

static int64_t planted_ns[HOSTS]; /* what must be added to a host's times */
static uint64_t state;

/* By a host's clock, and read off it wrong by as much as it says. */
static void
put_wrong(struct tl_pairs *pairs, size_t host, const struct tl_message *message,
    int64_t ns, uint64_t first, uint64_t second)
{
	const uint32_t error_ns = (uint32_t)random_below(&state, WRONG_MAX);
	const int64_t wrong_ns =
	    (int64_t)random_below(&state, 2 * error_ns + 1) - error_ns;
	const struct tl_event event = { .ns = ns - planted_ns[host] + wrong_ns,
		.error_ns = error_ns,
		.message = message,
		.kind = TL_INSTANT,
		.args = { first, second } };

	ck_assert_int_eq(tl_pairs_put(pairs, &event, host), 0);
}

/* Messages between random hosts, each so long under way.  The least way of
 * each pair is kept. */
static void
send_all(struct tl_pairs *pairs, unsigned count, int64_t way_ns[HOSTS][HOSTS])
{
	for (unsigned i = 0; i < count; i++) {
		const size_t a = random_below(&state, HOSTS);
		const size_t b = random_below(&state, HOSTS);
		const int64_t at_ns = (int64_t)random_below(&state, 1u << 30);
		const int64_t under_way_ns =
		    (int64_t)random_below(&state, 3000000);

		put_wrong(pairs, a, &sent, at_ns, i, b);
		put_wrong(pairs, b, &received, at_ns + under_way_ns, a, i);
		if (under_way_ns < way_ns[a][b])
			way_ns[a][b] = under_way_ns;
	}
}

/* Every delay as a bound; sign -1 is the wrong way round.  How many could not
 * be. */
static unsigned
bound_all(struct tl_bounds *bounds, const struct tl_pairs *pairs, int sign)
{
	unsigned refused = 0;
	int64_t delay_ns, by;

	for (size_t a = 0; a < HOSTS; a++) {
		for (size_t b = 0; b < HOSTS; b++) {
			if (a == b || !tl_pairs_delay(pairs, a, b, &delay_ns))
				continue;
			refused += tl_bounds_add(bounds, a, b,
				       (struct tl_range){ -sign * delay_ns,
					   INT64_MAX },
				       &by) < 0;
		}
	}
	return refused;
}

/* Of the pairs of hosts, those whose true difference is not in its range. */
static unsigned
count_missed(const struct tl_bounds *bounds, int64_t way_ns[HOSTS][HOSTS])
{
	unsigned missed = 0;

	for (size_t a = 0; a < HOSTS; a++) {
		for (size_t b = 0; b < HOSTS; b++) {
			const int64_t truth = planted_ns[b] - planted_ns[a];
			const struct tl_range r = tl_bounds_of(bounds, a, b);

			if (a == b)
				continue;
			missed += truth < r.least || truth > r.most;
			/* As narrow as what was quickest both ways. */
			if (way_ns && way_ns[a][b] < FAR && way_ns[b][a] < FAR)
				ck_assert_int_le(r.most - r.least,
				    way_ns[a][b] + way_ns[b][a] +
					4 * WRONG_MAX * 2);
		}
	}
	return missed;
}

TEST(planted_offsets_lie_within_the_bounds)
{
	const struct tl_pair_rule rule = rule_of("sent $id* = got * $id*");
	unsigned wrong = 0;

	state = 77;
	for (unsigned round = 0; round < 200; round++) {
		int64_t way_ns[HOSTS][HOSTS];
		struct tl_pairs *pairs;
		struct tl_bounds *bounds, *turned;

		for (size_t i = 0; i < HOSTS; i++)
			planted_ns[i] =
			    (int64_t)random_below(&state, 2000000000) -
			    1000000000;
		for (size_t i = 0; i < HOSTS * HOSTS; i++)
			way_ns[i / HOSTS][i % HOSTS] = FAR;
		pairs = new_pairs(&rule, 1);
		ck_assert_int_eq(tl_bounds_new(&bounds, HOSTS), 0);
		ck_assert_int_eq(tl_bounds_new(&turned, HOSTS), 0);
		send_all(pairs, 1 + (unsigned)random_below(&state, 2000),
		    way_ns);
		ck_assert_uint_eq(bound_all(bounds, pairs, 1), 0);
		ck_assert_uint_eq(count_missed(bounds, way_ns), 0);
		/* A test of the test: turned round, it is seen to be wrong. */
		wrong += bound_all(turned, pairs, -1) > 0 ||
			 count_missed(turned, NULL) > 0;
		tl_bounds_free(bounds);
		tl_bounds_free(turned);
		tl_pairs_free(pairs);
	}
	ck_assert_uint_ge(wrong, 199);
}
