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

static int
put_log(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	return writer->sink.put(&writer->sink, event);
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
static struct tl_sink to_log = { put_log, NULL };

static void
setup(void)
{
	listing = log_text = faults = (struct tl_text){ 0 };
	reader = NULL;
	ck_assert_int_eq(tl_rtl_write_new(&writer, write_log, NULL, &report),
	    0);
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
	ck_assert_int_eq(tl_rtl_read_new(&reader, sink, &report), 0);
	for (size_t at = 0; rc == 0 && at < bytes.size; at += size) {
		const size_t left = bytes.size - at;

		rc = reader->feed(reader,
		    tl_bytes(bytes.data + at, left < size ? left : size));
	}
	return rc == 0 ? reader->finish(reader) : rc;
}

static int
read_all(const char *text)
{
	return read_pieces(&to_listing, tl_bytes_of(text), SIZE_MAX / 2);
}

static void
expect_read(const char *text, const char *events)
{
	tl_text_clear(&listing);
	ck_assert_int_eq(read_all(text), 0);
	ck_assert_str_eq(tl_text_string(&listing), events);
}

/* Read a log and write it again. */
static const char *
again(const char *text)
{
	ck_assert_int_eq(read_pieces(&to_log, tl_bytes_of(text), 4096), 0);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	return tl_text_string(&log_text);
}

#define SEED \
	"001234 11 { desktop (cd100003) ::Desktop::OpenStartupscreen\n" \
	"002345 11 | desktop (cd100003) ::Desktop::OpenStartupscreen : " \
	"{ lengthy calculation\n" \
	"003456 11 | desktop (cd100003) ::Desktop::OpenStartupscreen : " \
	"} lengthy calculation\n" \
	"004567 11 } desktop (cd100003) ::Desktop::OpenStartupscreen\n"

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(the_documented_examples_give_their_events)
{
	expect_read(SEED,
	    "1234000 0/11 > desktop \"::Desktop::OpenStartupscreen\n"
	    "author: cd100003\"\n"
	    "2345000 0/11 > desktop \"::Desktop::OpenStartupscreen : lengthy "
	    "calculation\nauthor: cd100003\"\n"
	    "3456000 0/11 < desktop \"::Desktop::OpenStartupscreen : lengthy "
	    "calculation\nauthor: cd100003\"\n"
	    "4567000 0/11 < desktop \"::Desktop::OpenStartupscreen\n"
	    "author: cd100003\"\n");
	expect_read("099999 11 | desktop (cd100003) ::Desktop::"
		    "CloseStartupscreen : Startup finished\n",
	    "99999000 0/11 . desktop \"::Desktop::CloseStartupscreen : "
	    "$message%s\nauthor: cd100003\" \"Startup finished\"\n");
	ck_assert_uint_eq(faults.size, 0);
}

TEST(what_the_macros_really_wrote_means_the_same)
{
	const char *event =
	    "99999000 0/11 . desktop \"::Desktop::CloseStartupscreen : "
	    "$message%s\nauthor: cd100003\" \"Startup finished\"\n";

	expect_read("099999 11 | desktop (cd100003) : ::Desktop::"
		    "CloseStartupscreen : Startup finished\n",
	    event);
	expect_read("099999 11 | : desktop (cd100003) ::Desktop::"
		    "CloseStartupscreen : Startup finished\n",
	    event);
	/* the documentation has the colon for scopes, too, but no log has it */
	expect_read("000001 1 { a (b) ::c : \n000002 1 } a (b) ::c :\n"
		    "000003 1 { a (b) ::c\n",
	    "1000 0/1 > a \"::c\nauthor: b\"\n"
	    "2000 0/1 < a \"::c\nauthor: b\"\n"
	    "3000 0/1 > a \"::c\nauthor: b\"\n");
}

TEST(a_line_may_lack_any_of_its_parts)
{
	expect_read("000001 1 | : plain\n"
		    "000002 1 | sfx2 (ab1) : of somebody\n"
		    "000003 1 | name : of a scope\n"
		    "000004 1 |  : of a scope without a name\n"
		    "000005 1 | no colon at all\n"
		    "000006 1 | name :\n"
		    "000007 1 | :\n"
		    "000008 1 no mark at all\n"
		    "000009 1 | : } part\n"
		    "000010 1 { \n",
	    "1000 0/1 . rtl \"$message%s\" \"plain\"\n"
	    "2000 0/1 . sfx2 \"$message%s\nauthor: ab1\" \"of somebody\"\n"
	    "3000 0/1 . rtl \"name : $message%s\" \"of a scope\"\n"
	    "4000 0/1 . rtl \"$message%s\" \"of a scope without a name\"\n"
	    "5000 0/1 . rtl \"$message%s\" \"no colon at all\"\n"
	    "6000 0/1 . rtl \"name : $message%s\" \"\"\n"
	    "7000 0/1 . rtl \"$message%s\" \"\"\n"
	    "8000 0/1 . rtl \"$message%s\" \"no mark at all\"\n"
	    "9000 0/1 < rtl \": part\"\n"
	    "10000 0/1 > rtl \"$label%s\" \"\"\n");
	ck_assert_str_eq(tl_text_string(&faults), "206 end without a begin\n");
}

TEST(project_and_author_are_told_from_names)
{
	expect_read("000001 1 { a (Ocke.Janssen@sun.com) b c\n"
		    "000002 1 { ::f (int) x\n"
		    "000003 1 { a (b c) d\n"
		    "000004 1 { a (b)d\n"
		    "000005 1 { a (b\n"
		    "000006 1 { net (-) request\n",
	    "1000 0/1 > a \"b c\nauthor: Ocke.Janssen@sun.com\"\n"
	    "2000 0/1 > rtl \"::f (int) x\"\n"
	    "3000 0/1 > rtl \"a (b c) d\"\n"
	    "4000 0/1 > rtl \"a (b)d\"\n"
	    "5000 0/1 > rtl \"a (b\"\n"
	    "6000 0/1 > net \"request\"\n");
}

TEST(a_name_that_a_message_cannot_hold_is_an_argument)
{
	expect_read("000001 1 { get $x\n"
		    "000002 1 | get $x : some $words\n"
		    "000003 1 | get : { $part\n"
		    "000004 1 | get $x : { $part\n",
	    "1000 0/1 > rtl \"$label%s\" \"get $x\"\n"
	    "2000 0/1 . rtl \"$label%s : $message%s\" \"get $x\" "
	    "\"some $words\"\n"
	    "3000 0/1 > rtl \"get : $label%s\" \"$part\"\n"
	    "4000 0/1 > rtl \"get ?x : $label%s\" \"$part\"\n");
}

TEST(the_header_says_when_and_who)
{
	expect_read(HEADER "000005 1 | : x\nclosing log file at 000007",
	    "996739200003000 4711/1 . rtl \"$message%s\" \"x\"\n"
	    "996739200005000 4711/0 . rtl \"log closed\"\n");
	ck_assert_uint_eq(last.error_ns, 1000000);
	expect_read("opening log file 1.5 seconds past January 1st 1970\n"
		    "corresponding to 10 us after timer start\n"
		    "000025 1 | : x\nclosing log file at 000007",
	    "1500015 0/1 . rtl \"$message%s\" \"x\"\n");
	ck_assert_uint_eq(last.error_ns, 1000);
	expect_read("opening log file -1,25 seconds past January 1st 1970\n"
		    "000250 1 | : x\nclosing log file at 000007",
	    "-1000000 0/1 . rtl \"$message%s\" \"x\"\n");
	ck_assert_uint_eq(faults.size, 0);
}

/* The process of a line in a file of this name. */
static uint32_t
pid_in(const char *name)
{
	ck_assert_int_eq(tl_rtl_read_new(&reader, &to_listing, &report), 0);
	reader->named(reader, name);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of("1 2 | : x\n")), 0);
	reader->free(reader);
	return last.pid;
}

