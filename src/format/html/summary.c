/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - count entries in rings of bins. */
#include "format/html/summary.h"

#include "base/array.h"
#include "base/histogram.h"
#include "base/ns.h"
#include "base/table.h"
#include "event/details.h"
#include "event/names.h"
#include "event/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	BIN_NS = 1000000,
	BIN_SHIFT = 2, /* a bin is four times as long in the next ring */
	BIN_RINGS = 7,
	BINS = 2048,
	PARTS = 1024, /* parts of a bin */
	SLOT_SHIFT = 4,
	SLOT_RINGS = 3,
	SLOTS = 128,
	BUCKETS = 160, /* 4 for each octave, to 2^40 ns */
	ROWS_MAX = 128,
	MESSAGES_MAX = 128,
	STACKS_MAX = 512,
	COUNTERS_MAX = 32,
	DEPTH_MAX = 32,
	WARNING = 7
};

/* The times that the finest ring and the longest ring hold. */
#define FINEST_NS ((int64_t)BINS * BIN_NS)
#define ALL_NS    (FINEST_NS << (BIN_SHIFT * (BIN_RINGS - 1)))

#define SLOT_NS INT64_C(64000000)
#define NEVER   INT64_MIN
#define STEP_NS INT64_C(100000000) /* earlier: the clock was set back */

struct bin {
	uint32_t count;
	uint32_t busy_ns;
	uint32_t missing;    /* lost, not overwritten */
	uint32_t loud;       /* warnings and worse */
	uint32_t top : 8;    /* highest level */
	uint32_t calm : 3;   /* highest level below warning */
	uint32_t first : 10; /* place of the entries in PARTS */
	uint32_t last : 10;
};

/* A ring of cells by number; the ring holds [newest - size + 1, newest]. */
struct ring {
	int64_t newest;
	void *cells;
};

struct row {
	uint64_t key; /* pid and tid, or a lane */
	uint32_t cpu;
	bool is_lane;
	bool is_others;
	const struct tl_names *names; /* names of its source */
	uint64_t entries;
	unsigned gate; /* lowest gate of its messages; 0: none */
	struct ring rings[BIN_RINGS];
	struct bin now;           /* bin number at, not yet in the rings */
	int64_t first_ns, now_ns; /* first and last entry of now */
	int64_t at;
	/* Members for the open spans of a thread: */
	int64_t since;   /* occupancy is counted up to here */
	int64_t last_ns; /* time of the last entry */
	int64_t busy_ns; /* end of the last counted occupancy */
	int64_t sure_ns; /* end of the last sure span */
	unsigned hidden; /* what may have hidden a detail (details.h) */
	uint16_t source;
	uint32_t depth;
	struct open {
		const struct tl_message *message;
		int64_t ns;
		uint64_t observed;
		uint64_t id; /* of the span */
		uint32_t stack;
		bool proven;
	} open[DEPTH_MAX];
};

struct samples {
	uint32_t count;    /* entries that are no ends, since all are there */
	uint32_t observed; /* those of observed time */
	uint32_t older;    /* sure spans that ended before all are there */
	uint32_t number;   /* durations or intervals */
	int64_t total_ns;
	uint64_t min, max;
	uint32_t buckets[BUCKETS];
};

struct measured {
	const struct tl_message *message; /* NULL: others */
	int64_t last_ns;
	uint64_t observed; /* interval of the last entry */
	struct ring rings[SLOT_RINGS];
};

/* Values of a counter in a bin. */
struct plot {
	double least, greatest, last;
	uint32_t count;
};

/* A counter as one process sets it. */
struct counter {
	const struct tl_message *message;
	const struct tl_names *names;
	uint32_t pid;
	double low, high;
	struct ring rings[BIN_RINGS];
};

struct self {
	struct tl_own own;
	uint32_t count;
};

struct stack {
	uint32_t parent; /* index + 1; 0: none */
	uint32_t message;
	struct ring rings[SLOT_RINGS];
};

struct tl_html_summary {
	struct tl_spans *spans;
	struct tl_details *details;
	struct tl_event last; /* the last event of the timeline */
	int64_t checked_ns;   /* closed gates were looked for up to here */
	struct tl_table row_table, message_table, stack_table;
	struct row all; /* row of every entry */
	struct row *rows;
	struct measured *messages;
	struct stack *stacks;
	struct counter *counters;
	size_t row_count, message_count, stack_count, counter_count;
	size_t row_room, message_room, stack_room, counter_room;
	int64_t since_ns, newest_ns;
	uint64_t entries, lost, overwritten;
};

int
tl_html_summary_new(struct tl_html_summary **summary)
{
	struct tl_html_summary *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	if ((rc = tl_spans_new(&s->spans)) != 0 ||
	    (rc = tl_details_new(&s->details, false)) != 0) {
		tl_html_summary_free(s);
		return rc;
	}
	s->since_ns = s->newest_ns = s->checked_ns = NEVER;
	*summary = s;
	return 0;
}

static void
free_rings(struct ring *rings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rings[i].cells);
}

void
tl_html_summary_free(struct tl_html_summary *s)
{
	if (!s)
		return;
	free_rings(s->all.rings, BIN_RINGS);
	for (size_t i = 0; i < s->row_count; i++)
		free_rings(s->rows[i].rings, BIN_RINGS);
	for (size_t i = 0; i < s->message_count; i++)
		free_rings(s->messages[i].rings, SLOT_RINGS);
	for (size_t i = 0; i < s->stack_count; i++)
		free_rings(s->stacks[i].rings, SLOT_RINGS);
	for (size_t i = 0; i < s->counter_count; i++)
		free_rings(s->counters[i].rings, BIN_RINGS);
	tl_spans_free(s->spans);
	tl_details_free(s->details);
	tl_table_free(&s->row_table);
	tl_table_free(&s->message_table);
	tl_table_free(&s->stack_table);
	free(s->rows);
	free(s->messages);
	free(s->stacks);
	free(s->counters);
	free(s);
}

/* == rings == */

static int64_t
floor_to(int64_t ns, int64_t width)
{
	return ns / width - (ns % width < 0);
}

static size_t
place_of(int64_t number, size_t size)
{
	return (size_t)((uint64_t)number % size);
}

/*
 * Return the cell of a number.  Cells that the ring reaches anew are cleared.
 * NULL: no memory, or the number is older than the ring.
 */
