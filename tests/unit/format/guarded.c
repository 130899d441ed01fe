/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guarded.c - readers access no byte beside those they are given: lines and
 * pieces that are cut anywhere stand right before or right after a page without
 * access.
 */
#include "lib/guarded.h"
#include "base/file.h"
#include "format/csv/csv.h"
#include "format/jsonl/jsonl.h"
#include "format/lincheck/lincheck.h"
#include "format/line.h"
#include "format/lms/lms.h"
#include "lib/foreign.h"
#include "lib/test.h"

#include <errno.h>
#include <unistd.h>

static struct guarded guarded;

static void
setup(void)
{
	guarded_make(&guarded);
}

static void
teardown(void)
{
	guarded_free(&guarded);
}

static int
drop(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	(void)event;
	return 0;
}

static struct tl_sink nowhere = { .put = drop };

static const char *const json_lines[] = {
	"{\"ns\":-9223372036854775808,\"tsc\":18446744073709551615,"
	"\"cpu\":null,\"pid\":41,\"tid\":4294967295,"
	"\"priority\":\"info\",\"category\":\"net\",\"message\":"
	"\"read $size of $name%s in $t%t at $x%f\",\"kind\":\"begin\","
	"\"args\":{\"size\":64,\"name\":\"a\\u00e9\\n\",\"t\":-5,"
	"\"x\":1.5e-300},\"scope\":\"source\"}",
	"{\"ns\":1,\"tsc\":2,\"cpu\":3,\"pid\":4,\"tid\":5,\"lost\":6}",
	"{\"ns\":1,\"tsc\":2,\"cpu\":3,\"pid\":4,\"tid\":5,\"host\":\"web\","
	"\"sync_error_us\":17,\"overlaps\":true,\"priority\":\"debug\","
	"\"category\":\"\",\"message\":\"tick\",\"kind\":\"instant\","
	"\"args\":{}}",
};

static const char *const csv_lines[] = {
	"-9223372036854775808,18446744073709551615,,41,4294967295,info,net,"
	"\"read $size of $name%s, and \"\"$t%t\"\" at $x%f\",begin,size,64,"
	"name,\"\\x41\\n\"\"q\"\",\",t,-5,x,1.5e-300",
	"1,2,3,4,5,,,,lost,lost,6,,,,,,",
	"1,2,3,4,5,debug,,tick,instant,,,,,,,,",
	"1,2,3,4,5,debug,,at $a $b $c $d%s,instant,a,1,b,2,c,3,d,x\\",
	"1,2,3,4,5,debug,,at $a $b $c $d%s,instant,a,1,b,2,c,3,d,\\x",
	"1,2,3,4,5,debug,,at $a $b $c $d%s,instant,a,1,b,2,c,3,d,\\x4",
};

/*
 * Read a line and each of its beginnings.  The reader has read the line before,
 * so that it guesses the message.
 */
static void
check_line(struct tl_line_read *read, const char *line)
{
	const size_t size = strlen(line);

	for (int times = 0; times < 2; times++) {
		for (size_t left = size + 1; left-- > 0;) {
			for (int at_end = 0; at_end < 2; at_end++) {
				const int rc = read->kind->line(read,
				    tl_bytes(guarded_copy(&guarded, line, left,
						 at_end),
					left));

				ck_assert(rc == 0 || rc == -EBADMSG);
				ck_assert(left < size || rc == 0);
			}
		}
	}
}

static void
check_lines(tl_reader_new *new, const char *const *lines, size_t count)
{
	struct tl_reader *reader;

	ck_assert_int_eq(new (&reader, &nowhere, NULL), 0);
	for (size_t i = 0; i < count; i++)
		check_line((struct tl_line_read *)(void *)reader, lines[i]);
	reader->free(reader);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(lines_of_json_end_where_they_end)
{
	check_lines(tl_jsonl_read_new, json_lines,
	    sizeof(json_lines) / sizeof(json_lines[0]));
}

TEST(lines_of_csv_end_where_they_end)
{
	check_lines(tl_csv_read_new, csv_lines,
	    sizeof(csv_lines) / sizeof(csv_lines[0]));
}

/* Read the first bytes of an input in one piece. */
static void
check_piece(tl_reader_new *new, struct tl_bytes bytes, bool at_end)
{
	struct tl_reader *reader;
	int rc;

	ck_assert_int_eq(new (&reader, &nowhere, NULL), 0);
	rc = reader->feed(reader,
	    tl_bytes(guarded_copy(&guarded, bytes.data, bytes.size, at_end),
		bytes.size));
	if (rc == 0)
		rc = reader->finish(reader);
	ck_assert(rc == 0 || rc == -EBADMSG);
	reader->free(reader);
}

TEST(pieces_of_lms_end_where_they_end)
{
	static const char text[] = "2,0,outer\n2,1,a,b\n0,0,10\n0,1,20\n1,1,"
				   "30\n1,0,18446744073709551615\n0,1,x";

	for (size_t size = sizeof(text); size-- > 0;) {
		check_piece(tl_lms_read_new, tl_bytes(text, size), true);
		check_piece(tl_lms_read_new, tl_bytes(text, size), false);
	}
}

TEST(pieces_of_lincheck_end_where_they_end, .to = 2)
{
	static const char *const paths[] = {
		"tests/data/lincheck/v8-mem1.trace",
		"tests/data/lincheck/v22-mem2.trace",
	};
	static char data[GUARDED_PAGE * 2];
	const int fd = tl_open_read(paths[_i]);
	int64_t n;

	ck_assert_int_ge(fd, 0);
	n = tl_read_at(fd, data, sizeof(data), 0);
	close(fd);
	ck_assert_int_gt(n, 3000);
	for (size_t size = 0; size <= (size_t)n; size += 1 + size / 512) {
		check_piece(tl_lincheck_read_new, tl_bytes(data, size), true);
		check_piece(tl_lincheck_read_new, tl_bytes(data, size), false);
	}
}
