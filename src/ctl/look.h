/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.h - a timeline as list and top show it: looked at now and then.
 */
#ifndef TL_CTL_LOOK_H
#define TL_CTL_LOOK_H

#include "base/fault.h"
#include "base/fields.h"
#include "ctl/writers.h"
#include "snap/glance.h"

#include <sys/stat.h>

struct tl_look {
	int fd; /* -1: it cannot be read, fault says why */
	struct stat status;
	struct tl_fault fault;
	bool seen; /* glance is there */
	struct tl_glance glance;
	struct tl_writers writers;
	int64_t taken_ns; /* CLOCK_MONOTONIC; 0 never */
	uint64_t fresh;   /* appended since the look before */
	int64_t past_ns;  /* time since the look before; 0 none */
};

/* Starts from { .fd = ... }.  Look at it again; whole: with its history and
 * its writers.  0 or -errno as the fault says. */
int tl_look_again(struct tl_look *look, bool whole);
/* Closes its descriptor. */
void tl_look_free(struct tl_look *look);

/* Entries a second; 0 while it was looked at only once. */
double tl_look_rate(const struct tl_look *look);
/* "live", "saved", "imported", "old": from before the last boot, "superseded":
 * live, but the name by which it was made was taken from it. */
const char *tl_look_state(const struct tl_look *look);

/* "info", or "trace for 23ms" while there is a burst. */
void tl_look_put_level(struct tl_text *text, const struct tl_glance *glance);
/* Members of an object: state, levels, counts, rate, history, writers. */
void tl_look_json(struct tl_fields *fields, const struct tl_look *look);

/* The word of a threshold. */
const char *tl_threshold_name(unsigned threshold);

#endif
