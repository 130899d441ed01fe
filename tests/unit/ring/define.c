/* SPDX-License-Identifier: Apache-2.0 */
/*
 * define.c - definitions become records and events, once each, and the macros
 * log them.
 */
#include "base/array.h"
#include "lib/fixture.h"
#include "lib/test.h"

static struct timeline_event *event;

static struct tl_record
record_of(const struct timeline_event *e)
{
	struct tl_record r;

	ck_assert_ok(tl_record_at(&r, tl->strings, tl->geometry.strings_size,
	    e->message & ~15U, 0, NULL));
	return r;
}

static void
expect_text(struct tl_bytes bytes, const char *text)
{
	ck_assert(tl_bytes_equal(bytes, tl_bytes_of(text)));
}

TEST_FILE(.setup = fixture_setup_tiny, .teardown = fixture_close);

TEST(a_definition_is_kept_whole)
{
	const unsigned line = __LINE__;
	struct tl_record r;

	ck_assert_ok(timeline_define(tl, "net", "warning",
	    "$a%u $b $c%x $d%f\nand why", &event));
	r = record_of(event);
	expect_text(r.category, "net");
	expect_text(r.text, "$a%u $b $c%x $d%f\nand why");
	expect_text(r.file, __FILE__);
	ck_assert_uint_ge(r.fixed.line, line);
	ck_assert_uint_le(r.fixed.line, line + 10);
	ck_assert_uint_eq(r.fixed.level, 7);
	ck_assert_uint_eq(r.fixed.gate, 7);
	ck_assert_uint_eq(r.fixed.tier, 1);
	ck_assert_uint_eq(r.fixed.kind, TIMELINE_RECORD_INSTANT);
	ck_assert_uint_eq(r.fixed.argc, 4);
	ck_assert_uint_eq(r.fixed.formats[0], TIMELINE_ARG_UNSIGNED);
	ck_assert_uint_eq(r.fixed.formats[1], TIMELINE_ARG_SIGNED);
	ck_assert_uint_eq(r.fixed.formats[2], TIMELINE_ARG_HEX);
	ck_assert_uint_eq(r.fixed.formats[3], TIMELINE_ARG_DOUBLE);
}

TEST(the_same_definition_is_the_same_event)
{
	struct timeline_event *again;
	const uint64_t tail = tl->header->strings_tail;
	struct timeline *other;

	ck_assert_ok(timeline_define(tl, "a", "info", "x", &event));
	ck_assert_uint_gt(tl->header->strings_tail, tail);
	const uint64_t after = tl->header->strings_tail;

	ck_assert_ok(timeline_define(tl, "a", "info", "x", &again));
	ck_assert_ptr_eq(event, again);
	ck_assert_ok(timeline_open(&other, fixture_name));
	ck_assert_ok(timeline_define(other, "a", "info", "x", &again));
	ck_assert_uint_eq(event->message, again->message);
	ck_assert_ptr_ne(event, again);
	ck_assert_uint_eq(tl->header->strings_tail, after);
	timeline_close(other);
}

TEST(what_differs_anywhere_is_another_message)
{
	struct timeline_event *e[6];

	ck_assert_ok(timeline_define(tl, "a", "info", "x", &e[0]));
	ck_assert_ok(timeline_define(tl, "b", "info", "x", &e[1]));
	ck_assert_ok(timeline_define(tl, "a", "debug", "x", &e[2]));
	ck_assert_ok(timeline_define(tl, "a", "info", "y", &e[3]));
	ck_assert_ok(timeline_define_counter(tl, "a", "info", "x", &e[4]));
	ck_assert_ok(
	    timeline_define_span(tl, "a", "info", "x", TIMELINE_SOURCE, &e[5]));
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < i; j++)
			ck_assert_uint_ne(e[i]->message, e[j]->message);
	/* "ab" + "c" must not equal "a" + "bc" */
	ck_assert_ok(timeline_define(tl, "ab", "info", "c", &e[0]));
	ck_assert_ok(timeline_define(tl, "a", "info", "bc", &e[1]));
	ck_assert_uint_ne(e[0]->message, e[1]->message);
}

