/* SPDX-License-Identifier: Apache-2.0 */
/* diff.h - what differs between the trees of two inputs. */
#ifndef TL_DUMP_DIFF_H
#define TL_DUMP_DIFF_H

#include "dump/output.h"
#include "script/select.h"

/* 0 or -errno; the fault where there are not two, select->fault where an
 * expression failed. */
int tl_diff_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

#endif
