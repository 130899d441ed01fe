/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many.c - timelines appear and disappear, more of them than there is room for.
 */
#include "lib/test.h"
#include "ship/run.h"
#include "ship/target/target.h"
#include "ship_spool_fixture.h"

#include <dirent.h>
#include <sys/resource.h>
#include <timeline.h>
#include <unistd.h>

enum { AT_A_TIME = 100, TIMES = 4 }; /* more in all than are followed at once */

static char glob[64];
static struct tl_ship_sources *sources;

/* == chains == */

static const char *
numbered(unsigned number)
{
	static char name[32];

	snprintf(name, sizeof(name), "app-%u", number);
	return name;
}

/* A chain appears, is shipped completely, and disappears. */
static void
come_and_go(unsigned number)
{
	struct tl_spool_chain *chain = chain_of(numbered(number));
	struct tl_block block;

	ck_assert_int_eq(put_in(chain, numbered(number), 1, 0), 0);
	ck_assert_ok(tl_spool_take(spool, &block));
	/* the waiting chain comes first */
	if (strcmp(block.timeline, "waits") == 0) {
		tl_spool_give(spool, -EAGAIN);
		ck_assert_ok(tl_spool_take(spool, &block));
	}
	tl_spool_give(spool, 0);
	tl_spool_acked(spool, block.chain, block.number);
	tl_spool_chain_leave(chain);
}

static unsigned
count_folders(void)
{
	const struct dirent *entry;
	DIR *directory = opendir(folder);
	unsigned count = 0;

	ck_assert_ptr_nonnull(directory);
	while ((entry = readdir(directory)))
		count += strchr(entry->d_name, '=') != NULL;
	closedir(directory);
	return count;
}

TEST_FILE(.setup = ship_setup, .teardown = ship_teardown, .timeout = 300);

TEST(chains_that_nobody_needs_are_forgotten_for_others)
{
	const uint64_t most = TL_SPOOL_CHAINS_MAX;

	open_spool(ROOM);
	come_and_go(0);
	put("waits", 1);
	tl_spool_chain_leave(chain_of("waits"));
	(void)chain_of("used");
	for (unsigned i = 1; i < most + 100; i++)
		come_and_go(i);
	ck_assert_uint_eq(status().chains, most);
	ck_assert_uint_le(count_folders(), most);
	ck_assert_uint_eq(tl_spool_chain_next(chain_of(numbered(0))), 0);
	ck_assert_uint_eq(tl_spool_chain_next(chain_of(numbered(most))), 1);
	ck_assert_uint_eq(status().blocks, 1);
	reopen();
	ck_assert_uint_le(status().chains, most);
	ck_assert_uint_eq(tl_spool_chain_next(chain_of(numbered(most))), 1);
	ck_assert_uint_eq(tl_spool_chain_next(chain_of("waits")), 1);
	ck_assert_uint_eq(said, 0);
	tl_spool_free(spool);
}

TEST(chains_that_are_needed_are_not_forgotten)
{
	struct tl_fault fault = { 0 };
	struct tl_spool_chain *chain;

	ck_assert_int_eq(try_open(NULL, ROOM, &spool), 0);
	for (unsigned i = 0; i < TL_SPOOL_CHAINS_MAX; i++)
		(void)chain_of(numbered(i));
	ck_assert_int_eq(tl_spool_chain(&chain, spool, "host", "more", &fault),
	    -ENOSPC);
	tl_spool_chain_leave(chain_of(numbered(7)));
	(void)chain_of("more");
	ck_assert_uint_eq(status().chains, TL_SPOOL_CHAINS_MAX);
	tl_spool_free(spool);
}

/* == targets == */

static void
ignore(void *context, const char *chain, uint64_t number, int rc)
{
	(void)context;
	(void)chain;
	(void)number;
	ck_assert_int_eq(rc, 0);
}

/* Send one block of each of so many chains, and one more of the first chain. */
static void
send_chains(struct tl_target *target, unsigned count)
{
	struct tl_block block = { .timeline = "app", .entries = 1 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	target->acked = ignore;
	for (unsigned i = 0; i <= count; i++) {
		snprintf(block.host, sizeof(block.host), "%s",
		    numbered(i % count));
		snprintf(block.chain, sizeof(block.chain), "%032x", i % count);
		block.number = i / count;
		tl_text_clear(&text);
		ship_block(&text, &block, 0, "0:0");
		ck_assert_int_eq(target->send(target, &block, &fault), 0);
		ck_assert_int_eq(target->wait(target, 0, &fault), 0);
	}
	tl_text_free(&text);
	ck_assert_ok(target->finish(target, &fault));
}

static unsigned
count_lines(const char *path, const char *words)
{
	FILE *file = fopen(path, "re");
	unsigned count = 0;
	char line[1024];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, words) != NULL;
	fclose(file);
	return count;
}

