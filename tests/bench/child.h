/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - a measurement in a process of its own, so that its memory is
 * known and nothing of it is left for the next one.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdint.h>

struct result {
	double seconds; /* left 0: all the time that the body took */
	double mib;     /* at most, beside what it began with */
	uint64_t events;
	uint64_t bytes;
	int rc;
};

/* Run a body; the program ends if it fails. */
struct result child_run(const char *name,
    void (*body)(const void *job, struct result *result), const void *job);

#endif
