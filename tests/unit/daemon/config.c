/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - a configuration is read as the manual describes it, or refused
 * with an error that names the place and the fault.
 */
#include "config_fixture.h"
#include "lib/test.h"

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(an_empty_table_has_the_defaults)
{
	good("return {}");
	ck_assert_str_eq(config->path, "x.conf");
	ck_assert_str_eq(config->directory, "/var/lib/timeline");
	ck_assert_str_eq(config->socket, "/run/timeline/timelined.sock");
	ck_assert_str_eq(config->listen, "127.0.0.1:9464");
	ck_assert(!config->user);
	ck_assert(config->clock);
	ck_assert_uint_eq(config->poll_ns, 10000000);
	ck_assert_uint_eq(config->timeline_count, 0);
	ck_assert(!tl_config_find(config, "any"));
	good("return { timelines = {} }");
}

TEST(what_the_whole_daemon_does_is_said_at_the_top)
{
	good("return { directory = '/d', socket = '/s', listen = '[::1]:0', "
	     "user = 'root', poll = '1.5ms', clock = false }");
	ck_assert_str_eq(config->directory, "/d");
	ck_assert_str_eq(config->socket, "/s");
	ck_assert_str_eq(config->listen, "[::1]:0");
	ck_assert_str_eq(config->user, "root");
	ck_assert(!config->clock);
	ck_assert_uint_eq(config->poll_ns, 1500000);
	good("return { socket = false, listen = false, user = 0 }");
	ck_assert(!config->socket && !config->listen);
	ck_assert_str_eq(config->user, "root");
	good("return { listen = 'localhost:80' }");
	bad("return { directory = 'd' }", "directory: not an absolute path");
	bad("return { directory = false }", "directory: not a string");
	bad("return { directory = '' }", "directory: an empty string");
	bad("return { user = 'no body' }", "user: unknown user 'no body'");
	bad("return { clock = 1 }", "clock: not true or false");
	bad("return { pol = '1ms' }", "pol: unknown key; did you mean poll?");
	bad("return { zeal = '1ms' }",
	    "zeal: unknown key; known keys: directory socket listen page "
	    "keeper user poll clock seccomp timelines");
	bad("return { 'x' }", "[1]: a value without a key");
	bad("return 'x'", "returns no table but string");
	bad("", "returns no table but nil");
}

TEST(the_environment_names_the_socket)
{
	setenv("TIMELINED_SOCKET", "/tmp/other", 1);
	good("return {}");
	ck_assert_str_eq(config->socket, "/tmp/other");
	good("return { socket = '/s' }");
	ck_assert_str_eq(config->socket, "/tmp/other");
}

TEST(what_is_no_address_is_refused)
{
	static const char *const none[] = { "''", "'127.0.0.1'", "':80'",
		"'127.0.0.1:'", "'127.0.0.1:65536'", "'127.0.0:80'",
		"'[::1:80'", "'::1:80'", "'[]:80'", "'a b:80'", "true", "9464",
		"'127.0.0.1:0x10'", "'127.0.0.1: 80'" };
	char text[100];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(text, sizeof(text), "return { listen = %s }", none[i]);
		bad(text, "listen: not an address like \"127.0.0.1:9464\" or "
			  "\"[::1]:9464\", nor false");
	}
}

TEST(durations_have_a_unit)
{
	static const char numbers[] =
	    "poll: a number without a unit; write it like \"10ms\"";

	bad("return { poll = 10 }", numbers);
	bad("return { poll = 0.01 }", numbers);
	bad("return { poll = '10' }", numbers);
	bad("return { poll = '10x' }", "poll: not a duration like 100us");
	bad("return { poll = true }", "poll: not a duration like 100us");
	bad("return { poll = '0' }", "poll: not between 1ms and 10s");
	bad("return { poll = '-5ms' }", "poll: not between 1ms and 10s");
	bad("return { poll = '999us' }", "poll: not between 1ms and 10s");
	bad("return { poll = '99999999999d' }",
	    "poll: not between 1ms and 10s");
	good("return { poll = '10s' }");
}

