/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - waiting blocks are kept, sent again, dropped and counted. */
#include "lib/golden.h"
#include "ship_spool_fixture.h"

#include <dirent.h>

enum { PAGE = 4096 };

static struct tl_block block;        /* the last that was taken */
static char names[2][TL_CHAIN_SIZE]; /* of the chains app and db */

static void
setup(void)
{
	ship_setup();
	spool = NULL;
	memset(names, 0, sizeof(names));
}

static void
teardown(void)
{
	tl_spool_free(spool);
	ship_teardown();
}

/* Print the next block, which waits no more; with ack, it has arrived. */
static void
send_next(struct tl_text *out, bool ack)
{
	const int rc = tl_spool_take(spool, &block);

	if (rc == -EAGAIN) {
		tl_put_string(out, " = none");
		return;
	}
	ck_assert_int_eq(rc, 0);
	tl_spool_give(spool, 0);
	tl_put_format(out, " = %s %llu: %llu entries", block.timeline,
	    (unsigned long long)block.number,
	    (unsigned long long)block.entries);
	if (block.lost > 0)
		tl_put_format(out, ", %llu lost",
		    (unsigned long long)block.lost);
	if (ack)
		tl_spool_acked(spool, block.chain, block.number);
}

/* Print what the last block says of itself. */
static void
put_facts(struct tl_text *out)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };

	ck_assert_ok(tl_block_describe(&facts, block.data, &fault));
	if (!facts.dropped)
		ck_assert_str_eq(facts.block.chain, block.chain);
	ck_assert_uint_eq(facts.block.number, block.number);
	tl_put_format(out, " = %llu entries, %llu lost, identity \"%s\"",
	    (unsigned long long)facts.block.entries,
	    (unsigned long long)facts.block.lost, facts.identity);
	if (facts.dropped)
		tl_put_format(out, ", stands for %llu to %llu",
		    (unsigned long long)facts.block.number,
		    (unsigned long long)facts.last);
	tl_block_facts_free(&facts);
}

/* The files of the chain app whose names end with suffix. */
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

static void
put_chain(struct tl_text *out, const char *timeline)
{
	const struct tl_spool_chain *chain = chain_of(timeline);
	const char *name = names[strcmp(timeline, "db") == 0];

	if (*name)
		ck_assert_str_eq(tl_spool_chain_name(chain), name);
	tl_put_format(out, " = next %llu at %s, identity \"%s\"",
	    (unsigned long long)tl_spool_chain_next(chain),
	    tl_spool_chain_positions(chain), tl_spool_chain_identity(chain));
}

/* Change the folder of the chain app: plant, remove, link, fifo, move. */
static void
change_folder(const char *how, char *name, const char *text)
{
	char path[256], other[256];
	int fd;

	name[golden_unescape(name, strlen(name))] = '\0';
	snprintf(path, sizeof(path), "%s/host=app/%s", folder, name);
	snprintf(other, sizeof(other), "%s/host=app/%s", folder, text);
	if (strcmp(how, "plant") == 0) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(write(fd, text, strlen(text)),
		    (ssize_t)strlen(text));
		close(fd);
	} else {
		ck_assert_int_eq(strcmp(how, "remove") == 0 ? unlink(path)
				 : strcmp(how, "link") == 0
				     ? symlink(text, path)
				 : strcmp(how, "fifo") == 0
				     ? mkfifo(path, 0600)
				     : rename(path, other),
		    0);
	}
}

/*
 * Run a line:
 *	open [PAGES], reopen, disconnect
 *	put NAME ENTRIES [TIMES]	blocks of a chain
 *	send, arrive			prints the next block
 *	refuse, reject			it waits, or is too large
 *	begin NAME, chain NAME		a chain; its name stays the same
 *	facts, status, said, files SUFFIX	are printed
 *	plant NAME TEXT, remove NAME, ...	change_folder()
 */
static void
run_line(struct tl_text *out, const char *line)
{
	char word[16], name[64] = "", rest[64] = "";
	struct tl_spool_status s;
	unsigned long long entries = 0, times = 1;

	sscanf(line, "%15s %63s %63[^\n]", word, name, rest);
	sscanf(rest, "%llu %llu", &entries, &times);
	if (strcmp(word, "open") == 0) {
		open_spool(*name ? strtoull(name, NULL, 10) * PAGE : ROOM);
	} else if (strcmp(word, "reopen") == 0) {
		reopen();
	} else if (strcmp(word, "disconnect") == 0) {
		tl_spool_disconnected(spool);
	} else if (strcmp(word, "put") == 0) {
		while (times-- > 0)
			put(name, entries);
	} else if (strcmp(word, "send") == 0 || strcmp(word, "arrive") == 0) {
		send_next(out, *word == 'a');
	} else if (strcmp(word, "refuse") == 0) {
		ck_assert_ok(tl_spool_take(spool, &block));
		tl_spool_give(spool, -EAGAIN);
	} else if (strcmp(word, "reject") == 0) {
		ck_assert_ok(tl_spool_take(spool, &block));
		tl_put_format(out, " = %llu", (unsigned long long)block.number);
		tl_spool_reject(spool);
	} else if (strcmp(word, "begin") == 0) {
		ck_assert_ok(tl_spool_chain_begin(chain_of(name), "identity",
		    "boot", "0:0"));
		strcpy(names[strcmp(name, "db") == 0],
		    tl_spool_chain_name(chain_of(name)));
	} else if (strcmp(word, "chain") == 0) {
		put_chain(out, name);
	} else if (strcmp(word, "facts") == 0) {
		put_facts(out);
	} else if (strcmp(word, "status") == 0) {
		s = status();
		tl_put_format(out,
		    " = %llu blocks in %llu pages, %llu entries of %llu "
		    "dropped",
		    (unsigned long long)s.blocks,
		    (unsigned long long)s.size / PAGE,
		    (unsigned long long)s.dropped,
		    (unsigned long long)s.dropped_blocks);
	} else if (strcmp(word, "said") == 0) {
		tl_put_format(out, " = %llu", (unsigned long long)said);
	} else if (strcmp(word, "files") == 0) {
		tl_put_format(out, " = %u", count_files(name));
	} else {
		change_folder(word, name, rest);
	}
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST_LINES(spools, "tests/unit/ship/spool.cases", run_line);

TEST(two_cannot_have_one_spool)
{
	struct tl_spool *other;

	open_spool(ROOM);
	ck_assert_int_eq(try_open(folder, ROOM, &other), -EBUSY);
	reopen();
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
