/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_infos.c - the infos of a recording's file: its owner, its timeline
 * and its clock.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

static int
say_numbers(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_content *content)
{
	char text[32];

	(void)context;
	if (!content)
		return tl_recorder_info(recorder, "block", "17");
	snprintf(text, sizeof(text), "%u", (unsigned)content->entries);
	return tl_recorder_info(recorder, "at the end", text);
}

/* Check the infos that name the origin of a file. */
static void
check_infos(const char *path, const char *host)
{
	const struct tl_trace_read_options options = { 0 };
	char boot[33];
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	for (int i = 0; i < 16; i++)
		snprintf(boot + 2 * i, 3, "%02x", tl->header->boot_id[i]);
	ck_assert_ok(tl_trace_open(&trace, path, &options, &fault));
	ck_assert(
	    tl_bytes_equal(tl_trace_info(trace, "block"), tl_bytes_of("17")));
	ck_assert(tl_bytes_equal(tl_trace_info(trace, "at the end"),
	    tl_bytes_of("3")));
	ck_assert(
	    tl_bytes_equal(tl_trace_info(trace, "host"), tl_bytes_of(host)));
	ck_assert(
	    tl_bytes_equal(tl_trace_info(trace, "boot"), tl_bytes_of(boot)));
	tl_trace_close(trace);
}

TEST_FILE(.setup = recorder_setup, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

TEST(a_file_says_what_its_owner_and_its_timeline_say, .to = 2)
{
	const struct tl_recorder_host host = { .begin = begin_file,
		.describe = say_numbers };
	const struct tl_recorder_options options = {
		.host = _i == 0 ? NULL : "asked for"
	};
	struct tl_fault fault = { 0 };
	struct tl_recorder *r;
	char path[128];

	/* the timeline is of another machine and another boot */
	strcpy(tl->header->creator_host, "elsewhere");
	memset(tl->header->boot_id, 0xab, sizeof(tl->header->boot_id));
	ck_assert_ok(tl_recorder_new(&r, &options, &host));
	ck_assert_ok(tl_recorder_add(r, "demo", tl->fd, false, &fault));
	ck_assert_ok(tl_recorder_start(r));
	for (uint64_t i = 0; i < 3; i++)
		timeline_log(tick, i);
	end_record(r);
	snprintf(path, sizeof(path), "%s/000.trace", folder);
	check_infos(path, _i == 0 ? "elsewhere" : "asked for");
}

/* Set the clock back by a second after the first knot of the file. */
static int64_t
set_clock_back(void)
{
	struct timeline_knot *knots =
	    (void *)(tl->map + tl->geometry.knots_offset);

	ck_assert_uint_eq(tl->header->knot_count, 1);
	knots[1] = knots[0];
	knots[1].tsc++;
	knots[1].utc_ns -= 1000000000;
	knots[1].flags = TIMELINE_KNOT_STEP;
	knots[1].seq = 2;
	tl->header->knot_count = 2;
	return knots[1].utc_ns;
}

TEST(a_file_has_the_knots_of_a_clock_that_was_set_back)
{
	const int64_t back_ns = set_clock_back();
	const struct tl_trace_read_options options = { 0 };
	struct tl_recorder *r = record(&(struct tl_recorder_options){ 0 });
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	size_t found = 0;
	char path[128];

	timeline_log(tick, 1);
	end_record(r);
	snprintf(path, sizeof(path), "%s/000.trace", folder);
	ck_assert_ok(tl_trace_open(&trace, path, &options, &fault));
	for (size_t i = 0; i < tl_trace_knot_count(trace); i++)
		found += tl_trace_knot(trace, i)->utc_ns == back_ns;
	ck_assert_uint_eq(found, 1);
	tl_trace_close(trace);
}
