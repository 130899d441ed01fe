/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_timed.cc - a timer alone in its file: the compiler inlines all of the
 * timer, and would warn about values that may be unset.  The file is also C.
 */
#include <stdbool.h>
#include <timeline.h>

bool is_small(struct timeline_event *timer, unsigned long id);

bool
is_small(struct timeline_event *timer, unsigned long id)
{
	timeline_timed(timer, id);
	return id < 990;
}
