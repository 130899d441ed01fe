/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - the spans as functions: a span begins with the call of its function
 * and ends with the return. */
#include "spans.h"

#define SPAN_FUNCTION __attribute__((noinline, noipa))

volatile bool gate = true;

SPAN_FUNCTION void
gate_open(void)
{
	gate = true;
}

SPAN_FUNCTION void
gate_close(void)
{
	gate = false;
}

SPAN_FUNCTION void
inner(long id, struct span *span, long ns)
{
	const uint64_t begun = tracer_begin(SPANS_INNER, id);

	span->inside[0] = spans_now();
	spans_spin(ns);
	span->inside[1] = spans_now();
	tracer_end(SPANS_INNER, id, begun);
}

SPAN_FUNCTION void
outer(long id, struct span *span, long ns)
{
	const uint64_t begun = tracer_begin(SPANS_OUTER, id);

	span->inside[0] = spans_now();
	spans_inner(ns / 4);
	spans_spin(ns / 2);
	span->inside[1] = spans_now();
	tracer_end(SPANS_OUTER, id, begun);
}
