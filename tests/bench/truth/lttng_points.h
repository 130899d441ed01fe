/* SPDX-License-Identifier: Apache-2.0 */
/* lttng_points.h - read several times, by lttng/tracepoint-event.h. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER truth

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_points.h"

#if !defined(TRUTH_POINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#	define TRUTH_POINTS_H
#	include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(truth, edge,
    LTTNG_UST_TP_ARGS(int, which, long, id),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, which, which)
	    lttng_ust_field_integer(long, id, id)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(truth, edge, truth, begin,
    LTTNG_UST_TP_ARGS(int, which, long, id))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(truth, edge, truth, end,
    LTTNG_UST_TP_ARGS(int, which, long, id))

#endif

#include <lttng/tracepoint-event.h>
