/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pids.c - two hosts have a process of the same number, which formats of
 * one machine keep apart; the cases of each format have what they write.
 */
#include "event/hosts/hosts.h"

#include "event/writer.h"
#include "lib/test.h"

static const struct tl_origin origins[] = {
	{ .machine = "web", .command = "server", .pid = 41, .boot_id = { 1 } },
	{ .machine = "db", .boot_id = { 2 } },
	{ .machine = "web", .boot_id = { 1 } }, /* another file of the same
						 * host */
	{ .timeline = "foreign" },
	{ .timeline = "imported" },
};

static struct tl_host_pids *
make(struct tl_writer *writer, const struct tl_origin *sources, size_t n)
{
	struct tl_host_pids *pids;

	*writer = (struct tl_writer){ 0 };
	tl_writer_set_sources(writer, sources, n);
	ck_assert_ok(tl_host_pids_new(&pids, writer));
	writer->pids = pids;
	return pids;
}

static uint32_t
give(struct tl_host_pids *pids, uint16_t source, uint32_t pid)
{
	struct tl_event event = { .source = source, .pid = pid };

	ck_assert_ok(tl_host_pids_put(pids, &event));
	return event.pid;
}

TEST(the_first_process_of_a_number_keeps_it)
{
	struct tl_writer writer;
	struct tl_host_pids *pids = make(&writer, origins, 5);

	ck_assert_uint_eq(give(pids, 1, 41), 41);
	ck_assert_uint_eq(give(pids, 0, 41), 4194305);
	/* the same host as source 0 */
	ck_assert_uint_eq(give(pids, 2, 41), 4194305);
	/* sources without a host */
	ck_assert_uint_eq(give(pids, 3, 41), 4194306);
	ck_assert_uint_eq(give(pids, 4, 41), 4194306); /* share one number */
	ck_assert_uint_eq(give(pids, 0, 7), 7);
	ck_assert_uint_eq(give(pids, 1, 4194305), 4194307);
	ck_assert_uint_eq(give(pids, 1, 41), 41);
	tl_host_pids_free(pids);
}

TEST(a_number_leads_back_to_its_process)
{
	struct tl_writer writer;
	struct tl_host_pids *pids = make(&writer, origins, 5);
	struct tl_text name = { 0 };
	struct tl_host_pid got_pid;

	give(pids, 1, 41);
	give(pids, 3, 5);
	got_pid = tl_host_pids_get(pids, give(pids, 0, 41));
	ck_assert_str_eq(got_pid.host, "web");
	ck_assert_uint_eq(got_pid.pid, 41);
	ck_assert(got_pid.is_moved);
	ck_assert(!tl_host_pids_get(pids, 41).is_moved);
	ck_assert_ptr_null(tl_host_pids_get(pids, 5).host);
	ck_assert_uint_eq(tl_host_pids_get(pids, 99).pid, 99);
	ck_assert_uint_eq(tl_host_pids_get(NULL, 99).pid, 99);
	tl_host_pids_name(&writer, 4194305, "", &name);
	ck_assert_str_eq(tl_text_string(&name), "web: server");
	tl_text_free(&name);
	tl_host_pids_free(pids);
}

TEST(one_host_is_as_ever)
{
	struct tl_writer writer;
	struct tl_host_pids *pids;

	ck_assert_ptr_null(make(&writer, origins, 0));
	ck_assert_ptr_null(make(&writer, origins, 1));
	pids = make(&writer, origins + 3, 2);
	ck_assert_uint_eq(give(pids, 0, 41), 41);
	ck_assert_uint_eq(give(pids, 1, 41), 41);
	tl_host_pids_free(pids);
}
