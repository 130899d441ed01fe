/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - points as the text printer of Lincheck shows them.
 *
 *	point --> template, a line of its message --+--> line of a tree
 *	                            event's values -+
 *
 * The reader knows paths, classes and the release, so the reader writes the
 * text that is equal for all events of a message into the message, as the line
 * "print TEMPLATE".  In a template control characters, backslash and braces are
 * \NN, two hexadecimal digits.  The marks of a template are:
 *
 *	{N} {Ns} {Nu} {Nc} {Nf}		value number N among the arguments: as
 *					it is, a string, a string that may be a
 *					mark, a character, a floating number
 *	{>} {=}				the arrow of a read, of a write
 *	{Nm}				value number N, milliseconds of Unix
 *					time, as a time
 *	{T}				" (NAME)" of the thread
 *	{#}				the number of children
 *	{@FILE:LINE}			the result of a call, then the place
 *					in the source if the place is asked for
 */
#ifndef TL_FORMAT_LINCHECK_PRINT_H
#define TL_FORMAT_LINCHECK_PRINT_H

#include "event/event.h"
#include "format/lincheck/context.h"

#define TL_LINCHECK_PRINT "print"

/* Append the line "print TEMPLATE" of a point or footer, without a line end. */
void tl_lincheck_put_template(struct tl_text *text,
    struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/*
 * Append the name of a class as Lincheck prints it: without the package, with a
 * dot before a nested class.  false: the name is not modified UTF-8.
 */
bool tl_lincheck_put_class(struct tl_text *text, struct tl_bytes name);
/* Append a text with backslashes, line ends and tabs escaped. */
void tl_lincheck_put_escaped(struct tl_text *text, struct tl_bytes plain);

struct tl_lincheck_print {
	bool verbose; /* with the place in the source */
	uint64_t children;
	const struct tl_event *result; /* result of a call; NULL: none */
	struct tl_bytes thread;        /* name of the thread; may be empty */
};

/* Does a message come from a Lincheck trace? */
bool tl_lincheck_is_native(const struct tl_message *message);
/* Does a message belong to a call's result, which is an event of its own? */
bool tl_lincheck_is_result(const struct tl_message *message);
/*
 * Append the line of an event, without a line end.  false: the message has no
 * template, and nothing is appended.
 */
bool tl_lincheck_print(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how);
/* Like tl_lincheck_print(), with control characters made harmless. */
bool tl_lincheck_print_plain(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how);

#endif
