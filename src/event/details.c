/* SPDX-License-Identifier: Apache-2.0 */
/*
 * details.c - the history of the lowest open level, and own time.
 *
 *	outer  [                                  ]  own: the gaps between
 *	inner     [     ]       [          ]         inner spans, added up until
 *	within       [ ]                             outer ends
 *
 * Each thread keeps for each depth what lies between the spans of this depth
 * that ended in the span around them.  The begin of the span around may be
 * known only at its end.
 */
#include "event/details.h"

#include "base/array.h"
#include "base/table.h"
#include "clock/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* The lowest open level, or why details are missing, from a time on. */
struct change {
	int64_t ns;
	uint8_t kind; /* index of tl_own.ns */
};

/* A message whose gate was changed alone (timeline_level). */
struct named {
	struct tl_bytes line;
	uint8_t gate;
};

/* A message that was logged directly within spans of another. */
struct detail {
	const struct tl_message *message;
	uint16_t source;
	uint8_t gate; /* the lowest with which it was logged */
};

struct source {
	struct tl_observer *observer; /* fed the changes; NULL: no event yet */
	struct change *changes;       /* in order of ns */
	size_t count;
	size_t capacity;
	struct tl_event last; /* ns, tsc, epoch and partial */
	uint64_t until;       /* stamp at which time alone changes the level, or
			 * UINT64_MAX */
	bool is_lost;         /* entries are missing before the next event */
	struct named named[TL_NAMED_GATES_MAX];
	uint32_t named_count;
	/* The lowest gate of a detail that was logged with a higher one: while
	 * the levels close this gate, some details are closed. */
	uint8_t lowered;
};

/* The spans of a thread at one depth within one span. */
struct level {
	int64_t from_ns; /* begin of the first */
	int64_t to_ns;   /* end of the last, or begin of the one that is open */
	uint64_t last;   /* id of the last */
	bool any;
	bool is_open; /* the last has no end yet */
	bool is_unsure;
	struct tl_own own; /* the time between them */
};

struct nest {
	struct level *levels; /* by depth */
	size_t capacity;
};

struct tl_details {
	struct source *sources;
	size_t source_count;
	struct tl_id_map pairs; /* of messages that nest */
	struct detail *details; /* of each */
	size_t detail_count;
	size_t detail_capacity;
	struct tl_id_map outer; /* messages with spans within */
	uint8_t *gates;         /* of each: the lowest gate within */
	size_t gate_capacity;
	bool has_nests;
	struct tl_id_map threads;
	struct nest *nests;
	size_t nest_capacity;
};

const char *const tl_own_words[TL_OWN_PARTS] = { "itself", "details closed",
	"details overwritten", "details lost" };

int
tl_details_new(struct tl_details **details, bool owns)
{
	*details = calloc(1, sizeof(**details));
	if (!*details)
		return -ENOMEM;
	(*details)->has_nests = owns;
	return 0;
}

void
tl_details_free(struct tl_details *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->source_count; i++) {
		free(d->sources[i].observer);
		free(d->sources[i].changes);
	}
	for (size_t i = 0; i < d->nest_capacity; i++) {
		free(d->nests[i].levels);
	}
	tl_id_map_free(&d->pairs);
	free(d->details);
	tl_id_map_free(&d->outer);
	tl_id_map_free(&d->threads);
	free(d->sources);
	free(d->gates);
	free(d->nests);
	free(d);
}

/* == the lowest open level == */

static int
add_change(struct source *s, int64_t ns, unsigned kind)
{
	struct change *last = &s->changes[s->count - 1];

	if (last->kind == kind)
		return 0;
	if (ns <= last->ns) { /* also after the clock was set back */
		last->kind = (uint8_t)kind;
		return 0;
	}
	if (TL_ARRAY_ROOM(s->changes, s->capacity, s->count) < 0)
		return -ENOMEM;
	s->changes[s->count++] = (struct change){ ns, (uint8_t)kind };
	if (s->count == TL_DETAILS_CHANGES_MAX) {
		/* the older half becomes time whose levels are not known */
		s->count -= TL_DETAILS_CHANGES_MAX / 2;
		memmove(s->changes, s->changes + TL_DETAILS_CHANGES_MAX / 2,
		    s->count * sizeof(*s->changes));
		s->changes[0] =
		    (struct change){ INT64_MIN, TIMELINE_LEVEL_NONE };
	}
	return 0;
}

/* Add a change to the lowest level that is open at a stamp of the last event's
 * epoch. */
