/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - the definition of a message: category, level, text, arguments.
 *
 * The first line of a message names up to four arguments:
 *
 *	"processed $tcp, $udp%d, and $other%x\nmore text explains"
 *	           ^name ^name+format         ^explanation
 *
 * A name is $ and letters, digits or _.  A suffix %d %u %x %o %f %t %s %8s
 * right after the name, not followed by another name character, chooses the
 * format.  Any other $ is text.  Two arguments of one name are refused.
 * Another conversion of printf(3), such as %lu or %5d, is text to readers; the
 * function that defines a message refuses the conversion.
 */
#ifndef TL_EVENT_MESSAGE_H
#define TL_EVENT_MESSAGE_H

#include "base/bytes.h"
#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <timeline_layout.h>

enum { TL_ARGS_MAX = TIMELINE_ARGS_MAX };

/* The strings of a source, by which base/text and sinks get the text of a
 * number. */
struct tl_strings {
	/* The text of string number n; data is NULL if string n does not
	 * exist. */
	struct tl_bytes (*get)(const struct tl_strings *strings, uint64_t n);
};

struct tl_names;

struct tl_arg {
	uint8_t format; /* TIMELINE_ARG_... */
	struct tl_bytes name;
	struct tl_bytes before; /* literal text between the last argument
				   (or the start of the line) and this $ */
};

/* What each entry needs comes first: a file may have more messages than a cache
 * holds. */
struct tl_message {
	uint32_t id;     /* unique in its source: offset of the record */
	uint8_t kind;    /* TIMELINE_RECORD_INSTANT, SPAN, COUNTER */
	uint8_t level;   /* as defined */
	uint8_t gate;    /* as set at run time */
	uint8_t scope;   /* of a span */
	uint8_t builtin; /* TIMELINE_BUILTIN_... */
	bool timer;      /* of a span: one entry has begin and end */
	bool regated;    /* of a recording: gate is that at its end only */
	/* 1 + the lowest gate that the message may have had at the first event;
	 * 0: unknown */
	uint8_t first_gate;
	uint8_t argc;
	uint16_t source;
	struct tl_arg args[TL_ARGS_MAX];
	struct tl_bytes after; /* literal text after the last argument */
	struct tl_bytes category;
	struct tl_bytes text;    /* the whole text */
	struct tl_bytes line1;   /* first line, without the newline */
	struct tl_bytes explain; /* the lines after line1; empty: none */
	struct tl_bytes file;    /* place of the definition; empty: unknown */
	uint32_t line;
	/* For a builtin with a stamp among its arguments: ns per tick, times
	 * 2^63; 0 unknown. */
	uint64_t mult;
	const struct tl_strings *strings; /* for %s; may be NULL */
	/* The names of the threads that log the message (names.h); may be
	 * NULL. */
	const struct tl_names *names;
};

/*
 * Find the arguments of a text: set text, line1, explain, argc, args and after
 * to pieces of text, which must outlive the message.  Returns 0, or -EINVAL for
 * more than four arguments or two arguments of one name; then the whole line is
 * text.
 */
int tl_message_parse(struct tl_message *message, struct tl_bytes text);

/* The first conversion of printf(3) right after the name of an argument that is
 * not a suffix of message.h, or after a suffix and with it; empty if there is
 * none. */
struct tl_bytes tl_message_odd_suffix(const struct tl_message *message);

/*
 * Do the events of a message count steps of a program?  Then ns is the number
 * of a step, not a time.  Messages of Lincheck traces count steps: the
 * explanation begins with TL_MESSAGE_STEPS in every format that the trace was
 * converted to.
 */
#define TL_MESSAGE_STEPS "lincheck "
static inline bool
tl_message_counts_steps(const struct tl_message *message)
{
	const size_t size = sizeof(TL_MESSAGE_STEPS) - 1;

	return message->explain.size >= size &&
	       memcmp(message->explain.data, TL_MESSAGE_STEPS, size) == 0;
}

/* The text of a %s argument; data is NULL if the number names no string. */
static inline struct tl_bytes
tl_message_string(const struct tl_message *message, uint64_t number)
{
	if (!message->strings)
		return tl_bytes(NULL, 0);
	return message->strings->get(message->strings, number);
}

/* Is an argument a text, of %s or of %8s? */
static inline bool
tl_arg_is_text(const struct tl_arg *arg)
{
	return arg->format == TIMELINE_ARG_STRING ||
	       arg->format == TIMELINE_ARG_TEXT8;
}

/* The text of argument i, whose 64 bits are at value; data is NULL if they name
 * no string.  The text of a %8s argument is those bits: it lives as long. */
static inline struct tl_bytes
tl_message_text(const struct tl_message *message, unsigned i,
    const uint64_t *value)
{
	if (message->args[i].format != TIMELINE_ARG_TEXT8)
		return tl_message_string(message, *value);
	return tl_bytes((const char *)value,
	    *value ? sizeof(*value) - (size_t)__builtin_clzll(*value) / 8 : 0);
}

/*
 * Does the message belong to a source of timeline_source.h, or of a TimeLogger
 * file?  Such a message has the source as its scope, but each process counts
 * its own spans: processes share messages after fork.
 */
bool tl_message_is_of_process(const struct tl_message *message);

/* The name of a level: "trace+++" ... "fatal", "off" for 0; "?"  beyond. */
const char *tl_level_name(unsigned level);
/* All priorities, the highest first: "fatal, error, ..., trace+++". */
const char *tl_level_names(void);

/* The escape sequence of a level's colour; "" for info.  "\033[0m" ends the
 * colour. */
const char *tl_level_color(unsigned level);

/* The level of a name, 1 to 9; -EINVAL for an unknown name. */
int tl_level_of(struct tl_bytes name);
/* The level of a name as people type it: in either case, also warn, err, crit
 * and critical.  -EINVAL for an unknown name. */
int tl_level_parse(const char *name);
/* Like tl_level_parse; on -EINVAL the fault has the nearest name. */
int tl_level_usage(const char *name, struct tl_fault *fault);

#endif