TEST(the_name_of_the_file_says_who)
{
	ck_assert_uint_eq(pid_in("/tmp/soffice_4711.log"), 4711);
	ck_assert_uint_eq(pid_in("a_4294967295.log"), 4294967295);
	ck_assert_uint_eq(pid_in("a_4294967296.log"), 0);
	ck_assert_uint_eq(pid_in("a_99999999999999999999.log"), 0);
	ck_assert_uint_eq(pid_in("a.nopid"), 0);
	ck_assert_uint_eq(pid_in("4711.log"), 0);
	ck_assert_uint_eq(pid_in("_.log"), 0);
	ck_assert_uint_eq(pid_in(""), 0);
	reader = NULL;
}

TEST(milliseconds_go_on_after_49_days)
{
	expect_read("4294967290 1 | : a\n000005 1 | : b\n"
		    "4294967295 1 | : late\n000006 1 | : c\n",
	    "4294967290000 0/1 . rtl \"$message%s\" \"a\"\n"
	    "4294967301000 0/1 . rtl \"$message%s\" \"b\"\n"
	    "4294967295000 0/1 . rtl \"$message%s\" \"late\"\n"
	    "4294967302000 0/1 . rtl \"$message%s\" \"c\"\n");
}

TEST(an_end_without_a_begin_is_said)
{
	expect_read("000005 1 } x\n000006 2 { x\n000007 1 } x\n"
		    "000008 2 } x\n000009 1 | x : } y\n",
	    "5000 0/1 < rtl \"x\"\n6000 0/2 > rtl \"x\"\n"
	    "7000 0/1 < rtl \"x\"\n8000 0/2 < rtl \"x\"\n"
	    "9000 0/1 < rtl \"x : y\"\n");
	ck_assert_str_eq(tl_text_string(&faults),
	    "0 end without a begin (3 times)\n");
}

