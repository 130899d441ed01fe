/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read what JetBrains Lincheck's trace recorder wrote, in
 * versions 8 to 23 of its format.
 *
 * Events come in the order of the file.  Where one refers to what stands
 * behind it, in the block of another thread, it and all behind it wait, in a
 * file without a name if they are many.  Reported and read on: objects that
 * are none, from which on all is skipped up to the next block; calls without
 * a footer and footers without a call; what is never defined; a file that is
 * cut.  Traces of other versions are recognised, and refused.
 */
#ifndef TL_FORMAT_LINCHECK_READ_H
#define TL_FORMAT_LINCHECK_READ_H

#include "event/reader.h"

tl_reader_new tl_lincheck_read_new;
tl_recognise tl_lincheck_recognise;

#endif
