/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - a fault of an input, with its place.
 *
 * A parser fills in a fault; only a program's main file prints the fault, as
 * "timeline-dump: x.tl: byte 192: entry from the future".
 */
#ifndef TL_BASE_FAULT_H
#define TL_BASE_FAULT_H

#include <stdint.h>

enum { TL_FAULT_TEXT_MAX = 200 };
/* The place of a fault that has no place in the file. */
#define TL_FAULT_NOWHERE UINT64_MAX

struct tl_fault {
	int rc;      /* -errno; 0: no fault */
	uint64_t at; /* offset in the input, or TL_FAULT_NOWHERE */
	char text[TL_FAULT_TEXT_MAX];
};

/* Set the fault, unless it is already set.  Returns rc. */
int tl_fault(struct tl_fault *fault, int rc, uint64_t at, const char *format,
    ...) __attribute__((format(printf, 4, 5)));
/* Like tl_fault(), for a fault without a place in the input. */
#define tl_fail(fault, rc, ...) \
	tl_fault(fault, rc, TL_FAULT_NOWHERE, __VA_ARGS__)

/*
 * Write "PROGRAM: NAME: byte N: TEXT" to standard error with a single write,
 * because several threads may write at once.  name may be NULL.  Without memory
 * for the line, a line without the name is written.
 */
void tl_fault_print(const char *program, const char *name,
    const struct tl_fault *fault);

#endif
