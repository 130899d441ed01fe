/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - the line of an event, rendered with and without a message cache.
 */
#include "event/render.h"
#include "event/message_map.h"
#include "lib/test.h"

#include <math.h>
#include <stdlib.h>
#include <timeline.h>

static struct tl_text text;
static struct tl_message message;
static struct tl_event event;
static struct tl_render *render;

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	if (n == 1)
		return tl_bytes_of("eth0");
	if (n == 2)
		return tl_bytes_of("say \"x\"\x1b");
	return tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
setup(void)
{
	text = (struct tl_text){ 0 };
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.level = 4,
		.strings = &strings };
	event = (struct tl_event){ .message = &message, .kind = TL_INSTANT };
	ck_assert_int_eq(tl_render_new(&render), 0);
}

static void
teardown(void)
{
	tl_render_free(render);
	tl_text_free(&text);
}

static void
define(const char *line)
{
	/* the cache holds lines of the previous message */
	tl_render_free(render);
	ck_assert_int_eq(tl_render_new(&render), 0);
	ck_assert_int_eq(tl_message_parse(&message, tl_bytes_of(line)), 0);
}

static void
set_args(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	event.args[0] = a;
	event.args[1] = b;
	event.args[2] = c;
	event.args[3] = d;
}

#define ASSERT_TEXT(want) \
	do { \
		ck_assert_str_eq(tl_text_string(&text), want); \
		tl_text_clear(&text); \
	} while (0)

/*
 * Render without the cache, and twice with it: the first call fills the cache,
 * and the second finds the line there.
 */
#define ASSERT_LINE(want) \
	do { \
		tl_render_line(&text, &event); \
		ASSERT_TEXT(want); \
		tl_render_cached(render, &text, &event); \
		ASSERT_TEXT(want); \
		tl_render_cached(render, &text, &event); \
		ASSERT_TEXT(want); \
	} while (0)

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(the_example_reads_as_the_seed_has_it)
{
	define("processed $tcp, $udp, and $other");
	set_args(10, 20, 3, 0);
	ASSERT_LINE("processed tcp(10), udp(20), and other(3)");
	set_args(UINT64_MAX, (uint64_t)INT64_MIN, INT64_MAX, 0);
	ASSERT_LINE("processed tcp(-1), udp(-9223372036854775808), "
		    "and other(9223372036854775807)");
	define("$a%u $b");
	set_args(UINT64_MAX, UINT64_MAX, 0, 0);
	ASSERT_LINE("a(18446744073709551615) b(-1)");
}

TEST(every_format_has_its_form)
{
	const double half = 2.5;
	uint64_t bits;

	memcpy(&bits, &half, sizeof(bits));
	define("$a%d $b%x $c%f $d%t.");
	set_args((uint64_t)-3, 0x1f, bits, 1234);
	ASSERT_LINE("a(-3) b(0x1f) c(2.5) d(1.234us).");
	set_args((uint64_t)INT64_MIN, UINT64_MAX, 0, (uint64_t)INT64_MIN);
	ASSERT_LINE("a(-9223372036854775808) b(0xffffffffffffffff) c(0) "
		    "d(-2562047h47m).");
}

TEST(octal_numbers_begin_with_0)
{
	define("mode $m%o of $n%o");
	set_args(0755, 0, 0, 0);
	ASSERT_LINE("mode m(0755) of n(0)");
	set_args(UINT64_MAX, 8, 0, 0);
	ASSERT_LINE("mode m(01777777777777777777777) of n(010)");
}

TEST(interned_strings_are_escaped_or_numbered)
{
	define("on $if%s, $other%s, $none%s");
	set_args(1, 2, 7, 0);
	ASSERT_LINE("on if(eth0), other(say \"x\"\\x1b), none(#7)");
	message.strings = NULL;
	ASSERT_LINE("on if(#1), other(#2), none(#7)");
}

TEST(a_text_of_eight_bytes_is_its_argument)
{
	static const char bytes[] = "a\0b\xff\"\n=89";

	define("get $key%8s.");
	for (size_t size = 0; size < sizeof(bytes); size++) {
		const struct tl_bytes want = tl_bytes(bytes, size == 2  ? 1
							     : size > 8 ? 8
									: size);
		struct tl_bytes got;

		set_args(timeline_text8(bytes, size), 0, 0, 0);
		got = tl_message_text(&message, 0, &event.args[0]);
		ck_assert_uint_eq(got.size, want.size);
		ck_assert_mem_eq(got.data, want.data, want.size);
	}
	ASSERT_LINE("get key(a\\x00b\\xff\"\\n=8).");
	tl_text_clear(&text);
	tl_render_arg_json(&text, &event, 0);
	ASSERT_TEXT("\"a\\u0000b\xef\xbf\xbd\\\"\\n=8\"");
	set_args(timeline_text8(NULL, 0), 0, 0, 0);
	ASSERT_LINE("get key().");
}

