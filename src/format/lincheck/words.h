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
 * The line "lincheck" is the point, with the tags of its values.  The
 * definitions that the point refers to follow, in the order in which Lincheck
 * writes them before the point.  The line "paths" counts the access paths and
 * the names of arguments, which version 8 does not have.  The line "print" is
 * the text that Lincheck prints for the point (print.h).  Definitions of newer
 * versions are written as version 8 would have them: ids of strings count from
 * 1, and fields that version 8 does not have are left out.
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

/*
 * Names of the classes, "call" to "footer".  class_of returns -1 for no class.
 */
extern const char *const tl_lincheck_classes[TL_LINCHECK_FOOTER_CLASS + 1];
int tl_lincheck_class_of(struct tl_bytes word);
/*
 * Names of the kinds, "class" to "path".  kind_of returns -1 for any word but
 * "class" to "location".
 */
extern const char *const tl_lincheck_kinds[TL_LINCHECK_NO_KIND];
int tl_lincheck_kind_of(struct tl_bytes word);

extern const char tl_lincheck_hex[]; /* digits */
/*
 * Append a text with \NN for control characters, backslashes and the characters
 * a and b.
 */
void tl_lincheck_put_escapes(struct tl_text *to, struct tl_bytes text, char a,
    char b);
/* Append a UTF-8 text as a word. */
static inline void
tl_lincheck_put_word(struct tl_text *to, struct tl_bytes text)
{
	tl_lincheck_put_escapes(to, text, ' ', ';');
}

/* Append the text that a word stands for. */
void tl_lincheck_take_word(struct tl_text *to, struct tl_bytes word);

/*
 * Append UTF-8 as a name of the file, behind its size.  false: the text was too
 * long or no UTF-8, and the name is changed.
 */
bool tl_lincheck_put_utf(struct tl_text *to, struct tl_bytes text);

/* Take the next line of a text; false: the text has no more lines. */
bool tl_lincheck_next_line(struct tl_bytes *text, struct tl_bytes *line);
/* Take the next word of a line; false: the line has no more words. */
bool tl_lincheck_next_word(struct tl_bytes *line, struct tl_bytes *word);
/* Take the next word of a line as an i32; false: no word, or no i32. */
bool tl_lincheck_next_number(struct tl_bytes *line, int32_t *n);

/* Append the types that a descriptor names; false: not a descriptor. */
bool tl_lincheck_take_descriptor(struct tl_text *types, struct tl_bytes word);

/*
 * Has value number i of a point, with this tag, a place among the arguments?
 * The null receiver of a static method or field has none, nor the result of a
 * void method, nor the null result of a method that throws.
 */
static inline bool
tl_lincheck_is_shown(uint8_t class, uint32_t i, int32_t tag, bool throws)
{
	if (class == TL_LINCHECK_FOOTER_CLASS)
		return tag != TL_LINCHECK_VOID &&
		       (tag != TL_LINCHECK_NULL || !throws);
	if (class == TL_LINCHECK_BREAKPOINT) /* trace id may be missing */
		return i != 1 || tag != TL_LINCHECK_NULL;
	return i > 0 || tag != TL_LINCHECK_NULL ||
	       (class != TL_LINCHECK_CALL && class != TL_LINCHECK_READ_FIELD &&
		   class != TL_LINCHECK_WRITE_FIELD);
}

/* Is an argument with this tag a number, rather than a string? */
static inline bool
tl_lincheck_is_number(int32_t tag)
{
	return tag <= TL_LINCHECK_BYTE && tag >= TL_LINCHECK_DOUBLE;
}

/*
 * Append the text of the message of a point or footer.  false: a name is not
 * modified UTF-8.
 */
bool
tl_lincheck_describe(struct tl_text *text, struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/*
 * Append a value as Lincheck's text forms show it, but without quotes.  false:
 * a name is not modified UTF-8.
 */
bool tl_lincheck_put_value_text(struct tl_text *text,
    struct tl_lincheck_context *context, const struct tl_lincheck_value *value);

/* How many values of a point have a place among the arguments? */
uint32_t tl_lincheck_count_shown(const struct tl_lincheck_object *object);

#endif
