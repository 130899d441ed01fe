/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorter.c - events packed into words, sorted in runs, merged when read.
 *
 * A packed event is a sequence of words.  The head stands at both ends so that
 * events can be read in both directions.  Words in brackets are left out when
 * they would be 0, as the flags of the head say:
 *
 *	head | ns | message | pid, tid | [tsc] [number] [error, epoch] [lane]
 *	     | [lost] | args... | [begun tsc, begun ns, duration of a stamped end]
 *	     | head
 *
 *	head: count of words 6, enum tl_begun 2, kind 3, known 1,
 *	      overwritten 1, proven 1, moved 1, continued 1, level 8,
 *	      count of args 3, flags 5, cpu 32
 */
#include "event/sorter.h"

#include "base/array.h"
#include "base/file.h"
#include "event/event.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	TL_STORE_WORDS_MAX = 4 + 5 + TL_ARGS_MAX + 3 + 1,
	TL_STORE_NS = 1, /* index of the word with the time */
	BEGUN_SHIFT = 6, /* in the low byte of the head */
	BEGUN_MASK = 3
};

/* The number of words of an event, from its head. */
static inline size_t
tl_store_size(uint64_t head)
{
	return (size_t)(head & ((1 << BEGUN_SHIFT) - 1));
}

/* == events to words and back == */

/* Flags of the fields that are present; the low bits of the head's fourth byte
 * are the number of arguments. */
enum {
	HAS_TSC = 1 << 3,
	HAS_NUMBER = 1 << 4,
	HAS_ERROR = 1 << 5,
	HAS_LANE = 1 << 6,
	IS_BARE = 1 << 7,
	ARGS_MASK = 7
};

/* The top bits of the head's second byte; the other bits are the kind. */
enum {
	IS_CONTINUED = 1 << 7,
	IS_MOVED = 1 << 6,
	IS_PROVEN = 1 << 5,
	IS_OVERWRITTEN = 1 << 4,
	IS_KNOWN = 1 << 3,
	KIND_MASK = IS_KNOWN - 1
};

/* Pack an event into at most TL_STORE_WORDS_MAX words.  Returns the number of
 * words. */
static size_t
pack(uint64_t *to, const struct tl_event *e)
{
	const unsigned args = e->message ? e->message->argc : 1;
	unsigned flags = args | (e->bare ? IS_BARE : 0);
	const unsigned kind =
	    e->kind | (e->continued ? IS_CONTINUED : 0) |
	    (e->moved ? IS_MOVED : 0) | (e->proven ? IS_PROVEN : 0) |
	    (e->overwritten ? IS_OVERWRITTEN : 0) | (e->known ? IS_KNOWN : 0);
	size_t n = 1;

	to[n++] = (uint64_t)e->ns;
	to[n++] = (uint64_t)(uintptr_t)e->message;
	to[n++] = (uint64_t)e->pid << 32 | e->tid;
	if (e->tsc) {
		flags |= HAS_TSC;
		to[n++] = e->tsc;
	}
	if (e->number) {
		flags |= HAS_NUMBER;
		to[n++] = e->number;
	}
	if (e->error_ns || e->epoch) {
		flags |= HAS_ERROR;
		to[n++] = (uint64_t)e->error_ns << 32 | e->epoch;
	}
	if (e->lane) {
		flags |= HAS_LANE;
		to[n++] = e->lane;
	}
	for (unsigned i = 0; i < args; i++)
		to[n++] = e->message ? e->args[i] : e->lost;
	if (e->kind == TL_END && tl_event_is_stamped(e)) {
		to[n++] = e->begun_tsc;
		to[n++] = (uint64_t)e->begun_ns;
		to[n++] = (uint64_t)e->duration_ns;
	}
	to[0] = (uint64_t)e->cpu << 32 | flags << 24 | e->level << 16 |
		kind << 8 | (unsigned)e->begun << BEGUN_SHIFT | (n + 1);
	to[n] = to[0];
	return n + 1;
}

