/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_read.c - Chrome's trace events: the meaning of each phase, the faults
 * of files, and that our own files are read as they were written.
 */
#include "event/names.h"
#include "event/spans.h"
#include "format/chrome/chrome.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <math.h>
#include <timeline.h>

static struct foreign f;

/* Check the events and the diagnostics of a file. */
static void
check(const char *file, const char *events, const char *said)
{
	foreign_check_pieces(tl_chrome_read_new, tl_bytes_of(file));
	foreign_run(&f, tl_chrome_read_new, tl_chrome_write_new,
	    tl_bytes_of(file), 0);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), events);
	ck_assert_str_eq(tl_text_string(&f.said.text), said);
	foreign_free(&f);
}

/* A whole list of events yields no diagnostics. */
static void
means(const char *list, const char *events)
{
	struct tl_text file = { 0 };

	tl_put_format(&file, "[%s]", list);
	check(tl_text_string(&file), events, "");
	tl_text_free(&file);
}

static void
refuses(const char *file)
{
	foreign_run(&f, tl_chrome_read_new, NULL, tl_bytes_of(file), 0);
	ck_assert_int_eq(f.rc, -EBADMSG);
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&f.said.text), "not Chrome trace events"));
	foreign_free(&f);
}

TEST_FILE(.timeout = 60);

TEST(both_forms_are_read)
{
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}]", "1000  a\n", "");
	check("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}]}",
	    "1000  a\n", "");
	check("{\"metadata\":{\"traceEvents\":[1]},\"displayTimeUnit\":\"ms\","
	      "\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}],"
	      "\"otherData\":{\"version\":\"x\"}}",
	    "1000  a\n", "");
	check("\xef\xbb\xbf [{\"ts\":1,\"name\":\"a\",\"ph\":\"i\"}] ",
	    "1000  a\n", "");
	check("[]", "", "");
	check("{\"traceEvents\":[]}", "", "");
	check("", "", "");
}

TEST(members_beside_the_events_are_about_the_file)
{
	check("{\"stackFrames\":{\"5\":[{}]},\"schemaVersion\":1,"
	      "\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}],"
	      "\"traceName\":\"x\",\"distributedInfo\":{\"rank\":[0]}}",
	    "1000  a\n", "");
	check("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}],}",
	    "1000  a\n", "");
	check("{\"systemTraceEvents\":\"x\",\"traceEvents\":[]}", "",
	    "0 1 member of the file with events of another kind: left out\n");
}

/* The member may stand before or behind the list. */
TEST(a_member_says_when_times_begin)
{
	static const struct {
		const char *member;
		const char *events;
	} bases[] = {
		{ "\"beginningOfTime\":1795639000000000.5",
		    "1795639000000003500 > a\n1795639000000005500 < a\n" },
		{ "\"beginningOfTime\":-7", "-4000 > a\n-2000 < a\n" },
		{ "\"baseTimeNanoseconds\":1795639000000000001",
		    "1795639000000003001 > a\n1795639000000005001 < a\n" },
		{ "\"otherData\":{\"x\":{},\"base_ns\":\"5\"}",
		    "3005 > a\n5005 < a\n" },
		{ "\"otherData\":{\"base_ns\":5},\"beginningOfTime\":9",
		    "3005 > a\n5005 < a\n" },
		{ "\"beginningOfTime\":{\"base_ns\":7}",
		    "3000 > a\n5000 < a\n" }
	};
	static const char list[] = "\"traceEvents\":[{\"ph\":\"X\",\"ts\":3,"
				   "\"dur\":2,\"name\":\"a\"}]";
	struct tl_text file = { 0 }, events = { 0 };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		tl_text_clear(&events);
		for (const char *c = bases[i].events; *c; c++) {
			if (*c == '>' || *c == '<') /* an empty category */
				tl_put_char(&events, ' ');
			tl_put_char(&events, *c);
		}
		for (unsigned behind = 0; behind < 2; behind++) {
			tl_text_clear(&file);
			tl_put_format(&file, "{%s,%s}",
			    behind ? list : bases[i].member,
			    behind ? bases[i].member : list);
			check(tl_text_string(&file), tl_text_string(&events),
			    "");
		}
	}
	tl_text_free(&file);
	tl_text_free(&events);
	check("{\"beginningOfTime\":\"x\",\"traceEvents\":[]}", "",
	    "-74 19 time or duration is missing, bad or out of range\n");
	check("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}],"
	      "\"baseTimeNanoseconds\":9223372036854775807}",
	    "9223372036854775807  a\n",
	    "-74 - time or duration is missing, bad or out of range\n");
}

