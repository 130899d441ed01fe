/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_storm.c - a child logs under its own ids and can define at once,
 * whatever its parent was doing during the fork.
 */
#include "../lib/writers.h"

#include <pthread.h>

enum { FORKS = 300, THREADS = 3, EACH = 20, PATIENCE_S = 300 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;
static volatile int stop;

/* Threads that hold the lock of definitions most of the time. */
static void *
define_all_the_time(void *context)
{
	uint64_t number;

	for (unsigned i = 0; !stop; i++) {
		char text[48];

		snprintf(text, sizeof(text), "%p %u", context, i % 64);
		expect_ok(timeline_string(tl, text, &number));
	}
	return NULL;
}

static void *
log_all_the_time(void *context)
{
	while (!stop)
		write_one(event, context);
	return NULL;
}

/*
 * Each entry carries the pid of the caller; check_timeline() compares it with
 * the pid of the entry.
 */
static void
be_child(void *context)
{
	struct writer *w = context;
	struct timeline_event *own;
	char text[64];

	alarm(PATIENCE_S); /* ends a child that waits for a lost lock */
	for (int i = 0; i < EACH; i++)
		write_one(event, w);
	snprintf(text, sizeof(text), "defined by child $n of %d",
	    (int)w->number);
	expect_ok(timeline_define(tl, "children", "info", text, &own));
	timeline_log(own, w->number);
	if (w->number % 8 == 0) { /* some children fork, too */
		const pid_t grandchild = fork();

		if (grandchild == 0) {
			write_one(event, w);
			_exit(0);
		}
		expect_success(grandchild);
	}
}

static void
storm(void)
{
	pthread_t threads[THREADS + 1];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, define_all_the_time,
		    &writers[i]);
	pthread_create(&threads[THREADS], NULL, log_all_the_time,
	    &writers[WRITERS_MAX - 1]);
	for (int i = 0; i < FORKS; i++) {
		struct writer *w = &writers[i % (WRITERS_MAX - 1)];

		expect_success(spawn(be_child, w));
		write_one(event, w);
	}
	stop = 1;
	for (int i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
}

int
main(void)
{
	const struct timeline_options options = { .entries = 1 << 15 };
	/* each child defines one message and logs it */
	uint64_t attempted = FORKS;
	struct check c;

	choose_test_name("fork");
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	writers = share(WRITERS_MAX * sizeof(*writers));
	for (int i = 0; i < WRITERS_MAX; i++)
		writers[i].number = (uint64_t)i;
	storm();
	for (int i = 0; i < WRITERS_MAX; i++)
		attempted += writers[i].sequence;
	c = check_timeline(test_name);
	printf("%lu appends, %lu shown, %lu dropped\n", attempted, c.entries,
	    sum_of_drops(tl));
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect_accounted(&c, tl);
	timeline_close(tl);
	return 0;
}