/* Define more than the index starts with, through two handles of one table. */
TEST(many_definitions_are_found_again)
{
	const struct timeline_options roomy = { .entries = 64 };
	struct timeline *other;
	uint32_t messages[1000];
	char text[32];

	fixture_close();
	fixture_open(&roomy);
	ck_assert_ok(timeline_open(&other, fixture_name));
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		ck_assert_ok(timeline_define(i % 2 ? tl : other, "a", "info",
		    text, &event));
		messages[i] = event->message;
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		ck_assert_ok(timeline_define(tl, "a", "info", text, &event));
		ck_assert_uint_eq(event->message, messages[i]);
	}
	timeline_close(other);
}

static void
expect_closed(int got, int wanted)
{
	const uint64_t before = fixture_logged();

	ck_assert_int_eq(got, wanted);
	ck_assert_str_ne(timeline_error(), "no error");
	ck_assert_ptr_nonnull(event);
	ck_assert(!timeline_enabled(event));
	timeline_log(event, 1, 2);
	timeline_begin(event);
	timeline_end(event);
	ck_assert_uint_eq(fixture_logged(), before);
}

TEST(a_failed_definition_is_a_closed_event)
{
	static char big[(64 << 10) + 2];

	memset(big, 'x', sizeof(big) - 1);
	expect_closed(timeline_define(tl, "a", "loud", "x", &event), -EINVAL);
	expect_closed(timeline_define(tl, "a", "off", "x", &event), -EINVAL);
	expect_closed(timeline_define(tl, "a", NULL, "x", &event), -EINVAL);
	expect_closed(timeline_define(tl, "", "info", "x", &event), -EINVAL);
	expect_closed(timeline_define(tl, "a", "info", "", &event), -EINVAL);
	expect_closed(timeline_define(tl, NULL, "info", "x", &event), -EINVAL);
	expect_closed(timeline_define(tl, "a", "info", NULL, &event), -EINVAL);
	expect_closed(timeline_define(tl, "a", "info", "$a $b $c $d $e",
			  &event),
	    -EINVAL);
	expect_closed(timeline_define(tl, "a", "info", "$a and $a", &event),
	    -EINVAL);
	expect_closed(timeline_define_span(tl, "a", "info", "x", 2, &event),
	    -EINVAL);
	expect_closed(timeline_define(tl, "a", "info", big, &event), -E2BIG);
	expect_closed(timeline_define(NULL, "a", "info", "x", &event), -EINVAL);
	memset(big, 'x', 20000);
	big[20000] = '\0';
	expect_closed(timeline_define(tl, "a", "info", big, &event), -ENOSPC);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_TABLE_FULL], 1);
}

TEST(a_conversion_of_printf_that_is_no_suffix_is_refused)
{
	static const char *const odd[] = { "$x%lu", "$x%p", "at $x%5d", "$x%i",
		"$x%.3f us", "$a%d, $b%08x.", "$x%llu/$y", "$x%-3d", "$x%",
		"$x%\nexplained", "$x%%", "$x%s%d", "$x%t%lu.", "$x%8s%d",
		"$x%16s", "$x%8d", "$x%zu" };
	static const char *const text[] = { "$x% done", "$x%done", "$x%, $y%.",
		"$x%u", "100%lu of $x", "$x %5d", "$x%d%", "$x%d%%", "$x %",
		"$x%d%done", "$x%8s", "$x%8sx", "$x%o" };

	for (size_t i = 0; i < TL_COUNT(odd); i++) {
		expect_closed(timeline_define(tl, "a", "info", odd[i], &event),
		    -EINVAL);
		ck_assert_ptr_nonnull(strstr(timeline_error(), "no suffix"));
		ck_assert_ptr_nonnull(
		    strstr(timeline_error(), "write %d, %u, %x, %o, %f"));
	}
	ck_assert_ptr_nonnull(strstr(timeline_error(), ": %zu: \"$x%zu\""));
	for (size_t i = 0; i < TL_COUNT(text); i++)
		ck_assert_ok(timeline_define(tl, "a", "info", text[i], &event));
}

