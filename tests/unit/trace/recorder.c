/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - the files contain what was logged, or count it as lost, whatever
 * happens to rings, disks and files.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

#include "clock/clock.h"
#include "event/render.h"

#include <sys/wait.h>

enum { MANY = 400000, KILLS = 12 };

static void
log_ticks(uint64_t count, unsigned pause_every)
{
	for (uint64_t i = 0; i < count; i++) {
		timeline_log(tick, i);
		if (pause_every > 0 && i % pause_every == 0)
			sleep_ms(1);
	}
}

static void
check_sum(const struct recorded *recorded, uint64_t logged,
    const struct tl_recorder_status *status)
{
	ck_assert_uint_eq(recorded->events + recorded->lost, logged);
	ck_assert_uint_eq(status->events, recorded->events);
	ck_assert_uint_eq(status->lost, recorded->lost);
	ck_assert_uint_eq(recorded->damage, 0);
}

static void
expect_next(struct recorded *recorded, const struct tl_event *event)
{
	ck_assert_uint_eq(event->args[0], recorded->n);
	ck_assert_str_eq(tl_kind_name(event->kind), "instant");
	recorded->n++;
}

TEST_FILE(.setup = recorder_setup, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

TEST(what_was_logged_lies_in_the_file_in_order, .to = 2)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ .compress = _i });
	struct recorded recorded = { .each = expect_next };
	struct tl_recorder_status status;

	log_ticks(20000, 2000);
	status = end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.events, 20000);
	ck_assert_uint_eq(recorded.cut, 0);
	ck_assert_uint_eq(status.files, 1);
	ck_assert_uint_eq(status.queued, 0);
	check_sum(&recorded, 20000, &status);
}

/* Log more than the timeline and the recorder have room for. */
static void
log_too_many(void)
{
	tl_store_32(&is_held, 1);
	log_ticks(MANY, 0);
	tl_store_32(&is_held, 0);
}

TEST(what_the_ring_overwrote_is_counted)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ 0 });
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;

	log_too_many();
	status = end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.lost, 0);
	check_sum(&recorded, MANY, &status);
}

TEST(what_was_there_before_is_recorded_or_counted, .to = 2)
{
	const uint64_t before = _i == 0 ? 1000 : MANY;
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;
	struct tl_recorder *recorder;

	log_ticks(before, 0);
	recorder = record_from(&(struct tl_recorder_options){ 0 }, true);
	log_ticks(10, 0);
	status = end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.events, 10);
	check_sum(&recorded, before + 10, &status);
}

TEST(a_file_can_be_read_while_it_is_written)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ .flush_ns = 1000000 });
	struct recorded early = { 0 }, recorded = { 0 };
	struct tl_recorder_status status;

	log_ticks(2000, 100);
	until(status_of(recorder).bytes > 0);
	do {
		early = (struct recorded){ 0 };
		count_all(&early);
		ck_assert_uint_eq(early.damage, 0);
		ck_assert_uint_eq(early.cut, 1);
	} while (early.events < 2000);
	log_ticks(2000, 100);
	status = end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.cut, 0);
	check_sum(&recorded, 4000, &status);
}

static void
expect_text(struct recorded *recorded, const struct tl_event *event)
{
	const struct tl_bytes text =
	    tl_message_string(event->message, event->args[0]);
	char expected[32];

	snprintf(expected, sizeof(expected), "text %u", (unsigned)recorded->n);
	ck_assert(tl_bytes_equal(text, tl_bytes_of(expected)));
	recorded->n++;
}

TEST(texts_of_arguments_that_are_defined_meanwhile_are_kept)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ 0 });
	struct recorded recorded = { .each = expect_text };

	for (int i = 0; i < 2000; i++) {
		char text[32];
		uint64_t number;

		snprintf(text, sizeof(text), "text %d", i);
		ck_assert_ok(timeline_string(tl, text, &number));
		timeline_log(named, number);
		if (i % 100 == 0)
			sleep_ms(1);
	}
	end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.n, 2000);
}

static void
expect_missing(struct recorded *recorded, const struct tl_event *event)
{
	char text[TL_MISSING_MAX];
	const struct tl_bytes missing =
	    tl_render_missing(text, recorded->n++ == 0 ? 0 : UINT64_MAX);

	ck_assert(
	    tl_bytes_equal(tl_message_string(event->message, event->args[0]),
		missing));
}

/* A number of no string is the text that a listing of the timeline shows. */
TEST(a_text_that_is_missing_keeps_its_number)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ 0 });
	struct recorded recorded = { .each = expect_missing };

	timeline_log(named, 0);
	timeline_log(named, UINT64_MAX);
	end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.n, 2);
}

/* == from file to file == */