static void *
ring_cell(struct ring *ring, int64_t number, size_t size, size_t cell)
{
	if (!ring->cells) {
		if (!(ring->cells = calloc(size, cell)))
			return NULL;
		ring->newest = number;
	}
	if (number > ring->newest) {
		const uint64_t steps =
		    (uint64_t)number - (uint64_t)ring->newest;

		if (steps >= size)
			memset(ring->cells, 0, size * cell);
		else
			for (int64_t n = ring->newest + 1; n <= number; n++)
				memset((char *)ring->cells +
					   place_of(n, size) * cell,
				    0, cell);
		ring->newest = number;
	}
	if (ring->newest - number >= (int64_t)size)
		return NULL;
	return (char *)ring->cells + place_of(number, size) * cell;
}

/*
 * Return the cell of a number, for reading only; NULL: the ring has no such
 * cell.
 */
static const void *
ring_peek(const struct ring *ring, int64_t number, size_t size, size_t cell)
{
	if (!ring->cells || number > ring->newest ||
	    ring->newest - number >= (int64_t)size)
		return NULL;
	return (const char *)ring->cells + place_of(number, size) * cell;
}

/*
 * Drop the rings if they lie in the future of a number, as after a clock was
 * set back: the longest ring cannot take the number.
 */
static void
forget_future(struct ring *rings, size_t count, size_t size, int64_t number,
    unsigned shift)
{
	const struct ring *last = &rings[count - 1];

	if (!last->cells ||
	    last->newest - (number >> (shift * (count - 1))) < (int64_t)size)
		return;
	free_rings(rings, count);
	for (size_t i = 0; i < count; i++)
		rings[i] = (struct ring){ 0 };
}

/* Drop only the rings that cannot take a number. */
static void
forget_newer(struct ring *rings, size_t count, size_t size, int64_t number,
    unsigned shift)
{
	for (size_t i = 0; i < count; i++, number >>= shift) {
		if (!rings[i].cells || rings[i].newest - number < (int64_t)size)
			continue;
		free(rings[i].cells);
		rings[i] = (struct ring){ 0 };
	}
}

/* == rows == */

/* Note the place of entries from first_ns to last_ns in the bin number at. */
static void
add_place(struct bin *to, int64_t at, int64_t width, int64_t first_ns,
    int64_t last_ns)
{
	const unsigned first =
	    (unsigned)((first_ns - at * width) * PARTS / width);
	const unsigned last =
	    (unsigned)((last_ns - at * width) * PARTS / width);

	if (to->count == 0 || first < to->first)
		to->first = first & (PARTS - 1);
	if (to->count == 0 || last > to->last)
		to->last = last & (PARTS - 1);
}

static void
add_bin(struct bin *to, const struct bin *more)
{
	to->count += more->count;
	to->busy_ns += more->busy_ns;
	to->missing += more->missing;
	to->loud += more->loud;
	if (more->top > to->top)
		to->top = more->top;
	if (more->calm > to->calm)
		to->calm = more->calm;
}

static void
flush_row(struct row *row)
{
	if (row->now.count == 0 && row->now.busy_ns == 0 &&
	    row->now.missing == 0)
		return;
	forget_future(row->rings, BIN_RINGS, BINS, row->at, BIN_SHIFT);
	for (unsigned i = 0; i < BIN_RINGS; i++) {
		struct bin *bin = ring_cell(&row->rings[i],
		    row->at >> (BIN_SHIFT * i), BINS, sizeof(*bin));

		if (bin && row->now.count > 0)
			add_place(bin, row->at >> (BIN_SHIFT * i),
			    (int64_t)BIN_NS << (BIN_SHIFT * i), row->first_ns,
			    row->now_ns);
		if (bin)
			add_bin(bin, &row->now);
	}
	row->now = (struct bin){ 0 };
}

/* Make the bin of a time the row's current bin. */
static struct bin *
current_bin(struct row *row, int64_t ns)
{
	const int64_t at = floor_to(ns, BIN_NS);

	if (at != row->at) {
		flush_row(row);
		row->at = at;
	}
	return &row->now;
}

static void
count_entry(struct row *row, const struct tl_event *e)
{
	struct bin *bin = current_bin(row, e->ns);

	if (bin->count == 0 || e->ns < row->first_ns)
		row->first_ns = e->ns;
	if (bin->count == 0 || e->ns > row->now_ns)
		row->now_ns = e->ns;
	bin->count++;
	if (e->level > bin->top)
		bin->top = e->level;
	if (e->level >= WARNING)
		bin->loud++;
	else if (e->level > bin->calm)
		bin->calm = e->level & 7;
	row->entries++;
}

static struct row *
find_row(struct tl_html_summary *s, uint64_t key, bool is_lane)
{
	const uint64_t hash = tl_hash_pair(key, is_lane);
	struct tl_probe probe = tl_table_probe(&s->row_table, hash);
	uint32_t place;

	while (tl_probe_next(&probe, &place))
		if (s->rows[place].key == key &&
		    s->rows[place].is_lane == is_lane)
			return &s->rows[place];
	if (s->row_count == ROWS_MAX)
		return &s->rows[ROWS_MAX - 1];
	if (TL_ARRAY_ROOM(s->rows, s->row_room, s->row_count) < 0 ||
	    tl_table_add(&s->row_table, hash, s->row_count) < 0)
		return NULL;
	s->rows[s->row_count] = (struct row){ .key = key,
		.is_lane = is_lane,
		.is_others = s->row_count == ROWS_MAX - 1,
		.cpu = TL_CPU_UNKNOWN };
	return &s->rows[s->row_count++];
}

/*
 * The end of the next step of a time that is added to rings of bins.  A long
 * time is added in long steps; each step lies in one bin of the rings that
 * still hold the step.
 */
static int64_t
step_end(int64_t from, int64_t to)
{
	const bool is_long = to - from > FINEST_NS;
	const int64_t step =
	    is_long ? (int64_t)BIN_NS << (BIN_SHIFT * 3) : BIN_NS;
	const int64_t end = (floor_to(from, step) + 1) * step;

	return end < to ? end : to;
}

/* Note that a message occurs in a row. */
static void
note_gate(struct row *row, const struct tl_event *e)
{
	if (e->message->builtin != TIMELINE_BUILTIN_NONE)
		return;
	if (row->gate == 0 || e->message->gate < row->gate)
		row->gate = e->message->gate;
}

/* == messages and stacks == */

/*
 * Find the place of a message.  The last place holds all messages that found no
 * room.
 */
