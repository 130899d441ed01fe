/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnostics.h - report the faults of sources.
 */
#ifndef TL_SOURCE_DIAGNOSTICS_H
#define TL_SOURCE_DIAGNOSTICS_H

#include "source/sources.h"

/* A program's function that prints a diagnostic.  name is the name of the file,
 * or NULL. */
typedef void tl_warn(const char *name, const struct tl_fault *fault);

/* Print all diagnostics of each source; quiet: only damage. */
void
tl_warn_sources(tl_warn *warn, const struct tl_sources *sources, bool quiet);
/* Print that count more diagnostics were not kept. */
void tl_warn_more(tl_warn *warn, const char *name, size_t count);

#endif
