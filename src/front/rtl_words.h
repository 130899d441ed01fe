/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_words.h - turn the format of a printf into the text of a message, and the
 * values into arguments.  Pure.
 */
#ifndef TL_FRONT_RTL_WORDS_H
#define TL_FRONT_RTL_WORDS_H

#include "base/text.h"

enum { TL_RTL_WORDS_MAX = 3 }; /* values that a format has */

/*
 * A conversion is kept in a byte: the kind ('d' 'u' 'x' 'f' 's' or 'c') and how
 * many bits of the value count; 0 is none.
 */

/*
 * Put the message text of a format with count values: "%d of %s" is "$1%d of
 * $2%s".  Text that is no conversion of a value stays.  Line breaks become
 * blanks; widths and precisions are left out; a blank separates a conversion
 * from a letter behind it.  Returns false if printf writes another text than a
 * reader of the message shows.
 */
bool tl_rtl_words_text(struct tl_text *text, const char *format, unsigned count,
    uint8_t conversions[TL_RTL_WORDS_MAX]);

/* Do words without a context name their scope, as "::f : words" does?  If so,
 * their line has no colon before the words. */
bool tl_rtl_words_have_scope(const char *format);

/* Put the words with count values as printf writes them; a text without values
 * is no format.  Line breaks become blanks. */
void tl_rtl_words_render(struct tl_text *text, const char *format,
    unsigned count, const uint64_t *values);

/* End the line that begins at byte start of a text.  Returns true if the line
 * was too long for readers: the line is then cut between characters and ends in
 * "...". */
bool tl_rtl_words_end(struct tl_text *text, size_t start);

/* Set the kinds of values that the first count conversions of a format from a
 * file take.  Returns the number of conversions. */
enum { TL_RTL_WORDS_NUMBER, TL_RTL_WORDS_STRING, TL_RTL_WORDS_CHARACTER };
unsigned tl_rtl_words_kinds(const char *format, unsigned count, uint8_t *kinds);

/* The value with the bits that its conversion takes: %u of an int is 32 bits
 * wide. */
uint64_t tl_rtl_words_value(uint8_t conversion, uint64_t value);
/* The text of a value whose conversion is a string or a character, else NULL;
 * the buffer holds a character. */
const char *
tl_rtl_words_string(uint8_t conversion, uint64_t value, char buffer[2]);

#endif
