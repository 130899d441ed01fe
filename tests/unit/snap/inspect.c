/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - the inspection of a timeline is right, and a damaged timeline is
 * refused or shows less.
 */
#include "snap/inspect.h"
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snap/shm.h"

#include <sys/prctl.h>
#include <sys/wait.h>

enum { N = 64, FALLBACK = 2, FALLBACK_KEPT = 3, ROUNDS = 3000 };
#define SECOND UINT64_C(1000000000)

static struct timeline_event *event;
static struct timeline_event *error;
static struct tl_inspection g;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	ck_assert_ok(timeline_define(tl, "a", "error", "$a", &error));
	memset(&g, 0, sizeof(g));
}

static void
teardown(void)
{
	tl_inspection_free(&g);
	fixture_close();
}

static void
log_entries(struct timeline_event *which, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		tl_append_fallback(which, i, 0, 0, 0);
}

static void
inspect(bool stamps)
{
	struct tl_fault fault = { 0 };

	tl_inspection_free(&g);
	ck_assert_msg(tl_inspect_fd(&g, tl->fd, stamps, &fault) == 0, "%s",
	    fault.text);
}

static int
inspect_bytes(const void *bytes, size_t size, struct tl_fault *fault)
{
	const int fd = frozen_file(bytes, size);
	int rc;

	tl_inspection_free(&g);
	rc = tl_inspect_fd(&g, fd, true, fault);
	close(fd);
	return rc;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(an_empty_timeline_has_no_history)
{
	inspect(true);
	ck_assert_uint_eq(g.lane_count, 4);
	ck_assert_uint_eq(g.dropped, 0);
	ck_assert(g.now_tsc != 0);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc, 0);
	ck_assert_uint_eq(g.lanes[FALLBACK].newest_tsc, 0);
	ck_assert_int_eq(g.kept_ns, -1);
	ck_assert_uint_eq(g.appended, fixture_logged());
}

TEST(lanes_are_described_as_they_are)
{
	log_entries(event, 10);
	log_entries(error, 3);
	tl->header->drops[TIMELINE_DROP_BUSY] = 5;
	tl->header->drops[TIMELINE_DROP_RACED] = 2;
	inspect(false);
	ck_assert_uint_eq(g.lanes[0].cpu, 0);
	ck_assert_uint_eq(g.lanes[0].tier, 0);
	ck_assert_uint_eq(g.lanes[1].tier, 1);
	ck_assert_uint_eq(g.lanes[FALLBACK].cpu, TL_CPU_UNKNOWN);
	ck_assert_uint_eq(g.lanes[FALLBACK].entries, N);
	ck_assert_uint_eq(g.lanes[FALLBACK].head, 10);
	ck_assert_uint_eq(g.lanes[FALLBACK_KEPT].head, 3);
	ck_assert_uint_eq(g.appended, fixture_logged());
	ck_assert_uint_eq(g.dropped, 7);
	ck_assert_int_eq(g.kept_ns, -1); /* stamps were not requested */
	ck_assert_uint_eq(g.lanes[FALLBACK].newest_tsc, 0);
}

TEST(stamps_are_those_of_the_oldest_and_the_newest_entry)
{
	log_entries(event, 10);
	inspect(true);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc,
	    fixture_entry(FALLBACK, 0)->tsc);
	ck_assert_uint_eq(g.lanes[FALLBACK].newest_tsc,
	    fixture_entry(FALLBACK, 9)->tsc);
	ck_assert_uint_ge(g.now_tsc, g.lanes[FALLBACK].newest_tsc);
	ck_assert_int_ge(g.kept_ns, 0);
}

TEST(the_oldest_of_a_full_lane_is_the_one_behind_the_next_to_go)
{
	log_entries(event, 3 * N + 7);
	inspect(true);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc,
	    fixture_entry(FALLBACK, 3 * N + 7 - (N - 1))->tsc);
}

TEST(what_was_cleared_is_no_history)
{
	log_entries(event, 2 * N);
	timeline_clear(tl);
	log_entries(event, 2);
	inspect(true);
	ck_assert_uint_eq(g.lanes[FALLBACK].cleared, 2 * N);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc,
	    fixture_entry(FALLBACK, 2 * N)->tsc);
	timeline_clear(tl);
	inspect(true);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc, 0);
	ck_assert_int_ge(g.kept_ns, 0); /* the clear logs an entry */
}

/* Unfinished entries at both ends are skipped. */
TEST(entries_that_are_not_whole_are_passed_over)
{
	log_entries(event, 10);
	fixture_entry(FALLBACK, 0)->stamp = 1;
	fixture_entry(FALLBACK, 1)->stamp = 3;
	fixture_head(FALLBACK)->head = 12;
	inspect(true);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc,
	    fixture_entry(FALLBACK, 2)->tsc);
	ck_assert_uint_eq(g.lanes[FALLBACK].newest_tsc,
	    fixture_entry(FALLBACK, 9)->tsc);
}