TEST(a_timeline_is_made_as_asked)
{
	const struct tl_config_timeline *t = good_section(
	    "create = { entries = '1M', mode = '0640', tiers = 1, "
	    "stringtablesize = '4m', cpu_lanes = 3, fallback_lanes = 2, "
	    "stamp = 'realtime' }");

	ck_assert(t->create);
	ck_assert_uint_eq(t->options.entries, 1 << 20);
	ck_assert_uint_eq(t->options.mode, 0640);
	ck_assert_uint_eq(t->options.tiers, 1);
	ck_assert_uint_eq(t->options.stringtablesize, 4 << 20);
	ck_assert_uint_eq(t->options.cpu_lanes, 3);
	ck_assert_uint_eq(t->options.fallback_lanes, 2);
	ck_assert_uint_eq(t->options.stamp, TIMELINE_STAMP_REALTIME);
	ck_assert(good_section("create = true")->create);
	ck_assert(!good_section("create = false")->create);
	bad_section("create = { entries = '1X' }",
	    "create.entries: not a number like 5000 or \"64M\"");
	bad_section("create = { entries = 0 }",
	    "create.entries: not between 1 and 8T");
	bad_section("create = { entries = -1 }",
	    "create.entries: not between 1 and 8T");
	bad_section("create = { stringtablesize = '99999999999999T' }",
	    "create.stringtablesize: not between 1 and 2G");
	bad_section("create = { mode = 640 }",
	    "create.mode: not a mode in quotes like \"0640\"");
	bad_section("create = { mode = '0648' }",
	    "create.mode: not a mode like \"0640\"");
	bad_section("create = { mode = '4755' }",
	    "create.mode: not a mode like \"0640\"");
	bad_section("create = { mode = '0044' }",
	    "create.mode: a mode that does not let the owner read and write");
	bad_section("create = { tiers = 3 }",
	    "create.tiers: not a whole number from 1 to 2");
	bad_section("create = { stamp = 'sun' }",
	    "create.stamp: not \"auto\", \"tsc\" or \"realtime\"");
}

TEST(a_section_says_how_much_is_logged)
{
	const struct tl_config_timeline *t = good_section(
	    "priority = 'info', keep = '1m', priority_max = 'warning', "
	    "owners = { 'root', 1001, '1002' }, timer_window = '5m'");

	ck_assert_uint_eq(t->timer_window_ns, 300000000000);
	ck_assert_uint_eq(t->priority, 6);
	ck_assert_uint_eq(t->keep_ns, 60000000000);
	ck_assert_uint_eq(t->priority_max, 7);
	ck_assert_uint_eq(t->owner_count, 3);
	ck_assert_uint_eq(t->owners[0], 0);
	ck_assert_uint_eq(t->owners[1], 1001);
	ck_assert_uint_eq(t->owners[2], 1002);
	ck_assert_int_eq(t->snapshots.compress, 3);
	ck_assert_uint_eq(t->snapshots.keep.count, 100);
	ck_assert_uint_eq(good_section("priority = 'off'")->priority,
	    TIMELINE_LEVEL_NONE);
	bad_section("priority = 'loud'",
	    "priority: loud: no such priority: fatal, "
	    "error, warning, info, debug, trace, "
	    "trace+, trace++, trace+++");
	bad_section("priority_max = 'info'",
	    "priority_max: has no effect without 'keep'");
	bad_section("keep = '1s', priority = 'info', priority_max = 'debug'",
	    "priority_max: less than 'priority'");
	bad_section("keep = '1s', priority_max = 'off'",
	    "priority_max: \"off\" is not allowed here");
	bad_section("owners = { 'root', 'no body' }",
	    "owners[2]: unknown user 'no body'");
	bad_section("owners = { -1 }", "owners[1]: not a user name or ID");
	bad_section("owners = { 4294967295 }",
	    "owners[1]: not a user name or ID");
	bad_section("owners = 'root'", "owners: not a list { }");
	bad_section("owners = {}", "owners: an empty list");
	bad_section("owners = { a = 1 }",
	    "owners.a: a key in a list: put each element in { } of its own");
}

