/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pids.h - process ids that no two hosts share, for formats that know of
 * one machine only.
 *
 *	web-1: 41  -->  41
 *	db-1:  41  -->  4194305		no process of Linux has that
 *
 * The first process of a number keeps it.  Sources that tell neither machine
 * nor boot are all taken to be of one host.
 */
#ifndef TL_EVENT_HOST_PIDS_H
#define TL_EVENT_HOST_PIDS_H

#include "event/writer.h"

struct tl_host_pids;

/* One process, as its host knows it. */
struct tl_host_pid {
	const char *host; /* what it is called; NULL: there is but one */
	uint32_t pid;
	bool is_moved; /* another host has the number */
};

/* Of all sources of a writer: 0, and *pids is NULL where they are of one
 * host; -ENOMEM. */
int
tl_host_pids_new(struct tl_host_pids **pids, const struct tl_writer *writer);
void tl_host_pids_free(struct tl_host_pids *pids);

/* Give an event the id that its process has among all hosts: 0, -ENOMEM.
 * What is beyond TL_ID_MAP_MAX processes keeps what it has. */
int tl_host_pids_put(struct tl_host_pids *pids, struct tl_event *event);
/* The process of an id that was given; pids may be NULL. */
struct tl_host_pid tl_host_pids_get(struct tl_host_pids *pids, uint32_t given);

/* Append what leads the name of what is of an id: "db-1: ", or nothing where
 * there is but one host.  The id as its host knows it. */
uint32_t tl_host_pids_put_host(struct tl_host_pids *pids, uint32_t given,
    struct tl_text *name);
/* Append what a process of an id that was given is called, foreign text:
 * "server", "process 41", "db-1: server"; nobody's is called otherwise. */
void tl_host_pids_name(const struct tl_writer *writer, uint32_t given,
    const char *otherwise, struct tl_text *name);

#endif
