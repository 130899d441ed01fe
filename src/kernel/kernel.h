/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - what the kernel did to the threads of a timeline, as entries of a
 * second timeline beside it.
 *
 *	kernel's ring buffer --pages--> decode --> entries of NAME.sched
 *	  an instance of tracefs,        page.c      sched.c
 *	  clock x86-tsc                           |
 *	        ^                                 +--> merged by stamp with NAME
 *	        | made, and removed                    by every reader
 *	     keeper.c: a process of uid 0 without capabilities
 *
 * The problem.  A span was slow: was its thread running, waiting for a CPU, or
 * blocked, and by what?  Only the scheduler knows.  Its events, stamped with
 * the counter that timelines are stamped with, stand between the entries of a
 * program without any conversion.
 *
 * Why an instance.  An instance of tracefs has its own clock, events, filter
 * and buffer, so that other users of tracing are not disturbed.  Only events
 * of the threads of the timeline are recorded (set_event_pid; event-fork adds
 * those that they create).
 *
 * Why a keeper.  Events that stay enabled slow down every switch of a thread,
 * and an instance outlives the process that made it.  The keeper is forked
 * first, gives away its capabilities, makes the instance, hands over open
 * files, and waits for the end of its client, however that comes; then it
 * turns the events off and removes the instance.  Where the keeper is killed,
 * too, disable_on_free has stopped the recording, and the next start removes
 * what is left: every instance timeline-* whose folder can be locked.
 *
 * Who may not.  timelined has given away every right.  It sends one end of a
 * socketpair to the service of keepers (service.c), a process of uid 0 without
 * capabilities, which forks a keeper for it.  With drain = "save" the buffer of
 * the kernel, which overwrites its oldest events, is the flight recorder: no
 * process reads it until a snapshot is saved (daemon/kernel_events.h).
 *
 * Why a second timeline.  Inside a lane order is the number of an entry, not
 * its stamp, only a thread on CPU c may append to lane c, and the kernel's
 * events arrive late.  NAME.sched has the layout of a timeline, a lane for
 * each CPU, one process that writes all of them with given stamps, and a
 * writer_abi of its own, so that no other program attaches as a writer.
 *
 * Invariants.
 *	- A turn reads a bounded number of pages: reading makes events itself.
 *	- What the kernel's buffer lost is an entry with the exact number, in
 *	  the lane of its CPU, right after the last event before it; the
 *	  statistics of the buffer close the account at the end.
 *	- Names of tasks that are neither kernel threads nor threads of the
 *	  timeline are left out, unless they are asked for.
 *
 * Rejected: draining until EAGAIN (each read makes the events that the next
 * one finds), text from trace_pipe (40 times slower), a library for pages
 * (four times slower), system calls (3.3 times as dear, and states need none).
 *
 * Limits.  Linux on x86-64 whose trace clock can be x86-tsc; threads in other
 * pid namespaces only while they live; time that a hypervisor takes away is
 * running time.
 *
 * One thread at a time uses any of these; signal handlers none.
 */
#ifndef TL_KERNEL_KERNEL_H
#define TL_KERNEL_KERNEL_H

#include "base/file.h"
#include "event/sched.h"
#include "kernel/page.h"

#include <sys/types.h>

struct timeline;

enum {
	TL_KERNEL_CPUS_MAX = 4096,
	TL_KERNEL_SIZE_MIN = 16 << 10,
	TL_KERNEL_SIZE_DEFAULT = 4 << 20,
	TL_KERNEL_SIZE_MAX = 1 << 30
};

/* Instances of tracefs that are ours begin with this. */
#define TL_INSTANCE_PREFIX "timeline-"

/* Where tracefs is looked for; tests put others here.  Ends with NULL. */
extern const char *const *tl_tracefs_paths;

/* Options of a recording. */
struct tl_kernel_plan {
	char name[64];     /* of the instance, without the prefix */
	uint64_t size;     /* bytes of its buffer for each CPU */
	bool faults;       /* page faults of the threads, too */
	bool quiet_client; /* leave out client's own events */
	uint32_t client;   /* thread that reads the pages */
};

/* == the instance: the keeper's side (instance.c) == */

struct tl_instance {
	int instances; /* the folder that it is in */
	int folder;    /* locked: this process's */
	int release;   /* free_buffer */
	char name[80];
};

/* The folder instances of tracefs; where tracefs is not mounted, of a mount
 * that only its descriptor keeps.  The descriptor, or -errno and a fault with
 * what is missing and what would grant it. */
int tl_instances_open(struct tl_fault *fault);
/* Each instance of ours: its name, and is it held by a process?  How many. */
unsigned tl_instances_list(int instances,
    void (*each)(void *context, const char *name, bool held), void *context);

/* Remove every instance of ours that no process holds; how many were removed. */
unsigned tl_instances_remove_stale(int instances);

/* Make it, stopped, with its clock, sizes and events.  Takes instances over.
 * 0; -EBUSY: one of that name is in use; -ENOTSUP no x86-tsc, -errno. */
int tl_instance_make(struct tl_instance *instance, int instances,
    const struct tl_kernel_plan *plan, struct tl_fault *fault);
/* Turn its events off and remove it; readers may still be about to close
 * their files.  0 or -errno. */
int tl_instance_remove(struct tl_instance *instance);

/* == the keeper (keeper.c) == */

