/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the levels word changes as its table describes, for either
 * clock, and each change is logged for readers.
 */
#include "lib/fixture.h"
#include "lib/golden.h"

#define SECOND UINT64_C(1000000000)

static struct timeline_event *debug_event;

static void
setup_with(uint32_t stamp)
{
	struct timeline_options options = fixture_tiny;

	options.stamp = stamp;
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "debug", "$a", &debug_event));
}

static void
setup(void)
{
	setup_with(TIMELINE_STAMP_AUTO);
}

static unsigned
threshold(void)
{
	return timeline_threshold(tl->header->levels);
}

static unsigned
enter(void)
{
	return (uint8_t)tl->header->levels;
}

static unsigned
base(void)
{
	return (uint8_t)(tl->header->levels >> TIMELINE_LEVELS_BASE);
}

static uint64_t
until(void)
{
	return tl->header->levels >> TIMELINE_LEVELS_UNTIL;
}

/* True if an entry is logged now. */
static bool
is_logged(void)
{
	const uint64_t before = fixture_logged();

	timeline_log(debug_event, 1);
	return fixture_logged() > before;
}

static bool
is_over(void)
{
	return tl_until_is_over(until(), tl_stamp_now(tl), tl_burst_max(tl));
}

/* Leave a burst over base error that ends some units from now. */
static void
leave_burst(uint64_t level, int64_t units)
{
	const uint64_t now = tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT;

	tl->header->levels = level | 8 << TIMELINE_LEVELS_BASE |
			     (now + (uint64_t)units) << TIMELINE_LEVELS_UNTIL;
}

/* The newest entry about a change, without its confirmation. */
static const struct timeline_entry *
newest_change(void)
{
	const struct timeline_entry *e = fixture_newest();

	return e->message == tl->priority_in_force->message ||
		       e->message == tl->burst_in_force->message
		   ? fixture_before(e)
		   : e;
}

static void
expect_told(const struct timeline_event *builtin)
{
	const struct timeline_entry *e = newest_change();

	ck_assert_uint_eq(e->message, builtin->message);
	ck_assert_uint_eq(e->args[0], threshold());
	ck_assert_uint_eq(e->args[1], base());
	ck_assert_uint_eq((e->args[2] >> TIMELINE_UNTIL_SHIFT) & TL_UNTIL_MASK,
	    threshold() < base() ? until() : 0);
	ck_assert(e->args[2] & TIMELINE_UNTIL_BEFORE);
	ck_assert_int_eq((e->args[2] & TIMELINE_UNTIL_FOLLOWS) != 0,
	    e != fixture_newest());
	if (e != fixture_newest())
		ck_assert_mem_eq(e->args, fixture_newest()->args,
		    3 * sizeof(e->args[0]));
}

/* The levels without until. */
static uint64_t
levels(void)
{
	return tl->header->levels & ((1 << TIMELINE_LEVELS_UNTIL) - 1);
}

/* All slots are open to debug and higher levels. */
static const struct tl_plan all_of_debug = { .seed = 7,
	.shift = 10,
	.shares = { [5] = UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX } };

TEST_FILE(.setup = setup, .teardown = fixture_close);

/* == cases in priority.cases == */

/* The plans by name: shares of one in 2^32, another seed, another share. */
static struct tl_plan
plan_of(const char *name)
{
	struct tl_plan plan = all_of_debug;

	for (int gate = 5; strcmp(name, "tiny") == 0 && gate < 10; gate++)
		plan.shares[gate] = 1;
	plan.seed += strcmp(name, "other") == 0;
	plan.shares[9] -= strcmp(name, "share") == 0;
	return plan;
}

static int
set_plan(const char *from, const char *to)
{
	const struct tl_plan held = plan_of(from), plan = plan_of(to);

	return tl_plan_set(tl, *from == '-' ? NULL : &held,
	    *to == '-' ? NULL : &plan, *to == '-' ? 0 : 60 * SECOND);
}

static bool
is_burst(void)
{
	return threshold() < base() && !is_over();
}

