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

/* The times that the finest ring and the longest ring of bins hold. */
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

/* Rings of which each has cells that are longer than those of the ring
 * before. */
struct series_kind {
	int64_t unit_ns; /* a cell of the first ring */
	int64_t size;    /* cells of a ring */
	size_t cell;     /* bytes of a cell */
	unsigned rings;
	unsigned shift; /* a cell is 2^shift times as long in the next ring */
};

struct series {
	const struct series_kind *kind;
	struct ring rings[BIN_RINGS];
};

struct row {
	uint64_t key; /* pid and tid, or a lane */
	uint32_t cpu;
	bool is_lane;
	bool is_others;
	const struct tl_names *names; /* names of its source */
	uint64_t entries;
	unsigned gate; /* lowest gate of its messages; 0: none */
	struct series bins;
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
	struct series samples;
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
	struct series plots;
};

struct self {
	struct tl_own own;
	uint32_t count;
};

struct stack {
	uint32_t parent; /* index + 1; 0: none */
	uint32_t message;
	struct series selves;
};

static const struct series_kind of_bins = { BIN_NS, BINS, sizeof(struct bin),
	BIN_RINGS, BIN_SHIFT };
static const struct series_kind of_plots = { BIN_NS, BINS, sizeof(struct plot),
	BIN_RINGS, BIN_SHIFT };
static const struct series_kind of_samples = { SLOT_NS, SLOTS,
	sizeof(struct samples), SLOT_RINGS, SLOT_SHIFT };
static const struct series_kind of_selves = { SLOT_NS, SLOTS,
	sizeof(struct self), SLOT_RINGS, SLOT_SHIFT };

struct tl_html_summary {
	struct tl_spans *spans;
	struct tl_details *details;
	struct tl_event last; /* the last event of the timeline */
	int64_t checked_ns;   /* closed gates were looked for up to here */
	struct tl_id_map row_ids, message_ids, stack_ids;
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
	s->all.bins.kind = &of_bins;
	*summary = s;
	return 0;
}

/* Drop the cells of a series. */
static void
clear_series(struct series *series)
{
	for (unsigned i = 0; i < BIN_RINGS; i++)
		free(series->rings[i].cells);
	memset(series->rings, 0, sizeof(series->rings));
}