TEST(standard_output_takes_any_number_of_chains)
{
	const unsigned many = TL_TARGET_CHAINS_MAX + 100;
	const struct tl_target_options options = { .format =
						       tl_formats_find("jsonl"),
		.report = &report };
	struct tl_target *target;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/lines", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_ok(tl_stdout_target_new(&target, fd, &options));
	send_chains(target, many);
	tl_target_free(target);
	close(fd);
	ck_assert_uint_eq(count_lines(path, "tick"), many + 1);
}

TEST(a_directory_of_events_takes_any_number_of_chains)
{
	const struct tl_target_options options = { .url = folder,
		.format = tl_formats_find("jsonl"),
		.part_size = 1,
		.part_ns = INT64_MAX,
		.held_max = 1 << 20,
		.report = &report };
	struct tl_target *target;

	ck_assert_ok(tl_events_target_new(&target, &options));
	send_chains(target, TL_TARGET_CHAINS_MAX + 100);
	tl_target_free(target);
}

/* == timelines == */

static void
path_of(char path[64], unsigned number)
{
	snprintf(path, 64, "/tl-many-%d-%u", (int)getpid(), number);
}

static void
log_in(unsigned number)
{
	const struct timeline_options options = { .entries = 1024, .tiers = 1 };
	struct timeline_event *tick;
	struct timeline *tl;
	char path[64];

	path_of(path, number);
	ck_assert_ok(timeline_new(&tl, path, &options));
	ck_assert_ok(timeline_define(tl, "t", "info", "tick $n", &tick));
	timeline_log(tick, number);
	timeline_close(tl);
}

/* A killed test may have left these timelines. */
static void
remove_all(unsigned from, unsigned to)
{
	char path[64];

	for (; from < to; from++) {
		path_of(path, from);
		timeline_remove(path);
	}
}

static size_t
followed(void)
{
	struct tl_ship_sources_status now;

	tl_ship_sources_status(sources, &now);
	return now.count;
}

/* Scan until so many timelines are followed. */
static void
look_until(size_t count)
{
	do
		tl_ship_sources_scan(sources);
	while (followed() != count);
}

static void
open_sources(void)
{
	static const char *const names[] = { glob };
	static const struct tl_feed_options options = { .host = "host",
		.block_size = 64 << 10,
		.every_ns = 10000000,
		.report = &report };

	remove_all(0, TIMES * AT_A_TIME);
	snprintf(glob, sizeof(glob), "/tl-many-%d-*", (int)getpid());
	ck_assert_int_eq(try_open(NULL, 64 << 20, &spool), 0);
	ck_assert_ok(tl_ship_sources_new(&sources, spool, names, 1, &options));
}

static void
close_sources(void)
{
	tl_ship_sources_free(sources);
	tl_spool_free(spool);
}

TEST(timelines_that_come_and_go_are_followed_all_the_same)
{
	struct tl_ship_sources_status all;

	open_sources();
	look_until(0);
	for (unsigned from = 0; from < TIMES * AT_A_TIME; from += AT_A_TIME) {
		for (unsigned i = 0; i < AT_A_TIME; i++)
			log_in(from + i);
		look_until(AT_A_TIME);
		remove_all(from, from + AT_A_TIME);
		look_until(0);
	}
	tl_ship_sources_status(sources, &all);
	ck_assert_uint_eq(all.entries, TIMES * AT_A_TIME);
	ck_assert_uint_eq(said, 0);
	close_sources();
}

TEST(one_that_lacks_descriptors_is_tried_again)
{
	const int next = dup(STDIN_FILENO);
	struct rlimit all, few;

	open_sources();
	log_in(0);
	close(next);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){ (rlim_t)next + 1, all.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int i = 0; i < 3; i++)
		tl_ship_sources_scan(sources);
	ck_assert_uint_eq(followed(), 0);
	ck_assert_uint_eq(said, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	look_until(1);
	remove_all(0, 1);
	look_until(0);
	close_sources();
}
