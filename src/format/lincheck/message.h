/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - points of a Lincheck trace as messages and arguments.
 *
 * A message is one method, field or variable at one place of the source, with
 * values of one set of types.  Its first line is what a person reads,
 *
 *	Counter.add($this%s, $1%d, $2%s)	$object%s.count → $value%d
 *	returned $result%d			$array%s[$index%d] ← $value%d
 *
 * and behind it stands all that events of it do not say, see
 * format/lincheck_word.h.  Integers are %d and floats %f; what else there is
 * is a string: an object "Counter@4711".  Of more than four arguments the last
 * one, "more", has the rest, each a word.
 */
#ifndef TL_FORMAT_LINCHECK_MESSAGE_H
#define TL_FORMAT_LINCHECK_MESSAGE_H

#include "format/lincheck/context.h"
#include "format/lincheck/layout.h"

/* Starts from all zeros; then init. */
struct tl_lincheck_messages {
	struct tl_lincheck_strings strings; /* of its messages */
	struct tl_definer *definer;
	struct tl_lincheck_context context;
	struct tl_numbers shapes; /* by the number of their bytes as string */
	struct tl_message **messages;
	size_t capacity;
	struct tl_text key;
	struct tl_text text;
	uint64_t cut;      /* texts that were too long */
	uint64_t bad_name; /* ... that were no modified UTF-8 */
	uint64_t full;     /* strings that found no room */
};

int tl_lincheck_messages_init(struct tl_lincheck_messages *messages);
void tl_lincheck_messages_free(struct tl_lincheck_messages *messages);

/*
 * The message of a point or footer: 0; 1: something has not come that it
 * refers to, and *key says what; -ENOSPC, -ENOMEM.  last: nothing comes any
 * more, names may be missing.
 */
int tl_lincheck_messages_get(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, bool last,
    struct tl_lincheck_key *key, const struct tl_message **message);

/* The arguments of its event: 0, -ENOMEM. */
int tl_lincheck_messages_args(struct tl_lincheck_messages *messages,
    const struct tl_lincheck_object *object, uint64_t args[TL_ARGS_MAX]);

#endif