static int
find_message(struct tl_html_summary *s, const struct tl_message *message,
    uint32_t *number)
{
	const uint64_t hash = tl_hash_number((uintptr_t)message);
	struct tl_probe probe = tl_table_probe(&s->message_table, hash);

	while (tl_probe_next(&probe, number))
		if (s->messages[*number].message == message)
			return 0;
	if (s->message_count == MESSAGES_MAX) {
		*number = MESSAGES_MAX - 1;
		return 0;
	}
	if (TL_ARRAY_ROOM(s->messages, s->message_room, s->message_count) < 0 ||
	    tl_table_add(&s->message_table, hash, s->message_count) < 0)
		return -ENOMEM;
	*number = (uint32_t)s->message_count++;
	s->messages[*number] =
	    (struct measured){ .message =
				   *number == MESSAGES_MAX - 1 ? NULL : message,
		    .last_ns = NEVER };
	return 0;
}

/*
 * Return the stack (index + 1) of a message inside a parent (index + 1; 0:
 * none).  If the table is full, return the parent.
 */
static uint32_t
find_stack(struct tl_html_summary *s, uint32_t parent, uint32_t message)
{
	const uint64_t hash = tl_hash_pair(parent, message);
	struct tl_probe probe = tl_table_probe(&s->stack_table, hash);
	uint32_t place;

	while (tl_probe_next(&probe, &place))
		if (s->stacks[place].parent == parent &&
		    s->stacks[place].message == message)
			return place + 1;
	if (s->stack_count == STACKS_MAX ||
	    TL_ARRAY_ROOM(s->stacks, s->stack_room, s->stack_count) < 0 ||
	    tl_table_add(&s->stack_table, hash, s->stack_count) < 0)
		return parent;
	s->stacks[s->stack_count] =
	    (struct stack){ .parent = parent, .message = message };
	return (uint32_t)++s->stack_count;
}

static void
add_own(struct tl_own *to, const struct tl_own *own, int sign)
{
	for (unsigned i = 0; i < TL_OWN_KINDS; i++)
		to->ns[i] += sign * own->ns[i];
}

static void
count_self(struct tl_html_summary *s, uint32_t stack, int64_t at,
    const struct tl_own *own, int sign, uint32_t count)
{
	struct ring *rings;

	if (stack == 0)
		return;
	rings = s->stacks[stack - 1].rings;
	forget_future(rings, SLOT_RINGS, SLOTS, at, SLOT_SHIFT);
	for (unsigned i = 0; i < SLOT_RINGS; i++) {
		struct self *self = ring_cell(&rings[i], at >> (SLOT_SHIFT * i),
		    SLOTS, sizeof(*self));

		if (self) {
			add_own(&self->own, own, sign);
			self->count += count;
		}
	}
}

