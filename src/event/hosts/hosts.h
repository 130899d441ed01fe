/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - which sources of events belong to one host, and the name of each
 * host where several hosts are shown side by side.
 *
 * Two sources belong to one host when machine and boot are equal.  A source
 * without machine and boot is a host of its own, named after its timeline.
 * Hosts of the same name are told apart by the boot id, or else by a number.
 * Hosts beyond the limit share the name "others":
 *
 *	db	web (boot 1a2b3c4d)	web (boot 99887766)	trace 2	others
 */
#ifndef TL_EVENT_HOSTS_H
#define TL_EVENT_HOSTS_H

#include "event/writer.h"

enum { TL_FLEET_HOSTS_MAX = 4096 };

struct tl_fleet_host {
	const struct tl_origin *origin; /* of the host's first source */
	/* Unique among the hosts.  Foreign text, as the name of a machine in an
	 * origin. */
	char name[sizeof(((struct tl_origin *)NULL)->machine)];
};

/* Starts from all zeros. */
struct tl_fleet_hosts {
	struct tl_fleet_host *items;
	size_t count;        /* at TL_FLEET_HOSTS_MAX, the last is "others" */
	uint32_t *of_source; /* index of the host of each source */
	size_t source_count;
};

/* Do both origins name one boot of one machine, as far as is known? */
bool tl_fleet_same_host(const struct tl_origin *a, const struct tl_origin *b);
/* Find the hosts of all sources of a writer, at least one host.  The hosts
 * point to the writer's origins.  Returns 0 or -ENOMEM. */
int tl_fleet_hosts_find(struct tl_fleet_hosts *hosts,
    const struct tl_writer *writer);
void tl_fleet_hosts_free(struct tl_fleet_hosts *hosts);

/* The index of an event's host.  An event of an unknown source belongs to the
 * first host. */
static inline size_t
tl_fleet_host_of(const struct tl_fleet_hosts *hosts,
    const struct tl_event *event)
{
	return event->source < hosts->source_count
		   ? hosts->of_source[event->source]
		   : 0;
}

/*
 * == host pids ==
 *
 * Process ids that no two hosts share, for formats that know one machine only.
 *
 *	web-1: 41  -->  41
 *	db-1:  41  -->  4194305		no process of Linux has that
 *
 * The first process that uses a number keeps the number.  Sources without
 * machine and boot count as one host.
 */

struct tl_host_pids;

/* A process as its host knows it. */
struct tl_host_pid {
	const char *host; /* NULL: unknown, or the only host */
	uint32_t pid;
	bool is_moved; /* another host has the number */
};

/* Make the ids for all sources of a writer.  Returns 0 or -ENOMEM.  *pids is
 * NULL when all sources belong to one host. */
int
tl_host_pids_new(struct tl_host_pids **pids, const struct tl_writer *writer);
void tl_host_pids_free(struct tl_host_pids *pids);

/* Give an event the id of its process among all hosts.  Processes beyond
 * TL_ID_MAP_MAX keep their id.  Returns 0 or -ENOMEM. */
int tl_host_pids_put(struct tl_host_pids *pids, struct tl_event *event);
/* The process that was given an id.  pids may be NULL. */
struct tl_host_pid tl_host_pids_get(struct tl_host_pids *pids, uint32_t given);

/* Append the host's prefix of names: "db-1: ", or nothing when there is only
 * one host.  Returns the id of the process on its host. */
uint32_t tl_host_pids_put_host(struct tl_host_pids *pids, uint32_t given,
    struct tl_text *name);
/* Append the name of the process that was given an id, as foreign text:
 * "server", "process 41" or "db-1: server".  The name comes from tl_writer_name
 * or from the origin of the timeline that the process made.  Process 0 is named
 * otherwise. */
void tl_host_pids_name(const struct tl_writer *writer, uint32_t given,
    const char *otherwise, struct tl_text *name);

#endif
