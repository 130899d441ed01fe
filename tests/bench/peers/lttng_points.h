/* SPDX-License-Identifier: Apache-2.0 */
/* lttng_points.h - read several times, by lttng/tracepoint-event.h. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_points.h"

#if !defined(LTTNG_POINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#	define LTTNG_POINTS_H

#	include <lttng/tracepoint.h>
#	include <stdint.h>

/* no code, but what macros of LTTng turn into code */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(bench, integers,
	LTTNG_UST_TP_ARGS(uint64_t, tcp, uint64_t, udp, uint64_t, other,
	    uint64_t, more),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, tcp, tcp)
		lttng_ust_field_integer(uint64_t, udp, udp)
		lttng_ust_field_integer(uint64_t, other, other)
		lttng_ust_field_integer(uint64_t, more, more)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, integers, bench, processed,
	LTTNG_UST_TP_ARGS(uint64_t, tcp, uint64_t, udp, uint64_t, other,
	    uint64_t, more))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, integers, bench, closed,
	LTTNG_UST_TP_ARGS(uint64_t, tcp, uint64_t, udp, uint64_t, other,
	    uint64_t, more))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
