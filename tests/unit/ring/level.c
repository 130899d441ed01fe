/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level.c - a level changes exactly the messages that match, and only their
 * gates.
 */
#include "lib/fixture.h"
#include "lib/test.h"

static struct timeline_event *tcp;
static struct timeline_event *udp;
static struct timeline_event *disk;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "net", "trace",
	    "tcp $n\nabout udp, too", &tcp));
	ck_assert_ok(timeline_define(tl, "net", "error", "udp $n", &udp));
	ck_assert_ok(timeline_define(tl, "disk", "trace", "tcp?", &disk));
}

static void
expect_gates(unsigned of_tcp, unsigned of_udp, unsigned of_disk)
{
	ck_assert_uint_eq(*tcp->gate, of_tcp);
	ck_assert_uint_eq(*udp->gate, of_udp);
	ck_assert_uint_eq(*disk->gate, of_disk);
	/* the definition is unchanged */
	ck_assert_uint_eq(tcp->tier, 0);
	ck_assert_uint_eq(udp->tier, 1);
}

TEST_FILE(.setup = setup, .teardown = fixture_close);

TEST(globs_choose_by_category_and_first_line)
{
	expect_gates(4, 8, 4);
	ck_assert_ok(timeline_level(tl, "net", "tcp*", "fatal"));
	expect_gates(9, 8, 4);
	ck_assert_ok(timeline_level(tl, "*", "tcp?*", "debug"));
	expect_gates(5, 8, 5);
	ck_assert_ok(timeline_level(tl, "n[e]t", "*", "off"));
	expect_gates(0, 0, 5);
	ck_assert_ok(timeline_level(tl, "*", "*", "default"));
	expect_gates(4, 8, 4);
	/* the lines after the first do not count */
	ck_assert_int_eq(timeline_level(tl, "*", "*about*", "off"), -ENOENT);
	ck_assert_ok(timeline_level(tl, "*", "tcp $n", "info"));
	expect_gates(6, 8, 4);
}

/* The header has room for the gates of the records in the first part of the
 * table; later records have their own. */
TEST(a_gate_lies_in_the_header_or_in_its_record)
{
	const uint8_t *gates;
	struct timeline_event *early = NULL, *late = NULL;
	char text[32];

	fixture_close();
	fixture_open(&(struct timeline_options){ .entries = 64,
	    .stringtablesize = 1 << 20 });
	gates = tl->header->gates;
	for (int i = 0; !late || late->message < 64 * TIMELINE_GATES; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		ck_assert_ok(timeline_define(tl, "many", "info", text, &late));
		early = early ? early : late;
	}
	ck_assert_ptr_eq(early->gate, gates + early->message / 64);
	ck_assert_ptr_eq(late->gate,
	    tl->strings + late->message +
		offsetof(struct timeline_record, gate));
	ck_assert_ok(timeline_level(tl, "many", "message 0", "error"));
	ck_assert_ok(timeline_level(tl, "many", text, "off"));
	ck_assert_uint_eq(*early->gate, 8);
	ck_assert_uint_eq(*late->gate, 0);
}

/* One line of the page table describes eight pages. */
TEST(the_first_events_lie_beside_the_header)
{
	const uintptr_t line = (uintptr_t)tl->map / (8 * TIMELINE_PAGE_SIZE);

	ck_assert_uint_eq((uintptr_t)tcp / (8 * TIMELINE_PAGE_SIZE), line);
	ck_assert_uint_eq((uintptr_t)disk / (8 * TIMELINE_PAGE_SIZE), line);
}

TEST(what_is_off_is_logged_by_nobody)
{
	const uint64_t before = fixture_logged();

	timeline_level(tl, "net", "tcp*", "off");
	const uint64_t told = fixture_logged() - before;

	timeline_log(tcp, 1);
	ck_assert_uint_eq(told, 2);
	ck_assert_uint_eq(fixture_logged(), before + told);
	timeline_level(tl, "net", "tcp*", "default");
	timeline_log(tcp, 1);
	ck_assert_uint_eq(fixture_logged(), before + told + 3);
}

