/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - the line of an event, rendered with and without a message cache.
 */
#include "event/render.h"
#include "event/message_map.h"
#include "lib/event_text.h"

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
	ck_assert_ok(tl_render_new(&render));
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
	ck_assert_ok(tl_render_new(&render));
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(line)));
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

/* Print an event with and without the cache. */
static void
render_event(struct tl_text *out)
{
	tl_render_line(&text, &event);
	for (unsigned i = 0; i < 2; i++) {
		struct tl_text cached = { 0 };

		tl_render_cached(render, &cached, &event);
		ck_assert_str_eq(tl_text_string(&cached),
		    tl_text_string(&text));
		tl_text_free(&cached);
	}
	tl_put_format(out, "\n\t%s", tl_text_string(&text));
	tl_text_clear(&text);
}

/*
 * Define what event_text.h defines, or print an event.  Other lines:
 *	mult MESSAGE		its clock runs at 2.5 GHz
 *	category MESSAGE	in its columns, up to the mark |
 *	json MESSAGE FIELDS	the values of an instant
 */
static void
run_line(struct tl_text *out, const char *line)
{
	static bool is_set;
	char instant[256];

	if (!is_set)
		event_text_reset();
	is_set = true;
	if (event_text_define(line)) {
		/* the cache holds lines of the previous message */
		tl_render_free(render);
		ck_assert_ok(tl_render_new(&render));
	} else if (strncmp(line, "mult ", 5) == 0) {
		event_text_messages[0].mult = (UINT64_C(1) << 63) / 5 * 2;
	} else if (strncmp(line, "category ", 9) == 0) {
		event.message = &event_text_messages[0];
		for (unsigned i = 0; i < 2; i++) {
			tl_render_category(render, &text, &event);
			tl_put_format(out, " = %s|", tl_text_string(&text));
			tl_text_clear(&text);
		}
	} else if (strncmp(line, "json ", 5) == 0) {
		snprintf(instant, sizeof(instant), ". m 0 %s", line + 7);
		event = event_text_parse(instant, event_text_defined);
		tl_put_string(out, " =");
		for (unsigned i = 0; i < 4; i++) {
			tl_put_char(out, ' ');
			tl_render_arg_json(out, &event, i);
		}
	} else {
		event = event_text_parse(line, event_text_defined);
		render_event(out);
	}
}

TEST_LINES(lines, "tests/unit/event/render.cases", run_line);

TEST(an_event_that_lacks_something_has_a_line)
{
	define("work $n");
	event.kind = 77;
	ASSERT_LINE("work n(0)");
	define("on $if%s");
	message.strings = NULL;
	set_args(1, 0, 0, 0);
	ASSERT_LINE("on if(#1)");
	define("");
	ASSERT_LINE("");
	event.message = NULL;
	tl_render_category(render, &text, &event);
	ASSERT_TEXT("           ");
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
		ck_assert_ok(tl_message_parse(&many[i], tl_bytes_of(lines[i])));
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
