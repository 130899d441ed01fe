/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_text.h - events of a test as lines of text.
 *
 *	> a 10 tid=2 proven	the begin of a span of message a at 10 ns
 *	< a 30 from=10		its end, which has the stamp of the begin
 *
 *	message a span level=4 | net | waits $for%s	defines message a
 *	string 1 eth0		a string of all messages
 *	name 7 1 main		the name of a thread; of its process: 7 0
 *	usual pid=7 cpu=1	what all events below begin with
 *
 * The kinds are > begin, < end, . instant, = counter and ! lost.  */
#ifndef TESTS_LIB_EVENT_TEXT_H
#define TESTS_LIB_EVENT_TEXT_H

#include "event/event.h"
#include "event/names.h"
#include "golden.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The messages that a test may name; the last has no name. */
struct event_text_message {
	const char *name;
	const struct tl_message *message;
};

static struct {
	struct tl_event usual; /* what an event that is not lost begins with */
	/* an event has a stamp of twice its time and, unless it is bare, its
	 * time as its first argument */
	bool of_time;
} event_text = { { .pid = 7, .tid = 1 }, true };

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
		FIELD(level), FIELD(number), FIELD(error_ns), FIELD(known),
		FIELD(begun_ns), FIELD(begun_tsc), FIELD(duration_ns),
		FIELD(continued), FIELD(paired), FIELD(moved), FIELD(partial),
		FIELD(aside), FIELD(base), FIELD(overlaps), FIELD(sync_us) };
#undef FIELD
	const uint64_t number = value ? strtoull(value, NULL, 0) : 1;

	if (strcmp(field, "in") == 0) { /* an observed interval */
		e->observed = e->stretch = number;
	} else if (strcmp(field, "from") == 0) {
		e->proven = true;
		e->begun_ns = (int64_t)number;
		e->begun_tsc = 2 * number;
		e->duration_ns = e->ns - (int64_t)number;
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
	static const char kinds[] = " .><=!";
	char text[512], *next = text, *word, *value;
	struct tl_event e = { .cpu = TL_CPU_UNKNOWN };

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	value = strstr(text, " = ");
	if (value)
		*value = '\0';
	word = strsep(&next, " ");
	if (strchr(kinds, *word))
		e.kind = (uint8_t)(strchr(kinds, *word) - kinds);
	if (e.kind != TL_LOST) {
		const uint8_t kind = e.kind;

		e = event_text.usual;
		e.kind = kind;
		word = strsep(&next, " ");
		while (messages->name && strcmp(messages->name, word) != 0)
			messages++;
		ck_assert_msg(messages->name != NULL, "no message: %s", line);
		e.message = messages->message;
		e.level = e.message->level;
	}
	e.ns = strtoll(strsep(&next, " "), NULL, 10);
	if (event_text.of_time)
		e.tsc = 2 * (uint64_t)e.ns;
	while ((word = strsep(&next, " "))) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		event_text_set(&e, word, value);
	}
	if (event_text.of_time && !e.bare && e.message && e.args[0] == 0)
		e.args[0] = (uint64_t)e.ns;
	return e;
}

/* == definitions in the text == */

enum { EVENT_TEXT_MESSAGES = 64, EVENT_TEXT_STRINGS = 64 };

static struct tl_message event_text_messages[EVENT_TEXT_MESSAGES];
static struct event_text_message event_text_defined[EVENT_TEXT_MESSAGES + 1];
static struct tl_bytes event_text_strings[EVENT_TEXT_STRINGS];
static struct tl_names event_text_names;

static inline struct tl_bytes
event_text_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n < EVENT_TEXT_STRINGS ? event_text_strings[n]
				      : tl_bytes(NULL, 0);
}

/* A copy of a text without its escapes, which lives until the program ends. */
static inline struct tl_bytes
event_text_copy(const char *text)
{
	static struct kept {
		struct kept *next;
		char text[];
	} * kept;
	size_t size = strlen(text);
	struct kept *copy = malloc(sizeof(*copy) + size + 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy->text, text, size + 1);
	copy->next = kept;
	kept = copy;
	size = golden_unescape(copy->text, size);
	copy->text[size] = '\0';
	return tl_bytes(copy->text, size);
}

static inline void
event_text_define_message(char *line)
{
	static const struct tl_strings strings = { event_text_string };
	static const char *const kinds[] = { "plain", "instant", "span",
		"counter" };
	char *text = strstr(line, " | "), *category, *word, *value;
	struct tl_message m = { .strings = &strings,
		.names = &event_text_names };
	size_t i = 0;

	category = text + 3;
	*text = '\0';
	text = strstr(category, " |");
	*text++ = '\0';
	m.category = event_text_copy(category);
	ck_assert_ok(tl_message_parse(&m,
	    event_text_copy(text + (text[1] == ' ' ? 2 : 1))));
	for (unsigned n = 0; (word = strsep(&line, " ")); n++) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		if (n == 0)
			while (event_text_defined[i].name &&
			       strcmp(event_text_defined[i].name, word) != 0)
				i++;
		if (n == 0 && !event_text_defined[i].name)
			event_text_defined[i].name = event_text_copy(word).data;
		for (uint8_t k = 0; n == 1 && k < 4; k++)
			m.kind = strcmp(word, kinds[k]) == 0 ? k : m.kind;
		if (n < 2)
			continue;
		if (strcmp(word, "timer") == 0)
			m.timer = true;
		else if (strcmp(word, "file") == 0)
			m.file = event_text_copy(value);
		else if (strcmp(word, "line") == 0)
			m.line = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(word, "id") == 0)
			m.id = (uint32_t)strtoul(value, NULL, 10);
		else
			*(strcmp(word, "level") == 0     ? &m.level
			    : strcmp(word, "gate") == 0  ? &m.gate
			    : strcmp(word, "scope") == 0 ? &m.scope
							 : &m.builtin) =
			    (uint8_t)strtoul(value, NULL, 10);
	}
	event_text_messages[i] = m;
	event_text_defined[i].message = &event_text_messages[i];
}

/* Take a line that defines something; false: the line is another one. */
static inline bool
event_text_define(const char *line)
{
	char copy[2048], *next = copy, *word, *value;
	uint32_t pid, tid;
	int size = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	word = strsep(&next, " ");
	if (strcmp(word, "message") == 0) {
		event_text_define_message(next);
	} else if (strcmp(word, "string") == 0) {
		value = strchr(next, ' ') + 1;
		event_text_strings[strtoul(next, NULL, 10)] =
		    event_text_copy(value);
	} else if (strcmp(word, "name") == 0) {
		sscanf(next, "%u %u %n", &pid, &tid, &size);
		ck_assert_ok(tl_names_add(&event_text_names, pid, tid,
		    event_text_copy(next + size)));
	} else if (strcmp(word, "usual") == 0) {
		while ((word = strsep(&next, " "))) {
			value = strchr(word, '=');
			if (value)
				*value++ = '\0';
			event_text_set(&event_text.usual, word, value);
		}
	} else {
		return false;
	}
	return true;
}

/* Forget what was defined. */
static inline void
event_text_reset(void)
{
	memset(event_text_defined, 0, sizeof(event_text_defined));
	memset(event_text_strings, 0, sizeof(event_text_strings));
	tl_names_free(&event_text_names);
	event_text.usual = (struct tl_event){ .cpu = TL_CPU_UNKNOWN };
	event_text.of_time = false;
}

#endif