TEST(a_crash_is_reported)
{
	expect_read(HEADER "000005 1 | : x\n",
	    "996739200003000 4711/1 . rtl \"$message%s\" \"x\"\n");
	ck_assert_str_eq(tl_text_string(&faults),
	    "138 the log was not closed: its end is missing\n");
	tl_text_clear(&faults);
	expect_read("000005 1 | : x\n000006 1 | : cut he",
	    "5000 0/1 . rtl \"$message%s\" \"x\"\n"
	    "6000 0/1 . rtl \"$message%s\" \"cut he\"\n");
	ck_assert_str_eq(tl_text_string(&faults),
	    "15 the log ends inside its last line\n");
}

TEST(a_line_break_in_a_message_loses_nothing)
{
	expect_read("000005 7 | : one\r\ntwo\n\nthree\n",
	    "5000 0/7 . rtl \"$message%s\" \"one\"\n"
	    "5000 0/7 . rtl \"$message%s\" \"two\"\n"
	    "5000 0/7 . rtl \"$message%s\" \"three\"\n");
	ck_assert_str_eq(tl_text_string(&faults),
	    "18 line without a time, taken as a message (2 times)\n");
}

TEST(what_is_no_log_is_refused)
{
	ck_assert_int_eq(read_all("hello\nworld\n"), -EBADMSG);
	ck_assert_int_eq(read_all("1\n2 \n3 4\n5 x | : y\n"), -EBADMSG);
	ck_assert_int_eq(read_all("99999999999999999999 1 | : y\n"), -EBADMSG);
	ck_assert_int_eq(read_all("1 4294967296 | : y\n"), -EBADMSG);
	ck_assert_uint_eq(listing.size, 0);
	ck_assert_int_eq(read_all(""), 0);
}

