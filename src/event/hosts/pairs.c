/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - a table of values that one side or both have named.
 *
 *	(rule, value) -> sent at | received at | both were seen
 *
 * A value is paired once.  It stays in the table, so that what names it again
 * is known for that, up to a bound of the table; beyond that new values are
 * only counted.
 */
#include "event/hosts/pairs.h"

#include "base/array.h"
#include "base/table.h"
#include "event/filter.h"
#include "event/message_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

_Static_assert(TL_PAIR_SIDES == 2 && TL_PAIR_SEEN_MAX <= 32, "a bit for each");

enum state { SENT, RECEIVED, PAIRED };

struct slot {
	uint64_t value;
	int64_t ns;
	uint32_t error_ns;
	uint16_t clock;
	uint8_t rule;
	uint8_t state;
};

/* The rules that a message matches: bit rule * 2 + side, and the argument. */
struct part {
	uint32_t sides;
	uint8_t args[TL_PAIR_SEEN_MAX];
};

struct link {
	uint64_t count;
	int64_t delay_ns; /* the least */
};

struct tl_pairs {
	struct tl_pair_matcher matcher;
	size_t clock_count;
	struct tl_table table; /* of slots, by rule and value */
	struct slot *slots;
	size_t used;
	size_t capacity;
	struct tl_pairs_counts counts;
	struct link links[]; /* sent by row, received by column */
};

static struct part no_part;

/* == rules == */

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
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "%s: not SEND=RECEIVE, two messages", text);
	return 0;
}

/* Which argument; -ENOENT: the message has none of the name. */
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
		/* A message that matches both has no direction: it counts as
		 * sent. */
		if (i % TL_PAIR_SIDES == TL_PAIR_RECEIVED &&
		    side[-1].of_ends == side->of_ends && part.sides >> (i - 1))
			continue;
		part.sides |= UINT32_C(1) << i;
		part.args[i] = (uint8_t)arg;
	}
	return part;
}

/* Find the rules that the message of an event matches: 0, -ENOMEM. */
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

/* == values == */

/* The number of a text differs from host to host: compare the text. */
static uint64_t
value_of(const struct tl_event *event, unsigned arg)
{
	const struct tl_message *message = event->message;
	const struct tl_bytes text =
	    message->args[arg].format == TIMELINE_ARG_STRING
		? tl_message_string(message, event->args[arg])
		: tl_bytes(NULL, 0);

	return text.data ? tl_hash_bytes(text) : event->args[arg];
}

static struct slot *
find_slot(const struct tl_pairs *p, const struct slot *one, uint64_t hash)
{
	struct tl_probe probe = tl_table_probe(&p->table, hash);
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (p->slots[at].value == one->value &&
		    p->slots[at].rule == one->rule)
			return &p->slots[at];
	return NULL;
}

