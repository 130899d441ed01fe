/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - what the calling thread remembers of the traces that it records
 * into: its streams, by the numbers of the traces.
 */
#ifndef TL_TRACE_OWN_H
#define TL_TRACE_OWN_H

#include <stdint.h>

enum {
	TL_OWN_TRACES = 16, /* those that it used last */
	TL_OWN_NAME_MAX = 256
};

struct tl_trace_stream;

struct tl_own {
	uint64_t number; /* 0: free */
	uint64_t used;   /* the greater, the later */
	struct tl_trace_stream *stream;
	uint32_t tid;
	char name[TL_OWN_NAME_MAX];
};

/* Before any thread remembers anything: 0 or -errno. */
int tl_own_prepare(void);
/* What there is of a trace, maybe nothing yet; NULL: no memory. */
struct tl_own *tl_own_find(uint64_t number);
/* Of a trace that is closed. */
void tl_own_forget(uint64_t number);

#endif
