/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.c - the targets: a directory of blocks, or of their events; a pipe.
 */
#include "lib/test.h"
#include "ship/target/target.h"
#include "ship_fixture.h"

#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>

#define HOUR_NS  (3600 * INT64_C(1000000000))
#define CHAIN    "0123456789abcdef0123456789abcdef"
#define START_NS (494236 * HOUR_NS) /* 2026-05-20T04:00 */

enum { PATHS_MAX = 64 };

static const struct tl_report report = { ship_say, NULL };
static struct tl_target *target;
static uint64_t acked[1024]; /* acks by number */
static uint64_t acked_count;
static char paths[PATHS_MAX][256];
static size_t path_count;

static void
note_acked(void *context, const char *chain, uint64_t number, int rc)
{
	(void)context;
	ck_assert_str_eq(chain, CHAIN);
	ck_assert_int_eq(rc, 0);
	acked[number]++;
	acked_count++;
}

static struct tl_target_options
options_of(const char *format)
{
	return (struct tl_target_options){ .url = folder,
		.format = format ? tl_formats_find(format) : NULL,
		.part_size = 64 << 20,
		.part_ns = HOUR_NS,
		.held_max = 64 << 20,
		.report = &report };
}

static void
open_target(const struct tl_target_options *options)
{
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_target_open(&target, options, &fault) == 0, "%s",
	    fault.text);
	target->acked = note_acked;
	memset(acked, 0, sizeof(acked));
	acked_count = 0;
}

static int
try_send(uint64_t number, int64_t ns)
{
	struct tl_block block = { .host = "web.1",
		.timeline = "a/b",
		.chain = CHAIN,
		.number = number,
		.entries = 10 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	int rc;

	ship_block(&text, &block, ns, "0:0");
	rc = target->send(target, &block, &fault);
	ck_assert_int_eq(fault.rc, rc == -EAGAIN ? 0 : rc);
	tl_text_free(&text);
	return rc;
}

static void
send_block(uint64_t number, int64_t ns)
{
	ck_assert_int_eq(try_send(number, ns), 0);
}

/* Open the target, and send the blocks [from, to), all of one time. */
static void
open_and_send(const struct tl_target_options *options, uint64_t from,
    uint64_t to)
{
	open_target(options);
	for (; from < to; from++)
		send_block(from, START_NS);
}

static void
wait_for_acks(void)
{
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(target->wait(target, 0, &fault), 0);
}

static void
finish(void)
{
	struct tl_fault fault = { 0 };

	ck_assert_ok(target->finish(target, &fault));
}

static int
note_path(const char *path, const struct stat *st, int kind)
{
	(void)st;
	if (kind == FTW_F && path_count < PATHS_MAX)
		snprintf(paths[path_count++], sizeof(paths[0]), "%s",
		    path + strlen(folder) + 1);
	return 0;
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
look(void)
{
	path_count = 0;
	ck_assert_int_eq(ftw(folder, note_path, 8), 0);
	qsort(paths, path_count, sizeof(paths[0]), compare);
}

TEST_FILE(.setup = ship_setup, .teardown = ship_teardown, .timeout = 30);

TEST(a_block_is_a_file_by_host_date_and_hour)
{
	const struct tl_target_options options = options_of(NULL);

	open_target(&options);
	send_block(0, START_NS);
	send_block(1, START_NS + HOUR_NS);
	send_block(2, -1);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 3);
	look();
	ck_assert_uint_eq(path_count, 3);
	ck_assert_str_eq(paths[0],
	    "host=web.1/date=1969-12-31/hour=23/a%2Fb-" CHAIN "-2.trace");
	ck_assert_str_eq(paths[1],
	    "host=web.1/date=2026-05-20/hour=04/a%2Fb-" CHAIN "-0.trace");
	ck_assert_str_eq(paths[2],
	    "host=web.1/date=2026-05-20/hour=05/a%2Fb-" CHAIN "-1.trace");
	tl_target_free(target);
}

TEST(a_block_that_comes_again_takes_its_own_place)
{
	const struct tl_target_options options = options_of(NULL);

	open_and_send(&options, 0, 1);
	send_block(0, START_NS);
	wait_for_acks();
	look();
	ck_assert_uint_eq(path_count, 1);
	tl_target_free(target);
}

TEST(hostile_names_stay_in_the_folder)
{
	const struct tl_target_options options = options_of(NULL);
	struct tl_block block = { .host = "../../etc",
		.timeline = "..",
		.chain = CHAIN,
		.entries = 1 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	open_target(&options);
	ship_block(&text, &block, START_NS, "0:0");
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	memset(block.timeline, '/', sizeof(block.timeline) - 1);
	memset(block.host, '\n', sizeof(block.host) - 1);
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	tl_text_free(&text);
	look();
	ck_assert_uint_eq(path_count, 2);
	tl_target_free(target);
}

/* A file stands in the place of the folder. */
TEST(a_folder_that_cannot_be_had_is_tried_again)
{
	struct tl_target_options options = options_of(NULL);
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/out", folder);
	options.url = path;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	open_target(&options);
	ck_assert_int_eq(try_send(0, START_NS), -ENOTDIR);
	unlink(path);
	send_block(0, START_NS);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 1);
	tl_target_free(target);
}

TEST(events_of_many_blocks_are_one_file)
{
	const struct tl_target_options options = options_of("jsonl");

	open_and_send(&options, 3, 8);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 0); /* no file is complete */
	finish();
	ck_assert_uint_eq(acked_count, 5);
	look();
	ck_assert_uint_eq(path_count, 1);
	ck_assert_str_eq(paths[0],
	    "host=web.1/date=2026-05-20/hour=04/a%2Fb-" CHAIN "-3-7.jsonl");
	tl_target_free(target);
}

