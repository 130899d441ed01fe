/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - which sources of events are of one host, and what each host
 * is called where several are shown side by side.
 *
 * Two sources are of one host when machine and boot are the same.  A source
 * without both is a host of its own, named after its timeline.  Of hosts of one
 * name each has its boot behind it, or else a number; of more hosts than can be
 * distinguished the rest is one:
 *
 *	db	web (boot 1a2b3c4d)	web (boot 99887766)	trace 2	others
 */
#ifndef TL_EVENT_HOSTS_H
#define TL_EVENT_HOSTS_H

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

/*
 * == host pids ==
 *
 * process ids that no two hosts share, for formats that know of
 * one machine only.
 *
 *	web-1: 41  -->  41
 *	db-1:  41  -->  4194305		no process of Linux has that
 *
 * The first process of a number keeps it.  Sources without machine and boot
 * count as one host.
 */

struct tl_host_pids;

/* One process, as its host knows it. */
struct tl_host_pid {
	const char *host; /* its host; NULL: there is only one */
	uint32_t pid;
	bool is_moved; /* another host has the number */
};

/* Of all sources of a writer: 0, and *pids is NULL where they are of one
 * host; -ENOMEM. */
int
tl_host_pids_new(struct tl_host_pids **pids, const struct tl_writer *writer);
void tl_host_pids_free(struct tl_host_pids *pids);

/* Give an event the id that its process has among all hosts.  0, -ENOMEM.
 * Processes beyond TL_ID_MAP_MAX keep their id. */
int tl_host_pids_put(struct tl_host_pids *pids, struct tl_event *event);
/* The process of an id that was given; pids may be NULL. */
struct tl_host_pid tl_host_pids_get(struct tl_host_pids *pids, uint32_t given);

/* Append the prefix of names for an id: "db-1: ", or nothing if there is only
 * one host.  Returns the id on its host. */
uint32_t tl_host_pids_put_host(struct tl_host_pids *pids, uint32_t given,
    struct tl_text *name);
/* Append what a process of an id that was given is called, foreign text: as
 * tl_writer_name has kept it or the timeline that it made has it, "server",
 * "process 41", "db-1: server"; that of process 0 is called otherwise. */
void tl_host_pids_name(const struct tl_writer *writer, uint32_t given,
    const char *otherwise, struct tl_text *name);

#endif
