/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_page.c - write pages and answers for the tests of the page to standard
 * output.
 *
 *	make_page plain N	N entries of a busy server, fixed seed
 *	make_page hosts N	as plain, for three hosts: with a small error
 *				bound, a larger one, and none
 *	make_page hostile	texts with markup, code and text directions
 *	make_page extreme	the first and the last possible time
 *	make_page file PATH	a timeline, live or saved
 *	make_page live		the page of the daemon
 *	make_page events N AFTER MAX
 *				the answer after N logged entries
 *	make_page cut		spans of one thread, some of them unsure
 *	make_page cut-events N AFTER MAX
 *				the answers for cut
 *	make_page proven, proven-events N AFTER MAX
 *				page and answers for self-proving spans
 *	make_page step-events N AFTER MAX
 *				answers while the clock is set back
 *	make_page account	requests of known shares, in bursts
 *	make_page handed	spans that another thread ends
 *	make_page account-summary
 *				their summary
 *	make_page busy		three threads with 24000 calls a second: each
 *				FAILS_EACH-th fails, none, one
 *	make_page busy-summary	their summary
 *	make_page summary N FROM TO MEASURE_FROM MEASURE_TO
 *				the summary after N logged entries
 */
#include "../lib/snap_open.h"
#include "base/text.h"
#include "event/observe.h"
#include "format/html/live.h"
#include "format/html/summary.h"
#include "format/html/write.h"

#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 10, CPUS = 4, THREADS = 6, OPEN_MAX = 4 };
enum {
	BURST,
	REQUEST,
	QUERY,
	PARSE,
	PROCESSED,
	SLOW,
	FAILED,
	DEPTH,
	JOB,
	RATIO
};

static const struct {
	const char *category;
	const char *text;
	uint8_t kind;
	uint8_t level;
	uint8_t scope;
	uint8_t builtin;
} defined[MESSAGES] = {
	{ "timeline", "burst to $level from $base until $until, sample $n", 1,
	    6, 0, 2 },
	{ "http", "request $id path $path%s", 2, 6, 0, 0 },
	{ "db", "query $rows", 2, 5, 0, 0 },
	{ "http", "parse $bytes", 2, 4, 0, 0 },
	{ "net",
	    "processed $tcp, $udp, and $other\nPackets of one pass over the "
	    "ring, by protocol.\nother counts what was neither TCP nor UDP.",
	    1, 4, 0, 0 },
	{ "db", "slow query took $t%t", 1, 7, 0, 0 },
	{ "http", "request $id failed with $status", 1, 8, 0, 0 },
	{ "queue", "depth $length", 3, 6, 0, 0 },
	{ "batch", "job $id", 2, 6, 1, 0 },
	{ "mem", "free ratio $r%f of $total%x", 1, 5, 0, 0 },
};

static struct tl_message messages[MESSAGES];
static uint64_t seed = 88172645463325252u;

static uint64_t
draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	static const char *const texts[] = { "/index", "/cart", "/api/items",
		"/api/orders?page=2", "/login" };

	(void)strings;
	return n < 5 ? tl_bytes_of(texts[n]) : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
define(void)
{
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct tl_message *m = &messages[i];

		*m = (struct tl_message){ .category =
					      tl_bytes_of(defined[i].category),
			.file = tl_bytes_of("src/server.c"),
			.line = 100 + i,
			.id = 64 * (i + 1),
			.kind = defined[i].kind,
			.level = defined[i].level,
			.gate = defined[i].level,
			.scope = defined[i].scope,
			.builtin = defined[i].builtin,
			.strings = &strings };
		if (tl_message_parse(m, tl_bytes_of(defined[i].text)) < 0)
			abort();
	}
}

/* A server at work: the state of each thread. */
struct server {
	struct tl_cursor cursor;
	uint64_t at, count;
	int64_t ns;
	int64_t burst_end_ns, next_burst_ns;
	uint8_t open[THREADS];
	uint64_t numbers[2 * CPUS];
	uint64_t jobs;
	uint64_t depth;
};

static const unsigned stack[OPEN_MAX] = { REQUEST, PARSE, QUERY, QUERY };

static void
set(struct tl_event *e, unsigned message, unsigned kind, uint64_t a, uint64_t b,
    uint64_t c)
{
	e->message = &messages[message];
	e->kind = (uint8_t)kind;
	e->level = e->message->level;
	e->args[0] = a;
	e->args[1] = b;
	e->args[2] = c;
	e->bare = false;
}

