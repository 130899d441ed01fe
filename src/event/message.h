/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - what was defined: category, level, text, arguments.
 *
 * The first line of a message names up to four arguments:
 *
 *	"processed $tcp, $udp%d, and $other%x\nmore text explains"
 *	           ^name ^name+format         ^explanation
 *
 * A name is $ and letters, digits or _.  A suffix %d %u %x %f %t %s right after
 * the name, not followed by another name character, chooses the format.  Any
 * other $ is text.  Two arguments of one name are refused.  Another conversion
 * of printf(3), such as %lu or %5d, is text to readers; it is refused where a
 * message is defined.
 */
#ifndef TL_EVENT_MESSAGE_H
#define TL_EVENT_MESSAGE_H

#include "base/bytes.h"
#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <timeline_layout.h>

enum { TL_ARGS_MAX = TIMELINE_ARGS_MAX };

/* The text of an argument's number: base/text and sinks ask for it. */
struct tl_strings {
	/* The text of string number n; data is NULL when there is none. */
	struct tl_bytes (*get)(const struct tl_strings *strings, uint64_t n);
};

struct tl_names;

struct tl_arg {
	struct tl_bytes name;
	uint8_t format;         /* TIMELINE_ARG_... */
	struct tl_bytes before; /* literal text between the last argument
				   (or the start of the line) and this $ */
};

struct tl_message {
	struct tl_bytes category;
	struct tl_bytes text;    /* all of it */
	struct tl_bytes line1;   /* its first line, without the newline */
	struct tl_bytes explain; /* the lines after it; empty: none */
	struct tl_bytes file;    /* where it was defined; empty: unknown */
	uint32_t line;
	uint32_t id;     /* unique in its source: offset of the record */
	uint8_t kind;    /* TIMELINE_RECORD_INSTANT, SPAN, COUNTER */
	uint8_t level;   /* as defined */
	uint8_t gate;    /* as set at run time */
	uint8_t scope;   /* of a span */
	uint8_t builtin; /* TIMELINE_BUILTIN_... */
	bool timer;      /* of a span: one entry, and a histogram */
	uint64_t mult;   /* of a builtin with a stamp among its arguments: ns
			  * per tick, times 2^63; 0 unknown */
	uint8_t argc;
	uint16_t source;
	struct tl_arg args[TL_ARGS_MAX];
	struct tl_bytes after; /* literal text after the last argument */
	const struct tl_strings *strings; /* for %s; may be NULL */
	/* of the threads that log it (names.h); may be NULL */
	const struct tl_names *names;
	void *user; /* a sink's own; NULL at first */
};

/*
 * Find the arguments of a text: fills text, line1, explain, argc, args and
 * after with pieces of text, which must outlive the message.  Returns 0, or
 * -EINVAL for more than four arguments or two of one name.
 */
int tl_message_parse(struct tl_message *message, struct tl_bytes text);

/* The first conversion of printf(3) behind an argument that is no suffix; empty
 * if there is none. */
struct tl_bytes tl_message_odd_suffix(const struct tl_message *message);

/*
 * Do the events of a message count steps of a program?  Then their ns is the
 * number of a step, not a time.  Messages of Lincheck traces do; their
 * explanation begins with this word, whatever file they were copied to.
 */
#define TL_MESSAGE_STEPS "lincheck "
static inline bool
tl_message_counts_steps(const struct tl_message *message)
{
	const size_t size = sizeof(TL_MESSAGE_STEPS) - 1;

	return message->explain.size >= size &&
	       memcmp(message->explain.data, TL_MESSAGE_STEPS, size) == 0;
}

/* The text of a %s argument; data is NULL when the number names none. */
static inline struct tl_bytes
tl_message_string(const struct tl_message *message, uint64_t number)
{
	if (!message->strings)
		return tl_bytes(NULL, 0);
	return message->strings->get(message->strings, number);
}

/*
 * Is it that of a source of timeline_source.h, or of a TimeLogger file?  Its
 * scope is the source, but each process counts its own: after fork they share
 * messages.
 */
bool tl_message_is_of_process(const struct tl_message *message);

/* "trace+++" ... "fatal", "off" for 0; "?" beyond. */
const char *tl_level_name(unsigned level);
/* All priorities, the highest first: "fatal, error, ..., trace+++". */
const char *tl_level_names(void);

/* The escape sequence of the colour of a level; "" for info.  "\033[0m"
 * turns it back. */
const char *tl_level_color(unsigned level);

/* The level of a name, 1 to 9; -EINVAL unknown. */
int tl_level_of(struct tl_bytes name);
/* The same as people type it: of either case, also warn, err, crit,
 * critical. */
int tl_level_parse(const char *name);
/* The same; -EINVAL and a fault with the nearest name. */
int tl_level_usage(const char *name, struct tl_fault *fault);

#endif