TEST(what_is_turned_up_passes_a_priority)
{
	uint64_t before;

	timeline_priority(tl, "fatal");
	before = fixture_logged();
	timeline_log(tcp, 1);
	ck_assert_uint_eq(fixture_logged(), before);
	timeline_level(tl, "*", "tcp*", "fatal"); /* two messages */
	timeline_log(tcp, 2);
	ck_assert_uint_eq(fixture_logged(), before + 5);
	ck_assert_uint_eq(fixture_newest()->args[0], 2);
}

TEST(the_change_is_told_with_its_message)
{
	const struct timeline_entry *e;

	timeline_level(tl, "net", "tcp*", "off");
	e = fixture_newest();
	ck_assert_uint_eq(e->message, tl->level_named->message);
	ck_assert_uint_eq(e->args[0], 0);
	ck_assert_uint_eq(e->args[1], 1);
	ck_assert_uint_eq(e->args[2], tcp->message);
	ck_assert_uint_eq(e->args[3], 4 | 1 << TIMELINE_LEVEL_MADE);
	timeline_level(tl, "*", "*", "default");
	e = fixture_newest();
	ck_assert_uint_eq(e->args[0], 10);
	ck_assert_uint_eq(e->args[1], 3);
}

TEST(many_messages_are_told_with_their_count)
{
	const struct timeline_entry *e;
	uint64_t before;

	for (int i = 3; i <= TIMELINE_LEVEL_NAMED; i++) {
		struct timeline_event *event;
		char text[16];

		snprintf(text, sizeof(text), "more %d", i);
		ck_assert_ok(timeline_define(tl, "net", "info", text, &event));
	}
	before = fixture_logged();
	timeline_level(tl, "*", "*", "off");
	ck_assert_uint_eq(fixture_logged(), before + 1);
	e = fixture_newest();
	ck_assert_uint_eq(e->message, tl->level_event->message);
	ck_assert_uint_eq(e->args[1], TIMELINE_LEVEL_NAMED + 1);
	ck_assert_uint_eq(e->args[2], 0);
}

TEST(messages_of_the_library_cannot_be_turned_off)
{
	ck_assert_int_eq(timeline_level(tl, "timeline", "*", "off"), -ENOENT);
	timeline_level(tl, "*", "*", "off");
	ck_assert(timeline_enabled(tl->priority_event));
}

TEST(unknown_words_change_nothing)
{
	ck_assert_int_eq(timeline_level(tl, "*", "*", "loud"), -EINVAL);
	ck_assert_int_eq(timeline_level(tl, "*", "*", NULL), -EINVAL);
	ck_assert_int_eq(timeline_level(tl, "*", "*", "Default"), -EINVAL);
	expect_gates(4, 8, 4);
	ck_assert_uint_eq(fixture_logged(), 0);
}

TEST(strings_have_no_gate)
{
	uint64_t number;

	ck_assert_ok(timeline_string(tl, "tcp eth0", &number));
	ck_assert_int_eq(timeline_level(tl, "*", "tcp eth0", "off"), -ENOENT);
}

TEST(clear_moves_marks_and_no_heads)
{
	const uint32_t lanes = timeline_lane_count(&tl->geometry);
	uint64_t cleared = 0;

	for (int i = 0; i < 100; i++)
		timeline_log(tcp, i);
	timeline_log(udp, 1);
	ck_assert_ok(timeline_clear(tl));
	for (uint32_t i = 0; i < lanes; i++)
		cleared += fixture_head(i)->cleared;
	ck_assert_uint_eq(cleared, 101);
	/* the entry about the clear is not cleared */
	ck_assert_uint_eq(fixture_logged(), 102);
	ck_assert_uint_eq(fixture_newest()->message, tl->clear_event->message);
	ck_assert_uint_eq(fixture_newest()->args[0], cleared);
	ck_assert_uint_eq(tl->clear_event->tier, 1);
	timeline_log(tcp, 1);
	fixture_head(2)->cleared = 1000;
	ck_assert_ok(timeline_clear(tl));
	ck_assert_uint_eq(fixture_head(2)->cleared, 1000);
}