TEST(a_file_of_events_ends_with_its_hour)
{
	const struct tl_target_options options = options_of("jsonl");

	open_target(&options);
	send_block(0, START_NS);
	send_block(1, START_NS + HOUR_NS);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 1);
	finish();
	look();
	ck_assert_uint_eq(path_count, 2);
	tl_target_free(target);
}

TEST(a_file_of_events_ends_when_it_is_large)
{
	struct tl_target_options options = options_of("jsonl");

	options.part_size = 5000;
	open_and_send(&options, 0, 20);
	finish();
	look();
	ck_assert_uint_gt(path_count, 3);
	ck_assert_uint_eq(acked_count, 20);
	tl_target_free(target);
}

TEST(a_file_of_events_ends_when_it_is_old)
{
	struct tl_target_options options = options_of("jsonl");

	options.part_ns = 1;
	open_and_send(&options, 0, 1);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 1);
	tl_target_free(target);
}

TEST(a_file_of_events_ends_when_too_much_waits)
{
	struct tl_target_options options = options_of("jsonl");

	options.held_max = 4096;
	open_and_send(&options, 0, 50);
	wait_for_acks();
	ck_assert_uint_gt(acked_count, 0);
	tl_target_free(target);
}

TEST(what_a_whole_file_has_is_not_written_again)
{
	const struct tl_target_options options = options_of("jsonl");

	open_and_send(&options, 0, 5);
	finish();
	tl_target_free(target);
	open_and_send(&options, 2, 8);
	wait_for_acks();
	ck_assert_uint_eq(acked_count, 3); /* blocks 2, 3 and 4 */
	finish();
	ck_assert_uint_eq(acked_count, 6);
	look();
	ck_assert_uint_eq(path_count, 2);
	ck_assert_str_eq(strrchr(paths[1], '-'), "-7.jsonl");
	ck_assert_ptr_nonnull(strstr(paths[1], "-5-7."));
	tl_target_free(target);
}

TEST(a_file_of_events_that_is_not_whole_is_gone)
{
	const struct tl_target_options options = options_of("jsonl");

	open_and_send(&options, 0, 1);
	tl_target_free(target);
	look();
	ck_assert_uint_eq(path_count, 0);
}

TEST(a_full_disk_is_no_end_of_events)
{
	const struct rlimit none = { 100, RLIM_INFINITY };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const struct tl_target_options options = options_of("jsonl");

	signal(SIGXFSZ, SIG_IGN);
	open_target(&options);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_int_eq(try_send(0, START_NS), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	look();
	ck_assert_uint_eq(path_count, 0);
	send_block(0, START_NS);
	send_block(1, START_NS);
	finish();
	ck_assert_uint_eq(acked[0] + acked[1], 2);
	tl_target_free(target);
}

/* == a pipe == */

TEST(a_pipe_takes_what_it_can)
{
	const struct tl_target_options options = options_of(NULL);
	static char bytes[1 << 20];
	uint64_t sent = 0;
	ssize_t n, size = 0;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_ok(tl_stdout_target_new(&target, ends[1], &options));
	target->acked = note_acked;
	while (try_send(sent, START_NS) == 0) {
		sent++;
		wait_for_acks();
	}
	ck_assert_uint_gt(sent, 10); /* then the pipe is full */
	ck_assert_uint_lt(acked_count, sent);
	while (acked_count < sent) {
		n = read(ends[0], bytes, sizeof(bytes));
		ck_assert_int_gt(n, 0);
		size += n;
		wait_for_acks();
	}
	ck_assert_int_gt(size, 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	send_block(sent, START_NS);
	ck_assert_int_eq(target->wait(target, 0, &(struct tl_fault){ 0 }),
	    -EPIPE);
	tl_target_free(target);
	close(ends[1]);
}

TEST(a_target_is_known_by_its_word)
{
	struct tl_target_options options = options_of(NULL);
	struct tl_fault fault = { 0 };

	options.url = "ftp://host/dir";
	ck_assert_int_eq(tl_target_open(&target, &options, &fault), -EINVAL);
	ck_assert(tl_target_takes_formats("dir"));
	ck_assert(tl_target_takes_formats("/a/b://c"));
	ck_assert(tl_target_takes_formats("-"));
	ck_assert(!tl_target_takes_formats("nats://host"));
}
