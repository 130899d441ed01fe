/* SPDX-License-Identifier: Apache-2.0 */
/* chrome.c - events as Chrome's trace events. */
#include "format/chrome/chrome.h"
#include "base/json.h"
#include "event/spans.h"
#include "lib/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <timeline.h>

static struct tl_text got;
static unsigned faults;
static struct tl_writer *writer;
static struct tl_message message;
static struct tl_event event;

static int
take(void *context, const char *data, size_t size)
{
	ck_assert_ptr_eq(context, &got);
	tl_put_bytes(&got, tl_bytes(data, size));
	return 0;
}

static void
count_fault(void *context, const struct tl_fault *fault)
{
	ck_assert_ptr_eq(context, &faults);
	ck_assert_int_eq(fault->rc, -ENOTSUP);
	faults++;
}

static const struct tl_report report = { count_fault, &faults };

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
	got = (struct tl_text){ 0 };
	faults = 0;
	ck_assert_int_eq(tl_chrome_write_new(&writer, take, &got, &report), 0);
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.level = 4,
		.strings = &strings };
	event = (struct tl_event){ .ns = 1795202658123456789,
		.pid = 41,
		.tid = 42,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 10, 20, 3, 0 } };
}

static void
teardown(void)
{
	tl_writer_free(writer);
	tl_text_free(&got);
}

static void
define(const char *line)
{
	ck_assert_int_eq(tl_message_parse(&message, tl_bytes_of(line)), 0);
}

static void
put(void)
{
	ck_assert_int_eq(writer->sink.put(&writer->sink, &event), 0);
}

static void
finish(void)
{
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
}

/* Check that the output contains a text. */
static void
says(const char *what)
{
	if (!strstr(tl_text_string(&got), what))
		ck_abort_msg("no %s in %.4000s", what, tl_text_string(&got));
}

/* Check that all of the output is JSON. */
static void
is_json(void)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	int rc;

	tl_json_feed(&json, tl_bytes(got.data, got.size));
	tl_json_finish(&json);
	do {
		rc = tl_json_next(&json, &token);
		ck_assert_int_gt(rc, 0);
	} while (rc != TL_JSON_END);
	tl_json_free(&json);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(a_file_has_names_and_events)
{
	define("processed $tcp, $udp, and $other\nmore");
	put();
	finish();
	ck_assert_str_eq(tl_text_string(&got),
	    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"base_ns\":"
	    "\"1795202658000000000\"},\"traceEvents\":[\n"
	    "{\"ph\":\"M\",\"pid\":41,\"tid\":41,\"name\":\"process_name\","
	    "\"args\":{\"name\":\"process 41\"}},\n"
	    "{\"ph\":\"M\",\"pid\":41,\"tid\":41,\"name\":"
	    "\"process_sort_index\",\"args\":{\"sort_index\":0}},\n"
	    "{\"ph\":\"M\",\"pid\":41,\"tid\":42,\"name\":\"thread_name\","
	    "\"args\":{\"name\":\"thread 42\"}},\n"
	    "{\"ph\":\"M\",\"pid\":41,\"tid\":42,\"name\":"
	    "\"thread_sort_index\",\"args\":{\"sort_index\":42}},\n"
	    "{\"ph\":\"I\",\"s\":\"t\",\"pid\":41,\"tid\":42,"
	    "\"ts\":123456.789,\"cat\":\"example\",\"name\":"
	    "\"processed tcp, udp, and other\",\"args\":{\"tcp\":10,"
	    "\"udp\":20,\"other\":3,\"priority\":\"trace\"}}\n]}\n");
	ck_assert_uint_eq(faults, 1);
	is_json();
}

TEST(a_file_without_events_is_whole)
{
	finish();
	says("\"traceEvents\":[\n]}");
	is_json();
}

TEST(no_nanosecond_is_lost)
{
	define("x");
	event.ns = 5;
	put();
	event.ns = -5;
	put();
	event.ns = INT64_MAX;
	put();
	event.ns = INT64_MIN;
	put();
	finish();
	says("\"ts\":0.005,");
	says("\"ts\":-0.005,");
	says("\"ts\":9223372036854775.807,");
	says("\"ts\":-9223372036854775.808,");
	is_json();
}