static void
step_spans(struct server *s, struct tl_event *e, unsigned thread)
{
	uint8_t *open = &s->open[thread];

	if (*open < OPEN_MAX && draw(5) < 3 - (*open > 2)) {
		set(e, stack[*open], TL_BEGIN,
		    stack[*open] == REQUEST ? s->at : draw(100), draw(5), 0);
		(*open)++;
	} else if (*open > 0) {
		(*open)--;
		set(e, stack[*open], TL_END, 0, 0, 0);
		e->bare = true;
	} else {
		set(e, PROCESSED, TL_INSTANT, draw(50), draw(60), draw(9));
	}
}

static void
step_others(struct server *s, struct tl_event *e)
{
	const uint64_t dice = draw(400);
	double ratio = (double)draw(1000) / 1000;
	uint64_t bits;

	memcpy(&bits, &ratio, sizeof(bits));
	if (dice == 0) {
		set(e, FAILED, TL_INSTANT, s->at, 500 + draw(4), 0);
	} else if (dice < 4) {
		set(e, SLOW, TL_INSTANT, 1000000 + draw(90000000), 0, 0);
	} else if (dice < 30) {
		s->depth += draw(5);
		s->depth -= s->depth > 2 ? draw(5) % s->depth : 0;
		set(e, DEPTH, TL_COUNTER, s->depth, 0, 0);
	} else if (dice < 36) {
		set(e, JOB, s->jobs % 2 ? TL_END : TL_BEGIN, s->jobs / 2, 0, 0);
		s->jobs++;
	} else if (dice < 60) {
		set(e, RATIO, TL_INSTANT, bits, UINT64_MAX - draw(9), 0);
	} else {
		set(e, PROCESSED, TL_INSTANT, draw(50), draw(60), draw(9));
	}
}

static void
step_burst(struct server *s, struct tl_event *e)
{
	s->burst_end_ns = s->ns + 400000;
	s->next_burst_ns = s->ns + 3000000 + (int64_t)draw(2000000);
	set(e, BURST, TL_INSTANT, 4, 6, (uint64_t)s->burst_end_ns);
}

static void
lose(struct tl_event *e, uint64_t lost)
{
	e->message = NULL;
	e->kind = TL_LOST;
	e->lost = lost;
	e->pid = e->tid = 0;
}

static int
server_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct server *s = (struct server *)(void *)cursor;
	const unsigned thread = (unsigned)draw(THREADS);

	if (s->at == s->count)
		return 0;
	*e = (struct tl_event){ .pid = 4100 + thread / 3,
		.tid = 4110 + thread,
		.cpu = thread % CPUS,
		.base = 6 };
	s->ns += s->ns < s->burst_end_ns ? 400 + (int64_t)draw(3000)
					 : 2000 + (int64_t)draw(20000);
	e->ns = s->ns;
	e->tsc = (uint64_t)s->ns;
	if (s->ns > s->next_burst_ns)
		step_burst(s, e);
	else if (draw(3) > 0)
		step_spans(s, e, thread);
	else
		step_others(s, e);
	e->lane = 2 * e->cpu + (e->level >= 7);
	e->number = s->numbers[e->lane]++;
	if (s->at > 0 && s->at % 40000 == 30000)
		lose(e, 1234);
	s->at++;
	return 1;
}

static int
write_out(void *context, const char *data, size_t size)
{
	(void)context;
	return fwrite(data, 1, size, stdout) == size ? 0 : -1;
}

static int
write_page(struct tl_cursor *cursor, const char *title,
    const struct tl_origin *sources, size_t count)
{
	struct tl_writer *writer;
	struct tl_sink *sink;
	struct tl_event event;
	int rc;

	if (tl_html_write_new(&writer, write_out, NULL, NULL) != 0)
		return 1;
	tl_writer_facts(writer)->title = title;
	if (count > 0)
		tl_writer_set_sources(writer, sources, count);
	sink = &writer->sink;
	while ((rc = tl_cursor_next(cursor, &event)) > 0)
		if ((rc = sink->put(sink, &event)) != 0)
			break;
	if (rc == 0)
		rc = sink->finish(sink);
	tl_writer_free(writer);
	return rc == 0 ? 0 : 1;
}

enum { SOURCES = 4, WEB_US = 20, DB_US = 150, LOST_AT = 2003 };

static const struct tl_origin origins[SOURCES] = { { .machine = "web" },
	{ .machine = "db </script><img src=x onerror='window.owned = 1'>" },
	{ .machine = "web" }, { .machine = "far" } };