static int
add_level(struct source *s, int64_t ns, uint64_t tsc)
{
	unsigned level;

	s->until = UINT64_MAX;
	level = tl_observed_lowest(&s->observer->now, s->last.epoch, tsc,
	    &s->until);
	if (level > s->lowered)
		level = TIMELINE_LEVEL_NONE;
	return add_change(s, ns,
	    s->last.partial ? (unsigned)TL_OWN_OVERWRITTEN : level);
}

static void
find_lowered(const struct tl_details *d, struct source *s)
{
	s->lowered = TL_OBSERVED_GATES;
	for (uint32_t i = 0; i < s->named_count; i++) {
		const struct named *n = &s->named[i];

		for (size_t k = 0; k < d->detail_count; k++)
			if (&d->sources[d->details[k].source] == s &&
			    n->gate < d->details[k].gate &&
			    n->gate < s->lowered &&
			    tl_bytes_equal(n->line,
				d->details[k].message->line1))
				s->lowered = n->gate;
	}
}

/* Take a change of one message, which the text of its entry names in copies,
 * too.  An entry that names none is ignored. */
static void
take_named(const struct tl_details *d, struct source *s,
    const struct tl_event *event)
{
	const uint64_t args[] = { 0, 0, 1, event->args[3] };
	const struct tl_bytes line =
	    tl_message_string(event->message, event->args[2]);
	struct tl_gate_entry entry;
	uint32_t i = 0;

	if (line.size == 0 || !tl_gate_read(args, &entry))
		return;
	while (i < s->named_count && !tl_bytes_equal(s->named[i].line, line))
		i++;
	if (i == TL_NAMED_GATES_MAX)
		return;
	if (i == s->named_count)
		s->named_count++;
	s->named[i] = (struct named){ line,
		entry.made || entry.after < entry.before ? entry.after
							 : entry.before };
	find_lowered(d, s);
}

static int
begin_source(struct source *s, const struct tl_event *event)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = event->base ? event->base : TIMELINE_LEVEL_MIN,
		.gates = true,
		.named = true };

	if (TL_ARRAY_ROOM(s->changes, s->capacity, 0) < 0 ||
	    !(s->observer = malloc(sizeof(*s->observer))))
		return -ENOMEM;
	tl_observer_init(s->observer, &start);
	s->last = *event;
	s->until = UINT64_MAX;
	s->lowered = TL_OBSERVED_GATES;
	s->changes[s->count++] = (struct change){ INT64_MIN,
		event->partial ? TL_OWN_OVERWRITTEN : start.base };
	return 0;
}

/* Note that spans of a message have details with a gate. */
static int
note_outer(struct tl_details *d, const struct tl_message *outer, unsigned gate)
{
	const struct tl_id_key key = { (uintptr_t)outer, 0 };
	uint32_t id;
	const int rc = tl_id_map_get(&d->outer, key, &id);

	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (TL_ARRAY_ZEROS(d->gates, d->gate_capacity, id) < 0)
		return -ENOMEM;
	if (rc > 0 || gate < d->gates[id])
		d->gates[id] = (uint8_t)gate;
	return 0;
}

/* Note that a span began directly within another. */
static int
note_detail(struct tl_details *d, struct source *s,
    const struct tl_message *outer, const struct tl_event *inner, unsigned gate)
{
	const struct tl_id_key key = { (uintptr_t)outer,
		(uintptr_t)inner->message };
	uint32_t id;
	const int rc = tl_id_map_get(&d->pairs, key, &id);

	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (rc == 0 && gate >= d->details[id].gate)
		return 0;
	if (TL_ARRAY_ZEROS(d->details, d->detail_capacity, id) < 0)
		return -ENOMEM;
	d->details[id] =
	    (struct detail){ inner->message, inner->source, (uint8_t)gate };
	if (id >= d->detail_count)
		d->detail_count = id + 1;
	if (s->named_count > 0)
		find_lowered(d, s);
	return note_outer(d, outer, gate);
}

/* == parts == */

unsigned
tl_details_kind(const struct tl_details *d, uint16_t source, int64_t ns,
    int64_t *until_ns)
{
	const struct source *s = &d->sources[source];
	size_t i = s->count;

	if (s->changes[i - 1].ns > ns)
		TL_SEARCH(i, 0, s->count, s->changes[i].ns <= ns);
	if (i < s->count && s->changes[i].ns < *until_ns)
		*until_ns = s->changes[i].ns;
	return s->changes[i - 1].kind;
}

