/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_rows.c - the same rows twice: in Parquet, and as lines of JSON that
 * this file makes without the code of the writer.
 *
 *	build/tests/unit/format do rows SEED COUNT PARQUET LINES
 *	build/tests/unit/format do rows FOLDER
 *
 * Other readers compare the two: tests/convert/cases_parquet.sh.  A fleet is a
 * file for each of three hosts, with known faults in it.
 */
#include "format/parquet/write.h"

#include "event/render.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

enum { RANDOM_MESSAGES = 60, RANDOM_SOURCES = 5, STRING_MAX = 3000 };
enum { STRINGS_KEPT = 2 * TL_ARGS_MAX };
enum { FEW = 40, MANY = 200000 }; /* numbers of strings */

static uint64_t seed;
static struct tl_message messages[RANDOM_MESSAGES];
static char message_texts[RANDOM_MESSAGES][160];
static struct tl_origin sources[RANDOM_SOURCES];

static uint64_t
below(uint64_t n)
{
	return random_below(&seed, n);
}

/* == random == */

/*
 * String n, always the same: some strings are long, some are not UTF-8, and
 * every seventh is missing.
 */
static struct tl_bytes
random_string(const struct tl_strings *strings, uint64_t n)
{
	static const char *const pieces[] = { "a", "path/", "\xc3\xa9",
		"\xf0\x9f\x98\x80", "\xff", "\"", "\n", "\\", "\x7f", "zz" };
	static char kept[STRINGS_KEPT][STRING_MAX + 8];
	static unsigned next;
	uint64_t state = n * 77 + 1;
	const size_t size = n % 13 == 0 ? random_below(&state, STRING_MAX)
					: random_below(&state, 30);
	char *string = kept[next++ % STRINGS_KEPT];
	size_t at = 0;

	(void)strings;
	if (n % 7 == 6)
		return tl_bytes(NULL, 0);
	while (at < size) {
		const char *piece = pieces[random_below(&state, 10)];

		memcpy(string + at, piece, strlen(piece));
		at += strlen(piece);
	}
	return tl_bytes(string, at);
}

static const struct tl_strings random_strings = { random_string };
static void
make_message(unsigned i)
{
	static const char *const formats[] = { "", "%d", "%x", "%f", "%t",
		"%s" };
	static const char *const categories[] = { "net", "", "d\xc3\xa9j\xc3",
		("z category that is longer than what is told of a bound, "
		 "which is \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
		 "\xc3\xa9") };
	struct tl_message *m = &messages[i];
	char *to = message_texts[i];

	to += sprintf(to, "message %u \xff", i);
	for (unsigned a = (unsigned)below(TL_ARGS_MAX + 1); a > 0; a--)
		to += sprintf(to, " $a%u%s,", a, formats[below(6)]);
	if (below(2))
		sprintf(to, "\nwhy %u", i);
	*m = (struct tl_message){ .category = tl_bytes_of(categories[below(4)]),
		.id = i,
		.kind = (uint8_t)(1 + below(3)),
		.level = (uint8_t)(1 + below(9)),
		.scope = (uint8_t)below(2),
		.strings = &random_strings };
	if (below(2)) {
		m->file = tl_bytes_of("src/a.c");
		m->line = (uint32_t)random_next(&seed);
	}
	m->gate = m->level;
	if (tl_message_parse(m, tl_bytes_of(message_texts[i])) < 0)
		abort();
}

static void
make_sources(void)
{
	for (unsigned i = 1; i < RANDOM_SOURCES; i++) {
		sprintf(sources[i].machine, "host-%u", i);
		sprintf(sources[i].timeline, "t\xff%u", i % 2);
		sprintf(sources[i].command, "c%u", i);
		sources[i].pid = 40 + i;
	}
}

/* Random bits of random size. */
static uint64_t
random_number(void)
{
	return random_next(&seed) >> below(64);
}

static uint64_t
random_arg(unsigned format)
{
	if (format != TIMELINE_ARG_STRING)
		return below(3) ? below(100) : random_number();
	return below(2) ? below(FEW) : below(MANY);
}

