/* SPDX-License-Identifier: Apache-2.0 */
/* test_format_lines.c - what is written as lines is read back. */
#include "format/csv_read.h"
#include "format/csv_write.h"
#include "format/definer.h"
#include "format/jsonl_read.h"
#include "format/jsonl_write.h"

#include <check.h>
#include <errno.h>

static const struct {
	tl_writer_new *write_new;
	tl_reader_new *read_new;
	tl_recognise *recognise;
} formats[] = {
	{ tl_csv_write_new, tl_csv_read_new, tl_csv_recognise },
	{ tl_jsonl_write_new, tl_jsonl_read_new, tl_jsonl_recognise },
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static struct tl_text first, second;
static struct tl_definer *definer;
static unsigned faults;
static const char odd[] =
    "=a,\"b\"\\n\n\t\x1b[31m'\xe2\x82\xac\xf0\x9f\x98\x80";

static int
append(void *context, const char *data, size_t size)
{
	tl_put_bytes(context, tl_bytes(data, size));
	return 0;
}

static void
count_fault(void *context, const struct tl_fault *fault)
{
	(void)context;
	faults += fault->rc < 0;
}

static const struct tl_report report = { count_fault, NULL };

static void
put(struct tl_writer *w, const char *text, uint8_t record, unsigned kind,
    uint64_t a, uint64_t b)
{
	struct tl_event event = { .ns = INT64_MIN + 5,
		.tsc = UINT64_MAX,
		.cpu = TL_CPU_UNKNOWN,
		.pid = UINT32_MAX,
		.tid = 1,
		.kind = (uint8_t)kind,
		.args = { a, b } };

	ck_assert_int_eq(tl_definer_message(definer, tl_bytes(odd, sizeof(odd)),
			     tl_bytes_of(text), record, 8, 0, &event.message),
	    0);
	ck_assert_int_eq(w->sink.put(&w->sink, &event), 0);
}

/* One of everything. */
static void
write_events(struct tl_writer *w)
{
	const struct tl_event lost = { .kind = TL_LOST,
		.ns = INT64_MIN + 5,
		.tsc = 7,
		.cpu = 3,
		.lost = UINT64_MAX };
	const double tenth = 0.1, tiny = -4.9406564584124654e-324;
	uint64_t bits[2], number;

	memcpy(&bits[0], &tenth, 8);
	memcpy(&bits[1], &tiny, 8);
	put(w, "", TIMELINE_RECORD_INSTANT, TL_INSTANT, 0, 0);
	put(w, "$a and $b%x", TIMELINE_RECORD_INSTANT, TL_INSTANT, UINT64_MAX,
	    (UINT64_C(1) << 53) + 1);
	put(w, "$a%d $b%t", TIMELINE_RECORD_SPAN, TL_BEGIN, (uint64_t)INT64_MIN,
	    (uint64_t)INT64_MAX);
	put(w, "$a%d $b%t", TIMELINE_RECORD_SPAN, TL_END, 1, 2);
	put(w, "$a%f $b%f", TIMELINE_RECORD_COUNTER, TL_COUNTER, bits[0],
	    bits[1]);
	ck_assert_int_eq(tl_definer_string(definer, tl_bytes(odd, sizeof(odd)),
			     &number),
	    0);
	put(w, "$a%s, \"$b%s\"", TIMELINE_RECORD_INSTANT, TL_INSTANT, number,
	    number);
	ck_assert_int_eq(w->sink.put(&w->sink, &lost), 0);
	ck_assert_int_eq(w->sink.finish(&w->sink), 0);
}

static void
setup(void)
{
	first = second = (struct tl_text){ 0 };
	faults = 0;
	ck_assert_int_eq(tl_definer_new(&definer), 0);
}

static void
teardown(void)
{
	tl_definer_free(definer);
	tl_text_free(&first);
	tl_text_free(&second);
}

/* Read text in pieces of a size and write it again, to second. */
static int
copy(int i, struct tl_bytes text, size_t size)
{
	struct tl_writer *w;
	struct tl_reader *r;
	int rc = 0;

	tl_text_clear(&second);
	ck_assert_int_eq(formats[i].write_new(&w, append, &second, NULL), 0);
	ck_assert_int_eq(formats[i].read_new(&r, &w->sink, &report), 0);
	for (size_t at = 0; at < text.size && rc == 0; at += size)
		rc = r->feed(r,
		    tl_bytes(text.data + at,
			text.size - at < size ? text.size - at : size));
	if (rc == 0)
		rc = r->finish(r);
	if (rc == 0)
		ck_assert_int_eq(w->sink.finish(&w->sink), 0);
	tl_writer_free(w);
	r->free(r);
	return rc;
}

START_TEST(what_was_written_is_read_back_from_any_pieces)
{
	static const size_t sizes[] = { 1, 2, 7, 1 << 20 };
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	ck_assert_uint_ge(formats[_i].recognise(
			      tl_bytes(first.data, first.size)),
	    90);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		ck_assert_int_eq(copy(_i, tl_bytes(first.data, first.size),
				     sizes[k]),
		    0);
		ck_assert_str_eq(tl_text_string(&second),
		    tl_text_string(&first));
	}
	ck_assert_uint_eq(faults, 0);
}
END_TEST

START_TEST(a_damaged_line_is_reported_and_the_next_is_read)
{
	struct tl_text damaged = { 0 };
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	tl_put_bytes(&damaged, tl_bytes(first.data, first.size));
	tl_put_string(&damaged, "1,2,3\n{\"ns\":1\n{\"ns\":\"\\\n\"\n\r\n");
	tl_put_bytes(&damaged, tl_bytes(first.data, first.size));
	ck_assert_int_eq(copy(_i, tl_bytes(damaged.data, damaged.size), 5), 0);
	ck_assert_uint_eq(faults, 1);
	ck_assert_uint_ge(second.size, 2 * first.size - 200);
	tl_text_free(&damaged);
}
END_TEST

START_TEST(another_format_is_said_to_be_one)
{
	const struct tl_bytes text = tl_bytes_of("BEGIN:VCARD\nEND:VCARD\n");

	ck_assert_uint_eq(formats[_i].recognise(text), 0);
	ck_assert_int_eq(copy(_i, text, 3), -EBADMSG);
	ck_assert_uint_ge(faults, 1);
}
END_TEST

START_TEST(every_prefix_of_a_file_is_read_without_harm)
{
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	for (size_t size = 0; size < first.size; size++)
		(void)copy(_i, tl_bytes(first.data, size), 64);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("format lines");
	TCase *tcase = tcase_create("lines");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase,
	    what_was_written_is_read_back_from_any_pieces, 0, FORMATS);
	tcase_add_loop_test(tcase,
	    a_damaged_line_is_reported_and_the_next_is_read, 0, FORMATS);
	tcase_add_loop_test(tcase, another_format_is_said_to_be_one, 0,
	    FORMATS);
	tcase_add_loop_test(tcase, every_prefix_of_a_file_is_read_without_harm,
	    0, FORMATS);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
