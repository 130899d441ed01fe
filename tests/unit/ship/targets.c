/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.c - the targets: a directory of blocks, or of their events; a pipe.
 */
#include "lib/golden.h"
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
static struct tl_target_options options;
static uint64_t acked_count;
static char paths[PATHS_MAX][256];
static size_t path_count;

static void
note_acked(void *context, const char *chain, uint64_t number, int rc)
{
	(void)context;
	(void)number;
	ck_assert_str_eq(chain, CHAIN);
	ck_assert_int_eq(rc, 0);
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
setup(void)
{
	ship_setup();
	options = options_of(NULL);
	target = NULL;
}

static void
teardown(void)
{
	tl_target_free(target);
	ship_teardown();
}

static void
open_target(void)
{
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_target_open(&target, &options, &fault) == 0, "%s",
	    fault.text);
	target->acked = note_acked;
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

static void
wait_for_acks(void)
{
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(target->wait(target, 0, &fault), 0);
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

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 30);

/* == cases in targets.cases == */

static char place[128]; /* of the target */

static void
put_acked(struct tl_text *out)
{
	tl_put_format(out, " = acked %llu", (unsigned long long)acked_count);
}

/* Send blocks from a number on; prints the first result that is not 0. */
static void
send_blocks(struct tl_text *out, const char *line)
{
	unsigned long long from = 0, hour = 0, count = 1;
	const bool before = strstr(line, "before") != NULL;
	int rc = 0;

	sscanf(line, "send %llu %llu %llu", &from, &hour, &count);
	for (; rc == 0 && count > 0; from++, count--)
		rc = try_send(from,
		    before ? -1 : START_NS + (int64_t)hour * HOUR_NS);
	if (rc < 0)
		tl_put_format(out, " = %d", rc);
}

/*
 * Run a line:
 *	open dir|FORMAT [NAME]	the target; its options are those of the next
 *				lines, until the first block
 *	part_size N, part_ns N, held_max N
 *	send NUMBER HOUR [COUNT]	blocks, or of an hour "before" 1970
 *	wait [some], finish, close	prints how many are acked; some are
 *	look			prints the files
 *	file, no file		in the place of NAME
 *	limit [SIZE]		of files
 */
static void
run_line(struct tl_text *out, const char *line)
{
	char word[16], name[16] = "", rest[16] = "";
	struct tl_fault fault = { 0 };
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t n;

	sscanf(line, "%15s %15s %15s", word, name, rest);
	n = strtoull(name, NULL, 10);
	if (strcmp(word, "open") == 0) {
		options = options_of(strcmp(name, "dir") ? name : NULL);
		snprintf(place, sizeof(place), "%s%s%s", folder,
		    *rest ? "/" : "", rest);
		options.url = place;
	} else if (strcmp(word, "part_size") == 0) {
		options.part_size = n;
	} else if (strcmp(word, "part_ns") == 0) {
		options.part_ns = (int64_t)n;
	} else if (strcmp(word, "held_max") == 0) {
		options.held_max = n;
	} else if (strcmp(word, "send") == 0) {
		if (!target)
			open_target();
		send_blocks(out, line);
	} else if (strcmp(word, "wait") == 0) {
		wait_for_acks();
		ck_assert(strcmp(name, "some") != 0 || acked_count > 0);
		if (!*name)
			put_acked(out);
	} else if (strcmp(word, "finish") == 0) {
		ck_assert_ok(target->finish(target, &fault));
		put_acked(out);
	} else if (strcmp(word, "close") == 0) {
		tl_target_free(target);
		target = NULL;
	} else if (strcmp(word, "look") == 0) {
		look();
		for (size_t i = 0; i < path_count; i++)
			tl_put_format(out, i ? "\n\t%s" : " = %s", paths[i]);
	} else if (strcmp(word, "limit") == 0) {
		signal(SIGXFSZ, SIG_IGN);
		limit.rlim_cur = n ? n : RLIM_INFINITY;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	} else {
		snprintf(place, sizeof(place), "%s/out", folder);
		if (strcmp(word, "file") == 0)
			close(
			    open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		else
			ck_assert_int_eq(unlink(place), 0);
	}
}

TEST_LINES(folders, "tests/unit/ship/targets.cases", run_line);

TEST(hostile_names_stay_in_the_folder)
{
	struct tl_block block = { .host = "../../etc",
		.timeline = "..",
		.chain = CHAIN,
		.entries = 1 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	open_target();
	ship_block(&text, &block, START_NS, "0:0");
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	memset(block.timeline, '/', sizeof(block.timeline) - 1);
	memset(block.host, '\n', sizeof(block.host) - 1);
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	tl_text_free(&text);
	look();
	ck_assert_uint_eq(path_count, 2);
}

/* == a pipe == */

TEST(a_pipe_takes_what_it_can)
{
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
	close(ends[1]);
}

TEST(a_target_is_known_by_its_word)
{
	struct tl_fault fault = { 0 };

	options.url = "ftp://host/dir";
	ck_assert_int_eq(tl_target_open(&target, &options, &fault), -EINVAL);
	ck_assert(tl_target_takes_formats("dir"));
	ck_assert(tl_target_takes_formats("/a/b://c"));
	ck_assert(tl_target_takes_formats("-"));
	ck_assert(!tl_target_takes_formats("nats://host"));
}
