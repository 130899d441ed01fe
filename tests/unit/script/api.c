/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - the values that a script receives and returns. */
#include "lib/script_fixture.h"
#include "lib/test.h"

#include <errno.h>

static struct feed feed;
static struct result result;

static void
setup(void)
{
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	memset(&result, 0, sizeof(result));
}

static void
teardown(void)
{
	/* no cursor may be left, whatever happened */
	ck_assert_int_eq(feed.open, 0);
	result_free(&result);
}

/* Expect the script to succeed and to write exactly this. */
static void
prints(const char *script, const char *expected)
{
	run_text(&result, &feed, script);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out), expected);
	tl_text_clear(&result.out);
}

/* Expect the script to fail with this in the error text. */
static void
fails(const char *script, int rc, const char *expected)
{
	memset(&result.fault, 0, sizeof(result.fault));
	run_text(&result, &feed, script);
	ck_assert_int_eq(result.rc, rc);
	ck_assert_int_eq(result.fault.rc, rc);
	ck_assert_msg(strstr(result.fault.text, expected),
	    "'%s' is not in '%s'", expected, result.fault.text);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(every_format_of_an_argument_has_a_name)
{
	feed.messages[PROC].args[0].format = TIMELINE_ARG_OCTAL;
	feed.messages[PROC].args[1].format = TIMELINE_ARG_TEXT8;
	prints("for _, a in ipairs(timeline.messages()[1].args) do "
	       "timeline.write(a.format, ' ') end",
	    "octal string signed ");
}

TEST(spans_have_states_where_the_kernel_has_events)
{
	static const char ask[] =
	    "for s in timeline.spans{states=true, message='request*'} do\n"
	    "local p = s.states; print(p.running, p.interrupted, p.runnable,\n"
	    "p.blocked_task, p.blocked_timer, p.blocked_io, p.unknown) end";

	prints("for s in timeline.spans{states=true} do print(s.states) end",
	    "nil\nnil\n");
	feed_init(&feed, "kernel");
	feed.listed = ALL_MESSAGES;
	for (int i = 0; i < 2; i++) {
		feed_add(&feed, IN, TL_INSTANT, 0, 0, 0, 0)->cpu = 0;
		feed_add(&feed, WORK, TL_BEGIN, 100, 7, 0, 0)->cpu = 0;
		feed_add(&feed, OUT, TL_INSTANT, 200, 3, 50, 1)->cpu = 0;
		feed_add(&feed, WOKEN, TL_INSTANT, 300, 50, 1, 4)->cpu = 1;
		feed_add(&feed, IN, TL_INSTANT, 50, 0, 0, 0)->cpu = 0;
		feed_add(&feed, WORK, TL_END, 400, 0, 0, 0)->cpu = 0;
	}
	prints(ask, "600\t0\t50\t300\t0\t0\t0\n"
		    "200\t0\t50\t300\t0\t0\t400\n");
	prints("for s in timeline.spans{} do print(s.states) end",
	    "nil\nnil\n");
	fails("timeline.spans{state=true}", -ECANCELED, "'states'");
}

TEST(several_inputs_are_one_stream_and_apart)
{
	static struct feed other;
	struct feed *feeds[] = { &feed, &other };

	feed_init(&other, "b.tl");
	feed_add(&other, PROC, TL_INSTANT, 500, 99, 0, 0);
	run_with(&result, feeds, 2, NULL, "test",
	    "local seen = {} for e in timeline.events{order='oldest'} do\n"
	    "seen[#seen + 1] = e.source end\n"
	    "print(table.concat(seen, '', 1, 4))\n"
	    "print(#timeline.inputs, timeline.inputs[2].name)\n"
	    "for e in timeline.inputs[2]:events() do\n"
	    "print(e.source, e.args.tcp) end\n"
	    "print(#timeline.messages(), #timeline.inputs[1]:messages(), "
	    "timeline.info()[2].name)",
	    0, NULL);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out),
	    "1211\n2\tb.tl\n2\t99\n12\t6\tb.tl\n");
	ck_assert_int_eq(other.open, 0);
}

TEST(a_long_text_is_escaped_in_pieces_without_a_seam)
{
	run_text(&result, &feed,
	    "for cut = 0, 2 do timeline.write(('a'):rep(cut) .. "
	    "('\xe2\x82\xac'):rep(20000)) end");
	ck_assert_int_eq(result.rc, 0);
	ck_assert_uint_eq(result.out.size, 3 * 60000 + 3);
	ck_assert_ptr_null(memchr(result.out.data, '\\', result.out.size));
}

TEST(a_script_has_its_words)
{
	const char *const words[] = { "one", "two" };
	struct feed *feeds[] = { &feed };

	run_with(&result, feeds, 1, NULL, "name.lua",
	    "#!/usr/bin/env x\nprint(arg[0], arg[1], #arg, ...)", 2, words);
	ck_assert_str_eq(tl_text_string(&result.out),
	    "name.lua\tone\t2\tone\ttwo\n");
}

TEST(a_failing_cursor_ends_the_script_with_its_code)
{
	feed.fail_after = 3;
	fails("for e in timeline.events() do end", -EIO, "cannot read");
	/* pcall hides the error text, but not the failure */
	fails("pcall(function() for e in timeline.events() do end end)\n"
	      "error('later')",
	    -EIO, "later");
}

TEST(a_failing_output_ends_the_script_with_its_code)
{
	result.write_rc = -EPIPE;
	fails("print('x')", -EPIPE, "cannot write");
}