/* The newest entry of a burst or a priority, without confirmations. */
static const struct timeline_entry *
newest_of_levels(void)
{
	const struct timeline_entry *newest = NULL;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t head = fixture_head(i)->head;

		for (uint64_t q = head > 4 ? head - 4 : 0; q < head; q++) {
			const struct timeline_entry *e = fixture_entry(i, q);

			if ((e->message == tl->burst_event->message ||
				e->message == tl->priority_event->message) &&
			    (!newest || e->tsc >= newest->tsc))
				newest = e;
		}
	}
	return newest;
}

/* Print the entry of a change, which must tell the levels that are now. */
static void
put_told(struct tl_text *out)
{
	const struct timeline_entry *e = newest_of_levels();
	const bool is_burst_event = e->message == tl->burst_event->message;
	const bool follows = e->args[2] & TIMELINE_UNTIL_FOLLOWS;

	ck_assert_uint_eq(e->args[0], threshold());
	ck_assert_uint_eq(e->args[1], base());
	ck_assert_uint_eq((e->args[2] >> TIMELINE_UNTIL_SHIFT) & TL_UNTIL_MASK,
	    threshold() < base() ? until() : 0);
	ck_assert(e->args[2] & TIMELINE_UNTIL_BEFORE);
	tl_put_format(out, ", told as %s%s%s",
	    is_burst_event ? "burst" : "priority",
	    (is_burst_event ? e->args[3] != 0
			    : (e->args[2] >> TIMELINE_UNTIL_SHIFT) & 1)
		? " (sample)"
		: "",
	    follows ? ", confirmed" : "");
	if (follows && e->message == newest_change()->message)
		ck_assert_mem_eq(e->args, fixture_newest()->args,
		    3 * sizeof(e->args[0]));
}

/*
 * Run a line, and print the levels at which writers enter, log, and log without
 * a burst; how the end of a burst moved; and what was told.
 *	priority NAME; burst NAME TIME; sample LEVEL TIME
 *	leave LEVEL UNITS	a burst over base error that ends then
 *	plan FROM TO		"-": none
 *	log, log_fatal		is it logged?
 *	look			tl_levels_get()
 */
static void
run_line(struct tl_text *out, const char *line)
{
	char word[32], a[32] = "", b[32] = "";
	const uint64_t word_before = tl->header->levels, end = until();
	const uint64_t logged = fixture_logged();
	const bool was_burst = is_burst();
	struct timeline_event *fatal;
	struct tl_levels_now now;
	struct tl_plan plan;
	int rc = 0;

	sscanf(line, "%31s %31s %31s", word, a, b);
	if (strcmp(word, "priority") == 0) {
		rc = timeline_priority(tl, a);
	} else if (strcmp(word, "burst") == 0) {
		rc = timeline_burst(tl, a, strtoull(b, NULL, 10) * SECOND);
	} else if (strcmp(word, "sample") == 0) {
		rc = tl_burst(tl, (uint8_t)strtoul(a, NULL, 10),
		    strtoull(b, NULL, 10) * SECOND, true);
	} else if (strcmp(word, "leave") == 0) {
		leave_burst(strtoul(a, NULL, 10), strtol(b, NULL, 10));
		return;
	} else if (strcmp(word, "clock") == 0) {
		fixture_close();
		setup_with(TIMELINE_STAMP_REALTIME);
		return;
	} else if (strcmp(word, "lease_over") == 0) {
		tl->header->lease = 0x100 | all_of_debug.shift;
		return;
	} else if (strcmp(word, "close") == 0) {
		tl->header->levels = 0x0808;
		return;
	} else if (strcmp(word, "held") == 0) {
		plan = plan_of(a);
		tl_put_string(out,
		    tl_plan_is_held(tl, &plan) ? " = yes" : " = no");
		return;
	} else if (strcmp(word, "look") == 0) {
		tl_levels_get(tl, &now);
		ck_assert_uint_eq(tl->header->levels, word_before);
		tl_put_format(out, " = %u/%u%s", now.threshold, now.base,
		    now.burst ? " burst" : "");
		return;
	} else if (strcmp(word, "plan") == 0) {
		rc = set_plan(a, b);
		plan = plan_of(b);
		if (*b != '-')
			ck_assert(tl_plan_is_held(tl, &plan));
	} else if (strcmp(word, "expire") == 0) {
		tl_levels_expire(tl);
	} else if (strcmp(word, "log") == 0) {
		tl_put_string(out,
		    is_logged() ? " = logged," : " = not logged,");
	} else {
		ck_assert_str_eq(word, "log_fatal");
		ck_assert_ok(timeline_define(tl, "a", "fatal", "$b", &fatal));
		timeline_log(fatal, 1);
		tl_put_string(out, fixture_logged() > logged
				       ? " = logged,"
				       : " = not logged,");
	}
	if (*word != 'l')
		tl_put_string(out, rc == 0         ? " ="
				   : rc == -EINVAL ? " = EINVAL"
				   : rc == -ERANGE ? " = ERANGE"
				   : rc == -EBUSY  ? " = EBUSY"
						   : " = another error");
	tl_put_format(out, " %u/%u/%u%s", enter(), threshold(), base(),
	    is_burst() ? " burst" : "");
	if (tl->header->levels == word_before)
		tl_put_string(out, ", unchanged");
	else if (was_burst && is_burst() && end - until() < 1000)
		tl_put_format(out, ", ends %d earlier", (int)(end - until()));
	else if (was_burst && is_burst())
		tl_put_string(out,
		    until() > end ? ", ends later" : ", ends much earlier");
	if (*word != 'l' && fixture_logged() > logged)
		put_told(out);
}

