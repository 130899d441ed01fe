/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - what the kernel did to the threads of a timeline, as entries of a
 * second timeline beside the first.
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
 * and buffer, so that other users of tracing are not disturbed.  Only events of
 * the threads of the timeline are recorded (set_event_pid; event-fork adds the
 * threads that they create).
 *
 * Why a keeper.  Events that stay enabled slow down every switch of a thread,
 * and an instance outlives the process that made it.  The keeper is forked
 * first, gives away its capabilities, makes the instance, hands over open
 * files, and waits for the end of its client, however the client ends; then the
 * keeper turns the events off and removes the instance.  If the keeper is
 * killed, too, disable_on_free has stopped the recording, and the next start
 * removes leftovers: every instance timeline-* whose folder can be locked.
 *
 * Who may not.  timelined has given away every right.  It sends one end of a
 * socketpair to the service of keepers (service.c), a process of uid 0 without
 * capabilities, which forks a keeper for it.  With drain = "save" the buffer of
 * the kernel, which overwrites its oldest events, is the flight recorder: no
 * process reads the buffer until a snapshot is saved (daemon/kernel_events.h).
 *
 * Why a second timeline.  Inside a lane the order of entries is their number,
 * not their stamp, only a thread on CPU c may append to lane c, and the
 * kernel's events arrive late.  NAME.sched has the layout of a timeline, a lane
 * for each CPU, one process that writes all lanes with given stamps, and a
 * writer_abi of its own, so that no other program attaches as a writer.
 *
 * Invariants.
 *
 *	- A turn reads a bounded number of pages: reading makes events itself.
 *	- Events that the kernel's buffer lost are an entry with their exact
 *	  number, in the lane of their CPU, right after the last event before
 *	  them; the statistics of the buffer close the account at the end.
 *	- Names of tasks that are neither kernel threads nor threads of the
 *	  timeline are left out, unless they are asked for.
 *
 * Rejected: draining until EAGAIN (each read makes the events that the next
 * read finds), text from trace_pipe (40 times slower), a library for pages
 * (four times slower), system calls (3.3 times as dear, and states need none).
 *
 * Limits.  Linux on x86-64 whose trace clock can be x86-tsc; threads in other
 * pid namespaces only while they live; time that a hypervisor takes away is
 * running time.
 *
 * One thread at a time may use these functions; signal handlers may use none.
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

/* The prefix of our instances of tracefs. */
#define TL_INSTANCE_PREFIX "timeline-"
/* The characters that the rest of their names may have. */
#define TL_INSTANCE_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

/* The places where tracefs is searched, ended by NULL; tests set others. */
extern const char *const *tl_tracefs_paths;

/* Options of a recording. */
struct tl_kernel_plan {
	char name[64];     /* of the instance, without prefix */
	uint64_t size;     /* bytes of the buffer per CPU */
	bool faults;       /* record page faults of the threads, too */
	bool quiet_client; /* leave out the client's own events */
	uint32_t client;   /* thread that reads the pages */
};

/* == the instance: the keeper's side (instance.c) == */

struct tl_instance {
	int instances; /* the folder with all instances */
	int folder;    /* locked by this process */
	int release;   /* free_buffer */
	char name[80];
};

/* Open the folder instances of tracefs; if tracefs is not mounted, open the
 * folder in a mount that only the descriptor keeps.  Returns a descriptor, or
 * -errno with a fault that says what is missing and how to grant it. */
int tl_instances_open(struct tl_fault *fault);
/* Call each for every instance of ours; held: a process holds the instance.
 * Returns the number of instances. */
unsigned tl_instances_list(int instances,
    void (*each)(void *context, const char *name, bool held), void *context);

/* Remove every instance of ours that no process holds.  Returns the number of
 * removed instances. */
unsigned tl_instances_remove_stale(int instances);

/* Make an instance, stopped, with its clock, sizes and events.  The function
 * owns instances.  Returns 0, -EBUSY if an instance of the name is in use,
 * -ENOTSUP without x86-tsc, or -errno. */
int tl_instance_make(struct tl_instance *instance, int instances,
    const struct tl_kernel_plan *plan, struct tl_fault *fault);
/* Turn the events off and remove the instance; readers may still be about to
 * close their files.  Returns 0 or -errno. */
int tl_instance_remove(struct tl_instance *instance);

/* == the keeper (keeper.c) == */

/* The descriptors from a keeper. */
struct tl_kernel {
	int socket; /* closing it ends the instance */
	pid_t keeper;
	int tracing_on;
	int set_event_pid;
	int *pipes; /* trace_pipe_raw of each CPU; -1: none */
	int *stats;
	size_t cpu_count;
	struct tl_page_layout layout;
	struct tl_kernel_formats formats;
};

/* Fork a keeper and take the files of a stopped instance.  Returns 0, or -errno
 * with a fault. */
int tl_kernel_open(struct tl_kernel *kernel, const struct tl_kernel_plan *plan,
    struct tl_fault *fault);
