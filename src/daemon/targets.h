/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - all timelines that the daemon is attached to: timelines that the
 * configuration creates, and timelines that appear in /dev/shm.
 *
 * A file is attached when a section names it and its owner is this process's
 * user, or an owner that the section lists and the mode lets our group read and
 * write.  Every other file is reported once and never opened for writing.
 */
#ifndef TL_DAEMON_TARGETS_H
#define TL_DAEMON_TARGETS_H

#include "daemon/target.h"

struct tl_targets;

/* The target of a name, with or without a leading slash, or NULL. */
struct tl_target *
tl_daemon_find(const struct tl_daemon *daemon, const char *name);

/* Watch the folder (NULL: /dev/shm).  Returns 0, or -errno with a fault. */
int tl_targets_new(struct tl_targets **targets, struct tl_daemon *daemon,
    const char *folder, struct tl_fault *fault);
/* Create the timelines whose section has create.  Returns 0, or -errno with a
 * fault. */
int tl_targets_create(struct tl_targets *targets, struct tl_fault *fault);
/* Scan the folder now: attach and detach.  Returns 0, or -errno with a fault:
 * -EBUSY, another daemon is attached to a timeline; all other timelines are
 * attached nevertheless. */
int tl_targets_scan(struct tl_targets *targets, struct tl_fault *fault);
/* Apply a changed configuration: give each target its section, and detach
 * targets without a section. */
void tl_targets_configure(struct tl_targets *targets);
/* Detach a target that is unusable (removed, truncated). */
void tl_targets_drop(struct tl_targets *targets, struct tl_target *target,
    const char *why);
void tl_targets_free(struct tl_targets *targets);

/* stream.c: read the entries of all targets as they come, and pass the entries
 * to counts, writers and rules: each poll_ns, less often while all targets are
 * idle. */
int tl_streams_new(struct tl_stream **stream, struct tl_daemon *daemon);
/* Apply a changed poll_ns. */
void tl_streams_configure(struct tl_stream *stream);
void tl_streams_free(struct tl_stream *stream);

#endif
