/* SPDX-License-Identifier: Apache-2.0 */
/* dpdk_points.c - registers the trace points that dpdk.c calls. */
#include <rte_trace_point_register.h>

#include "dpdk_points.h"

RTE_TRACE_POINT_REGISTER(bench_processed, bench.processed)
RTE_TRACE_POINT_REGISTER(bench_closed, bench.closed)
