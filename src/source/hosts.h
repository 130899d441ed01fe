/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the clocks of the sources: which of them are the same, how far they
 * may be apart, and what is added to their times.
 *
 *	sources --boot id, kind of clock--> hosts --offsets, pairs--> times
 *
 * A host is one boot of one machine, as far as that is known: every source
 * without a boot id is a host by itself.  Copies of one virtual machine have
 * one boot id: sources of it whose clocks do not agree are of several hosts.
 *
 * Every tl_source_cursor goes by what is known of its host when it is called,
 * so offsets and pairs come before the first cursor that is shown.
 */
#ifndef TL_SOURCE_HOSTS_H
#define TL_SOURCE_HOSTS_H

#include "event/hosts/origin.h"
#include "event/hosts/pairs.h"
#include "event/reader.h"
#include "source/host_clock.h"
#include "source/source.h"

enum {
	TL_HOSTS_OFFSETS_MAX = 64,
	TL_HOSTS_WARNED_MAX = 20, /* that are reported by name */
	TL_HOST_NAME_MAX = 128    /* with its NUL */
};

struct tl_host {
	struct tl_host_clock clock;
	char name[TL_HOST_NAME_MAX]; /* of its machine or else its file */
	struct tl_origin origin;     /* of its first source */
	unsigned kind;               /* TIMELINE_CLOCK_...; 0: unknown */
	size_t first_source;
	bool is_copy;       /* its boot id is that of another as well */
	bool is_marked;     /* there are others: its events have sync_us */
	int64_t offset_ns;  /* is added to its times */
	int64_t given_ns;   /* the part of it that --offset gave */
	uint32_t stated_us; /* the bound of its clock, as its knots have it */
	/* The result of the pairs: */
	bool is_fixed;       /* sync_us in place of the knots */
	bool is_reference;   /* the others are compared with it */
	uint32_t sync_us;    /* half of what is possible */
	struct tl_range may; /* what may be added, less that of the reference */
	uint64_t pairs;      /* that it sent or received */
};

struct tl_hosts {
	struct tl_host *list;
	size_t count;
	unsigned *of_source; /* index of a source -> of its host */
	/* index of a source -> number of its machine, below count: sources of
	 * one machine number threads alike */
	unsigned *machine_of;
	bool are_several; /* two that differ, of one at least known */
	bool are_paired;  /* pairs were looked for */
	struct tl_pairs_counts counts;
};

/* The options of a command line. */
struct tl_hosts_plan {
	const char *offsets[TL_HOSTS_OFFSETS_MAX]; /* HOST=NS */
	size_t offset_count;
	struct tl_pair_rule pairs[TL_PAIR_RULES_MAX];
	size_t pair_count;
};

/* The hosts of those sources that are open, which are pointed to them: 0,
 * -ENOMEM.  They live as long as the sources. */
int
tl_hosts_find(struct tl_hosts **hosts, struct tl_source *sources, size_t count);
void tl_hosts_free(struct tl_hosts *hosts);

/* One more of a plan: "HOST=NS", "SEND=RECEIVE".  0, -EINVAL and a fault. */
int tl_hosts_plan_offset(struct tl_hosts_plan *plan, const char *text,
    struct tl_fault *fault);
int tl_hosts_plan_pair(struct tl_hosts_plan *plan, const char *text,
    struct tl_fault *fault);

/* The offset that a plan adds to the times of a host of these names. */
int64_t tl_hosts_plan_given(const struct tl_hosts_plan *plan,
    const char *const *names, size_t count);

/* Add the offsets of a plan.  0; -EINVAL and a fault: no host is called so;
 * -ENOMEM. */
int tl_hosts_shift(struct tl_hosts *hosts, const struct tl_source *sources,
    size_t count, const struct tl_hosts_plan *plan, struct tl_fault *fault);

/* Report the hosts whose order among the others is unknown. */
void
tl_hosts_warn(const struct tl_hosts *hosts, const struct tl_report *report);

/* The bound of a host's clock as it is used now. */
uint32_t tl_host_bound(const struct tl_host *host);

/* All events of a source that is open, with the times and bounds that its host
 * has.  0, -ENOMEM, -errno. */
int tl_source_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor);
/* The time of its newest entry; -ENODATA without. */
int tl_source_newest(const struct tl_source *source, int64_t *ns);

/* == machines.c == */

/* Set machine_of; the hosts are known: 0, -ENOMEM. */
int tl_hosts_find_machines(struct tl_hosts *hosts,
    const struct tl_source *sources, size_t count);

/* == hosts_pairs.c == */

/* Find pairs in all events of count sources, which the cursor gives and which
 * are read to the end, and make bounds narrower: 0, -ENOMEM. */
int
tl_hosts_pair(struct tl_hosts *hosts, struct tl_cursor *cursor, size_t count,
    const struct tl_hosts_plan *plan, const struct tl_report *report);

#endif
