/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - is a file whole, and what is damaged?
 */
#ifndef TL_DUMP_CHECK_H
#define TL_DUMP_CHECK_H

#include "dump/output.h"
#include "script/select.h"

/* Read everything of each file and say what is wrong with it.  0 or -errno
 * when that could not be done; damage is no error of this function. */
int tl_check_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

#endif