TEST(hostile_times_are_reported)
{
	ck_assert_int_eq(
	    read_all("opening log file 9223372035.9 seconds past January 1st "
		     "1970\n9223372036854775807 1 | : x\n1 2 | : y\n"),
	    0);
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&faults), "time out of range"));
	ck_assert_int_eq(read_all("opening log file 9999999999999 seconds past "
				  "January 1st "
				  "1970\n"),
	    -EBADMSG);
	ck_assert_int_eq(read_all("opening log file -9223372035 seconds past "
				  "January 1st 1970\ncorresponding to "
				  "9999999999999999999 ms after timer start\n"),
	    0);
}

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

TEST(pieces_may_end_anywhere)
{
	static const char text[] = HEADER SEED
	    "000005 7 | : one\ntwo\r\n000007 1 } get $x\nclosing log "
	    "file at 000007\nafter";
	struct tl_text whole = { 0 };

	ck_assert_int_eq(read_all(text), 0);
	tl_put_bytes(&whole, tl_bytes(listing.data, listing.size));
	tl_put_bytes(&whole, tl_bytes(faults.data, faults.size));
	for (size_t size = 1; size < sizeof(text); size++) {
		tl_text_clear(&listing);
		tl_text_clear(&faults);
		ck_assert_int_eq(read_pieces(&to_listing, tl_bytes_of(text),
				     size),
		    0);
		tl_put_bytes(&listing, tl_bytes(faults.data, faults.size));
		ck_assert_str_eq(tl_text_string(&listing),
		    tl_text_string(&whole));
	}
	tl_text_free(&whole);
}

TEST(a_log_is_known_by_its_first_lines)
{
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of(HEADER)), 100);
	ck_assert_uint_ge(tl_rtl_recognise(tl_bytes_of(SEED)), 70);
	ck_assert_uint_ge(tl_rtl_recognise(tl_bytes_of("000001 1 { x")), 50);
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of("1 2 3\n4 5 6\n")), 0);
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of("0,0,10\n")), 0);
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of("{\"ns\":1}\n")), 0);
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of("")), 0);
}

TEST(a_log_is_known_behind_lines_of_another_form)
{
	ck_assert_uint_ge(tl_rtl_recognise(tl_bytes_of("junk before\n" HEADER)),
	    70);
	ck_assert_uint_ge(tl_rtl_recognise(tl_bytes_of(
			      "junk before\n\n000001 1 { x\n000002 1 } x\n"
			      "000003 1 | : y\n")),
	    50);
	ck_assert_uint_eq(tl_rtl_recognise(tl_bytes_of(
			      "one\ntwo\n000001 1 { x\n000002 1 } x\n")),
	    0);
}

TEST(a_log_is_written_as_it_was_read)
{
	static const char text[] =
	    "opening log file 996739200.001234 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 4711\n"
	    "000000 11 { desktop (cd100003) ::Desktop::Main\n"
	    "000001 11 | desktop (cd100003) ::Desktop::Main : { splash\n"
	    "000002 12 | : plain C:\\new $x\n"
	    "000003 12 | sfx2 (ab1) : of somebody\n"
	    "000004 12 | sfx2 (ab1) name : words\n"
	    "000005 12 { get $x\n"
	    "000006 12 | get $x : $y\n"
	    "000007 12 | : { part\n"
	    "000008 12 | : } part\n"
	    "000009 12 } get $x\n"
	    "000010 12 { net (-) request\n"
	    "000011 11 | desktop (cd100003) ::Desktop::Main : } splash\n"
	    "1234567 11 } desktop (cd100003) ::Desktop::Main\n"
	    "closing log file at 1234567";

	ck_assert_str_eq(again(text), text);
	ck_assert_uint_eq(faults.size, 0);
}

TEST(the_last_line_keeps_its_time)
{
	static const char text[] =
	    "opening log file 996739200.001234 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 4711\n"
	    "000000 11 | : x\n"
	    "closing log file at 000042";

	ck_assert_str_eq(again(text), text);
	ck_assert_uint_eq(faults.size, 0);
}

