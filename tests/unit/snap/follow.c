/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - a follower sees every entry once, and reports what it missed. */
#include "lib/frozen.h"
#include "lib/golden.h"
#include "lib/random.h"

#include <sys/resource.h>

enum { N = 64, LANES = 4 };

static struct timeline_event *event;
static struct timeline_event *error;
static struct tl_cursor *follow;
static struct timeline_header before;
static int64_t began_ns;

/* The events of a line: plain numbers, which are joined to ranges. */
static struct {
	struct tl_text *out;
	uint64_t from, to;    /* of the range that is not printed yet */
	char mark;            /* of this range */
	uint64_t observed[2]; /* of the last event of each message */
	struct tl_event loss; /* the last event, if it was a loss */
} shown;

static void
open_follow(uint64_t tail)
{
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_follow_open(&follow, fixture_name, tail, &fault) == 0,
	    "%s", fault.text);
}

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	ck_assert_ok(timeline_define(tl, "a", "error", "$a", &error));
	before = *tl->header;
	began_ns = (int64_t)tl_clock_read(CLOCK_REALTIME);
	memset(&shown, 0, sizeof(shown));
	memset(shown.observed, 0xff, sizeof(shown.observed));
}

static void
teardown(void)
{
	tl_cursor_close(follow);
	follow = NULL; /* not every test opens a follower */
	fixture_close();
}

/* Log the numbers [from, to) through one lane. */
static void
log_numbers(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		tl_append_fallback(event, i, 0, 0, 0);
}

/* Expect these numbers, and nothing new after them. */
static void
expect_numbers(uint64_t from, uint64_t to)
{
	struct tl_event e;

	for (uint64_t i = from; i < to; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.kind, TL_INSTANT);
		ck_assert_uint_eq(e.args[0], i);
	}
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
}

/* == cases in follow.cases == */

static void
show_range(void)
{
	if (shown.to > shown.from + 1)
		tl_put_format(shown.out, "-%lu", shown.to - 1);
	shown.from = shown.to = 0;
}

/*
 * Show an event: "|" stands before one that is cut off from the last of its
 * message, "?" before those that were not observed, "@" before one that has the
 * time of the loss before it.
 */
static void
show(const struct tl_event *e)
{
	const bool plain = e->kind == TL_INSTANT && e->message->builtin == 0;
	uint64_t *observed = &shown.observed[plain && e->level > 6];
	const bool follows = plain && shown.to > 0 && shown.to == e->args[0];
	char mark = ' ';

	if (shown.loss.kind == TL_LOST && shown.loss.tsc == e->tsc &&
	    shown.loss.ns == e->ns)
		mark = '@';
	else if (plain && e->observed == TL_UNOBSERVED)
		mark = '?';
	else if (plain && tl_observed_cut(*observed, e->observed))
		mark = '|';
	shown.loss = *e;
	if (plain)
		*observed = e->observed;
	if (follows && (mark == '?' ? shown.mark == '?'
				    : mark == ' ' && shown.mark != '?')) {
		shown.to++;
		return;
	}
	show_range();
	tl_put_format(shown.out, mark == ' ' ? " " : " %c", mark);
	if (plain) {
		tl_put_unsigned(shown.out, e->args[0]);
		shown.from = e->args[0];
		shown.to = shown.from + 1;
		shown.mark = mark;
	} else if (e->kind == TL_LOST) {
		ck_assert_int_ge(e->ns, began_ns);
		tl_put_format(shown.out, "lost %lu from %lu%s%s", e->lost,
		    e->number, e->overwritten ? " overwritten" : "",
		    e->unread ? " unread" : "");
	} else {
		ck_assert_uint_eq(e->message->builtin, TIMELINE_BUILTIN_CLEAR);
		tl_put_string(shown.out, "clear");
	}
}

static int
show_once(void)
{
	struct tl_event e;
	const int rc = tl_cursor_next(follow, &e);

	if (rc > 0)
		show(&e);
	else
		show_range();
	if (rc < 0)
		tl_put_format(shown.out, " %d", rc);
	return rc;
}

/* Show what there is, until twice nothing comes. */
static void
show_all(void)
{
	for (int nothing = 0; nothing < 2;)
		nothing = show_once() > 0 ? 0 : nothing + 1;
}

/* Wait for an event, however many rounds it takes. */
static void
show_late(void)
{
	while (show_once() == 0)
		usleep(1000);
	show_all();
}

