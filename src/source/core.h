/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - timelines in the core of a dead process, or in an image of memory.
 *
 * A process maps a timeline whole.  The kernel writes the mapping of a shared
 * file into a core if bit 3 of coredump_filter(5) is set, or if the file was
 * removed.  The core has each page of the timeline as it was when the kernel
 * wrote the page: the process is dead by then, but other processes go on
 * logging.
 */
#ifndef TL_SOURCE_CORE_H
#define TL_SOURCE_CORE_H

#include "base/bytes.h"

#include <stdbool.h>

struct tl_source;
struct tl_core;

/* Rate how well the first bytes of a file match an ELF core: 0 to 100. */
unsigned tl_core_recognise(struct tl_bytes first);

/* Are there timelines that were not opened yet? */
bool tl_core_has_more(const struct tl_core *core);
/* Open the next timeline as a source of its own.  Sets the fault of the source
 * on failure. */
void tl_core_open_next(struct tl_core *core, struct tl_source *source);
/* Free core; NULL does nothing. */
void tl_core_free(struct tl_core *core);

#endif