static int64_t
saturated(__int128 ns)
{
	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static void
add_pair(struct tl_pairs *p, const struct slot *sent,
    const struct slot *received)
{
	struct link *link =
	    &p->links[sent->clock * p->clock_count + received->clock];
	const int64_t delay_ns = saturated((__int128)received->ns - sent->ns +
					   sent->error_ns + received->error_ns);

	if (sent->clock == received->clock) {
		p->counts.same_clock++;
		return;
	}
	if (link->count++ == 0 || delay_ns < link->delay_ns)
		link->delay_ns = delay_ns;
	p->counts.paired++;
}

static int
add_value(struct tl_pairs *p, const struct slot *one)
{
	const uint64_t hash = tl_hash_pair(one->value, one->rule);
	struct slot *slot = find_slot(p, one, hash);

	if (!slot && p->used == TL_PAIRS_MAX) {
		p->counts.over++;
	} else if (!slot) {
		if (TL_ARRAY_ROOM(p->slots, p->capacity, p->used) < 0 ||
		    tl_table_add(&p->table, hash, p->used) < 0)
			return -ENOMEM;
		p->slots[p->used++] = *one;
		p->counts.alone++;
	} else if (slot->state == PAIRED || slot->state == one->state) {
		p->counts.again++;
	} else {
		add_pair(p, slot->state == SENT ? slot : one,
		    slot->state == SENT ? one : slot);
		slot->state = PAIRED;
		p->counts.alone--;
	}
	return 0;
}

/* == events == */

int
tl_pair_match(struct tl_pair_matcher *m, const struct tl_event *event,
    struct tl_pair_seen *seen)
{
	const struct tl_message *message = event->message;
	struct part part;
	int rc, count = 0;

	if (!message || event->bare)
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

int
tl_pairs_put(struct tl_pairs *p, const struct tl_event *event, size_t clock)
{
	struct tl_pair_seen seen[TL_PAIR_SEEN_MAX];
	int count = 0, rc = 0;

	if (event->error_ns != UINT32_MAX)
		count = tl_pair_match(&p->matcher, event, seen);
	for (int i = 0; i < count && rc == 0; i++) {
		const struct slot one = { .ns = event->ns,
			.error_ns = event->error_ns,
			.clock = (uint16_t)clock,
			.rule = (uint8_t)seen[i].rule,
			.state = seen[i].side == TL_PAIR_SENT ? SENT : RECEIVED,
			.value = seen[i].value };

		rc = add_value(p, &one);
	}
	return count < 0 ? count : rc;
}

struct tl_pairs_counts
tl_pairs_counts(const struct tl_pairs *p)
{
	return p->counts;
}

uint64_t
tl_pairs_delay(const struct tl_pairs *p, size_t a, size_t b, int64_t *delay_ns)
{
	const struct link *link = &p->links[a * p->clock_count + b];

	*delay_ns = link->delay_ns;
	return link->count;
}

int
tl_pairs_new(struct tl_pairs **pairs, const struct tl_pair_rule *rules,
    size_t rule_count, size_t clock_count)
{
	struct tl_pairs *p;

	if (rule_count > TL_PAIR_RULES_MAX || clock_count > TL_BOUNDS_MAX)
		return -E2BIG;
	p = calloc(1,
	    sizeof(*p) + clock_count * clock_count * sizeof(p->links[0]));
	if (!p)
		return -ENOMEM;
	p->matcher.rules = rules;
	p->matcher.rule_count = rule_count;
	p->clock_count = clock_count;
	*pairs = p;
	return 0;
}

void
tl_pairs_free(struct tl_pairs *p)
{
	if (!p)
		return;
	tl_pair_matcher_free(&p->matcher);
	tl_table_free(&p->table);
	free(p->slots);
	free(p);
}

/*
 * == bounds ==
 *
 * bounds of differences, closed after each that is added.
 *
 * x[b] - x[a] <= most is an edge from a to b of that length, and what follows
 * from all of them is a shortest path.  The table holds every shortest path,
 * so a new edge is one look at each pair of ends: the path may lead over it.
 * A cycle of a negative length would say that a number is less than itself.
 */

#define NONE INT64_MAX
/* Lengths beyond it are as good as none, and sums of three below it fit. */
#define LENGTH_MAX (INT64_MAX / 4)

struct tl_bounds {
	size_t count;
	int64_t most[]; /* of x[b] - x[a], row a, column b; NONE */
};

static int64_t *
most_of(struct tl_bounds *bounds, size_t a, size_t b)
{
	return &bounds->most[a * bounds->count + b];
}

int
tl_bounds_new(struct tl_bounds **bounds, size_t count)
{
	struct tl_bounds *b;

	if (count > TL_BOUNDS_MAX)
		return -E2BIG;
	b = malloc(sizeof(*b) + count * count * sizeof(b->most[0]));
	if (!b)
		return -ENOMEM;
	b->count = count;
	for (size_t i = 0; i < count * count; i++)
		b->most[i] = i / count == i % count ? 0 : NONE;
	*bounds = b;
	return 0;
}

void
tl_bounds_free(struct tl_bounds *bounds)
{
	free(bounds);
}

static int64_t
length_of(int64_t most)
{
	if (most > LENGTH_MAX)
		return NONE;
	return most < -LENGTH_MAX ? -LENGTH_MAX : most;
}

/* Two lengths, one behind the other. */
static int64_t
join(int64_t a, int64_t b)
{
	return a == NONE || b == NONE ? NONE : length_of(a + b);
}

/* An edge from a to b, which is possible: every path may be shorter now. */
static void
shorten(struct tl_bounds *bounds, size_t a, size_t b, int64_t length)
{
	if (length >= *most_of(bounds, a, b))
		return;
	for (size_t i = 0; i < bounds->count; i++) {
		const int64_t to = join(*most_of(bounds, i, a), length);

		for (size_t k = 0; k < bounds->count && to != NONE; k++) {
			const int64_t path = join(to, *most_of(bounds, b, k));

			if (path < *most_of(bounds, i, k))
				*most_of(bounds, i, k) = path;
		}
	}
}

static int64_t
lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int
tl_bounds_add(struct tl_bounds *bounds, size_t a, size_t b,
    struct tl_range range, int64_t *by)
{
	const int64_t there = length_of(range.most);
	const int64_t back =
	    range.least == INT64_MIN ? NONE : length_of(-range.least);
	int64_t cycle = join(there, back);

	assert(a < bounds->count && b < bounds->count && a != b);
	cycle = lesser(cycle, join(there, *most_of(bounds, b, a)));
	cycle = lesser(cycle, join(back, *most_of(bounds, a, b)));
	if (cycle < 0) {
		*by = -cycle;
		return -EDOM;
	}
	shorten(bounds, a, b, there);
	shorten(bounds, b, a, back);
	return 0;
}

struct tl_range
tl_bounds_of(const struct tl_bounds *bounds, size_t a, size_t b)
{
	const int64_t back = bounds->most[b * bounds->count + a];

	return (struct tl_range){
		.least = back == NONE ? INT64_MIN : -back,
		.most = bounds->most[a * bounds->count + b],
	};
}
