/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - threads of one process that define, log, set levels and save at
 * once.  Under ThreadSanitizer (make check-threads) the test proves that shared
 * data is published; elsewhere it proves that no definition and no entry is
 * lost.
 *
 * The ring is tiny, so that writers lap each other all the time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 200, MESSAGES = 40, LOGS = 50 };

static struct timeline *tl;
static struct timeline_event *events[THREADS][MESSAGES];
static atomic_int failures;

static void
expect(int rc, const char *what)
{
	if (rc == 0)
		return;
	printf("%s: %s\n", what, timeline_error());
	failures++;
}

/* Every thread defines the same messages and logs them. */
static void *
work(void *argument)
{
	const size_t me = (size_t)(uintptr_t)argument;
	char text[64];

	for (size_t i = 0; i < MESSAGES; i++) {
		snprintf(text, sizeof(text), "message %zu of $thread, $n", i);
		expect(timeline_define(tl, "threads", "trace", text,
			   &events[me][i]),
		    "define");
		for (uint64_t n = 0; n < LOGS; n++)
			timeline_log(events[me][i], me, n);
	}
	for (uint64_t n = 0; n < ROUNDS; n++)
		timeline_log(events[me][n % MESSAGES], me, n);
	return NULL;
}

static void *
turn(void *argument)
{
	(void)argument;
	for (int i = 0; i < ROUNDS; i++) {
		expect(timeline_priority(tl, i % 2 ? "info" : "trace+++"),
		    "priority");
		expect(timeline_burst(tl, "trace", 1000), "burst");
		timeline_level(tl, "threads", "message 1*",
		    i % 2 ? "off" : "default");
	}
	return NULL;
}

/* The same definition must be the same event in every thread. */
static void
compare_events(void)
{
	for (size_t me = 1; me < THREADS; me++)
		for (size_t i = 0; i < MESSAGES; i++)
			if (events[me][i] != events[0][i]) {
				printf("message %zu defined twice\n", i);
				failures++;
			}
}

int
main(void)
{
	const struct timeline_options tiny = { .entries = 64,
		.cpu_lanes = 1,
		.fallback_lanes = 1 };
	char path[64];
	char saved[] = "/tmp/timeline-threads-XXXXXX";
	pthread_t threads[THREADS + 1];
	const int fd = mkstemp(saved);

	snprintf(path, sizeof(path), "/timeline-threads-%d", (int)getpid());
	timeline_remove(path);
	expect(timeline_new(&tl, path, &tiny), "new");
	if (failures)
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
	pthread_create(&threads[THREADS], NULL, turn, NULL);
	for (int i = 0; i < 20; i++)
		expect(timeline_save(tl, saved), "save");
	for (size_t i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	compare_events();
	timeline_close(tl);
	expect(timeline_remove(path), "remove");
	unlink(saved);
	close(fd);
	return failures ? 1 : 0;
}
