/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_words.h - the format of a printf as the text of a message, and its
 * values as arguments.  Pure.
 */
#ifndef TL_FRONT_RTL_WORDS_H
#define TL_FRONT_RTL_WORDS_H

#include "base/text.h"

enum { TL_RTL_WORDS_MAX = 3 }; /* values of a format */

/*
 * Conversions, for a value each: 'd' 'u' 'x' 'f' 's' or 'c' and how many bits
 * count.  They are kept in a byte each; 0 is none.
 */

/*
 * The text of a format with count values: "%d of %s" is "$1%d of $2%s".  What
 * is no conversion of a value stays as it is.  Line breaks become blanks;
 * widths and precisions are left out; where a letter follows a conversion a
 * blank is put between.  False where printf writes other text than a reader of
 * the message shows.
 */
bool tl_rtl_words_text(struct tl_text *text, const char *format, unsigned count,
    uint8_t conversions[TL_RTL_WORDS_MAX]);

/* Do words without a context name their scope, as "::f : words" does?  Then a
 * line has no colon before them. */
bool tl_rtl_words_have_scope(const char *format);

/* The words themselves, with count values in them as printf writes them; a text
 * without values is no format.  Line breaks become blanks. */
void tl_rtl_words_render(struct tl_text *text, const char *format,
    unsigned count, const uint64_t *values);

/* End the line that begins at byte start of a text.  One that readers would cut is
 * cut, between characters, and ends with "...": true. */
bool tl_rtl_words_end(struct tl_text *text, size_t start);

/* What each of the first count conversions takes, for a format that a file
 * brings; returns how many there are. */
enum { TL_RTL_WORDS_NUMBER, TL_RTL_WORDS_STRING, TL_RTL_WORDS_CHARACTER };
unsigned tl_rtl_words_kinds(const char *format, unsigned count, uint8_t *kinds);

/* A value as its conversion takes it: %u of an int is 32 bits wide. */
uint64_t tl_rtl_words_value(uint8_t conversion, uint64_t value);
/* Is it a text?  Then this is it; buffer has room for a character. */
const char *
tl_rtl_words_string(uint8_t conversion, uint64_t value, char buffer[2]);

#endif