/* Assign the events of the server to the sources in turn. */
static int
hosts_next(struct tl_cursor *cursor, struct tl_event *e)
{
	static const uint32_t sync_us[SOURCES] = { WEB_US, DB_US, WEB_US,
		TL_SYNC_UNBOUNDED };
	struct server *s = (struct server *)(void *)cursor;
	const uint64_t at = s->at;
	const int rc = server_next(cursor, e);

	e->source = at % SOURCES;
	e->sync_us = sync_us[e->source];
	e->error_ns = 40;
	e->overlaps = at % 7 == 3;
	if (at == LOST_AT)
		lose(e, 77);
	return rc;
}

enum { LONG_TEXT = 65000 };

static struct tl_bytes
get_hostile(const struct tl_strings *unused, uint64_t n)
{
	(void)unused;
	return n == 1
		   ? tl_bytes_of("</script><script>window.owned = 1</script>")
		   : tl_bytes_of("\xe2\x80\xae"
				 "desrever \xe2\x80\xa8 line");
}

/* Each text appears as category, text, explanation, file and title. */
static const char *const hostile[] = { "<script>window.owned = 1</script> $x",
	"</script><img src=x onerror='window.owned = 1'> $x", "<!--<script> $x",
	"]]> --> \\\" ' \"}]; window.owned = 1; // $x",
	"u2028 \xe2\x80\xa8 u2029 \xe2\x80\xa9 $x",
	"rtl \xe2\x80\xae override \xe2\x81\xa7 $x",
	"\x1b[31mred \x07 \xff\xfe \xc3 $x", "__proto__ $constructor $toString",
	"&lt;b&gt; &amp; $x", "\\u003cscript\\u003e $x" };

enum { HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

struct attack {
	struct tl_cursor cursor;
	size_t at;
	struct tl_message messages[HOSTILE + 2];
	char text[LONG_TEXT];
};

static int
attack_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct attack *a = (struct attack *)(void *)cursor;

	if (a->at == HOSTILE + 2)
		return 0;
	*e = (struct tl_event){ .ns = (int64_t)(1795202658123456789 + a->at),
		.args = { UINT64_MAX, (uint64_t)INT64_MIN, 1, 2 },
		.message = &a->messages[a->at],
		.level = 6,
		.cpu = TL_CPU_UNKNOWN,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.lane = 1,
		.kind = TL_INSTANT };
	a->at++;
	return 1;
}

static int
write_hostile(void)
{
	static const struct tl_strings texts = { get_hostile };
	static struct attack a = { .cursor = { .next = attack_next } };

	memset(a.text, '<', sizeof(a.text));
	for (size_t i = 0; i < HOSTILE + 2; i++) {
		struct tl_message *m = &a.messages[i];
		const char *text = hostile[i % HOSTILE];

		*m = (struct tl_message){ .category = tl_bytes_of(text),
			.file = tl_bytes_of(text),
			.id = (uint32_t)i,
			.kind = 1,
			.level = 6,
			.gate = 255,
			.strings = &texts };
		if (i == HOSTILE)
			text = "numbers $a%u $b%d $c%s $d%s\n</pre></script>";
		if (tl_message_parse(m, tl_bytes_of(text)) < 0)
			return 1;
	}
	if (tl_message_parse(&a.messages[HOSTILE + 1],
		tl_bytes(a.text, sizeof(a.text))) < 0)
		return 1;
	return write_page(&a.cursor,
	    "</title><script>window.owned = 1</script>", NULL, 0);
}

static int
extreme_next(struct tl_cursor *cursor, struct tl_event *e)
{
	static const int64_t times[] = { INT64_MIN, -1, 0, INT64_MAX };
	struct server *s = (struct server *)(void *)cursor;

	if (s->at == sizeof(times) / sizeof(times[0]))
		return 0;
	*e = (struct tl_event){ .ns = times[s->at++] };
	set(e, PROCESSED, TL_INSTANT, 1, 2, 3);
	return 1;
}

/*
 * Begins and ends of one thread, each in an observed interval: three spans are
 * sure, and one begin is cut.
 */