TEST_LINES(levels_change, "tests/unit/ring/priority.cases", run_line);

TEST(a_name_that_is_no_priority_is_said)
{
	ck_assert_int_eq(timeline_priority(tl, "Traces"), -EINVAL);
	ck_assert_str_eq(timeline_error(),
	    "no such priority: \"Traces\": fatal, error, warning, info, debug, "
	    "trace, trace+, trace++, trace+++, off");
	ck_assert_int_eq(timeline_priority(tl, NULL), -EINVAL);
	ck_assert_int_eq(timeline_burst(tl, "debug", 3600 * SECOND + 1),
	    -ERANGE);
}

TEST(no_value_of_the_word_comes_back)
{
	uint64_t words[64];
	unsigned n = 0;

	timeline_priority(tl, "error");
	for (int i = 0; i < 8; i++) {
		words[n++] = tl->header->levels;
		timeline_priority(tl, "info");
		words[n++] = tl->header->levels;
		timeline_burst(tl, "debug", 5000);
		words[n++] = tl->header->levels;
		for (int k = 0; k < 2; k++) {
			timeline_priority(tl, k ? "info" : "error");
			words[n++] = tl->header->levels;
		}
		usleep(20);
		tl_levels_expire(tl);
		/* the burst may have been over before the priority was set */
		if (tl->header->levels != words[n - 1])
			words[n++] = tl->header->levels;
		tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
		tl_plan_set(tl, &all_of_debug, NULL, 0);
		words[n++] = tl->header->levels;
		timeline_priority(tl, "error");
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_uint_ne(words[i], words[k]);
}

TEST(changes_of_priority_are_kept_apart_from_bursts)
{
	ck_assert_uint_eq(tl->priority_in_force->tier, 1);
	ck_assert_uint_eq(tl->burst_in_force->tier, 0);
	ck_assert_uint_eq(tl->priority_event->tier, 1);
	ck_assert_uint_eq(tl->burst_event->tier, 0);
}

/* Change the priority often; the end must not pass the end asked for. */
static void
change_often(uint64_t asked, const char *first, const char *second)
{
	for (int i = 0; i < 1000; i++) {
		const unsigned before = base();
		const uint64_t end = until();

		timeline_priority(tl, i % 2 ? second : first);
		ck_assert_uint_le(until(), asked);
		/* a priority that is raised costs nothing */
		ck_assert_uint_eq(end - until(), base() > before ? 0 : 2);
		expect_told(tl->priority_event);
	}
}

TEST(a_priority_moves_no_end_of_a_burst_up)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	asked = until();
	change_often(asked, "warning", "error");
	ck_assert_uint_eq(until(), asked - 1000);
	change_often(asked, "error", "error"); /* the same priority again */
	ck_assert_uint_eq(until(), asked - 3000);
	ck_assert_uint_eq(threshold(), 5);
	/* a longer burst lasts as long as it was asked for */
	timeline_burst(tl, "debug", 120 * SECOND);
	ck_assert_uint_gt(until(), asked);
	asked = until();
	change_often(asked, "off", "info");
	ck_assert_uint_eq(until(), asked - 1000);
}