static void
limit_files(bool none)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = none ? 0 : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void
try_open(const char *path)
{
	struct tl_fault fault = { 0 };
	char saved[64];

	snprintf(saved, sizeof(saved), "/dev/shm/test-follow-%d",
	    (int)getpid());
	ck_assert_ok(timeline_save(tl, saved));
	follow = NULL;
	tl_put_format(shown.out, " %d",
	    tl_follow_open(&follow, strcmp(path, "saved") == 0 ? saved : path,
		0, &fault));
	ck_assert_str_ne(fault.text, "");
	ck_assert_ptr_null(follow);
	unlink(saved);
}

static void
set_field(const char *name, uint32_t value)
{
	struct timeline_header *h = tl->header;

	if (strcmp(name, "tier_entries") == 0)
		h->tier_entries[0] = h->tier_entries[1] = value;
	else
		*(strcmp(name, "tiers") == 0         ? &h->tiers
		    : strcmp(name, "state") == 0     ? &h->state
		    : strcmp(name, "cpu_lanes") == 0 ? &h->cpu_lanes
						     : &h->fallback_lanes) =
		    value;
}

/*
 * Run a line:
 *	log FROM TO, error, mixed	entries with these numbers
 *	clear, remove			the timeline
 *	head LANE N, write LANE Q	entries by hand
 *	torn LANE Q [END], ahead LANE Q MS
 *	open [TAIL], try PATH		a follower; try prints the result
 *	delay NS, again			prints when to look again
 *	once, next, wait		prints one event, all, or all to come
 *	steps FROM TO STEP		"log" and "next" by turns
 *	set FIELD VALUE, restore, truncate SIZE, check	the header, the file
 *	files none|many			that may be opened
 */
