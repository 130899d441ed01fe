/* SPDX-License-Identifier: Apache-2.0 */
/*
 * viewers.h - generated events for the writers of viewer formats: every kind of
 * event, every format of an argument, limits of 64 bits, hostile texts.  The
 * events are lines of tables.
 */
#ifndef TESTS_LIB_VIEWERS_H
#define TESTS_LIB_VIEWERS_H

#include "event/event.h"

#include <stdlib.h>
#include <timeline.h>

/* The time of the first event. */
#define VIEWERS_NS INT64_C(1795202658123456789)

enum viewers_set {
	VIEWERS_PLAIN, /* some events of each kind, in order of time */
	/* texts that try to break the syntax or control the terminal */
	VIEWERS_HOSTILE,
	VIEWERS_LOSSY, /* losses at the start, inside and at the end */
	VIEWERS_BACK,  /* a clock that is set back, and times before 1970 */
	VIEWERS_MANY   /* endless: spans, instants, counters of 4 CPUs */
};

enum {
	PROCESSED,
	REQUEST,
	JOB,
	DEPTH,
	RATIO,
	LABEL,
	HEAT,
	EVIL,
	WAIT,
	MESSAGES,
	LOSS = -1
};

static const struct {
	const char *category;
	const char *text;
	uint8_t kind, level, scope;
} viewers_defined[MESSAGES] = {
	[PROCESSED] = { "net",
	    "processed $tcp%u, $udp%d, and $other%x\nPackets of one pass.", 1,
	    4, 0 },
	[REQUEST] = { "http", "request $id to $path%s", 2, 6, 0 },
	[JOB] = { "batch", "job $id", 2, 5, 1 },
	[DEPTH] = { "queue", "depth $length%u", 3, 6, 0 },
	[RATIO] = { "net", "ratio $r%f took $t%t", 1, 7, 0 },
	[LABEL] = { "timelogger", "$label%s\nsource 5", 2, 6, 1 },
	[HEAT] = { "room", "heat $celsius%f", 3, 9, 0 },
	[EVIL] = { "a\"b\\c*/\n\033[2J\xe2\x80\xae",
	    "evil \" */ }; $int%s 'x' \xff\xfe \x7f ?\?/ $9x\n*/ event { /*", 1,
	    8, 0 },
	[WAIT] = { "", "waits $for%t", 3, 6, 0 },
};

static const char hostile_string[] = "\"; }\0*/ \033]0;x\007 \xc3\xa9 \xff";

static struct tl_message viewers_messages[MESSAGES];

static struct tl_bytes
viewers_string(const struct tl_strings *strings, uint64_t n)
{
	static const char *const known[] = { "/index", "/cart?a=1&b=2",
		"GameThread", "" };

	(void)strings;
	if (n == 5)
		return tl_bytes(hostile_string, sizeof(hostile_string) - 1);
	return n >= 1 && n <= 4 ? tl_bytes_of(known[n - 1]) : tl_bytes(NULL, 0);
}

static const struct tl_strings viewers_strings = { viewers_string };

struct line {
	int message;
	uint8_t kind;
	int64_t after_ns; /* since the previous event */
	uint8_t thread;   /* pid 40 + thread / 2, tid 50 + thread */
	uint8_t cpu;
	uint64_t args[TL_ARGS_MAX];
	bool bare;
};

#define HALF         0x3fe0000000000000u
#define NOT_A_NUMBER 0x7ff8000000000000u

static const struct line viewers_plain[] = {
	{ PROCESSED, TL_INSTANT, 0, 0, 0,
	    { UINT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX }, false },
	{ REQUEST, TL_BEGIN, 10, 0, 0, { 7, 1 }, false },
	{ JOB, TL_BEGIN, 5, 1, 1, { 1 }, false },
	{ DEPTH, TL_COUNTER, 5, 0, 0, { 3 }, false },
	{ REQUEST, TL_BEGIN, 100, 2, 1, { 8, 2 }, false },
	{ RATIO, TL_INSTANT, 0, 1, 1, { HALF, (uint64_t)-1500 }, false },
	{ REQUEST, TL_END, 1000, 0, 0, { 7, 1 }, false },
	{ JOB, TL_END, 1, 3, 0, { 0 }, true },
	{ REQUEST, TL_END, 7, 2, 1, { 0 }, true },
	{ DEPTH, TL_COUNTER, 1, 0, 0, { UINT64_MAX }, false },
	{ DEPTH, TL_COUNTER, 1, 2, 1, { 5 }, false },
	{ LABEL, TL_BEGIN, 1, 2, 1, { 3 }, false },
	{ LABEL, TL_END, 1, 2, 1, { 3 }, false },
	{ HEAT, TL_COUNTER, 1, 2, 1, { HALF }, false },
	{ RATIO, TL_INSTANT, 1, 2, 1, { NOT_A_NUMBER, 1 }, false },
	{ REQUEST, TL_BEGIN, 1, 2, 1, { 9, 77 }, false },
	{ PROCESSED, TL_INSTANT, 1000000000, 0, UINT8_MAX, { 1, 2, 3 }, false },
};

static const struct line viewers_hostile[] = {
	{ EVIL, TL_INSTANT, 0, 0, 0, { 5, 1 }, false },
	{ EVIL, TL_INSTANT, 1, 0, 0, { 4, 2 }, false },
	{ EVIL, TL_INSTANT, 1, 0, 0, { 6, 3 }, false },
	{ WAIT, TL_COUNTER, 1, 0, 0, { 9 }, false },
};

