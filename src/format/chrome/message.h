/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - the message and the arguments of a trace event of Chrome.
 *
 * Any number of args become at most four arguments with valid names, each with
 * a format:
 *
 *	"tcp":10 "f":2.5 "p":"0x1f" "s":"x"	$tcp%d $f%f $p%x $s%s
 *	"deep":{"a":1} "t":true			$deep%s $t%s, their JSON
 *	five args				three, and $more%s with the rest
 *
 * The message is made of the name and the arguments:
 *
 *	name "processed tcp" args tcp, udp	"processed $tcp%d: $udp%d"
 *	name "a$b", which no text can hold	"$label%s: ..."
 */
#ifndef TL_FORMAT_CHROME_MESSAGE_H
#define TL_FORMAT_CHROME_MESSAGE_H

#include "event/intern.h"
#include "event/message_map.h"
#include "format/chrome/event.h"

#include <timeline_layout.h>

/* The arguments of a message. */
struct tl_chrome_args {
	struct tl_chrome_arg arg[TIMELINE_ARGS_MAX];
	uint8_t format[TIMELINE_ARGS_MAX];
	unsigned count;
	uint8_t level; /* from args.priority; 0: none */
	bool named;    /* the name is an argument: not plain */
	bool joined;   /* some args became $more */
};

/*
 * Make at most four arguments from the args of the event; lead, if not NULL, is
 * the first.  Keys and values live as long as those of the event.
 */
void tl_chrome_args_make(struct tl_chrome_args *args,
    struct tl_chrome_event *event, const struct tl_chrome_arg *lead);

/* May a character stand in the name of an argument? */
static inline bool
tl_chrome_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Can a name be the first line of a message?  An empty name can. */
bool tl_chrome_is_plain(struct tl_bytes name);

/*
 * Convert a value to an argument of any format but a string; false: the value
 * is no number.
 */
bool tl_chrome_number(const struct tl_chrome_value *value, unsigned format,
    uint64_t *number);

/* Starts from all zeros; see tl_chrome_messages_make(). */
struct tl_chrome_messages {
	struct tl_interner *interner;
	struct tl_message_cache memo;
	struct tl_text text;
	struct tl_text shape; /* key of a message without its name */
};

/* A request for a message. */
struct tl_chrome_request {
	struct tl_bytes category;
	struct tl_bytes name;
	struct tl_bytes instance; /* second line; may be empty */
	const struct tl_chrome_args *args;
	uint8_t kind; /* TIMELINE_RECORD_... */
	uint8_t scope;
};

int tl_chrome_messages_make(struct tl_chrome_messages *messages);
void tl_chrome_messages_free(struct tl_chrome_messages *messages);

/*
 * Find or make the message of a request; then set the values of its arguments,
 * 0 for a missing value.  *bad counts values that do not fit the format.  0,
 * -ENOSPC, -ENOMEM, or the error of the file that holds texts.
 */
int tl_chrome_message(struct tl_chrome_messages *messages,
    const struct tl_chrome_request *ask, const struct tl_message **message);
int tl_chrome_values(struct tl_chrome_messages *messages,
    const struct tl_chrome_request *ask, const struct tl_message *message,
    uint64_t values[TIMELINE_ARGS_MAX], unsigned *bad);

#endif
