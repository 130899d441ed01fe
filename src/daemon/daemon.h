/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the state of a running timelined, and why it is built this way.
 *
 * The problem.  Programs log to timelines in /dev/shm and know nothing of a
 * daemon.  timelined adds what a program cannot do for itself: sampling bursts,
 * an exact clock, triggers, snapshots, recordings, metrics.  timelined must run
 * for years next to programs that must not be slowed down, and reads memory
 * that those programs can change at any moment.
 *
 *	config/ --> targets.c: attach to the timelines that a section names
 *			|
 *			v	     one struct tl_target for each
 *		    target.c --+-- stream.c	read new entries, each poll
 *			       +-- rules/	triggers --> burst, snapshot,
 *			       |		programs.c --> sandbox/runner.c
 *			       +-- writers.c	which processes log, which died
 *			       +-- sampling/	bursts and slots, retention
 *			       +-- calibrator.c the clock
 *			       +-- disk/	snapshots and recordings
 *			       +-- kernel_events.c what the kernel did, for
 *			       |		snapshots, through the keeper
 *	serve/: timelinectl's socket, HTTP    metrics/: the numbers they show
 *	lifecycle.c: start, reload, stop      sandbox/: rights and filters
 *
 * The event loop.  One thread runs libev's default loop.  Everything that is
 * declared here belongs to that thread; no lock protects it.  Nothing in the
 * loop waits for a client, a disk or a reader of stderr.  A writer wakes no
 * process, because waking costs the writer a system call: stream.c polls every
 * 10 ms, and reads the heads of the lanes first.
 *
 * The threads.  Two threads save snapshots (disk/snapshots.c): one copies at
 * memory speed, one compresses and writes.  Two threads serve all recordings
 * (trace/record): one reads timelines, one writes files.  One thread makes the
 * long answers of the page (serve/reading.c).  The threads share queues with
 * the loop under a mutex, block all signals, and report by ev_async.  One
 * process, timelined-run (sandbox/runner.c), starts the programs of triggers.
 *
 * The disk is full.  Writers never notice: they write to memory.  A snapshot
 * that cannot be written is removed, reported and counted
 * (timelined_snapshots_failed_total); disk/snapshots.h.  A recording reports
 * the error once, counts the entries it could not write, records their number
 * as a loss, and tries again every second; disk/record.h. `keep` is applied in
 * both cases, so old files make room.  The loop, bursts and metrics go on.
 *
 * A writer dies.  Its timeline stays: the entries it appended are complete or
 * are skipped, because each entry is published by one store.  writers.c sees
 * the process end (pidfd), waits until all its entries were read, decides
 * whether it ended cleanly, and reports the death to rules and snapshots.
 *
 * The daemon dies.  A burst ends by the stamp in the levels word, a plan of
 * slots by its lease; the writers compare both with their own TSC.  A
 * half-written snapshot has no name and disappears.  The next daemon attaches
 * to the same files.  A lock on byte 0 of each file, which the kernel drops,
 * keeps two daemons from attaching to one timeline.
 *
 * Trust.  The daemon trusts the configuration file, the user's own files, and
 * owners that a section lists: a file of any other user is never opened
 * (targets.c).  The contents of an attached file are not trusted: each number
 * read from the file is checked, a truncated file is survived
 * (ring/guard.c), text is escaped before it is logged or served.
 * Expressions of triggers run in the Lua sandbox with caps on memory and time
 * (rules/rule.c).  The kernel identifies clients of the socket; a token
 * identifies clients of the TCP port.
 *
 * The sandbox.  lifecycle.c takes these steps in this order: make folders as
 * root; change the user, drop all capabilities, set no_new_privs
 * (sandbox/privileges.c); fork the runner; listen; install the seccomp filter
 * (sandbox/seccomp.c); attach to the first timeline.  So no byte that another
 * user wrote is read before the filter is in force.
 *
 * Rejected: a thread for each timeline (idle timelines would cost stacks and
 * wake-ups, and triggers would need locks); a futex or eventfd written by the
 * writer (a system call in the fast path); running programs of triggers from
 * the daemon itself (they would inherit the filter, or the filter would have to
 * allow execve).
 */
#ifndef TL_DAEMON_DAEMON_H
#define TL_DAEMON_DAEMON_H

#include "base/fault.h"
#include "daemon/config/config.h"

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TL_TARGETS_MAX = 1024,
	TL_TOKEN_SIZE = 33 /* 128 bits in hex, and a NUL */
};

struct tl_target;
struct tl_snapshots;
struct tl_http;
struct tl_control;
struct tl_targets;
struct tl_stream;
struct tl_record;
struct tl_watch;
struct tl_readings;
struct tl_recorder_crew;

struct tl_daemon {
	struct ev_loop *loop;
	struct tl_config *config;
	struct tl_target *targets[TL_TARGETS_MAX]; /* sorted by name */
	size_t target_count;
	struct tl_targets *folder; /* searches /dev/shm for timelines */
	struct tl_stream *stream;
	struct tl_snapshots *snapshots;
	struct tl_http *http; /* TCP: metrics, and the page with the token */
	struct tl_http *page; /* UNIX socket: as http, without a token */
	struct tl_readings *readings; /* for long answers; NULL: none yet */
	char token[TL_TOKEN_SIZE];
	struct tl_control *control;
	/* threads of all recordings; NULL: none */
	struct tl_recorder_crew *crew;
	size_t record_count;      /* recordings that use crew */
	struct tl_record *ending; /* recordings of detached timelines */
	size_t ending_count;
	int64_t started_ns;    /* Unix time */
	int64_t configured_ns; /* when the current configuration was loaded */
	uint64_t reloads;      /* successful reloads */
	uint64_t reload_faults;
	uint64_t refused; /* timelines in /dev/shm not attached */
};

/* == lifecycle.c: start, reload, stop == */

/* Check what the loader of the configuration cannot check: do all expressions
 * of triggers compile?  Returns 0, or -errno with a fault. */
int tl_daemon_check(const struct tl_config *config, struct tl_fault *fault);
/* Run until SIGTERM or SIGINT, and own the configuration.  Returns 0, or -errno
 * with a fault if the daemon could not start. */
int tl_daemon_run(struct tl_config *config, struct tl_fault *fault);
/* Load the configuration file again.  A file with an error changes nothing.
 * Returns 0, or -errno with a fault. */
int tl_daemon_reload(struct tl_daemon *daemon, struct tl_fault *fault);

#endif
