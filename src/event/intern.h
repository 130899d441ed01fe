/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.h - the messages and strings that a reader defines as it reads.  Each
 * is stored once and lives as long as the interner.
 */
#ifndef TL_EVENT_INTERN_H
#define TL_EVENT_INTERN_H

#include "event/message.h"

enum {
	TL_INTERNER_MESSAGES_MAX = 1 << 20,
	TL_INTERNER_TEXT_MAX = 65536 /* bytes of a text; longer texts are cut */
};

struct tl_interner;

int tl_interner_new(struct tl_interner **interner);
void tl_interner_free(struct tl_interner *interner);

/*
 * The message with these texts, kind (TIMELINE_RECORD_...), level and scope;
 * the message is made when it is new.  text follows the rules of message.h: a
 * reader that has a foreign label passes the label as the value of a $label%s
 * argument, or as the text itself when the label holds no $.  Returns 0,
 * -EINVAL for bad text, -ENOSPC for too many messages or texts, or -ENOMEM.
 */
int tl_interner_message(struct tl_interner *interner, struct tl_bytes category,
    struct tl_bytes text, uint8_t kind, uint8_t level, uint8_t scope,
    const struct tl_message **message);

/* The number of a string, for %s arguments of the interner's messages.  A
 * string always has the same number; new strings get 1, 2, 3, ... Returns 0,
 * -ENOSPC or -ENOMEM. */
int tl_interner_string(struct tl_interner *interner, struct tl_bytes string,
    uint64_t *number);

/* The text of a number; data is NULL when the number is unknown. */
struct tl_bytes
tl_interner_text(const struct tl_interner *interner, uint64_t number);

/*
 * A number for a value, for values that may all differ.  A value that was met
 * recently gets the same number.  Values are kept in a file, so memory does not
 * grow with their count.  Returns 0, -ENOMEM, or -errno of the file.
 */
int tl_interner_value(struct tl_interner *interner, struct tl_bytes value,
    uint64_t *number);

/* The names of the threads that log the interner's messages.  Readers add
 * names. */
struct tl_names *tl_interner_names(struct tl_interner *interner);

#endif