static void
unpack(struct tl_event *e, const uint64_t *from)
{
	const uint64_t head = *from++;
	const unsigned flags = head >> 24 & 0xff;

	*e = (struct tl_event){ .ns = (int64_t)from[0],
		.message =
		    (const struct tl_message *)(const void *)(uintptr_t)from[1],
		.pid = (uint32_t)(from[2] >> 32),
		.tid = (uint32_t)from[2],
		.cpu = (uint32_t)(head >> 32),
		.level = (uint8_t)(head >> 16),
		.kind = head >> 8 & KIND_MASK,
		.continued = head >> 8 & IS_CONTINUED,
		.moved = head >> 8 & IS_MOVED,
		.proven = head >> 8 & IS_PROVEN,
		/* Nothing in the store says in which interval the entries are
		 * missing. */
		.overwritten = head >> 8 & IS_OVERWRITTEN,
		.unread = head >> 8 & IS_OVERWRITTEN,
		.bare = flags & IS_BARE,
		.known = head >> 8 & IS_KNOWN,
		.begun = head >> BEGUN_SHIFT & BEGUN_MASK };
	from += 3;
	if (flags & HAS_TSC)
		e->tsc = *from++;
	if (flags & HAS_NUMBER)
		e->number = *from++;
	if (flags & HAS_ERROR) {
		e->error_ns = (uint32_t)(*from >> 32);
		e->epoch = (uint32_t)*from++;
	}
	if (flags & HAS_LANE)
		e->lane = (uint32_t)*from++;
	if (!e->message)
		e->lost = *from;
	for (unsigned i = 0; e->message && i < (flags & ARGS_MASK); i++)
		e->args[i] = *from++;
	if (e->kind != TL_END || !tl_event_is_stamped(e))
		return;
	e->begun_tsc = *from++;
	e->begun_ns = (int64_t)*from++;
	e->duration_ns = (int64_t)*from;
}

/*
 * == store ==
 */

enum {
	WINDOW_WORDS = 512, /* read back at once; small, as runs are many */
	WORDS_FIRST = 4096,
	RUNS_MAX = 1 << 16
};

struct run {
	uint64_t at; /* offset in the file, in words */
	size_t count;
};

struct tl_store {
	struct tl_sink sink; /* first: callers hold a pointer to it */
	uint64_t *words;     /* events that wait in memory */
	size_t count;
	size_t capacity;
	size_t count_max;
	size_t events; /* events in words */
	struct run *runs;
	size_t run_count;
	size_t run_capacity;
	uint64_t spilled; /* words in the file */
	int fd;           /* file of the runs, or -1 */
	uint64_t total;
	int64_t newest_ns;
	int64_t last_ns; /* of the last event put */
	bool any;        /* is newest_ns known? */
	bool rises;      /* times in memory never decrease */
	bool falls;      /* times in memory never increase */
	bool all_fall;   /* times of the whole input never increase */
	bool in_order;   /* events of equal time are never reversed */
	bool finished;
};

/* The place of an event in a run, for sorting. */
struct place {
	int64_t ns;
	size_t at;
};