static void
random_times(struct tl_event *event, int64_t before_ns)
{
	event->ns = before_ns + (int64_t)below(5000);
	if (below(500) == 0)
		event->ns = (int64_t)random_next(&seed);
	event->tsc = below(100) ? (uint64_t)event->ns * 3 : random_number();
	event->error_ns = (uint32_t)random_number();
	event->sync_us = below(2) ? 0 : (uint32_t)random_number();
	if (below(9) == 0)
		event->sync_us = TL_SYNC_UNBOUNDED;
	event->overlaps = below(5) == 0;
	event->epoch = (uint32_t)below(2);
	event->lane = (uint32_t)(below(9) ? below(4) : random_number());
	event->cpu = below(8) ? (uint32_t)below(64) : TL_CPU_UNKNOWN;
	event->source = (uint16_t)below(RANDOM_SOURCES + 1);
}

static struct tl_event
random_event(uint64_t i, int64_t before_ns)
{
	/* in some pages a column has no value */
	const uint64_t most = i / 9000 % 3 ? RANDOM_MESSAGES : 1;
	const struct tl_message *m = &messages[below(below(2) ? 1 : most)];
	struct tl_event event = { .kind = TL_LOST };

	random_times(&event, before_ns);
	if (below(200) == 0) {
		event.lost = random_number();
		return event;
	}
	event.message = m;
	event.level = m->level;
	event.number = i;
	event.pid = 40 + (uint32_t)below(3);
	event.tid = below(50) ? event.pid : (uint32_t)random_number();
	event.kind = m->kind == TIMELINE_RECORD_INSTANT   ? TL_INSTANT
		     : m->kind == TIMELINE_RECORD_COUNTER ? TL_COUNTER
							  : TL_BEGIN;
	if (event.kind == TL_BEGIN && below(2))
		event.kind = TL_END;
	event.continued = event.kind == TL_BEGIN && below(9) == 0;
	event.bare = event.kind == TL_END && below(2);
	for (unsigned a = 0; a < m->argc && !event.bare; a++)
		event.args[a] = random_arg(m->args[a].format);
	return event;
}

/* == the same as lines == */

static void
put_key(struct tl_text *text, const char *key, unsigned number)
{
	tl_put_format(text, number ? ",\"%s%u\":" : ",\"%s\":", key, number);
}

static void
put_string(struct tl_text *text, const char *key, unsigned number,
    struct tl_bytes string)
{
	put_key(text, key, number);
	tl_put_char(text, '"');
	tl_put_json(text, string);
	tl_put_char(text, '"');
}

static void
put_number(struct tl_text *text, const char *key, uint64_t n)
{
	tl_put_format(text, ",\"%s\":\"%llu\"", key, (unsigned long long)n);
}

static void
put_arg(struct tl_text *text, const struct tl_event *event, unsigned i)
{
	const struct tl_message *m = event->message;
	const uint64_t value = event->args[i];
	const unsigned format = m->args[i].format;
	double number;

	put_string(text, "name", i + 1, m->args[i].name);
	if (event->bare)
		return;
	if (format == TIMELINE_ARG_STRING && tl_message_string(m, value).data) {
		put_string(text, "string", i + 1, tl_message_string(m, value));
	} else if (format == TIMELINE_ARG_DOUBLE) {
		put_key(text, "double", i + 1);
		memcpy(&number, &value, sizeof(number));
		tl_put_format(text, "\"%.17g\"", number);
	} else if (format == TIMELINE_ARG_SIGNED ||
		   format == TIMELINE_ARG_DURATION) {
		put_key(text, "signed", i + 1);
		tl_put_format(text, "\"%lld\"", (long long)value);
	} else {
		put_key(text, "value", i + 1);
		tl_put_format(text, "\"%llu\"", (unsigned long long)value);
	}
}

static void
put_message(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *m = event->message;

	put_string(text, "category", 0, m->category);
	put_string(text, "message", 0, m->line1);
	if (m->explain.size > 0)
		put_string(text, "explanation", 0, m->explain);
	if (m->file.size > 0) {
		put_string(text, "file", 0, m->file);
		put_number(text, "file_line", m->line);
	}
	if (m->kind == TIMELINE_RECORD_SPAN)
		put_string(text, "scope", 0,
		    tl_bytes_of(
			m->scope == TIMELINE_SOURCE ? "source" : "thread"));
	put_string(text, "priority", 0, tl_bytes_of(tl_level_name(m->level)));
	put_number(text, "level", m->level);
}