TEST(a_list_may_lack_its_end)
{
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}", "1000  a\n",
	    "0 29 the list of events does not end\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},\n", "1000  a\n",
	    "0 31 the list of events does not end\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},\n{}]\n", "1000  a\n",
	    "");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},]", "1000  a\n", "");
	check("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}],",
	    "1000  a\n", "-74 46 the end of the file is missing\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"ts\"",
	    "1000  a\n", "-74 30 the end of the file is missing\n");
}

TEST(begins_and_ends_are_spans_of_their_thread)
{
	means("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"a\","
	      "\"cat\":\"c\",\"args\":{\"n\":5}},"
	      "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":2,\"name\":\"b\"},"
	      "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":3,\"name\":\"c\"},"
	      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4},"
	      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5,\"name\":\"a\"},"
	      "{\"ph\":\"E\",\"pid\":1,\"tid\":3,\"ts\":6}",
	    "1000 c > a: n(5)\n2000  > b\n3000  > c\n4000  < c\n"
	    "5000 c < a: n\n6000  < b\n");
}

TEST(an_end_is_of_the_innermost_begin_of_its_name)
{
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"a\",\"args\":{\"i\":1}},"
	      "{\"ph\":\"B\",\"ts\":2,\"name\":\"a\",\"args\":{\"k\":2}},"
	      "{\"ph\":\"B\",\"ts\":3,\"name\":\"b\"},"
	      "{\"ph\":\"E\",\"ts\":4,\"name\":\"a\"},"
	      "{\"ph\":\"E\",\"ts\":5,\"name\":\"other\"},"
	      "{\"ph\":\"E\",\"ts\":6},{\"ph\":\"E\",\"ts\":7},"
	      "{\"ph\":\"E\",\"ts\":8,\"name\":\"d\"}",
	    "1000  > a: i(1)\n2000  > a: k(2)\n3000  > b\n4000  < a: k\n"
	    "5000  < other\n6000  < b\n7000  < a: i\n8000  < d\n");
}

TEST(begins_and_ends_pair_by_time)
{
	means("{\"ph\":\"B\",\"ts\":0,\"name\":\"a\"},"
	      "{\"ph\":\"B\",\"ts\":20,\"name\":\"b\"},"
	      "{\"ph\":\"E\",\"ts\":10},{\"ph\":\"E\",\"ts\":30}",
	    "0  > a\n10000  < a\n20000  > b\n30000  < b\n");
	/* ends come first in the file, the outer one before the inner one */
	means("{\"ph\":\"E\",\"ts\":9},{\"ph\":\"E\",\"ts\":5},"
	      "{\"ph\":\"X\",\"ts\":2,\"dur\":8,\"tid\":1,\"name\":\"x\"},"
	      "{\"ph\":\"B\",\"ts\":3,\"name\":\"in\"},"
	      "{\"ph\":\"i\",\"ts\":4,\"name\":\"i\"},"
	      "{\"ph\":\"B\",\"ts\":1,\"name\":\"out\"}",
	    "1000  > out\n2000  > x\n3000  > in\n4000  i\n5000  < in\n"
	    "9000  < out\n10000  < x\n");
}

TEST(an_instant_stands_behind_the_span_before_it_in_the_file)
{
	means("{\"ph\":\"X\",\"ts\":1,\"dur\":0,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":1,\"name\":\"b\"},"
	      "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"c\"}",
	    "1000  > a\n1000  b\n1000  < a\n1000  > c\n2000  < c\n");
}

