/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_hosts.h - which sources of events are of one host, and what each host
 * is called where several are shown side by side.
 *
 * Two sources are of one host when machine and boot are the same.  One that
 * tells neither is a host of its own, called like its timeline.  Of hosts of
 * one name each has its boot behind it, or else a number; of more hosts than
 * can be told apart the rest is one:
 *
 *	db	web (boot 1a2b3c4d)	web (boot 99887766)	trace 2	others
 */
#ifndef TL_EVENT_FLEET_HOSTS_H
#define TL_EVENT_FLEET_HOSTS_H

#include "event/writer.h"

enum { TL_FLEET_HOSTS_MAX = 4096 };

struct tl_fleet_host {
	const struct tl_origin *origin; /* of its first source */
	/* As a machine's name in an origin: foreign text, no other has it. */
	char name[sizeof(((struct tl_origin *)NULL)->machine)];
};

/* Starts from all zeros. */
struct tl_fleet_hosts {
	struct tl_fleet_host *items;
	size_t count;        /* all TL_FLEET_HOSTS_MAX: the last are others */
	uint32_t *of_source; /* index of its host */
	size_t source_count;
};

/* Are the events of both of one start of one machine, as far as is known? */
bool tl_fleet_same_host(const struct tl_origin *a, const struct tl_origin *b);
/* Find the hosts of all that a writer writes, at least one; they point into
 * its origins.  0, -ENOMEM. */
int tl_fleet_hosts_find(struct tl_fleet_hosts *hosts,
    const struct tl_writer *writer);
void tl_fleet_hosts_free(struct tl_fleet_hosts *hosts);

/* The index of an event's host; one of no known source is of the first. */
static inline size_t
tl_fleet_host_of(const struct tl_fleet_hosts *hosts,
    const struct tl_event *event)
{
	return event->source < hosts->source_count
		   ? hosts->of_source[event->source]
		   : 0;
}

#endif
