/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - timelines in the core of a dead process, or in an image of memory.
 *
 * A process maps a timeline whole.  The kernel writes a mapping of a shared file
 * into a core where bit 3 of coredump_filter(5) is set, or where the file was
 * removed.  There the timeline is as it was when the page was written: the process
 * is dead by then, other processes go on.
 */
#ifndef TL_SOURCE_CORE_H
#define TL_SOURCE_CORE_H

#include "base/bytes.h"

#include <stdbool.h>

struct tl_source;
struct tl_core;

/* How sure it is that a file which begins so is a core of ELF: 0 to 100. */
unsigned tl_core_recognise(struct tl_bytes first);

/* Are there more timelines than were opened? */
bool tl_core_has_more(const struct tl_core *core);
/* Open the next as a source of its own, whose fault is set on failure. */
void tl_core_open_next(struct tl_core *core, struct tl_source *source);
/* NULL does nothing. */
void tl_core_free(struct tl_core *core);

#endif