TEST(the_first_section_that_matches_holds)
{
	good("return { timelines = { { name = '/engine' }, "
	     "{ name = 'game-[a-m]*' }, { name = '*' } } }");
	ck_assert_ptr_eq(tl_config_find(config, "engine"),
	    &config->timelines[0]);
	ck_assert_ptr_eq(tl_config_find(config, "/engine"),
	    &config->timelines[0]);
	ck_assert_ptr_eq(tl_config_find(config, "game-b"),
	    &config->timelines[1]);
	ck_assert_ptr_eq(tl_config_find(config, "game-z"),
	    &config->timelines[2]);
	bad("return { timelines = { { name = 'a' }, { name = '/a' } } }",
	    "timelines[2].name: timelines[1] has this name already");
	bad("return { timelines = { { name = 'a*' }, { name = 'ab' } } }",
	    "timelines[2].name: timelines[1], 'a*', matches first");
	bad("return { timelines = { { name = 'a*', create = true } } }",
	    "timelines[1].create: 'a*' is a glob: no name to create");
	bad("return { timelines = { { name = 'a/b' } } }",
	    "timelines[1].name: contains '/': only timelines in /dev/shm are "
	    "attached");
	bad("return { timelines = { { name = '/' } } }",
	    "timelines[1].name: not a name of a file");
	bad("return { timelines = { { name = '..' } } }",
	    "timelines[1].name: not a name of a file");
	bad("return { timelines = { { name = 'a[b' } } }",
	    "timelines[1].name: a glob with [ but no ]");
	bad("return { timelines = { {} } }", "timelines[1]: 'name' is missing");
	bad("return { timelines = { { name = ('x'):format() .. "
	    "string.format('%99s%99s%99s', 'x', 'x', 'x') } } }",
	    "timelines[1].name: longer than 255 bytes");
	bad("return { timelines = { 'x' } }", "timelines[1]: not a table { }");
	bad("return { timelines = { nil, {} } }",
	    "timelines: a hole in the list");
}

TEST(bursts_are_nested_from_rough_to_fine)
{
	const struct tl_config_bursts *b =
	    &good_section("bursts = { level = 'trace' }")->bursts;

	ck_assert_uint_eq(b->level_count, 1);
	ck_assert_uint_eq(b->levels[0], 4);
	ck_assert(b->rarer == 5 && b->jitter == 0.5);
	ck_assert_uint_eq(b->length_ns, 100000);
	ck_assert_uint_eq(b->period_ns, 10000000);
	b = &good_section("bursts = { levels = { 'debug', 'trace', 'trace+++' "
			  "}, rarer = 2.5, length = '1ms', period = '1s', "
			  "jitter = 1 }")
		 ->bursts;
	ck_assert_uint_eq(b->level_count, 3);
	ck_assert_uint_eq(b->levels[2], 1);
	ck_assert(b->rarer == 2.5 && b->jitter == 1);
	ck_assert_uint_eq(b->length_ns, 1000000);
	ck_assert_uint_eq(b->period_ns, 1000000000);
	ck_assert_uint_eq(good_section("keep = '1s'")->bursts.level_count, 0);
	bad_section("bursts = {}", "bursts: 'level' is missing (or 'levels')");
	bad_section("bursts = { level = 'trace', levels = { 'debug' } }",
	    "bursts.levels: 'level' is given as well");
	bad_section("bursts = { levels = { 'debug', 'debug' } }",
	    "bursts.levels[2]: not more detailed than debug before it");
	bad_section("bursts = { level = 'trace', rarer = 0.5 }",
	    "bursts.rarer: not between 1 and 1e+06");
	bad_section("bursts = { level = 'trace', rarer = 0/0 }",
	    "bursts.rarer: not a number");
	bad_section("bursts = { level = 'trace', jitter = 1.5 }",
	    "bursts.jitter: not between 0 and 1");
	bad_section("bursts = { level = 'trace', length = '3' }",
	    "bursts.length: a number without a unit; write it like \"10ms\"");
	bad_section("bursts = { level = 'trace', by = 'hand' }",
	    "bursts.by: neither \"daemon\" nor \"slots\"");
	bad_section("bursts = { level = 'trace', share = 0.1 }",
	    "bursts: 'share' needs by = \"slots\"");
	bad_section("bursts = { level = 'trace', share = 1.1, by = 'slots' }",
	    "bursts.share: not between 0 and 1");
	bad_section("bursts = { level = 'trace', length = '2s', period = '4s', "
		    "by = 'slots' }",
	    "bursts: 'length' of a slot is at most 1s");
	b = &good_section("bursts = { level = 'trace', by = 'slots', "
			  "length = '20ms', share = 0.2 }")
		 ->bursts;
	ck_assert(b->slots && b->share == 0.2 && b->length_ns == 20000000);
	ck_assert(!good_section("bursts = { level = 'trace', by = 'daemon' }")
		       ->bursts.slots);
	bad_section("bursts = { level = 'trace', length = '10ms' }",
	    "bursts: 'length' is not less than 'period'");
}