TEST(strings_have_one_number_each)
{
	uint64_t a, b, again;
	struct tl_record r;

	ck_assert_ok(timeline_string(tl, "eth0", &a));
	ck_assert_ok(timeline_string(tl, "eth1", &b));
	ck_assert_ok(timeline_string(tl, "eth0", &again));
	ck_assert_uint_eq(a, again);
	ck_assert_uint_ne(a, b);
	ck_assert_ok(tl_record_at(&r, tl->strings, tl->geometry.strings_size, b,
	    0, NULL));
	expect_text(r.text, "eth1");
	ck_assert_ok(timeline_string(tl, "", &a));
}

static void
expect_args(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const struct timeline_entry *e = fixture_newest();

	ck_assert_uint_eq(e->args[0], a);
	ck_assert_uint_eq(e->args[1], b);
	ck_assert_uint_eq(e->args[2], c);
	ck_assert_uint_eq(e->args[3], d);
}

static uint64_t
bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

TEST(the_macro_counts_its_arguments)
{
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c $d", &event));
	timeline_log(event, 1, 2, 3, 4);
	expect_args(1, 2, 3, 4);
	timeline_log(event, 1, 2, 3);
	expect_args(1, 2, 3, 0);
	timeline_log(event, 1, 2);
	expect_args(1, 2, 0, 0);
	timeline_log(event, 1);
	expect_args(1, 0, 0, 0);
	timeline_log(event);
	expect_args(0, 0, 0, 0);
	ck_assert_uint_eq(fixture_logged(), 5);
}

TEST(every_type_of_argument_becomes_64_bits)
{
	const unsigned char small = 200;
	const int negative = -2;

	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c $d", &event));
	timeline_log(event, negative, -1L, (short)-3, small);
	expect_args(UINT64_MAX - 1, UINT64_MAX, (uint64_t)-3, 200);
	timeline_log(event, UINT64_MAX, INT64_MIN, 4000000000u, 1 == 1);
	expect_args(UINT64_MAX, UINT64_C(1) << 63, 4000000000, 1);
	timeline_log(event, 2.5, 0.5f, -1.0, 3);
	expect_args(bits_of(2.5), bits_of(0.5), bits_of(-1.0), 3);
}

TEST(a_closed_event_evaluates_no_argument)
{
	int evaluated = 0;

	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b", &event));
	ck_assert_ok(timeline_priority(tl, "error"));
	const uint64_t before = fixture_logged();

	timeline_log(event, evaluated++, 1, 2.5);
	ck_assert_int_eq(evaluated, 0);
	ck_assert_uint_eq(fixture_logged(), before);
	ck_assert_ok(timeline_priority(tl, "trace"));
	timeline_log(event, evaluated++);
	ck_assert_int_eq(evaluated, 1);
}

static void
leave_early(struct timeline_event *span, int how)
{
	timeline_scope(span, how, 7);
	if (how == 1)
		return;
	{
		timeline_scope(span, 10);
	}
}

TEST(a_scope_ends_where_its_block_is_left)
{
	static const uint32_t ends[] = { 0, 0, 1, 1, 0, 1 };
	static const uint64_t begins[] = { 0, 0, 1, 0, 0, 4 };
	static const uint64_t args[] = { 2, 10, 0, 0, 1, 0 };
	const struct timeline_entry *e;

	ck_assert_ok(timeline_define_span(tl, "a", "fatal", "$how",
	    TIMELINE_THREAD, &event));
	leave_early(event, 2);
	leave_early(event, 1);
	ck_assert_uint_eq(fixture_logged(), 6);
	for (uint32_t lane = 0; lane < timeline_lane_count(&tl->geometry);
	     lane++)
		for (uint64_t q = 0; fixture_head(lane)->head == 6 && q < 6;
		     q++) {
			e = fixture_entry(lane, q);
			ck_assert_uint_eq(e->message & ~15U, event->message);
			ck_assert_uint_eq(e->message & TIMELINE_MESSAGE_END,
			    ends[q]);
			ck_assert_uint_eq(e->args[0],
			    ends[q] ? fixture_entry(lane, begins[q])->tsc
				    : args[q]);
		}
}

