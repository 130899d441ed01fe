/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger.c - TimeLogger files: the meaning of records, the faults of files,
 * and that no event is lost on the way through a timeline.
 */
#include "lib/timelogger.h"
#include "event/spans.h"
#include "format/timelogger/timelogger.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>

static struct foreign f;

static void
run(void)
{
	const struct tl_bytes in = tl_bytes(file.data, file.size);

	foreign_check_pieces(tl_timelogger_read_new, in);
	foreign_run(&f, tl_timelogger_read_new, tl_timelogger_write_new, in, 0);
}

/* Check the events and the diagnostics; the file starts anew. */
static void
check(const char *events, const char *said)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), events);
	ck_assert_str_eq(tl_text_string(&f.said.text), said);
	foreign_free(&f);
}

/* The file is written again as it was, without diagnostics. */
static void
check_exact(void)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(tl_text_string(&f.out), tl_text_string(&file),
	    file.size);
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
	tl_text_clear(&file);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(the_longest_name_comes_back)
{
	char *name = malloc(65535);

	ck_assert_ptr_nonnull(name);
	memset(name, 'n', 65535);
	put_source_bytes(0, 1, name, 65535);
	put_open(0, 2);
	put_close(0, 3);
	put_source_bytes(1, 4, name, 65535);
	put_open(1, 5);
	put_close(1, 6);
	check_exact();
	free(name);
}

/* Pairs spans, and adds up the outermost ones. */
struct pairs {
	struct tl_sink sink;
	struct tl_spans *spans;
	int64_t busy_ns;
};

static int
put_pair(struct tl_sink *sink, const struct tl_event *event)
{
	struct pairs *p = (struct pairs *)(void *)sink;
	struct tl_span span;

	ck_assert(event->kind != TL_END || event->proven);
	if (tl_spans_put(p->spans, event, &span) == 1 &&
	    tl_bytes_equal(span.message->line1, tl_bytes_of("s"))) {
		ck_assert_uint_eq(span.depth, 0);
		p->busy_ns += span.duration_ns;
	}
	return 0;
}

/*
 * Open and close a source at random until it is closed; returns how long its
 * activity was 1 or more.
 */
static int64_t
put_random_activity(uint64_t state)
{
	int64_t activity = 0, busy_ns = 0;

	for (int64_t ns = 1; ns < 900 || activity != 0; ns++) {
		const bool opens =
		    ns < 900 ? random_below(&state, 2) == 0 : activity < 0;

		busy_ns += activity > 0;
		activity += opens ? 1 : -1;
		put_record(opens ? 1 : 2, 0, ns);
	}
	return busy_ns;
}

TEST(spans_of_any_activity_are_paired)
{
	struct pairs p = { .sink = { put_pair, NULL } };
	struct tl_spans_count count;
	struct tl_reader *reader;
	int64_t busy_ns;

	put_source(0, 0, "s");
	busy_ns = put_random_activity(5);
	ck_assert_ok(tl_spans_new(&p.spans));
	ck_assert_ok(tl_timelogger_read_new(&reader, &p.sink, NULL));
	ck_assert_ok(reader->feed(reader, tl_bytes(file.data, file.size)));
	ck_assert_ok(reader->finish(reader));
	tl_spans_counts(p.spans, &count);
	ck_assert_uint_gt(count.paired, 400);
	ck_assert_uint_eq(count.lonely_begins, 0);
	ck_assert_uint_eq(count.lonely_ends, 0);
	ck_assert_int_gt(busy_ns, 0);
	ck_assert_int_eq(p.busy_ns, busy_ns);
	reader->free(reader);
	tl_spans_free(p.spans);
}

TEST(a_tail_that_is_cut_is_said)
{
	put_source(0, 1, "a");
	put_open(0, 2);
	put_source(1, 3, "name");
	for (size_t whole = file.size; file.size > 16 + 13 + 1;) {
		file.size--;
		check("1 timelogger source id(0) is name(a)\n2 source > a\n",
		    "-61 29 the file ends inside its last record\n");
		ck_assert_uint_gt(whole, file.size);
	}
}

TEST(what_the_sink_says_is_returned)
{
	struct tl_reader *reader;

	put_source(0, 1, "a");
	put_open(0, 2);
	foreign_init(&f);
	f.sink.rc = -ENOSPC;
	ck_assert_ok(tl_timelogger_read_new(&reader, &f.sink.sink, NULL));
	ck_assert_ok(reader->feed(reader, tl_bytes(file.data, file.size)));
	ck_assert_int_eq(reader->finish(reader), -ENOSPC);
	ck_assert_uint_eq(f.sink.count, 1);
	reader->free(reader);
	foreign_free(&f);
}
