/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - events written as CSV and read again. */
#include "format/csv/csv.h"
#include "lib/test.h"
#include "writer_fixture.h"

#include <errno.h>
#include <stdlib.h>

#define NAMES \
	"ns,tsc,cpu,pid,tid,priority,category,message,kind," \
	"arg1,value1,arg2,value2,arg3,value3,arg4,value4,thread,process," \
	"duration_ns,unsure,proven,begun_tsc,host,timeline,bare\n"

enum { COLUMNS = 26, FIELD_MAX = 2000 };

static struct tl_message message;
static struct tl_event event;
static char odd[256];

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	if (n == 1)
		return tl_bytes_of("eth0");
	return n == 2 ? tl_bytes(odd, sizeof(odd)) : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
setup(void)
{
	writer_setup(tl_csv_write_new);
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.level = 4,
		.strings = &strings };
	event = (struct tl_event){ .ns = 1795202658123456789,
		.tsc = 76543210,
		.cpu = 1,
		.pid = 41,
		.tid = 42,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 10, 20, 3, 0 } };
	for (size_t i = 0; i < sizeof(odd); i++)
		odd[i] = (char)i;
}

static void
put_line(const char *line)
{
	if (line)
		ck_assert_ok(tl_message_parse(&message, tl_bytes_of(line)));
	put(&event);
	finish();
}

TEST_FILE(.setup = setup, .teardown = writer_teardown);

/* A reader as simple as the format: split a row into its fields. */
static size_t
read_row(const char *row, char fields[COLUMNS][FIELD_MAX])
{
	size_t count = 0;

	for (;;) {
		const bool quoted = *row == '"';
		char *to = fields[count++];

		row += quoted;
		while (quoted ? *row != '"' || row[1] == '"'
			      : *row != ',' && *row != '\n') {
			row += quoted && *row == '"';
			*to++ = *row++;
		}
		*to = '\0';
		row += quoted;
		if (*row++ != ',' || count == COLUMNS)
			return count;
	}
}

/* Undo tl_put_csv in place; returns the size. */
static size_t
undo(char *field)
{
	const char *from = field + (*field == '\'');
	char *to = field;

	for (; *from; from++) {
		char digits[3] = { 0 };

		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'x') {
			memcpy(digits, from + 1, 2);
			*to++ = (char)strtoul(digits, NULL, 16);
			from += 2;
		} else {
			*to++ = *from == 'n'   ? '\n'
				: *from == 't' ? '\t'
					       : '\\';
		}
	}
	return (size_t)(to - field);
}

TEST(every_byte_can_be_read_back)
{
	static char fields[COLUMNS][FIELD_MAX];
	const char *row;

	/* starts with a single quote */
	message.category = tl_bytes(odd + 39, 100);
	event.args[0] = 2;
	put_line("say \"$a%s\", and \\");
	row = strchr(tl_text_string(&got), '\n') + 1;
	ck_assert_uint_eq(read_row(row, fields), COLUMNS);
	ck_assert_uint_eq(undo(fields[6]), 100);
	ck_assert_mem_eq(fields[6], odd + 39, 100);
	ck_assert_uint_eq(undo(fields[7]), message.line1.size);
	ck_assert_mem_eq(fields[7], message.line1.data, message.line1.size);
	ck_assert_str_eq(fields[9], "a");
	ck_assert_uint_eq(undo(fields[10]), sizeof(odd));
	ck_assert_mem_eq(fields[10], odd, sizeof(odd));
	ck_assert_str_eq(fields[16], "");
	ck_assert_str_eq(fields[18], "");
	ck_assert_str_eq(fields[24], "");
}

TEST(what_write_says_is_returned)
{
	int rc = 0;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("x")));
	write_rc = -EPIPE;
	for (unsigned i = 0; i < 10000 && rc == 0; i++)
		rc = writer->sink.put(&writer->sink, &event);
	ck_assert_int_eq(rc, -EPIPE);
}