static int
older_first(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* Order events that came from new to old: events of equal time are reversed. */
static int
older_first_turned(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return (p->at < q->at) - (p->at > q->at);
}

/* Sort the events in memory. */
static int
sort(struct tl_store *s)
{
	struct place *places;
	uint64_t *sorted;
	size_t at = 0, to = 0;

	if (s->rises)
		return 0;
	places = malloc(s->events * sizeof(*places));
	sorted = malloc(s->capacity * sizeof(*sorted));
	if (!places || !sorted) {
		free(places);
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->events; i++) {
		places[i] =
		    (struct place){ (int64_t)s->words[at + TL_STORE_NS], at };
		at += tl_store_size(s->words[at]);
	}
	assert(at == s->count);
	qsort(places, s->events, sizeof(*places),
	    s->falls ? older_first_turned : older_first);
	for (size_t i = 0; i < s->events; i++) {
		const uint64_t *from = s->words + places[i].at;

		memcpy(sorted + to, from, tl_store_size(*from) * sizeof(*from));
		to += tl_store_size(*from);
	}
	free(places);
	free(s->words);
	s->words = sorted;
	return 0;
}

static void
start_run(struct tl_store *s)
{
	s->count = s->events = 0;
	s->rises = true;
	s->falls = !s->in_order;
}

static int
spill(struct tl_store *s)
{
	int rc = sort(s);

	if (rc == 0 && s->fd < 0) {
		s->fd = tl_file_unnamed();
		rc = s->fd < 0 ? s->fd : 0;
	}
	if (rc == 0)
		rc = tl_write_at(s->fd, s->words, s->count * sizeof(*s->words),
		    s->spilled * sizeof(*s->words));
	if (rc == 0 && s->run_count == RUNS_MAX)
		rc = -EFBIG;
	if (rc == 0)
		rc = TL_ARRAY_ROOM(s->runs, s->run_capacity, s->run_count);
	if (rc < 0)
		return rc;
	s->runs[s->run_count++] = (struct run){ s->spilled, s->count };
	s->spilled += s->count;
	start_run(s);
	return 0;
}

/* Make room in memory for one more event. */
static int
make_room(struct tl_store *s)
{
	size_t capacity = s->capacity ? s->capacity * 2 : WORDS_FIRST;
	uint64_t *words;

	if (s->capacity - s->count >= TL_STORE_WORDS_MAX)
		return 0;
	if (capacity > s->count_max)
		capacity = s->count_max;
	if (capacity == s->capacity)
		return spill(s);
	words = realloc(s->words, capacity * sizeof(*words));
	if (!words)
		return -ENOMEM;
	s->words = words;
	s->capacity = capacity;
	return 0;
}

static void
note_time(struct tl_store *s, const struct tl_event *event)
{
	if (s->total > 0) {
		if (event->ns > s->last_ns)
			s->all_fall = false;
		if (s->events > 0 && event->ns < s->last_ns)
			s->rises = false;
		if (s->events > 0 && event->ns > s->last_ns)
			s->falls = false;
	}
	s->last_ns = event->ns;
	if (event->kind == TL_LOST)
		return;
	if (!s->any || event->ns > s->newest_ns)
		s->newest_ns = event->ns;
	s->any = true;
}

static int
store_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_store *s = (struct tl_store *)(void *)sink;
	int rc = make_room(s);

	assert(!s->finished);
	if (rc < 0)
		return rc;
	note_time(s, event);
	s->count += pack(s->words + s->count, event);
	s->events++;
	s->total++;
	return 0;
}

static int
store_finish(struct tl_sink *sink)
{
	struct tl_store *s = (struct tl_store *)(void *)sink;

	if (s->finished)
		return 0;
	s->finished = true;
	return s->events > 0 ? sort(s) : 0;
}

int
tl_store_new(struct tl_store **store, size_t memory_max)
{
	struct tl_store *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->sink = (struct tl_sink){ store_put, store_finish };
	s->count_max = memory_max / sizeof(*s->words);
	if (s->count_max < WORDS_FIRST)
		s->count_max = WORDS_FIRST;
	s->fd = -1;
	s->all_fall = true;
	start_run(s);
	*store = s;
	return 0;
}

void
tl_store_keep_order(struct tl_store *s)
{
	assert(s->total == 0);
	s->in_order = true;
	s->falls = s->all_fall = false;
}

void
tl_store_free(struct tl_store *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->words);
	free(s->runs);
	free(s);
}

struct tl_sink *
tl_store_sink(struct tl_store *s)
{
	return &s->sink;
}

uint64_t
tl_store_count(const struct tl_store *s)
{
	return s->total;
}