/* The log that ends so is written as it was read. */
static void
expect_end(const char *end)
{
	char text[512];

	snprintf(text, sizeof(text), HEADER "000002 11 | : x\n%s", end);
	ck_assert_str_eq(again(text), text);
	ck_assert_uint_eq(faults.size, 0);
}

TEST(the_last_line_keeps_its_line_break)
{
	expect_end("closing log file at 000002\n");
}

TEST(the_last_line_keeps_its_time_and_line_break)
{
	expect_end("closing log file at 000042\n");
}

TEST(a_closing_line_before_others_is_kept)
{
	expect_end("closing log file at 000002\n000003 11 | : y\n"
		   "closing log file at 000003");
}

TEST(the_last_line_keeps_its_time_in_an_empty_log)
{
	static const char text[] =
	    "opening log file 996739200.001234 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 4711\n"
	    "closing log file at 000042";

	ck_assert_str_eq(again(text), text);
	ck_assert_uint_eq(faults.size, 0);
}

TEST(microseconds_are_kept_where_asked_for)
{
	static const char text[] =
	    "opening log file -1.000001 seconds past January 1st 1970\n"
	    "corresponding to 0 us after timer start\n"
	    "Process id is 1\n"
	    "000000 11 | : x\n"
	    "000017 11 | : y\n"
	    "99999999999 11 | : z\n"
	    "closing log file at 99999999999";

	tl_writer_set(writer, true);
	ck_assert_str_eq(again(text), text);
	ck_assert_uint_eq(faults.size, 0);
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("a\nb\x1b[0m") : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };
static struct tl_message message;
static struct tl_event event;

static void
put(const char *category, const char *text, uint8_t kind)
{
	message.category = tl_bytes_of(category);
	ck_assert_int_eq(tl_message_parse(&message, tl_bytes_of(text)), 0);
	event.kind = kind;
	event.message = &message;
	ck_assert_int_eq(writer->sink.put(&writer->sink, &event), 0);
	/* the next call uses another message */
	writer->kind->free(writer);
}

TEST(any_event_becomes_a_line)
{
	message = (struct tl_message){ .strings = &strings,
		.kind = TIMELINE_RECORD_SPAN };
	event = (struct tl_event){ .ns = 5000000,
		.cpu = 1,
		.pid = 7,
		.tid = 8,
		.level = 3,
		.args = { 1, 20 } };
	put("net", "request $id of $size\nwhy", TL_BEGIN);
	event.ns = 4000000;
	put("net work", "backlog $jobs", TL_COUNTER);
	event.pid = 9;
	put("net", "what : $1%s is $size", TL_INSTANT);
	event.bare = true;
	put("net", "request $id of $size\nwhy", TL_END);
	event.bare = false;
	event.kind = TL_LOST;
	event.message = NULL;
	event.lost = 3;
	event.ns = 6000001;
	ck_assert_int_eq(writer->sink.put(&writer->sink, &event), 0);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&log_text),
	    "opening log file 0.005000 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 7\n"
	    "000000 8 { net (-) request id of size\n"
	    "000000 8 | net (-) : request id(1) of size(20)\n"
	    "000000 8 | net_work (-) : backlog jobs(1)\n"
	    "000000 8 | net (-) what : a\\nb\\x1b[0m is size(20)\n"
	    "000000 8 } net (-) request id of size\n"
	    "000001 8 | : 3 entries lost here\n"
	    "closing log file at 000001");
	ck_assert_str_eq(tl_text_string(&faults),
	    "-1 levels other than info are left out (4 times)\n"
	    "-1 numbers of CPUs are left out (5 times)\n"
	    "-1 events of several processes are in one log, whose header "
	    "names the first (2 times)\n"
	    "-1 counters are written as messages\n"
	    "-1 arguments are written as text (4 times)\n"
	    "-1 explanations of messages are left out (2 times)\n"
	    "-1 losses are written as messages\n"
	    "-1 times are cut to the unit of the columns\n"
	    "-1 events from before the first have its time (3 times)\n");
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
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&faults),
	    "-1 lines of more than 64 KiB are cut (40 times)\n");
	tl_text_clear(&faults);
	ck_assert_int_eq(read_pieces(&to_listing,
			     tl_bytes(log_text.data, log_text.size), 1000),
	    0);
	ck_assert_str_eq(tl_text_string(&faults), "");
	ck_assert_ptr_nonnull(strstr(tl_text_string(&log_text), "xx...\n"));
}

