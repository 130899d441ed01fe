/* SPDX-License-Identifier: Apache-2.0 */
/* rtl.c - the log of RTL_LOGFILE: read, written, and read again. */
#define TIMELOG
#include "format/rtl/rtl.h"
#include "base/array.h"
#include "front/rtl_text.h"
#include "lib/snap_open.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline_rtl.h>
#include <unistd.h>

#define HEADER \
	"opening log file 996739200.000000 seconds past January 1st 1970\n" \
	"corresponding to 2 ms after timer start\n" \
	"Process id is 4711\n"
#define OPENED_NS INT64_C(996739200000000000)

static struct tl_text listing; /* a line for each event that was read */
static struct tl_text log_text;
static struct tl_text faults;
static struct tl_writer *writer;
static struct tl_reader *reader;
static struct tl_event last;

static int
put_event(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	/* most logs here have this event */
	if (tl_bytes_equal(event->message->text, tl_bytes_of(TL_RTL_OPENED)))
		return 0;
	last = *event;
	tl_put_signed(&listing, event->ns / 1000);
	tl_put_format(&listing, " %u/%u ", event->pid, event->tid);
	tl_put_char(&listing, " .><"[event->kind]);
	tl_put_char(&listing, ' ');
	tl_put_bytes(&listing, event->message->category);
	tl_put_string(&listing, " \"");
	tl_put_bytes(&listing, event->message->text);
	tl_put_char(&listing, '"');
	for (unsigned i = 0; i < event->message->argc; i++) {
		tl_put_string(&listing, " \"");
		tl_put_bytes(&listing,
		    tl_message_string(event->message, event->args[i]));
		tl_put_char(&listing, '"');
	}
	tl_put_char(&listing, '\n');
	return 0;
}

static void
say(void *context, const struct tl_fault *fault)
{
	(void)context;
	tl_put_format(&faults, "%d %s\n", (int)fault->at, fault->text);
}

static int
write_log(void *context, const char *data, size_t size)
{
	(void)context;
	tl_put_bytes(&log_text, tl_bytes(data, size));
	return 0;
}

static const struct tl_report report = { say, NULL };
static struct tl_sink to_listing = { put_event, NULL };
static void
setup(void)
{
	listing = log_text = faults = (struct tl_text){ 0 };
	reader = NULL;
	ck_assert_ok(tl_rtl_write_new(&writer, write_log, NULL, &report));
}

static void
teardown(void)
{
	tl_writer_free(writer);
	if (reader)
		reader->free(reader);
	tl_text_free(&listing);
	tl_text_free(&log_text);
	tl_text_free(&faults);
}

/* Feed pieces of so many bytes; returns the result of feed or finish. */
static int
read_pieces(struct tl_sink *sink, struct tl_bytes bytes, size_t size)
{
	int rc = 0;

	if (reader)
		reader->free(reader);
	ck_assert_ok(tl_rtl_read_new(&reader, sink, &report));
	for (size_t at = 0; rc == 0 && at < bytes.size; at += size) {
		const size_t left = bytes.size - at;

		rc = reader->feed(reader,
		    tl_bytes(bytes.data + at, left < size ? left : size));
	}
	return rc == 0 ? reader->finish(reader) : rc;
}

#define SEED \
	"001234 11 { desktop (cd100003) ::Desktop::OpenStartupscreen\n" \
	"002345 11 | desktop (cd100003) ::Desktop::OpenStartupscreen : " \
	"{ lengthy calculation\n" \
	"003456 11 | desktop (cd100003) ::Desktop::OpenStartupscreen : " \
	"} lengthy calculation\n" \
	"004567 11 } desktop (cd100003) ::Desktop::OpenStartupscreen\n"

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_line_that_is_too_long_is_cut)
{
	struct tl_text text = { 0 };

	tl_put_string(&text, "000001 1 | : ");
	tl_put_repeat(&text, 'x', 200000);
	tl_put_string(&text, "\n000002 1 | : y\n");
	for (size_t size = 1; size < 300000; size = size * 7 + 64) {
		tl_text_clear(&faults);
		tl_text_clear(&listing);
		ck_assert_int_eq(read_pieces(&to_listing,
				     tl_bytes(text.data, text.size), size),
		    0);
		ck_assert_str_eq(tl_text_string(&faults),
		    "0 line of more than 64 KiB, cut\n");
		ck_assert_uint_lt(listing.size, 66000);
		ck_assert_ptr_nonnull(strstr(tl_text_string(&listing),
		    "\n2000 0/1 . rtl \"$message%s\" \"y\"\n"));
	}
	tl_text_free(&text);
}

static struct tl_message message;
static struct tl_event event;

static void
put(const char *category, const char *text, uint8_t kind)
{
	message.category = tl_bytes_of(category);
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(text)));
	event.kind = kind;
	event.message = &message;
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	/* the next call uses another message */
	writer->kind->free(writer);
}

static struct tl_bytes
get_long(const struct tl_strings *unused, uint64_t n)
{
	static char text[TL_RTL_LINE_MAX];

	(void)unused;
	memset(text, 'x', sizeof(text));
	memcpy(text + sizeof(text) - 1 - n, "\xc3\xa4", 2);
	return tl_bytes(text, sizeof(text));
}

