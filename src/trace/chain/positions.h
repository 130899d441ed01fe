/* SPDX-License-Identifier: Apache-2.0 */
/*
 * positions.h - the position of a chain of blocks in its timeline: "LANE:NUMBER
 * LANE:NUMBER ...", the number of the next entry in each lane, with lanes from
 * 0.
 */
#ifndef TL_TRACE_CHAIN_POSITIONS_H
#define TL_TRACE_CHAIN_POSITIONS_H

#include "base/text.h"

enum { TL_POSITIONS_LANES_MAX = 1 << 16 };

void tl_put_positions(struct tl_text *text, const uint64_t *positions,
    size_t lane_count);
/* Parse positions; the caller frees the array.  0; -EINVAL: invalid;
 * -ENOMEM. */
int
tl_parse_positions(const char *words, uint64_t **positions, size_t *lane_count);
/* Sum the entries before the positions, over all lanes.  0; -EINVAL: invalid,
 * or too large; -ENOMEM. */
int tl_sum_positions(struct tl_bytes words, uint64_t *sum);

#endif
