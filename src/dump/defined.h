/* SPDX-License-Identifier: Apache-2.0 */
/*
 * defined.h - --list: what is defined, where, and how often it was seen.
 */
#ifndef TL_DUMP_DEFINED_H
#define TL_DUMP_DEFINED_H

#include "dump/output.h"
#include "script/select.h"

/* The messages that pass; counts are of entries that pass.  0 or -errno. */
int tl_defined_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

#endif
