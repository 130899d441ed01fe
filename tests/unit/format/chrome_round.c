/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_round.c - events to Chrome's trace events and back: all
 * that the format carries is as it was.
 *
 * What it does not carry is not compared: cpu, stamp, number, error, lane and
 * epoch; pid and tid of the spans of a source; whether an end without
 * arguments could have had some; all but the first argument of a counter; NaN
 * for what is not finite; bytes that are not UTF-8.
 */
#include "event/sorter.h"
#include "format/chrome/read.h"
#include "format/chrome/write.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"
#include "lib/viewers.h"

#include <errno.h>
#include <math.h>

enum { EVENTS = 400, ROUNDS = 200, FORMS = 12 };

/* One line an event, all of it that must come back. */
struct described {
	struct tl_sink sink; /* first: where events go */
	struct tl_text text;
	struct tl_event events[EVENTS]; /* as they came */
	uint64_t count;
};

static void
put_argument(struct tl_text *text, const struct tl_event *event, unsigned i)
{
	const uint8_t format = event->message->args[i].format;
	double value;

	memcpy(&value, &event->args[i], sizeof(value));
	if (format == TIMELINE_ARG_DOUBLE && !isfinite(value))
		tl_put_string(text, "nan");
	else
		tl_render_arg(text, event, i);
	tl_put_char(text, ' ');
}

static void
describe(struct described *d, const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	const bool of_source =
	    m && m->scope == TIMELINE_SOURCE &&
	    (event->kind == TL_BEGIN || event->kind == TL_END);
	unsigned argc = m ? m->argc : 0;

	if (!m) { /* a loss has no time of its own */
		tl_put_format(&d->text, "lost %llu\n",
		    (unsigned long long)event->lost);
		return;
	}
	tl_put_format(&d->text, "%lld %s ", (long long)event->ns,
	    tl_kind_name(event->kind));
	if (!of_source)
		tl_put_format(&d->text, "%u/%u ", event->pid, event->tid);
	tl_put_format(&d->text, "%u %s ", m->scope,
	    tl_level_name(event->level));
	tl_put_plain(&d->text, m->category);
	tl_put_char(&d->text, '|');
	tl_put_plain(&d->text, m->text);
	tl_put_char(&d->text, '|');
	if (argc > 0 && event->bare)
		tl_put_string(&d->text, "bare");
	else if (event->kind == TL_COUNTER)
		argc = argc > 1 ? 1 : argc;
	for (unsigned i = 0; i < argc && !event->bare; i++)
		put_argument(&d->text, event, i);
	if (event->kind == TL_COUNTER && m->argc == 0)
		tl_put_unsigned(&d->text, event->args[0]);
	tl_put_char(&d->text, '\n');
}

static int
keep(struct tl_sink *sink, const struct tl_event *event)
{
	struct described *d = (struct described *)(void *)sink;

	ck_assert_uint_lt(d->count, EVENTS);
	d->events[d->count++] = *event;
	return 0;
}

/* A span stands where it ends: only time tells where it began.  Events of one
 * time keep the order of the file. */
static void
sort(struct described *d)
{
	for (uint64_t i = 1; i < d->count; i++) {
		const struct tl_event event = d->events[i];
		uint64_t to = i;

		for (; to > 0 && d->events[to - 1].ns > event.ns; to--)
			d->events[to] = d->events[to - 1];
		d->events[to] = event;
	}
}

/* Read a file: what is in it, nothing being wrong with it. */
static void
read_back(struct described *d, struct tl_bytes file, bool whole)
{
	struct foreign_report said = { { foreign_say, NULL }, { 0 } };
	struct tl_reader *reader;

	said.report.context = &said.text;
	ck_assert_int_eq(tl_chrome_read_new(&reader, &d->sink, &said.report),
	    0);
	ck_assert_int_eq(reader->feed(reader, file), 0);
	if (whole) {
		ck_assert_int_eq(reader->finish(reader), 0);
		ck_assert_str_eq(tl_text_string(&said.text), "");
	} else {
		(void)reader->finish(reader);
	}
	sort(d);
	for (uint64_t i = 0; i < d->count; i++)
		describe(d, &d->events[i]);
	reader->free(reader);
	tl_text_free(&said.text);
}

