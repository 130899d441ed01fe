/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - a point of a Lincheck trace as the text of a message.
 *
 * The first line is for people; the lines after it are for the writer:
 *
 *	lincheck CLASS LOCATION TARGET TAG ... [throws]
 *	string ID TEXT
 *	location ID FILE CLASS METHOD LINE
 *	class ID NAME
 *	method ID CLASS DESCRIPTOR NAME
 *	field ID CLASS FLAGS NAME
 *	variable ID NAME
 *	paths OWNERS ARGUMENTS
 *	print TEMPLATE
 *
 * The line "lincheck" is the point itself, with the tags of its values.  The
 * definitions that it refers to follow, in the order in which the original
 * writes them before the point.  The line "paths" counts the access paths and
 * the names of arguments, which version 8 does not have.  The last line is how the original prints the
 * point (print.h).  Definitions of newer versions stand here as version 8
 * would have them: ids of strings count from 1, and fields that version 8
 * does not have are left out.
 *
 * A word may be empty.  In a word, control characters, space, semicolon and
 * backslash are \NN, two hexadecimal digits.  A DESCRIPTOR is that of a JVM,
 * with names as the file has them: (ILjava.lang.String;[J)V.
 */
#ifndef TL_FORMAT_LINCHECK_WORDS_H
#define TL_FORMAT_LINCHECK_WORDS_H

#include "format/lincheck/context.h"
#include "format/lincheck/object.h"

#define TL_LINCHECK_WORD   "lincheck"
#define TL_LINCHECK_THROWS "throws"
#define TL_LINCHECK_PATHS  "paths"

/* "call" ... "footer"; the other way round -1: none. */
extern const char *const tl_lincheck_classes[TL_LINCHECK_FOOTER_CLASS + 1];
int tl_lincheck_class_of(struct tl_bytes word);
/* "class" ... "location"; -1: none. */
extern const char *const tl_lincheck_kinds[TL_LINCHECK_NO_KIND];
int tl_lincheck_kind_of(struct tl_bytes word);

/* Append a word: text is UTF-8, name is modified UTF-8. */
void tl_lincheck_put_word(struct tl_text *to, struct tl_bytes text);
/* false: it was not modified UTF-8. */
bool tl_lincheck_put_name(struct tl_text *to, struct tl_bytes name);
/* Append what a word means. */
void tl_lincheck_take_word(struct tl_text *to, struct tl_bytes word);

/* Append UTF-8 as a name of the file, behind its size.  false: it was too
 * long or no UTF-8, and is not as it was. */
bool tl_lincheck_put_utf(struct tl_text *to, struct tl_bytes text);
/* Write an i32. */
void tl_lincheck_put_i32(struct tl_text *to, int32_t n);

/* The next word of a line, without its end; false: there is none. */
bool tl_lincheck_next_word(struct tl_bytes *line, struct tl_bytes *word);
/* The same for a number of 32 bits. */
bool tl_lincheck_next_number(struct tl_bytes *line, int32_t *n);

/* Append the descriptor of what follows the name of a method. */
void tl_lincheck_put_descriptor(struct tl_text *to, struct tl_data_in *types);
/* The reverse: the bytes; false: not a descriptor. */
bool tl_lincheck_take_descriptor(struct tl_text *types, struct tl_bytes word);

/* Has value number i of a point, of this tag, a place among the arguments?
 * The receiver of what is static has none, nor what a void method returns, nor
 * the null of one that throws. */
static inline bool
tl_lincheck_is_shown(uint8_t class, uint32_t i, int32_t tag, bool throws)
{
	if (class == TL_LINCHECK_FOOTER_CLASS)
		return tag != TL_LINCHECK_VOID &&
		       (tag != TL_LINCHECK_NULL || !throws);
	if (class == TL_LINCHECK_BREAKPOINT) /* it may have no trace id */
		return i != 1 || tag != TL_LINCHECK_NULL;
	return i > 0 || tag != TL_LINCHECK_NULL ||
	       (class != TL_LINCHECK_CALL && class != TL_LINCHECK_READ_FIELD &&
		   class != TL_LINCHECK_WRITE_FIELD);
}

/* Is a value of this tag the number that an argument has, or a string? */
static inline bool
tl_lincheck_is_number(int32_t tag)
{
	return tag <= TL_LINCHECK_BYTE && tag >= TL_LINCHECK_DOUBLE;
}

/* Append the text of the message of a point or footer.  false: a name is not
 * modified UTF-8. */
bool
tl_lincheck_describe(struct tl_text *text, struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/* Append a value as the text forms of the original have it, but without
 * quotes.  false as above. */
bool tl_lincheck_put_value_text(struct tl_text *text,
    struct tl_lincheck_context *context, const struct tl_lincheck_value *value);

/* How many of its values have a place among the arguments. */
uint32_t tl_lincheck_count_shown(const struct tl_lincheck_object *object);

#endif
