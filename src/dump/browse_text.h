/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browse_text.h - what stands in a row, and all there is to say about it.
 */
#ifndef TL_DUMP_BROWSE_TEXT_H
#define TL_DUMP_BROWSE_TEXT_H

#include "dump/browse_model.h"

/* How long it took, for the column of times; nothing for what has no time. */
void tl_browse_put_time(struct tl_text *text, const struct tl_row *row);
/* "+ words", "- words" when unfolded; two spaces where nothing is inside. */
void tl_browse_put_words(struct tl_text *text, const struct tl_row *row);
/* Lines for the pane of details. */
void tl_browse_put_details(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row);
/* How many bytes of a line fill at most so many columns; *used: how many they
 * take.  At least one character, so that who wraps gets on. */
size_t tl_browse_fit(struct tl_bytes line, unsigned columns, unsigned *used);

#endif
