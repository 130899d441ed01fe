/* SPDX-License-Identifier: Apache-2.0 */
/*
 * define.c - define a message: publish its record, and make the event that the
 * append uses.
 */
#include "base/word.h"
#include "event/message.h"
#include "ring/ring.h"

#include <errno.h>
#include <string.h>

#undef timeline_define
#undef timeline_define_span
#undef timeline_define_counter

/*
 * Begin, end, end without arguments, end that begins the next: the macros of
 * older programs know these four parts.  Further parts are for spans that prove
 * themselves: begin, end, end without arguments, and the end with four
 * arguments, which has no room for the stamp of its begin.
 */
enum { EVENT_PARTS = TIMELINE_PART_COUNT };

/* The event after a failed definition.  Callers may log the event; it is never
 * appended, because its gate is off and no threshold is so low, and because it
 * has no lane and no timeline.  The append reads a whole word of levels. */
static const uint8_t closed_gate = TIMELINE_LEVEL_OFF;
static const uint64_t closed_levels =
    TIMELINE_LEVEL_NONE | TIMELINE_LEVEL_NONE << TIMELINE_LEVELS_BASE;
static struct timeline_event closed[EVENT_PARTS] = {
	[0 ... EVENT_PARTS - 1] = { .gate = &closed_gate,
	    .levels = (const uint8_t *)&closed_levels },
};

/* The gate of the end of a span that proves itself.  The begin was logged, so
 * the end is logged at any level. */
static const uint8_t end_gate = TIMELINE_LEVEL_NONE;

/* The proven end of a span passes no gate, and stores its descriptor before it
 * finds no lane. */
static struct timeline_event *
closed_event(void)
{
	for (int i = 0; i < EVENT_PARTS; i++)
		tl_store_int(&closed[i].rseq, tl_rseq_offset(NULL));
	return closed;
}

int
tl_priority_parse(const char *name, int off)
{
	const int level = name ? tl_level_parse(name) : -EINVAL;

	if (level < 0 && name && off >= 0 && strcmp(name, "off") == 0)
		return off;
	if (level < 0)
		return tl_error(-EINVAL, "no such priority: \"%s\": %s%s",
		    name ? name : "(null)", tl_level_names(),
		    off >= 0 ? ", off" : "");
	return level;
}

/* Fill one part of a span, or the only part of another event. */
static void
fill_event(struct timeline *tl, struct timeline_event *e,
    const struct timeline_record *r, uint64_t offset, uint32_t flags)
{
	const struct timeline_header *g = &tl->geometry;
	const uint64_t n = g->tier_entries[r->tier];
	const uint32_t fallback = timeline_lane(g, g->cpu_lanes, r->tier);

	e->gate = tl_gate_of(tl, offset);
	e->levels = (const uint8_t *)&tl->header->levels;
	e->heads = tl->map + timeline_head_offset(g, r->tier);
	e->entries = tl->map + g->entries_offset[r->tier];
	e->message = (uint32_t)offset | flags;
	e->rseq = tl_rseq_offset(tl);
	e->ids = tl->ids;
	e->lanes = tl->use_rseq ? g->cpu_lanes : 0;
	e->head_step = g->tiers * TIMELINE_HEAD_SIZE;
	e->lane_step = (uint32_t)n;
	e->mask = (uint32_t)(n - 1);
	e->burst_max = tl_burst_max(tl);
	e->timeline = tl;
	e->tier = r->tier;
	e->kind = r->kind;
	e->fallback_heads = tl->map + timeline_head_offset(g, fallback);
	e->fallback_entries = tl->map + timeline_entry_offset(g, fallback, 0);
	e->fallback_lanes = g->fallback_lanes;
	e->fallback_mask = (uint32_t)(g->fallback_entries[r->tier] - 1);
}

/* Make an event.  The parts of an event follow each other, so that
 * timeline_end() finds its part after the first.  A timer logs only whole
 * spans. */
static int
new_event(struct timeline *tl, uint64_t offset, struct timeline_event **out)
{
	static const uint32_t flags[EVENT_PARTS] = { 0, TIMELINE_MESSAGE_END,
		TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_BARE,
		TIMELINE_MESSAGE_BARE, TIMELINE_MESSAGE_WHOLE,
		TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_WHOLE,
		TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_WHOLE |
		    TIMELINE_MESSAGE_BARE,
		TIMELINE_MESSAGE_END };
	struct timeline_event *event;
	struct tl_record r;
	int rc = 0;

	if (tl_record_at(&r, tl->strings, tl->geometry.strings_size, offset, 0,
		NULL) != 0 ||
	    r.fixed.tier >= tl->geometry.tiers)
		return tl_error(-EBADMSG, "the record at byte %llu is damaged",
		    (unsigned long long)offset);
	if (!(event = tl_chunks_take(tl, EVENT_PARTS)))
		return tl_error(-ENOMEM, "no memory for an event");
	for (int i = 0; i < EVENT_PARTS; i++)
		fill_event(tl, &event[i], &r.fixed, offset, flags[i]);
	for (int i = TIMELINE_PART_END_OF; i < EVENT_PARTS; i++)
		event[i].gate = &end_gate;
	if (r.fixed.scope == TIMELINE_SCOPE_TIMER) {
		event->message |= TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_WHOLE;
		rc = tl_timer_fill(tl, event, offset);
	}
	if (rc == 0)
		*out = event;
	else
		tl_chunks_give_back(tl, EVENT_PARTS);
	return rc;
}

