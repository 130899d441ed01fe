/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.c - files of foreign formats, the events that are read from them, and
 * what is said of their faults.
 */
#include "lib/lincheck.h"
#include "lib/perfetto_read.h"
#include "lib/timelogger.h"
#include "lib/writer_text.h"

#include "base/json.h"
#include "format/chrome/chrome.h"
#include "format/csv/csv.h"
#include "format/jsonl/jsonl.h"
#include "format/lincheck/lincheck.h"
#include "format/lms/lms.h"
#include "format/perfetto/write.h"
#include "format/rtl/rtl.h"
#include "format/stacks/folded.h"
#include "format/timelogger/timelogger.h"

static const struct format {
	const char *name;
	tl_reader_new *read_new;
	tl_writer_new *write_new;
	tl_recognise *recognise;
	/* of a binary format: put the bytes that a line stands for */
	void (*put_line)(char *line);
	void (*print)(struct tl_text *out, struct tl_bytes in);
} formats[] = {
#define FORMAT(f) tl_##f##_read_new, tl_##f##_write_new, tl_##f##_recognise
	{ "chrome", FORMAT(chrome), NULL, NULL },
	{ "csv", FORMAT(csv), NULL, NULL },
	{ "folded", NULL, tl_folded_write_new, NULL, NULL, NULL },
	{ "jsonl", FORMAT(jsonl), NULL, NULL },
	{ "lincheck", FORMAT(lincheck), put_lincheck_line, NULL },
	{ "lms", FORMAT(lms), NULL, NULL },
	{ "perfetto", NULL, tl_perfetto_write_new, NULL, NULL, print_perfetto },
	{ "rtl", FORMAT(rtl), NULL, NULL },
	{ "timelogger", FORMAT(timelogger), put_timelogger_line,
	    print_timelogger },
};

static const struct format *
format_of(const char *options)
{
	const struct format *end = formats + sizeof(formats) / sizeof(*formats);
	const size_t size = strcspn(options, " ");

	for (const struct format *f = formats; f < end; f++)
		if (strlen(f->name) == size &&
		    strncmp(options, f->name, size) == 0)
			return f;
	ck_abort_msg("no format: %s", options);
}

/* The text behind a word of the options; NULL: there is no such word. */
static const char *
option(const char *options, const char *word)
{
	const char *at = strstr(options, word);

	return at ? at + strlen(word) : NULL;
}

/* The bytes of a binary format, whose records are lines. */
static struct tl_bytes
assemble(const struct format *format, struct tl_bytes in)
{
	char *const lines = strndup(in.data, in.size);
	char *next = lines, *line;

	teardown();
	while ((line = strsep(&next, "\n")) && next)
		format->put_line(line);
	free(lines);
	return tl_bytes(file.data, file.size);
}

/*
 * Read a file, in pieces of several sizes, and print its events and what is
 * said.  Options: the format; "again": print what the writer of the format makes
 * of the events, "set=1" after its setting; "named=FILE", at the end: the name
 * of the file; "probe": print only how sure the format is of the file.
 */
static void
read_file(struct tl_text *out, const char *options, struct tl_bytes in)
{
	const struct format *format = format_of(options);
	struct foreign f;

	if (format->put_line)
		in = assemble(format, in);
	foreign_options.setting = option(options, "set=") != NULL;
	foreign_options.name = option(options, "named=");
	if (golden_has(options, "probe")) {
		tl_put_format(out, "%u\n", format->recognise(in));
		return;
	}
	/* a message of Lincheck explains itself with all of its definitions */
	foreign_options.all = strcmp(format->name, "lincheck") != 0;
	foreign_check_pieces(format->read_new, in);
	foreign_run(&f, format->read_new, format->write_new, in, 0);
	if (f.rc != 0)
		tl_put_format(out, "returns %d\n", f.rc);
	tl_put_bytes(out, tl_bytes(f.sink.text.data, f.sink.text.size));
	if (f.said.text.size > 0)
		tl_put_format(out, "said: %s", tl_text_string(&f.said.text));
	if (golden_has(options, "again")) {
		tl_put_format(out, "again: ");
		if (f.out.size == in.size &&
		    memcmp(f.out.data, in.data, in.size) == 0)
			tl_put_string(out, "the same\n");
		else
			tl_put_format(out, "%s\n", tl_text_string(&f.out));
		if (f.noted.text.size > 0)
			tl_put_format(out, "noted: %s",
			    tl_text_string(&f.noted.text));
	}
	foreign_free(&f);
	if (format->put_line)
		teardown();
}

/* Read what was written: its events are printed, and it is written again as it
 * is. */
static void
print_again(struct tl_text *out, const struct format *format,
    struct tl_bytes written)
{
	struct foreign again;

	foreign_run(&again, format->read_new, format->write_new, written, 7);
	tl_put_bytes(out, tl_bytes(again.sink.text.data, again.sink.text.size));
	ck_assert_str_eq(tl_text_string(&again.said.text), "");
	ck_assert_uint_eq(again.out.size, written.size);
	ck_assert_mem_eq(again.out.data, written.data, written.size);
	foreign_free(&again);
}

static void
check_json(struct tl_bytes text)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	int rc;

	tl_json_feed(&json, text);
	tl_json_finish(&json);
	do {
		rc = tl_json_next(&json, &token);
		ck_assert_int_gt(rc, 0);
	} while (rc != TL_JSON_END);
	tl_json_free(&json);
}

/* Write the events of lines (writer_text.h), and print the bytes and what is
 * noted. */
static void
write_file(struct tl_text *out, const char *options, struct tl_bytes in)
{
	const struct format *format = format_of(options);
	struct foreign f;

	foreign_init(&f);
	ck_assert_ok(format->write_new(&f.writer, foreign_write, &f.out,
	    &f.noted.report));
	writer_text_put_all(f.writer, in);
	if (strcmp(format->name, "chrome") == 0)
		check_json(tl_bytes(f.out.data, f.out.size));
	if (format->print)
		format->print(out, tl_bytes(f.out.data, f.out.size));
	else if (format->put_line)
		print_again(out, format, tl_bytes(f.out.data, f.out.size));
	else
		tl_put_bytes(out, tl_bytes(f.out.data, f.out.size));
	if (out->size && out->data[out->size - 1] != '\n')
		tl_put_char(out, '\n');
	if (f.noted.text.size > 0)
		tl_put_format(out, "noted: %s", tl_text_string(&f.noted.text));
	foreign_free(&f);
}

TEST_FILE(.teardown = teardown);

#define CASES(name) \
	TEST_TEXTS(name, "tests/unit/format/" #name ".cases", read_file)

#define WRITES(name) \
	TEST_TEXTS(write_##name, "tests/unit/format/write_" #name ".cases", \
	    write_file)

CASES(chrome);
CASES(lines);
CASES(lincheck);
CASES(lms);
CASES(rtl);
CASES(timelogger);

WRITES(chrome);
WRITES(folded);
WRITES(lincheck);
WRITES(lines);
WRITES(logs);
WRITES(perfetto);
WRITES(timelogger);
