/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - waiting blocks are kept, sent again, dropped and counted. */
#include "lib/test.h"
#include "ship_spool_fixture.h"

#include <dirent.h>

/*
 * Take the next block and send it; returns its number, UINT64_MAX: none waits.
 */
static uint64_t
send_next(struct tl_block *block)
{
	const int rc = tl_spool_take(spool, block);

	if (rc == -EAGAIN)
		return UINT64_MAX;
	ck_assert_int_eq(rc, 0);
	tl_spool_give(spool, 0);
	return block->number;
}

static void
arrives(uint64_t number)
{
	struct tl_block block;

	ck_assert_uint_eq(send_next(&block), number);
	tl_spool_acked(spool, block.chain, block.number);
}

/* Count the files of the only chain whose names end with suffix. */
static unsigned
count_files(const char *suffix)
{
	char path[128];
	const struct dirent *entry;
	unsigned count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/host=app", folder);
	directory = opendir(path);
	ck_assert_ptr_nonnull(directory);
	while ((entry = readdir(directory))) {
		const char *dot = strrchr(entry->d_name, '.');

		count += dot && strcmp(dot, suffix) == 0;
	}
	closedir(directory);
	return count;
}

/* == in order == */

TEST_FILE(.setup = ship_setup, .teardown = ship_teardown);

TEST(blocks_go_in_their_order_and_are_gone)
{
	struct tl_block block;

	open_spool(ROOM);
	for (int i = 0; i < 3; i++)
		put("app", 5);
	ck_assert_uint_eq(count_files(".trace"), 3);
	for (uint64_t i = 0; i < 3; i++)
		arrives(i);
	ck_assert_uint_eq(send_next(&block), UINT64_MAX);
	ck_assert_uint_eq(status().blocks, 0);
	ck_assert_uint_eq(status().size, 0);
	ck_assert_uint_eq(count_files(".trace"), 0);
	tl_spool_free(spool);
}

TEST(chains_take_turns)
{
	struct tl_block block;
	char last[TL_BLOCK_NAME_MAX] = "";

	open_spool(ROOM);
	for (int i = 0; i < 3; i++) {
		put("app", 1);
		put("db", 1);
	}
	for (int i = 0; i < 6; i++) {
		send_next(&block);
		ck_assert_str_ne(block.timeline, last);
		strcpy(last, block.timeline);
	}
	tl_spool_free(spool);
}

TEST(what_does_not_arrive_is_sent_again)
{
	struct tl_block block;

	open_spool(ROOM);
	for (int i = 0; i < 3; i++)
		put("app", 1);
	arrives(0);
	ck_assert_uint_eq(send_next(&block), 1);
	ck_assert_uint_eq(send_next(&block), 2);
	tl_spool_disconnected(spool);
	for (uint64_t i = 1; i < 3; i++)
		arrives(i);
	tl_spool_free(spool);
}

TEST(a_block_that_is_refused_by_send_waits)
{
	struct tl_block block;

	open_spool(ROOM);
	put("app", 1);
	ck_assert_ok(tl_spool_take(spool, &block));
	tl_spool_give(spool, -EAGAIN);
	arrives(0);
	tl_spool_free(spool);
}

TEST(a_block_comes_back_as_it_was_put)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_block block;

	open_spool(ROOM);
	put("app", 7);
	send_next(&block);
	ck_assert_ok(tl_block_describe(&facts, block.data, &fault));
	ck_assert_uint_eq(facts.block.entries, 7);
	ck_assert_uint_eq(block.entries, 7);
	ck_assert_str_eq(facts.block.chain, block.chain);
	ck_assert_str_eq(facts.identity, "identity");
	tl_block_facts_free(&facts);
	tl_spool_free(spool);
}

/* == restarts == */

TEST(another_process_goes_on)
{
	char name[TL_CHAIN_SIZE];
	struct tl_spool_chain *chain;

	open_spool(ROOM);
	chain = chain_of("app");
	ck_assert_ok(tl_spool_chain_begin(chain, "identity", "boot", "0:0"));
	strcpy(name, tl_spool_chain_name(chain));
	for (int i = 0; i < 3; i++)
		put("app", 2);
	arrives(0);
	reopen();
	chain = chain_of("app");
	ck_assert_str_eq(tl_spool_chain_name(chain), name);
	ck_assert_uint_eq(tl_spool_chain_next(chain), 3);
	ck_assert_str_eq(tl_spool_chain_positions(chain), "0:3");
	ck_assert_str_eq(tl_spool_chain_identity(chain), "identity");
	arrives(1);
	arrives(2);
	tl_spool_free(spool);
}

