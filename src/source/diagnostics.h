/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnostics.h - report what is wrong with sources.
 */
#ifndef TL_SOURCE_DIAGNOSTICS_H
#define TL_SOURCE_DIAGNOSTICS_H

#include "source/sources.h"

/* How a program prints a diagnostic: name is the file's, NULL for none. */
typedef void tl_warn(const char *name, const struct tl_fault *fault);

/* Everything reported of each source; quiet: damage only. */
void
tl_warn_sources(tl_warn *warn, const struct tl_sources *sources, bool quiet);
/* Report that count more were not kept. */
void tl_warn_more(tl_warn *warn, const char *name, size_t count);

#endif
