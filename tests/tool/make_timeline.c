/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_timeline.c - log a known sequence, for the tests of the tools.
 *
 *	make_timeline PATH [word ...]
 *
 * The program does the words in order:
 *
 *	entries=N cpus=N  geometry, before anything else
 *	known		the sequence below, once
 *	plain=N		N times "processed $tcp, $udp, and $other" (i, 2i, 3i)
 *	hostile		messages and strings with control sequences
 *	spans=N		N pairs of "work" around nested pairs
 *	bursts=N	N bursts of trace++ with detail in them
 *	stale		log an event with a stamp before the last entry
 *	timed=N		end N spans of a timer, of 10 ms, 20 ms, 30 ms ...
 *	paced=N		N rounds of 1 ms at fixed distances
 *	slow=N		N parts, each tenth of which is slow and "of" 9
 *	merged		a burst of trace inside one of debug
 *	raised=N	N spans of a raised message, with a burst in each
 *	named=NAME	name the thread
 *	priority=P	set the priority
 *	level=P		set the level of category "noisy"
 *	sleep=MS
 *	save=FILE
 *	clear, remove
 *
 * The program stays on one CPU, so that the order of its entries is known.
 */
#include "../lib/making.h"

#include <fcntl.h>
#include <limits.h>

enum { WORD_MAX = 64, COUNT_MAX = 100000000 };

/* Every kind of message. */
static struct {
	struct timeline_event *processed, *formats, *noisy, *failed, *fatal;
	struct timeline_event *explained, *depth, *work, *part, *request;
	struct timeline_event *detail, *quiet;
} events;

static void
define_all(void)
{
	expect_ok(timeline_define(tl, "example", "trace",
	    "processed $tcp, $udp, and $other", &events.processed));
	expect_ok(timeline_define(tl, "formats", "info",
	    "signed $a%d hex $b%x double $c%f duration $d%t", &events.formats));
	expect_ok(
	    timeline_define(tl, "noisy", "debug", "chatter $n", &events.noisy));
	expect_ok(timeline_define(tl, "disk", "error", "failed on $device%s",
	    &events.failed));
	expect_ok(
	    timeline_define(tl, "disk", "fatal", "gave up", &events.fatal));
	expect_ok(timeline_define(tl, "example", "warning",
	    "explained $n\nThe first line of the explanation.\n"
	    "The second line of it.",
	    &events.explained));
	expect_ok(timeline_define_counter(tl, "queue", "info", "depth $length",
	    &events.depth));
	expect_ok(timeline_define_span(tl, "span", "info", "work $job",
	    TIMELINE_THREAD, &events.work));
	expect_ok(timeline_define_span(tl, "span", "info", "part $of",
	    TIMELINE_THREAD, &events.part));
	expect_ok(timeline_define_span(tl, "span", "info", "request $id",
	    TIMELINE_SOURCE, &events.request));
	expect_ok(timeline_define(tl, "detail", "trace++", "detail $n",
	    &events.detail));
	expect_ok(timeline_define(tl, "a-very-long-category", "trace+++",
	    "never logged", &events.quiet));
}

/* Log eleven entries with known arguments. */
static void
log_known(void)
{
	uint64_t device;

	expect_ok(timeline_string(tl, "sda one", &device));
	timeline_log(events.processed, 10, 20, 3);
	timeline_log(events.processed, 50, 60, 8);
	timeline_log(events.formats, -5, 255, 2.5, 1500);
	timeline_log(events.processed, UINT64_MAX, UINT64_MAX - 1,
	    UINT64_C(9007199254740993));
	timeline_log(events.noisy, 7);
	timeline_log(events.failed, device);
	timeline_log(events.explained, 1);
	timeline_log(events.depth, 12);
	timeline_begin(events.work, 1);
	timeline_end(events.work);
	timeline_log(events.fatal);
}

static void
log_plain(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		timeline_log(events.processed, i, 2 * i, 3 * i);
}