static void
run_line(struct tl_text *out, const char *line)
{
	char word[16], w[3][64] = { "", "", "" };
	struct tl_text text = { 0 };
	struct tl_event e;
	uint64_t n[3];

	sscanf(line, "%15s %63s %63s %63s", word, w[0], w[1], w[2]);
	for (int i = 0; i < 3; i++)
		n[i] = strtoull(w[i], NULL, 10);
	shown.out = &text;
	if (strcmp(word, "log") == 0) {
		log_numbers(n[0], n[1]);
	} else if (strcmp(word, "error") == 0 || strcmp(word, "mixed") == 0) {
		for (uint64_t i = n[0]; i < n[1]; i++)
			tl_append_fallback(*word == 'm' && i % 3 ? event
								 : error,
			    i, 0, 0, 0);
	} else if (strcmp(word, "clear") == 0) {
		timeline_clear(tl);
	} else if (strcmp(word, "remove") == 0) {
		timeline_remove(fixture_name);
	} else if (strcmp(word, "head") == 0) {
		fixture_head((uint32_t)n[0])->head = n[1];
	} else if (strcmp(word, "write") == 0) {
		fixture_entry((uint32_t)n[0], n[1])->args[0] = n[1];
		fixture_entry((uint32_t)n[0], n[1])->message = event->message;
		fixture_stamp((uint32_t)n[0], n[1]);
	} else if (strcmp(word, "torn") == 0) {
		for (uint64_t q = n[1]; q == n[1] || q < n[2]; q++)
			fixture_entry((uint32_t)n[0], q)->stamp = 0;
	} else if (strcmp(word, "ahead") == 0) {
		fixture_entry((uint32_t)n[0], n[1])->tsc +=
		    tl_calibrate_ticks(tl->header, n[2] * 1000000);
		fixture_stamp((uint32_t)n[0], n[1]);
	} else if (strcmp(word, "open") == 0) {
		open_follow(n[0]);
	} else if (strcmp(word, "try") == 0) {
		try_open(w[0]);
	} else if (strcmp(word, "delay") == 0) {
		tl_follow_delay(follow, n[0]);
	} else if (strcmp(word, "again") == 0) {
		n[0] = tl_follow_again_ns(follow);
		tl_put_format(&text, n[0] == UINT64_MAX ? " never" : " %lu",
		    n[0]);
	} else if (strcmp(word, "once") == 0) {
		if (show_once() == 0)
			tl_put_string(&text, " -");
	} else if (strcmp(word, "next") == 0) {
		show_all();
		if (text.size == 0)
			tl_put_string(&text, " -");
	} else if (strcmp(word, "wait") == 0) {
		show_late();
	} else if (strcmp(word, "steps") == 0) {
		for (; n[0] < n[1]; n[0] += n[2]) {
			log_numbers(n[0], n[0] + n[2]);
			for (uint64_t i = 0; i < n[2]; i++)
				ck_assert_int_eq(show_once(), 1);
			ck_assert_uint_eq(shown.to, n[0] + n[2]);
			ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
		}
	} else if (strcmp(word, "set") == 0) {
		set_field(w[0], (uint32_t)n[1]);
	} else if (strcmp(word, "restore") == 0) {
		memcpy(tl->header, &before,
		    offsetof(struct timeline_header, levels));
	} else if (strcmp(word, "check") == 0) {
		ck_assert_ok(tl_layout_check(tl->header, NULL));
	} else if (strcmp(word, "truncate") == 0) {
		/* the teardown closes a whole file */
		ck_assert_int_eq(ftruncate(tl->fd,
				     (*w[0] == '-' || *w[0] == 'w'
					     ? (off_t)tl->geometry.total_size
					     : 0) +
					 strtoll(w[0], NULL, 10)),
		    0);
	} else {
		ck_assert_str_eq(word, "files");
		limit_files(strcmp(w[0], "none") == 0);
	}
	show_range();
	if (text.size > 0)
		tl_put_format(out, " =%s", tl_text_string(&text));
	tl_text_free(&text);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST_LINES(what_comes, "tests/unit/snap/follow.cases", run_line);

TEST(messages_defined_meanwhile_are_known)
{
	const struct tl_message *first;
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	first = e.message;
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	for (int i = 0; i < 30; i++) {
		struct timeline_event *own;
		char text[32];

		snprintf(text, sizeof(text), "message %d", i);
		ck_assert_ok(timeline_define(tl, "later", "info", text, &own));
		tl_append_fallback(own, 0, 0, 0, 0);
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert(tl_bytes_equal(e.message->line1, tl_bytes_of(text)));
		ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	}
	/* messages keep their addresses */
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_ptr_eq(e.message, first);
}

/* Return the next event, however many rounds it takes. */
static void
wait_next(struct tl_event *e)
{
	int rc;

	while ((rc = tl_cursor_next(follow, e)) == 0)
		usleep(1000);
	ck_assert_int_eq(rc, 1);
}

/* Threads were stopped between their ticket and their last store. */
TEST(late_entries_come_in_a_later_round_and_once)
{
	uint64_t given = 0;

	if (random_is_slow()) /* the follower waits for them for one second */
		return;
	open_follow(0);
	for (uint64_t q = 0; q < 40; q++) {
		log_numbers(q, q + 1);
		if (q % 3 == 0)
			fixture_entry(2, q)->stamp ^= UINT64_C(1) << 40;
	}
	for (uint64_t q = 0; q < 40; q++) {
		struct tl_event e;

		if (q % 3 == 0)
			continue;
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.number, q);
		given++;
	}
	expect_numbers(0, 0);
	for (uint64_t q = 39; q > 0; q -= 3) { /* the last entry first */
		fixture_stamp(2, q);
		expect_numbers(q, q + 1);
		given++;
	}
	fixture_stamp(2, 0);
	expect_numbers(0, 1);
	ck_assert_uint_eq(given + 1, 40);
}

/* In a CPU lane with stamps ahead only the end of the lane waits. */
TEST(the_end_of_a_cpu_lane_waits_for_its_time)
{
	const uint64_t second =
	    tl_calibrate_ticks(tl->header, UINT64_C(1000000000));
	const uint64_t now = tl_stamp_now(tl);
	const uint64_t stamps[] = { now, now + second / 2, now + 1,
		now + second / 4, now + second / 4 };
	struct tl_event e;

	if (random_is_slow())
		return;
	open_follow(0);
	for (uint64_t q = 0; q < 5; q++) {
		*fixture_entry(0, q) =
		    (struct timeline_entry){ .tsc = stamps[q],
			    .message = event->message,
			    .args = { q },
			    .stamp = timeline_stamp_whole(q) };
		fixture_head(0)->head = q + 1;
	}
	expect_numbers(0, 3); /* the order inside a CPU lane is the number */
	wait_next(&e);
	ck_assert_uint_eq(e.args[0], 3);
	expect_numbers(4, 5);
}

/* Read each lane until there is nothing new, and sum up its events. */
struct rest {
	uint64_t events[LANES];
	uint64_t lost[LANES];
	uint64_t sum[LANES];
	uint64_t next[LANES];
};