TEST(snapshots_have_bounds)
{
	const struct tl_config_snapshots *s =
	    &good_section("snapshots = { every = '1h', on_death = true, "
			  "compress = 19, keep = { age = '7d', bytes = '10G' "
			  "} }")
		 ->snapshots;

	ck_assert_uint_eq(s->every_ns, 3600000000000);
	ck_assert(s->on_death);
	ck_assert_uint_eq(s->death.every_ns, 10000000000);
	ck_assert_uint_eq(s->death.per_hour, 60);
	ck_assert_uint_eq(s->request.every_ns, 0);
	ck_assert_uint_eq(s->request.per_hour, 600);
	ck_assert_int_eq(s->compress, 19);
	ck_assert_uint_eq(s->keep.count, 0);
	ck_assert_uint_eq(s->keep.age_ns, 604800000000000);
	ck_assert_uint_eq(s->keep.bytes, UINT64_C(10) << 30);
	s = &good_section("snapshots = { compress = false }")->snapshots;
	ck_assert_int_eq(s->compress, 0);
	ck_assert_uint_eq(s->keep.count, 100);
	s = &good_section("snapshots = { compress = true, keep = { count = 5 "
			  "} }")
		 ->snapshots;
	ck_assert_int_eq(s->compress, 3);
	ck_assert_uint_eq(s->keep.count, 5);
	s = &good_section("snapshots = { on_death = { every = '0s' }, "
			  "on_request = { every = '2s', per_hour = 0 } }")
		 ->snapshots;
	ck_assert(s->on_death);
	ck_assert_uint_eq(s->death.every_ns, 0);
	ck_assert_uint_eq(s->death.per_hour, 60);
	ck_assert_uint_eq(s->request.every_ns, 2000000000);
	ck_assert_uint_eq(s->request.per_hour, 0);
	ck_assert(!good_section("snapshots = { on_death = false }")
		       ->snapshots.on_death);
	bad_section("snapshots = { on_death = 5 }",
	    "snapshots.on_death: not a table { }");
	bad_section("snapshots = { on_request = { per_hour = 3600001 } }",
	    "snapshots.on_request.per_hour: not between 0 and 3600000");
	bad_section("snapshots = { on_death = { keep = {} } }",
	    "snapshots.on_death.keep: unknown key; known keys: every per_hour");
	bad_section("snapshots = { compress = 20 }",
	    "snapshots.compress: not true, false or a level from 1 to 19");
	bad_section("snapshots = { every = '1ms' }",
	    "snapshots.every: not between 1s and 366d");
	bad_section("snapshots = { keep = 5 }",
	    "snapshots.keep: not a table { }");
}

/* Parse each literal block of the manual. */
TEST(the_examples_of_the_manual_hold)
{
	FILE *f = fopen("src/daemon/timelined.conf.5", "r");
	char line[200], text[4096] = "";
	bool inside = false;
	unsigned count = 0;

	ck_assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, ".Ed", 3) == 0) {
			good(text);
			ck_assert_uint_gt(config->timeline_count, 0);
			inside = false;
			count++;
		}
		if (inside)
			strncat(text, line, sizeof(text) - strlen(text) - 1);
		if (strncmp(line, ".Bd -literal", 12) == 0) {
			inside = true;
			text[0] = '\0';
		}
	}
	fclose(f);
	ck_assert_uint_eq(count, 6);
}
