/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - functions that do nothing, for probes: uprobes of bpftrace.
 * TRUTH_PROBED: wait until all are probed, which replaces their first byte.
 * uftrace traces the functions of work.c and not these.
 */
#include "spans.h"

#include <stdlib.h>

enum { BREAKPOINT = 0xcc };

#define PROBED(name) \
	__attribute__((noinline, noipa)) void name(long id) \
	{ \
		__asm__ volatile("" : : "r"(id)); \
	}

void outer_begin(long id);
void outer_end(long id);
void inner_begin(long id);
void inner_end(long id);
PROBED(outer_begin)
PROBED(outer_end)
PROBED(inner_begin)
PROBED(inner_end)

static void (*const begins[])(long id) = { outer_begin, inner_begin };
static void (*const ends[])(long id) = { outer_end, inner_end };

static bool
is_probed(void (*function)(long id))
{
	return *(const volatile uint8_t *)(uintptr_t)function == BREAKPOINT;
}

static bool
are_probed(void)
{
	return is_probed(begins[0]) && is_probed(begins[1]) &&
	       is_probed(ends[0]) && is_probed(ends[1]);
}

void
tracer_start(bool closed)
{
	if (getenv("TRUTH_PROBED"))
		spans_wait(are_probed, "no probe was set");
	if (closed)
		gate_close();
}

uint64_t
tracer_begin(int which, long id)
{
	if (gate)
		begins[which](id);
	return 0;
}

void
tracer_end(int which, long id, uint64_t begun)
{
	(void)begun;
	if (gate)
		ends[which](id);
}

int64_t
tracer_burst(int64_t ns)
{
	return spans_burst(ns);
}