static unsigned
bucket_of(uint64_t value)
{
	unsigned log2, bucket;

	if (value < 4)
		return (unsigned)value;
	log2 = 63 - (unsigned)__builtin_clzll(value);
	bucket = 4 * (log2 - 1) + ((value >> (log2 - 2)) & 3);
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static uint64_t
bucket_low(unsigned bucket)
{
	const unsigned log2 = bucket / 4 + 1;

	return bucket < 4 ? bucket : (UINT64_C(4) + bucket % 4) << (log2 - 2);
}

static void
add_samples(struct samples *to, const struct samples *more)
{
	to->count += more->count;
	to->observed += more->observed;
	to->older += more->older;
	if (more->number == 0)
		return;
	if (to->number == 0 || more->min < to->min)
		to->min = more->min;
	if (more->max > to->max)
		to->max = more->max;
	to->number += more->number;
	to->total_ns = tl_add_ns(to->total_ns, more->total_ns);
	for (unsigned i = 0; i < BUCKETS; i++)
		to->buckets[i] += more->buckets[i];
}

/* Count an event and the duration that ends with it (-1: none).  What is before
 * all entries of the timeline are there is not counted. */
static void
measure(struct measured *m, const struct tl_event *e, int64_t duration)
{
	const int64_t at = floor_to(e->ns, SLOT_NS);
	const bool counts = tl_event_counts(e) && !e->partial;
	const uint64_t value = (uint64_t)duration;

	forget_future(m->rings, SLOT_RINGS, SLOTS, at, SLOT_SHIFT);
	for (unsigned i = 0; i < SLOT_RINGS; i++) {
		struct samples *to = ring_cell(&m->rings[i],
		    at >> (SLOT_SHIFT * i), SLOTS, sizeof(*to));

		if (!to)
			continue;
		to->count += counts;
		to->observed += counts && e->stretch != TL_UNOBSERVED;
		to->older += e->partial && duration >= 0 && e->kind == TL_END;
		if (duration < 0 || e->partial)
			continue;
		if (to->number++ == 0 || value < to->min)
			to->min = value;
		if (value > to->max)
			to->max = value;
		to->total_ns = tl_add_ns(to->total_ns, duration);
		to->buckets[bucket_of(value)]++;
	}
}

/* == counters == */

/* Take the value of a counter; false: JSON cannot hold the value. */
static bool
value_of(const struct tl_event *e, double *value)
{
	const uint64_t bits = e->args[0];

	if (e->message->argc == 0)
		return false;
	switch (e->message->args[0].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		*value = (double)(int64_t)bits;
		return true;
	case TIMELINE_ARG_DOUBLE:
		memcpy(value, &bits, sizeof(*value));
		return isfinite(*value);
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return false;
	default:
		*value = (double)bits;
		return true;
	}
}

/*
 * Find or add the counter of an event; NULL: too many counters, or no memory.
 */
static struct counter *
find_counter(struct tl_html_summary *s, const struct tl_event *e)
{
	struct counter *c;

	for (size_t i = 0; i < s->counter_count; i++) {
		c = &s->counters[i];
		if (c->message == e->message && c->pid == e->pid)
			return c;
	}
	if (s->counter_count == COUNTERS_MAX ||
	    TL_ARRAY_ROOM(s->counters, s->counter_room, s->counter_count) < 0)
		return NULL;
	c = &s->counters[s->counter_count++];
	*c = (struct counter){ .message = e->message,
		.pid = e->pid,
		.low = INFINITY,
		.high = -INFINITY };
	return c;
}

static void
put_counter(struct tl_html_summary *s, const struct tl_event *e)
{
	const int64_t at = floor_to(e->ns, BIN_NS);
	struct counter *c;
	double value;

	if (!value_of(e, &value) || !(c = find_counter(s, e)))
		return;
	c->names = tl_event_names(e);
	c->low = fmin(c->low, value);
	c->high = fmax(c->high, value);
	forget_future(c->rings, BIN_RINGS, BINS, at, BIN_SHIFT);
	for (unsigned i = 0; i < BIN_RINGS; i++) {
		struct plot *plot = ring_cell(&c->rings[i],
		    at >> (BIN_SHIFT * i), BINS, sizeof(*plot));

		if (!plot)
			continue;
		if (plot->count++ == 0)
			plot->least = plot->greatest = value;
		plot->least = fmin(plot->least, value);
		plot->greatest = fmax(plot->greatest, value);
		plot->last = value;
	}
}

/*
 * == spans that are open ==
 *
 * A span counts while it is open, so that a picture shows the span before its
 * end.  If the span turns out not to have been known to be open, the counted
 * time is taken back.
 */

/* The number of open spans that have a place in row->open. */
static uint32_t
placed_of(const struct row *row)
{
	return row->depth < DEPTH_MAX ? row->depth : DEPTH_MAX;
}

/* The innermost open span that is observed, plus 1; 0: none. */
static uint32_t
deepest_of(const struct row *row)
{
	uint32_t deepest = placed_of(row);

	while (deepest > 0 && row->open[deepest - 1].observed == TL_UNOBSERVED)
		deepest--;
	return deepest;
}

/*
 * Count time as occupancy of a row and as time of a stack; sign -1 takes the
 * time back.
 */
static void
count_time(struct tl_html_summary *s, struct row *row, uint32_t stack,
    int64_t from, int64_t to, int sign)
{
	/*
	 * longer than the rings: the clock was set forward; old bins are gone
	 */
	if (sign > 0 && to - from > ALL_NS)
		from = to;
	else if (sign < 0 && to - from > ALL_NS / 2)
		from = to - ALL_NS / 2;
	while (from < to) {
		const int64_t end = step_end(from, to);
		struct tl_own own = { 0 };

		current_bin(row, from)->busy_ns +=
		    (uint32_t)(sign * (end - from));
		tl_details_add(s->details, row->source, from, end, &row->hidden,
		    &own);
		count_self(s, stack, floor_to(from, SLOT_NS), &own, sign, 0);
		from = end;
	}
}

/* Count the time up to now for the open spans of a thread. */
static void
count_open(struct tl_html_summary *s, struct row *row, int64_t now)
{
	const uint32_t deepest = deepest_of(row);

	if (deepest == 0 || now <= row->since) {
		row->since =
		    now > row->since || deepest == 0 ? now : row->since;
		return;
	}
	count_time(s, row, row->open[deepest - 1].stack, row->since, now, 1);
	row->since = row->busy_ns = now;
}

/*
 * Remove open span i, which is not known to have been open, and take back the
 * time that was counted for this span alone.  Sure spans inside were open.
 */
static void
take_back(struct tl_html_summary *s, struct row *row, uint32_t i)
{
	const uint32_t placed = placed_of(row);
	const struct open *open = &row->open[i];
	const int64_t from = open->ns > row->sure_ns ? open->ns : row->sure_ns;
	uint32_t next = i + 1;
	int64_t to;

	while (next < placed && row->open[next].observed == TL_UNOBSERVED)
		next++;
	to = next < placed ? row->open[next].ns : row->since;
	row->hidden = 0;
	if (i == 0 && open->observed != TL_UNOBSERVED && from < to) {
		count_time(s, row, open->stack, from, to, -1);
		if (row->busy_ns <= to)
			row->busy_ns = from;
	}
	memmove(&row->open[i], &row->open[i + 1],
	    (placed - i - 1) * sizeof(row->open[0]));
	row->depth--;
}

/* Remove all open spans, because entries of the thread are missing. */
static void
take_back_all(struct tl_html_summary *s, struct row *row)
{
	while (placed_of(row) > 0)
		take_back(s, row, 0);
	row->depth = 0;
}

/*
 * Close the spans of a thread that has ended.  The thread is known to have been
 * in the spans until its last entry.
 */
static void
end_open(struct tl_html_summary *s, struct row *row)
{
	const uint32_t deepest = deepest_of(row);

	if (deepest > 0 && row->last_ns < row->since)
		count_time(s, row, row->open[deepest - 1].stack, row->last_ns,
		    row->since, -1);
	row->busy_ns = row->last_ns;
	row->depth = 0;
}

/* Remove the spans that are not around an event of the thread: no entry shows
 * when they closed.  ended is the span that the event has ended. */
static void
cut_open(struct tl_html_summary *s, struct row *row, uint64_t ended)
{
	for (uint32_t i = 0; i < placed_of(row);) {
		const uint64_t id = row->open[i].id;

		if (id != ended && !tl_spans_is_around(s->spans, id))
			take_back(s, row, i);
		else
			i++;
	}
}

/* Remove spans whose gates have closed since the begin of the span. */
static void
close_gates(struct tl_html_summary *s, struct row *row, int64_t ns)
{
	for (uint32_t i = 0; i < placed_of(row);) {
		const struct open *open = &row->open[i];
		unsigned kind = 0;
		struct tl_own own = { 0 };

		tl_details_add(s->details, row->source,
		    open->ns > s->checked_ns ? open->ns : s->checked_ns, ns + 1,
		    &kind, &own);
		if (!open->proven && open->observed != TL_OBSERVED &&
		    kind > open->message->gate && kind < TL_OBSERVED_GATES)
			take_back(s, row, i);
		else
			i++;
	}
}

static void
close_all_gates(struct tl_html_summary *s, int64_t ns)
{
	for (size_t i = 0; i < s->row_count; i++)
		close_gates(s, &s->rows[i], ns);
	s->checked_ns = ns;
}

static const struct tl_own no_own;

static void
begin_span(struct tl_html_summary *s, struct row *row, uint32_t message,
    const struct tl_event *e)
{
	const uint32_t depth = row->depth++;
	uint32_t parent, stack;

	if (depth >= DEPTH_MAX)
		return;
	parent = depth > 0 ? row->open[depth - 1].stack : 0;
	stack = find_stack(s, parent, message);
	if (stack != parent && !e->partial)
		count_self(s, stack, floor_to(e->ns, SLOT_NS), &no_own, 1, 1);
	row->hidden = 0;
	row->open[depth] = (struct open){ .message = e->message,
		.ns = e->ns,
		.observed = e->observed,
		.id = tl_spans_begun(s->spans),
		.stack = stack,
		.proven = e->proven };
}

/*
 * Count a span that is not among the open spans, from the end of the time that
 * was counted for another span.
 */
static void
count_late(struct tl_html_summary *s, struct row *row, uint32_t message,
    const struct tl_span *span, const struct tl_event *e)
{
	const int64_t begin = e->ns - span->duration_ns;
	const uint32_t deepest = deepest_of(row);
	const uint32_t parent = deepest > 0 ? row->open[deepest - 1].stack : 0;
	const uint32_t stack = find_stack(s, parent, message);

	count_time(s, row, stack, begin > row->busy_ns ? begin : row->busy_ns,
	    e->ns, 1);
	if (stack != parent && span->alone && !e->partial)
		count_self(s, stack, floor_to(e->ns, SLOT_NS), &no_own, 1, 1);
	row->busy_ns = e->ns;
}

/*
 * Close a span, and the spans inside.  If an inner span only crosses the span,
 * the end of the inner span will show it.
 */
static void
end_span(struct tl_html_summary *s, struct row *row, uint32_t message,
    const struct tl_span *span, const struct tl_event *e)
{
	const bool is_sure = tl_span_is_sure(span);
	uint32_t i = placed_of(row);

	if (row->depth > DEPTH_MAX && span->depth >= DEPTH_MAX) {
		row->depth--;
		return;
	}
	while (i > 0 && row->open[i - 1].id != span->id)
		i--;
	if (i > 0) {
		row->depth = i;
		if (is_sure)
			row->depth--;
		else
			take_back(s, row, i - 1);
	} else if (is_sure) {
		count_late(s, row, message, span, e);
	}
	if (is_sure)
		row->sure_ns = e->ns;
	row->hidden = 0;
}

static int
put_thread(struct tl_html_summary *s, const struct tl_event *e,
    uint32_t message, int64_t *duration)
{
	const bool is_of_thread =
	    e->message->scope != TIMELINE_SOURCE && (e->pid | e->tid) != 0;
	struct row *row =
	    (e->pid | e->tid) == 0
		? NULL
		: find_row(s, (uint64_t)e->pid << 32 | e->tid, false);
	struct tl_span span;
	const int rc = tl_spans_put(s->spans, e, &span);
	const int put = tl_details_put(s->details, s->spans, e);

	if (rc < 0 || put < 0)
		return rc < 0 ? rc : put;
	if (row) {
		row->source = e->source;
		(void)tl_spans_depth(s->spans, e);
		cut_open(s, row, rc == 1 ? span.id : 0);
		count_open(s, row, e->ns);
		count_entry(row, e);
		note_gate(row, e);
		row->names = tl_event_names(e);
		row->last_ns = e->ns;
	}
	if (rc == 1 && span.handed) {
		row = find_row(s, (uint64_t)span.pid << 32 | span.tid, false);
		if (row)
			count_open(s, row, e->ns);
	}
	if (rc == 1 && tl_span_is_sure(&span))
		*duration = span.duration_ns;
	if (!row || !is_of_thread || row->is_others)
		return 0;
	if (e->kind == TL_BEGIN)
		begin_span(s, row, message, e);
	else if (rc == 1)
		end_span(s, row, message, &span, e);
	return 0;
}

static void
put_lane(struct tl_html_summary *s, const struct tl_event *e)
{
	struct row *row = find_row(s, e->lane, true);
	const uint32_t missing = e->overwritten         ? 0
				 : e->lost < UINT32_MAX ? (uint32_t)e->lost
							: UINT32_MAX;

	if (e->kind == TL_LOST)
		current_bin(&s->all, e->ns)->missing += missing;
	else
		count_entry(&s->all, e);
	if (!row)
		return;
	if (e->kind == TL_LOST) {
		current_bin(row, e->ns)->missing += missing;
		return;
	}
	if (e->cpu != TL_CPU_UNKNOWN)
		row->cpu = row->cpu == TL_CPU_UNKNOWN || row->cpu == e->cpu
			       ? e->cpu
			       : TL_CPU_UNKNOWN - 1;
	count_entry(row, e);
	if (e->message)
		note_gate(row, e);
}

/*
 * Ends may be among the lost entries, so spans that were open are not measured.
 */
static int
put_loss(struct tl_html_summary *s, const struct tl_event *e)
{
	int rc;

	if (tl_event_is_start(e))
		return 0;
	*(e->overwritten ? &s->overwritten : &s->lost) += e->lost;
	if ((rc = tl_details_put(s->details, s->spans, e)) < 0)
		return rc;
	for (size_t i = 0; i < s->row_count; i++)
		take_back_all(s, &s->rows[i]);
	tl_spans_free(s->spans);
	s->spans = NULL;
	return tl_spans_new(&s->spans);
}

static void
step_row(struct row *row, int64_t ns)
{
	flush_row(row);
	forget_newer(row->rings, BIN_RINGS, BINS, floor_to(ns, BIN_NS),
	    BIN_SHIFT);
	for (size_t i = 0; i < 4; i++) {
		int64_t *const times[] = { &row->since, &row->last_ns,
			&row->busy_ns, &row->sure_ns };

		if (*times[i] > ns)
			*times[i] = ns;
	}
}

/* Continue to count after the clock was set back to a time. */
static void
step_back(struct tl_html_summary *s, int64_t ns)
{
	const int64_t slot = floor_to(ns, SLOT_NS);

	step_row(&s->all, ns);
	s->checked_ns = ns;
	for (size_t i = 0; i < s->row_count; i++)
		step_row(&s->rows[i], ns);
	for (size_t i = 0; i < s->counter_count; i++)
		forget_newer(s->counters[i].rings, BIN_RINGS, BINS,
		    floor_to(ns, BIN_NS), BIN_SHIFT);
	for (size_t i = 0; i < s->message_count; i++)
		forget_newer(s->messages[i].rings, SLOT_RINGS, SLOTS, slot,
		    SLOT_SHIFT);
	for (size_t i = 0; i < s->stack_count; i++)
		forget_newer(s->stacks[i].rings, SLOT_RINGS, SLOTS, slot,
		    SLOT_SHIFT);
}

int
tl_html_summary_put(struct tl_html_summary *s, const struct tl_event *e)
{
	int64_t duration = -1;
	struct measured *m;
	uint32_t number;
	int rc;

	if (s->newest_ns != NEVER && e->ns < s->newest_ns - STEP_NS)
		step_back(s, e->ns);
	if (!tl_event_is_start(e)) /* a start precedes all counted entries */
		put_lane(s, e);
	if (e->kind == TL_LOST || !e->message)
		return put_loss(s, e);
	if (s->since_ns == NEVER || e->ns < s->since_ns)
		s->since_ns = e->ns;
	s->newest_ns = e->ns;
	s->last = *e;
	s->entries++;
	if ((rc = find_message(s, e->message, &number)) != 0 ||
	    (rc = put_thread(s, e, number, &duration)) != 0)
		return rc;
	if (tl_observed_is_change(e->message))
		close_all_gates(s, e->ns);
	if (e->kind == TL_COUNTER)
		put_counter(s, e);
	m = &s->messages[number];
	if (e->kind != TL_BEGIN && e->kind != TL_END) {
		if (m->last_ns != NEVER && e->ns >= m->last_ns &&
		    tl_observed_joins(m->observed, e->observed))
			duration = e->ns - m->last_ns;
		m->last_ns = e->ns;
		m->observed = e->observed;
	}
	measure(m, e, duration);
	return 0;
}

/* == answers == */

/*
 * Choose the finest ring that still holds the start of a range and has enough
 * bins for the range.
 */
static unsigned
choose_ring(int64_t newest, int64_t from, int64_t to, int64_t width,
    unsigned shift, unsigned rings, int64_t size)
{
	unsigned i = 0;

	for (; i + 1 < rings; i++, width <<= shift) {
		const int64_t first = floor_to(from, width);

		if (floor_to(newest, width) - first < size &&
		    floor_to(to, width) - first < size)
			break;
	}
	return i;
}

static void
put_key(struct tl_text *text, const char *key, uint64_t value)
{
	tl_put_format(text, ",\"%s\":", key);
	tl_put_unsigned(text, value);
}

static void
put_ns(struct tl_text *text, const char *key, int64_t ns)
{
	tl_put_format(text, "\"%s\":\"%" PRId64 "\"", key, ns);
}

static void
put_bins(struct tl_text *text, const struct row *row, unsigned ring,
    int64_t first, int64_t last)
{
	bool any = false;

	struct tl_text places = { 0 };

	tl_put_string(text, ",\"bins\":[");
	for (int64_t n = first; n <= last; n++) {
		const struct bin *bin =
		    ring_peek(&row->rings[ring], n, BINS, sizeof(*bin));

		if (!bin ||
		    (bin->count == 0 && bin->busy_ns == 0 && bin->missing == 0))
			continue;
		tl_put_format(&places, "%s%u,%u", any ? "," : "", bin->first,
		    bin->last);
		if (any)
			tl_put_char(text, ',');
		any = true;
		tl_put_unsigned(text, (uint64_t)(n - first));
		for (unsigned i = 0; i < 6; i++) {
			const uint32_t values[6] = { bin->count, bin->top,
				bin->calm, bin->loud, bin->busy_ns,
				bin->missing };

			tl_put_char(text, ',');
			tl_put_unsigned(text, values[i]);
		}
	}
	tl_put_string(text, "],\"at\":[");
	tl_put_bytes(text, tl_bytes(places.data, places.size));
	tl_put_char(text, ']');
	if (places.rc != 0)
		text->rc = places.rc;
	tl_text_free(&places);
}

/* Append all that the summary has, in a few hundred bins. */
static void
put_overview(const struct tl_html_summary *s, struct tl_text *text,
    int64_t now_ns)
{
	int64_t width = BIN_NS;
	unsigned ring = 0;

	while (ring + 1 < BIN_RINGS &&
	       now_ns / width - s->since_ns / width >= BINS / 4) {
		width <<= BIN_SHIFT;
		ring++;
	}
	tl_put_string(text, ",\"overview\":{");
	put_ns(text, "first",
	    floor_to(now_ns, width) * width - (BINS - 1) * width);
	put_key(text, "bin", (uint64_t)width);
	put_bins(text, &s->all, ring, floor_to(now_ns, width) - BINS + 1,
	    floor_to(now_ns, width));
	tl_put_char(text, '}');
}

static void
put_name(struct tl_text *text, const char *key, struct tl_bytes name)
{
	if (name.size == 0)
		return;
	tl_put_format(text, ",\"%s\":\"", key);
	tl_put_json(text, name); /* printable, see names.h */
	tl_put_char(text, '"');
}

static void
put_row(struct tl_text *text, const struct row *row,
    const struct tl_html_question *q)
{
	const uint32_t pid = (uint32_t)(row->key >> 32);
	const uint32_t tid = (uint32_t)row->key;

	tl_put_format(text,
	    "{\"pid\":%u,\"tid\":%u,\"cpu\":%" PRId64 ",\"lane\":%" PRId64,
	    row->is_lane ? 0 : pid, row->is_lane ? 0 : tid,
	    row->cpu >= TL_CPU_UNKNOWN - 1 ? -1 : (int64_t)row->cpu,
	    row->is_lane ? (int64_t)row->key : -1);
	if (!row->is_lane && !row->is_others) {
		put_name(text, "name", tl_names_thread(row->names, pid, tid));
		put_name(text, "process", tl_names_process(row->names, pid));
	}
	tl_put_string(text, row->is_others ? ",\"others\":true" : "");
	tl_put_string(text, !row->is_lane && !row->is_others && q->has_ended &&
				    q->has_ended(pid, tid)
				? ",\"ended\":true"
				: ",\"ended\":false");
	put_key(text, "entries", row->entries);
	put_key(text, "gate", row->gate);
}

static void
put_parts(struct tl_text *text, const struct tl_message *message)
{
	struct tl_text plain = { 0 };

	for (unsigned i = 0; message && i < message->argc; i++) {
		tl_put_plain(&plain, message->args[i].before);
		tl_put_char(&plain, '$');
		tl_put_plain(&plain, message->args[i].name);
	}
	tl_put_plain(&plain,
	    message ? message->after : tl_bytes_of("other messages"));
	tl_put_json(text, tl_bytes(plain.data, plain.size));
	tl_text_free(&plain);
}

/* Append a message: its text and category.  NULL: others. */
static void
put_text(struct tl_text *text, const struct tl_message *message)
{
	struct tl_text plain = { 0 };

	tl_put_string(text, "{\"text\":\"");
	put_parts(text, message);
	if (message)
		tl_put_plain(&plain, message->category);
	tl_put_string(text, "\",\"category\":\"");
	tl_put_json(text, tl_bytes(plain.data, plain.size));
	tl_put_char(text, '"');
	tl_text_free(&plain);
}

static void
put_value(struct tl_text *text, double value)
{
	tl_put_char(text, ',');
	tl_put_double(text, value);
}

/* Append the values of a counter in bins, after the last value before them. */
static void
put_plot(struct tl_text *text, const struct counter *c, unsigned ring,
    int64_t first, int64_t last)
{
	const struct plot *plot;
	const char *comma = "";

	for (int64_t n = first; n-- > first - BINS;) {
		plot = ring_peek(&c->rings[ring], n, BINS, sizeof(*plot));
		if (plot && plot->count > 0) {
			tl_put_string(text, ",\"before\":");
			tl_put_double(text, plot->last);
			break;
		}
	}
	tl_put_string(text, ",\"bins\":[");
	for (int64_t n = first; n <= last; n++) {
		plot = ring_peek(&c->rings[ring], n, BINS, sizeof(*plot));
		if (!plot || plot->count == 0)
			continue;
		tl_put_string(text, comma);
		tl_put_unsigned(text, (uint64_t)(n - first));
		put_value(text, plot->least);
		put_value(text, plot->greatest);
		put_value(text, plot->last);
		comma = ",";
	}
	tl_put_string(text, "]}");
}

static void
put_counters(const struct tl_html_summary *s, struct tl_text *text,
    unsigned ring, int64_t first, int64_t last)
{
	tl_put_string(text, ",\"counters\":[");
	for (size_t i = 0; i < s->counter_count; i++) {
		const struct counter *c = &s->counters[i];

		if (i > 0)
			tl_put_char(text, ',');
		put_text(text, c->message);
		put_key(text, "pid", c->pid);
		put_name(text, "process", tl_names_process(c->names, c->pid));
		tl_put_string(text, ",\"low\":");
		tl_put_double(text, c->low);
		tl_put_string(text, ",\"high\":");
		tl_put_double(text, c->high);
		put_plot(text, c, ring, first, last);
	}
	tl_put_char(text, ']');
}

/* Add the time of each lowest open level. */
static void
add_kinds(const struct tl_html_summary *s, int64_t from_ns, int64_t to_ns,
    struct tl_own *time)
{
	while (from_ns < to_ns) {
		int64_t next_ns = to_ns;
		const unsigned kind = tl_details_kind(s->details,
		    s->last.source, from_ns, &next_ns);

		time->ns[kind] += next_ns - from_ns;
		from_ns = next_ns;
	}
}

/* Append the part of a bin for which the lowest open level was kind, after what
 * was appended up to *to_ns. */
static void
put_kind(struct tl_text *text, int64_t first_ns, int64_t *to_ns, int64_t ns,
    unsigned kind, unsigned *last)
{
	if (ns > 0 && kind != *last) {
		tl_put_string(text, *last < TL_OWN_KINDS ? "," : "");
		tl_put_signed(text, *to_ns - first_ns);
		tl_put_format(text, ",%u", kind);
		*last = kind;
	}
	*to_ns += ns;
}

/* Append which level was the lowest that was open.  Within a bin, the level
 * that was open last comes first, and then the others by their number. */
static void
put_history(const struct tl_html_summary *s, struct tl_text *text,
    const struct tl_html_question *q, int64_t first, int64_t last,
    int64_t width)
{
	unsigned kind = TL_OWN_KINDS;

	tl_put_string(text, ",\"history\":[");
	for (int64_t n = first; n <= last; n++) {
		const int64_t end = (n + 1) * width;
		const int64_t to = end < q->now_ns ? end : q->now_ns;
		struct tl_own own = { 0 };
		int64_t from = n * width;

		from = from > s->since_ns ? from : s->since_ns;
		add_kinds(s, from, to, &own);
		if (kind < TL_OWN_KINDS) {
			from += own.ns[kind];
			own.ns[kind] = 0;
		}
		for (unsigned i = 0; i < TL_OWN_KINDS; i++)
			put_kind(text, first * width, &from, own.ns[i], i,
			    &kind);
	}
	tl_put_char(text, ']');
}

static void
put_rows(struct tl_html_summary *s, struct tl_text *text,
    const struct tl_html_question *q)
{
	const unsigned ring = choose_ring(q->now_ns, q->from_ns, q->to_ns,
	    BIN_NS, BIN_SHIFT, BIN_RINGS, BINS);
	const int64_t width = (int64_t)BIN_NS << (BIN_SHIFT * ring);
	const int64_t newest = floor_to(q->now_ns, width);
	int64_t first = floor_to(q->from_ns, width);
	int64_t last = floor_to(q->to_ns, width);
	uint64_t entries = 0, missing = 0;

	if (first <= newest - BINS)
		first = newest - BINS + 1;
	for (int64_t n = first; n <= last; n++) {
		const struct bin *bin =
		    ring_peek(&s->all.rings[ring], n, BINS, sizeof(*bin));

		entries += bin ? bin->count : 0;
		missing += bin ? bin->missing : 0;
	}
	put_ns(text, "first", first * width);
	put_key(text, "bin", (uint64_t)width);
	put_key(text, "entries", entries);
	put_key(text, "missing", missing);
	tl_put_string(text, ",\"rows\":[");
	for (size_t i = 0; i < s->row_count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_row(text, &s->rows[i], q);
		put_bins(text, &s->rows[i], ring, first, last);
		tl_put_char(text, '}');
	}
	tl_put_char(text, ']');
	put_history(s, text, q, first, last, width);
	put_counters(s, text, ring, first, last);
}

/* The upper edge of the bucket that has the percentile, at most the maximum. */
static uint64_t
percentile(const struct samples *s, double percent)
{
	const uint64_t rank = tl_percentile_rank(s->number, percent);
	uint64_t seen = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		const uint64_t high = bucket_low(i + 1) - 1;

		seen += s->buckets[i];
		if (seen >= rank)
			return high < s->max ? high : s->max;
	}
	return s->max;
}