/* A value that does not fit the begin's argument must not be lost. */
TEST(an_end_keeps_its_arguments)
{
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"a\",\"args\":{\"d\":1.5,"
	      "\"s\":\"x\"}},{\"ph\":\"E\",\"ts\":2,\"args\":{\"d\":-3,"
	      "\"s\":\"y\"}}",
	    "1000  > a: d(1.5) s(x)\n2000  < a: d(-3) s(y)\n");
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"a\",\"args\":{\"d\":1}},"
	      "{\"ph\":\"E\",\"ts\":2,\"name\":\"a\",\"args\":{"
	      "\"d\":\"none\"}}",
	    "1000  > a: d(1)\n2000  a: d(none)\n2000  < a: d\n");
}

TEST(arguments_that_only_an_end_has_are_an_instant)
{
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"a\",\"cat\":\"c\"},"
	      "{\"ph\":\"E\",\"ts\":4,\"args\":{\"result\":7}}",
	    "1000 c > a\n4000 c end: result(7)\n4000 c < a\n");
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"a\",\"args\":{\"x\":1}},"
	      "{\"ph\":\"E\",\"ts\":4,\"name\":\"a\",\"args\":{\"x\":2}}",
	    "1000  > a: x(1)\n4000  < a: x(2)\n");
}

TEST(whole_spans_nest_where_times_are_equal)
{
	means("{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"out\"},"
	      "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"in\"},"
	      "{\"ph\":\"X\",\"ts\":3,\"dur\":0,\"name\":\"zero\"},"
	      "{\"ph\":\"X\",\"ts\":3.1,\"dur\":0.9,\"name\":\"last\"}",
	    "1000  > out\n1000  > in\n2000  < in\n3000  < out\n"
	    "3000  > zero\n3000  < zero\n3100  > last\n4000  < last\n");
	/* the inner span comes first in the file, because it ends first */
	means("{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"in\"},"
	      "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"out\"}",
	    "1000  > out\n1000  > in\n2000  < in\n3000  < out\n");
	/* both spans end at one time: the inner one ends first */
	means("{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"out\"},"
	      "{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"in\"}",
	    "1000  > out\n2000  > in\n3000  < in\n3000  < out\n");
	/* beside begins and ends */
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"b\"},"
	      "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"x\"},"
	      "{\"ph\":\"E\",\"ts\":3}",
	    "1000  > b\n1000  > x\n3000  < x\n3000  < b\n");
}

/* Microseconds are times 1000: 36 digits and 3 zeros exceed 127 bits. */
TEST(a_time_of_many_digits_is_out_of_range)
{
	check("[{\"ph\":\"i\",\"ts\":999999999999999999999999999999999999,"
	      "\"name\":\"a\"}]",
	    "9223372036854775807  a\n",
	    "-74 1 time or duration is missing, bad or out of range\n");
}

TEST(a_whole_span_may_be_none)
{
	check("[{\"ph\":\"X\",\"ts\":1,\"name\":\"a\"},"
	      "{\"ph\":\"X\",\"ts\":2,\"dur\":-1,\"name\":\"b\"}]",
	    "1000  > a\n2000  > b\n2000  < b\n",
	    "-74 30 time or duration is missing, bad or out of range\n"
	    "0 1 complete event without a duration: its span does not end\n");
}

TEST(instants_are_read_in_all_their_forms)
{
	means("{\"ph\":\"i\",\"s\":\"g\",\"ts\":1,\"name\":\"a\"},"
	      "{\"ph\":\"I\",\"ts\":2,\"name\":\"b\"},"
	      "{\"ph\":\"R\",\"ts\":3,\"name\":\"c\"},"
	      "{\"ph\":\"P\",\"ts\":4,\"name\":\"d\"},"
	      "{\"ph\":\"i\",\"ts\":5}",
	    "1000  a\n2000  b\n3000  c\n4000  d\n5000  \n");
}