static void
log_spans(int count)
{
	timeline_begin(outer, 7);
	for (uint64_t i = 0; i < (uint64_t)count; i++) {
		timeline_begin(inner, i);
		timeline_log(tick, i);
		timeline_end(inner, i);
		if (i % 50 == 0)
			sleep_ms(1);
	}
	timeline_end(outer, 8);
}

/* Each file begins with the outer span and its original begin. */
static void
expect_outer_first(struct recorded *recorded, const struct tl_event *event)
{
	if (recorded->n++ > 0)
		return;
	ck_assert_int_eq(event->kind, TL_BEGIN);
	ck_assert(
	    tl_bytes_equal(event->message->text, tl_bytes_of("outer $id")));
	ck_assert_uint_eq(event->args[0], 7);
}

TEST(spans_go_on_in_the_next_file)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ .size_max = 30000,
		.flush_ns = 1000000 });
	struct recorded recorded = { .each = expect_outer_first };
	struct tl_recorder_status status;
	char path[128];

	log_spans(6000);
	status = end_record(recorder);
	ck_assert_uint_gt(status.files, 3);
	for (unsigned i = 0; i < made; i++) {
		recorded.n = 0;
		snprintf(path, sizeof(path), "%s/%03u.trace", folder, i);
		count_file(&recorded, path);
	}
	ck_assert_uint_ge(recorded.continued, status.files - 1);
	ck_assert_uint_le(recorded.continued, 2 * status.files);
	ck_assert_uint_eq(recorded.cut, 0);
	check_sum(&recorded, 6000 * 3 + 2, &status);
}

static void
expect_no_outer(struct recorded *recorded, const struct tl_event *event)
{
	if (event->kind != TL_LOST && event->kind == TL_BEGIN &&
	    tl_bytes_equal(event->message->text, tl_bytes_of("outer $id")))
		recorded->n++;
}

TEST(a_span_that_was_open_across_a_loss_is_left_behind)
{
	struct recorded recorded = { .each = expect_no_outer };
	struct tl_recorder_status status;
	struct tl_recorder *recorder;

	tl_store_32(&is_held, 1);
	recorder = record(&(struct tl_recorder_options){ 0 });
	timeline_begin(outer, 7);
	/* wait until the recorder has read the begin and asks for a file */
	until(tl_load_32(&is_asked) != 0);
	log_too_many();
	do {
		sleep_ms(1);
		status = status_of(recorder);
	} while (status.events + status.lost < MANY + 1);
	tl_recorder_configure(recorder,
	    &(struct tl_recorder_options){ .size_max = 1 });
	while (status_of(recorder).files < 3)
		log_ticks(1, 1);
	end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.lost, 0);
	ck_assert_uint_eq(recorded.n, 1);
}

TEST(files_end_by_age_but_none_is_made_for_nothing)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ .age_ns = 50000000,
		.flush_ns = 10000000 });
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;
	uint64_t files;

	sleep_ms(100);
	ck_assert_uint_eq(status_of(recorder).files, 0);
	log_ticks(10, 0);
	until(status_of(recorder).events == 10);
	files = status_of(recorder).files;
	/* by then the file has ended, or it ends before the next event */
	sleep_ms(200);
	ck_assert_uint_eq(status_of(recorder).files, files);
	do
		log_ticks(1, 1);
	while (status_of(recorder).files == files);
	status = end_record(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.files, status.files);
	ck_assert_uint_eq(recorded.cut, 0);
	check_sum(&recorded, recorded.events, &status);
}

TEST(one_file_is_all_with_once)
{
	struct tl_recorder *recorder = record(
	    &(struct tl_recorder_options){ .once = true, .size_max = 50000 });
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;

	ck_assert_uint_eq(made, 1); /* the first file is made at once */
	for (int i = 0; i < 5000; i++) {
		log_ticks(200, 0);
		tl_recorder_status(recorder, &status);
		if (status.done)
			break;
		sleep_ms(1);
	}
	ck_assert(status.done);
	tl_recorder_free(recorder);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.files, 1);
	ck_assert_uint_eq(recorded.cut, 0);
	ck_assert_uint_eq(recorded.events, status.events);
}

TEST(the_end_of_the_timeline_is_the_end_of_the_recording)
{
	struct tl_recorder *recorder =
	    record(&(struct tl_recorder_options){ 0 });
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;

	log_ticks(500, 0);
	timeline_remove(fixture_name);
	do {
		sleep_ms(1);
		tl_recorder_status(recorder, &status);
	} while (!status.done);
	tl_recorder_free(recorder);
	ck_assert_int_eq(status.source_rc, 0);
	count_all(&recorded);
	check_sum(&recorded, 500, &status);
	recorder_teardown();
	recorder_setup();
}

