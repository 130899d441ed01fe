/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - the behaviour that all writers share. */
#include "event/writer.h"
#include "lib/test.h"

#include <errno.h>

struct mine {
	struct tl_writer writer;
	uint64_t zero;
	unsigned begins, puts, ends;
	int rc;
};

static struct tl_text got;
static unsigned writes, frees;
static int write_rc;
static struct tl_writer *writer;

static int
take(void *context, const char *data, size_t size)
{
	ck_assert_ptr_eq(context, &got);
	tl_put_bytes(&got, tl_bytes(data, size));
	writes++;
	return write_rc;
}

static int
put(struct tl_writer *w, const struct tl_event *event)
{
	struct mine *m = (struct mine *)w;

	ck_assert_int_eq(m->zero, 0);
	m->puts++;
	tl_put_unsigned(&w->out.text, event->number);
	return m->rc;
}

static int
begin(struct tl_writer *w)
{
	((struct mine *)w)->begins++;
	tl_put_char(&w->out.text, '<');
	return 0;
}

static int
end(struct tl_writer *w)
{
	((struct mine *)w)->ends++;
	tl_put_char(&w->out.text, '>');
	return 0;
}

static void
count_free(struct tl_writer *w)
{
	ck_assert_ptr_eq(w, writer);
	frees++;
}

static const struct tl_writer_kind whole = { .put = put,
	.begin = begin,
	.end = end,
	.free = count_free };
static const struct tl_writer_kind plain = { .put = put };

static void
make(const struct tl_writer_kind *kind)
{
	ck_assert_ok(tl_writer_make(&writer, sizeof(struct mine), kind, take,
	    &got, NULL));
}

static void
setup(void)
{
	got = (struct tl_text){ 0 };
	writes = frees = 0;
	write_rc = 0;
}

static void
teardown(void)
{
	tl_writer_free(writer);
	tl_text_free(&got);
}

static int
put_number(uint64_t number)
{
	const struct tl_event event = { .number = number };

	return writer->sink.put(&writer->sink, &event);
}

static int
finish(void)
{
	return writer->sink.finish(&writer->sink);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(begin_and_end_are_written_once_around_the_events)
{
	make(&whole);
	ck_assert_int_eq(put_number(1), 0);
	ck_assert_int_eq(put_number(2), 0);
	ck_assert_uint_eq(writes, 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(tl_text_string(&got), "<12>");
	ck_assert_uint_eq(writes, 1);
}

TEST(begin_and_end_are_written_without_an_event)
{
	make(&whole);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(tl_text_string(&got), "<>");
}

TEST(a_format_of_lines_goes_on_after_finish)
{
	make(&plain);
	ck_assert_int_eq(put_number(1), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(tl_text_string(&got), "1");
	ck_assert_int_eq(put_number(2), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(tl_text_string(&got), "12");
}

TEST(much_text_goes_on_in_large_pieces)
{
	make(&plain);
	for (unsigned i = 0; i < TL_OUT_SIZE_MAX; i++)
		ck_assert_int_eq(put_number(12), 0);
	ck_assert_uint_eq(writes, 2);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(writes, 2);
	ck_assert_uint_eq(got.size, 2 * TL_OUT_SIZE_MAX);
}

TEST(an_error_of_the_kind_stops_the_caller)
{
	make(&whole);
	((struct mine *)writer)->rc = -ENOSPC;
	ck_assert_int_eq(put_number(1), -ENOSPC);
}

TEST(an_error_of_the_output_stops_the_caller)
{
	make(&whole);
	write_rc = -EPIPE;
	ck_assert_int_eq(put_number(1), 0);
	ck_assert_int_eq(finish(), -EPIPE);
}

TEST(what_is_its_own_is_given_back)
{
	make(&whole);
	tl_writer_free(writer);
	ck_assert_uint_eq(frees, 1);
	writer = NULL;
	tl_writer_free(writer);
	ck_assert_uint_eq(frees, 1);
}

static struct tl_fault said;

static void
remember(void *context, const struct tl_fault *fault)
{
	ck_assert_ptr_eq(context, &said);
	said = *fault;
}

TEST(a_report_carries_where_and_what)
{
	const struct tl_report report = { remember, &said }, silent = { 0 };

	tl_report_write(&report, -EBADMSG, 7, "line %d", 3);
	ck_assert_int_eq(said.rc, -EBADMSG);
	ck_assert_uint_eq(said.at, 7);
	ck_assert_str_eq(said.text, "line 3");
	tl_report_write(&silent, 0, TL_FAULT_NOWHERE, "nobody hears");
	tl_report_write(NULL, 0, TL_FAULT_NOWHERE, "nobody hears");
	ck_assert_str_eq(said.text, "line 3");
}