TEST(integers_that_a_double_would_change_are_strings)
{
	define("$a $b%d $c%x $d%t");
	event.args[0] = (UINT64_C(1) << 53) - 1;
	event.args[1] = (uint64_t)INT64_MIN;
	event.args[2] = 31;
	event.args[3] = (uint64_t)-7;
	put();
	event.args[0]++;
	put();
	finish();
	says("\"a\":9007199254740991,\"b\":\"-9223372036854775808\","
	     "\"c\":\"0x1f\",\"d\":-7,");
	says("\"a\":\"9007199254740992\",");
	is_json();
}

static uint64_t
bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

TEST(doubles_that_json_has_not_are_null_and_counted)
{
	define("$a%f $b%f $c%f $d%f");
	event.args[0] = bits_of(NAN);
	event.args[1] = bits_of(INFINITY);
	event.args[2] = bits_of(-0.0);
	event.args[3] = bits_of(2);
	put();
	finish();
	says("\"a\":null,\"b\":null,\"c\":-0.0,\"d\":2,");
	is_json();
	ck_assert_uint_eq(faults, 2); /* and the stamps */
}

TEST(a_counter_of_text_is_counted)
{
	define("$state%s");
	event.kind = TL_COUNTER;
	event.args[0] = 1;
	put();
	finish();
	says("\"args\":{\"state\":1}}");
	is_json();
	ck_assert_uint_eq(faults, 2);
}

TEST(kinds_have_their_phases)
{
	const struct tl_event lost = { .kind = TL_LOST, .lost = 12, .cpu = 1 };

	define("$depth%u queue");
	event.kind = TL_COUNTER;
	event.args[0] = UINT64_MAX;
	put();
	ck_assert_int_eq(writer->sink.put(&writer->sink, &lost), 0);
	event.kind = TL_BEGIN;
	put();
	finish();
	says("{\"ph\":\"C\",");
	says("\"args\":{\"depth\":18446744073709551615}}");
	says("\"ts\":123456.789,\"cat\":\"timeline\",\"name\":\"entries "
	     "lost\",\"args\":{\"lost\":12}}");
	says("{\"ph\":\"B\",\"pid\":41,");
	is_json();
}

/* Put an event of a kind, so much later than the last one. */
static void
put_kind(unsigned kind, int64_t after_ns)
{
	event.kind = (uint8_t)kind;
	event.ns += after_ns;
	put();
}

/* True if the first text stands before the second. */
static bool
stands_before(const char *first, const char *second)
{
	const char *at = strstr(tl_text_string(&got), first);

	says(first);
	return strstr(at, second) != NULL;
}

TEST(a_span_is_written_whole_with_the_arguments_of_both_ends)
{
	define("took $a of $b%x");
	put_kind(TL_BEGIN, 0);
	event.args[0] = 11;
	put_kind(TL_END, 2500);
	put_kind(TL_BEGIN, 1);
	event.bare = true;
	put_kind(TL_END, 0);
	finish();
	says("{\"ph\":\"X\",\"pid\":41,\"tid\":42,\"ts\":123456.789,"
	     "\"dur\":2.500,\"cat\":\"example\",\"name\":\"took a of b\","
	     "\"args\":{\"a\":10,\"b\":\"0x14\",\"a$end\":11,"
	     "\"b$end\":\"0x14\",\"priority\":\"trace\"}}");
	says("\"dur\":0.000,\"cat\":\"example\",\"name\":\"took a of b\","
	     "\"args\":{\"a\":11,\"b\":\"0x14\",\"priority\":\"trace\"}}");
	is_json();
}