static void
put_samples(struct tl_text *text, const struct samples *s)
{
	const char *comma = "";

	put_key(text, "count", s->count);
	put_key(text, "observed", s->observed);
	put_key(text, "older", s->older);
	put_key(text, "samples", s->number);
	put_key(text, "total", (uint64_t)s->total_ns);
	if (s->number == 0)
		return;
	put_key(text, "min", s->min);
	put_key(text, "median", percentile(s, 50));
	put_key(text, "p99", percentile(s, 99));
	put_key(text, "max", s->max);
	tl_put_string(text, ",\"histogram\":[");
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (s->buckets[i] == 0)
			continue;
		tl_put_format(text, "%s%" PRIu64 ",%u", comma, bucket_low(i),
		    s->buckets[i]);
		comma = ",";
	}
	tl_put_char(text, ']');
}

static void
put_message(struct tl_text *text, const struct measured *m,
    const struct samples *s, const struct tl_own *time)
{
	const unsigned gate = m->message ? m->message->gate : 0;
	int64_t observed_ns = 0;

	for (unsigned i = 0; i <= gate && i < TL_OBSERVED_GATES; i++)
		observed_ns += time->ns[i];
	put_text(text, m->message);
	tl_put_format(text, ",\"level\":%u,\"kind\":%u,\"builtin\":%u",
	    m->message ? m->message->level : 0,
	    m->message ? m->message->kind : 0,
	    m->message ? m->message->builtin : 0);
	put_key(text, "observed_ns", (uint64_t)observed_ns);
	put_samples(text, s);
	tl_put_char(text, '}');
}

