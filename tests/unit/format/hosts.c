/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - sources of events and their hosts: which sources share a host, and
 * that no two hosts have the same name.
 */
#include "event/hosts/hosts.h"

#include "format/perfetto/write.h"
#include "lib/test.h"
#include "writer_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static void
setup(void)
{
	writer_setup(tl_perfetto_write_new);
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 600);

TEST(what_names_no_machine_is_called_like_its_timeline)
{
	static const struct tl_origin unnamed[] = { { .timeline = "trace" },
		{ .timeline = "trace" }, { .timeline = "" },
		{ .machine = "trace 2" }, { .machine = "trace 2" } };
	static const char *const names[] = { "trace", "trace 2", "timeline",
		"trace 2 2" };
	struct tl_fleet_hosts hosts = { 0 };

	tl_writer_set_sources(writer, unnamed, 5);
	ck_assert_ok(tl_fleet_hosts_find(&hosts, writer));
	ck_assert_uint_eq(hosts.count, 4);
	for (size_t i = 0; i < hosts.count; i++)
		ck_assert_str_eq(hosts.items[i].name, names[i]);
	ck_assert_uint_eq(hosts.of_source[4], 3);
	tl_fleet_hosts_free(&hosts);
}

TEST(long_names_are_told_apart_and_cut_between_characters)
{
	static struct tl_origin same[12];
	struct tl_fleet_hosts hosts = { 0 };

	for (size_t i = 0; i < 12; i++) {
		memset(same[i].timeline, 'x', sizeof(same[i].timeline) - 1);
		memcpy(same[i].timeline + 59, "\xe2\x82\xac", 3);
		/* the shown part of the boot ID is the same */
		same[i].boot_id[15] = i > 0;
		same[i].boot_id[14] = (uint8_t)i;
	}
	tl_writer_set_sources(writer, same, 12);
	ck_assert_ok(tl_fleet_hosts_find(&hosts, writer));
	ck_assert_uint_eq(hosts.count, 12);
	for (size_t i = 0; i < hosts.count; i++) {
		struct tl_text plain = { 0 };

		tl_put_plain(&plain, tl_bytes_of(hosts.items[i].name));
		ck_assert_ptr_null(strchr(tl_text_string(&plain), '\\'));
		tl_text_free(&plain);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(hosts.items[i].name,
			    hosts.items[k].name);
	}
	tl_fleet_hosts_free(&hosts);
}

TEST(more_hosts_than_can_be_told_apart_are_one)
{
	struct tl_origin *all = calloc(UINT16_MAX, sizeof(*all));
	struct tl_fleet_hosts hosts = { 0 };

	ck_assert_ptr_nonnull(all);
	for (size_t i = 0; i < UINT16_MAX; i++) {
		if (i % 2)
			snprintf(all[i].machine, sizeof(all[i].machine),
			    "host %zu", i / 2 % 5000);
	}
	tl_writer_set_sources(writer, all, UINT16_MAX);
	ck_assert_ok(tl_fleet_hosts_find(&hosts, writer));
	ck_assert_uint_eq(hosts.count, TL_FLEET_HOSTS_MAX);
	ck_assert_str_eq(hosts.items[1].name, "host 0");
	ck_assert_str_eq(hosts.items[4094].name, "timeline 2048");
	ck_assert_str_eq(hosts.items[4095].name, "others");
	ck_assert_uint_eq(hosts.of_source[1], 1);
	ck_assert_uint_eq(hosts.of_source[10001], 1);
	ck_assert_uint_eq(hosts.of_source[10000], 4095);
	ck_assert_uint_eq(hosts.of_source[9999], 4095);
	tl_fleet_hosts_free(&hosts);
	tl_writer_set_sources(writer, NULL, 0);
	free(all);
}