TEST(what_has_one_end_is_written_alone)
{
	define("x $a");
	put_kind(TL_END, 0);
	put_kind(TL_BEGIN, 1);
	put_kind(TL_BEGIN, 1);
	put_kind(TL_END, 1);
	finish();
	ck_assert(
	    stands_before("\"ph\":\"I\",\"s\":\"t\",\"pid\":41,\"tid\":42,"
			  "\"ts\":123456.789,\"alone\":\"end\",",
		"\"ph\":\"X\",\"pid\":41,\"tid\":42,\"ts\":123456.791,"));
	ck_assert(stands_before("\"ph\":\"X\"",
	    "{\"ph\":\"B\",\"pid\":41,\"tid\":42,\"ts\":123456.790,"
	    "\"cat\":\"example\",\"name\":\"x a\",\"args\":{\"a\":10,"
	    "\"priority\":\"trace\"}}\n]}"));
	is_json();
}

TEST(a_span_that_runs_back_stays_apart)
{
	define("x");
	put_kind(TL_BEGIN, 0);
	put_kind(TL_END, -1);
	finish();
	ck_assert(
	    stands_before("{\"ph\":\"I\",\"s\":\"t\",\"pid\":41,\"tid\":42,"
			  "\"ts\":123456.789,\"alone\":\"begin\",",
		"{\"ph\":\"I\",\"s\":\"t\",\"pid\":41,\"tid\":42,"
		"\"ts\":123456.788,\"alone\":\"end\","));
	is_json();
}

/*
 * Viewers pair B and E by themselves, so an unpaired event must be an instant.
 */
static void
has_only_instants(void)
{
	const char *at = tl_text_string(&got);

	while ((at = strstr(at, "\"ph\":\""))) {
		at += strlen("\"ph\":\"");
		ck_assert(*at == 'I' || *at == 'M');
	}
	is_json();
}

TEST(a_begin_and_an_end_of_two_observed_intervals_are_no_span)
{
	define("x $a");
	event.observed = 5;
	put_kind(TL_BEGIN, 0);
	event.observed = 6;
	put_kind(TL_END, 1);
	finish();
	ck_assert(stands_before("\"alone\":\"end\"", "\"alone\":\"begin\""));
	has_only_instants();
}

TEST(a_pair_of_time_that_is_not_observed_is_no_span)
{
	define("x $a");
	event.observed = TL_UNOBSERVED;
	put_kind(TL_BEGIN, 0);
	put_kind(TL_END, 1);
	put_kind(TL_BEGIN, 1);
	finish();
	ck_assert(stands_before("\"alone\":\"begin\"", "\"alone\":\"end\""));
	has_only_instants();
}

TEST(a_pair_with_a_loss_between_is_no_span)
{
	struct tl_event lost = { .kind = TL_LOST, .lost = 12, .cpu = 1 };

	define("x $a");
	put_kind(TL_BEGIN, 0);
	ck_assert_int_eq(writer->sink.put(&writer->sink, &lost), 0);
	put_kind(TL_END, 1);
	finish();
	says("\"alone\":\"begin\"");
	has_only_instants();
}

TEST(a_begin_is_forgotten_for_one_too_many_but_written)
{
	struct tl_message other;

	define("oldest");
	other = message;
	event.message = &other;
	put_kind(TL_BEGIN, 0);
	event.message = &message;
	define("others");
	for (unsigned i = 0; i < TL_SPANS_OPEN_MAX; i++)
		put_kind(TL_BEGIN, 1);
	event.message = &other;
	put_kind(TL_END, 1);
	event.message = &message;
	put_kind(TL_END, 1);
	finish();
	ck_assert(stands_before("\"tid\":42,\"ts\":123456.789,"
				"\"alone\":\"begin\","
				"\"cat\":\"example\","
				"\"name\":\"oldest\"",
	    "\"tid\":42,\"ts\":123522.326,\"alone\":\"end\","
	    "\"cat\":\"example\",\"name\":\"oldest\""));
	ck_assert(stands_before("\"alone\":\"end\"",
	    "\"ph\":\"X\",\"pid\":41,\"tid\":42,\"ts\":123522.325,"
	    "\"dur\":0.002,"));
	is_json();
}

