/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - arguments of a message, levels, kinds, the map. */
#include "event/event.h"
#include "event/message_map.h"
#include "lib/golden.h"

#include <errno.h>
#include <stdlib.h>

static struct tl_message message;

/* Parse a text, and print its arguments with what stands before each. */
static void
run_line(struct tl_text *out, const char *line)
{
	static const char *const formats[] = { [TIMELINE_ARG_SIGNED] = "d",
		[TIMELINE_ARG_UNSIGNED] = "u",
		[TIMELINE_ARG_HEX] = "x",
		[TIMELINE_ARG_OCTAL] = "o",
		[TIMELINE_ARG_DOUBLE] = "f",
		[TIMELINE_ARG_DURATION] = "t",
		[TIMELINE_ARG_STRING] = "s",
		[TIMELINE_ARG_TEXT8] = "8s" };
	char *text = strdup(line + 5 + (line[5] == ' '));
	const struct tl_bytes all =
	    tl_bytes(text, golden_unescape(text, strlen(text)));
	int rc;

	memset(&message, 0x55, sizeof(message));
	rc = tl_message_parse(&message, all);
	ck_assert(rc == 0 || (rc == -EINVAL && message.argc == 0));
	ck_assert(tl_bytes_equal(message.text, all));
	tl_put_string(out, rc == 0 ? " = " : " = refused: ");
	for (unsigned i = 0; i < message.argc; i++) {
		const struct tl_arg *arg = &message.args[i];

		tl_put_plain(out, arg->before);
		tl_put_char(out, '[');
		tl_put_plain(out, arg->name);
		tl_put_format(out, "%%%s]", formats[arg->format]);
	}
	tl_put_plain(out, message.after);
	tl_put_string(out, "|");
	tl_put_plain(out, message.line1);
	tl_put_string(out, "|");
	tl_put_plain(out, message.explain);
	free(text);
}

TEST_LINES(texts_have_arguments, "tests/unit/event/message.cases", run_line);

TEST(levels_have_the_names_of_the_priorities)
{
	static const char *const names[] = { "off", "trace+++", "trace++",
		"trace+", "trace", "debug", "info", "warning", "error",
		"fatal" };

	for (unsigned i = 0; i < 10; i++) {
		ck_assert_str_eq(tl_level_name(i), names[i]);
		ck_assert_int_eq(tl_level_parse(names[i]),
		    i > 0 ? (int)i : -EINVAL);
	}
	ck_assert_str_eq(tl_level_name(10), "?");
	ck_assert_str_eq(tl_level_name(UINT32_MAX), "?");
	ck_assert_int_eq(tl_level_parse("Trace"), 4);
	ck_assert_int_eq(tl_level_parse("WARN"), 7);
	ck_assert_int_eq(tl_level_parse("err"), 8);
	ck_assert_int_eq(tl_level_parse("off"), -EINVAL);
	ck_assert_int_eq(tl_level_of(tl_bytes_of("Trace")), -EINVAL);
	ck_assert_int_eq(tl_level_parse("trace++++"), -EINVAL);
	ck_assert_int_eq(tl_level_parse(""), -EINVAL);
}

TEST(kinds_have_names)
{
	ck_assert_str_eq(tl_kind_name(TL_INSTANT), "instant");
	ck_assert_str_eq(tl_kind_name(TL_BEGIN), "begin");
	ck_assert_str_eq(tl_kind_name(TL_END), "end");
	ck_assert_str_eq(tl_kind_name(TL_COUNTER), "counter");
	ck_assert_str_eq(tl_kind_name(TL_LOST), "lost");
	ck_assert_str_eq(tl_kind_name(0), "?");
	ck_assert_str_eq(tl_kind_name(255), "?");
}

TEST(a_map_keeps_a_value_for_each_message)
{
	enum { MANY = 5000 };
	struct tl_message *many = calloc(MANY, sizeof(*many));
	struct tl_message_map map = { 0 };

	ck_assert_ptr_nonnull(many);
	ck_assert_ptr_null(tl_message_map_find(&map, &many[0]));
	for (size_t i = 0; i < MANY; i++) {
		ck_assert_ptr_null(tl_message_map_find(&map, &many[i]));
		ck_assert_ok(
		    tl_message_map_add(&map, &many[i], &many[MANY - 1 - i]));
	}
	for (size_t i = 0; i < MANY; i++)
		ck_assert_ptr_eq(tl_message_map_find(&map, &many[i]),
		    &many[MANY - 1 - i]);
	ck_assert_ptr_null(tl_message_map_find(&map, &message));
	tl_message_map_free(&map, NULL);
	ck_assert_ptr_null(tl_message_map_find(&map, &many[0]));
	free(many);
}