void
tl_html_summary_free(struct tl_html_summary *s)
{
	if (!s)
		return;
	clear_series(&s->all.bins);
	for (size_t i = 0; i < s->row_count; i++)
		clear_series(&s->rows[i].bins);
	for (size_t i = 0; i < s->message_count; i++)
		clear_series(&s->messages[i].samples);
	for (size_t i = 0; i < s->stack_count; i++)
		clear_series(&s->stacks[i].selves);
	for (size_t i = 0; i < s->counter_count; i++)
		clear_series(&s->counters[i].plots);
	tl_spans_free(s->spans);
	tl_details_free(s->details);
	tl_id_map_free(&s->row_ids);
	tl_id_map_free(&s->message_ids);
	tl_id_map_free(&s->stack_ids);
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
place_of(const struct series_kind *kind, int64_t number)
{
	return (size_t)((uint64_t)number % (uint64_t)kind->size) * kind->cell;
}

static void *
ring_cell(struct ring *ring, const struct series_kind *kind, int64_t number)
{
	const size_t size = (size_t)kind->size;

	if (!ring->cells) {
		if (!(ring->cells = calloc(size, kind->cell)))
			return NULL;
		ring->newest = number;
	}
	if (number > ring->newest) {
		if ((uint64_t)number - (uint64_t)ring->newest >= size)
			memset(ring->cells, 0, size * kind->cell);
		else
			for (int64_t n = ring->newest + 1; n <= number; n++)
				memset((char *)ring->cells + place_of(kind, n),
				    0, kind->cell);
		ring->newest = number;
	}
	if (ring->newest - number >= kind->size)
		return NULL;
	return (char *)ring->cells + place_of(kind, number);
}

/*
 * Return the cell of the next ring, from *i on, that takes a cell of the first
 * ring; NULL: none.  Cells that a ring reaches anew are cleared.  A ring takes
 * no number that is too old, nor any without memory.  If the longest ring
 * cannot take a number because the rings lie in its future, as after a clock
 * was set back, all rings are dropped first.
 */
static void *
next_cell(struct series *series, int64_t number, unsigned *i)
{
	const struct series_kind *kind = series->kind;
	const struct ring *longest = &series->rings[kind->rings - 1];

	if (*i == 0 && longest->cells &&
	    longest->newest - (number >> (kind->shift * (kind->rings - 1))) >=
		kind->size)
		clear_series(series);
	while (*i < kind->rings) {
		void *cell = ring_cell(&series->rings[*i], kind,
		    number >> (kind->shift * *i));

		++*i;
		if (cell)
			return cell;
	}
	return NULL;
}

/*
 * Return cell number of ring i, for reading only; NULL: the ring has no such
 * cell.
 */
static const void *
peek(const struct series *series, unsigned i, int64_t number)
{
	const struct ring *ring = &series->rings[i];

	if (!ring->cells || number > ring->newest ||
	    ring->newest - number >= series->kind->size)
		return NULL;
	return (const char *)ring->cells + place_of(series->kind, number);
}

/* Drop only the rings that cannot take the cell of a time. */
static void
forget_newer(struct series *series, int64_t ns)
{
	const struct series_kind *kind = series->kind;
	int64_t number = floor_to(ns, kind->unit_ns);

	for (unsigned i = 0; i < kind->rings; i++, number >>= kind->shift) {
		struct ring *ring = &series->rings[i];

		if (!ring->cells || ring->newest - number < kind->size)
			continue;
		free(ring->cells);
		*ring = (struct ring){ 0 };
	}
}

/* Has a map room for a key, which it may have already? */
static bool
has_room(const struct tl_id_map *map, struct tl_id_key key, uint32_t max)
{
	return map->count < max || tl_id_map_has(map, key);
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
	struct bin *bin;
	unsigned i = 0;

	if (row->now.count == 0 && row->now.busy_ns == 0 &&
	    row->now.missing == 0)
		return;
	while ((bin = next_cell(&row->bins, row->at, &i))) {
		const unsigned shift = BIN_SHIFT * (i - 1);

		if (row->now.count > 0)
			add_place(bin, row->at >> shift,
			    (int64_t)BIN_NS << shift, row->first_ns,
			    row->now_ns);
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

/*
 * Find or add a row; NULL: no memory.  The last row holds all rows that found
 * no room.
 */
static struct row *
find_row(struct tl_html_summary *s, uint64_t key, bool is_lane)
{
	const struct tl_id_key id = { key, is_lane };
	uint32_t number = ROWS_MAX - 1;

	if (has_room(&s->row_ids, id, ROWS_MAX) &&
	    TL_ID_MAP_ROOM(&s->row_ids, id, &number, s->rows, s->row_room) < 0)
		return NULL;
	if (number == s->row_count)
		s->rows[s->row_count++] = (struct row){ .key = key,
			.is_lane = is_lane,
			.is_others = number == ROWS_MAX - 1,
			.cpu = TL_CPU_UNKNOWN,
			.bins.kind = &of_bins };
	return &s->rows[number];
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
	const struct tl_id_key id = { (uintptr_t)message, 0 };

	*number = MESSAGES_MAX - 1;
	if (has_room(&s->message_ids, id, MESSAGES_MAX) &&
	    TL_ID_MAP_ROOM(&s->message_ids, id, number, s->messages,
		s->message_room) < 0)
		return -ENOMEM;
	if (*number == s->message_count)
		s->messages[s->message_count++] = (struct measured){
			.message = *number == MESSAGES_MAX - 1 ? NULL : message,
			.last_ns = NEVER,
			.samples.kind = &of_samples
		};
	return 0;
}

/*
 * Return the stack (index + 1) of a message inside a parent (index + 1; 0:
 * none).  If the table is full, return the parent.
 */
static uint32_t
find_stack(struct tl_html_summary *s, uint32_t parent, uint32_t message)
{
	const struct tl_id_key id = { parent, message };
	uint32_t number;

	if (!has_room(&s->stack_ids, id, STACKS_MAX) ||
	    TL_ID_MAP_ROOM(&s->stack_ids, id, &number, s->stacks,
		s->stack_room) < 0)
		return parent;
	if (number == s->stack_count)
		s->stacks[s->stack_count++] = (struct stack){ .parent = parent,
			.message = message,
			.selves.kind = &of_selves };
	return number + 1;
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
	struct self *self;
	unsigned i = 0;

	if (stack == 0)
		return;
	while ((self = next_cell(&s->stacks[stack - 1].selves, at, &i))) {
		add_own(&self->own, own, sign);
		self->count += count;
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
	struct samples *to;
	unsigned i = 0;

	while ((to = next_cell(&m->samples, at, &i))) {
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
		.high = -INFINITY,
		.plots.kind = &of_plots };
	return c;
}

static void
put_counter(struct tl_html_summary *s, const struct tl_event *e)
{
	const int64_t at = floor_to(e->ns, BIN_NS);
	struct counter *c;
	struct plot *plot;
	unsigned i = 0;
	double value;

	if (!value_of(e, &value) || !(c = find_counter(s, e)))
		return;
	c->names = tl_event_names(e);
	c->low = fmin(c->low, value);
	c->high = fmax(c->high, value);
	while ((plot = next_cell(&c->plots, at, &i))) {
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
	forget_newer(&row->bins, ns);
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
	step_row(&s->all, ns);
	s->checked_ns = ns;
	for (size_t i = 0; i < s->row_count; i++)
		step_row(&s->rows[i], ns);
	for (size_t i = 0; i < s->counter_count; i++)
		forget_newer(&s->counters[i].plots, ns);
	for (size_t i = 0; i < s->message_count; i++)
		forget_newer(&s->messages[i].samples, ns);
	for (size_t i = 0; i < s->stack_count; i++)
		forget_newer(&s->stacks[i].selves, ns);
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

/* The cells of a ring that are asked for. */
struct cells {
	int64_t width;
	int64_t first, last;
	unsigned ring;
};

/*
 * Choose the finest ring that still holds the start of a range and has enough
 * cells for the range, and its cells of the range.
 */
static struct cells
choose_cells(const struct series_kind *kind, int64_t newest, int64_t from,
    int64_t to)
{
	struct cells c = { .width = kind->unit_ns };
	int64_t newest_cell;

	for (;; c.ring++, c.width <<= kind->shift) {
		newest_cell = floor_to(newest, c.width);
		c.first = floor_to(from, c.width);
		c.last = floor_to(to, c.width);
		if (c.ring + 1 == kind->rings ||
		    (newest_cell - c.first < kind->size &&
			c.last - c.first < kind->size))
			break;
	}
	if (c.first <= newest_cell - kind->size)
		c.first = newest_cell - kind->size + 1;
	return c;
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
put_bins(struct tl_text *text, const struct row *row, const struct cells *c)
{
	bool any = false;

	struct tl_text places = { 0 };

	tl_put_string(text, ",\"bins\":[");
	for (int64_t n = c->first; n <= c->last; n++) {
		const struct bin *bin = peek(&row->bins, c->ring, n);

		if (!bin ||
		    (bin->count == 0 && bin->busy_ns == 0 && bin->missing == 0))
			continue;
		tl_put_format(&places, "%s%u,%u", any ? "," : "", bin->first,
		    bin->last);
		if (any)
			tl_put_char(text, ',');
		any = true;
		tl_put_unsigned(text, (uint64_t)(n - c->first));
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
	struct cells c = { .width = BIN_NS };

	while (c.ring + 1 < BIN_RINGS &&
	       now_ns / c.width - s->since_ns / c.width >= BINS / 4) {
		c.width <<= BIN_SHIFT;
		c.ring++;
	}
	c.last = floor_to(now_ns, c.width);
	c.first = c.last - BINS + 1;
	tl_put_string(text, ",\"overview\":{");
	put_ns(text, "first", c.first * c.width);
	put_key(text, "bin", (uint64_t)c.width);
	put_bins(text, &s->all, &c);
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

/* Append a message: its text and category.  NULL: others. */
static void
put_text(struct tl_text *text, const struct tl_message *message)
{
	struct tl_text plain = { 0 };

	for (unsigned i = 0; message && i < message->argc; i++) {
		tl_put_plain(&plain, message->args[i].before);
		tl_put_char(&plain, '$');
		tl_put_plain(&plain, message->args[i].name);
	}
	tl_put_plain(&plain,
	    message ? message->after : tl_bytes_of("other messages"));
	tl_put_string(text, "{\"text\":\"");
	tl_put_json(text, tl_text_bytes(&plain));
	tl_text_clear(&plain);
	if (message)
		tl_put_plain(&plain, message->category);
	tl_put_string(text, "\",\"category\":\"");
	tl_put_json(text, tl_text_bytes(&plain));
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
put_plot(struct tl_text *text, const struct counter *counter,
    const struct cells *c)
{
	const struct plot *plot;
	const char *comma = "";

	for (int64_t n = c->first; n-- > c->first - BINS;) {
		plot = peek(&counter->plots, c->ring, n);
		if (plot && plot->count > 0) {
			tl_put_string(text, ",\"before\":");
			tl_put_double(text, plot->last);
			break;
		}
	}
	tl_put_string(text, ",\"bins\":[");
	for (int64_t n = c->first; n <= c->last; n++) {
		plot = peek(&counter->plots, c->ring, n);
		if (!plot || plot->count == 0)
			continue;
		tl_put_string(text, comma);
		tl_put_unsigned(text, (uint64_t)(n - c->first));
		put_value(text, plot->least);
		put_value(text, plot->greatest);
		put_value(text, plot->last);
		comma = ",";
	}
	tl_put_string(text, "]}");
}

static void
put_counters(const struct tl_html_summary *s, struct tl_text *text,
    const struct cells *cells)
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
		put_plot(text, c, cells);
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
    const struct tl_html_question *q, const struct cells *c)
{
	unsigned kind = TL_OWN_KINDS;

	tl_put_string(text, ",\"history\":[");
	for (int64_t n = c->first; n <= c->last; n++) {
		const int64_t end = (n + 1) * c->width;
		const int64_t to = end < q->now_ns ? end : q->now_ns;
		struct tl_own own = { 0 };
		int64_t from = n * c->width;

		from = from > s->since_ns ? from : s->since_ns;
		add_kinds(s, from, to, &own);
		if (kind < TL_OWN_KINDS) {
			from += own.ns[kind];
			own.ns[kind] = 0;
		}
		for (unsigned i = 0; i < TL_OWN_KINDS; i++)
			put_kind(text, c->first * c->width, &from, own.ns[i], i,
			    &kind);
	}
	tl_put_char(text, ']');
}

static void
put_rows(struct tl_html_summary *s, struct tl_text *text,
    const struct tl_html_question *q)
{
	const struct cells c =
	    choose_cells(&of_bins, q->now_ns, q->from_ns, q->to_ns);
	uint64_t entries = 0, missing = 0;

	for (int64_t n = c.first; n <= c.last; n++) {
		const struct bin *bin = peek(&s->all.bins, c.ring, n);

		entries += bin ? bin->count : 0;
		missing += bin ? bin->missing : 0;
	}
	put_ns(text, "first", c.first * c.width);
	put_key(text, "bin", (uint64_t)c.width);
	put_key(text, "entries", entries);
	put_key(text, "missing", missing);
	tl_put_string(text, ",\"rows\":[");
	for (size_t i = 0; i < s->row_count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_row(text, &s->rows[i], q);
		put_bins(text, &s->rows[i], &c);
		tl_put_char(text, '}');
	}
	tl_put_char(text, ']');
	put_history(s, text, q, &c);
	put_counters(s, text, &c);
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
put_stacks(const struct tl_html_summary *s, struct tl_text *text,
    const struct cells *c)
{
	tl_put_string(text, ",\"stacks\":[");
	for (size_t i = 0; i < s->stack_count; i++) {
		const struct stack *stack = &s->stacks[i];
		const struct tl_message *message =
		    s->messages[stack->message].message;
		struct self sum = { 0 };
		int64_t parts[TL_OWN_PARTS] = { 0 };

		for (int64_t n = c->first; n <= c->last; n++) {
			const struct self *self =
			    peek(&stack->selves, c->ring, n);

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
	const struct cells c = choose_cells(&of_samples, q->now_ns,
	    q->measure_from_ns, q->measure_to_ns);
	const int64_t low = c.first * c.width, high = (c.last + 1) * c.width;
	struct tl_own time = { 0 };

	add_kinds(s, low > s->since_ns ? low : s->since_ns,
	    high < s->newest_ns ? high : s->newest_ns, &time);
	tl_put_format(text, ",\"measured\":[\"%" PRId64 "\",\"%" PRId64 "\"]",
	    low, high);
	tl_put_string(text, ",\"messages\":[");
	for (size_t i = 0; i < s->message_count; i++) {
		struct samples sum = { 0 };

		for (int64_t n = c.first; n <= c.last; n++) {
			const struct samples *more =
			    peek(&s->messages[i].samples, c.ring, n);

			if (more)
				add_samples(&sum, more);
		}
		if (i > 0)
			tl_put_char(text, ',');
		put_message(text, &s->messages[i], &sum, &time);
	}
	tl_put_char(text, ']');
	put_stacks(s, text, &c);
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