TEST(no_begin_is_forgotten_for_spans_that_have_ended)
{
	define("x");
	put_kind(TL_BEGIN, 0);
	for (unsigned i = 0; i < TL_SPANS_OPEN_MAX; i++) {
		put_kind(TL_BEGIN, 1);
		put_kind(TL_END, 1);
	}
	put_kind(TL_END, 1);
	finish();
	says("\"ts\":123456.789,\"dur\":131.073,");
	ck_assert_ptr_null(strstr(tl_text_string(&got), "{\"ph\":\"B\""));
}

TEST(a_source_has_a_thread_of_its_own)
{
	define("loading");
	message.scope = TIMELINE_SOURCE;
	put_kind(TL_BEGIN, 0);
	event.pid = 77; /* another process ends the span */
	put_kind(TL_END, 1);
	finish();
	says("\"tid\":2147483647,\"name\":\"thread_name\",\"args\":{\"name\":"
	     "\"loading\"}}");
	says("{\"ph\":\"X\",\"pid\":41,\"tid\":2147483647,\"ts\":123456.789,"
	     "\"dur\":0.001,");
	is_json();
}

TEST(the_process_that_is_known_has_its_name)
{
	const struct tl_origin origin = { .machine = "host \"a\"",
		.command = "server",
		.pid = 41 };

	tl_writer_facts(writer)->origin = origin;
	define("x");
	put();
	event.pid = 43;
	put();
	finish();
	says("\"base_ns\":\"1795202658000000000\",\"machine\":"
	     "\"host \\\"a\\\"\"},");
	says("\"pid\":41,\"tid\":41,\"name\":\"process_name\",\"args\":{"
	     "\"name\":\"server\"}}");
	says("\"name\":\"process_labels\",\"args\":{\"labels\":"
	     "\"host \\\"a\\\"\"}}");
	says("\"args\":{\"name\":\"process 43\"}}");
	is_json();
}

TEST(arguments_that_only_follow_are_not_in_the_name)
{
	define("read: $size $from");
	put();
	finish();
	says("\"name\":\"read\",\"args\":{\"size\":10,\"from\":20,");
	tl_writer_free(writer);
	ck_assert_int_eq(tl_chrome_write_new(&writer, take, &got, &report), 0);
	define("read $size: $from");
	put();
	finish();
	says("\"name\":\"read size\",\"args\":{\"size\":10,\"from\":20,");
}

TEST(a_label_is_the_name)
{
	define("$label%s: $n");
	event.args[0] = 1;
	put_kind(TL_BEGIN, 0);
	event.args[1]++;
	put_kind(TL_END, 1);
	event.bare = true;
	put_kind(TL_END, 0); /* no span is open */
	event.bare = false;
	put_kind(TL_COUNTER, 0); /* a counter without a text */
	finish();
	says("\"name\":\"say \\\"eth0\\\"\\n\",\"args\":{\"n\":20,"
	     "\"n$end\":21,\"priority\":\"trace\"}}");
	says("\"name\":\"label\",\"args\":{\"priority\":\"trace\"}}");
	says("\"name\":\"label\",\"args\":{\"value\":1}}");
	is_json();
}

TEST(any_bytes_are_json)
{
	char odd[256];

	for (size_t i = 0; i < sizeof(odd); i++)
		odd[i] = (char)i;
	message.category = tl_bytes(odd, sizeof(odd));
	ck_assert_int_eq(tl_message_parse(&message,
			     tl_bytes(odd + 11, sizeof(odd) - 11)),
	    0);
	put();
	finish();
	is_json();
	tl_writer_free(writer);
	ck_assert_int_eq(tl_chrome_write_new(&writer, take, &got, &report), 0);
	tl_text_clear(&got);
	define("$a%s $b%s $c%f");
	event.args[0] = 1;
	event.args[1] = 77;
	event.args[2] = UINT64_MAX; /* a NaN */
	put();
	finish();
	says("{\"a\":\"say \\\"eth0\\\"\\n\",\"b\":\"#77\",\"c\":null,");
	is_json();
}