static void
put_stacks(const struct tl_html_summary *s, struct tl_text *text, unsigned ring,
    int64_t first, int64_t last)
{
	tl_put_string(text, ",\"stacks\":[");
	for (size_t i = 0; i < s->stack_count; i++) {
		const struct stack *stack = &s->stacks[i];
		const struct tl_message *message =
		    s->messages[stack->message].message;
		struct self sum = { 0 };
		int64_t parts[TL_OWN_PARTS] = { 0 };

		for (int64_t n = first; n <= last; n++) {
			const struct self *self = ring_peek(&stack->rings[ring],
			    n, SLOTS, sizeof(*self));

			if (self)
				add_own(&sum.own, &self->own, 1);
			sum.count += self ? self->count : 0;
		}
		tl_details_divide(s->details, message, &sum.own, parts);
		tl_put_format(text, "%s[%" PRId64 ",%" PRId64 ",%u",
		    i > 0 ? "," : "", (int64_t)stack->parent - 1,
		    message ? (int64_t)stack->message : -1, sum.count);
		for (unsigned k = 0; k < TL_OWN_PARTS; k++) {
			tl_put_char(text, ',');
			tl_put_signed(text, parts[k]);
		}
		tl_put_char(text, ']');
	}
	tl_put_char(text, ']');
}

