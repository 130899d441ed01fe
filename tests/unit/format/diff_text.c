/* SPDX-License-Identifier: Apache-2.0 */
/* diff_text.c - what a person reads of two traces. */
#include "format/diff_text.h"
#include "lib/diff_fixture.h"
#include "lib/test.h"

#include <inttypes.h>
#include <stdio.h>

enum { MANY = 40000 };

static struct made made[2];
static struct tl_text text;
static struct tl_diff_counts seen;

static void
setup(void)
{
	diff_messages();
}

static void
teardown(void)
{
	made_free(&made[0]);
	made_free(&made[1]);
	tl_text_free(&text);
}

static int
take_text(void *context, const char *data, size_t size)
{
	(void)context;
	tl_put_bytes(&text, tl_bytes(data, size));
	return text.rc;
}

static void
print_made(const struct tl_diff_options *options,
    struct tl_diff_text_options how)
{
	struct tl_trace *left = open_made(&made[0]);
	struct tl_trace *right = open_made(&made[1]);
	struct tl_diff_sink *sink;

	tl_text_clear(&text);
	ck_assert_int_eq(tl_diff_text_new(&sink, take_text, NULL, &how), 0);
	ck_assert_int_eq(tl_trace_diff(left, right, options, sink, &seen), 0);
	tl_diff_text_free(sink);
	tl_trace_close(left);
	tl_trace_close(right);
}

static void
print(const char *left, const char *right, bool only_changes)
{
	write_letters(&made[0], left, NULL);
	write_letters(&made[1], right, NULL);
	print_made(&diff_options,
	    (struct tl_diff_text_options){ .only_changes = only_changes });
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(every_line_says_what_became_of_it)
{
	print("a=1(i2b(3)c(4j)k)", "a=1(i2b(9)x(1)c(4)k)", false);
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "!   a n(1)  9us -> 16us (+78%)\n"
	    "      i n(0)\n"
	    "!     b n(0)  3us -> 9us (+200%)\n"
	    "+     x n(0)  1us\n"
	    "      c n(0)  4us\n"
	    "-       j n(0)\n"
	    "      k n(0)\n"
	    "  # 1 removed, 1 added, 2 slower, 0 faster, 0 changed, "
	    "3 the same\n");
}

TEST(what_is_the_same_is_counted_if_so_wished)
{
	print("xya(ib(1)c(pqr)9)z", "xya(ib(1)c(pr)9)z", true);
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "    ... <2 unchanged>\n"
	    "    a n(0)  10us\n"
	    "      ... <2 unchanged>\n"
	    "      c n(0)  0ns\n"
	    "        ... <1 unchanged>\n"
	    "-       q n(0)\n"
	    "        ... <1 unchanged>\n"
	    "    ... <1 unchanged>\n"
	    "  # 1 removed, 0 added, 0 slower, 0 faster, 0 changed, "
	    "9 the same\n");
	print("a(b(c(i)))a(b)", "a(b(c(i)))a(b)", true);
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "    ... <2 unchanged>\n"
	    "  # 0 removed, 0 added, 0 slower, 0 faster, 0 changed, "
	    "6 the same\n");
}

TEST(folded_siblings_are_told_where_they_stand)
{
	print("a(b(i)cd(j)e(k)f)", "a(b(i)d(j)e()f)", true);
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "    a n(0)  0ns\n"
	    "      ... <1 unchanged>\n"
	    "-     c n(0)\n"
	    "      ... <1 unchanged>\n"
	    "      e n(0)  0ns\n"
	    "-       k n(0)\n"
	    "      ... <1 unchanged>\n"
	    "  # 2 removed, 0 added, 0 slower, 0 faster, 0 changed, "
	    "7 the same\n");
}

TEST(other_values_are_shown_both)
{
	struct tl_diff_options options = diff_options;

	options.values = true;
	write_letters(&made[0], "a=0(1b=2)", NULL);
	write_letters(&made[1], "a=0(1b=3)", NULL);
	print_made(&options, (struct tl_diff_text_options){ 0 });
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "    a n(0)  1us\n"
	    "!     b n(2) -> b n(3)\n"
	    "  # 0 removed, 0 added, 0 slower, 0 faster, 1 changed, "
	    "1 the same\n");
}