static enum tl_part_of_own
part_of(struct tl_details *d, const struct tl_message *message, unsigned kind)
{
	const struct tl_id_key key = { (uintptr_t)message, 0 };
	uint32_t id;

	if (!tl_id_map_has(&d->outer, key) ||
	    tl_id_map_get(&d->outer, key, &id) < 0)
		return TL_OWN_IS_ITSELF;
	if (kind >= TL_OBSERVED_GATES)
		return kind == TL_OWN_LOST ? TL_OWN_IS_LOST
					   : TL_OWN_IS_OVERWRITTEN;
	return kind <= TIMELINE_LEVEL_MIN || kind <= d->gates[id]
		   ? TL_OWN_IS_ITSELF
		   : TL_OWN_IS_CLOSED;
}

void
tl_details_add(const struct tl_details *d, uint16_t source, int64_t from_ns,
    int64_t to_ns, unsigned *hidden, struct tl_own *own)
{
	while (from_ns < to_ns) {
		int64_t until_ns = to_ns;
		const unsigned kind =
		    tl_details_kind(d, source, from_ns, &until_ns);

		if (kind > *hidden)
			*hidden = kind;
		own->ns[*hidden] = tl_add_ns(own->ns[*hidden],
		    tl_ns_between(from_ns, until_ns));
		from_ns = until_ns;
	}
}

void
tl_details_between(const struct tl_details *d, uint16_t source, int64_t from_ns,
    int64_t to_ns, struct tl_own *own)
{
	unsigned hidden = 0;

	tl_details_add(d, source, from_ns, to_ns, &hidden, own);
}

int64_t
tl_details_until(struct tl_details *d, uint16_t source,
    const struct tl_message *message, int64_t from_ns, int64_t to_ns,
    enum tl_part_of_own *rest)
{
	*rest = TL_OWN_IS_ITSELF;
	while (from_ns < to_ns) {
		int64_t until_ns = to_ns;

		*rest = part_of(d, message,
		    tl_details_kind(d, source, from_ns, &until_ns));
		if (*rest != TL_OWN_IS_ITSELF)
			break;
		from_ns = until_ns;
	}
	return from_ns;
}

void
tl_details_divide(struct tl_details *d, const struct tl_message *message,
    const struct tl_own *own, int64_t parts[TL_OWN_PARTS])
{
	for (unsigned kind = 0; kind < TL_OWN_KINDS; kind++) {
		int64_t *part;

		if (own->ns[kind] == 0)
			continue;
		part = &parts[part_of(d, message, kind)];
		*part = tl_add_ns(*part, own->ns[kind]);
	}
}

/* == spans within == */

/* The level of a span's depth and, behind it, of the spans within, in the nest
 * of the span's thread; NULL: out of memory. */
static struct level *
level_of(struct tl_details *d, const struct tl_span *span)
{
	const struct tl_id_key key = { (uint64_t)span->pid << 32 | span->tid,
		span->source };
	struct nest *nest;
	uint32_t id;

	if (tl_id_map_get(&d->threads, key, &id) < 0 ||
	    TL_ARRAY_ZEROS(d->nests, d->nest_capacity, id) < 0)
		return NULL;
	nest = &d->nests[id];
	if (TL_ARRAY_ZEROS(nest->levels, nest->capacity, span->depth + 1) < 0)
		return NULL;
	return &nest->levels[span->depth];
}

/* Add the own time around spans from the last of them to to_ns.  A span that is
 * open may have lasted to to_ns. */
static void
add_gap(const struct tl_details *d, uint16_t source, const struct level *l,
    int64_t to_ns, struct tl_own *own)
{
	unsigned hidden = l->is_open ? TIMELINE_LEVEL_NONE : 0;

	tl_details_add(d, source, l->to_ns, to_ns, &hidden, own);
}

/* Begin a span at a level. */
static void
enter(const struct tl_details *d, uint16_t source, struct level *l,
    int64_t from_ns)
{
	if (l->any)
		add_gap(d, source, l, from_ns, &l->own);
	else
		*l = (struct level){ .from_ns = from_ns, .any = true };
	l->to_ns = from_ns;
	l->is_open = true;
}

int
tl_details_own(struct tl_details *d, const struct tl_span *span,
    struct tl_own *own)
{
	const int64_t from_ns = tl_add_ns(span->end_ns, -span->duration_ns);
	struct level begin = { .to_ns = from_ns };
	struct level *l;
	bool is_known = true;