static int
cut_next(struct tl_cursor *cursor, struct tl_event *e)
{
	static const struct {
		uint8_t kind;
		uint64_t observed;
	} events[] = { { TL_BEGIN, 1 }, { TL_END, 1 }, { TL_BEGIN, 1 },
		{ TL_END, 2 }, { TL_BEGIN, 2 }, { TL_END, 2 }, { TL_BEGIN, 2 },
		{ TL_BEGIN, 3 }, { TL_END, 3 }, { TL_BEGIN, TL_UNOBSERVED },
		{ TL_END, TL_UNOBSERVED } };
	struct server *s = (struct server *)(void *)cursor;

	if (s->at == sizeof(events) / sizeof(events[0]) || s->at == s->count)
		return 0;
	*e = (struct tl_event){ .ns = (int64_t)(1000 * s->at),
		.pid = 7,
		.tid = 8,
		.number = s->at,
		.observed = events[s->at].observed };
	if (e->observed != TL_UNOBSERVED)
		e->observed += s->count; /* each reader has intervals of its
					  * own */
	set(e, QUERY, events[s->at].kind, s->at, 0, 0);
	s->at++;
	return 1;
}

/*
 * Spans that prove themselves: one has no begin, one is longer than its
 * observed interval, one has a begin without an end within it, one is open when
 * levels close, and one began in unobserved time.
 */
static int
proven_next(struct tl_cursor *cursor, struct tl_event *e)
{
	enum { NO = 0, PROVEN = 1 };
	static const struct {
		unsigned message;
		uint8_t kind;
		uint8_t proven;
		uint64_t observed;
		unsigned begun; /* the begin of a proven end, in tenths */
	} events[] = { { QUERY, TL_BEGIN, PROVEN, TL_UNOBSERVED, 0 },
		{ PARSE, TL_BEGIN, NO, 1, 0 }, { PARSE, TL_END, NO, 1, 0 },
		{ QUERY, TL_END, PROVEN, 1, 5 },
		{ QUERY, TL_BEGIN, PROVEN, 1, 0 },
		{ PARSE, TL_BEGIN, NO, 1, 0 }, { PARSE, TL_END, NO, 2, 0 },
		{ QUERY, TL_END, PROVEN, TL_UNOBSERVED, 40 },
		{ QUERY, TL_BEGIN, PROVEN, 3, 0 },
		{ QUERY, TL_BEGIN, NO, 3, 0 }, { QUERY, TL_END, PROVEN, 3, 80 },
		{ QUERY, TL_BEGIN, PROVEN, 3, 0 },
		{ PARSE, TL_BEGIN, NO, 3, 0 }, { BURST, TL_INSTANT, NO, 3, 0 },
		{ PROCESSED, TL_INSTANT, NO, 3, 0 } };
	struct server *s = (struct server *)(void *)cursor;
	const size_t at = s->at;

	if (at == sizeof(events) / sizeof(events[0]) || at == s->count)
		return 0;
	*e = (struct tl_event){ .ns = (int64_t)(1000 * at),
		.tsc = 10 * (uint64_t)at + 10000000000000001,
		.pid = 7,
		.tid = 8,
		.number = at,
		.proven = events[at].proven,
		.observed = events[at].observed };
	set(e, events[at].message, events[at].kind, 6, 6, 0);
	if (e->proven && e->kind == TL_END) {
		e->bare = true;
		e->begun_tsc = events[at].begun + 10000000000000001;
		e->begun_ns = 100 * (int64_t)events[at].begun;
		e->duration_ns = e->ns - e->begun_ns;
	}
	s->at++;
	return 1;
}

/*
 * Requests each 2 ms, which last 1.9 ms, with a query of 1.7 ms.  Queries are
 * logged in 20 of 200 ms.  Entries of the first 50 ms are overwritten in part,
 * and those from 700 to 710 ms are lost.
 */
enum {
	ACCOUNT_MS = 1000,
	KEPT_MS = 50,
	LOST_MS = 700,
	FOUND_MS = 710,
	BURST_MS = 20,
	EACH_MS = 200
};

struct account {
	struct tl_cursor cursor;
	struct tl_observer observer;
	unsigned at; /* in steps of a request */
	bool lost;
};

#define ACCOUNT_NS INT64_C(1795202658000000000)

/* Let an end have the stamp of its begin, so many ns before. */
static void
prove(struct tl_event *e, int64_t ns)
{
	e->proven = true;
	if (e->kind != TL_END)
		return;
	e->begun = TL_BEGUN;
	e->begun_tsc = e->tsc - (uint64_t)ns;
	e->begun_ns = e->ns - ns;
	e->duration_ns = ns;
}

