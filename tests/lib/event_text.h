/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_text.h - events of a test as lines of text.
 *
 *	> a 10 tid=2 proven	the begin of a span of message a at 10 ns
 *	< a 30 from=10		its end, which has the stamp of the begin
 *
 * The kinds are > begin, < end, . instant, # counter and ! lost.  An event has
 * a stamp of twice its time, process 7, thread 1 and, as its first argument,
 * its time, unless a field says otherwise or the event is bare or lost.
 */
#ifndef TESTS_LIB_EVENT_TEXT_H
#define TESTS_LIB_EVENT_TEXT_H

#include "event/event.h"
#include "test.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The messages that a test may name; the last has no name. */
struct event_text_message {
	const char *name;
	const struct tl_message *message;
};

static inline void
event_text_set(struct tl_event *e, const char *field, const char *value)
{
#define FIELD(name) \
	{ \
#		name, offsetof(struct tl_event, name), sizeof(e->name) \
	}
	static const struct {
		const char *name;
		size_t offset, size;
	} fields[] = { FIELD(pid), FIELD(tid), FIELD(tsc), FIELD(observed),
		FIELD(stretch), FIELD(source), FIELD(proven), FIELD(bare),
		FIELD(begun), FIELD(lost), FIELD(overwritten), FIELD(unread),
		FIELD(steps_ns), FIELD(lane), FIELD(epoch), FIELD(cpu),
		FIELD(level), FIELD(number), FIELD(error_ns) };
#undef FIELD
	const int64_t number = value ? strtoll(value, NULL, 0) : 1;

	if (strcmp(field, "in") == 0) { /* an observed interval */
		e->observed = e->stretch = (uint64_t)number;
	} else if (strcmp(field, "from") == 0) {
		e->proven = true;
		e->begun_ns = number;
		e->begun_tsc = 2 * (uint64_t)number;
		e->duration_ns = e->ns - number;
	} else if (strcmp(field, "args") == 0) {
		for (unsigned i = 0; value; i++) {
			e->args[i] = strtoull(value, NULL, 0);
			value = strchr(value, ',');
			value = value ? value + 1 : NULL;
		}
	} else {
		for (size_t i = 0;; i++) {
			ck_assert_msg(i < sizeof(fields) / sizeof(*fields),
			    "no field of an event: %s", field);
			if (strcmp(field, fields[i].name) != 0)
				continue;
			memcpy((char *)e + fields[i].offset, &number,
			    fields[i].size);
			break;
		}
	}
}

/* The event of a line, which ends at its end or before " = ". */
static inline struct tl_event
event_text_parse(const char *line, const struct event_text_message *messages)
{
	static const char kinds[] = " .><#!";
	char text[256], *next = text, *word, *value;
	struct tl_event e = { .pid = 7, .tid = 1 };

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	value = strstr(text, " = ");
	if (value)
		*value = '\0';
	word = strsep(&next, " ");
	if (strchr(kinds, *word))
		e.kind = (uint8_t)(strchr(kinds, *word) - kinds);
	if (e.kind != TL_LOST) {
		word = strsep(&next, " ");
		while (messages->name && strcmp(messages->name, word) != 0)
			messages++;
		ck_assert_msg(messages->name != NULL, "no message: %s", line);
		e.message = messages->message;
	}
	e.ns = strtoll(strsep(&next, " "), NULL, 10);
	e.tsc = 2 * (uint64_t)e.ns;
	while ((word = strsep(&next, " "))) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		event_text_set(&e, word, value);
	}
	if (!e.bare && e.message && e.args[0] == 0)
		e.args[0] = (uint64_t)e.ns;
	return e;
}

#endif
