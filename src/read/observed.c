/* SPDX-License-Identifier: Apache-2.0 */
/* observed.c - the intervals of time in which a message was observed. */
#include "read/read.h"

#include "source/intervals.h"

#include <errno.h>
#include <string.h>

_Static_assert(TIMELINE_READ_OBSERVED == (int)TL_LOOK_OBSERVED &&
		   TIMELINE_READ_NOT_KNOWN == (int)TL_LOOK_NOT_KNOWN,
    "looks are passed on");

int
timeline_read_next_interval(struct timeline_read_intervals *intervals,
    struct timeline_read_interval *interval)
{
	struct tl_interval next;
	const int rc =
	    tl_intervals_next((struct tl_intervals *)(void *)intervals, &next);

	*interval = (struct timeline_read_interval){ next.from_ns, next.to_ns,
		next.look };
	return rc < 0 ? tl_read_fail(rc, "an event cannot be read: %s",
			    strerror(-rc))
		      : rc;
}

int
timeline_read_observe(const struct timeline_read_definition *definition,
    struct timeline_read_intervals **intervals)
{
	const struct tl_read_definition *d = tl_read_defined(definition);
	const struct tl_source *source;
	struct tl_intervals *opened;
	int rc;

	*intervals = NULL;
	if (!d || !d->message)
		return tl_read_fail(-EINVAL, "not a definition of a message");
	source = &d->reader->sources.items[d->source];
	if (d->reader->options.follow)
		return tl_read_fail(-ENOTSUP,
		    "%s is followed: a copy of it, opened beside, has "
		    "intervals",
		    source->name);
	rc = tl_intervals_open(&opened, source, d->message);
	*intervals = (struct timeline_read_intervals *)(void *)opened;
	return rc < 0 ? tl_read_fail(rc, "%s: %s", source->name, strerror(-rc))
		      : 0;
}

void
timeline_read_intervals_close(struct timeline_read_intervals *intervals)
{
	tl_intervals_close((struct tl_intervals *)(void *)intervals);
}