static int
add(struct timeline *tl, const struct tl_record *record,
    struct timeline_event **event)
{
	struct timeline_event **kept;
	uint64_t offset;
	int rc;

	tl_strings_lock();
	rc = tl_strings_add_locked(tl, record, &offset, &kept);
	if (rc == 0 && !*kept)
		rc = new_event(tl, offset, kept);
	if (rc == 0)
		*event = *kept;
	tl_strings_unlock();
	return rc;
}

static int
parse_text(struct tl_record *record, const char *text)
{
	struct tl_message message = { 0 };
	int rc = tl_message_parse(&message, tl_bytes_of(text));
	struct tl_bytes odd;

	if (rc != 0)
		return tl_error(rc,
		    "more than %d arguments, or two of one name: \"%.80s\"",
		    TL_ARGS_MAX, text);
	if ((odd = tl_message_odd_suffix(&message)).size > 0)
		return tl_error(-EINVAL,
		    "no suffix of an argument: %.*s: \"%.80s\": write %%d, "
		    "%%u, %%x, %%o, %%f, %%t (nanoseconds), %%s "
		    "(timeline_string) "
		    "or %%8s (timeline_text8)",
		    (int)odd.size, odd.data, text);
	record->text = message.text;
	record->fixed.argc = message.argc;
	for (unsigned i = 0; i < message.argc; i++)
		record->fixed.formats[i] = message.args[i].format;
	return 0;
}

static uint8_t
tier_of(const struct timeline *tl, int level)
{
	return level >= TIMELINE_LEVEL_KEEP && tl->geometry.tiers > 1;
}

static int
check_words(const struct timeline_definition *d)
{
	if (!d->category || !d->category[0] || !d->message || !d->message[0])
		return tl_error(-EINVAL, "no category or no message");
	if (d->kind < TIMELINE_INSTANT || d->kind > TIMELINE_TIMER)
		return tl_error(-EINVAL, "no such kind: %d", d->kind);
	if (d->scope != TIMELINE_THREAD && d->scope != TIMELINE_SOURCE)
		return tl_error(-EINVAL, "no such scope: %d", d->scope);
	return 0;
}

static int
define(struct timeline *tl, const struct timeline_definition *d,
    struct timeline_event **event)
{
	struct tl_record record = { 0 };
	const int level = tl_priority_parse(d->priority, -1);
	int rc;

	if (level < 0)
		return level;
	if ((rc = check_words(d)) != 0 ||
	    (rc = parse_text(&record, d->message)) != 0)
		return rc;
	record.fixed.kind =
	    (uint8_t)(d->kind == TIMELINE_TIMER ? TIMELINE_SPAN : d->kind);
	record.fixed.level = record.fixed.gate = (uint8_t)level;
	record.fixed.tier = tier_of(tl, level);
	record.fixed.scope =
	    (uint8_t)(d->kind == TIMELINE_TIMER ? TIMELINE_SCOPE_TIMER
						: d->scope);
	record.fixed.line = d->line > 0 ? (uint32_t)d->line : 0;
	record.category = tl_bytes_of(d->category);
	record.file = tl_bytes_of(d->file ? d->file : "");
	return add(tl, &record, event);
}

int
timeline_define_event(struct timeline *tl,
    const struct timeline_definition *definition, struct timeline_event **event)
{
	const int rc = tl && definition
			   ? define(tl, definition, event)
			   : tl_error(-EINVAL,
				 tl ? "the definition is NULL" : "no timeline");

	if (rc != 0)
		*event = closed_event();
	else
		tl_clock_visit(tl);
	return rc;
}

int
timeline_define(struct timeline *tl, const char *category, const char *priority,
    const char *message, struct timeline_event **event)
{
	return timeline_define_at(tl, category, priority, message,
	    TIMELINE_INSTANT, 0, NULL, 0, event);
}

int
timeline_define_span(struct timeline *tl, const char *category,
    const char *priority, const char *message, int scope,
    struct timeline_event **span)
{
	return timeline_define_at(tl, category, priority, message,
	    TIMELINE_SPAN, scope, NULL, 0, span);
}

int
timeline_define_counter(struct timeline *tl, const char *category,
    const char *priority, const char *message, struct timeline_event **counter)
{
	return timeline_define_at(tl, category, priority, message,
	    TIMELINE_COUNTER, 0, NULL, 0, counter);
}

