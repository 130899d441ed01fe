/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - a buffer that is filled by one thread and emptied by another: a
 * source each for what the threads do, and one for the buffer itself, which
 * is opened by the one and closed by the other.
 *
 *	cc source.c $(pkg-config --cflags --libs timeline) -o source
 *	./source [rounds]
 *	timeline-convert --to timelogger /timeline-example-source -o x.bin
 */
#include "example.h"

#include <pthread.h>
#include <semaphore.h>
#include <timeline_source.h>

static struct timeline_source *filling;
static struct timeline_source *emptying;
static struct timeline_source *full;
static sem_t filled, emptied;
static unsigned rounds = 100;

static void *
empty(void *unused)
{
	for (unsigned i = 0; i < rounds; i++) {
		sem_wait(&filled);
		timeline_source_close(full);
		timeline_source_scope(emptying);
		example_work(2000);
		sem_post(&emptied);
	}
	return unused;
}

static void
fill(void)
{
	for (unsigned i = 0; i < rounds; i++) {
		sem_wait(&emptied);
		timeline_source_open(filling);
		example_work(5000);
		timeline_source_close(filling);
		timeline_source_open(full);
		sem_post(&filled);
	}
}

int
main(int argc, char **argv)
{
	struct timeline *tl = example_new("/timeline-example-source");
	pthread_t thread;

	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	example_must(timeline_source_new(&filling, tl, "filling"));
	example_must(timeline_source_new(&emptying, tl, "emptying"));
	example_must(timeline_source_new(&full, tl, "buffer.HLD"));
	sem_init(&filled, 0, 0);
	sem_init(&emptied, 0, 1);
	if (pthread_create(&thread, NULL, empty, NULL) != 0)
		return 1;
	fill();
	pthread_join(thread, NULL);
	printf("the buffer is %s\n",
	    timeline_source_activity(full) ? "full" : "empty");
	return 0;
}