TEST(a_counter_is_one_for_each_series)
{
	means("{\"ph\":\"C\",\"ts\":1,\"name\":\"mem\",\"cat\":\"c\","
	      "\"args\":{\"used\":1,\"free\":2.5,\"a\":3,\"b\":4,\"c\":5}},"
	      "{\"ph\":\"C\",\"ts\":2,\"name\":\"mem\",\"id\":7,"
	      "\"args\":{\"used\":9007199254740993}}",
	    "1000 c = mem: used 1\n1000 c = mem: free 2.5\n"
	    "1000 c = mem: a 3\n1000 c = mem: b 4\n1000 c = mem: c 5\n"
	    "2000  = mem: used 9007199254740993\n");
	check("[{\"ph\":\"C\",\"ts\":1,\"name\":\"m\",\"args\":{\"x\":\"y\"}},"
	      "{\"ph\":\"C\",\"ts\":1,\"name\":\"m\"}]",
	    "",
	    "-74 1 value is not a number: 0, or the counter is left out (2 "
	    "times)\n");
}

/* The members of an event that a listing does not show. */
static struct tl_event last;
static char last_explain[64];

static int
keep_last(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	last = *event;
	snprintf(last_explain, sizeof(last_explain), "%.*s",
	    (int)event->message->explain.size,
	    event->message->explain.size ? event->message->explain.data : "");
	last.message = NULL;
	last.lost = event->message->scope;
	return 0;
}

static void
read_last(const char *file)
{
	struct tl_sink sink = { keep_last, NULL };
	struct tl_reader *reader;

	ck_assert_int_eq(tl_chrome_read_new(&reader, &sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(file)), 0);
	ck_assert_int_eq(reader->finish(reader), 0);
	reader->free(reader);
}

TEST(async_spans_belong_to_their_name_and_id)
{
	means("{\"ph\":\"b\",\"ts\":1,\"cat\":\"n\",\"name\":\"a\",\"id\":"
	      "\"0x1\",\"tid\":1,\"args\":{\"url\":\"u\"}},"
	      "{\"ph\":\"n\",\"ts\":2,\"cat\":\"n\",\"name\":\"a\",\"id\":"
	      "\"0x1\"},"
	      "{\"ph\":\"e\",\"ts\":3,\"cat\":\"n\",\"name\":\"a\",\"id\":"
	      "\"0x1\",\"tid\":2,\"args\":{\"ok\":true}},"
	      "{\"ph\":\"S\",\"ts\":4,\"cat\":\"n\",\"name\":\"o\",\"id\":5},"
	      "{\"ph\":\"T\",\"ts\":5,\"cat\":\"n\",\"name\":\"o\",\"id\":5,"
	      "\"args\":{\"step\":\"x\"}},"
	      "{\"ph\":\"F\",\"ts\":6,\"cat\":\"n\",\"name\":\"o\",\"id\":5}",
	    "1000 n > a\n1000 n a: url(u)\n2000 n a\n3000 n a: ok(true)\n"
	    "3000 n < a\n4000 n > o\n5000 n o: step(x)\n6000 n < o\n");
	read_last("[{\"ph\":\"b\",\"ts\":1,\"name\":\"a\",\"id\":\"0x1\"}]");
	ck_assert_str_eq(last_explain, "id 0x1");
	ck_assert_uint_eq(last.lost, TIMELINE_SOURCE);
	read_last("[{\"ph\":\"e\",\"pid\":7,\"ts\":1,\"name\":\"a\",\"scope\":"
		  "\"s\",\"id2\":{\"local\":\"0x1\"}}]");
	ck_assert_str_eq(last_explain, "id 0x1 of process 7, scope s");
	read_last("[{\"ph\":\"n\",\"ts\":1,\"name\":\"a\","
		  "\"id2\":{\"global\":3}}]");
	ck_assert_str_eq(last_explain, "id 3");
}

/* Check that the last event of a file is the end of a span from begun_ns on. */
static void
ends_proven(const char *file, int64_t begun_ns)
{
	read_last(file);
	ck_assert_uint_eq(last.kind, TL_END);
	ck_assert(last.proven);
	ck_assert_int_eq(last.begun_ns, begun_ns);
	ck_assert_uint_eq(last.begun_tsc, (uint64_t)begun_ns);
	ck_assert_int_eq(last.duration_ns, last.ns - begun_ns);
}

