/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the clocks of the sources: which sources share a clock, the bounds
 * of the differences between clocks, and the corrections of times.
 *
 *	sources --boot id, kind of clock--> hosts --offsets--> times
 *
 * A host is one boot of one machine; every source without a boot ID is a host
 * of its own.  Copies of one virtual machine have the same boot ID: sources of
 * one boot ID belong to several hosts if their clocks do not agree.
 *
 * Every tl_source_cursor uses the corrections of its host at the time of the
 * call.  Therefore offsets must be set before the first cursor whose events are
 * shown.
 */
#ifndef TL_SOURCE_HOSTS_H
#define TL_SOURCE_HOSTS_H

#include "event/hosts/origin.h"
#include "event/reader.h"
#include "source/source.h"

enum {
	TL_HOSTS_OFFSETS_MAX = 64,
	TL_HOSTS_WARNED_MAX = 20, /* hosts reported by name */
	TL_HOST_NAME_MAX = 128    /* including the NUL */
};

/* See host_clock.c below.  Starts from all zeros. */
struct tl_host_clock {
	struct tl_host_point *points; /* sorted by epoch and stamp */
	size_t count;
	size_t capacity;
	size_t near; /* index of the point found last */
};

struct tl_host {
	struct tl_host_clock clock;
	char name[TL_HOST_NAME_MAX]; /* name of the machine, or of the file */
	struct tl_origin origin;     /* origin of the first source */
	unsigned kind;               /* TIMELINE_CLOCK_...; 0: unknown */
	size_t first_source;
	bool is_copy; /* another host has the same boot ID */
	/* There are other hosts: sync_us of events is set. */
	bool is_marked;
	int64_t offset_ns;  /* added to the host's times */
	int64_t given_ns;   /* the part of offset_ns from --offset */
	uint32_t stated_us; /* error bound of the clock, from the knots */
};

struct tl_hosts {
	struct tl_host *list;
	size_t count;
	unsigned *of_source; /* index of the host, by index of the source */
	/* By index of the source: number of its machine, below count.  Sources
	 * of one machine share the numbers of threads. */
	unsigned *machine_of;
	bool are_several; /* at least two differ, one of them known */
};

/* The options of a command line. */
struct tl_hosts_plan {
	const char *offsets[TL_HOSTS_OFFSETS_MAX]; /* each is HOST=NS */
	size_t offset_count;
};

/* Find the hosts of all open sources, and set the host of each source.  The
 * hosts must live as long as the sources.  Returns 0 or -ENOMEM. */
int
tl_hosts_find(struct tl_hosts **hosts, struct tl_source *sources, size_t count);
void tl_hosts_free(struct tl_hosts *hosts);

/* Add "HOST=NS" to a plan.  Returns 0, or -EINVAL with a fault. */
int tl_hosts_plan_offset(struct tl_hosts_plan *plan, const char *text,
    struct tl_fault *fault);

/* The sum of the offsets in a plan for a host with these names. */
int64_t tl_hosts_plan_given(const struct tl_hosts_plan *plan,
    const char *const *names, size_t count);

/* Add the offsets of a plan to the hosts.  Returns 0, -ENOMEM, or -EINVAL with
 * a fault if no host has the name. */
int tl_hosts_shift(struct tl_hosts *hosts, const struct tl_source *sources,
    size_t count, const struct tl_hosts_plan *plan, struct tl_fault *fault);

/* Report hosts whose order relative to others is unknown. */
void
tl_hosts_warn(const struct tl_hosts *hosts, const struct tl_report *report);

/* Open a cursor of all events of an open source, with times and bounds
 * corrected by its host.  Begins that later files of its recording repeat are
 * left out.  Returns 0, -ENOMEM or -errno. */
int tl_source_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor);
/* Move an event: its time, and the time of its begin. */
void tl_host_move(struct tl_event *event, int64_t offset_ns);
/* A time that is in the source, corrected as the times of its events are. */
int64_t tl_source_shifted(const struct tl_source *source, int64_t ns);
/* Set *ns to the time of the newest entry.  Returns 0, -ENODATA without
 * entries, or -errno. */
int tl_source_newest(const struct tl_source *source, int64_t *ns);
/* Get the cut of a timeline, like tl_snap_cut.  false: unknown. */
bool tl_source_cut(const struct tl_source *source, struct tl_event *cut);

/*
 * == host_clock.c ==
 *
 * The bound of the error of a host's clock.  The kernel of the host reported
 * the bound when each knot was measured.
 *
 *	        10 ms     12 ms            unsynchronised
 *	 - - - K---------K- - - - - - - - K
 *	 grows  the greater of both  grows   no bound
 */

void tl_host_clock_free(struct tl_host_clock *clock);

/* Add a knot of a timeline of this boot of the host.  Returns 0 or -ENOMEM. */
int tl_host_clock_add(struct tl_host_clock *clock,
    const struct timeline_knot *knot);
/* Sort the points; call after all knots were added. */
void tl_host_clock_settle(struct tl_host_clock *clock);

/* The bound in microseconds, rounded up, at the stamp of an event;
 * TL_SYNC_UNBOUNDED if there is no bound. */
uint32_t
tl_host_clock_at(struct tl_host_clock *clock, const struct tl_event *event);
/* The greatest bound of all knots. */
uint32_t tl_host_clock_worst(const struct tl_host_clock *clock);

/*
 * == repeats.c ==
 *
 * The begins that several files of one recording have.
 *
 *	a.trace    begin --------------------.   (no end)
 *	b.trace              begin, repeated '-------- end
 *
 * A file of a recording repeats the begins of the spans that are open where the
 * file before it ends, so that the file can be read alone.  Where both files
 * are read, the begin is that of the last file, which has the end, too.  The
 * begin of an earlier file is the same entry: same stamp, thread and message.
 */

struct tl_repeats_part; /* a file of a recording */
struct tl_repeats;

/* Find the begins that the sources repeat, and set the part of each source.
 * *repeats is NULL if there are none; it must live as long as the sources.
 * Returns 0 or -ENOMEM. */
int tl_repeats_find(struct tl_repeats **repeats, struct tl_source *sources,
    size_t count);
void tl_repeats_free(struct tl_repeats *repeats);

/* Does a later file repeat the begin, which is of this part? */
bool tl_repeats_has(const struct tl_repeats_part *part,
    const struct tl_event *begin);

#endif