/* == disks == */

TEST(where_no_file_can_be_made_it_waits_and_goes_on)
{
	const int64_t begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	struct tl_recorder *recorder;
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;

	tl_store_32(&begin_rc, (uint32_t)-ENOSPC);
	recorder = record(&(struct tl_recorder_options){ 0 });
	log_ticks(MANY, 0);
	until(status_of(recorder).rc == -ENOSPC);
	sleep_ms(200);
	status = status_of(recorder);
	ck_assert_uint_ge(status.faults, 1);
	/* the recorder tries again no more often than once a second */
	ck_assert_int_le((int64_t)status.faults - 1,
	    (tl_clock_read(CLOCK_MONOTONIC) - begun_ns) / 1000000000);
	tl_store_32(&begin_rc, 0);
	until(status_of(recorder).rc == 0);
	status = end_record(recorder);
	count_all(&recorded);
	check_sum(&recorded, MANY, &status);
}

TEST(a_file_that_cannot_grow_keeps_whole_blocks_and_the_rest_is_counted)
{
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;
	struct tl_recorder *recorder;
	uint64_t logged;

	recorder_setup_again(1 << 12);
	recorder = record(&(struct tl_recorder_options){ .flush_ns = 5000000 });
	logged = log_over_a_full_disk(recorder);
	status = end_record(recorder);
	ck_assert_uint_gt(status.faults, 0);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.files, 1);
	check_sum(&recorded, logged, &status);
}

/* == crashes == */

/*
 * A process, not a thread: a fork beside a running thread may copy a locked
 * allocator, and the allocator of ASan stays locked in the child.
 */
static pid_t
start_writer(void)
{
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	for (uint64_t i = 0;; i++) {
		timeline_log(tick, i);
		if (i % 200 == 0)
			sleep_ms(1);
	}
}

static void
kill_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
expect_no_hole(struct recorded *recorded, const struct tl_event *event)
{
	if (event->kind == TL_LOST) { /* a loss has no number of ours */
		recorded->n = 0;
		return;
	}
	if (recorded->n != 0)
		ck_assert_uint_eq(event->args[0], recorded->n);
	recorded->n = event->args[0] + 1;
}

/* True if the file holds more than a header. */
static bool
has_written(unsigned file)
{
	struct stat st;
	char path[128];

	snprintf(path, sizeof(path), "%s/%03u.trace", folder, file);
	return stat(path, &st) == 0 && st.st_size > 1024;
}

TEST(a_recorder_that_is_killed_leaves_whole_blocks)
{
	struct recorded recorded = { .each = expect_no_hole };
	struct tl_recorder *recorder;
	const pid_t writer = start_writer();

	for (int i = 0; i < KILLS; i++) {
		const pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			recorder = record(
			    &(struct tl_recorder_options){ .flush_ns = 2000000,
				.once = true });
			for (;;)
				pause();
			tl_recorder_free(recorder);
		}
		made = (unsigned)i + 1;
		until(has_written((unsigned)i));
		sleep_ms(i * 7);
		kill_process(pid);
	}
	kill_process(writer);
	for (unsigned i = 0; i < (unsigned)KILLS; i++) {
		char path[128];

		recorded.n = 0;
		snprintf(path, sizeof(path), "%s/%03u.trace", folder, i);
		if (access(path, F_OK) == 0)
			count_file(&recorded, path);
	}
	ck_assert_uint_eq(recorded.files, KILLS);
	ck_assert_uint_gt(recorded.events, 100);
	/* a kill may interrupt a write, once a file */
	ck_assert_uint_le(recorded.damage, recorded.cut);
}

/* == the codec == */

TEST(blocks_are_packed_and_what_is_damaged_is_refused)
{
	const struct tl_trace_codec *z = &tl_trace_zstd;
	uint8_t plain[5000], packed[5000], again[5000];
	int64_t size;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i / 50);
	size =
	    z->pack(z->context, packed, sizeof(packed), plain, sizeof(plain));
	ck_assert_int_gt(size, 0);
	ck_assert_int_lt(size, 1000);
	ck_assert_int_eq(z->unpack(z->context, again, sizeof(again), packed,
			     (size_t)size),
	    0);
	ck_assert_mem_eq(plain, again, sizeof(plain));
	ck_assert_int_eq(z->unpack(z->context, again, sizeof(again), packed,
			     (size_t)size - 1),
	    -EBADMSG);
	ck_assert_int_eq(z->unpack(z->context, again, sizeof(again) - 1, packed,
			     (size_t)size),
	    -EBADMSG);
	ck_assert_int_eq(z->pack(z->context, packed, 10, plain, sizeof(plain)),
	    0);
}