TEST(a_record_that_lies_is_refused)
{
	struct timeline_record *fixed;
	struct tl_record r;
	struct timeline_record good;
	const uint64_t size = tl->geometry.strings_size;
	uint64_t at;

	ck_assert_ok(timeline_define(tl, "a", "info", "text", &event));
	at = event->message;
	fixed = (void *)(tl->strings + at);
	good = *fixed;
#define REFUSED(member, value) \
	do { \
		*fixed = good; \
		fixed->member = (value); \
		ck_assert_int_eq(tl_record_at(&r, tl->strings, size, at, 0, \
				     NULL), \
		    -EBADMSG); \
	} while (0)
	REFUSED(size, 0);
	REFUSED(size, 63);
	REFUSED(size, good.size + 1);
	REFUSED(size, UINT32_MAX & ~15U);
	REFUSED(kind, 0);
	REFUSED(kind, 6);
	REFUSED(level, 10);
	REFUSED(argc, 5);
	REFUSED(formats[3], 8);
	REFUSED(category, 63);
	REFUSED(category, good.size);
	REFUSED(category_length, good.size);
	REFUSED(text, UINT32_MAX);
	REFUSED(text_length, UINT32_MAX);
	/* the text ends without a NUL */
	REFUSED(text_length, good.text_length - 1);
	REFUSED(file, good.size - good.file_length);
	*fixed = good;
	ck_assert_ok(tl_record_at(&r, tl->strings, size, at, 0, NULL));
	ck_assert_int_eq(tl_record_at(&r, tl->strings, size, at + 8, 0, NULL),
	    -EBADMSG);
	ck_assert_int_eq(tl_record_at(&r, tl->strings, size, 0, 0, NULL),
	    -EBADMSG);
	ck_assert_int_eq(tl_record_at(&r, tl->strings, size, size, 0, NULL),
	    -EBADMSG);
	ck_assert_int_eq(tl_record_at(&r, tl->strings, size,
			     UINT64_MAX & ~15ULL, 0, NULL),
	    -EBADMSG);
	ck_assert_int_eq(tl_record_at(&r, tl->strings, at + good.size - 1, at,
			     0, NULL),
	    -EBADMSG);
}

/* Links that form a circle or lead nowhere must not delay a definition. */
TEST(defining_ends_in_a_damaged_table)
{
	struct timeline_record *fixed;
	struct timeline *other;

	ck_assert_ok(timeline_define(tl, "a", "info", "text", &event));
	fixed = (void *)(tl->strings + event->message);
	fixed->link = event->message;
	ck_assert_ok(timeline_open(&other, fixture_name));
	ck_assert_ok(timeline_define(other, "a", "info", "more", &event));
	timeline_level(other, "*", "*", "off");
	timeline_close(other);
	fixed->link = 0xfffffff0;
	ck_assert_ok(timeline_open(&other, fixture_name));
	ck_assert_ok(timeline_define(other, "a", "info", "less", &event));
	timeline_close(other);
	tl->header->strings_tail = 16; /* before the first record */
	ck_assert_int_eq(timeline_define(tl, "a", "info", "early tail", &event),
	    -ENOSPC);
	tl->header->strings_tail = 4097; /* between two records */
	ck_assert_int_eq(timeline_define(tl, "a", "info", "odd tail", &event),
	    -ENOSPC);
}

/*
 * Whatever the newest word holds, an equal definition finds its record, and
 * readers find the earlier and the later definitions.
 */
TEST(a_damaged_newest_hides_no_definition)
{
	const uint64_t places[] = { 0, 8, 96, UINT64_MAX, 0xfffffff0 };
	struct timeline *other;
	uint32_t first;

	ck_assert_ok(timeline_define(tl, "a", "info", "text", &event));
	first = event->message;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const uint64_t tail = tl->header->strings_tail;

		tl->header->newest = places[i];
		ck_assert_ok(timeline_open(&other, fixture_name));
		ck_assert_uint_eq(tl->header->strings_tail, tail);
		ck_assert_ok(
		    timeline_define(other, "a", "info", "text", &event));
		ck_assert_uint_eq(event->message, first);
		ck_assert_uint_eq(tl->header->strings_tail, tail);
		timeline_close(other);
	}
	ck_assert_ok(timeline_define(tl, "a", "info", "after", &event));
	ck_assert_uint_ne(event->message, first);
	ck_assert_uint_eq(tl->header->newest, event->message);
}
