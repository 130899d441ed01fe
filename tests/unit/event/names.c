/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a writer whose events come from several sources knows the names of
 * threads, even if one of the sources does not know a name.
 */
#include "event/names.h"

#include "lib/test.h"

enum { PID = 100, TID = 101, SOURCES = 2 };

static struct tl_names sources[SOURCES];
static struct tl_names names;

static void
setup(void)
{
	for (int i = 0; i < SOURCES; i++) {
		sources[i] = (struct tl_names){ 0 };
		ck_assert_ok(
		    tl_names_add(&sources[i], PID, 0, tl_bytes_of("process")));
	}
	names = (struct tl_names){ 0 };
}

static void
teardown(void)
{
	for (int i = 0; i < SOURCES; i++)
		tl_names_free(&sources[i]);
	tl_names_free(&names);
}

TEST_FILE(.setup = setup, .teardown = teardown);

static void
gather(const struct tl_names *from)
{
	const struct tl_message message = { .names = from };
	const struct tl_event event = { .message = &message,
		.pid = PID,
		.tid = TID };

	ck_assert_ok(tl_names_gather(&names, &event, PID));
}

static void
expect(const char *name)
{
	ck_assert(tl_bytes_equal(tl_names_thread(&names, PID, TID),
	    tl_bytes_of(name)));
}

/*
 * The first source may know the name of the thread; the second source does not.
 * The order of the sources must not matter.
 */
static void
gather_in_both_orders(const char *name)
{
	ck_assert_ok(tl_names_hide(&sources[1], PID, TID));
	for (int first = 0; first < SOURCES; first++) {
		gather(&sources[first]);
		gather(&sources[1 - first]);
		expect(name);
		tl_names_free(&names);
	}
}

TEST(a_name_stays_known_when_another_source_does_not_know_it)
{
	ck_assert_ok(
	    tl_names_add(&sources[0], PID, TID, tl_bytes_of("worker")));
	gather_in_both_orders("worker");
}

TEST(a_thread_that_is_called_as_its_process_stays_so)
{
	ck_assert_ok(
	    tl_names_add(&sources[0], PID, TID, tl_bytes_of("process")));
	gather_in_both_orders("process");
}

TEST(a_name_that_no_source_knows_is_not_that_of_the_process)
{
	ck_assert_ok(tl_names_hide(&sources[0], PID, TID));
	gather_in_both_orders("");
	ck_assert(tl_names_is_hidden(&sources[0], PID, TID));
}