static void
log_hostile(void)
{
	static const char *const texts[] = { "red \033[31m $x",
		"bell \a return \r backspace \b $x",
		("c1 \xc2\x9b"
		 "31m raw \x9b $x"),
		"bidi \xe2\x80\xae override \xe2\x81\xa6 $x",
		"broken \xff\xfe utf8 \xc3 $x", "tab\there $x",
		"quote \" comma , $x", "%s%n%d $x", "=1+1 $x" };
	struct timeline_event *event;
	uint64_t number;

	expect_ok(timeline_string(tl, "title \033]0;owned\007", &number));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect_ok(timeline_define(tl, "ho\033[5mst", "info", texts[i],
		    &event));
		timeline_log(event, i);
	}
	expect_ok(timeline_define(tl, "hostile", "info",
	    "text $x%s\nexplained \033[2J by $", &event));
	timeline_log(event, number);
	timeline_log(event, 123456789);
}

static void
log_spans(uint64_t count)
{
	timeline_end(events.part); /* an end without a begin */
	for (uint64_t i = 0; i < count; i++) {
		timeline_begin(events.request, i);
		timeline_begin(events.work, i);
		{
			timeline_scope(events.part, i);
			timeline_log(events.noisy, i);
		}
		timeline_end(events.work);
		timeline_end(events.request);
	}
	timeline_begin(events.work, count); /* a begin without an end */
}

static void
log_bursts(uint64_t count)
{
	expect_ok(timeline_priority(tl, "info"));
	for (uint64_t i = 0; i < count; i++) {
		expect_ok(timeline_burst(tl, "trace++", 100000000));
		for (uint64_t k = 0; k < 10; k++)
			timeline_log(events.detail, k);
		sleep_ns(120000000);
		/* the burst is over: not logged */
		timeline_log(events.detail, 99);
		timeline_log(events.depth, i);
	}
}

/* Ticks of the timeline's clock in 10 ms, from the header of its file. */
static double
ticks_of_10_ms(const char *path)
{
	struct timeline_header header;
	char file[PATH_MAX];
	int fd;

	snprintf(file, sizeof(file), "/dev/shm%s", path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &header, sizeof(header)) != sizeof(header)) {
		perror(file);
		exit(1);
	}
	close(fd);
	if (header.clock_kind == TIMELINE_CLOCK_REALTIME)
		return 1e7;
	return 1e7 * 0x1p63 / (double)header.clock.mult;
}

/*
 * End spans that began long ago, so that the time of the call does not matter.
 */
static void
log_timed(const char *path, uint64_t n)
{
	const double ticks = ticks_of_10_ms(path);
	struct timeline_event *timer;

	expect_ok(
	    timeline_define_timer(tl, "timed", "info", "timed $n", &timer));
	for (uint64_t i = 1; i <= n; i++) {
		const uint64_t ago = (uint64_t)(ticks * (double)i);

		timeline_timer_append(timer, timeline_stamp(timer) - ago, i, 0,
		    0, 0);
	}
}

static void
log_stale(void)
{
	const uint64_t stamp = timeline_stamp(events.depth);

	timeline_log(events.depth, 1);
	timeline_log_at(events.depth, stamp, 2);
	timeline_log_at(events.depth, timeline_stamp(events.depth), 3);
}

/*
 * Log rounds of 1 ms up to now, each with the same entries at the same times.
 */
static void
log_paced(const char *path, uint64_t rounds)
{
	const double us = ticks_of_10_ms(path) / 10000;
	const uint64_t start = timeline_stamp(events.depth) -
			       (uint64_t)(us * 1000 * (double)rounds);

#define AT(t) (start + (uint64_t)(us * (1000 * (double)i + (t))))
	for (uint64_t i = 0; i < rounds; i++) {
		timeline_log_at(events.work, AT(20), i);
		timeline_log_at(events.depth, AT(100), i % 4);
		timeline_log_at(events.part, AT(200), i);
		timeline_log_at(events.noisy, AT(300), i);
		timeline_log_at(events.part + 1, AT(600), i);
		if (i % 5 == 2)
			timeline_log_at(events.explained, AT(700), i);
		timeline_log_at(events.work + 1, AT(900), i);
	}
#undef AT
}

/* Log parts of 100 us, the slow ones of 500 us, in rounds of 1 ms up to now. */
static void
log_slow(const char *path, uint64_t rounds)
{
	const double us = ticks_of_10_ms(path) / 10000;
	const uint64_t start = timeline_stamp(events.part) -
			       (uint64_t)(us * 1000 * (double)rounds);

	for (uint64_t i = 0; i < rounds; i++) {
		const uint64_t at = start + (uint64_t)(us * 1000 * (double)i);
		const uint64_t of = i % 10 == 7 ? 9 : i % 4;

		timeline_log_at(events.part, at, of);
		timeline_log_at(events.part + 1,
		    at + (uint64_t)(us * (of == 9 ? 500 : 100)), of);
	}
}