static const struct line viewers_lossy[] = {
	{ LOSS, TL_LOST, 0, 0, 0, { 11 }, false },
	{ PROCESSED, TL_INSTANT, 1, 0, 0, { 1, 2, 3 }, false },
	{ PROCESSED, TL_INSTANT, 1, 0, 1, { 4, 5, 6 }, false },
	{ LOSS, TL_LOST, 1, 0, 0, { 500 }, false },
	{ PROCESSED, TL_INSTANT, 1, 0, 0, { 7, 8, 9 }, false },
	{ LOSS, TL_LOST, 1, 0, 0, { 3 }, false },
};

static const struct line viewers_back[] = {
	{ PROCESSED, TL_INSTANT, -VIEWERS_NS - 5, 0, 0, { 1, 2, 3 }, false },
	{ PROCESSED, TL_INSTANT, VIEWERS_NS + 5, 0, 0, { 4, 5, 6 }, false },
	{ PROCESSED, TL_INSTANT, -20, 0, 0, { 7, 8, 9 }, false },
	{ PROCESSED, TL_INSTANT, 30, 0, 0, { 10, 11, 12 }, false },
};

/* A server at work, repeated. */
static const struct line viewers_many[] = {
	{ REQUEST, TL_BEGIN, 400, 0, 0, { 7, 1 }, false },
	{ PROCESSED, TL_INSTANT, 300, 1, 1, { 70, 80, 90 }, false },
	{ PROCESSED, TL_INSTANT, 250, 2, 2, { 170, 180, 190 }, false },
	{ DEPTH, TL_COUNTER, 90, 0, 0, { 12 }, false },
	{ JOB, TL_BEGIN, 200, 3, 3, { 1 }, false },
	{ PROCESSED, TL_INSTANT, 400, 0, 0, { 7000, 8000, 9000 }, false },
	{ RATIO, TL_INSTANT, 700, 2, 2, { HALF, 1500 }, false },
	{ JOB, TL_END, 100, 3, 3, { 0 }, true },
	{ PROCESSED, TL_INSTANT, 300, 1, 1, { 71, 81, 91 }, false },
	{ REQUEST, TL_END, 4000, 0, 0, { 7, 1 }, false },
};

#define SET(name, lines) \
	{ \
		name, lines, sizeof(lines) / sizeof((lines)[0]) \
	}

static const struct {
	const char *name;
	const struct line *lines;
	uint64_t count;
} viewers_sets[] = {
	[VIEWERS_PLAIN] = SET("plain", viewers_plain),
	[VIEWERS_HOSTILE] = SET("hostile", viewers_hostile),
	[VIEWERS_LOSSY] = SET("lossy", viewers_lossy),
	[VIEWERS_BACK] = SET("back", viewers_back),
	[VIEWERS_MANY] = SET("many", viewers_many),
};

/* The name of a set; -1: there is no such set. */
static inline int
viewers_set(const char *name)
{
	for (size_t i = 0; i < sizeof(viewers_sets) / sizeof(viewers_sets[0]);
	     i++) {
		if (strcmp(viewers_sets[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static inline void
viewers_define(void)
{
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct tl_message *m = &viewers_messages[i];

		*m = (struct tl_message){ .category = tl_bytes_of(
					      viewers_defined[i].category),
			.id = 64 * (i + 1),
			.kind = viewers_defined[i].kind,
			.level = viewers_defined[i].level,
			.gate = viewers_defined[i].level,
			.scope = viewers_defined[i].scope,
			.strings = &viewers_strings };
		if (i == PROCESSED) {
			m->file = tl_bytes_of("src/server.c");
			m->line = 101;
		}
		if (tl_message_parse(m, tl_bytes_of(viewers_defined[i].text)) <
		    0)
			abort();
	}
}

static inline void
viewers_fill(struct tl_event *event, const struct line *line, uint64_t i)
{
	const bool lost = line->message == LOSS;

	*event = (struct tl_event){ .ns = event->ns,
		.kind = line->kind,
		.cpu = line->cpu == UINT8_MAX ? TL_CPU_UNKNOWN : line->cpu,
		.lane = line->cpu,
		.bare = line->bare };
	event->tsc = (uint64_t)event->ns * 3;
	if (lost) {
		event->lost = line->args[0];
		return;
	}
	event->message = &viewers_messages[line->message];
	event->level = event->message->level;
	event->number = i;
	event->error_ns = 30;
	event->pid = 40 + line->thread / 2u;
	event->tid = 50 + line->thread;
	memcpy(event->args, line->args, sizeof(event->args));
}

/*
 * Return event number i of a set; the caller asks for 0, 1, 2 and so on. false:
 * the set has ended.
 */
static inline bool
viewers_event(enum viewers_set set, uint64_t i, struct tl_event *event)
{
	static uint64_t last;
	const uint64_t count = viewers_sets[set].count;
	const struct line *line = &viewers_sets[set].lines[i % count];

	if (i >= count && set != VIEWERS_MANY)
		return false;
	if (!viewers_messages[0].text.data)
		viewers_define();
	if (i == 0)
		event->ns = VIEWERS_NS;
	else if (i != last + 1)
		abort(); /* events were not read in order */
	last = i;
	event->ns += line->after_ns;
	viewers_fill(event, line, i);
	return true;
}

#endif
