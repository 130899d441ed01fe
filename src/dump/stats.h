/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - count, rate and percentiles of each message.
 */
#ifndef TL_DUMP_STATS_H
#define TL_DUMP_STATS_H

#include "dump/output.h"
#include "script/select.h"

/* Over the entries that pass.  0 or -errno. */
int tl_stats_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

#endif
