/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_crossing.c - make_crossing NAME FILE: make a timeline, log two spans of a
 * timer that cross, and save the timeline.
 */
#include <stdio.h>
#include <timeline.h>

/* Let the clock advance by about 20 us. */
static void
pass(const struct timeline_event *timer)
{
	for (int i = 0; i < 1000; i++)
		(void)timeline_timer_begin(timer);
}

int
main(int argc, char **argv)
{
	struct timeline_event *timer;
	struct timeline *tl;
	uint64_t first, second;
	int rc;

	if (argc != 3)
		return 2;
	timeline_remove(argv[1]);
	if (timeline_new(&tl, argv[1], NULL) < 0 ||
	    timeline_define_timer(tl, "crossing", "info", "copy $id", &timer) <
		0)
		return 1;
	first = timeline_timer_begin(timer);
	pass(timer);
	second = timeline_timer_begin(timer);
	pass(timer);
	timeline_timer_end(timer, first, 1);
	for (int i = 0; i < 5; i++)
		pass(timer);
	timeline_timer_end(timer, second, 2);
	rc = timeline_save(tl, argv[2]);
	timeline_remove(argv[1]);
	return rc < 0;
}