static void
put_messages(struct tl_html_summary *s, struct tl_text *text,
    const struct tl_html_question *q)
{
	const unsigned ring = choose_ring(q->now_ns, q->measure_from_ns,
	    q->measure_to_ns, SLOT_NS, SLOT_SHIFT, SLOT_RINGS, SLOTS);
	const int64_t width = SLOT_NS << (SLOT_SHIFT * ring);
	const int64_t newest = floor_to(q->now_ns, width);
	int64_t first = floor_to(q->measure_from_ns, width);
	int64_t last = floor_to(q->measure_to_ns, width);
	struct tl_own time = { 0 };
	int64_t from, to;

	if (first <= newest - SLOTS)
		first = newest - SLOTS + 1;
	from = first * width > s->since_ns ? first * width : s->since_ns;
	to = (last + 1) * width;
	to = to < s->newest_ns ? to : s->newest_ns;
	add_kinds(s, from, to, &time);
	tl_put_format(text, ",\"measured\":[\"%" PRId64 "\",\"%" PRId64 "\"]",
	    first * width, (last + 1) * width);
	tl_put_string(text, ",\"messages\":[");
	for (size_t i = 0; i < s->message_count; i++) {
		struct samples sum = { 0 };

		for (int64_t n = first; n <= last; n++) {
			const struct samples *more =
			    ring_peek(&s->messages[i].rings[ring], n, SLOTS,
				sizeof(*more));

			if (more)
				add_samples(&sum, more);
		}
		if (i > 0)
			tl_put_char(text, ',');
		put_message(text, &s->messages[i], &sum, &time);
	}
	tl_put_char(text, ']');
	put_stacks(s, text, ring, first, last);
}

