/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - the messages of Chrome's trace events: what our writer
 * told of them, or made up from their name and arguments.
 *
 *	name "processed tcp" args tcp, udp	"processed $tcp%d: $udp%d"
 *	name "a$b", which no line can say	"$label%s: ..."
 */
#ifndef TL_FORMAT_CHROME_MESSAGE_H
#define TL_FORMAT_CHROME_MESSAGE_H

#include "event/intern.h"
#include "event/message_map.h"
#include "format/chrome/args.h"

/* Starts from all zeros; see tl_chrome_messages_make. */
struct tl_chrome_messages {
	struct tl_interner *interner;
	/* What was told, by the number of category and name in told_keys:
	 * texts and levels, none of them of an event. */
	struct tl_interner *told_keys;
	const struct tl_message **told;
	size_t told_capacity;
	struct tl_memo memo;
	struct tl_text text;
	struct tl_text shape; /* what a message depends on but its name */
};

/* What is asked for. */
struct tl_chrome_ask {
	struct tl_bytes category;
	struct tl_bytes name;
	struct tl_bytes which; /* the second line; empty: none */
	const struct tl_chrome_args *args;
	const struct tl_message *told; /* of a source; NULL: nothing */
	uint8_t kind;                  /* TIMELINE_RECORD_... */
	uint8_t scope;
};

int tl_chrome_messages_make(struct tl_chrome_messages *messages);
void tl_chrome_messages_free(struct tl_chrome_messages *messages);

/* Keep what our writer tells of a message: 0, -EINVAL no text of one, -ENOSPC,
 * -ENOMEM.  The second is for what has a category and a name. */
int tl_chrome_tell(struct tl_chrome_messages *messages, struct tl_bytes text,
    uint8_t level, const struct tl_message **told);
int tl_chrome_tell_name(struct tl_chrome_messages *messages,
    struct tl_bytes category, struct tl_bytes name, struct tl_bytes text,
    uint8_t level);

/* The message, and from its arguments its values, 0 for what there is not.
 * *bad counts values that are not of their format.  0, -ENOSPC, -ENOMEM, or
 * what the file said that keeps texts. */
int tl_chrome_message(struct tl_chrome_messages *messages,
    const struct tl_chrome_ask *ask, const struct tl_message **message);
int tl_chrome_values(struct tl_chrome_messages *messages,
    const struct tl_chrome_ask *ask, const struct tl_message *message,
    uint64_t values[TIMELINE_ARGS_MAX], unsigned *bad);

/* Has a message an argument for each of these? */
bool tl_chrome_has_all(const struct tl_message *message,
    const struct tl_chrome_args *args);

#endif