static const struct {
	const char *category, *text;
	uint8_t record, level, scope;
} forms[FORMS] = {
	{ "net", "processed $tcp, $udp%d, and $other%x\nPackets.", 1, 4, 0 },
	{ "http", "request $id to $path%s", 2, 6, 0 },
	{ "http", "inner $id", 2, 5, 0 },
	{ "http", "nothing", 2, 1, 0 },
	{ "batch", "job $id%t\nsource 1", 2, 5, 1 },
	{ "batch", "job $id%t\nsource 2", 2, 5, 1 },
	{ "names", "$label%s\nsource 3", 2, 7, 1 },
	{ "queue", "depth: $length", 3, 6, 0 },
	{ "room", "heat $celsius%f of $more", 3, 9, 0 },
	{ "", "waits", 3, 2, 0 },
	{ "a\"b\\", "$label%s: $a%f $b%d $c", 1, 8, 0 },
	{ "cost", "5$ or \"$x%s\" \n$y", 1, 3, 0 },
};

static struct tl_message messages[FORMS];

static void
define(void)
{
	for (unsigned i = 0; i < FORMS; i++) {
		messages[i] = (struct tl_message){ .category = tl_bytes_of(
						       forms[i].category),
			.kind = forms[i].record,
			.level = forms[i].level,
			.scope = forms[i].scope,
			.strings = &viewers_strings };
		ck_assert_int_eq(tl_message_parse(&messages[i],
				     tl_bytes_of(forms[i].text)),
		    0);
	}
}

static uint64_t
random_value(uint64_t *seed)
{
	const uint64_t edges[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MIN,
		UINT64_MAX, UINT64_C(1) << 53, (UINT64_C(1) << 53) - 1,
		(uint64_t) - (INT64_C(1) << 53), 0x7ff0000000000000,
		0x3fb999999999999a, 0xffefffffffffffff };
	const uint64_t i = random_below(seed, 20);

	if (i < sizeof(edges) / sizeof(edges[0]))
		return edges[i];
	return random_next(seed) >> random_below(seed, 64);
}

static void
random_event(uint64_t *seed, struct tl_event *event)
{
	const struct tl_message *m = &messages[random_below(seed, FORMS)];
	const int64_t ns = event->ns;

	*event = (struct tl_event){
		.ns = ns + (int64_t)(random_below(seed, 4) *
				     random_below(seed, 2000000))
	};
	if (random_below(seed, 20) == 0) {
		event->kind = TL_LOST;
		event->lost = random_value(seed);
		return;
	}
	event->message = m;
	event->level = m->level;
	event->pid = 40 + (uint32_t)random_below(seed, 2);
	event->tid = 50 + (uint32_t)random_below(seed, 3);
	event->kind = m->kind == TIMELINE_RECORD_COUNTER ? TL_COUNTER
		      : m->kind == TIMELINE_RECORD_SPAN
			  ? TL_BEGIN + random_below(seed, 2)
			  : TL_INSTANT;
	event->bare =
	    event->kind == TL_END && m->argc > 0 && random_below(seed, 2);
	for (unsigned i = 0; i < TL_ARGS_MAX && !event->bare; i++) {
		const bool is_string =
		    i < m->argc && m->args[i].format == TIMELINE_ARG_STRING;

		event->args[i] =
		    is_string ? 1 + random_below(seed, 4) : random_value(seed);
	}
}

/* Is what was got of what was wanted, line by line and in order?  As many are
 * missing as may be. */
static void
compare(struct described *got, struct described *wanted, uint64_t missing)
{
	const char *line = tl_text_string(&got->text);
	const char *want = tl_text_string(&wanted->text);

	for (; *want; want = strchr(want, '\n') + 1) {
		const size_t size = strcspn(want, "\n") + 1;

		if (*line && strncmp(line, want, size) == 0)
			line += size;
		else if (missing-- == 0)
			ck_abort_msg("%.*s is not there, but %.200s",
			    (int)size - 1, want, line);
	}
	ck_assert_str_eq(line, "");
}

/* Random events as a file and as text. */
static void
write_random(uint64_t seed, unsigned count, struct tl_text *file,
    struct described *wanted)
{
	struct tl_event event = { .ns = (int64_t)(seed % 3) * VIEWERS_NS };
	struct tl_writer *writer;