static void
put_entry(struct tl_text *text, const struct tl_event *event,
    const struct tl_origin *origin)
{
	put_message(text, event);
	put_number(text, "pid", event->pid);
	put_number(text, "tid", event->tid);
	put_number(text, "number", event->number);
	if (origin && event->pid == origin->pid)
		put_string(text, "command", 0, tl_bytes_of(origin->command));
	if (event->kind == TL_BEGIN)
		put_number(text, "continued", event->continued);
	if (event->kind == TL_END)
		put_number(text, "bare", event->bare);
	for (unsigned i = 0; i < event->message->argc; i++)
		put_arg(text, event, i);
}

static void
put_line(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_origin *origin =
	    event->source > 0 && event->source < RANDOM_SOURCES
		? &sources[event->source]
		: NULL;
	struct tl_text rendered = { 0 };

	tl_put_format(text, "{\"time\":\"%lld\",\"ns\":\"%lld\"",
	    (long long)event->ns, (long long)event->ns);
	put_string(text, "kind", 0, tl_bytes_of(tl_kind_name(event->kind)));
	tl_render_line(&rendered, event);
	put_string(text, "text", 0, tl_bytes(rendered.data, rendered.size));
	tl_text_free(&rendered);
	put_number(text, "tsc", event->tsc);
	put_number(text, "error_ns", event->error_ns);
	put_number(text, "overlaps", event->overlaps);
	put_number(text, "epoch", event->epoch);
	put_number(text, "lane", event->lane);
	put_number(text, "source", event->source);
	if (event->sync_us != 0 && event->sync_us != TL_SYNC_UNBOUNDED)
		put_number(text, "sync_us", event->sync_us);
	if (event->cpu != TL_CPU_UNKNOWN)
		put_number(text, "cpu", event->cpu);
	if (origin) {
		put_string(text, "host", 0, tl_bytes_of(origin->machine));
		put_string(text, "timeline", 0, tl_bytes_of(origin->timeline));
	}
	if (event->message)
		put_entry(text, event, origin);
	else
		put_number(text, "lost", event->lost);
	tl_put_string(text, "}\n");
}

/* == files == */

static int
to_file(void *context, const char *data, size_t size)
{
	return !context || fwrite(data, 1, size, context) == size ? 0 : -EIO;
}

/* lines may be NULL. */
static int
write_random(uint64_t count, FILE *parquet, FILE *lines)
{
	struct tl_event event = { .ns = INT64_C(1795202658123456789) };
	struct tl_text text = { 0 };
	struct tl_writer *writer;
	int rc = tl_parquet_write_new(&writer, to_file, parquet, NULL);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < RANDOM_MESSAGES; i++)
		make_message(i);
	make_sources();
	tl_writer_set_sources(writer, sources, RANDOM_SOURCES);
	for (uint64_t i = 0; i < count && rc == 0; i++) {
		event = random_event(i, event.ns);
		rc = writer->sink.put(&writer->sink, &event);
		tl_text_clear(&text);
		put_line(&text, &event);
		if (lines && rc == 0)
			rc = to_file(lines, text.data, text.size);
	}
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	tl_writer_free(writer);
	tl_text_free(&text);
	return rc;
}

/* == a fleet == */

enum { FLEET_HOSTS = 3, FLEET_SECONDS = 10, REQUESTS = 100 };
enum { REQUEST, TIMEOUT, STALL, FLEET_MESSAGES };
/* Ten o'clock.  The times of the hosts differ by tenths of a millisecond. */
#define FLEET_NS (INT64_C(1795168800) * 1000000000)
static const char *const fleet_hosts[FLEET_HOSTS] = { "db1", "web1", "web2" };

static struct tl_bytes
fleet_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("db1") : tl_bytes(NULL, 0);
}

static void
make_fleet_messages(void)
{
	static const struct tl_strings strings = { fleet_string };
	static const struct {
		const char *category, *text;
		uint8_t kind, level;
	} defined[FLEET_MESSAGES] = {
		[REQUEST] = { "http", "request $id", TIMELINE_RECORD_SPAN, 6 },
		[TIMEOUT] = { "http", "no answer from $peer%s",
		    TIMELINE_RECORD_INSTANT, 8 },
		[STALL] = { "disk", "stalled for $t%t", TIMELINE_RECORD_INSTANT,
		    7 },
	};

	for (unsigned i = 0; i < FLEET_MESSAGES; i++) {
		messages[i] = (struct tl_message){ .category = tl_bytes_of(
						       defined[i].category),
			.kind = defined[i].kind,
			.level = defined[i].level,
			.gate = defined[i].level,
			.strings = &strings };
		if (tl_message_parse(&messages[i],
			tl_bytes_of(defined[i].text)) < 0)
			abort();
	}
}

