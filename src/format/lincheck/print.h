/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - points as the text printer of the original shows them.
 *
 *	point --> template, a line of its message --+--> line of a tree
 *	                            event's values -+
 *
 * The reader knows paths, classes and the release; it writes what does not
 * change from event to event into the message, as the line "print TEMPLATE".
 * In a template control characters, backslash and braces are \NN, two
 * hexadecimal digits, and
 *
 *	{N} {Ns} {Nu} {Nc} {Nf}		value number N among the arguments: as
 *					it is, a string, a string that may be a
 *					mark, a character, a floating number
 *	{>} {=}				the arrow of a read, of a write
 *	{Nm}				value number N, milliseconds of Unix
 *					time, as a time
 *	{T}				" (NAME)" of the thread
 *	{#}				how many children there are
 *	{~RAW|PRETTY}			a name of a class in release 3.1, and
 *					in later ones
 *	{@FILE:LINE}			the place, where it is asked for; before
 *					it the result of a call
 */
#ifndef TL_FORMAT_LINCHECK_PRINT_H
#define TL_FORMAT_LINCHECK_PRINT_H

#include "event/event.h"
#include "format/lincheck/context.h"

#define TL_LINCHECK_PRINT "print"

/* Append the template of a point or footer. */
void tl_lincheck_put_template(struct tl_text *text,
    struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/* Append the name of a class as it is printed: without its package, a nested
 * one behind a dot.  false: it is not modified UTF-8. */
bool tl_lincheck_put_class(struct tl_text *text, struct tl_bytes name);
/* Append a text with its backslashes, line ends and tabs escaped. */
void tl_lincheck_put_escaped(struct tl_text *text, struct tl_bytes plain);

struct tl_lincheck_print {
	bool arrows;  /* as release 3.1 */
	bool verbose; /* with the place in the source */
	uint64_t children;
	const struct tl_event *result; /* of a call; NULL: none */
	struct tl_bytes thread;        /* its name; empty: none is known */
};

/* Was this message made of a Lincheck trace? */
bool tl_lincheck_is_native(const struct tl_message *message);
/* Is it the message of the result of a call, which is an event of its own? */
bool tl_lincheck_is_result(const struct tl_message *message);
/* Append the line of an event without its end; false: it has no template, and
 * nothing is appended. */
bool tl_lincheck_print(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how);
/* The same where nothing must steer a terminal. */
bool tl_lincheck_print_plain(struct tl_text *text, const struct tl_event *event,
    const struct tl_lincheck_print *how);

#endif
