/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the whole of a running timelined.
 *
 *	config ----> targets: the timelines looked after
 *	                |  stream: entries as they come
 *	                +--> rules --> actions: burst, snapshot, run
 *	                +--> writers: who logs, who died
 *	                +--> bursts: samples, and keep
 *	                +--> calibrator: the clock
 *	                +--> record: what it logs, into files
 *	snapshots: a thread that saves	    http: metrics and the page
 *	control: timelinectl's socket
 *
 * One thread runs the loop and everything in it; the threads of snapshots and
 * of recordings touch nothing but their queues.  Nothing here is shared with a
 * writer but the timeline itself: when this process dies, nobody notices.
 */
#ifndef TL_DAEMON_DAEMON_H
#define TL_DAEMON_DAEMON_H

#include "base/fault.h"
#include "daemon/config.h"

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
struct tl_recorder_crew;

struct tl_daemon {
	struct ev_loop *loop;
	struct tl_config *config;
	struct tl_target *targets[TL_TARGETS_MAX]; /* by name */
	size_t target_count;
	struct tl_targets *folder; /* where targets appear */
	struct tl_stream *stream;
	struct tl_snapshots *snapshots;
	struct tl_http *http; /* TCP: metrics, and the page with token */
	struct tl_http *page; /* a UNIX socket */
	char token[TL_TOKEN_SIZE];
	struct tl_control *control;
	struct tl_recorder_crew *crew; /* of all recordings; NULL: none */
	size_t record_count;           /* that use it */
	struct tl_record *ending;      /* those whose timeline was let go */
	int64_t started_ns;            /* Unix time */
	int64_t configured_ns;         /* ... of the configuration that holds */
	uint64_t reloads;              /* that held */
	uint64_t reload_faults;
	uint64_t refused; /* timelines in /dev/shm, never opened */
};

/* Load the file again; what is wrong in it leaves everything as it was.
 * 0 or -errno and why. */
int tl_daemon_reload(struct tl_daemon *daemon, struct tl_fault *fault);

/* The target of a name, with or without a leading slash; NULL. */
struct tl_target *
tl_daemon_find(const struct tl_daemon *daemon, const char *name);

/*
 * A line of the log: to stderr, with the priority that the journal reads
 * ("<4>") where stderr is the journal's.  Escaped.  A line for which there is
 * no room is dropped and counted; the next one that is written says how many.
 */
enum {
	TL_LOG_ERROR = 3,
	TL_LOG_WARNING = 4,
	TL_LOG_NOTICE = 5,
	TL_LOG_INFO = 6
};
extern int tl_daemon_log_least; /* lines less urgent are not written */
void tl_daemon_log(int priority, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Before privileges are given up: how to write without waiting. */
void tl_daemon_log_open(void);
uint64_t tl_daemon_log_dropped(void);

#endif