TEST(a_chain_goes_on_when_all_its_blocks_are_gone)
{
	struct tl_spool_chain *chain;

	open_spool(ROOM);
	chain = chain_of("app");
	ck_assert_ok(tl_spool_chain_begin(chain, "identity", "boot", "0:0"));
	put("app", 2);
	put("app", 2);
	arrives(0);
	arrives(1);
	reopen();
	chain = chain_of("app");
	ck_assert_uint_eq(tl_spool_chain_next(chain), 2);
	ck_assert_str_eq(tl_spool_chain_positions(chain), "0:2");
	tl_spool_free(spool);
}

TEST(two_cannot_have_one_spool)
{
	struct tl_spool *other;

	open_spool(ROOM);
	ck_assert_int_eq(try_open(folder, ROOM, &other), -EBUSY);
	tl_spool_free(spool);
	open_spool(ROOM);
	tl_spool_free(spool);
}

/* == drops == */

TEST(the_oldest_are_dropped_and_counted)
{
	struct tl_block block;

	open_spool(10 * 4096);
	for (int i = 0; i < 20; i++)
		put("app", 10);
	ck_assert_uint_le(status().size, 10 * 4096);
	ck_assert_uint_eq(status().dropped, status().dropped_blocks * 10);
	ck_assert_uint_eq(count_files(".lost"), 1);
	ck_assert_uint_eq(send_next(&block), 0);
	ck_assert_uint_eq(block.entries, 0);
	ck_assert_uint_eq(block.lost, status().dropped);
	ck_assert_uint_eq(send_next(&block), status().dropped_blocks);
	tl_spool_free(spool);
}

TEST(what_stands_for_dropped_blocks_says_which)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_block block;

	open_spool(6 * 4096);
	for (int i = 0; i < 30; i++)
		put("app", 3);
	send_next(&block);
	ck_assert_ok(tl_block_describe(&facts, block.data, &fault));
	ck_assert(facts.dropped);
	ck_assert_uint_eq(facts.block.number, 0);
	ck_assert_uint_eq(facts.last + 1, status().dropped_blocks);
	ck_assert_uint_eq(facts.block.lost, 3 * status().dropped_blocks);
	tl_block_facts_free(&facts);
	tl_spool_free(spool);
}

TEST(what_the_target_may_have_is_dropped_last)
{
	struct tl_block block;

	open_spool(8 * 4096);
	for (int i = 0; i < 4; i++)
		put("app", 1);
	for (uint64_t i = 0; i < 3; i++)
		ck_assert_uint_eq(send_next(&block), i);
	tl_spool_disconnected(spool);
	for (int i = 0; i < 20; i++)
		put("app", 1);
	for (uint64_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(send_next(&block), i);
		ck_assert_uint_eq(block.entries, 1);
	}
	send_next(&block);
	ck_assert_uint_eq(block.number, 3);
	ck_assert_uint_gt(block.lost, 0);
	tl_spool_free(spool);
}

TEST(a_block_too_large_for_the_target_is_counted)
{
	struct tl_block block;

	open_spool(ROOM);
	put("app", 9);
	ck_assert_ok(tl_spool_take(spool, &block));
	tl_spool_reject(spool);
	ck_assert_uint_eq(send_next(&block), 0);
	ck_assert_uint_eq(block.lost, 9);
	ck_assert_uint_eq(status().dropped_blocks, 1);
	tl_spool_free(spool);
}

TEST(what_stands_for_others_and_is_too_large_is_left_out)
{
	struct tl_block block;

	open_spool(ROOM);
	put("app", 9);
	put("app", 1);
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(tl_spool_take(spool, &block));
		ck_assert_uint_eq(block.number, 0);
		tl_spool_reject(spool);
	}
	arrives(1);
	ck_assert_uint_eq(status().blocks, 0);
	ck_assert_uint_eq(status().dropped_blocks, 1);
	ck_assert_uint_eq(count_files(".bad"), 1);
	tl_spool_free(spool);
}