/* The writer marks the cut, and the reader finds no line too long. */
TEST(a_line_that_a_reader_would_cut_is_cut_when_it_is_written)
{
	static const struct tl_strings long_strings = { .get = get_long };

	message = (struct tl_message){ .strings = &long_strings,
		.kind = TIMELINE_RECORD_INSTANT };
	event = (struct tl_event){ .ns = 5000000,
		.cpu = TL_CPU_UNKNOWN,
		.pid = 7,
		.tid = 8,
		.level = 6 };
	for (uint64_t n = 20; n < 40; n++) {
		event.args[0] = n;
		put("net", "$message%s", TL_INSTANT);
		put("net", "at $1%s", TL_INSTANT);
	}
	ck_assert_ok(writer->sink.finish(&writer->sink));
	ck_assert_str_eq(tl_text_string(&faults),
	    "-1 lines of more than 64 KiB are cut (40 times)\n");
	tl_text_clear(&faults);
	ck_assert_int_eq(read_pieces(&to_listing,
			     tl_bytes(log_text.data, log_text.size), 1000),
	    0);
	ck_assert_str_eq(tl_text_string(&faults), "");
	ck_assert_ptr_nonnull(strstr(tl_text_string(&log_text), "xx...\n"));
}

/* A file may contain a format string that does not fit its arguments. */
TEST(a_format_of_a_file_reads_no_memory, .to = 16)
{
	static const char *const formats[] = { "%s", "%d %s %d", "%d", "%n",
		"%*d", "%999999999d", "%ls", "%c" };
	struct tl_text text = { 0 };
	struct tl_message m = { .category = tl_bytes_of("rtl"),
		.kind = TIMELINE_RECORD_INSTANT };
	const struct tl_event e = { .ns = 0,
		.message = &m,
		.kind = TL_INSTANT,
		.level = 6,
		.cpu = TL_CPU_UNKNOWN,
		.args = { 0x41414141 } };

	tl_put_format(&text, "$1%%%c\nformat: : %s", _i % 2 ? 's' : 'd',
	    formats[_i / 2]);
	ck_assert_ok(tl_message_parse(&m, tl_bytes(text.data, text.size)));
	ck_assert_ok(writer->sink.put(&writer->sink, &e));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_text_free(&text);
}

static void
work(void)
{
	RTL_LOGFILE_CONTEXT_AUTHOR(a, "sfx2", "ab1", "::f");
	RTL_LOGFILE_CONTEXT_TRACE2(a, "%d of %s", -1, "C:\\new");
	RTL_LOGFILE_CONTEXT_TRACE(a, "{ part");
	RTL_LOGFILE_TRACE("plain $5");
	RTL_LOGFILE_TRACE_AUTHOR1("sfx2", "ab1", "%.1f", 2.5);
	RTL_LOGFILE_TRACE1("%d%%", 30);
	RTL_LOGFILE_CONTEXT_TRACE3(a, "%x %.2f %05d", 255, 0.5, 42);
	RTL_LOGFILE_CONTEXT_TRACE1(a, "{ step %03d", 1);
	RTL_LOGFILE_CONTEXT_TRACE1(a, "} step %03d", 1);
	RTL_LOGFILE_TRACE2("%cx%-4s|", 'z', "C:\\");
	{
		RTL_LOGFILE_CONTEXT(b, "In$0 100%");
		RTL_LOGFILE_CONTEXT_TRACE1(b, "%e", 1.0);
	}
	RTL_LOGFILE_CONTEXT_TRACE(a, "} part");
}

/* Put every event of a timeline into the writer. */
static void
write_timeline(const char *name)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	ck_assert_int_eq(snap_open(&snap, name, 0, &fault), 0);
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &e) > 0) {
		e.ns = 0;
		e.tid = 1;
		ck_assert_ok(writer->sink.put(&writer->sink, &e));
	}
	tl_cursor_close(cursor);
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_snap_close(snap);
}

TEST(what_the_macros_log_is_the_log_of_the_original)
{
	const struct timeline_options options = { .entries = 1024 };
	struct timeline *tl;
	char name[64];

	snprintf(name, sizeof(name), "/test-rtl-%d", (int)getpid());
	timeline_remove(name);
	ck_assert_ok(timeline_new(&tl, name, &options));
	ck_assert_ok(timeline_rtl_use(tl));
	work();
	write_timeline(name);
	timeline_remove(name);
	ck_assert_str_eq(strstr(tl_text_string(&log_text), "000000 1"),
	    "000000 1 { sfx2 (ab1) ::f\n"
	    "000000 1 | sfx2 (ab1) ::f : -1 of C:\\new\n"
	    "000000 1 | sfx2 (ab1) ::f : { part\n"
	    "000000 1 | : plain $5\n"
	    "000000 1 | sfx2 (ab1) : 2.5\n"
	    "000000 1 | : 30%\n"
	    "000000 1 | sfx2 (ab1) ::f : ff 0.50 00042\n"
	    "000000 1 | sfx2 (ab1) ::f : { step 001\n"
	    "000000 1 | sfx2 (ab1) ::f : } step 001\n"
	    "000000 1 | : zxC:\\ |\n"
	    "000000 1 { In$0 100%\n"
	    "000000 1 | In$0 100% : 1.000000e+00\n"
	    "000000 1 } In$0 100%\n"
	    "000000 1 | sfx2 (ab1) ::f : } part\n"
	    "000000 1 } sfx2 (ab1) ::f\n"
	    "closing log file at 000000");
}