static struct rest
take_rest(struct tl_cursor *cursor)
{
	struct rest rest = { 0 };
	const uint64_t *positions;
	struct tl_event e;

	while (tl_cursor_next(cursor, &e) > 0) {
		rest.events[e.lane] += e.kind != TL_LOST;
		rest.lost[e.lane] += e.lost;
		rest.sum[e.lane] += e.args[0] + e.number;
	}
	ck_assert_uint_eq(tl_follow_positions(cursor, &positions), LANES);
	memcpy(rest.next, positions, sizeof(rest.next));
	return rest;
}

/*
 * A second follower that starts at the first follower's positions gets the same
 * rest.
 */
static void
expect_twin(void)
{
	struct tl_fault fault = { 0 };
	struct tl_follow_start start = { 0 };
	struct tl_cursor *twin;
	struct rest mine, other;

	start.lane_count = tl_follow_positions(follow, &start.from);
	ck_assert_msg(tl_follow_open_at(&twin, tl->fd, &start, &fault) == 0,
	    "%s", fault.text);
	other = take_rest(twin);
	mine = take_rest(follow);
	ck_assert_mem_eq(&mine, &other, sizeof(mine));
	tl_cursor_close(twin);
}

/* Read so many events, or as many as there are. */
static void
take(unsigned count)
{
	struct tl_event e;

	while (count > 0 && tl_cursor_next(follow, &e) > 0)
		count--;
}

/* Make the newest entry of a lane unfinished. */
static void
tear_last(uint32_t lane)
{
	const uint64_t head = fixture_head(lane)->head;

	if (head > 0)
		fixture_entry(lane, head - 1)->stamp = 0;
}

/*
 * A follower may be handed over at any entry, even if entries are overwritten,
 * torn or cleared.
 */
TEST(another_goes_on_where_one_is)
{
	for (unsigned at = 0; at < N; at++) {
		open_follow(0);
		log_numbers(0, 5);
		/* a round has ended, or no round has begun */
		take(at % 2 ? N : 0);
		log_numbers(5, 5 + 3 * N);
		timeline_log(event, 1);
		timeline_log(error, 2);
		take(at);
		expect_twin();
		tl_cursor_close(follow);
	}
	tear_last(0);
	open_follow(UINT64_MAX);
	take(N);
	take(N);
	expect_twin();
	log_numbers(0, 10);
	timeline_clear(tl);
	log_numbers(10, 20);
	take(3);
	expect_twin();
}

/* Move the time that the next round computes for a stamp. */
static void
move_clock(int64_t ns)
{
	tl->header->clock.utc_ns += ns;
	for (uint32_t i = 0; i < tl->geometry.knots_max; i++)
		((struct timeline_knot *)(void *)(tl->map +
						  tl->geometry.knots_offset))[i]
		    .utc_ns += ns;
}

TEST(time_known_better_turns_no_order_round)
{
	struct tl_event a, b, c;

	open_follow(0);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &a), 1);
	ck_assert_int_eq(tl_cursor_next(follow, &b), 0);
	tl->header->clock.max_err_ns = 500 * 1000 * 1000;
	move_clock(-400 * 1000 * 1000);
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &b), 1);
	ck_assert_uint_gt(b.tsc, a.tsc);
	ck_assert_int_eq(b.ns, a.ns);
	ck_assert_int_eq(tl_cursor_next(follow, &c), 0);
	/* a step beyond the error bound: the clock was set */
	move_clock(-INT64_C(3600) * 1000 * 1000 * 1000);
	log_numbers(2, 3);
	ck_assert_int_eq(tl_cursor_next(follow, &c), 1);
	ck_assert_int_lt(c.ns, b.ns - INT64_C(3000) * 1000 * 1000 * 1000);
}

TEST(positions_that_cannot_be_are_refused)
{
	struct tl_fault fault = { 0 };
	const uint64_t *positions;
	uint64_t from[64];
	struct tl_follow_start start = { .from = from };
	struct tl_cursor *other;

	open_follow(0);
	start.lane_count = tl_follow_positions(follow, &positions);
	memcpy(from, positions, start.lane_count * sizeof(*from));
	from[0]++;
	ck_assert_int_eq(tl_follow_open_at(&other, tl->fd, &start, &fault),
	    -ESTALE);
	from[0]--;
	start.lane_count++;
	ck_assert_int_eq(tl_follow_open_at(&other, tl->fd, &start, &fault),
	    -ESTALE);
}

