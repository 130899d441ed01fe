/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - load NAME: a program that logs on commands from standard input.
 *
 *	rate N [LEVEL]	log "tick $n" N times a second from here on
 *	beat MS		log "alive" each MS milliseconds; 0: no more
 *	work US		one span "work $id" of US microseconds
 *	begin, end	begin or end such a span; lines may come between
 *	depth N		"queue $depth"
 *	fail N		"failed $code", an error
 *	request N, reply N
 *	count		print how many ticks there were
 *	die		kill -9 itself
 *	leave		end by _exit, with status 0
 *	quit
 *
 * The program answers each line with "ok" (count: with the number), and ends
 * with its input.
 */
#include "../lib/now.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

enum {
	LINE_SIZE = 256,
	LEVELS = 9,
	DUE_MAX = 1 << 20 /* ticks in one step: a slow program still reads
			   * commands */
};

static const char *const levels[LEVELS] = { "trace+++", "trace++", "trace+",
	"trace", "debug", "info", "warning", "error", "fatal" };

static struct timeline *tl;
static struct timeline_event *ticks[LEVELS];
static struct timeline_event *alive, *work, *queue, *failed, *request, *reply;
static struct timeline_event *tick;
static double rate;
static uint64_t ticked;
static uint64_t works;
static int64_t beat_ns;

static void
define_all(void)
{
	for (int i = 0; i < LEVELS; i++)
		timeline_define(tl, "load", levels[i], "tick $n", &ticks[i]);
	tick = ticks[3];
	timeline_define(tl, "load", "info", "alive", &alive);
	timeline_define_span(tl, "load", "info", "work $id", TIMELINE_THREAD,
	    &work);
	timeline_define(tl, "load", "info", "queue $depth", &queue);
	timeline_define(tl, "load", "error", "failed $code", &failed);
	timeline_define(tl, "load", "info", "request $id", &request);
	timeline_define(tl, "load", "info", "reply $id", &reply);
}

static void
set_rate(const char *level, double n)
{
	rate = n;
	for (int i = 0; i < LEVELS; i++)
		if (strcmp(level, levels[i]) == 0)
			tick = ticks[i];
}

static void
do_work(double us)
{
	const int64_t end = now() + (int64_t)(us * 1000);

	timeline_begin(work, works);
	while (now() < end)
		continue;
	timeline_end(work, works++);
}

/* Do one line; false: quit. */
static int
obey(const char *line)
{
	char word[LINE_SIZE], level[LINE_SIZE] = "";
	double n = 0;

	if (sscanf(line, "%255s %lf %255s", word, &n, level) < 1)
		return 1;
	if (strcmp(word, "rate") == 0)
		set_rate(level, n);
	else if (strcmp(word, "many") == 0)
		for (double i = 0; i < n; i++)
			timeline_log(request, (uint64_t)i);
	else if (strcmp(word, "beat") == 0)
		beat_ns = (int64_t)(n * 1e6);
	else if (strcmp(word, "work") == 0)
		do_work(n);
	else if (strcmp(word, "begin") == 0)
		timeline_begin(work, works);
	else if (strcmp(word, "end") == 0)
		timeline_end(work, works++);
	else if (strcmp(word, "depth") == 0)
		timeline_log(queue, (uint64_t)n);
	else if (strcmp(word, "fail") == 0)
		timeline_log(failed, (uint64_t)n);
	else if (strcmp(word, "request") == 0)
		timeline_log(request, (uint64_t)n);
	else if (strcmp(word, "reply") == 0)
		timeline_log(reply, (uint64_t)n);
	else if (strcmp(word, "die") == 0)
		raise(SIGKILL);
	else if (strcmp(word, "leave") == 0)
		_exit(0);
	else if (strcmp(word, "quit") == 0)
		return 0;
	if (strcmp(word, "count") == 0)
		printf("%llu\n", (unsigned long long)ticked);
	else
		printf("ok\n");
	fflush(stdout);
	return 1;
}

/*
 * Log the entries that are due, in steps of a millisecond, until a line comes.
 */
static void
run_until_input(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t last = now(), beat_at = last;
	double due = 0;

	while (poll(&in, 1, rate > 0 || beat_ns > 0 ? 1 : -1) == 0) {
		const int64_t t = now();

		due += rate * (double)(t - last) / 1e9;
		due = due > DUE_MAX ? DUE_MAX : due;
		last = t;
		for (; due >= 1; due--, ticked++)
			timeline_log(tick, ticked);
		if (beat_ns > 0 && t >= beat_at) {
			timeline_log(alive);
			beat_at = t + beat_ns;
		}
	}
}

int
main(int argc, char **argv)
{
	char line[LINE_SIZE];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc != 2 || timeline_new(&tl, argv[1], NULL) != 0) {
		fprintf(stderr, "load: %s\n",
		    argc == 2 ? timeline_error() : "load NAME");
		return 1;
	}
	define_all();
	setvbuf(stdin, NULL, _IONBF, 0); /* poll must see every byte */
	do
		run_until_input();
	while (fgets(line, sizeof(line), stdin) && obey(line));
	timeline_close(tl);
	return 0;
}