/* Put an event of a host, so long after the one before. */
static int
put_fleet(struct tl_writer *writer, struct tl_event *event, unsigned message,
    uint8_t kind, int64_t after_ns)
{
	event->ns += after_ns;
	event->kind = kind;
	event->message = &messages[message];
	event->level = event->message->level;
	event->bare = kind == TL_END;
	return writer->sink.put(&writer->sink, event);
}

/*
 * Put one second of a host: 100 requests, where request r of host h takes r + 1
 * times h + 1 microseconds.  In second 5 the disk of db1 stalls, and 30
 * requests of each other host have no answer. web2 loses 500 entries in second
 * 7 and 3 in second 8, within a request.
 */
static int
put_second(struct tl_writer *writer, struct tl_event *event, unsigned host,
    unsigned second)
{
	const int64_t start_ns = FLEET_NS + second * INT64_C(1000000000);
	struct tl_event lost = { .kind = TL_LOST };
	int rc = 0;

	event->ns = start_ns + host * 100000;
	if (second == 5 && host == 0)
		rc = put_fleet(writer, event, STALL, TL_INSTANT, 0);
	for (unsigned r = 0; r < REQUESTS && rc == 0; r++) {
		event->args[0] = second * REQUESTS + r;
		rc = put_fleet(writer, event, REQUEST, TL_BEGIN, 1000000);
		lost.ns = event->ns;
		lost.lost = second == 7 ? 500 : 3;
		if (host == 2 && r == 9 && (second == 7 || second == 8))
			rc = writer->sink.put(&writer->sink, &lost);
		event->args[0] = 1;
		if (second == 5 && host > 0 && r < 30 && rc == 0)
			rc = put_fleet(writer, event, TIMEOUT, TL_INSTANT, 0);
		if (rc == 0)
			rc = put_fleet(writer, event, REQUEST, TL_END,
			    (r + 1) * (host + 1) * 1000);
	}
	return rc;
}

static int
write_host(FILE *file, unsigned host)
{
	struct tl_origin origin = { .timeline = "server" };
	struct tl_event event = { .pid = 7, .tid = 8 };
	struct tl_writer *writer;
	int rc = tl_parquet_write_new(&writer, to_file, file, NULL);

	strcpy(origin.machine, fleet_hosts[host]);
	tl_writer_facts(writer)->origin = origin;
	for (unsigned s = 0; s < FLEET_SECONDS && rc == 0; s++)
		rc = put_second(writer, &event, host, s);
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	tl_writer_free(writer);
	return rc;
}

/* Write FOLDER/host=...; the folder of each host must exist. */
static int
run_fleet(const char *folder)
{
	char path[4096];
	int rc = 0;

	make_fleet_messages();
	for (unsigned i = 0; i < FLEET_HOSTS && rc == 0; i++) {
		FILE *file;

		snprintf(path, sizeof(path),
		    "%s/host=%s/date=2026-11-20/hour=10/block.parquet", folder,
		    fleet_hosts[i]);
		file = fopen(path, "wb");
		rc = file ? write_host(file, i) : -errno;
		if (file && fclose(file) != 0)
			rc = -EIO;
	}
	return rc < 0;
}

TEST_FILE(.timeout = 600);

TEST(whatever_comes_is_written, .from = 1, .to = 4)
{
	seed = (uint64_t)_i;
	ck_assert_int_eq(write_random(30000, NULL, NULL), 0);
}

TEST_COMMAND(rows)
{
	FILE *parquet, *lines;
	int rc;

	if (argc == 2)
		return run_fleet(argv[1]);
	if (argc != 5)
		return 2;
	parquet = fopen(argv[3], "wb");
	lines = fopen(argv[4], "wb");
	seed = strtoull(argv[1], NULL, 10);
	if (!parquet || !lines)
		return 1;
	rc = write_random(strtoull(argv[2], NULL, 10), parquet, lines);
	return rc < 0 || fclose(parquet) != 0 || fclose(lines) != 0;
}
