/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - which timelines are looked after: those that the configuration
 * creates, and those that appear in /dev/shm and may be adopted.
 *
 * A file is adopted when a section names it, its owner is this process's user
 * or one that the section trusts, and, being somebody else's, its mode gives
 * the group that it has access.  Others are said once and never opened to
 * write to.
 */
#ifndef TL_DAEMON_TARGETS_H
#define TL_DAEMON_TARGETS_H

#include "daemon/target.h"

struct tl_targets;

/* Watch the folder (NULL: /dev/shm). */
int tl_targets_new(struct tl_targets **targets, struct tl_daemon *daemon,
    const char *folder, struct tl_fault *fault);
/* Make what is to be made.  -EBUSY when another daemon looks after one of
 * them. */
int tl_targets_create(struct tl_targets *targets, struct tl_fault *fault);
/* Look at the folder now: adopt and let go.  -EBUSY as above, the rest of
 * what can be adopted is. */
int tl_targets_scan(struct tl_targets *targets, struct tl_fault *fault);
/* The daemon has a new configuration: give each target its section, let go
 * those that have none. */
void tl_targets_configure(struct tl_targets *targets);
/* A target cannot go on (removed, cut short): let it go. */
void tl_targets_drop(struct tl_targets *targets, struct tl_target *target,
    const char *why);
void tl_targets_free(struct tl_targets *targets);

/* Attach to the file at path, as long as it is the one that was judged: 0,
 * -EAGAIN another lies there by now, -EBUSY another daemon has it, or -errno,
 * and why. */
int tl_target_open(struct tl_target **target, struct tl_daemon *daemon,
    const char *path, const struct stat *judged,
    const struct tl_config_timeline *config, struct tl_fault *fault);
/* Another section, from now on; where it fails the old one still holds. */
int tl_target_configure(struct tl_target *target,
    const struct tl_config_timeline *config, struct tl_fault *fault);
/* Try once more what could not begin: its recording. */
void tl_target_retry(struct tl_target *target);
/* Is the file still whole, and still the one of that name?  NULL, or why
 * not. */
const char *tl_target_fault(const struct tl_target *target);
void tl_target_close(struct tl_target *target);

#endif