TEST(an_end_whose_begin_is_found_is_proven)
{
	ends_proven("[{\"ph\":\"X\",\"ts\":5,\"dur\":100,\"name\":\"a\"},"
		    "{\"ph\":\"X\",\"ts\":0,\"dur\":10,\"name\":\"a\"}]",
	    5000);
	ends_proven("[{\"ph\":\"X\",\"ts\":-5,\"dur\":0,\"name\":\"a\"}]",
	    -5000);
	ends_proven("[{\"ph\":\"E\",\"ts\":9},{\"ph\":\"B\",\"ts\":3,"
		    "\"name\":\"b\"},{\"ph\":\"E\",\"ts\":5},"
		    "{\"ph\":\"B\",\"ts\":1,\"name\":\"a\"}]",
	    1000);
	read_last("[{\"ph\":\"B\",\"ts\":1,\"name\":\"a\"},"
		  "{\"ph\":\"E\",\"ts\":2,\"name\":\"b\"}]");
	ck_assert(!last.proven);
}

TEST(an_id_is_of_its_category_and_scope)
{
	ends_proven("[{\"ph\":\"b\",\"ts\":1,\"cat\":\"c\",\"id\":1,"
		    "\"name\":\"a\"},"
		    "{\"ph\":\"b\",\"ts\":2,\"cat\":\"d\",\"id\":1,"
		    "\"name\":\"a\"},"
		    "{\"ph\":\"b\",\"ts\":3,\"cat\":\"c\",\"id\":1,"
		    "\"scope\":\"s\",\"name\":\"a\"},"
		    "{\"ph\":\"b\",\"ts\":4,\"cat\":\"c\",\"pid\":5,"
		    "\"id2\":{\"local\":1},\"name\":\"a\"},"
		    "{\"ph\":\"e\",\"ts\":9,\"cat\":\"c\",\"id\":1,"
		    "\"tid\":7}]",
	    1000);
	ck_assert_uint_eq(last.tid, 7);
	ends_proven("[{\"ph\":\"b\",\"ts\":1,\"id\":1,\"name\":\"a\"},"
		    "{\"ph\":\"b\",\"ts\":2,\"id\":1,\"name\":\"b\"},"
		    "{\"ph\":\"b\",\"ts\":3,\"id\":1,\"name\":\"c\"},"
		    "{\"ph\":\"e\",\"ts\":4,\"id\":1},"
		    "{\"ph\":\"e\",\"ts\":5,\"id\":1,\"name\":\"a\"}]",
	    1000);
	read_last("[{\"ph\":\"b\",\"ts\":1,\"id\":1,\"name\":\"a\"},"
		  "{\"ph\":\"e\",\"ts\":2,\"id\":2,\"name\":\"a\"}]");
	ck_assert(!last.proven);
}

TEST(flows_and_objects_are_instants_with_their_id)
{
	means("{\"ph\":\"s\",\"ts\":1,\"name\":\"a\",\"id\":3},"
	      "{\"ph\":\"t\",\"ts\":2,\"name\":\"a\",\"id\":\"0xff\"},"
	      "{\"ph\":\"f\",\"bp\":\"e\",\"ts\":3,\"name\":\"a\",\"id\":\"x\"}"
	      ","
	      "{\"ph\":\"N\",\"ts\":4,\"name\":\"b\",\"id\":1},"
	      "{\"ph\":\"O\",\"ts\":5,\"name\":\"b\",\"id\":1,"
	      "\"args\":{\"snapshot\":{\"a\":[1,{}]}}},"
	      "{\"ph\":\"D\",\"ts\":6,\"name\":\"b\",\"id\":1}",
	    "1000  a: id(3)\n2000  a: id(0xff)\n3000  a: id(x)\n"
	    "4000  b: id(1)\n5000  b: id(1) snapshot({\"a\":[1,{}]})\n"
	    "6000  b: id(1)\n");
	read_last("[{\"ph\":\"t\",\"ts\":2,\"name\":\"a\",\"id\":3}]");
	ck_assert_str_eq(last_explain, "flow step");
}