TEST(no_events_leave_header_and_end)
{
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&log_text),
	    "opening log file 0.000000 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 0\n"
	    "closing log file at 000000");
}

/*
 * One log was opened at 5 ms of its timer; the first line of the other came
 * late.
 */
TEST(the_header_of_a_log_comes_back, .to = 2)
{
	static const char timer[] =
	    "opening log file 996739200.001234 seconds past January 1st 1970\n"
	    "corresponding to 5 ms after timer start\n"
	    "Process id is 4711\n"
	    "000005 11 | : x\n"
	    "closing log file at 000005";
	static const char late[] =
	    "opening log file 996739200.001234 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 4711\n"
	    "000007 11 | : x\n"
	    "closing log file at 000007";

	ck_assert_str_eq(again(_i == 0 ? timer : late), _i == 0 ? timer : late);
	ck_assert_uint_eq(faults.size, 0);
}

TEST(the_process_is_known_after_a_loss)
{
	const struct tl_event lost = { .ns = 1000000,
		.kind = TL_LOST,
		.lost = 3,
		.cpu = TL_CPU_UNKNOWN };
	struct tl_message m = { .category = tl_bytes_of("rtl"),
		.kind = TIMELINE_RECORD_INSTANT };
	const struct tl_event e = { .ns = 3000000,
		.message = &m,
		.kind = TL_INSTANT,
		.level = 6,
		.cpu = TL_CPU_UNKNOWN,
		.pid = 4711,
		.tid = 11 };

	ck_assert_int_eq(tl_message_parse(&m, tl_bytes_of("x")), 0);
	ck_assert_int_eq(writer->sink.put(&writer->sink, &lost), 0);
	ck_assert_int_eq(writer->sink.put(&writer->sink, &e), 0);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&log_text),
	    "opening log file 0.001000 seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is 4711\n"
	    "000000 0 | : 3 entries lost here\n"
	    "000002 11 | : x\n"
	    "closing log file at 000002");
}

TEST(lines_before_the_first_record_are_said)
{
	expect_read("hello\nworld\n000001 1 | : x\n",
	    "1000 0/1 . rtl \"$message%s\" \"x\"\n");
	ck_assert_str_eq(tl_text_string(&faults),
	    "0 line before the log begins, left out (2 times)\n");
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
	ck_assert_int_eq(tl_message_parse(&m, tl_bytes(text.data, text.size)),
	    0);
	ck_assert_int_eq(writer->sink.put(&writer->sink, &e), 0);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
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
	ck_assert_int_eq(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor), 0);
	while (tl_cursor_next(cursor, &e) > 0) {
		e.ns = 0;
		e.tid = 1;
		ck_assert_int_eq(writer->sink.put(&writer->sink, &e), 0);
	}
	tl_cursor_close(cursor);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	tl_snap_close(snap);
}

TEST(what_the_macros_log_is_the_log_of_the_original)
{
	const struct timeline_options options = { .entries = 1024 };
	struct timeline *tl;
	char name[64];

	snprintf(name, sizeof(name), "/test-rtl-%d", (int)getpid());
	timeline_remove(name);
	ck_assert_int_eq(timeline_new(&tl, name, &options), 0);
	ck_assert_int_eq(timeline_rtl_use(tl), 0);
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
