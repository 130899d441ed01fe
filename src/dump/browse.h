/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browse.h - read trees on the terminal.
 */
#ifndef TL_DUMP_BROWSE_H
#define TL_DUMP_BROWSE_H

#include "dump/output.h"
#include "script/select.h"

/* Until a person quits.  0 or -errno, and the fault where the terminal cannot
 * be used or a path leads nowhere. */
int tl_browse_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, const struct tl_output *output,
    struct tl_fault *fault);

#endif