TEST(metadata_names_and_is_no_event)
{
	means("{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\","
	      "\"args\":{\"name\":\"Main\"}},"
	      "{\"ph\":\"i\",\"ts\":5,\"name\":\"a\"},"
	      "{\"ph\":\"M\",\"name\":\"thread_sort_index\","
	      "\"args\":{\"sort_index\":8}}",
	    "5000  a\n");
	check("[{\"ph\":\"M\",\"cat\":\"c\",\"name\":\"num_cpus\","
	      "\"args\":{\"number\":8}}]",
	    "",
	    "0 1 metadata beside the names of processes and threads: left "
	    "out\n");
}

/*
 * The special members and names of our own files have no special meaning to the
 * reader.
 */
TEST(a_file_that_we_wrote_is_read_as_any_other)
{
	means("{\"ph\":\"I\",\"ts\":5,\"alone\":\"begin\",\"name\":\"a\"},"
	      "{\"ph\":\"X\",\"ts\":6,\"dur\":2,\"name\":\"f\",\"args\":{"
	      "\"n\":1,\"n$end\":2,\"priority\":\"debug\"}}",
	    "5000  a\n6000  > f: n(1) n_end(2)\n8000  < f: n n_end\n");
}

TEST(arguments_of_any_kind_are_kept)
{
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"u\":"
	      "18446744073709551615,\"s\":-9223372036854775808,\"d\":1e-3,"
	      "\"x\":\"0x1f\"}}",
	    "1000  a: u(18446744073709551615) s(-9223372036854775808) "
	    "d(0.001) x(0x1f)\n");
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"t\":true,"
	      "\"n\":null,\"s\":\"q\\\"\",\"l\":[1,\"a\\\"\",{\"b\":[]}]}}",
	    "1000  a: t(true) n(null) s(q\") l([1,\"a\\\\\"\",{\"b\":[]}])\n");
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"a b\":1,"
	      "\"a.b\":2,\"\":3}}",
	    "1000  a: a_b(1) a_b2(2) _(3)\n");
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":\"gone\"}",
	    "1000  a: args(gone)\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"n\",\"args\":{\"a\":1,"
	      "\"b\":2,\"c\":3,\"d\":\"x\",\"e\":{}}}]",
	    "1000  n: a(1) b(2) c(3) more({\"d\":\"x\",\"e\":{}})\n",
	    "0 1 event has more than four arguments: the last has the rest\n");
}

TEST(words_of_a_name_that_are_keys_are_its_arguments)
{
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"read size, of file\","
	      "\"args\":{\"file\":\"x\",\"size\":3,\"at\":4}}",
	    "1000  read size(3), of file(x): at(4)\n");
	/*
	 * a known level becomes the event's level, another text stays an
	 * argument
	 */
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"priority\":"
	      "\"error\"}},{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{"
	      "\"priority\":\"high\"}}",
	    "1000  a\n1000  a: priority(high)\n");
	read_last("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{"
		  "\"priority\":\"error\"}}]");
	ck_assert_uint_eq(last.level, 8);
}

TEST(a_name_that_no_line_can_say_is_an_argument)
{
	means("{\"ph\":\"B\",\"ts\":1,\"name\":\"Outer$Inner\",\"args\":{"
	      "\"label\":1}},{\"ph\":\"E\",\"ts\":2},"
	      "{\"ph\":\"i\",\"ts\":3,\"name\":\"two\\nlines\"}",
	    "1000  > label(Outer$Inner): label2(1)\n"
	    "2000  < label: label2\n3000  label(two\\nlines)\n");
}