/* The descriptors that a keeper passes on. */
struct tl_kernel {
	int socket; /* its end is the end of the instance */
	pid_t keeper;
	int tracing_on;
	int set_event_pid;
	int *pipes; /* trace_pipe_raw of each CPU, -1: none */
	int *stats;
	size_t cpu_count;
	struct tl_page_layout layout;
	struct tl_kernel_formats formats;
};

/* Fork a keeper and take over the files of a stopped instance: 0, or -errno
 * and a fault. */
int tl_kernel_open(struct tl_kernel *kernel, const struct tl_kernel_plan *plan,
    struct tl_fault *fault);
/* The same through the service at a path, whose answer tl_kernel_take waits
 * for: 0, or -errno and a fault. */
int tl_kernel_ask(struct tl_kernel *kernel, const char *service,
    const struct tl_kernel_plan *plan, struct tl_fault *fault);
/* Take over what has come: 0 all files, 1 more will come, or -errno and a
 * fault. */
int tl_kernel_take(struct tl_kernel *kernel, struct tl_fault *fault);
/* Add threads, numbers as the first pid namespace has them. */
int tl_kernel_add_thread(const struct tl_kernel *kernel, uint32_t tid);
/* Record or stop: 0 or -errno. */
int tl_kernel_turn(const struct tl_kernel *kernel, bool on);
/* Has the keeper ended? */
bool tl_kernel_is_gone(const struct tl_kernel *kernel);
/* Close all files and wait until the instance is gone. */
void tl_kernel_close(struct tl_kernel *kernel);

/* == the service (service.c) == */

#define TL_KEEPER_SOCKET "/run/timeline-keeper.sock"

/* Keep instances for processes of a user, and of root, until SIGTERM or SIGINT.
 * path: where to listen; NULL: on descriptor 3, which the supervisor opened.
 * 0, or -errno and a fault. */
int tl_keeper_serve(const char *path, uid_t user, gid_t group,
    void (*log)(const char *text), struct tl_fault *fault);

/* == the second timeline (sched.c) == */

struct tl_sched;

struct tl_sched_options {
	uint64_t entries; /* of all lanes; 0: 262144 */
	bool names;       /* keep the names of other tasks */
	bool temporary;   /* remove the file at the end */
};

struct tl_sched_counts {
	uint64_t events;  /* entries */
	uint64_t lost;    /* events that the kernel's buffer lost */
	uint64_t threads; /* of the timeline, seen so far */
};

/* Make path.sched of a timeline's file, in place of an older one.  cpus: lanes.
 * 0; -EBUSY: another process writes it; -ENOTSUP: other stamps; -errno. */
int tl_sched_new(struct tl_sched **sched, const char *path, uint32_t cpus,
    const struct tl_sched_options *options, struct tl_fault *fault);
/* Finish it; the file stays. */
void tl_sched_free(struct tl_sched *sched);

/* Look for the processes that have the timeline open, and for their threads;
 * the new ones are given to add.  How many are new, or -errno. */
int
tl_sched_find_threads(struct tl_sched *sched, const struct tl_kernel *kernel);

/* Add the threads of a process: how many are new, or -errno. */
int tl_sched_add_process(struct tl_sched *sched, uint32_t pid,
    const struct tl_kernel *kernel);
/* Extend the calibration of its clock; once a second. */
void tl_sched_visit(struct tl_sched *sched);

/* One event of a CPU, oldest first. */
void tl_sched_put(struct tl_sched *sched, uint32_t cpu,
    const struct tl_kernel_event *event);
/* Events that a CPU lost after its last one.  n of 0: nothing. */
void tl_sched_put_lost(struct tl_sched *sched, uint32_t cpu, uint64_t n);
struct tl_sched_counts tl_sched_counts(const struct tl_sched *sched);

/* == all of it together (session.c) == */

struct tl_session;

struct tl_session_options {
	uint64_t size; /* of the kernel's buffer for each CPU; 0: 4 MiB */
	bool faults;
	struct tl_sched_options sched;
};

/* Record the kernel's events of the threads that have the timeline at path
 * open, in path.sched: 0, or -errno and a fault, then nothing is left. */
int tl_session_start(struct tl_session **session, const char *path,
    const struct tl_session_options *options, struct tl_fault *fault);
/* The same through the service of keepers at a path, and without a search for
 * threads: tl_session_add_process names them.  tl_session_ready follows.  0, or
 * -errno and a fault. */
int tl_session_ask(struct tl_session **session, const char *path,
    const char *service, const struct tl_session_options *options,
    struct tl_fault *fault);
/* It becomes readable when the service answers, and when its keeper ends. */
int tl_session_fd(const struct tl_session *session);
/* 0 it records; 1 the answer is not complete; -errno and a fault: end it. */
int tl_session_ready(struct tl_session *session, struct tl_fault *fault);
/* Record the threads of a process: 0 or -errno. */
int tl_session_add_process(struct tl_session *session, uint32_t pid);
/* Extend the calibration of the file's clock; once a second. */
void tl_session_visit(struct tl_session *session);
/* Has its keeper ended? */
bool tl_session_is_gone(const struct tl_session *session);
struct tl_sched_counts tl_session_counts(const struct tl_session *session);
/* Take over what the kernel has recorded, at most its buffer's size of each
 * CPU, and look for new threads once a second.  0; -ECONNRESET: the keeper was
 * ended; -errno. */
int tl_session_turn(struct tl_session *session);
/* Stop, take over the rest, account for what was lost behind it, and remove
 * the instance: 0 or -errno.  The file stays; counts may be NULL. */
int tl_session_end(struct tl_session *session, struct tl_sched_counts *counts);

#endif
