/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level.c - set the gates of messages; clear a timeline.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The level of "default". */
enum { AS_DEFINED = TIMELINE_LEVEL_NONE };

static int
parse_level(const char *level)
{
	if (level && strcmp(level, "default") == 0)
		return AS_DEFINED;
	return tl_priority_parse(level, TIMELINE_LEVEL_OFF);
}

/* Does the first line match?  fnmatch(3) gets a copy, because another process
 * could overwrite the NUL of the original. */
static bool
line_matches(const char *glob, struct tl_bytes text)
{
	char *line = strndup(text.data, text.size);
	bool matches;

	if (!line)
		return false;
	line[strcspn(line, "\n")] = '\0';
	matches = fnmatch(glob, line, 0) == 0;
	free(line);
	return matches;
}

int
tl_globs_check(const struct timeline *tl, const char *category,
    const char *message)
{
	if (!tl)
		return tl_error(-EINVAL, "no timeline");
	if (!category || !message)
		return tl_error(-EINVAL,
		    "the glob of %s is NULL: \"*\" matches all",
		    category ? "messages" : "categories");
	return 0;
}

bool
tl_record_matches(const struct tl_record *r, const char *category,
    const char *message)
{
	return r->fixed.kind <= TIMELINE_RECORD_COUNTER &&
	       r->fixed.builtin == TIMELINE_BUILTIN_NONE &&
	       line_matches(category, r->category) &&
	       line_matches(message, r->text);
}

/* A message whose gate is to be set.  The record of a message never moves. */
struct named {
	uint32_t record;
	uint8_t gate;
};

static struct named
named_of(const struct tl_record *r, uint64_t at, int level)
{
	return (struct named){ (uint32_t)at,
		level == AS_DEFINED ? r->fixed.level : (uint8_t)level };
}

uint8_t *
tl_gate_of(const struct timeline *tl, uint64_t record)
{
	return tl->map + timeline_gate_offset(&tl->geometry, record);
}

/* Copy a gate into its record, and copy again if another caller has set the
 * gate since, so that the copies of two callers do not end in the wrong
 * order. */
static void
copy_gate(struct timeline *tl, uint64_t record)
{
	const uint8_t *gate = tl_gate_of(tl, record);
	uint8_t *copy =
	    tl->strings + record + offsetof(struct timeline_record, gate);

	do {
		tl_store_8(copy, tl_load_8(gate));
	} while (tl_load_8(copy) != tl_load_8(gate));
}

/* A walk over the messages that two globs match. */
struct matches {
	const struct timeline *tl;
	const char *category;
	const char *message;
	uint64_t next; /* record */
	uint64_t left; /* most records */
};

static struct matches
matches_of(const struct timeline *tl, const char *category, const char *message)
{
	return (struct matches){ tl, category, message, tl_strings_next(tl, 0),
		tl->geometry.strings_size / TIMELINE_RECORD_MIN };
}

/* Get the next record, at *at. */
static bool
next_match(struct matches *m, struct tl_record *r, uint64_t *at)
{
	while (m->next != 0 && m->left-- > 0) {
		*at = m->next;
		if (tl_record_at(r, m->tl->strings,
			m->tl->geometry.strings_size, *at, 0, NULL) != 0)
			return false;
		m->next = r->fixed.link;
		if (tl_record_matches(r, m->category, m->message))
			return true;
	}
	return false;
}

static void
log_level(struct timeline *tl, int level, uint64_t count,
    const struct named *named, uint8_t before, bool made)
{
	timeline_append(tl->level_named, (uint64_t)level, count, named->record,
	    before | (uint64_t)named->gate << TIMELINE_LEVEL_AFTER |
		(uint64_t)made << TIMELINE_LEVEL_MADE);
}

/* Log the intended gate, set the gate unless another caller has set it
 * meanwhile, and log that the gate is set.  A caller may be stopped or killed
 * at any point; with the two entries readers still know the lowest gate at any
 * time. */
static void
set_gate(struct timeline *tl, int level, uint64_t count,
    const struct named *named)
{
	uint8_t *gate = tl_gate_of(tl, named->record);
	uint8_t before;

	do {
		before = tl_load_8(gate);
		if (before != named->gate)
			log_level(tl, level, count, named, before, false);
	} while (!tl_cas_8(gate, before, named->gate));
	copy_gate(tl, named->record);
	__builtin_ia32_lfence(); /* the stamp must come after the swap */
	log_level(tl, level, count, named, before, true);
}

int
timeline_level(struct timeline *tl, const char *category_glob,
    const char *message_glob, const char *level)
{
	const int wanted = parse_level(level);
	struct named named[TIMELINE_LEVEL_NAMED], next;
	uint64_t count = 0, at;
	struct tl_record r;
	struct matches m;
	bool few;
	int rc;

	if (wanted < 0)
		return wanted;
	if ((rc = tl_globs_check(tl, category_glob, message_glob)) != 0)
		return rc;
	tl_strings_lock();
	for (m = matches_of(tl, category_glob, message_glob);
	     next_match(&m, &r, &at); count++)
		if (count < TIMELINE_LEVEL_NAMED)
			named[count] = named_of(&r, at, wanted);
	few = tl->level_named && count <= TIMELINE_LEVEL_NAMED;
	for (m = matches_of(tl, category_glob, message_glob);
	     !few && next_match(&m, &r, &at);) {
		next = named_of(&r, at, wanted);
		/* every append reads the gate */
		tl_store_8(tl_gate_of(tl, at), next.gate);
		copy_gate(tl, at);
	}
	tl_strings_unlock();
	if (count == 0)
		return tl_error(-ENOENT, "no message matches");
	for (uint64_t i = 0; few && i < count; i++)
		set_gate(tl, wanted, count, &named[i]);
	if (!few)
		timeline_append(tl->level_event, (uint64_t)wanted, count, 0, 0);
	return 0;
}

bool
tl_gates_find(const struct timeline *tl, const char *category,
    const char *message, struct tl_gates *gates)
{
	struct matches m;
	struct tl_record r;
	bool any = false;
	uint64_t at;

	tl_strings_lock();
	m = matches_of(tl, category, message);
	while (next_match(&m, &r, &at)) {
		const uint8_t gate = tl_load_8(tl_gate_of(tl, at));

		if (!any || gate < gates->lowest)
			gates->lowest = gate;
		if (!any || gate > gates->highest)
			gates->highest = gate;
		any = true;
	}
	tl_strings_unlock();
	return any;
}

/* Clear all lanes and log the sum of all marks.  While the marks have this sum,
 * no mark has moved since, and the entry bounds the time of the hidden
 * entries. */
int
timeline_clear(struct timeline *tl)
{
	uint64_t sum = 0;
	uint32_t lanes;

	if (!tl)
		return tl_error(-EINVAL, "no timeline");
	lanes = timeline_lane_count(&tl->geometry);
	/* of two concurrent calls the later mark remains */
	for (uint32_t i = 0; i < lanes; i++)
		tl_raise_64(&tl_lane_head(tl, i)->cleared,
		    tl_load_acquire_64(&tl_lane_head(tl, i)->head));
	for (uint32_t i = 0; i < lanes; i++)
		sum += tl_load_64(&tl_lane_head(tl, i)->cleared);
	if (tl->clear_event)
		timeline_append(tl->clear_event, sum, 0, 0, 0);
	return 0;
}
