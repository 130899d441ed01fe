/* SPDX-License-Identifier: Apache-2.0 */
/* log_timed.cc - a timer alone in its file: the compiler inlines all of it, and
 * finds what may not be set.  It is C, too. */
#include <stdbool.h>
#include <timeline.h>

bool is_small(struct timeline_event *timer, unsigned long id);

bool
is_small(struct timeline_event *timer, unsigned long id)
{
	timeline_timed(timer, id);
	return id < 990;
}
