/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - logs what timeline.h can log, for C and for C++: program NAME
 * SNAPSHOT.  What it logs is the same with each library but for the times.
 */
#include <timeline.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct timeline *tl;
static struct timeline_event *plain, *span, *source, *level, *timer, *at;
static struct timeline_event *detail;

static void *
work(void *unused)
{
	timeline_thread_name(tl, "worker");
	timeline_scope(span, 7);
	timeline_timed(timer, 8);
	timeline_log(plain, 9, 10, 11.5, 12);
	return unused;
}

static void
log_all(uint64_t text)
{
	uint64_t begun;

	timeline_log(plain, 1, 2, 0.5, text);
	begun = timeline_begin(span, 3);
	timeline_begin(span, 4);
	timeline_end(span, 4);
	timeline_next(span, 5);
	timeline_end_of(span, begun, 3);
	timeline_begin(source);
	timeline_end(source);
	timeline_log(level, -40);
	timeline_timer_end(timer, timeline_timer_begin(timer), 6);
	timeline_log_at(at, timeline_stamp(at), 13);
}

int
main(int argc, char **argv)
{
	struct timeline_options options;
	pthread_t thread;
	uint64_t text;

	memset(&options, 0, sizeof(options));
	options.entries = 4096;
	if (argc < 3 || timeline_new(&tl, argv[1], &options) != 0 ||
	    timeline_define(tl, "program", "info",
		"plain $a $b%x $c%f $d%s\nIt is explained.", &plain) != 0 ||
	    timeline_define_span(tl, "program", "info", "span $n",
		TIMELINE_THREAD, &span) != 0 ||
	    timeline_define_span(tl, "program", "warning", "source",
		TIMELINE_SOURCE, &source) != 0 ||
	    timeline_define_counter(tl, "program", "debug", "level $l",
		&level) != 0 ||
	    timeline_define_timer(tl, "program", "info", "timer $t", &timer) !=
		0 ||
	    timeline_define(tl, "program", "info", "at $n", &at) != 0 ||
	    timeline_define(tl, "program", "trace", "detail $n", &detail) !=
		0 ||
	    timeline_string(tl, "words", &text) != 0)
		return fprintf(stderr, "%s\n", timeline_error()), 1;
	timeline_thread_name(tl, "main");
	log_all(text);
	if (timeline_priority(tl, "info") != 0)
		return 2;
	timeline_log(detail, 1); /* is not logged */
	if (timeline_burst(tl, "trace", 3600000000000u) != 0)
		return 3;
	timeline_log(detail, 2);
	if (timeline_level(tl, "program", "detail*", "off") != 0)
		return 4;
	timeline_log(detail, 3); /* is not logged */
	if (timeline_slower(tl, "program", "timer*", UINT64_MAX) != 0)
		return 5;
	timeline_timer_end(timer, timeline_timer_begin(timer), 6);
	if (pthread_create(&thread, NULL, work, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return 6;
	if (timeline_save(tl, argv[2]) != 0 || timeline_superseded(tl) != 0 ||
	    strcmp(timeline_version(), TIMELINE_VERSION) != 0)
		return fprintf(stderr, "%s\n", timeline_error()), 7;
	timeline_close(tl);
	if (timeline_open(&tl, argv[1]) != 0 || timeline_clear(tl) != 0)
		return fprintf(stderr, "%s\n", timeline_error()), 8;
	timeline_close(tl);
	return timeline_new(&tl, "./nowhere/x", NULL) == 0 ||
	       !*timeline_error();
}
