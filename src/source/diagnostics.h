/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnostics.h - what programs that read timelines have to say of them.
 */
#ifndef TL_SOURCE_DIAGNOSTICS_H
#define TL_SOURCE_DIAGNOSTICS_H

#include "source/inputs.h"

/* How a program says it: name is the file's. */
typedef void tl_complain(const char *name, const struct tl_fault *fault);

/* What is damaged and, unless quiet, what is good to know, file by file. */
void tl_complain_inputs(tl_complain *complain, const struct tl_inputs *inputs,
    bool quiet);
/* That there is more of this kind, of which nothing was kept. */
void tl_complain_more(tl_complain *complain, const char *name, size_t count);

#endif