TEST(times_are_exact)
{
	means("{\"ph\":\"i\",\"ts\":1795202658123456.789,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":-0.001,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":1.5e3,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":\"2.25\",\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":0.12345678,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":9223372036854775.807,\"name\":\"a\"}",
	    "-1  a\n123  a\n2250  a\n1500000  a\n1795202658123456789  a\n"
	    "9223372036854775807  a\n");
	check("[{\"ph\":\"i\",\"ts\":1e300,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":\"-Infinity\",\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":NaN,\"name\":\"a\"},"
	      "{\"ph\":\"X\",\"ts\":1,\"dur\":1e30,\"name\":\"x\"}]",
	    "-9223372036854775808  a\n0  a\n1000  > x\n"
	    "9223372036854775807  a\n9223372036854775807  < x\n",
	    "-74 1 time or duration is missing, bad or out of range "
	    "(5 times)\n");
	check("[{\"ph\":\"i\",\"ts\":9223372036854775.808,\"name\":\"a\"},"
	      "{\"ph\":\"i\",\"ts\":true,\"name\":\"a\"}]",
	    "9223372036854775807  a\n9223372036854775807  a\n",
	    "-74 1 time or duration is missing, bad or out of range "
	    "(2 times)\n");
}

TEST(processes_and_threads_may_be_no_numbers)
{
	read_last("[{\"ph\":\"i\",\"ts\":1,\"pid\":\"12\",\"tid\":4294967295,"
		  "\"name\":\"a\"}]");
	ck_assert_uint_eq(last.pid, 12);
	ck_assert_uint_eq(last.tid, UINT32_MAX);
	read_last("[{\"ph\":\"i\",\"ts\":1,\"pid\":\"gpu\",\"tid\":-1,"
		  "\"name\":\"a\"}]");
	ck_assert_uint_eq(last.pid, (1u << 30) + 1);
	ck_assert_uint_eq(last.tid, (1u << 30) + 2);
	check("[{\"ph\":\"i\",\"ts\":1,\"pid\":\"gpu\",\"name\":\"a\"}]",
	    "1000  a\n",
	    "0 1 process or thread is not a number of 32 bits: it is its name, "
	    "numbers begin at 1073741824\n");
}

struct last {
	struct tl_sink sink; /* first: the reader sees this member */
	struct tl_event event;
};

static int
take_last(struct tl_sink *sink, const struct tl_event *event)
{
	((struct last *)(void *)sink)->event = *event;
	return 0;
}

/* Check the names of the process and the thread of the last event. */
static void
check_names(const char *file, const char *process, const char *thread)
{
	struct last named = { .sink = { take_last, NULL } };
	struct tl_reader *reader;
	const struct tl_names *names;

	ck_assert_int_eq(tl_chrome_read_new(&reader, &named.sink, NULL), 0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes_of(file)), 0);
	ck_assert_int_eq(reader->finish(reader), 0);
	names = named.event.message->names;
	ck_assert(tl_bytes_equal(tl_names_process(names, named.event.pid),
	    tl_bytes_of(process)));
	ck_assert(tl_bytes_equal(tl_names_thread(names, named.event.pid,
				     named.event.tid),
	    tl_bytes_of(thread)));
	reader->free(reader);
}

TEST(what_is_no_number_is_a_name)
{
	check_names("[{\"ph\":\"i\",\"ts\":1,\"pid\":\"gpu\",\"tid\":"
		    "\"stream 7\",\"name\":\"a\"}]",
	    "gpu", "stream 7");
	check_names("[{\"ph\":\"i\",\"ts\":1,\"pid\":4294967296,\"tid\":"
		    "140737353971520,\"name\":\"a\"}]",
	    "4294967296", "140737353971520");
	check_names("[{\"ph\":\"i\",\"ts\":1,\"pid\":\"gpu\",\"tid\":5,"
		    "\"name\":\"a\"}]",
	    "gpu", "");
	check_names("[{\"ph\":\"M\",\"pid\":1,\"tid\":\"t\",\"name\":"
		    "\"thread_name\",\"args\":{\"name\":\"Main\"}},"
		    "{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":\"t\","
		    "\"name\":\"a\"}]",
	    "", "Main");
}

TEST(numbers_that_json_does_not_have_are_values)
{
	means("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"n\":NaN,"
	      "\"i\":Infinity,\"m\":-Infinity,\"c\":[-inf,nan]}},"
	      "{\"ph\":\"C\",\"ts\":2,\"name\":\"c\",\"args\":{\"v\":NaN}}",
	    "1000  a: n(nan) i(inf) m(-inf) c([-inf,nan])\n"
	    "2000  = c: v nan\n");
}

