/* SPDX-License-Identifier: Apache-2.0 */
/* dpdk_points.h - trace points that are called, or registered: the header that
 * was included before decides. */
#ifndef DPDK_POINTS_H
#define DPDK_POINTS_H

#include <rte_trace_point.h>
#include <stdint.h>

/* no code, but what macros of DPDK turn into code */
/* clang-format off */
#	define INTEGERS uint64_t tcp, uint64_t udp, uint64_t other, uint64_t more
#	define EMIT \
		rte_trace_point_emit_u64(tcp); \
		rte_trace_point_emit_u64(udp); \
		rte_trace_point_emit_u64(other); \
		rte_trace_point_emit_u64(more);

RTE_TRACE_POINT(bench_processed, RTE_TRACE_POINT_ARGS(INTEGERS), EMIT)
RTE_TRACE_POINT(bench_closed, RTE_TRACE_POINT_ARGS(INTEGERS), EMIT)
/* clang-format on */

#endif