static int
account_next(struct tl_cursor *cursor, struct tl_event *e)
{
	static const struct {
		unsigned message;
		uint8_t kind;
		int us;
	} steps[] = { { BURST, TL_INSTANT, 0 }, { REQUEST, TL_BEGIN, 1 },
		{ QUERY, TL_BEGIN, 101 }, { QUERY, TL_END, 1801 },
		{ REQUEST, TL_END, 1901 } };
	struct account *a = (struct account *)(void *)cursor;

	while (a->at < 5 * ACCOUNT_MS / 2) {
		const unsigned n = a->at++, step = n % 5;
		const int us = 2000 * (int)(n / 5) + steps[step].us;
		const int ms = us / 1000;

		*e = (struct tl_event){ .ns = ACCOUNT_NS + 1000 * (int64_t)us,
			.tsc = 1000 * (uint64_t)us + 1,
			.pid = 7,
			.tid = 8,
			.number = n,
			.cpu = 1 };
		if (ms >= LOST_MS && ms < FOUND_MS)
			continue;
		if (ms >= FOUND_MS && !a->lost) {
			a->lost = true;
			a->at--;
			lose(e, 20);
			tl_observe(&a->observer, e);
			tl_observe_loss(&a->observer);
			tl_observe_again(&a->observer);
			return 1;
		}
		if (step == 0 && ms % EACH_MS != EACH_MS / 2)
			continue;
		if (steps[step].message == QUERY &&
		    ms % EACH_MS - EACH_MS / 2 >= BURST_MS)
			continue;
		if (steps[step].message == QUERY && ms % EACH_MS < EACH_MS / 2)
			continue;
		set(e, steps[step].message, steps[step].kind,
		    step == 0 ? 5 : n / 5, 6,
		    (e->tsc + 1000000 * (uint64_t)BURST_MS) >>
			TIMELINE_UNTIL_SHIFT << TIMELINE_UNTIL_SHIFT);
		if (steps[step].message == REQUEST)
			prove(e, 1900000);
		tl_observe(&a->observer, e);
		return 1;
	}
	return 0;
}

static struct account
make_account(void)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = 6,
		.complete_from = { { 0, 1000000 * (uint64_t)KEPT_MS + 1 } },
		.gates = true };
	struct account a = { .cursor = { .next = account_next } };

	tl_observer_init(&a.observer, &start);
	return a;
}

enum { BUSY_CALLS = 12000, CALL_NS = 41666, FAILS_EACH = 4 };

static int
busy_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct server *s = (struct server *)(void *)cursor;
	const uint64_t call = s->at / 9;
	const unsigned thread = s->at % 9 / 3, step = s->at % 3;

	if (call == BUSY_CALLS)
		return 0;
	s->ns = ACCOUNT_NS +
		(int64_t)(CALL_NS * call + 7000 * thread + 2000 * step);
	*e = (struct tl_event){ .ns = s->ns,
		.tsc = (uint64_t)s->ns,
		.pid = 7,
		.tid = 70 + thread,
		.cpu = thread,
		.lane = thread,
		.number = s->numbers[thread]++ };
	if (step != 1)
		set(e, PARSE, step == 0 ? TL_BEGIN : TL_END, 1, 0, 0);
	else if (thread == 0 ? call % FAILS_EACH == 0
			     : thread == 2 && call == BUSY_CALLS / 2)
		set(e, FAILED, TL_INSTANT, call, 500, 0);
	else
		set(e, PROCESSED, TL_INSTANT, 1, 2, 3);
	s->at++;
	return 1;
}

/* Spans of 1 ms that one thread begins and another ends, each after the last. */
static int
handed_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct server *s = (struct server *)(void *)cursor;

	if (s->at == s->count)
		return 0;
	*e = (struct tl_event){ .ns = 1000000 * (int64_t)s->at,
		.tsc = 1000000 * s->at + 1,
		.pid = 7,
		.tid = s->at % 2 ? 9 : 8,
		.number = s->at };
	set(e, REQUEST, s->at % 2 ? TL_END : TL_BEGIN, s->at / 2, 0, 0);
	if (e->kind == TL_END)
		prove(e, 1000000);
	s->at++;
	return 1;
}

/* One entry in each ms; after ten entries the clock is set back by 20 s. */
static int
step_next(struct tl_cursor *cursor, struct tl_event *e)
{
	struct server *s = (struct server *)(void *)cursor;

	if (s->at == s->count)
		return 0;
	*e = (struct tl_event){ .ns = 1000000 * ((int64_t)s->at -
						    (s->at < 10 ? 0 : 20000)) +
				      1795202658123456789,
		.tsc = s->at,
		.pid = 7,
		.tid = 8,
		.number = s->at };
	set(e, PROCESSED, TL_INSTANT, s->at, 0, 0);
	s->at++;
	return 1;
}

