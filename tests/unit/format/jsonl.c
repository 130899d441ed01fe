/* SPDX-License-Identifier: Apache-2.0 */
/* jsonl.c - events as JSON lines, byte by byte. */
#include "format/jsonl/jsonl.h"
#include "lib/test.h"
#include "writer_fixture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tl_message message;
static struct tl_event event;

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("say \"eth0\"\n") : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
setup(void)
{
	writer_setup(tl_jsonl_write_new);
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.level = 4,
		.strings = &strings };
	event = (struct tl_event){ .ns = 1795202658123456789,
		.tsc = 18446744073709551615u,
		.cpu = 1,
		.pid = 41,
		.tid = 4294967295,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 10, 20, 3, 0 } };
}

static void
put_line(const char *line)
{
	if (line)
		ck_assert_ok(tl_message_parse(&message, tl_bytes_of(line)));
	put(&event);
	finish();
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 60);

TEST(lines_are_handed_on_in_large_pieces_and_all_of_them)
{
	size_t lines = 0;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("processed $tcp")));
	for (unsigned i = 0; i < 10000; i++) {
		event.args[0] = i;
		put(&event);
	}
	finish();
	for (size_t i = 0; i < got.size; i++)
		lines += got.data[i] == '\n';
	ck_assert_uint_eq(lines, 10000);
	ck_assert_uint_le(writes, got.size / TL_OUT_SIZE_MAX + 1);
	finish(); /* the output is empty */
}

TEST(what_write_says_is_returned)
{
	int rc = 0;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("processed $tcp")));
	write_rc = -ENOSPC;
	for (unsigned i = 0; i < 10000 && rc == 0; i++)
		rc = writer->sink.put(&writer->sink, &event);
	ck_assert_int_eq(rc, -ENOSPC);
	ck_assert_uint_eq(writes, 1);
	put(&event);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), -ENOSPC);
}

/* Every byte value in every text of an event, read by another program. */
TEST(python_reads_every_line)
{
	char path[] = "/tmp/test_format_jsonl.XXXXXX", command[200];
	char odd[256];
	int fd;

	if (system("command -v python3 >/dev/null") != 0) {
		fputs("skipped: no python3 to read with\n", stderr);
		return;
	}
	for (size_t i = 0; i < sizeof(odd); i++)
		odd[i] = (char)i;
	message.category = tl_bytes(odd, sizeof(odd));
	event.args[0] = 1;
	put_line("odd $a%s $b%d");
	ck_assert_ok(
	    tl_message_parse(&message, tl_bytes(odd + 11, sizeof(odd) - 11)));
	tl_writer_free(writer);
	ck_assert_ok(tl_jsonl_write_new(&writer, take, &got, NULL));
	put_line(NULL);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, got.data, got.size), (ssize_t)got.size);
	close(fd);
	snprintf(command, sizeof(command),
	    "python3 -c 'import json, sys\n"
	    "for line in open(sys.argv[1], encoding=\"utf-8\"):\n"
	    "    json.loads(line)' %s",
	    path);
	ck_assert_int_eq(system(command), 0);
	unlink(path);
}