TEST(threads_and_spans_without_an_end_are_named)
{
	static const char *const left[] = { "main", "io\033" };
	static const char *const right[] = { "gc", "main" };

	write_letters(&made[0], "a(b(|c", left);
	write_letters(&made[1], "d|a(b()3)", right);
	print_made(&diff_options,
	    (struct tl_diff_text_options){ .places = true });
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (main)\n"
	    "!   a n(0)  <unfinished> -> 3us\n"
	    "!     b n(0)  <unfinished> -> 0ns\n"
	    "- # Thread 2 (io\\x1b)\n"
	    "-   c n(0)\n"
	    "+ # Thread 3 (gc)\n"
	    "+   d n(0)\n"
	    "  # 1 removed, 1 added, 0 slower, 0 faster, 2 changed, "
	    "0 the same\n");
}

TEST(the_place_of_a_message_is_told_if_so_wished)
{
	letters[0][1].file = tl_bytes_of("src/b.c");
	letters[0][1].line = 12;
	write_letters(&made[0], "ab", NULL);
	letters[0][1].file = tl_bytes_of("/build/b.c");
	letters[0][1].line = 13;
	write_letters(&made[1], "ab", NULL);
	print_made(&diff_options,
	    (struct tl_diff_text_options){ .places = true });
	ck_assert_str_eq(tl_text_string(&text),
	    "  # Thread 1 (tid 1001)\n"
	    "    a n(0)\n"
	    "    b n(0) at /build/b.c:13\n"
	    "  # 0 removed, 0 added, 0 slower, 0 faster, 0 changed, "
	    "2 the same\n");
}

TEST(what_is_very_deep_stands_no_further_to_the_right)
{
	char deep[4 * 100] = "";

	for (int i = 0; i < 100; i++)
		strcat(deep, "a(");
	for (int i = 0; i < 100; i++)
		strcat(deep, ")");
	print(deep, deep, false);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&text), "] a n(0)  0ns\n"));
	ck_assert_ptr_nonnull(strstr(tl_text_string(&text), " [100] a n(0)"));
	ck_assert_uint_lt(text.size, 100 * 160);
}

static bool
ends_with(const char *what)
{
	const size_t size = strlen(what);

	return text.size >= size &&
	       memcmp(text.data + text.size - size, what, size) == 0;
}

static char *
many_letters(uint64_t seed, unsigned kinds)
{
	char *to = calloc(MANY + 1, 1);

	for (unsigned i = 0; i < MANY; i++)
		to[i] = (char)('a' + random_below(&seed, kinds));
	return to;
}

/* The index counts children that its data have no longer. */
TEST(what_could_not_be_read_is_said)
{
	char *left = many_letters(1, 2), expected[80];
	uint64_t missing;

	write_letters(&made[0], left, NULL);
	write_letters(&made[1], left, NULL);
	made[1].data.data[made[1].data.size - 2000] ^= 1;
	print_made(&diff_options, (struct tl_diff_text_options){ 0 });
	ck_assert_uint_gt(seen.unread, 100);
	ck_assert_uint_lt(seen.unread, MANY);
	missing = seen.unread;
	snprintf(expected, sizeof(expected),
	    "  # %" PRIu64 " children could not be read: damaged\n", missing);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&text), expected));
	ck_assert_uint_eq(seen.items[TL_DIFF_REMOVED], missing);
	free(left);
}

TEST(what_was_guessed_is_said)
{
	char *left = many_letters(1, 26), *right = many_letters(2, 26);

	write_letters(&made[0], left, NULL);
	write_letters(&made[1], right, NULL);
	print_made(&diff_options, (struct tl_diff_text_options){ 0 });
	ck_assert_uint_eq(seen.guessed, 1);
	ck_assert(ends_with("  # 1 span may differ by less: too many "
			    "children to find the least\n"));
	free(left);
	free(right);
}