static int
write_file(const char *path)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	int rc;

	if (snap_open(&snap, path, 0, &fault) != 0 ||
	    tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) != 0)
		return 1;
	rc = write_page(cursor, path, NULL, 0);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return rc;
}

static int
write_events(struct tl_cursor *cursor, const char *after, const char *max)
{
	struct tl_text text = { 0 };
	const struct tl_html_range range = { .after = after,
		.max = strtoull(max, NULL, 10),
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX };
	int rc = tl_html_events(&text, cursor, &range);

	if (rc == 0)
		rc = write_out(NULL, text.data, text.size);
	tl_text_free(&text);
	return rc == 0 ? 0 : 1;
}

/* Write the summary of entries for a range. */
static int
write_summary(struct tl_cursor *cursor, char *const *numbers)
{
	const struct tl_html_question question = {
		.from_ns = (int64_t)strtoull(numbers[0], NULL, 10),
		.to_ns = (int64_t)strtoull(numbers[1], NULL, 10),
		.measure_from_ns = (int64_t)strtoull(numbers[2], NULL, 10),
		.measure_to_ns = (int64_t)strtoull(numbers[3], NULL, 10),
		.is_whole = true
	};
	struct tl_html_summary *summary;
	struct tl_text text = { 0 };
	struct tl_event event;
	int rc = tl_html_summary_new(&summary);

	while (rc == 0 && tl_cursor_next(cursor, &event) > 0)
		rc = tl_html_summary_put(summary, &event);
	if (rc == 0) {
		tl_html_summary_write(summary, &text, &question);
		rc = write_out(NULL, text.data, text.size);
	}
	tl_html_summary_free(summary);
	tl_text_free(&text);
	return rc == 0 ? 0 : 1;
}

static int
write_live(void)
{
	struct tl_text text = { 0 };
	int rc;

	tl_html_live(&text);
	rc = text.rc != 0 ? 1 : write_out(NULL, text.data, text.size);
	tl_text_free(&text);
	return rc;
}

/* Events by name; N is how many of them there are. */
static const struct {
	const char *name;
	int (*next)(struct tl_cursor *cursor, struct tl_event *event);
	const char *title, *count; /* if N is not given */
} sources[] = {
	{ "plain", server_next, "server.tl", "0" },
	{ "hosts", hosts_next, "fleet", "0" },
	{ "extreme", extreme_next, "extreme", "0" },
	{ "cut", cut_next, "spans", "1000" },
	{ "proven", proven_next, "spans", "1000" },
	{ "step", step_next, "spans", "1000" },
	{ "account", account_next, "account", "0" },
	{ "busy", busy_next, "busy", "0" },
	{ "handed", handed_next, "handed", "20" },
};
enum { NAMES = sizeof(sources) / sizeof(sources[0]) };

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *events = strstr(what, "events");
	const char *summary = strstr(what, "summary");
	char zero[] = "0", end[] = "1795202659000000000";
	char *const always[] = { zero, end, zero, end };
	struct account account = make_account();
	struct server server = { .ns = 1795202658123456789 };
	struct tl_cursor *cursor = &server.cursor;
	size_t i = 0, size = strcspn(what, "-");

	define();
	if (strcmp(what, "hostile") == 0)
		return write_hostile();
	if (strcmp(what, "live") == 0)
		return write_live();
	if (strcmp(what, "file") == 0 && argc == 3)
		return write_file(argv[2]);
	/* "events" and "summary" are those of plain */
	if (what == events || what == summary)
		size = 0;
	while (size > 0 && i < NAMES &&
	       (strlen(sources[i].name) != size ||
		   strncmp(what, sources[i].name, size) != 0))
		i++;
	if (i == NAMES || (events && argc != 5) || argc < 2) {
		fputs("make_page WORD...: see make_page.c\n", stderr);
		return 2;
	}
	server.count =
	    strtoull(argc > 2 ? argv[2] : sources[i].count, NULL, 10);
	if (sources[i].next == account_next)
		cursor = &account.cursor;
	cursor->next = sources[i].next;
	if (events)
		return write_events(cursor, argv[3], argv[4]);
	if (summary)
		return write_summary(cursor, argc == 7 ? argv + 3 : always);
	return write_page(cursor, sources[i].title, origins,
	    sources[i].next == hosts_next ? SOURCES : 0);
}