/* Ask the service at a path for a keeper.  tl_kernel_take receives the answer.
 * Returns 0, or -errno with a fault. */
int tl_kernel_ask(struct tl_kernel *kernel, const char *service,
    const struct tl_kernel_plan *plan, struct tl_fault *fault);
/* Take the files that have arrived.  Returns 0 after all files, 1 if more files
 * are to come, or -errno with a fault. */
int tl_kernel_take(struct tl_kernel *kernel, struct tl_fault *fault);
/* Add a thread, by its number in the first pid namespace.  Returns 0 or
 * -errno. */
int tl_kernel_add_thread(const struct tl_kernel *kernel, uint32_t tid);
/* Start or stop recording.  Returns 0 or -errno. */
int tl_kernel_turn(const struct tl_kernel *kernel, bool on);
/* Has the keeper ended? */
bool tl_kernel_is_gone(const struct tl_kernel *kernel);
/* Close all files, and wait until the instance is gone. */
void tl_kernel_close(struct tl_kernel *kernel);

/* == the service (service.c) == */

#define TL_KEEPER_SOCKET "/run/timeline-keeper.sock"

/* Keep instances for processes of a user and of root, until SIGTERM or SIGINT.
 * path is the socket to listen on; NULL: descriptor 3, which the supervisor
 * opened.  Returns 0, or -errno with a fault. */
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
	uint64_t lost;    /* lost by the kernel's buffer */
	uint64_t threads; /* threads of the timeline, seen so far */
};

/* Make the file path.sched of a timeline, and replace an older one; cpus is the
 * number of lanes.  Returns 0, -EBUSY if another process writes the file,
 * -ENOTSUP if the timeline has other stamps, or -errno, with a fault. */
int tl_sched_new(struct tl_sched **sched, const char *path, uint32_t cpus,
    const struct tl_sched_options *options, struct tl_fault *fault);
/* Finish the file, which stays unless it is temporary. */
void tl_sched_free(struct tl_sched *sched);

/* Find the processes that have the timeline mapped, and add their new threads
 * to the kernel's list.  Returns the number of new threads or -errno. */
int
tl_sched_find_threads(struct tl_sched *sched, const struct tl_kernel *kernel);

/* Add the threads of a process.  Returns the number of new threads or
 * -errno. */
int tl_sched_add_process(struct tl_sched *sched, uint32_t pid,
    const struct tl_kernel *kernel);
/* Extend the calibration of the file's clock; call it once a second. */
void tl_sched_visit(struct tl_sched *sched);

/* Put an event of a CPU, oldest first. */
void tl_sched_put(struct tl_sched *sched, uint32_t cpu,
    const struct tl_kernel_event *event);
/* Put the loss of n events of a CPU after its last event; nothing if n is 0. */
void tl_sched_put_lost(struct tl_sched *sched, uint32_t cpu, uint64_t n);
struct tl_sched_counts tl_sched_counts(const struct tl_sched *sched);

/* == a whole recording (session.c) == */

struct tl_session;

struct tl_session_options {
	uint64_t size; /* of the kernel's buffer per CPU; 0: 4 MiB */
	bool faults;
	struct tl_sched_options sched;
};

/* Record the kernel's events of the threads that have the timeline at path
 * mapped, in path.sched.  Returns 0, or -errno with a fault, and nothing is
 * left. */
int tl_session_start(struct tl_session **session, const char *path,
    const struct tl_session_options *options, struct tl_fault *fault);
/* Start a session through the service of keepers, without a search for threads:
 * tl_session_add_process adds threads.  Continue with tl_session_ready.
 * Returns 0, or -errno with a fault. */
int tl_session_ask(struct tl_session **session, const char *path,
    const char *service, const struct tl_session_options *options,
    struct tl_fault *fault);
/* A descriptor that becomes readable when the service answers, and when the
 * keeper ends. */
int tl_session_fd(const struct tl_session *session);
/* Finish the start of a session.  Returns 0 when the session records, 1 while
 * the answer is not complete, or -errno with a fault; then end the session. */
int tl_session_ready(struct tl_session *session, struct tl_fault *fault);
/* Record the threads of a process.  Returns 0 or -errno. */
int tl_session_add_process(struct tl_session *session, uint32_t pid);
/* Extend the calibration of the file's clock; call it once a second. */
void tl_session_visit(struct tl_session *session);
/* Has the keeper of the session ended? */
bool tl_session_is_gone(const struct tl_session *session);
struct tl_sched_counts tl_session_counts(const struct tl_session *session);
/* Take the recorded events, at most the buffer's size of each CPU, and search
 * for new threads once a second.  Returns 0, -ECONNRESET if the keeper has
 * ended, or -errno. */
int tl_session_turn(struct tl_session *session);
/* Stop, take the remaining events, account for events lost after them, and
 * remove the instance.  The file stays unless it is temporary; counts may be
 * NULL.  Returns 0 or -errno. */
int tl_session_end(struct tl_session *session, struct tl_sched_counts *counts);

#endif