int
timeline_string(struct timeline *tl, const char *text, uint64_t *number)
{
	struct tl_record record = { .fixed.kind = TIMELINE_RECORD_STRING };
	struct timeline_event **unused;
	int rc;

	if (!tl || !text)
		return tl_error(-EINVAL,
		    tl ? "the text is NULL" : "no timeline");
	record.text = tl_bytes_of(text);
	record.category = record.file = tl_bytes_of("");
	tl_strings_lock();
	rc = tl_strings_add_locked(tl, &record, number, &unused);
	tl_strings_unlock();
	return rc;
}

enum { LEVEL_INFO = 6 };

/*
 * Define a message for changes of the levels.  Its gate is above every
 * threshold.  Changes of priority are rare and go to the keep tier; bursts are
 * frequent and must not overwrite errors in the keep tier.
 */
static int
define_builtin(struct timeline *tl, uint8_t which, uint8_t level, uint8_t tier,
    const char *text, struct timeline_event **event)
{
	struct tl_record record = { 0 };
	int rc;

	if ((rc = parse_text(&record, text)) != 0)
		return rc;
	record.fixed.kind = TIMELINE_RECORD_INSTANT;
	record.fixed.level = level;
	record.fixed.gate = TIMELINE_LEVEL_NONE;
	record.fixed.tier = tier;
	record.fixed.builtin = which;
	record.category = tl_bytes_of("timeline");
	record.file = tl_bytes_of("");
	return add(tl, &record, event);
}

/*
 * Define the messages for changes that were made.  A file of an earlier version
 * may have no room for these messages; the changes that this process makes then
 * count as not confirmed.
 */
static void
define_in_force(struct timeline *tl, uint8_t keep)
{
	if (define_builtin(tl, TIMELINE_BUILTIN_FORCE, LEVEL_INFO, keep,
		"priority in force: threshold $level, base $base, "
		"until $until\n"
		"The levels are as the same thread said in the entry of its\n"
		"change before.",
		&tl->priority_in_force) != 0)
		tl->priority_in_force = NULL;
	if (define_builtin(tl, TIMELINE_BUILTIN_FORCE, LEVEL_INFO, 0,
		"burst in force: threshold $level, base $base, until $until\n"
		"The levels are as the same thread said in the entry of its\n"
		"change before.",
		&tl->burst_in_force) != 0)
		tl->burst_in_force = NULL;
}

int
tl_define_builtins(struct timeline *tl)
{
	const uint8_t keep = (uint8_t)(tl->geometry.tiers - 1);
	int rc;

	if ((rc = define_builtin(tl, TIMELINE_BUILTIN_PRIORITY, LEVEL_INFO,
		 keep,
		 "priority set: threshold $level, base $base, until $until\n"
		 "Messages of at least the threshold are logged, after the\n"
		 "stamp until those of at least the base.  10 logs nothing.",
		 &tl->priority_event)) != 0)
		return rc;
	if ((rc = define_builtin(tl, TIMELINE_BUILTIN_BURST, LEVEL_INFO, 0,
		 "burst: threshold $level, base $base, until $until, "
		 "sample $sample\n"
		 "Messages of at least the threshold are logged, after the\n"
		 "stamp until those of at least the base.  Sample is 0 where "
		 "a\n"
		 "caller wanted the burst; else a schedule drew it.",
		 &tl->burst_event)) != 0)
		return rc;
	define_in_force(tl, keep);
	if (define_builtin(tl, TIMELINE_BUILTIN_CLEAR, LEVEL_INFO, keep,
		"cleared, $entries entries so far\n"
		"Entries that were logged before are not shown.",
		&tl->clear_event) != 0)
		tl->clear_event = NULL;
	if (define_builtin(tl, TIMELINE_BUILTIN_LEVEL, LEVEL_INFO, keep,
		"level $level set for $messages messages: $message%s, "
		"gates $gates%x\n"
		"Gates are that of the message before in the low byte, then "
		"after.\n"
		"Bit 16: it was set by now.",
		&tl->level_named) != 0)
		tl->level_named = NULL;
	return define_builtin(tl, TIMELINE_BUILTIN_LEVEL, LEVEL_INFO, keep,
	    "level $level set for $messages messages\n"
	    "Level 0 is off; 10 means back to what each was defined as.",
	    &tl->level_event);
}

int
tl_define_lost(struct timeline *tl, struct timeline_event **event)
{
	return define_builtin(tl, TIMELINE_BUILTIN_LOST, TIMELINE_LEVEL_KEEP, 0,
	    "lost $events events\n"
	    "So many events were lost before they could be entered here.",
	    event);
}

int
tl_define_plan(struct timeline *tl)
{
	if (tl->plan_event)
		return 0;
	return define_builtin(tl, TIMELINE_BUILTIN_PLAN, LEVEL_INFO, 0,
	    "slots: plan $plan%x, share $share, seed $seed%x, lease $lease\n"
	    "Until the stamp, messages of at least the level in the low byte\n"
	    "of the plan are logged in that share (of 2^32) of the slots, of\n"
	    "2 to the power of the next byte.  Bit 16: so it was since the\n"
	    "entry before, too.",
	    &tl->plan_event);
}