	wanted->count = count;
	ck_assert_int_eq(tl_chrome_write_new(&writer, foreign_write, file,
			     NULL),
	    0);
	for (unsigned i = 0; i < count; i++) {
		random_event(&seed, &event);
		ck_assert_int_eq(writer->sink.put(&writer->sink, &event), 0);
		describe(wanted, &event);
	}
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	tl_writer_free(writer);
}

TEST_FILE(.timeout = 120);

TEST(what_was_written_comes_back)
{
	define();
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct described wanted = { 0 },
				 got = { .sink = { keep, NULL } };
		struct tl_text file = { 0 };

		write_random(round, EVENTS, &file, &wanted);
		read_back(&got, tl_bytes(file.data, file.size), true);
		compare(&got, &wanted, 0);
		ck_assert_uint_eq(got.count, wanted.count);
		tl_text_free(&wanted.text);
		tl_text_free(&got.text);
		tl_text_free(&file);
	}
}

TEST(every_beginning_of_a_file_has_some_of_its_events_in_order)
{
	struct described wanted = { 0 };
	struct tl_text file = { 0 };
	uint64_t most = 0;

	define();
	write_random(7, 30, &file, &wanted);
	for (size_t size = 0; size < file.size; size++) {
		struct described got = { .sink = { keep, NULL } };

		read_back(&got, tl_bytes(file.data, size), false);
		ck_assert_uint_ge(got.count, most);
		compare(&got, &wanted, wanted.count - got.count);
		most = got.count;
		tl_text_free(&got.text);
	}
	ck_assert_uint_eq(most, 30);
	tl_text_free(&wanted.text);
	tl_text_free(&file);
}

/* The events of the viewers' tests, hostile ones, too: as many come back. */
TEST(hostile_texts_come_back_as_texts)
{
	static const enum viewers_set sets[] = { VIEWERS_PLAIN, VIEWERS_HOSTILE,
		VIEWERS_LOSSY, VIEWERS_BACK };

	for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++) {
		struct described got = { .sink = { keep, NULL } };
		struct tl_text file = { 0 };
		struct tl_writer *writer;
		struct tl_event event = { 0 };
		uint64_t count = 0;

		ck_assert_int_eq(tl_chrome_write_new(&writer, foreign_write,
				     &file, NULL),
		    0);
		for (; viewers_event(sets[k], count, &event); count++)
			ck_assert_int_eq(writer->sink.put(&writer->sink,
					     &event),
			    0);
		ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
		read_back(&got, tl_bytes(file.data, file.size), true);
		ck_assert_uint_eq(got.count, count);
		tl_writer_free(writer);
		tl_text_free(&got.text);
		tl_text_free(&file);
	}
}

/* Through what really sorts: it turns round an input that runs from new to old
 * as a whole, as this one would with its begin behind all. */
TEST(a_begin_without_an_end_turns_nothing_round)
{
	static const uint8_t order[] = { 3, 0, 11 };
	struct tl_text file = { 0 };
	struct tl_cursor *cursor;
	struct tl_writer *writer;
	struct tl_reader *reader;
	struct tl_store *store;
	struct tl_event event;

	define();
	ck_assert_int_eq(tl_chrome_write_new(&writer, foreign_write, &file,
			     NULL),
	    0);
	for (unsigned i = 0; i < 3; i++) {
		event = (struct tl_event){ .ns = i > 0 ? 9 : 5,
			.message = &messages[order[i]],
			.kind = i > 0 ? TL_INSTANT : TL_BEGIN };
		ck_assert_int_eq(writer->sink.put(&writer->sink, &event), 0);
	}
	ck_assert_int_eq(writer->sink.finish(&writer->sink), 0);
	ck_assert_int_eq(tl_store_new(&store, TL_STORE_MEMORY_MAX), 0);
	ck_assert_int_eq(tl_chrome_read_new(&reader, tl_store_sink(store),
			     NULL),
	    0);
	ck_assert_int_eq(reader->feed(reader, tl_bytes(file.data, file.size)),
	    0);
	ck_assert_int_eq(reader->finish(reader), 0);
	ck_assert_int_eq(tl_store_sink(store)->finish(tl_store_sink(store)), 0);
	ck_assert_int_eq(tl_store_cursor(store, TL_OLDEST_FIRST, &cursor), 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert(tl_bytes_equal(event.message->category,
		    messages[order[i]].category));
	}
	tl_cursor_close(cursor);
	tl_store_free(store);
	reader->free(reader);
	tl_writer_free(writer);
	tl_text_free(&file);
}