TEST(a_priority_moves_no_end_of_a_sample_up)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 5, 60 * SECOND, true));
	asked = until();
	change_often(asked, "warning", "error");
	ck_assert_uint_eq(until(), asked - 1000);
	ck_assert_uint_eq(until() % 2, 1);
	/* the entry of a priority tells the kind, too */
	ck_assert_uint_eq(newest_change()->args[2] >> TIMELINE_UNTIL_SHIFT & 1,
	    1);
}

TEST(the_longest_burst_becomes_no_longer)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	ck_assert_ok(timeline_burst(tl, "debug", 3600 * SECOND));
	asked = until();
	change_often(asked, "fatal", "error");
	ck_assert(is_logged());
}

TEST(a_priority_at_the_end_of_a_burst_ends_it)
{
	for (int64_t units = -1; units < 2; units++) {
		leave_burst(4, units);
		timeline_priority(tl, "info");
		ck_assert_uint_eq(levels(), 0x0606);
		ck_assert(is_over());
		expect_told(tl->priority_event);
	}
}

TEST(a_plan_that_begins_at_the_end_of_a_burst_ends_it)
{
	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	leave_burst(7, 1);
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert_uint_eq(threshold(), 8);
	ck_assert_uint_eq(base(), 8);
	ck_assert_uint_eq(enter(), 5);
	ck_assert(is_over());
}

TEST(an_end_absurdly_far_ahead_is_over)
{
	const uint64_t now = tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT;
	const uint64_t ahead[] = { tl_burst_max(tl) + 1000, UINT64_C(1) << 40,
		(UINT64_C(1) << 47) - 1 };

	for (int i = 0; i < 3; i++) {
		tl->header->levels = 0x0805 | (now + ahead[i])
						  << TIMELINE_LEVELS_UNTIL;
		ck_assert(!is_logged());
		ck_assert_uint_eq(levels(), 0x0808);
	}
}

TEST(the_last_unit_of_a_burst_belongs_to_it)
{
	const uint64_t now = UINT64_C(1000) << TIMELINE_UNTIL_SHIFT;

	ck_assert(tl_until_is_over(999, now, 10));
	ck_assert(!tl_until_is_over(1000, now, 10));
	ck_assert(!tl_until_is_over(1010, now, 10));
	ck_assert(tl_until_is_over(1011, now, 10));
	/* where the 44 bits of the word wrap */
	ck_assert(
	    !tl_until_is_over(5, TL_UNTIL_MASK << TIMELINE_UNTIL_SHIFT, 10));
	ck_assert(tl_until_is_over(TL_UNTIL_MASK, 0, 10));
}

/* == slots == */

TEST(the_hash_of_slots_is_splitmix64)
{
	/* the first outputs of the generator for the states 0, 1 and 1234567 */
	ck_assert_uint_eq(timeline_slot_hash(0, 0), 0xe220a839);
	ck_assert_uint_eq(timeline_slot_hash(1, 0), 0x910a2dec);
	ck_assert_uint_eq(timeline_slot_hash(1234560, 7), 0x599ed017);
	ck_assert_uint_eq(timeline_slot(UINT64_C(0x123456789), 16), 0x12345);
	ck_assert_uint_eq(timeline_slot(UINT64_MAX, 63), 1);
}

TEST(the_levels_word_of_version_1_is_still_read)
{
	struct timeline_header h = { .major = 1,
		.levels = 4 | 6 << 8 | UINT64_C(0x123456789a) << 16 };

	ck_assert_uint_eq(timeline_threshold(timeline_levels(&h)), 4);
	ck_assert_uint_eq((uint8_t)(timeline_levels(&h) >> 8), 6);
	ck_assert_uint_eq(timeline_levels(&h) >> TIMELINE_LEVELS_UNTIL,
	    0x123456789a);
}
