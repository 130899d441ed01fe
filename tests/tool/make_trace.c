/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_trace.c - record a known trace, for the tests of the tools.
 *
 *	make_trace PATH [word ...]
 *
 * The program does the words in order:
 *
 *	known		the tree below, and a second thread, "second"
 *	wide=N		a span with N instants in it
 *	deep=N		N nested spans
 *	bushy=N		N spans with two instants each
 *	hostile		texts with control sequences
 *	open=N		N spans that never end
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <timeline_trace.h>

enum { SLOW_NS = 5000000 };

static struct timeline_trace *trace;

static struct {
	struct timeline_trace_message *request, *open, *parse, *note, *depth,
	    *hostile, *named;
} messages;

static void
must(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_trace: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static void
define_all(void)
{
	must(timeline_trace_span(trace, "server", "info",
		 "request $id\nWhat a client asked for.", &messages.request),
	    "request");
	must(timeline_trace_span(trace, "disk", "debug", "open $fd%d",
		 &messages.open),
	    "open");
	must(timeline_trace_span(trace, "server", "trace", "parse",
		 &messages.parse),
	    "parse");
	must(timeline_trace_instant(trace, "server", "warning", "note $n",
		 &messages.note),
	    "note");
	must(timeline_trace_counter(trace, "queue", "info", "depth $length",
		 &messages.depth),
	    "depth");
	must(timeline_trace_instant(trace, "ho\033[5mst", "error",
		 "red \033[31m $what%s \xe2\x80\xae bidi \xff \xe4\xb8\xad",
		 &messages.hostile),
	    "hostile");
	must(timeline_trace_instant(trace, "server", "info", "file $name%s",
		 &messages.named),
	    "named");
}

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Wait far longer than everything before took, however slow the machine is. */
static void
take_time(int64_t start_ns)
{
	const int64_t ns = SLOW_NS + 20 * (now_ns() - start_ns);

	nanosleep(&(struct timespec){ .tv_sec = ns / 1000000000,
		      .tv_nsec = ns % 1000000000 },
	    NULL);
}

/* Record two requests; the second is slow because of a span within it. */
static void
record_known(void)
{
	const int64_t start_ns = now_ns();

	timeline_trace_begin(messages.request, 1, UINT64_C(1));
	timeline_trace_begin(messages.parse, 0);
	timeline_trace_end(messages.parse, 0);
	timeline_trace_log(messages.depth, 1, UINT64_C(12));
	timeline_trace_end(messages.request, 1, UINT64_C(1));
	timeline_trace_begin(messages.request, 1, UINT64_C(2));
	timeline_trace_log(messages.note, 1, UINT64_C(7));
	timeline_trace_begin(messages.open, 1, UINT64_C(3));
	timeline_trace_begin(messages.parse, 0);
	take_time(start_ns);
	timeline_trace_end(messages.parse, 0);
	timeline_trace_end(messages.open, 1, UINT64_MAX);
	timeline_trace_begin(messages.open, 1, UINT64_C(4));
	timeline_trace_end(messages.open, 0);
	timeline_trace_end(messages.request, 0);
	timeline_trace_log(messages.note, 1, UINT64_C(8));
}

static void *
record_second(void *unused)
{
	(void)unused;
	must(timeline_trace_thread_name(trace, "second"), "thread");
	timeline_trace_begin(messages.request, 1, UINT64_C(3));
	timeline_trace_log(messages.note, 1, UINT64_C(9));
	timeline_trace_end(messages.request, 0);
	return NULL;
}

static void
record_threads(void)
{
	pthread_t second;

	must(timeline_trace_thread_name(trace, "first"), "thread");
	record_known();
	must(-pthread_create(&second, NULL, record_second, NULL), "thread");
	pthread_join(second, NULL);
}

static void
record_hostile(void)
{
	uint64_t title;

	must(timeline_trace_string(trace, "title \033]0;owned\007", &title),
	    "string");
	timeline_trace_log(messages.hostile, 1, title);
}

static void
nest(struct timeline_trace_message *span, unsigned long count, int ends)
{
	for (unsigned long i = 0; i < count; i++)
		timeline_trace_begin(span, 1, (uint64_t)i);
	for (unsigned long i = 0; ends && i < count; i++)
		timeline_trace_end(span, 0);
}

static void
spread(unsigned long count)
{
	timeline_trace_begin(messages.request, 1, UINT64_C(0));
	for (unsigned long i = 0; i < count; i++)
		timeline_trace_log(messages.note, 1, (uint64_t)i);
	timeline_trace_end(messages.request, 0);
}

static void
plant(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		timeline_trace_begin(messages.open, 1, (uint64_t)i);
		timeline_trace_log(messages.note, 1, (uint64_t)i);
		timeline_trace_log(messages.depth, 1, (uint64_t)i);
		timeline_trace_end(messages.open, 0);
	}
}

static void
perform(const char *word)
{
	const char *equals = strchr(word, '=');
	const unsigned long n = equals ? strtoul(equals + 1, NULL, 10) : 0;

	if (strcmp(word, "known") == 0)
		record_threads();
	else if (strcmp(word, "hostile") == 0)
		record_hostile();
	else if (strncmp(word, "wide=", 5) == 0)
		spread(n);
	else if (strncmp(word, "deep=", 5) == 0)
		nest(messages.request, n, 1);
	else if (strncmp(word, "open=", 5) == 0)
		nest(messages.request, n, 0);
	else if (strncmp(word, "bushy=", 6) == 0)
		plant(n);
	else
		must(-22, word);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	must(timeline_trace_create(&trace, argv[1], NULL), argv[1]);
	define_all();
	for (int i = 2; i < argc; i++)
		perform(argv[i]);
	must(timeline_trace_close(trace), "close");
	return 0;
}