int
tl_store_newest(const struct tl_store *s, int64_t *ns)
{
	if (!s->any)
		return -ENODATA;
	*ns = s->newest_ns;
	return 0;
}

/* A cursor of one run, in either direction. */
struct run_cursor {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	const struct tl_store *store;
	const uint64_t *memory; /* NULL: the run is in the file */
	uint64_t at;            /* offset in the file, in words */
	size_t count;
	size_t place; /* where the next event begins, or ends if backward */
	bool backward;
	size_t window_at; /* place of the window in the run, in words */
	size_t window_count;
	uint64_t window[];
};

/* Get count words from a place of the run.  Returns NULL if the file cannot be
 * read. */
static const uint64_t *
look(struct run_cursor *c, size_t place, size_t count)
{
	size_t from = place, size = WINDOW_WORDS;

	if (c->memory)
		return c->memory + place;
	if (place >= c->window_at &&
	    place + count <= c->window_at + c->window_count)
		return c->window + (place - c->window_at);
	if (c->backward)
		from = place + count > size ? place + count - size : 0;
	if (size > c->count - from)
		size = c->count - from;
	if (tl_read_at(c->store->fd, c->window, size * sizeof(*c->window),
		(c->at + from) * sizeof(*c->window)) !=
	    (int64_t)(size * sizeof(*c->window)))
		return NULL;
	c->window_at = from;
	c->window_count = size;
	return c->window + (place - from);
}

static int
run_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct run_cursor *c = (struct run_cursor *)(void *)cursor;
	const uint64_t *words;
	size_t size;

	if (c->place == (c->backward ? 0 : c->count))
		return 0;
	words = look(c, c->backward ? c->place - 1 : c->place, 1);
	if (!words)
		return -EIO;
	size = tl_store_size(*words);
	assert(size <= (c->backward ? c->place : c->count - c->place));
	words = look(c, c->backward ? c->place - size : c->place, size);
	if (!words)
		return -EIO;
	unpack(event, words);
	c->place = c->backward ? c->place - size : c->place + size;
	return 1;
}

static void
run_close(struct tl_cursor *cursor)
{
	free(cursor);
}

/* Open run i.  The run after the last spilled run is in memory. */
static int
open_run(const struct tl_store *s, size_t i, enum tl_order order,
    struct tl_cursor **cursor)
{
	const bool in_memory = i == s->run_count;
	const size_t window = in_memory ? 0 : WINDOW_WORDS;
	struct run_cursor *c =
	    malloc(sizeof(*c) + window * sizeof(c->window[0]));

	if (!c)
		return -ENOMEM;
	*c = (struct run_cursor){ .cursor = { run_next, run_close },
		.store = s,
		.memory = in_memory ? s->words : NULL,
		.at = in_memory ? 0 : s->runs[i].at,
		.count = in_memory ? s->count : s->runs[i].count,
		.backward = order == TL_NEWEST_FIRST };
	c->place = c->backward ? c->count : 0;
	*cursor = &c->cursor;
	return 0;
}

/* Newest first, the merge gives events of equal time by the lowest index, so
 * the last run comes first, unless the whole input ran backwards. */
int
tl_store_cursor(struct tl_store *s, enum tl_order order,
    struct tl_cursor **cursor)
{
	const size_t count = s->run_count + 1;
	struct tl_cursor **runs;
	int rc = 0;

	assert(s->finished);
	if (count == 1)
		return open_run(s, 0, order, cursor);
	if (!(runs = calloc(count, sizeof(struct tl_cursor *))))
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = open_run(s, s->all_fall ? i : count - 1 - i, order,
		    &runs[i]);
	if (rc == 0)
		rc = tl_merge_new(cursor, runs, NULL, count, order);
	else
		for (size_t i = 0; i < count; i++)
			tl_cursor_close(runs[i]);
	free(runs);
	return rc;
}