/*
 * The place of the message was reserved, but nothing was written yet, when a
 * round copied the string table.
 */
TEST(a_message_that_was_half_written_is_known_when_it_is_whole)
{
	const uint64_t newest = tl->header->newest;
	const uint64_t at = tl->header->strings_tail;
	struct timeline_event *later;
	uint8_t record[256];
	struct tl_event e;

	ck_assert_ok(timeline_define(tl, "a", "info", "later", &later));
	memcpy(record, tl->strings + at, sizeof(record));
	memset(tl->strings + at, 0, sizeof(record));
	tl->header->newest = newest;
	open_follow(0);
	log_numbers(0, 1);
	expect_numbers(0, 1);
	memcpy(tl->strings + at, record, sizeof(record));
	tl->header->newest = at;
	tl_append_fallback(later, 0, 0, 0, 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->id, at);
	ck_assert(tl_bytes_equal(e.message->line1, tl_bytes_of("later")));
}

/* == observed time == */

TEST(the_gates_of_messages_are_those_of_now)
{
	struct tl_event e;

	log_numbers(0, 1);
	open_follow(0);
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->gate, 6);
	ck_assert_uint_eq(e.observed, 1);
	ck_assert_ok(timeline_level(tl, "a", "*", "debug"));
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	/* two entries for each of the two messages */
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.message->builtin, TIMELINE_BUILTIN_LEVEL);
	}
	log_numbers(2, 3);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->gate, 5);
}

static void
log_while_open(struct timeline_event *detail)
{
	timeline_priority(tl, "trace");
	timeline_log(detail);
	timeline_priority(tl, "info");
}

/* Log an entry at each of three times, and raise its message then. */
static void
raise_late(struct timeline_event *detail)
{
	log_while_open(detail);
	log_while_open(detail);
	/* of another message, and changes nothing */
	ck_assert_ok(timeline_level(tl, "a", "*", "default"));
	log_while_open(detail);
	ck_assert_ok(timeline_level(tl, "b", "*", "warning"));
}

/* The file has the gate of now when the entries before the change are read: by
 * a follower that was there before the message, before the entries, after them,
 * or that goes on between them. */
TEST(an_entry_before_a_change_of_its_gate_has_the_gate_before, .to = 4)
{
	uint64_t from[LANES] = { 0 }, observed[3] = { 0 };
	const struct tl_follow_start start = { .from = from,
		.lane_count = LANES };
	const uint64_t *positions;
	struct timeline_event *detail;
	struct tl_fault fault = { 0 };
	struct tl_event e;
	unsigned n = 0;
	int rc;

	timeline_priority(tl, "info");
	if (_i == 0)
		open_follow(0);
	ck_assert_ok(timeline_define(tl, "b", "trace", "detail", &detail));
	if (_i == 1)
		open_follow(0);
	if (_i == 3) {
		open_follow(UINT64_MAX);
		log_numbers(0, 1);
		while (tl_cursor_next(follow, &e) > 0)
			;
		tl_follow_positions(follow, &positions);
		memcpy(from, positions, sizeof(from));
		tl_cursor_close(follow);
	}
	raise_late(detail);
	if (_i > 1)
		ck_assert_msg(tl_follow_open_at(&follow, tl->fd, &start,
				  &fault) == 0,
		    "%s", fault.text);
	while ((rc = tl_cursor_next(follow, &e)) > 0)
		if (tl_bytes_equal(e.message->line1, tl_bytes_of("detail")))
			observed[n++ % 3] = e.observed;
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_ne(observed[0], observed[1]);
	ck_assert_uint_ne(observed[1], observed[2]);
}

/* A loss in the other lane is as late as the entries. */
TEST(entries_beside_a_loss_are_not_observed)
{
	struct tl_event e;
	bool lost = false;

	open_follow(0);
	for (uint64_t i = 0; i < N; i++) {
		tl_append_fallback(error, i, 0, 0, 0);
		log_numbers(i, i + 1);
	}
	log_numbers(N, 3 * N);
	while (tl_cursor_next(follow, &e) == 1) {
		lost |= e.kind == TL_LOST;
		if (e.kind != TL_LOST)
			ck_assert_int_eq(e.observed == TL_UNOBSERVED, !lost);
	}
	ck_assert(lost);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_ne(e.observed, TL_UNOBSERVED);
}
