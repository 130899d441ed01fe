/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write a trace as JetBrains Lincheck's recorder does, in
 * version 8 of its format.
 *
 * What its reader makes of a file becomes that file again, byte for byte,
 * where it was whole, its order was kept, and each thing was defined once and
 * right before its first use, in the order of the original.  Of other events spans are calls; instants are calls that
 * return at once, counters are writes to static fields; all in a call for
 * each thread, for the original shows one root of a thread.  Times have no
 * place: points are numbered.
 */
#ifndef TL_FORMAT_LINCHECK_WRITE_H
#define TL_FORMAT_LINCHECK_WRITE_H

#include "event/writer.h"

/* The data alone. */
tl_writer_new tl_lincheck_write_new;
/* The data at path, and its index beside it, at path.idx. */
tl_writer_at tl_lincheck_write_at;
/* Both into descriptors, which it closes.  0, -ENOMEM. */
int tl_lincheck_write_files(struct tl_writer **writer, int data, int index,
    const struct tl_report *report);

#endif