TEST(too_many_open_spans_are_reported_as_such)
{
	enum { BEGINS = 300000 };
	struct tl_text file = { 0 };

	tl_put_char(&file, '[');
	for (unsigned i = 0; i < BEGINS; i++)
		tl_put_format(&file,
		    "%s{\"ph\":\"B\",\"ts\":%u,\"name\":\"a\"}",
		    i > 0 ? "," : "", i);
	tl_put_char(&file, ']');
	foreign_run(&f, tl_chrome_read_new, NULL,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, BEGINS);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-28 - more than 262144 spans are open at once: the span does not "
	    "end; complete events (X) have no such limit (37856 times)\n");
	foreign_free(&f);
	tl_text_free(&file);
}

TEST(reading_goes_on_behind_damage)
{
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},"
	      "{\"ph\":\"i\" \"ts\":2},"
	      "{\"ph\":\"i\",\"ts\":3,\"name\":\"\\x\"},"
	      "{\"ph\":\"i\",\"ts\":4,\"name\":\"b\"}]",
	    "1000  a\n4000  b\n",
	    "-74 40 no comma after a value: on to the next event\n"
	    "-74 72 a bad escape: on to the next event\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},5,[{\"ph\":1}],"
	      "{\"x\":{}},{\"ph\":\"i\",\"ts\":4,\"name\":\"b\"}]",
	    "1000  a\n4000  b\n", "-74 30 not an event: skipped (3 times)\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}]}", "1000  a\n",
	    "-74 30 no value where one must be: the rest is not read\n");
	check("[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"~\"},"
	      "{\"ph\":\"v\"}]",
	    "1000  a\n",
	    "-95 30 event of an unknown phase: left out\n"
	    "0 41 memory dump, clock sync, context or link: left out\n");
}

TEST(another_file_is_refused)
{
	refuses("{\"ns\":1}\n{\"ns\":2}\n");
	refuses("5");
	refuses("x");
	refuses("[1,2,3]");
	refuses("{\"traceEvents\":5}");
	refuses("[{\"a\":1}]");
	refuses("{\"otherData\":{\"a\" 5}}");
}

TEST(an_event_has_a_bound)
{
	struct tl_text file = { 0 };

	tl_put_string(&file,
	    "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{");
	for (unsigned i = 0; i < 6; i++) {
		tl_put_format(&file, "%s\"k%u\":\"", i > 0 ? "," : "", i);
		tl_put_repeat(&file, 'x', 1000000);
		tl_put_char(&file, '"');
	}
	tl_put_string(&file, "}},{\"ph\":\"i\",\"ts\":2,\"name\":\"b\"}]");
	foreign_run(&f, tl_chrome_read_new, NULL,
	    tl_bytes(file.data, file.size), 4096);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), "2000  b\n");
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-28 1 event is too large: left out\n");
	foreign_free(&f);
	tl_text_free(&file);
}

TEST(what_the_sink_says_is_returned)
{
	static const char file[] = "[{\"ph\":\"X\",\"ts\":1,\"dur\":1}]";

	foreign_init(&f);
	f.sink.rc = -ENOSPC;
	ck_assert_int_eq(tl_chrome_read_new(&f.reader, &f.sink.sink, NULL), 0);
	ck_assert_int_eq(f.reader->feed(f.reader, tl_bytes_of(file)), 0);
	ck_assert_int_eq(f.reader->finish(f.reader), -ENOSPC);
	foreign_free(&f);
}

TEST(a_file_is_recognised)
{
	static const struct {
		const char *first;
		bool is;
	} files[] = { { "[{\"ph\":\"i\"", true },
		{ " \n{ \"traceEvents\" : [", true },
		{ "\xef\xbb\xbf{\"displayTimeUnit\"", true },
		{ "{\"ns\":1}", false }, { "", false }, { "[1]", false },
		{ "\0\0", false } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		ck_assert_int_eq(tl_chrome_recognise(
				     tl_bytes_of(files[i].first)) > 0,
		    files[i].is);
}