TEST(the_kind_leads_the_line)
{
	define("work $n");
	event.kind = TL_BEGIN;
	ASSERT_LINE("> work n(0)");
	event.kind = TL_END;
	ASSERT_LINE("< work n(0)");
	event.kind = 77;
	ASSERT_LINE("work n(0)");
}

TEST(a_counter_shows_its_value_in_place_of_the_name)
{
	event.kind = TL_COUNTER;
	message.kind = TIMELINE_RECORD_COUNTER;
	set_args(3000, 7, 0, 0);
	define("backlog of $jobs");
	ASSERT_LINE("= backlog of 3000");
	define("$jobs of $worker");
	ASSERT_LINE("= jobs 3000 of worker(7)");
	define("$jobs");
	ASSERT_LINE("= jobs 3000");
	define("load $now%f, on $cpu.");
	set_args(0, 7, 0, 0);
	ASSERT_LINE("= load 0, on cpu(7).");
}

TEST(an_end_shows_how_long_its_span_took)
{
	define("job $id");
	event.kind = TL_END;
	event.bare = true;
	ASSERT_LINE("< job id");
	event.begun = TL_BEGUN;
	event.duration_ns = 531200;
	ASSERT_LINE("< job id  531.2us");
	event.known = true;
	set_args(594, 0, 0, 0);
	ASSERT_LINE("< job id(594)  531.2us");
	event.begun = TL_BEGUN_UNSURE;
	ASSERT_LINE("< job id(594)  531.2us?");
	event.duration_ns = INT64_MAX;
	event.begun = TL_BEGUN;
	ASSERT_LINE("< job id(594)  2562047h47m");
}

/* The clock runs at 2.5 GHz; mult is ns per tick times 2^63. */
TEST(changes_of_levels_read_as_they_were_asked_for)
{
	define("burst: threshold $level, base $base, until $until, "
	       "sample $sample");
	message.builtin = TIMELINE_BUILTIN_BURST;
	event.tsc = 1 << 20;
	set_args(4, 6, (1 << 20) + 250000, 0);
	ASSERT_LINE("burst to trace");
	message.mult = (UINT64_C(1) << 63) / 5 * 2;
	ASSERT_LINE("burst to trace for 100us");
	event.args[3] = 2;
	ASSERT_LINE("burst to trace for 100us (sample)");
	event.args[2] = (1 << 20) - 5000;
	ASSERT_LINE("burst to trace, over (sample)");
	define("priority set: threshold $level, base $base, until $until");
	message.builtin = TIMELINE_BUILTIN_PRIORITY;
	set_args(6, 6, 0, 0);
	ASSERT_LINE("priority info");
	event.args[0] = event.args[1] = TIMELINE_LEVEL_NONE;
	ASSERT_LINE("priority off");
	set_args(4, 6, (1 << 20) + 2500000, 0);
	ASSERT_LINE("priority info, burst to trace for 1ms");
	event.args[2] = 867 << TIMELINE_UNTIL_SHIFT | TIMELINE_UNTIL_BEFORE;
	ASSERT_LINE("priority info, burst to trace for 1ms (sample)");
	define("level $level set for $messages messages");
	message.builtin = TIMELINE_BUILTIN_LEVEL;
	set_args(5, 3, 0, 0);
	ASSERT_LINE("level debug for 3 messages");
	set_args(TIMELINE_LEVEL_NONE, 1, 0, 0);
	ASSERT_LINE("level as defined for 1 message");
	define("level $level of $messages: $message%s, gates $gates%x");
	message.strings = &strings;
	message.builtin = TIMELINE_BUILTIN_LEVEL;
	set_args(5, 1, 1, 0x506);
	ASSERT_LINE("level debug for \"eth0\"");
	set_args(5, 1, 1, 0x10506);
	ASSERT_LINE("in force: level debug for \"eth0\"");
	set_args(5, 1, 17, 0x506); /* the record does not have this message */
	ASSERT_LINE("level debug for 1 message");
	define("hostile"); /* the text names none of the arguments */
	ASSERT_LINE("hostile");
}