	*own = (struct tl_own){ 0 };
	if (span->message->scope == TIMELINE_SOURCE) { /* none is within */
		tl_details_between(d, span->source, from_ns, span->end_ns, own);
		return 1;
	}
	if (!(l = level_of(d, span)))
		return -ENOMEM;
	/* What is within a span that has left the stack is not known. */
	begin.is_open = span->late || (!span->alone && l->last != span->id);
	if (begin.is_open &&
	    note_outer(d, span->message, TIMELINE_LEVEL_NONE - 1) < 0)
		return -ENOMEM;
	if (!begin.is_open && l[1].any && l[1].from_ns >= from_ns) {
		*own = l[1].own;
		is_known = !l[1].is_unsure;
		tl_details_between(d, span->source, from_ns, l[1].from_ns, own);
		begin = l[1];
	}
	add_gap(d, span->source, &begin, span->end_ns, own);
	if (!span->alone && l->last != span->id) {
		/* The span had left the stack, and is within what is around
		 * it all the same. */
		l->is_unsure = true;
		if (l->any && !l->is_open)
			l->to_ns = span->end_ns;
		return 0;
	}
	l[1].any = false;
	if (span->alone) /* its begin was not put */
		enter(d, span->source, l, from_ns);
	l->is_open = false;
	l->to_ns = span->end_ns;
	if (!tl_span_is_sure(span)) {
		l->own.ns[TL_OWN_LOST] =
		    tl_add_ns(l->own.ns[TL_OWN_LOST], span->duration_ns);
		l->is_unsure = true;
	}
	return is_known && !span->late;
}

/* == events == */

/* Take an event's time, a loss or a change of the levels. */
static int
take_levels(struct tl_details *d, struct source *s,
    const struct tl_event *event)
{
	const bool is_apart = s->is_lost || s->last.partial != event->partial ||
			      s->last.epoch != event->epoch;
	struct tl_event own;
	int rc = 0;

	if (event->kind == TL_LOST) {
		/* Take lost entries: the loss lasts from the last event to the
		 * next. */
		if (tl_event_is_start(event))
			return 0;
		s->is_lost = true;
		return add_change(s, s->last.ns,
		    event->overwritten ? TL_OWN_OVERWRITTEN : TL_OWN_LOST);
	}
	/* the changes by time alone since the last event */
	if (tl_observed_is_long(&s->observer->now, s->until, event->tsc))
		s->until = s->observer->now.lease;
	while (rc == 0 && !is_apart && s->until <= event->tsc &&
	       s->until != UINT64_MAX)
		rc = add_level(s, tl_event_time_at(&s->last, event, s->until),
		    s->until);
	s->is_lost = false;
	s->last.ns = event->ns;
	s->last.tsc = event->tsc;
	s->last.epoch = event->epoch;
	s->last.partial = event->partial;
	if (rc == 0 && is_apart)
		rc = add_level(s, event->ns, event->tsc);
	if (rc < 0 || !tl_observed_is_change(event->message))
		return rc;
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL)
		take_named(d, s, event);
	/* The first burst shows the base before. */
	if (s->count == 1 &&
	    event->message->builtin == TIMELINE_BUILTIN_BURST &&
	    event->args[1] > s->changes[0].kind &&
	    tl_level_is_valid(event->args[1]))
		s->changes[0].kind = (uint8_t)event->args[1];
	own = *event;
	tl_observe(s->observer, &own);
	return add_level(s, event->ns, event->tsc);
}

int
tl_details_put(struct tl_details *d, const struct tl_spans *spans,
    const struct tl_event *event)
{
	const struct tl_event *outer;
	struct source *s;
	struct tl_span span;
	struct level *l;
	int rc = 0;

	if (TL_ARRAY_ZEROS(d->sources, d->source_count, event->source) < 0)
		return -ENOMEM;
	s = &d->sources[event->source];
	if (!s->observer)
		rc = begin_source(s, event);
	if (rc == 0)
		rc = take_levels(d, s, event);
	if (rc < 0 || !spans || event->kind != TL_BEGIN ||
	    event->message->scope == TIMELINE_SOURCE)
		return rc;
	if ((outer = tl_spans_outer(spans))) {
		unsigned gate = tl_observed_gate(s->observer, event->message);

		/* one that is off was turned off by another thread meanwhile */
		if (gate == TIMELINE_LEVEL_OFF)
			gate = event->message->level;
		rc = note_detail(d, s, outer->message, event, gate);
	}
	if (rc < 0 || !d->has_nests ||
	    !tl_spans_find(spans, tl_spans_begun(spans), &span))
		return rc;
	if (!(l = level_of(d, &span)))
		return -ENOMEM;
	enter(d, span.source, l, span.begin_ns);
	l->last = span.id;
	l[1].any = false;
	return 0;
}
