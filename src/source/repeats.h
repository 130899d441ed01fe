/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats.h - the begins that several files of one recording have.
 *
 *	a.trace    begin --------------------.   (no end)
 *	b.trace              begin, repeated '-------- end
 *
 * A file of a recording repeats the begins of the spans that are open where the
 * file before it ends, so that the file can be read alone.  Where both files
 * are read, the begin is that of the last file, which has the end, too.  The
 * begin of an earlier file is the same entry: same stamp, thread and message.
 */
#ifndef TL_SOURCE_REPEATS_H
#define TL_SOURCE_REPEATS_H

#include "event/cursor.h"
#include "source/source.h"

struct tl_repeats_part; /* a file of a recording */
struct tl_repeats;

/* Find the begins that the sources repeat, and set the part of each source.
 * *repeats is NULL if there are none; it must live as long as the sources.
 * Returns 0 or -ENOMEM. */
int tl_repeats_find(struct tl_repeats **repeats, struct tl_source *sources,
    size_t count);
void tl_repeats_free(struct tl_repeats *repeats);

/* Does a later file repeat the begin, which is of this part? */
bool tl_repeats_has(const struct tl_repeats_part *part,
    const struct tl_event *begin);

#endif