TEST(a_chain_goes_on_behind_what_was_left_out)
{
	char path[128];
	struct tl_block block;

	open_spool(ROOM);
	put("app", 1);
	arrives(0);
	put("app", 1);
	put("app", 1);
	snprintf(path, sizeof(path), "%s/host=app/2.trace", folder);
	ck_assert_int_eq(unlink(path), 0);
	arrives(1);
	ck_assert_uint_eq(send_next(&block), UINT64_MAX);
	ck_assert_uint_eq(said, 1);
	reopen();
	ck_assert_uint_eq(tl_spool_chain_next(chain_of("app")), 3);
	tl_spool_free(spool);
}

/* == hostile folders == */

static void
plant(const char *name, const char *bytes, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/host=app/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

TEST(what_is_damaged_is_moved_aside)
{
	char path[256], other[256];

	open_spool(ROOM);
	for (int i = 0; i < 5; i++)
		put("app", 1);
	plant("2.trace", "garbage", 7);
	plant("7.trace", "", 0);
	plant("8.trace", "newest of all", 13);
	plant("018.trace", "x", 1);
	plant("9-3.lost", "x", 1);
	plant("99999999999999999999999.trace", "x", 1);
	plant("5.trace.new", "half", 4);
	plant("\033[2Jboo", "x", 1);
	snprintf(path, sizeof(path), "%s/host=app/6.trace", folder);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	snprintf(other, sizeof(other), "%s/host=app/10.trace", folder);
	ck_assert_int_eq(mkfifo(other, 0600), 0);
	reopen();
	arrives(0);
	arrives(1);
	arrives(3);
	arrives(4);
	ck_assert_uint_eq(status().blocks, 0);
	ck_assert_uint_ge(said, 8);
	ck_assert_uint_eq(count_files(".new"), 0);
	ck_assert_uint_ge(count_files(".bad"), 5);
	/* a number that was seen is never used again */
	ck_assert_uint_ge(tl_spool_chain_next(chain_of("app")), 9);
	tl_spool_free(spool);
}

TEST(a_block_of_another_chain_is_moved_aside)
{
	char from[256], to[256];

	open_spool(ROOM);
	put("app", 1);
	put("app", 1);
	put("db", 1);
	snprintf(from, sizeof(from), "%s/host=db/0.trace", folder);
	snprintf(to, sizeof(to), "%s/host=app/0.trace", folder);
	ck_assert_int_eq(rename(from, to), 0);
	reopen();
	(void)chain_of("app");
	arrives(1);
	ck_assert_uint_eq(said, 1);
	tl_spool_free(spool);
}

TEST(a_damaged_state_is_moved_aside)
{
	char name[TL_CHAIN_SIZE];
	struct tl_spool_chain *chain;

	open_spool(ROOM);
	chain = chain_of("app");
	ck_assert_ok(tl_spool_chain_begin(chain, "identity", "boot", "0:0"));
	strcpy(name, tl_spool_chain_name(chain));
	put("app", 1);
	plant("state", "nothing", 7);
	reopen();
	chain = chain_of("app");
	ck_assert_str_eq(tl_spool_chain_name(chain), name);
	ck_assert_uint_eq(tl_spool_chain_next(chain), 1);
	ck_assert_uint_eq(said, 1);
	tl_spool_free(spool);
}

TEST(what_both_a_block_and_its_stand_in_tell_counts_once)
{
	struct tl_block block;
	uint64_t lost;

	open_spool(4 * 4096);
	for (int i = 0; i < 8; i++)
		put("app", 1);
	plant("2.trace", "left by a crash", 15);
	plant("0-1.lost", "left by a crash", 15);
	reopen();
	ck_assert_uint_eq(send_next(&block), 0);
	lost = block.lost;
	for (uint64_t i = lost; i < 8; i++)
		ck_assert_uint_eq(send_next(&block), i);
	ck_assert_uint_eq(send_next(&block), UINT64_MAX);
	ck_assert_uint_eq(said, 0);
	tl_spool_free(spool);
}

TEST(a_folder_that_is_none_is_said)
{
	struct tl_spool *opened;
	char path[128];
	int fd;

	ck_assert_int_eq(try_open("/dev/null", ROOM, &opened), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	ck_assert_int_eq(try_open(path, ROOM, &opened), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/none/none", folder);
	ck_assert_int_eq(try_open(path, ROOM, &opened), -ENOENT);
}
