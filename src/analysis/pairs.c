/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - find the events that are a side of a pair, and the values in these
 * events.  The rules that a message matches are cached by message.
 */
#include "analysis/pairs.h"

#include "base/table.h"
#include "event/filter.h"
#include "event/message_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

_Static_assert(TL_PAIR_SIDES == 2 && TL_PAIR_SEEN_MAX <= 32, "a bit for each");

/* The rules that a message matches: bit rule * 2 + side, and the number of the
 * argument for each bit. */
struct part {
	uint32_t sides;
	uint8_t args[TL_PAIR_SEEN_MAX];
};

static struct part no_part;

static bool
is_name_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

/* The first $name of a glob. */
static void
find_name(struct tl_pair_side *side)
{
	const char *at = side->glob;
	size_t size = 0;

	while ((at = strchr(at, '$')) && !is_name_char(at[1]))
		at++;
	if (!at)
		return;
	while (is_name_char(at[1 + size]))
		size++;
	memcpy(side->name, at + 1, size);
}

static int
parse_side(struct tl_pair_side *side, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (from < to && to[-1] == ' ')
		to--;
	if (to - from > 2 && (*from == '<' || *from == '>') && from[1] == ' ') {
		side->of_ends = *from == '<';
		from += 2;
	}
	if (from == to || to - from >= TL_PAIR_GLOB_MAX)
		return -EINVAL;
	memcpy(side->glob, from, (size_t)(to - from));
	find_name(side);
	return 0;
}

int
tl_pair_parse(struct tl_pair_rule *rule, const char *text,
    struct tl_fault *fault)
{
	const char *spaced = strstr(text, " = ");
	const char *equals = spaced ? spaced + 1 : strchr(text, '=');

	*rule = (struct tl_pair_rule){ 0 };
	if (!equals ||
	    parse_side(&rule->sides[TL_PAIR_SENT], text, equals) < 0 ||
	    parse_side(&rule->sides[TL_PAIR_RECEIVED], equals + 1,
		equals + 1 + strlen(equals + 1)) < 0)
		return tl_fail(fault, -EINVAL,
		    "%s: not SEND=RECEIVE, two messages", text);
	return 0;
}

/* The number of the argument that a side names.  -ENOENT: the message has no
 * such argument. */
static int
find_arg(const struct tl_pair_side *side, const struct tl_message *message)
{
	const struct tl_bytes name = tl_bytes_of(side->name);

	for (int i = 0; i < message->argc; i++) {
		const struct tl_bytes one = message->args[i].name;

		if (name.size == 0 ||
		    (one.size == name.size &&
			memcmp(one.data, name.data, name.size) == 0))
			return i;
	}
	return -ENOENT;
}

static struct part
part_of(const struct tl_pair_matcher *m, const struct tl_message *message)
{
	struct part part = { 0 };

	for (unsigned i = 0; i < m->rule_count * TL_PAIR_SIDES; i++) {
		const struct tl_pair_side *side =
		    &m->rules[i / TL_PAIR_SIDES].sides[i % TL_PAIR_SIDES];
		const int arg = find_arg(side, message);

		if (arg < 0 || !tl_glob_matches_message(side->glob, message))
			continue;
		/* A message that matches both sides has no direction; the
		 * message counts as sent. */
		if (i % TL_PAIR_SIDES == TL_PAIR_RECEIVED &&
		    side[-1].of_ends == side->of_ends && part.sides >> (i - 1))
			continue;
		part.sides |= UINT32_C(1) << i;
		part.args[i] = (uint8_t)arg;
	}
	return part;
}

/* Find the rules that the message of an event matches.  0 or -ENOMEM. */
static int
find_part(struct tl_pair_matcher *m, const struct tl_message *message,
    struct part *found)
{
	struct part *part = tl_message_map_find(&m->parts, message);
	int rc;

	if (part) {
		*found = *part;
		return 0;
	}
	*found = part_of(m, message);
	part = &no_part;
	if (found->sides != 0) {
		part = malloc(sizeof(*part));
		if (!part)
			return -ENOMEM;
		*part = *found;
	}
	rc = tl_message_map_add(&m->parts, message, part);
	if (rc < 0 && part != &no_part)
		free(part);
	return rc == -ENOSPC ? 0 : rc;
}

/* The number of a string differs between timelines, so the hash of the text is
 * the value. */
static uint64_t
value_of(const struct tl_event *event, unsigned arg)
{
	const struct tl_message *message = event->message;
	const struct tl_bytes text =
	    tl_arg_is_text(&message->args[arg])
		? tl_message_text(message, arg, &event->args[arg])
		: tl_bytes(NULL, 0);

	return text.data ? tl_hash_bytes(text) : event->args[arg];
}

int
tl_pair_match(struct tl_pair_matcher *m, const struct tl_event *event,
    struct tl_pair_seen *seen)
{
	const struct tl_message *message = event->message;
	struct part part;
	int rc, count = 0;

	if (!message || event->bare || m->rule_count == 0)
		return 0;
	if (tl_message_map_find(&m->parts, message) == &no_part)
		return 0;
	rc = find_part(m, message, &part);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < TL_PAIR_SEEN_MAX; i++) {
		const struct tl_pair_side *side =
		    &m->rules[i / TL_PAIR_SIDES].sides[i % TL_PAIR_SIDES];

		if ((part.sides >> i & 1) == 0 ||
		    side->of_ends != (event->kind == TL_END))
			continue;
		seen[count++] =
		    (struct tl_pair_seen){ .rule = i / TL_PAIR_SIDES,
			    .side = i % TL_PAIR_SIDES,
			    .value = value_of(event, part.args[i]) };
	}
	return count;
}

static void
free_part(void *part)
{
	if (part != &no_part)
		free(part);
}

void
tl_pair_matcher_free(struct tl_pair_matcher *m)
{
	tl_message_map_free(&m->parts, free_part);
}
