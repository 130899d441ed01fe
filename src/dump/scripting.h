/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripting.h - run a Lua script or a stock view over the inputs.
 */
#ifndef TL_DUMP_SCRIPTING_H
#define TL_DUMP_SCRIPTING_H

#include "dump/output.h"
#include "script/select.h"

/* Where the text of scripts and expressions goes. */
struct tl_script_io tl_scripting_io(struct tl_output *output);

/* 0, or -errno, a fault, and in *error, which the caller frees, all that is
 * known of what the script did. */
int tl_scripting_run(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault);

#endif
