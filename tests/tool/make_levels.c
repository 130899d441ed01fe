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
#include "../lib/making.h"

#include <pthread.h>

enum { STEPS = 800, UP_AT = 150, DOWN_AT = 650, STEP_NS = 1000000 };

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
	int64_t begun, up = 0, down = 0;

	making_open(argc, argv, 3, "PATH FILE", NULL);
	tick = making_event("work", "info", "tick $n");
	detail = making_event("work", "trace", "detail $n");
	handed = making_span("work", "trace", "handed $id", TIMELINE_THREAD);
	expect_ok(timeline_priority(tl, "info"));
	begun = now();
	for (int i = 0; i < STEPS; i++) {
		while (now() < begun + (int64_t)i * STEP_NS)
			continue;
		if (i == UP_AT) {
			expect_ok(timeline_level(tl, "work", "[dh]*", "info"));
			up = now();
			hand_over();
		}
		if (i == DOWN_AT) {
			down = now();
			expect_ok(
			    timeline_level(tl, "work", "[dh]*", "default"));
		}
		timeline_log(tick, (uint64_t)i);
		timeline_log(detail, (uint64_t)i);
	}
	printf("%ld\n", down - up);
	making_save(argv);
	return 0;
}
