/* SPDX-License-Identifier: Apache-2.0 */
/* lttng.c - LTTng-UST.  The session, which run makes, has enabled truth:*. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_points.h"

#include "spans.h"

static bool
is_enabled(void)
{
	return lttng_ust_tracepoint_enabled(truth, end);
}

void
tracer_start(bool closed)
{
	spans_wait(is_enabled, "LTTng-UST: the session enables no event");
	if (closed)
		gate_close();
}

uint64_t
tracer_begin(int which, long id)
{
	if (gate)
		lttng_ust_tracepoint(truth, begin, which, id);
	return 0;
}

void
tracer_end(int which, long id, uint64_t begun)
{
	(void)begun;
	if (gate)
		lttng_ust_tracepoint(truth, end, which, id);
}

int64_t
tracer_burst(int64_t ns)
{
	return spans_burst(ns);
}
