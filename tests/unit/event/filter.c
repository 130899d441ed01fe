/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - which events a filter lets through. */
#include "event/filter.h"
#include "lib/test.h"

static struct tl_filter filter;
static struct tl_message message;
static struct tl_event event, loss;

static void
setup(void)
{
	tl_filter_init(&filter);
	message = (struct tl_message){ .category = tl_bytes_of("engine"),
		.level = 5 };
	ck_assert_ok(
	    tl_message_parse(&message, tl_bytes_of("processed $tcp\nmore")));
	event = (struct tl_event){ .ns = 1000,
		.message = &message,
		.kind = TL_INSTANT,
		.cpu = 2,
		.pid = 41,
		.tid = 42 };
	loss = (struct tl_event){ .ns = 1000,
		.kind = TL_LOST,
		.lost = 5,
		.cpu = 2 };
}

static bool
passes(const struct tl_filter *f, const struct tl_event *e)
{
	return (!e->message || tl_filter_message(f, e->message)) &&
	       tl_filter_event(f, e);
}

TEST_FILE(.setup = setup);

TEST(a_new_filter_lets_everything_through)
{
	ck_assert(passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
	event.ns = INT64_MIN;
	ck_assert(passes(&filter, &event));
	event.ns = INT64_MAX;
	event.cpu = TL_CPU_UNKNOWN;
	message.level = 0;
	ck_assert(passes(&filter, &event));
}

TEST(both_ends_of_a_time_window_belong_to_it)
{
	filter.since_ns = 1000;
	filter.until_ns = 1000;
	ck_assert(passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
	event.ns = loss.ns = 999;
	ck_assert(!passes(&filter, &event));
	ck_assert(!passes(&filter, &loss));
	event.ns = loss.ns = 1001;
	ck_assert(!passes(&filter, &event));
	ck_assert(!passes(&filter, &loss));
}

TEST(any_of_several_globs_may_match_a_category)
{
	filter.categories[filter.category_count++] = "app*";
	ck_assert(!passes(&filter, &event));
	filter.categories[filter.category_count++] = "eng?n[e-f]";
	ck_assert(passes(&filter, &event));
	message.category.size--; /* the category is "engin" now, and the
				  * memory behind it holds an e */
	ck_assert(!passes(&filter, &event));
}

TEST(message_globs_see_the_first_line)
{
	filter.messages[filter.message_count++] = "processed $tcp";
	ck_assert(passes(&filter, &event));
	filter.messages[0] = "*more*";
	ck_assert(!passes(&filter, &event));
	filter.messages[0] = "*tcp";
	ck_assert(passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
}

TEST(names_of_any_bytes_and_length_can_be_asked)
{
	static char name[3 * TL_GLOB_NAME_MAX];

	memset(name, 'x', sizeof(name));
	ck_assert(tl_glob_matches("*", tl_bytes(name, sizeof(name))));
	ck_assert(!tl_glob_matches("*y", tl_bytes(name, sizeof(name))));
	ck_assert(tl_glob_matches("a b", tl_bytes("a\0b", 3)));
	ck_assert(tl_glob_matches("", tl_bytes(NULL, 0)));
	ck_assert(tl_glob_matches("*", tl_bytes(NULL, 0)));
	ck_assert(!tl_glob_matches("?", tl_bytes(NULL, 0)));
	ck_assert(tl_glob_matches("pci*", tl_bytes_of("pci01:00.0")));
	ck_assert(tl_glob_matches("a/*", tl_bytes_of("a/b/c")));
	ck_assert(tl_glob_matches("\\*", tl_bytes_of("*")));
}

TEST(the_least_level_belongs_to_what_passes)
{
	filter.min_level = 5;
	ck_assert(passes(&filter, &event));
	filter.min_level = 6;
	ck_assert(!passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
}

TEST(processes_and_threads_are_listed)
{
	filter.pids[filter.pid_count++] = 7;
	ck_assert(!passes(&filter, &event));
	filter.pids[filter.pid_count++] = 41;
	ck_assert(passes(&filter, &event));
	filter.tids[filter.tid_count++] = 41;
	ck_assert(!passes(&filter, &event));
	filter.tids[filter.tid_count++] = 42;
	ck_assert(passes(&filter, &event));
	filter.tid_count = 1;
	ck_assert(passes(&filter, &loss));
}

TEST(a_cpu_is_asked_of_losses_too)
{
	filter.cpus[filter.cpu_count++] = 2;
	ck_assert(passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
	filter.cpus[0] = 3;
	ck_assert(!passes(&filter, &event));
	ck_assert(!passes(&filter, &loss));
	event.cpu = loss.cpu = TL_CPU_UNKNOWN;
	ck_assert(!passes(&filter, &event));
	ck_assert(passes(&filter, &loss));
}
