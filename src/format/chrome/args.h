/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.h - the args of one of Chrome's trace events as arguments of a
 * message: at most four, of good names, each with a format.
 *
 *	"tcp":10 "f":2.5 "p":"0x1f" "s":"x"	$tcp%d $f%f $p%x $s%s
 *	"deep":{"a":1} "t":true			$deep%s $t%s, their JSON
 *	five of them				three, and $more%s with the rest
 */
#ifndef TL_FORMAT_CHROME_ARGS_H
#define TL_FORMAT_CHROME_ARGS_H

#include "format/chrome/event.h"

#include <timeline_layout.h>

/* The arguments that messages are made of. */
struct tl_chrome_args {
	struct tl_chrome_arg arg[TIMELINE_ARGS_MAX];
	uint8_t format[TIMELINE_ARGS_MAX];
	unsigned count;
	uint8_t level; /* that args.priority names; 0: none */
	bool labelled; /* our writer says: the name is an argument, too ... */
	bool named;    /* ... or must be one */
	bool joined;
};

/*
 * lead stands before the others; NULL: none.  ours: the file is of our writer,
 * which writes "label":true, null for no number, and great integers as
 * strings.  The keys and values live as long as those of the event.
 */
void tl_chrome_args_settle(struct tl_chrome_args *args,
    struct tl_chrome_event *event, const struct tl_chrome_arg *lead, bool ours);

/* Before that: take out what our writer wrote of the end of a span, under the
 * keys of its begin; only arguments and their count are set. */
void
tl_chrome_args_part(struct tl_chrome_args *ends, struct tl_chrome_event *event);

/* May a name of an argument have this character? */
static inline bool
tl_chrome_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Could this name be the first line of a message, or is there none? */
bool tl_chrome_is_plain(struct tl_bytes name);

/* A value as an argument of a format that is not a string; false: it is
 * none. */
bool tl_chrome_number(const struct tl_chrome_value *value, unsigned format,
    uint64_t *number);

#endif
