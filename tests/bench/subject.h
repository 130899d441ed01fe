/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subject.h - timelines to measure: made in /dev/shm, gone with the process,
 * and counted, because an append that drops is cheap.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdint.h>
#include <timeline.h>

struct timeline_header;

struct subject {
	char path[64];
	struct timeline *tl;
	struct timeline_event *open;   /* four arguments, logged */
	struct timeline_event *plain;  /* none, logged */
	struct timeline_event *closed; /* four arguments, never logged */
	const struct timeline_header *header;
	uint64_t before; /* entries in the heads when it was made */
	uint64_t sent;   /* what the bodies were asked to log */
};

/* Make and attach.  A timeline of that name is removed first. */
void subject_new(struct subject *subject, const char *name,
    const struct timeline_options *options);
/* Attach to one made by another process. */
void subject_open(struct subject *subject, const char *name);
/* Entries in the heads and losses in the counters by now. */
uint64_t subject_kept(const struct subject *subject);
uint64_t subject_dropped(const struct subject *subject);
/* The line that says whether all that was sent is in the heads. */
void subject_print_losses(const struct subject *subject, const char *name);
void subject_close(struct subject *subject);
/* Log so many a second to one made by another process, a share of every
 * millisecond, until somebody kills this process or its parent ends. */
_Noreturn void subject_write(const char *name, double rate);

/* Bodies of bench cases; the argument is a struct subject. */
void subject_log4(void *arg, long n);
void subject_log0(void *arg, long n);
void subject_call4(void *arg, long n);
void subject_off(void *arg, long n);
void subject_off_call(void *arg, long n);

#endif
