/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_events.h - the kernel's events of a timeline's threads, for snapshots:
 * kernel = { drain = "save" } of a section.
 *
 *	loop, each second      threads of the writers --> the kernel's list
 *	kernel                 its buffer, which keeps the newest events
 *	copier of a snapshot   buffer --> NAME.sched --> SNAPSHOT.sched
 *
 * The problem.  A snapshot shows what a program did, not whether the kernel let
 * the program run.  Reading the kernel's events all the time costs 0.5 % of a
 * core and more for events that no person looks at.
 *
 * So the buffer in the kernel is the flight recorder: the buffer overwrites its
 * oldest events.  No process reads the buffer until a snapshot is saved.  Then
 * the copier (disk/snapshots.c) copies the timeline, moves the events from the
 * buffer to NAME.sched, which also holds the events that earlier snapshots
 * moved, and copies NAME.sched.
 *
 * Rights.  The daemon has none.  The keeper (kernel/service.c) makes the
 * instance of tracefs and hands over open files; the end of the daemon, however
 * it comes, is the end of the instance.
 *
 * Which threads.  An unprivileged process cannot read which processes have a
 * file mapped.  The followed processes are those whose entries the daemon has
 * read (writers.h), a second after their first entry at the latest, and the
 * processes that they create from then on.  An entry can carry any pid.  So a
 * process is followed only if its user or its groups let it write the
 * timeline's file, and if the pid is its own in our pid namespace.
 *
 * Failure.  Without a keeper, tracefs or rights, or for a timeline of another
 * PID namespace, whose pids mean nothing here, one sentence is logged and shown
 * in the status; the daemon asks again every 10 seconds, and logs only another
 * sentence.
 *
 * Threads.  The loop and the copier use one session in turn, under a lock that
 * the loop only tries: the loop never waits for the copier.
 */
#ifndef TL_DAEMON_KERNEL_EVENTS_H
#define TL_DAEMON_KERNEL_EVENTS_H

#include "base/fault.h"
#include "daemon/config/config.h"
#include "daemon/writers.h"

#include <ev.h>

struct tl_kernel_events;

struct tl_kernel_events_status {
	bool on;                     /* the kernel records */
	char why[TL_FAULT_TEXT_MAX]; /* why it is off; "": still asking */
	uint64_t entries;            /* moved to NAME.sched */
	uint64_t lost;               /* overwritten before they were moved */
	uint64_t threads;            /* threads recorded so far */
};

/* Begin to ask the keeper, which may be NULL.  name is the timeline's name
 * without a slash; fd is its file, which must stay open until the end, as must
 * writers.  Returns 0, -ENOMEM or -ENAMETOOLONG. */
int tl_kernel_events_new(struct tl_kernel_events **events, struct ev_loop *loop,
    const char *name, int fd, const struct tl_config_kernel *how,
    const char *keeper, const struct tl_writers *writers);
/* Would tl_kernel_events_new with these arguments make the same events? */
bool tl_kernel_events_is(const struct tl_kernel_events *events,
    const struct tl_config_kernel *how, const char *keeper);
void tl_kernel_events_status(struct tl_kernel_events *events,
    struct tl_kernel_events_status *status);
/* End the events.  The instance and NAME.sched are removed when no snapshot
 * holds the events any more. */
void tl_kernel_events_end(struct tl_kernel_events *events);

/* == any thread == */

/* Hold the events for a snapshot.  Returns events, which may be NULL. */
struct tl_kernel_events *tl_kernel_events_hold(struct tl_kernel_events *events);
/* Move the recorded events to NAME.sched.  Returns 0, -ECONNRESET if the keeper
 * has ended, or -errno. */
int tl_kernel_events_drain(struct tl_kernel_events *events);
void tl_kernel_events_release(struct tl_kernel_events *events);

#endif
