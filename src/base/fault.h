/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - a fault of an input, with its place.
 *
 * Parsers fill one in; only a program's main file prints it, as
 * "timeline-dump: x.tl: byte 192: entry from the future".
 */
#ifndef TL_BASE_FAULT_H
#define TL_BASE_FAULT_H

#include <stdint.h>

enum { TL_FAULT_TEXT_MAX = 200 };
/* A fault that has no place in the file. */
#define TL_FAULT_NOWHERE UINT64_MAX

struct tl_fault {
	int rc;      /* -errno; 0 nothing wrong */
	uint64_t at; /* byte in the input, or TL_FAULT_NOWHERE */
	char text[TL_FAULT_TEXT_MAX];
};

/* Set the fault, unless it is set; returns rc. */
int tl_fault(struct tl_fault *fault, int rc, uint64_t at, const char *format,
    ...) __attribute__((format(printf, 4, 5)));
/* The same, of no place in the input. */
#define tl_fail(fault, rc, ...) \
	tl_fault(fault, rc, TL_FAULT_NOWHERE, __VA_ARGS__)

/*
 * Write "PROGRAM: NAME: byte N: TEXT" to standard error by one write, as
 * several threads may at once; name may be NULL.  Where there is no memory for
 * the line, one without the name is written.
 */
void tl_fault_print(const char *program, const char *name,
    const struct tl_fault *fault);

#endif
