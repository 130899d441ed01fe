/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - arguments of a message, levels, kinds, the map. */
#include "event/event.h"
#include "event/message_map.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>

static struct tl_message message;

#define ASSERT_BYTES(bytes, want) \
	do { \
		const struct tl_bytes bytes_ = (bytes); \
		ck_assert_uint_eq(bytes_.size, strlen(want)); \
		ck_assert(tl_bytes_equal(bytes_, tl_bytes_of(want))); \
	} while (0)

static int
parse(const char *text)
{
	memset(&message, 0x55, sizeof(message));
	return tl_message_parse(&message, tl_bytes_of(text));
}

static void
check_arg(unsigned i, const char *before, const char *name, uint8_t format)
{
	ck_assert_uint_gt(message.argc, i);
	ASSERT_BYTES(message.args[i].before, before);
	ASSERT_BYTES(message.args[i].name, name);
	ck_assert_uint_eq(message.args[i].format, format);
}

TEST(the_example_has_three_arguments)
{
	ck_assert_int_eq(parse("processed $tcp, $udp, and $other"), 0);
	ck_assert_uint_eq(message.argc, 3);
	check_arg(0, "processed ", "tcp", TIMELINE_ARG_SIGNED);
	check_arg(1, ", ", "udp", TIMELINE_ARG_SIGNED);
	check_arg(2, ", and ", "other", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, "");
	ASSERT_BYTES(message.explain, "");
}

TEST(suffixes_choose_the_format)
{
	ck_assert_int_eq(parse("$a%d $b%x $c%f $d%t!"), 0);
	check_arg(0, "", "a", TIMELINE_ARG_SIGNED);
	check_arg(1, " ", "b", TIMELINE_ARG_HEX);
	check_arg(2, " ", "c", TIMELINE_ARG_DOUBLE);
	check_arg(3, " ", "d", TIMELINE_ARG_DURATION);
	ASSERT_BYTES(message.after, "!");
	ck_assert_int_eq(parse("$s%s $u%u $n $o%o"), 0);
	check_arg(0, "", "s", TIMELINE_ARG_STRING);
	check_arg(1, " ", "u", TIMELINE_ARG_UNSIGNED);
	check_arg(2, " ", "n", TIMELINE_ARG_SIGNED);
	check_arg(3, " ", "o", TIMELINE_ARG_OCTAL);
	ck_assert_int_eq(parse("get $key%8s, $b%8s"), 0);
	check_arg(0, "get ", "key", TIMELINE_ARG_TEXT8);
	check_arg(1, ", ", "b", TIMELINE_ARG_TEXT8);
	ASSERT_BYTES(message.after, "");
}

TEST(what_only_looks_like_a_suffix_is_text)
{
	ck_assert_int_eq(parse("$a%done $b%q $c% $d%"), 0);
	check_arg(0, "", "a", TIMELINE_ARG_SIGNED);
	check_arg(1, "%done ", "b", TIMELINE_ARG_SIGNED);
	check_arg(2, "%q ", "c", TIMELINE_ARG_SIGNED);
	check_arg(3, "% ", "d", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, "%");
	ck_assert_int_eq(parse("$a%d$b"), 0);
	check_arg(0, "", "a", TIMELINE_ARG_SIGNED);
	check_arg(1, "", "b", TIMELINE_ARG_SIGNED);
	ck_assert_int_eq(parse("$a%d_ $b%d%d"), 0);
	check_arg(0, "", "a", TIMELINE_ARG_SIGNED);
	check_arg(1, "%d_ ", "b", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, "%d");
	ck_assert_int_eq(parse("$a%8sx $b%8 $c%7s $d%8"), 0);
	check_arg(0, "", "a", TIMELINE_ARG_SIGNED);
	check_arg(1, "%8sx ", "b", TIMELINE_ARG_SIGNED);
	check_arg(2, "%8 ", "c", TIMELINE_ARG_SIGNED);
	check_arg(3, "%7s ", "d", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, "%8");
}

TEST(a_dollar_without_a_name_is_text)
{
	ck_assert_int_eq(parse("$ $$ 5$ $$x costs $-"), 0);
	ck_assert_uint_eq(message.argc, 1);
	check_arg(0, "$ $$ 5$ $", "x", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, " costs $-");
	ck_assert_int_eq(parse("\xc3\xbc$\xc3\xbc"), 0);
	ck_assert_uint_eq(message.argc, 0);
}

TEST(names_are_letters_digits_and_underscores)
{
	ck_assert_int_eq(parse("$a_b1.$9$Z-"), 0);
	check_arg(0, "", "a_b1", TIMELINE_ARG_SIGNED);
	check_arg(1, ".", "9", TIMELINE_ARG_SIGNED);
	check_arg(2, "", "Z", TIMELINE_ARG_SIGNED);
	ASSERT_BYTES(message.after, "-");
}

TEST(only_the_first_line_has_arguments)
{
	ck_assert_int_eq(parse("one $a\nmore $b $c\n$d $e"), 0);
	ck_assert_uint_eq(message.argc, 1);
	ASSERT_BYTES(message.line1, "one $a");
	ASSERT_BYTES(message.explain, "more $b $c\n$d $e");
	ASSERT_BYTES(message.text, "one $a\nmore $b $c\n$d $e");
	ck_assert_int_eq(parse("\nrest"), 0);
	ASSERT_BYTES(message.line1, "");
	ASSERT_BYTES(message.explain, "rest");
	ck_assert_int_eq(parse("one\n"), 0);
	ASSERT_BYTES(message.line1, "one");
	ASSERT_BYTES(message.explain, "");
	ck_assert_int_eq(parse(""), 0);
	ASSERT_BYTES(message.after, "");
}

TEST(five_arguments_are_refused_and_shown_as_text)
{
	ck_assert_int_eq(parse("$a$b$c$d"), 0);
	ck_assert_uint_eq(message.argc, 4);
	ck_assert_int_eq(parse("$a$b$c$d$e\nmore"), -EINVAL);
	ck_assert_uint_eq(message.argc, 0);
	ASSERT_BYTES(message.after, "$a$b$c$d$e");
	ASSERT_BYTES(message.explain, "more");
}

TEST(two_arguments_of_one_name_are_refused)
{
	ck_assert_int_eq(parse("$a $b%x $a%d"), -EINVAL);
	ck_assert_int_eq(parse("$a $ab $A"), 0);
}

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
		ck_assert_int_eq(tl_message_map_add(&map, &many[i],
				     &many[MANY - 1 - i]),
		    0);
	}
	for (size_t i = 0; i < MANY; i++)
		ck_assert_ptr_eq(tl_message_map_find(&map, &many[i]),
		    &many[MANY - 1 - i]);
	ck_assert_ptr_null(tl_message_map_find(&map, &message));
	tl_message_map_free(&map, NULL);
	ck_assert_ptr_null(tl_message_map_find(&map, &many[0]));
	free(many);
}