TEST(a_loss_is_said_in_words)
{
	event.kind = TL_LOST;
	event.message = NULL;
	event.lost = 1234;
	ASSERT_LINE("... 1234 entries lost here");
	event.lost = 1;
	ASSERT_LINE("... 1 entry lost here");
	event.overwritten = true;
	ASSERT_LINE("... 1 entry overwritten before this");
	event.unread = true;
	event.lost = 2;
	ASSERT_LINE("... 2 entries overwritten before they were read");
}

TEST(the_text_of_a_message_is_escaped)
{
	define("\x1b[2J $x\t\xc2\x9b");
	ASSERT_LINE("\\x1b[2J x(0)\\t\\xc2\\x9b");
	define("");
	ASSERT_LINE("");
	define("a line without arguments that is longer than a block or two");
	ASSERT_LINE(
	    "a line without arguments that is longer than a block or two");
}

static void
check_category(const char *category, const char *want)
{
	message.category = tl_bytes_of(category);
	define("x");
	for (unsigned i = 0; i < 2; i++) {
		tl_render_category(render, &text, &event);
		ASSERT_TEXT(want);
	}
}

TEST(categories_are_padded_to_columns)
{
	check_category("example", "example    ");
	check_category("", "           ");
	check_category("pci01:00.0", "pci01:00.0 ");
	check_category("longer than ten", "longer than ten ");
	check_category("\x1b", "\\x1b       ");
	check_category("\xe6\x97\xa5\xe6\x9c\xac",
	    "\xe6\x97\xa5\xe6\x9c\xac       ");
	event.message = NULL;
	tl_render_category(render, &text, &event);
	ASSERT_TEXT("           ");
}

TEST(json_values_are_plain)
{
	const double half = 2.5, none = NAN;

	define("$a%u $b%x $c $d%t");
	set_args(UINT64_MAX, 255, (uint64_t)-7, (uint64_t)-1500);
	for (unsigned i = 0; i < 4; i++) {
		tl_render_arg_json(&text, &event, i);
		tl_put_char(&text, ' ');
	}
	ASSERT_TEXT("18446744073709551615 255 -7 -1500 ");
	define("$a%f $b%f $c%s $d%s");
	set_args(0, 0, 2, 9);
	memcpy(&event.args[0], &half, sizeof(half));
	memcpy(&event.args[1], &none, sizeof(none));
	for (unsigned i = 0; i < 4; i++) {
		tl_render_arg_json(&text, &event, i);
		tl_put_char(&text, ' ');
	}
	ASSERT_TEXT("2.5 null \"say \\\"x\\\"\\u001b\" \"#9\" ");
}

/* Hundreds of messages of all lengths, in an order that jumps. */
TEST(many_messages_are_kept_apart)
{
	enum { MANY = 300 };
	static struct tl_message many[MANY];
	static char lines[MANY][MANY + 20];
	struct tl_text want = { 0 };

	for (size_t i = 0; i < MANY; i++) {
		memset(lines[i], 'a' + (int)(i % 26), i);
		memcpy(lines[i] + i, "$n%d end $m", 12);
		ck_assert_int_eq(tl_message_parse(&many[i],
				     tl_bytes_of(lines[i])),
		    0);
	}
	for (size_t i = 0; i < 20000; i++) {
		event.message = &many[i * 7919 % MANY];
		event.kind = (uint8_t)(TL_INSTANT + i % 4);
		event.args[0] = i * 0x123456789abcdef;
		tl_render_line(&want, &event);
		tl_render_cached(render, &text, &event);
		ck_assert_str_eq(tl_text_string(&text), tl_text_string(&want));
		tl_text_clear(&text);
		tl_text_clear(&want);
	}
	tl_text_free(&want);
}

TEST(more_text_than_is_kept_is_rendered_all_the_same)
{
	enum { MANY = 100, LENGTH = 500000 };
	static struct tl_message many[MANY];
	char *line = malloc(LENGTH);

	ck_assert_ptr_nonnull(line);
	memset(line, 'x', LENGTH);
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < MANY; i++) {
			tl_message_parse(&many[i], tl_bytes(line, LENGTH - i));
			event.message = &many[i];
			tl_render_cached(render, &text, &event);
			ck_assert_uint_eq(text.size, LENGTH - i);
			tl_text_clear(&text);
		}
	}
	free(line);
}
