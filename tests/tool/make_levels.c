/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_levels.c - a message that is logged only while its level is changed.
 *
 *	make_levels PATH FILE
 *
 * Two messages are logged each ms for 800 ms: "tick", and "detail", which is
 * below the priority. "detail" gets the level of "tick" after 150 ms and its
 * own level again after 650 ms.  Meanwhile a scope "handed" begins, which
 * another thread ends.  The program saves FILE, removes PATH, and prints how
 * many ns passed while "detail" had the other level: a machine under load may
 * stop the program at any time.
 */
#include "../lib/now.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

enum { STEPS = 800, UP_AT = 150, DOWN_AT = 650, STEP_NS = 1000000 };

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_levels: %s\n", timeline_error());
	exit(1);
}

static struct timeline_event *handed;
static uint64_t handed_begun;

static void *
end_handed(void *unused)
{
	(void)unused;
	(void)timeline_span_append(handed + TIMELINE_PART_SCOPE_END,
	    handed_begun, 0, 0, 0);
	return NULL;
}

static void
hand_over(void)
{
	pthread_t thread;

	handed_begun =
	    timeline_span_append(handed + TIMELINE_PART_SCOPE, 1, 0, 0, 0);
	if (pthread_create(&thread, NULL, end_handed, NULL) == 0)
		pthread_join(thread, NULL);
}

int
main(int argc, char **argv)
{
	struct timeline_event *tick, *detail;
	struct timeline *tl;
	int64_t begun, up = 0, down = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: make_levels PATH FILE\n");
		return 2;
	}
	must(timeline_new(&tl, argv[1], NULL));
	must(timeline_define(tl, "work", "info", "tick $n", &tick));
	must(timeline_define(tl, "work", "trace", "detail $n", &detail));
	must(timeline_define_span(tl, "work", "trace", "handed $id",
	    TIMELINE_THREAD, &handed));
	must(timeline_priority(tl, "info"));
	begun = now();
	for (int i = 0; i < STEPS; i++) {
		while (now() < begun + (int64_t)i * STEP_NS)
			continue;
		if (i == UP_AT) {
			must(timeline_level(tl, "work", "[dh]*", "info"));
			up = now();
			hand_over();
		}
		if (i == DOWN_AT) {
			down = now();
			must(timeline_level(tl, "work", "[dh]*", "default"));
		}
		timeline_log(tick, (uint64_t)i);
		timeline_log(detail, (uint64_t)i);
	}
	printf("%ld\n", down - up);
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
