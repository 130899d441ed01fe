/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - events that are written as lines are read as they were. */
#include "event/intern.h"
#include "format/csv/csv.h"
#include "format/jsonl/jsonl.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <timeline.h>

static const struct {
	tl_writer_new *write_new;
	tl_reader_new *read_new;
	tl_recognise *recognise;
} formats[] = {
	{ tl_csv_write_new, tl_csv_read_new, tl_csv_recognise },
	{ tl_jsonl_write_new, tl_jsonl_read_new, tl_jsonl_recognise },
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static struct tl_text first, second;
static struct tl_interner *interner;
static unsigned faults;
static const char odd[] =
    "=a,\"b\"\\n\n\t\x1b[31m'\xe2\x82\xac\xf0\x9f\x98\x80";

static int
append(void *context, const char *data, size_t size)
{
	tl_put_bytes(context, tl_bytes(data, size));
	return 0;
}

static void
count_fault(void *context, const struct tl_fault *fault)
{
	(void)context;
	faults += fault->rc < 0;
}

static const struct tl_report report = { count_fault, NULL };

static void
put(struct tl_writer *w, const char *text, uint8_t record, unsigned kind,
    uint64_t a, uint64_t b)
{
	struct tl_event event = { .ns = INT64_MIN + 5,
		.tsc = UINT64_MAX,
		.cpu = TL_CPU_UNKNOWN,
		.pid = UINT32_MAX,
		.tid = 1,
		.kind = (uint8_t)kind,
		.args = { a, b } };

	ck_assert_ok(tl_interner_message(interner, tl_bytes(odd, sizeof(odd)),
	    tl_bytes_of(text), record, 8, 0, &event.message));
	ck_assert_ok(w->sink.put(&w->sink, &event));
}

/* Write an event of each kind. */
static void
write_events(struct tl_writer *w)
{
	const struct tl_event lost = { .kind = TL_LOST,
		.ns = INT64_MIN + 5,
		.tsc = 7,
		.cpu = 3,
		.lost = UINT64_MAX };
	const double tenth = 0.1, tiny = -4.9406564584124654e-324;
	uint64_t bits[2], number;

	memcpy(&bits[0], &tenth, 8);
	memcpy(&bits[1], &tiny, 8);
	put(w, "", TIMELINE_RECORD_INSTANT, TL_INSTANT, 0, 0);
	put(w, "$a and $b%x", TIMELINE_RECORD_INSTANT, TL_INSTANT, UINT64_MAX,
	    (UINT64_C(1) << 53) + 1);
	put(w, "$a%d $b%t", TIMELINE_RECORD_SPAN, TL_BEGIN, (uint64_t)INT64_MIN,
	    (uint64_t)INT64_MAX);
	put(w, "$a%d $b%t", TIMELINE_RECORD_SPAN, TL_END, 1, 2);
	put(w, "$a%f $b%f", TIMELINE_RECORD_COUNTER, TL_COUNTER, bits[0],
	    bits[1]);
	ck_assert_ok(
	    tl_interner_string(interner, tl_bytes(odd, sizeof(odd)), &number));
	put(w, "$a%s, \"$b%s\"", TIMELINE_RECORD_INSTANT, TL_INSTANT, number,
	    number);
	ck_assert_ok(w->sink.put(&w->sink, &lost));
	ck_assert_ok(w->sink.finish(&w->sink));
}

static void
setup(void)
{
	first = second = (struct tl_text){ 0 };
	faults = 0;
	ck_assert_ok(tl_interner_new(&interner));
}

static void
teardown(void)
{
	tl_interner_free(interner);
	tl_text_free(&first);
	tl_text_free(&second);
}

/* Read a text in pieces of a size, and write it again to second. */
static int
copy(int i, struct tl_bytes text, size_t size)
{
	struct tl_writer *w;
	struct tl_reader *r;
	int rc = 0;

	tl_text_clear(&second);
	ck_assert_int_eq(formats[i].write_new(&w, append, &second, NULL), 0);
	ck_assert_int_eq(formats[i].read_new(&r, &w->sink, &report), 0);
	for (size_t at = 0; at < text.size && rc == 0; at += size)
		rc = r->feed(r,
		    tl_bytes(text.data + at,
			text.size - at < size ? text.size - at : size));
	if (rc == 0)
		rc = r->finish(r);
	if (rc == 0)
		ck_assert_ok(w->sink.finish(&w->sink));
	tl_writer_free(w);
	r->free(r);
	return rc;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(what_was_written_is_read_back_from_any_pieces, .to = FORMATS)
{
	static const size_t sizes[] = { 1, 2, 7, 1 << 20 };
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	ck_assert_uint_ge(formats[_i].recognise(
			      tl_bytes(first.data, first.size)),
	    90);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		ck_assert_int_eq(copy(_i, tl_bytes(first.data, first.size),
				     sizes[k]),
		    0);
		ck_assert_str_eq(tl_text_string(&second),
		    tl_text_string(&first));
	}
	ck_assert_uint_eq(faults, 0);
}

TEST(a_damaged_line_is_reported_and_the_next_is_read, .to = FORMATS)
{
	struct tl_text damaged = { 0 };
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	tl_put_bytes(&damaged, tl_bytes(first.data, first.size));
	tl_put_string(&damaged, "1,2,3\n{\"ns\":1\n{\"ns\":\"\\\n\"\n\r\n");
	tl_put_bytes(&damaged, tl_bytes(first.data, first.size));
	ck_assert_int_eq(copy(_i, tl_bytes(damaged.data, damaged.size), 5), 0);
	ck_assert_uint_eq(faults, 1);
	ck_assert_uint_ge(second.size, 2 * first.size - 200);
	tl_text_free(&damaged);
}

TEST(another_format_is_said_to_be_one, .to = FORMATS)
{
	const struct tl_bytes text = tl_bytes_of("BEGIN:VCARD\nEND:VCARD\n");

	ck_assert_uint_eq(formats[_i].recognise(text), 0);
	ck_assert_int_eq(copy(_i, text, 3), -EBADMSG);
	ck_assert_uint_ge(faults, 1);
}

TEST(every_prefix_of_a_file_is_read_without_harm, .to = FORMATS)
{
	struct tl_writer *w;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	write_events(w);
	tl_writer_free(w);
	for (size_t size = 0; size < first.size; size++)
		(void)copy(_i, tl_bytes(first.data, size), 64);
}

/* The events that were read. */
enum { KEPT_MAX = 64 };

static struct tl_event kept[KEPT_MAX];
static unsigned kept_count;

static int
keep_event(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	ck_assert_uint_lt(kept_count, KEPT_MAX);
	kept[kept_count++] = *event;
	return 0;
}

static int
keep_nothing(struct tl_sink *sink)
{
	(void)sink;
	return 0;
}

static struct tl_reader *reader;

/* The caller frees the reader, which owns the messages of the kept events. */
static int
read_kept(int i, const char *text)
{
	static struct tl_sink sink = { keep_event, keep_nothing };
	int rc;

	kept_count = 0;
	ck_assert_int_eq(formats[i].read_new(&reader, &sink, &report), 0);
	rc = reader->feed(reader, tl_bytes_of(text));
	return rc < 0 ? rc : reader->finish(reader);
}

static const struct tl_message *
span_message(const char *text, uint8_t scope)
{
	const struct tl_message *message;

	ck_assert_ok(tl_interner_message(interner, tl_bytes_of("c"),
	    tl_bytes_of(text), TIMELINE_RECORD_SPAN, 6, scope, &message));
	return message;
}

static const struct {
	const char *text;
	uint8_t scope;
	uint8_t kind;
	bool bare;
} spans[] = {
	{ "lock", TIMELINE_SOURCE, TL_BEGIN, false },
	{ "lock", TIMELINE_SOURCE, TL_END, false },
	{ "lock", TIMELINE_THREAD, TL_BEGIN, false },
	{ "of $a", TIMELINE_SOURCE, TL_BEGIN, false },
	{ "of $a", TIMELINE_SOURCE, TL_END, true },
	{ "of $a", TIMELINE_THREAD, TL_END, true },
	{ "of $a", TIMELINE_THREAD, TL_END, false },
	{ "$scope%s", TIMELINE_THREAD, TL_BEGIN, false },
	{ "$scope%s", TIMELINE_SOURCE, TL_BEGIN, false },
	{ "$scope%s", TIMELINE_SOURCE, TL_END, true },
	{ "$a%s and $scope%s", TIMELINE_SOURCE, TL_END, false },
	{ "$a $b $c%s", TIMELINE_SOURCE, TL_BEGIN, false },
	{ "$a%s $b $c", TIMELINE_SOURCE, TL_END, true },
};
enum { SPANS = sizeof(spans) / sizeof(spans[0]) };

TEST(scopes_and_ends_without_arguments_come_back, .to = FORMATS)
{
	struct tl_writer *w;
	uint64_t source;

	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	ck_assert_ok(
	    tl_interner_string(interner, tl_bytes_of("source"), &source));
	/* known messages are written, too */
	for (unsigned k = 0; k < 3 * SPANS; k++) {
		const struct tl_event e = {
			.message = span_message(spans[k % SPANS].text,
			    spans[k % SPANS].scope),
			.kind = spans[k % SPANS].kind,
			.bare = spans[k % SPANS].bare,
			.known = spans[k % SPANS].bare && k >= SPANS,
			.args = { source, source, source }
		};

		ck_assert_ok(w->sink.put(&w->sink, &e));
	}
	ck_assert_ok(w->sink.finish(&w->sink));
	tl_writer_free(w);
	ck_assert_int_eq(read_kept(_i, tl_text_string(&first)), 0);
	ck_assert_uint_eq(kept_count, 3 * SPANS);
	for (unsigned k = 0; k < kept_count; k++) {
		const struct tl_event *e = &kept[k];

		ck_assert_mem_eq(e->message->line1.data, spans[k % SPANS].text,
		    e->message->line1.size);
		ck_assert_uint_eq(e->message->scope, spans[k % SPANS].scope);
		ck_assert_uint_eq(e->kind, spans[k % SPANS].kind);
		ck_assert_int_eq(e->bare, spans[k % SPANS].bare);
		ck_assert_int_eq(e->known, spans[k % SPANS].bare && k >= SPANS);
	}
	ck_assert_uint_eq(faults, 0);
	reader->free(reader);
}

TEST(an_empty_text_is_no_missing_one, .to = FORMATS)
{
	struct tl_writer *w;
	struct tl_event e = { .message =
				  span_message("of $a%s", TIMELINE_THREAD),
		.kind = TL_END };

	ck_assert_ok(tl_interner_string(interner, tl_bytes_of(""), &e.args[0]));
	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	ck_assert_ok(w->sink.put(&w->sink, &e));
	ck_assert_ok(w->sink.finish(&w->sink));
	tl_writer_free(w);
	ck_assert_int_eq(read_kept(_i, tl_text_string(&first)), 0);
	ck_assert(!kept[0].bare);
	ck_assert_uint_eq(tl_message_string(kept[0].message, kept[0].args[0])
			      .size,
	    0);
	ck_assert_ptr_nonnull(
	    tl_message_string(kept[0].message, kept[0].args[0]).data);
	reader->free(reader);
}

/* Fill an event with a message and values of any kind. */
static void
fill_random(struct tl_event *e, uint64_t *state, uint64_t messages)
{
	static const char *const texts[] = { "", "$a", "$a%d and $b%t",
		"$a%x, \"$b%s\" $c%s", "$a%f $b $c%d $d%s", "x\\\"y\\\\" };
	static const uint8_t kinds[] = { 0, TIMELINE_RECORD_INSTANT,
		TIMELINE_RECORD_SPAN, TIMELINE_RECORD_SPAN,
		TIMELINE_RECORD_COUNTER };
	const uint64_t which = random_below(state, messages);
	struct tl_text text = { 0 };

	tl_put_format(&text, "%llu %s", (unsigned long long)which,
	    texts[which % 6]);
	e->kind = (uint8_t)(1 + random_below(state, 4));
	ck_assert_ok(tl_interner_message(interner, tl_bytes_of("c"),
	    tl_bytes(text.data, text.size), kinds[e->kind],
	    (uint8_t)(1 + which % 9),
	    kinds[e->kind] == TIMELINE_RECORD_SPAN && which % 3 == 1 &&
		which % 6 != 4,
	    &e->message));
	tl_text_free(&text);
	e->bare =
	    e->kind == TL_END && e->message->argc > 0 && random_below(state, 2);
	e->ns = (int64_t)(random_next(state) >> random_below(state, 64));
	e->tsc = random_next(state) >> random_below(state, 64);
	e->cpu = (uint32_t)random_next(state) >> random_below(state, 32);
	e->pid = (uint32_t)random_next(state) >> random_below(state, 32);
	for (unsigned i = 0; i < e->message->argc && !e->bare; i++) {
		e->args[i] = random_next(state) >> random_below(state, 64);
		if (e->message->args[i].format == TIMELINE_ARG_STRING)
			e->args[i] = 1 + e->args[i] % 2;
	}
}

TEST(any_events_come_back, .to = FORMATS)
{
	static const uint64_t messages[] = { 1, 5, 200, 20000 };
	struct tl_writer *w;
	uint64_t state = 7, ignored;

	ck_assert_ok(
	    tl_interner_string(interner, tl_bytes_of("plain"), &ignored));
	ck_assert_ok(
	    tl_interner_string(interner, tl_bytes(odd, sizeof(odd)), &ignored));
	ck_assert_int_eq(formats[_i].write_new(&w, append, &first, NULL), 0);
	for (unsigned k = 0; k < 20000; k++) {
		struct tl_event e = { 0 };

		fill_random(&e, &state, messages[k / 5000]);
		if (k % 100 == 0)
			e = (struct tl_event){ .kind = TL_LOST,
				.ns = e.ns,
				.lost = e.tsc };
		ck_assert_ok(w->sink.put(&w->sink, &e));
	}
	ck_assert_ok(w->sink.finish(&w->sink));
	tl_writer_free(w);
	ck_assert_int_eq(copy(_i, tl_bytes(first.data, first.size), 4000), 0);
	ck_assert_uint_eq(faults, 0);
	ck_assert_uint_eq(second.size, first.size);
	ck_assert_mem_eq(second.data, first.data, first.size);
}

/*
 * Write one event of each source, and read the output.  Returns the origin that
 * was read; faults receives whether a fault was reported.
 */
static struct tl_origin
read_origin(int i, const struct tl_origin *sources, size_t count, bool says)
{
	struct foreign_report said = { 0 };
	struct tl_origin origin = { .timeline = "file" };
	struct tl_event event = { .kind = TL_BEGIN };
	struct tl_writer *w;
	struct tl_reader *r;

	tl_text_clear(&first);
	ck_assert_int_eq(formats[i].write_new(&w, append, &first, NULL), 0);
	tl_writer_set_sources(w, sources, count);
	tl_writer_facts(w)->says_origin = says;
	event.message = span_message("x $a", 0);
	for (size_t k = 0; k < count; k++) {
		event.source = (uint16_t)k;
		ck_assert_ok(w->sink.put(&w->sink, &event));
	}
	ck_assert_ok(w->sink.finish(&w->sink));
	tl_writer_free(w);
	said.report = (struct tl_report){ foreign_say, &said.text };
	tl_text_clear(&second);
	ck_assert_int_eq(formats[i].write_new(&w, append, &second, NULL), 0);
	ck_assert_int_eq(formats[i].read_new(&r, &w->sink, &said.report), 0);
	ck_assert_ok(r->feed(r, tl_bytes(first.data, first.size)));
	ck_assert_ok(r->finish(r));
	r->origin(r, &origin);
	faults = said.text.size > 0;
	if (faults)
		ck_assert_ptr_nonnull(strstr(tl_text_string(&said.text),
		    " an entry is of another host or timeline than the first: "
		    "all become one\n"));
	r->free(r);
	tl_writer_free(w);
	tl_text_free(&said.text);
	return origin;
}

TEST(a_line_says_where_it_comes_from, .to = FORMATS)
{
	static const struct tl_origin web1 = { .machine = "w\"eb,1",
		.timeline = "app" };
	const struct tl_origin same[] = { web1, web1 };
	const struct tl_origin timelines[] = { web1,
		{ .machine = "w\"eb,1", .timeline = "other" } };
	const struct tl_origin hosts[] = { web1,
		{ .machine = "web2", .timeline = "app" } };
	struct tl_origin got = read_origin(_i, same, 2, true);

	ck_assert_str_eq(got.machine, "w\"eb,1");
	ck_assert_str_eq(got.timeline, "app");
	ck_assert_uint_eq(faults, 0);
	got = read_origin(_i, timelines, 2, false);
	ck_assert_str_eq(got.machine, "w\"eb,1");
	ck_assert_str_eq(got.timeline, "file");
	ck_assert_uint_eq(faults, 1);
	got = read_origin(_i, hosts, 2, false);
	ck_assert_str_eq(got.machine, "");
	ck_assert_str_eq(got.timeline, "app");
	ck_assert_uint_eq(faults, 1);
	got = read_origin(_i, same, 2, false);
	/*
	 * JSON lines name the source only if there are several, or on request
	 */
	ck_assert_str_eq(got.machine, _i == 0 ? "w\"eb,1" : "");
	ck_assert_str_eq(got.timeline, _i == 0 ? "app" : "file");
	ck_assert_uint_eq(faults, 0);
}

#define MIDDLE \
	"\"priority\":\"info\",\"category\":\"c\"," \
	"\"message\":\"of $a, $b%d and $c%s\",\"kind\":\"end\""
#define LINE(ns, args, rest) \
	"{\"ns\":" ns ",\"tsc\":2,\"cpu\":0,\"pid\":3,\"tid\":4," MIDDLE \
	",\"args\":{" args "}" rest "}\n"
#define ARGS "\"a\":1,\"b\":-2,\"c\":\"x\""
