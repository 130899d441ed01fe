/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - show the entries of files: what the program does unless it is
 * asked for something else.
 */
#ifndef TL_DUMP_ENTRIES_H
#define TL_DUMP_ENTRIES_H

#include "dump/output.h"
#include "script/select.h"

/* How many of the newest entries of each lane are needed; 0: all. */
uint64_t tl_entries_tail(const struct tl_options *options);

/* 0 or -errno; select->fault when its expression failed. */
int tl_entries_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

#endif
