/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - show entries of live timelines as they come.
 */
#ifndef TL_DUMP_FOLLOW_H
#define TL_DUMP_FOLLOW_H

#include "dump/output.h"
#include "script/select.h"

/*
 * Follow every file until SIGINT, SIGTERM, the end of who reads the output,
 * or until all are removed.  inputs has the names; the faults of those that
 * could not be opened are in it then, and a fault of rc 0 that says "removed"
 * for those that were.  0 or -errno.
 */
int tl_follow_show(struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

#endif