/*
 * Move a stamp back by hand.  The conversion to ticks and back is exact to a
 * few ns.
 */
static void
age(uint32_t lane, uint64_t q, uint64_t ns)
{
	fixture_entry(lane, q)->tsc =
	    tl_stamp_now(tl) - tl_calibrate_ticks(tl->header, ns);
	fixture_stamp(lane, q);
}

TEST(history_is_that_of_the_shortest_full_lane)
{
	log_entries(event, N + 10);
	log_entries(error, 2);
	age(FALLBACK, 11, 5 * SECOND);
	age(FALLBACK_KEPT, 0, 100 * SECOND);
	inspect(true);
	ck_assert_int_ge(g.kept_ns, 5 * SECOND - 1000);
	ck_assert_int_lt(g.kept_ns, 60 * SECOND);
}

TEST(history_is_the_longest_while_no_lane_is_full)
{
	log_entries(event, 10);
	log_entries(error, 2);
	age(FALLBACK, 0, 5 * SECOND);
	age(FALLBACK_KEPT, 0, 100 * SECOND);
	inspect(true);
	ck_assert_int_ge(g.kept_ns, 100 * SECOND - 1000);
	ck_assert_int_lt(g.kept_ns, 160 * SECOND);
}

TEST(a_full_lane_of_warnings_does_not_shorten_history)
{
	log_entries(event, 10);
	log_entries(error, 2 * N);
	age(FALLBACK, 0, 50 * SECOND);
	inspect(true);
	ck_assert_int_ge(g.kept_ns, 50 * SECOND - 1000);
}

TEST(levels_are_those_a_writer_goes_by)
{
	ck_assert_ok(timeline_priority(tl, "warning"));
	inspect(false);
	ck_assert_uint_eq(g.threshold, 7);
	ck_assert_uint_eq(g.base, 7);
	ck_assert(!g.burst);
	ck_assert_ok(timeline_burst(tl, "trace", 60 * SECOND));
	inspect(false);
	ck_assert_uint_eq(g.threshold, 4);
	ck_assert_uint_eq(g.base, 7);
	ck_assert(g.burst);
	ck_assert_uint_gt(g.burst_left_ns, 30 * SECOND);
	ck_assert_uint_le(g.burst_left_ns, 61 * SECOND);
}

/* No writer has reset the levels word yet. */
TEST(a_burst_that_is_over_is_none)
{
	ck_assert_ok(timeline_priority(tl, "warning"));
	ck_assert_ok(timeline_burst(tl, "trace", 1000));
	usleep(1000);
	ck_assert_uint_eq(tl->header->levels & 0xff, 4);
	inspect(false);
	ck_assert(!g.burst);
	ck_assert_uint_eq(g.threshold, g.base);
	ck_assert_uint_eq(g.burst_left_ns, 0);
}

TEST(levels_that_cannot_be_stay_in_their_bounds)
{
	tl->header->levels = UINT64_MAX;
	inspect(false);
	ck_assert_uint_eq(g.threshold, TIMELINE_LEVEL_NONE);
	ck_assert_uint_eq(g.base, TIMELINE_LEVEL_NONE);
	tl->header->levels = 0;
	inspect(false);
	ck_assert_uint_eq(g.threshold, TIMELINE_LEVEL_MIN);
	ck_assert_uint_eq(g.base, TIMELINE_LEVEL_MIN);
}

TEST(a_saved_file_keeps_its_history_and_has_no_now)
{
	struct tl_fault fault = { 0 };
	struct frozen f;
	uint64_t oldest;

	ck_assert_ok(timeline_burst(tl, "trace", 60 * SECOND));
	log_entries(event, N + 10);
	oldest = fixture_head(FALLBACK)->head - N;
	age(FALLBACK, oldest, 7 * SECOND);
	age(FALLBACK, oldest + N - 1, 2 * SECOND);
	f = frozen_save();
	/* leave entries in the fallback lanes only */
	for (uint32_t i = 0; i < 2; i++)
		frozen_head(&f, i)->head = frozen_head(&f, i)->first =
		    frozen_head(&f, i)->end = 0;
	ck_assert_int_eq(inspect_bytes(f.bytes, f.size, &fault), 0);
	ck_assert_uint_eq(g.now_tsc, 0);
	ck_assert(!g.burst);
	ck_assert_uint_eq(g.threshold, g.base);
	ck_assert_uint_eq(g.lanes[FALLBACK].oldest_tsc,
	    frozen_entry(&f, FALLBACK, oldest)->tsc);
	ck_assert_int_ge(g.kept_ns, 5 * SECOND - 2000);
	ck_assert_int_le(g.kept_ns, 8 * SECOND);
	frozen_free(&f);
}

