/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.h - the messages and strings that a reader makes up as it goes:
 * each once, living as long as the interner.
 */
#ifndef TL_EVENT_INTERN_H
#define TL_EVENT_INTERN_H

#include "event/message.h"

enum {
	TL_INTERNER_MESSAGES_MAX = 1 << 20,
	TL_INTERNER_TEXT_MAX = 65536 /* bytes of one text; more are cut */
};

struct tl_interner;

int tl_interner_new(struct tl_interner **interner);
void tl_interner_free(struct tl_interner *interner);

/*
 * The message of these texts, kind (TIMELINE_RECORD_...), level and scope,
 * made now if there was none.  text follows the rules of message.h: a reader
 * that has a foreign label makes it the value of a $label%s argument, or the
 * text itself where it holds no $.  0, -EINVAL bad text, -ENOSPC too many,
 * -ENOMEM.
 */
int tl_interner_message(struct tl_interner *interner, struct tl_bytes category,
    struct tl_bytes text, uint8_t kind, uint8_t level, uint8_t scope,
    const struct tl_message **message);

/* The number of a string, for %s arguments of the interner's messages: always
 * the same, and 1, 2, 3, ... as they first come.  0, -ENOSPC, -ENOMEM. */
int tl_interner_string(struct tl_interner *interner, struct tl_bytes string,
    uint64_t *number);

/* The text of such a number; data is NULL when there is none. */
struct tl_bytes
tl_interner_text(const struct tl_interner *interner, uint64_t number);

/*
 * A number of a value, of which there may be any number: those met lately have
 * the same, memory does not grow with them.  0, -ENOMEM, or -errno of the file
 * that they are kept in.
 */
int tl_interner_value(struct tl_interner *interner, struct tl_bytes value,
    uint64_t *number);

/* The names of the threads that log its messages, for a reader to add to. */
struct tl_names *tl_interner_names(struct tl_interner *interner);

#endif