/* Make a burst inside another one. */
static void
log_merged(void)
{
	expect_ok(timeline_burst(tl, "debug", 60000000000));
	sleep_ns(2000000);
	expect_ok(timeline_burst(tl, "trace", 1000000));
	sleep_ns(2000000);
	timeline_log(events.depth, 1);
}

/* All of the spans are logged, whatever bursts come and go. */
static void
log_raised(uint64_t n)
{
	struct timeline_event *raised;

	raised = making_span("raised", "debug", "raised $id", TIMELINE_THREAD);
	expect_ok(timeline_priority(tl, "info"));
	expect_ok(timeline_level(tl, "raised", "*", "debug"));
	expect_ok(timeline_level(tl, "raised", "*", "warning"));
	for (uint64_t i = 0; i < n; i++) {
		timeline_begin(raised, i);
		expect_ok(timeline_burst(tl, "trace", 1000));
		sleep_ns(1000000);
		timeline_end(raised);
	}
}

static uint64_t
number(const char *text)
{
	char *end;
	const unsigned long long n = strtoull(text, &end, 10);

	if (*end != '\0' || n > COUNT_MAX) {
		fprintf(stderr, "make_timeline: %s: not a count\n", text);
		exit(2);
	}
	return n;
}

static void
do_word(const char *path, const char *name, const char *value)
{
	if (strcmp(name, "known") == 0)
		log_known();
	else if (strcmp(name, "plain") == 0)
		log_plain(number(value));
	else if (strcmp(name, "hostile") == 0)
		log_hostile();
	else if (strcmp(name, "spans") == 0)
		log_spans(number(value));
	else if (strcmp(name, "stale") == 0)
		log_stale();
	else if (strcmp(name, "timed") == 0)
		log_timed(path, number(value));
	else if (strcmp(name, "paced") == 0)
		log_paced(path, number(value));
	else if (strcmp(name, "slow") == 0)
		log_slow(path, number(value));
	else if (strcmp(name, "bursts") == 0)
		log_bursts(number(value));
	else if (strcmp(name, "merged") == 0)
		log_merged();
	else if (strcmp(name, "raised") == 0)
		log_raised(number(value));
	else if (strcmp(name, "named") == 0)
		timeline_thread_name(tl, value);
	else if (strcmp(name, "priority") == 0)
		expect_ok(timeline_priority(tl, value));
	else if (strcmp(name, "level") == 0)
		expect_ok(timeline_level(tl, "noisy", "*", value));
	else if (strcmp(name, "sleep") == 0)
		sleep_ns(1000000 * number(value));
	else if (strcmp(name, "save") == 0)
		expect_ok(timeline_save(tl, value));
	else if (strcmp(name, "clear") == 0)
		expect_ok(timeline_clear(tl));
	else if (strcmp(name, "remove") == 0)
		expect_ok(timeline_remove(path));
	else if (strcmp(name, "entries") != 0 && strcmp(name, "cpus") != 0) {
		fprintf(stderr, "make_timeline: %s: no such word\n", name);
		exit(2);
	}
}

/* Split "name=value"; the value is "" without an equals sign. */
static const char *
split(const char *word, char name[WORD_MAX])
{
	const size_t size = strcspn(word, "=");

	snprintf(name, WORD_MAX, "%.*s", (int)size, word);
	return word[size] ? word + size + 1 : "";
}

int
main(int argc, char **argv)
{
	struct timeline_options options = { .entries = 8192 };
	char name[WORD_MAX];
	const char *value;

	if (argc < 2) {
		fputs("make_timeline PATH [word ...]\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		value = split(argv[i], name);
		if (strcmp(name, "entries") == 0)
			options.entries = number(value);
		if (strcmp(name, "cpus") == 0)
			options.cpu_lanes = (uint32_t)number(value);
	}
	pin(0, sched_getcpu());
	expect_ok(timeline_new(&tl, argv[1], &options));
	define_all();
	for (int i = 2; i < argc; i++) {
		value = split(argv[i], name);
		do_word(argv[1], name, value);
	}
	timeline_close(tl);
	return 0;
}