TEST(a_file_of_another_boot_has_no_now)
{
	log_entries(event, 10);
	age(FALLBACK, 0, 9 * SECOND);
	tl->header->boot_id[3] ^= 1;
	inspect(true);
	ck_assert_uint_eq(g.now_tsc, 0);
	ck_assert_int_ge(g.kept_ns, 8 * SECOND);
	tl->header->boot_id[3] ^= 1;
}

TEST(what_is_no_timeline_is_refused_with_a_reason)
{
	struct tl_fault fault = { 0 };
	const struct timeline_header good = *tl->header;

	ck_assert_int_eq(inspect_bytes("hello", 5, &fault), -EBADMSG);
	ck_assert_str_eq(fault.text, "not a timeline");
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(inspect_bytes(&good, 100, &fault), -ENODATA);
	fault = (struct tl_fault){ 0 };
	tl->header->major = 7;
	ck_assert_int_eq(tl_inspect_fd(&g, tl->fd, true, &fault), -EPROTO);
	tl->header->major = good.major;
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(tl_inspect_fd(&g, -1, true, &fault), -EBADF);
	ck_assert_str_ne(fault.text, "");
	ck_assert_ptr_null(g.lanes);
}

/* The file holds the header alone: missing lanes read as empty. */
TEST(a_truncated_file_shows_what_is_there)
{
	struct tl_fault fault = { 0 };

	log_entries(event, 10);
	ck_assert_int_eq(inspect_bytes(tl->header, sizeof(*tl->header), &fault),
	    0);
	ck_assert_uint_eq(g.appended, 0);
	ck_assert_int_eq(g.kept_ns, -1);
}

TEST(an_impossible_head_is_an_empty_lane)
{
	log_entries(event, 10);
	fixture_head(0)->head = UINT64_MAX - 1;
	inspect(true);
	ck_assert_uint_eq(g.lanes[0].head, 0);
	ck_assert_uint_eq(g.lanes[0].newest_tsc, 0);
	ck_assert_uint_ge(g.appended, 10);
	fixture_head(0)->head = 0;
}

/* Any byte of a file may have any value. */
TEST(no_damage_does_harm)
{
	uint64_t random = 20261121;
	struct frozen f;

	log_entries(event, N + 10);
	log_entries(error, 10);
	f = frozen_save();
	frozen_pack(&f);
	for (int i = 0; i < ROUNDS; i++) {
		struct tl_fault fault = { 0 };
		const size_t at = (size_t)(random_next(&random) %
					   (f.size < 8192 ? f.size : 8192));
		const uint8_t was = f.bytes[at];

		f.bytes[at] = (uint8_t)random_next(&random);
		if (inspect_bytes(f.bytes, f.size, &fault) != 0)
			ck_assert_str_ne(fault.text, "");
		f.bytes[at] = was;
	}
	frozen_free(&f);
}

/* A writer laps the reader all the time. */
TEST(a_busy_lane_still_has_both_stamps)
{
	const struct timeline_options large = { .entries = 16384,
		.cpu_lanes = 1 };
	pid_t child;
	int good = 0;

	teardown();
	fixture_open(&large);
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			log_entries(event, 1000);
			usleep(100);
		}
	}
	/* the writer may take a while to start */
	for (int i = 0; i < 100000 && good < 200; i++) {
		inspect(true);
		if (g.lanes[FALLBACK].newest_tsc == 0) {
			usleep(100);
			continue;
		}
		good++;
		ck_assert_uint_le(g.lanes[FALLBACK].oldest_tsc,
		    g.lanes[FALLBACK].newest_tsc + SECOND);
		ck_assert_int_lt(g.kept_ns, 60 * SECOND);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_gt(good, 0);
}

TEST(a_timeline_of_any_byte_order_is_told_from_other_files)
{
	const uint64_t own = TIMELINE_MAGIC;
	const uint64_t turned = __builtin_bswap64(own);
	const uint64_t other = own + 1;
	struct stat st = { .st_mode = S_IFREG, .st_size = 1 << 20 };

	ck_assert(tl_is_timeline(tl->fd));
	ck_assert(tl_begins_timeline(tl_bytes(&own, 8)));
	ck_assert(tl_begins_timeline(tl_bytes(&turned, 8)));
	ck_assert(!tl_begins_timeline(tl_bytes(&other, 8)));
	ck_assert(!tl_begins_timeline(tl_bytes(&own, 7)));
	ck_assert(tl_may_be_timeline(&st));
	st.st_size++;
	ck_assert(!tl_may_be_timeline(&st));
	st = (struct stat){ .st_mode = S_IFDIR, .st_size = 1 << 20 };
	ck_assert(!tl_may_be_timeline(&st));
}
