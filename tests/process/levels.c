/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - priority, burst and level set by one process hold for every other
 * process at once, whichever of them attached first.
 */
#include "../lib/process.h"

#include "base/word.h"

#include <fcntl.h>

enum { LEVELS = TIMELINE_LEVEL_MAX, CHILDREN = 2 };

static const char *const names[LEVELS + 1] = { "off", "trace+++", "trace++",
	"trace+", "trace", "debug", "info", "warning", "error", "fatal" };

static struct timeline *tl;
static struct timeline_event *events[LEVELS + 1];

struct child {
	int ask;
	int answer;
	bool inherits; /* the child inherits the parent's mapping; false: it
		        * attaches by name */
	pid_t pid;
};
static struct child children[CHILDREN];

static void
define_all(void)
{
	char text[32];

	for (int i = 1; i <= LEVELS; i++) {
		snprintf(text, sizeof(text), "at level %s", names[i]);
		expect_ok(timeline_define(tl, i % 2 ? "odd" : "even", names[i],
		    text, &events[i]));
	}
}

/* Log every message; returns the stored ones, a bit each. */
static uint16_t
log_all(void)
{
	uint16_t stored = 0;

	for (int i = 1; i <= LEVELS; i++) {
		const uint64_t before = sum_of_heads(tl);

		timeline_log(events[i], i);
		if (sum_of_heads(tl) != before)
			stored |= (uint16_t)(1 << i);
	}
	return stored;
}

static void
answer(void *context)
{
	const struct child *c = context;
	uint16_t stored;
	char word;

	if (!c->inherits) {
		expect_ok(timeline_open(&tl, test_name));
		define_all();
	}
	while (read(c->ask, &word, 1) == 1) {
		stored = log_all();
		expect(write(c->answer, &stored, sizeof(stored)) == 2,
		    "write: %m");
	}
}

static void
start(struct child *c, bool inherits)
{
	int to[2], from[2];

	expect(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0,
	    "pipe: %m");
	*c = (struct child){ .ask = to[0],
		.answer = from[1],
		.inherits = inherits };
	c->pid = spawn(answer, c);
	c->ask = to[1];
	c->answer = from[0];
}

/* Check that every process stores exactly these levels. */
static void
expect_open(uint16_t wanted, const char *when)
{
	uint16_t stored = log_all();

	expect(stored == wanted, "%s: stored %x here, not %x", when, stored,
	    wanted);
	for (int i = 0; i < CHILDREN; i++) {
		expect(write(children[i].ask, "?", 1) == 1 &&
			   read(children[i].answer, &stored, 2) == 2,
		    "%s: child %d is gone", when, i);
		expect(stored == wanted, "%s: child %d stored %x, not %x", when,
		    i, stored, wanted);
	}
}

/* The bits of a level and all higher ones. */
static uint16_t
from(int level)
{
	return (uint16_t)(0x3ff & ~((1 << level) - 1));
}

static void
check_priorities(void)
{
	for (int i = 1; i <= LEVELS; i++) {
		expect_ok(timeline_priority(tl, names[i]));
		expect_open(from(i), names[i]);
	}
	expect_ok(timeline_priority(tl, "off"));
	expect_open(0, "off");
}

static void
check_bursts(void)
{
	expect_ok(timeline_priority(tl, "error"));
	expect_ok(timeline_burst(tl, "debug", 60000000000));
	expect_open(from(5), "a burst");
	expect_ok(timeline_burst(tl, "info", 60000000000));
	expect_open(from(5), "a lesser burst in a burst");
	expect_ok(timeline_burst(tl, "trace", 30000000000));
	expect_open(from(4), "a burst adds its level and keeps the longer end");
	expect_ok(timeline_priority(tl, "fatal"));
	expect_open(from(4), "a priority in a burst comes after it");
	expect_ok(timeline_priority(tl, "trace++"));
	expect_open(from(2), "... or at once where it opens more");
	tl->header->levels = 0x0808;
	expect_ok(timeline_burst(tl, "trace", 1000));
	sleep_ns(1000000);
	expect_open(from(8), "a short burst is over");
	expect((uint16_t)tl->header->levels == 0x0808, "levels %lx",
	    tl->header->levels);
}

enum { CHANGES = 2000 };

static void
change_often(void *unused)
{
	struct timeline *other;

	(void)unused;
	expect_ok(timeline_open(&other, test_name));
	for (int i = 0; i < CHANGES; i++)
		expect_ok(
		    timeline_priority(other, i % 2 ? "error" : "warning"));
}

/* Several processes change the priority during a burst: its end, which the
 * entries tell, is never later than it was, and remains a sample's. */
static void
check_end_of_burst(bool sample)
{
	pid_t pids[CHILDREN];
	uint64_t asked, given_up;

	tl->header->levels = 0x0808;
	expect_ok(tl_burst(tl, 4, UINT64_C(3600000000000), sample));
	asked = tl->header->levels >> TIMELINE_LEVELS_UNTIL;
	for (int i = 0; i < CHILDREN; i++)
		pids[i] = spawn(change_often, NULL);
	for (int i = 0; i < CHANGES; i++) {
		const uint64_t now =
		    tl_load_64(&tl->header->levels) >> TIMELINE_LEVELS_UNTIL;

		expect(now <= asked && now % 2 == sample,
		    "until %lx, %lx was asked for", now, asked);
		expect_ok(timeline_priority(tl, i % 2 ? "fatal" : "info"));
	}
	for (int i = 0; i < CHILDREN; i++)
		expect_success(pids[i]);
	given_up = asked - (tl->header->levels >> TIMELINE_LEVELS_UNTIL);
	expect(given_up % 2 == 0 &&
		   given_up <= 2 * CHANGES * (CHILDREN + UINT64_C(1)),
	    "%lu units given up", given_up);
	expect_open(from(4), "a burst after many changes");
}

static void
check_gates(void)
{
	expect_ok(timeline_priority(tl, "error"));
	expect(timeline_level(tl, "odd", "*trace", "fatal") == -ENOENT,
	    "trace is not odd");
	expect_open(from(8), "even trace is not odd");
	expect_ok(timeline_level(tl, "*", "at level trace", "fatal"));
	expect_open(from(8) | 1 << 4, "trace turned up");
	expect_ok(timeline_level(tl, "odd", "*", "off"));
	expect_open(1 << 8 | 1 << 4, "odd turned off");
	expect_ok(timeline_level(tl, "*", "*", "default"));
	expect_open(from(8), "all as defined");
	expect(timeline_level(tl, "nobody", "*", "off") == -ENOENT,
	    "matched nothing");
}

int
main(void)
{
	choose_test_name("levels");
	expect_ok(timeline_new(&tl, test_name, NULL));
	define_all();
	start(&children[0], true);
	start(&children[1], false);
	expect_open(from(1), "a new timeline");
	check_priorities();
	check_bursts();
	check_end_of_burst(false);
	check_end_of_burst(true);
	tl->header->levels = 0x0808;
	check_gates();
	for (int i = 0; i < CHILDREN; i++) {
		close(children[i].ask);
		kill(children[i].pid, SIGKILL);
		wait_for(children[i].pid);
	}
	timeline_close(tl);
	return 0;
}