/* Let the levels change that change by time alone. */
static void
pass_time(struct tl_html_summary *s, const struct tl_html_question *q)
{
	static const struct tl_message nothing;
	struct tl_event now = s->last;

	now.message = &nothing;
	now.ns = q->now_ns;
	now.tsc = q->now_tsc;
	if (tl_details_put(s->details, NULL, &now) == 0)
		close_all_gates(s, q->now_ns);
}

/* Keep a range within the counted time. */
static void
clamp_range(int64_t *from, int64_t *to, int64_t low, int64_t high)
{
	*from = *from < low ? low : *from > high ? high : *from;
	*to = *to < *from ? *from : *to > high ? high : *to;
}

void
tl_html_summary_write(struct tl_html_summary *s, struct tl_text *text,
    const struct tl_html_question *question)
{
	struct tl_html_question q = *question;

	if (s->entries == 0) {
		tl_put_string(text, "{\"entries\":0,\"missing\":0,\"rows\":[],"
				    "\"counters\":[],\"messages\":[],"
				    "\"stacks\":[]}\n");
		return;
	}
	if (q.now_ns < s->newest_ns)
		q.now_ns = s->newest_ns;
	clamp_range(&q.from_ns, &q.to_ns, s->since_ns, q.now_ns);
	clamp_range(&q.measure_from_ns, &q.measure_to_ns, s->since_ns,
	    q.now_ns);
	flush_row(&s->all);
	if (q.now_tsc > s->last.tsc)
		pass_time(s, &q);
	for (size_t i = 0; i < s->row_count; i++) {
		struct row *row = &s->rows[i];

		if (row->depth > 0 && q.has_ended &&
		    q.has_ended((uint32_t)(row->key >> 32), (uint32_t)row->key))
			end_open(s, row);
		count_open(s, row, q.now_ns);
		flush_row(row);
	}
	tl_put_string(text, q.is_whole ? "{" : "{\"part\":true,");
	put_ns(text, "since", s->since_ns);
	tl_put_char(text, ',');
	put_ns(text, "newest", s->newest_ns);
	put_key(text, "total", s->entries);
	put_key(text, "total_lost", s->lost);
	put_key(text, "total_overwritten", s->overwritten);
	put_overview(s, text, q.now_ns);
	tl_put_char(text, ',');
	put_rows(s, text, &q);
	put_messages(s, text, &q);
	tl_put_string(text, "}\n");
}
