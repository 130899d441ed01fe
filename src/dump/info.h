/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.h - what is known of a file: who made it, geometry, lanes, levels,
 * losses, clock.
 */
#ifndef TL_DUMP_INFO_H
#define TL_DUMP_INFO_H

#include "dump/output.h"
#include "source/inputs.h"

int tl_info_show(const struct tl_inputs *inputs,
    const struct tl_options *options, struct tl_output *output);

#endif
