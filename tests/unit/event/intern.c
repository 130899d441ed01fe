/* SPDX-License-Identifier: Apache-2.0 */
/* intern.c - messages and strings that a reader creates. */
#include "event/intern.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct tl_interner *interner;

static void
setup(void)
{
	ck_assert_ok(tl_interner_new(&interner));
}

static void
teardown(void)
{
	tl_interner_free(interner);
}

static int
define(const struct tl_message **message, const char *category,
    const char *text, uint8_t kind, uint8_t level, uint8_t scope)
{
	return tl_interner_message(interner, tl_bytes_of(category),
	    tl_bytes_of(text), kind, level, scope, message);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(the_same_texts_are_the_same_message)
{
	const struct tl_message *a, *b;
	char text[] = "got $bytes\nand more";

	ck_assert_int_eq(define(&a, "net", text, TIMELINE_RECORD_INSTANT, 6, 0),
	    0);
	text[0] = 'G'; /* the interner keeps no pointer to our text */
	ck_assert_int_eq(define(&b, "net", "got $bytes\nand more",
			     TIMELINE_RECORD_INSTANT, 6, 0),
	    0);
	ck_assert_ptr_eq(a, b);
	ck_assert(tl_bytes_equal(a->line1, tl_bytes_of("got $bytes")));
	ck_assert(tl_bytes_equal(a->explain, tl_bytes_of("and more")));
	ck_assert(tl_bytes_equal(a->category, tl_bytes_of("net")));
	ck_assert_uint_eq(a->argc, 1);
	ck_assert(tl_bytes_equal(a->args[0].name, tl_bytes_of("bytes")));
	ck_assert_uint_eq(a->level, 6);
	ck_assert_uint_eq(a->gate, 6);
}

TEST(whatever_differs_makes_another_message)
{
	static const struct {
		const char *category, *text;
		uint8_t kind, level, scope;
	} rows[] = {
		{ "a", "b", TIMELINE_RECORD_SPAN, 6, 0 },
		{ "ab", "", TIMELINE_RECORD_SPAN, 6, 0 },
		{ "", "ab", TIMELINE_RECORD_SPAN, 6, 0 },
		{ "a", "c", TIMELINE_RECORD_SPAN, 6, 0 },
		{ "c", "b", TIMELINE_RECORD_SPAN, 6, 0 },
		{ "a", "b", TIMELINE_RECORD_INSTANT, 6, 0 },
		{ "a", "b", TIMELINE_RECORD_SPAN, 5, 0 },
		{ "a", "b", TIMELINE_RECORD_SPAN, 6, 1 },
	};
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	const struct tl_message *made[ROWS];

	for (size_t i = 0; i < ROWS; i++) {
		ck_assert_int_eq(define(&made[i], rows[i].category,
				     rows[i].text, rows[i].kind, rows[i].level,
				     rows[i].scope),
		    0);
		for (size_t k = 0; k < i; k++)
			ck_assert_ptr_ne(made[i], made[k]);
	}
}

TEST(messages_never_move)
{
	enum { COUNT = 20000 };
	const struct tl_message *first, *again, *other;
	char text[32];

	ck_assert_int_eq(define(&first, "c", "n 0", 1, 6, 0), 0);
	for (int i = 1; i < COUNT; i++) {
		snprintf(text, sizeof(text), "n %d", i);
		ck_assert_int_eq(define(&other, "c", text, 1, 6, 0), 0);
		ck_assert(tl_bytes_equal(other->text, tl_bytes_of(text)));
	}
	ck_assert_int_eq(define(&again, "c", "n 0", 1, 6, 0), 0);
	ck_assert_ptr_eq(first, again);
	ck_assert(tl_bytes_equal(first->text, tl_bytes_of("n 0")));
}

TEST(a_text_with_too_many_arguments_is_refused)
{
	const struct tl_message *message = NULL;

	ck_assert_int_eq(define(&message, "c", "$a $b $c $d $e", 1, 6, 0),
	    -EINVAL);
	ck_assert_int_eq(define(&message, "c", "$a $a", 1, 6, 0), -EINVAL);
	ck_assert_ptr_null(message);
}

TEST(strings_are_found_by_their_number)
{
	const struct tl_message *message;
	uint64_t eth0, lo, again, nothing;

	ck_assert_int_eq(define(&message, "net", "on $dev%s", 1, 6, 0), 0);
	ck_assert_ok(tl_interner_string(interner, tl_bytes_of("eth0"), &eth0));
	ck_assert_ok(tl_interner_string(interner, tl_bytes_of("lo"), &lo));
	ck_assert_ok(tl_interner_string(interner, tl_bytes_of("eth0"), &again));
	ck_assert_ok(tl_interner_string(interner, tl_bytes(NULL, 0), &nothing));
	ck_assert_uint_eq(eth0, again);
	ck_assert_uint_ne(eth0, lo);
	ck_assert(tl_bytes_equal(tl_message_string(message, eth0),
	    tl_bytes_of("eth0")));
	ck_assert(
	    tl_bytes_equal(tl_message_string(message, lo), tl_bytes_of("lo")));
	ck_assert_ptr_nonnull(tl_message_string(message, nothing).data);
	ck_assert_uint_eq(tl_message_string(message, nothing).size, 0);
	ck_assert_ptr_null(tl_message_string(message, 0).data);
	ck_assert_ptr_null(tl_message_string(message, nothing + 1).data);
	ck_assert_ptr_null(tl_message_string(message, UINT64_MAX).data);
}

TEST(a_text_that_is_too_long_is_cut)
{
	enum { SIZE = TL_INTERNER_TEXT_MAX + 1000 };
	const struct tl_message *message;
	char *text = malloc(SIZE);
	uint64_t a, b;

	memset(text, 'x', SIZE);
	ck_assert_ok(tl_interner_message(interner, tl_bytes(text, SIZE),
	    tl_bytes(text, SIZE), 1, 6, 0, &message));
	ck_assert_uint_eq(message->text.size, TL_INTERNER_TEXT_MAX);
	ck_assert_ok(tl_interner_string(interner, tl_bytes(text, SIZE), &a));
	ck_assert_ok(
	    tl_interner_string(interner, tl_bytes(text, SIZE - 1), &b));
	ck_assert_uint_eq(a, b);
	ck_assert_uint_eq(tl_message_string(message, a).size,
	    TL_INTERNER_TEXT_MAX);
	free(text);
}

TEST(values_met_lately_have_the_same_number)
{
	const struct tl_message *message;
	uint64_t a, b, again;

	ck_assert_ok(tl_interner_message(interner, tl_bytes_of("c"),
	    tl_bytes_of("$t%s"), 1, 6, 0, &message));
	ck_assert_ok(tl_interner_value(interner, tl_bytes_of("a"), &a));
	ck_assert_ok(tl_interner_value(interner, tl_bytes(NULL, 0), &b));
	ck_assert_ok(tl_interner_value(interner, tl_bytes_of("a"), &again));
	ck_assert_uint_eq(a, again);
	ck_assert_uint_ne(a, b);
	ck_assert(
	    tl_bytes_equal(tl_message_string(message, a), tl_bytes_of("a")));
	ck_assert_ptr_nonnull(tl_message_string(message, b).data);
	for (int i = 0; i < 100000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		ck_assert_ok(
		    tl_interner_value(interner, tl_bytes_of(text), &again));
		ck_assert(tl_bytes_equal(tl_message_string(message, again),
		    tl_bytes_of(text)));
	}
}
