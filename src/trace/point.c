/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.c - encode and decode events as objects, and follow their containers.
 */
#include "trace/point.h"

#include <errno.h>
#include <stdlib.h>

/* == objects == */

enum {
	ARGS = 0x0007, /* number of arguments */
	BARE = 0x0008,
	WILL_PROVE = 0x0008,  /* in a begin: the end will be proven */
	OVERWRITTEN = 0x0008, /* in a loss */
	WHAT = 0x0070,        /* kind of the event, enum tl_kind */
	WHAT_SHIFT = 4,
	TSC = 0x0080,
	NUMBER = 0x0100,
	CPU = 0x0200,
	WHO = 0x0400,
	ERROR = 0x0800,
	EPOCH = 0x1000,
	LANE = 0x2000,
	SILENT = 0x4000,
	UNREAD = 0x4000,    /* in a loss */
	LEVEL = 0x8000,     /* in a loss */
	CONTINUED = 0x8000, /* in a begin */
	BEGUN = 0x8000,    /* in an end: the stamp of its begin, which proves */
	SAID = 0xc000,     /* in an end: what is known of its begin, a byte: */
	SAID_BEGUN = 0x03, /* enum tl_begun */
	IS_PROVEN = 0x04,
	IS_LAST = 0x08,  /* the begin is the event before */
	HAS_TIME = 0x10, /* otherwise its time is the end's less the duration */
	SIZE_BITS = 4    /* bits for the size of one argument */
};

static unsigned
count_args(const struct tl_event *event)
{
	unsigned count = event->known ? 0 : TL_ARGS_MAX;

	while (count > 0 && event->args[count - 1] == 0)
		count--;
	return count;
}

static uint16_t
flags_of(const struct tl_point *point, const struct tl_point_state *state,
    unsigned argc)
{
	const struct tl_event *e = &point->event;
	unsigned flags = argc | (unsigned)e->kind << WHAT_SHIFT;

	if (e->kind == TL_BEGIN)
		flags |= e->proven ? WILL_PROVE : 0;
	else
		flags |= e->bare ? BARE : 0;
	flags |= e->tsc != state->tsc ? TSC : 0;
	flags |= e->number != state->number + 1 ? NUMBER : 0;
	flags |= e->cpu != state->cpu ? CPU : 0;
	flags |= e->pid != state->pid || e->tid != state->tid ? WHO : 0;
	flags |= e->error_ns != state->error_ns ? ERROR : 0;
	flags |= e->epoch != state->epoch ? EPOCH : 0;
	flags |= e->lane != state->lane ? LANE : 0;
	flags |= point->silent ? SILENT : 0;
	if (e->kind == TL_LOST)
		flags |= (e->level ? LEVEL : 0) |
			 (e->overwritten ? OVERWRITTEN : 0) |
			 (e->unread ? UNREAD : 0);
	flags |= e->kind == TL_BEGIN && e->continued ? CONTINUED : 0;
	if (e->kind == TL_END &&
	    (tl_event_is_stamped(e) || e->begun == TL_BEGUN_NONE))
		flags |=
		    e->proven && e->begun != TL_BEGUN_UNSURE ? BEGUN : SAID;
	return (uint16_t)flags;
}

static uint8_t *
put_begun(uint8_t *to, const struct tl_point_state *state,
    const struct tl_event *e, unsigned flags)
{
	const uint64_t since_ns = (uint64_t)e->ns - (uint64_t)e->begun_ns;
	const bool is_timed = since_ns == (uint64_t)e->duration_ns;
	uint8_t said = e->begun | (e->proven ? IS_PROVEN : 0);

	if ((flags & SAID) == SAID) {
		if (!is_timed)
			said |= HAS_TIME;
		else if (e->begun_tsc == state->tsc && e->begun_ns == state->ns)
			said |= IS_LAST;
		*to++ = said;
	}
	if (said & IS_LAST || !tl_event_is_stamped(e))
		return to;
	to = tl_data_write_varint(to, e->tsc - e->begun_tsc);
	to = tl_data_write_varint(to, (uint64_t)e->duration_ns);
	if ((flags & SAID) != SAID || said & HAS_TIME)
		to = tl_data_write_folded(to, (int64_t)(0 - since_ns));
	return to;
}

static uint8_t *
put_fields(uint8_t *to, const struct tl_point_state *state,
    const struct tl_event *e, unsigned flags)
{
	if (flags & TSC)
		to = tl_data_write_folded(to, (int64_t)(e->tsc - state->tsc));
	if (flags & NUMBER)
		to = tl_data_write_folded(to,
		    (int64_t)(e->number - state->number - 1));
	if (flags & CPU)
		to = tl_data_write_varint(to, e->cpu);
	if (flags & WHO) {
		to = tl_data_write_varint(to, e->pid);
		to = tl_data_write_varint(to, e->tid);
	}
	if (flags & ERROR)
		to = tl_data_write_varint(to, e->error_ns);
	if (flags & EPOCH)
		to = tl_data_write_varint(to, e->epoch);
	if (flags & LANE)
		to = tl_data_write_varint(to, e->lane);
	if (e->kind == TL_LOST && flags & LEVEL)
		*to++ = e->level;
	if (e->kind == TL_END && flags & BEGUN)
		to = put_begun(to, state, e, flags);
	return to;
}

/* The number of bytes of a number without leading zeros. */
static unsigned
size_of(uint64_t n)
{
	return n ? (71 - (unsigned)__builtin_clzll(n)) / 8 : 0;
}

/* Each argument is written as eight bytes, of which the next one takes those
 * that are not needed. */
static uint8_t *
put_args(uint8_t *to, const struct tl_event *e, unsigned argc)
{
	uint8_t *const start = to;
	unsigned sizes = 0;

	to += sizeof(uint16_t);
	for (unsigned i = 0; i < argc; i++) {
		const unsigned size = size_of(e->args[i]);
		const uint64_t n =
		    size ? __builtin_bswap64(e->args[i] << (64 - 8 * size)) : 0;

		memcpy(to, &n, sizeof(n));
		to += size;
		sizes |= size << SIZE_BITS * i;
	}
	start[0] = (uint8_t)(sizes >> 8);
	start[1] = (uint8_t)sizes;
	return to;
}

static void
keep(struct tl_point_state *state, const struct tl_event *e)
{
	state->ns = e->ns;
	state->tsc = e->tsc;
	state->number = e->number;
	state->cpu = e->cpu;
	state->pid = e->pid;
	state->tid = e->tid;
	state->epoch = e->epoch;
	state->lane = e->lane;
	state->error_ns = e->error_ns;
}

void
tl_point_put(struct tl_data_out *out, struct tl_point_state *state,
    const struct tl_point *point)
{
	const struct tl_event *e = &point->event;
	const unsigned argc = count_args(e);
	const uint16_t flags = flags_of(point, state, argc);
	uint8_t *to = tl_data_room(out, TL_POINT_SIZE_MAX);

	if (!to)
		return;
	*to++ = point->kind;
	*to++ = (uint8_t)(flags >> 8);
	*to++ = (uint8_t)flags;
	to = tl_data_write_varint(to,
	    point->kind == TL_TRACE_LOSS ? e->lost : point->message);
	to = tl_data_write_folded(to,
	    (int64_t)((uint64_t)e->ns - (uint64_t)state->ns));
	to = put_fields(to, state, e, flags);
	if (point->kind == TL_TRACE_FOOTER) {
		to = tl_data_write_varint(to, point->children);
		to = tl_data_write_varint(to, point->size);
	}
	if (argc > 0)
		to = put_args(to, e, argc);
	out->size = (size_t)(to - out->data);
	keep(state, e);
}

static void
get_begun(struct tl_event *e, const struct tl_point_state *state,
    struct tl_data_in *in, unsigned flags)
{
	const unsigned said =
	    (flags & SAID) == SAID ? tl_data_u8(in) : IS_PROVEN | HAS_TIME;

	e->proven = said & IS_PROVEN;
	e->begun = said & SAID_BEGUN;
	if (!tl_event_is_stamped(e))
		return;
	e->begun_tsc = state->tsc;
	e->begun_ns = state->ns;
	e->duration_ns =
	    (int64_t)(((uint64_t)e->ns - (uint64_t)state->ns) & INT64_MAX);
	if (said & IS_LAST)
		return;
	e->begun_tsc = e->tsc - tl_data_varint(in);
	e->duration_ns = (int64_t)(tl_data_varint(in) & INT64_MAX);
	e->begun_ns = (int64_t)((uint64_t)e->ns - (uint64_t)e->duration_ns);
	if (said & HAS_TIME)
		e->begun_ns =
		    (int64_t)((uint64_t)e->ns + (uint64_t)tl_data_folded(in));
}

static void
get_args(struct tl_event *e, struct tl_data_in *in, unsigned argc)
{
	unsigned sizes = tl_data_u16(in);

	for (unsigned i = 0; i < argc; i++, sizes >>= SIZE_BITS) {
		const unsigned size = sizes & 15;
		const uint8_t *from;
		uint64_t n = 0;

		if (size > sizeof(n)) {
			in->bad = true;
			return;
		}
		from = tl_data_take(in, size);
		if (from)
			memcpy((uint8_t *)&n + sizeof(n) - size, from, size);
		e->args[i] = __builtin_bswap64(n);
	}
}

/* Do the kind of the object, the kind of the event and the flags match? */
static bool
is_sane(const struct tl_point *point, unsigned flags)
{
	const unsigned what = point->event.kind;

	if (what < TL_INSTANT || what > TL_LOST || (flags & ARGS) > TL_ARGS_MAX)
		return false;
	if (flags & LEVEL && what != TL_LOST && what != TL_BEGIN &&
	    what != TL_END)
		return false;
	switch (point->kind) {
	case TL_TRACE_POINT:
		return what != TL_LOST;
	case TL_TRACE_LOSS:
		return what == TL_LOST;
	case TL_TRACE_SPAN:
		return what == TL_BEGIN;
	case TL_TRACE_FOOTER:
		return what == TL_END;
	default:
		return false;
	}
}

int
tl_point_get(struct tl_point *point, struct tl_point_state *state,
    struct tl_data_in *in)
{
	struct tl_event *e = &point->event;
	unsigned flags;

	memset(point, 0, sizeof(*point));
	point->kind = tl_data_u8(in);
	flags = tl_data_u16(in);
	e->kind = (flags & WHAT) >> WHAT_SHIFT;
	if (e->kind == TL_LOST) {
		e->overwritten = flags & OVERWRITTEN;
		e->unread = flags & UNREAD;
	} else {
		e->bare = e->kind != TL_BEGIN && flags & BARE;
		point->silent =
		    flags & SILENT && !(e->kind == TL_END && flags & BEGUN);
	}
	if (!is_sane(point, flags))
		return -EBADMSG;
	if (point->kind == TL_TRACE_LOSS)
		e->lost = tl_data_varint(in);
	else
		point->message = tl_data_varint32(in);
	e->ns = (int64_t)((uint64_t)state->ns + (uint64_t)tl_data_folded(in));
	e->tsc = state->tsc;
	e->number = state->number + 1;
	e->cpu = state->cpu;
	e->pid = state->pid;
	e->tid = state->tid;
	e->error_ns = state->error_ns;
	e->epoch = state->epoch;
	e->lane = state->lane;
	if (flags & TSC)
		e->tsc += (uint64_t)tl_data_folded(in);
	if (flags & NUMBER)
		e->number += (uint64_t)tl_data_folded(in);
	if (flags & CPU)
		e->cpu = tl_data_varint32(in);
	if (flags & WHO) {
		e->pid = tl_data_varint32(in);
		e->tid = tl_data_varint32(in);
	}
	if (flags & ERROR)
		e->error_ns = tl_data_varint32(in);
	if (flags & EPOCH)
		e->epoch = tl_data_varint32(in);
	if (flags & LANE)
		e->lane = tl_data_varint32(in);
	if (e->kind == TL_LOST && flags & LEVEL)
		e->level = tl_data_u8(in);
	e->continued = e->kind == TL_BEGIN && flags & CONTINUED;
	if (e->kind == TL_BEGIN)
		e->proven = flags & WILL_PROVE;
	if (e->kind == TL_END && flags & BEGUN)
		get_begun(e, state, in, flags);
	if (point->kind == TL_TRACE_FOOTER) {
		point->children = tl_data_varint(in);
		point->size = tl_data_varint(in);
	}
	if (flags & ARGS)
		get_args(e, in, flags & ARGS);
	if (in->bad)
		return -EBADMSG;
	keep(state, e);
	return 0;
}

/* == containers == */

enum { LEVELS_FIRST = 8, CELLS_FIRST = 8 * TL_CELL_SIZE, CELLS_PER_OBJECT = 2 };

int
tl_shape_init(struct tl_shape *shape)
{
	*shape = (struct tl_shape){ 0 };
	shape->levels = calloc(LEVELS_FIRST, sizeof(*shape->levels));
	if (!shape->levels)
		return -ENOMEM;
	shape->capacity = LEVELS_FIRST;
	return 0;
}

void
tl_shape_free(struct tl_shape *shape)
{
	free(shape->levels);
	free(shape->cells);
	*shape = (struct tl_shape){ 0 };
}

static int
grow_levels(struct tl_shape *shape)
{
	const uint32_t capacity = shape->capacity * 2;
	struct tl_shape_level *levels;

	if (shape->capacity >= TL_TRACE_DEPTH_MAX)
		return -ENOSPC;
	levels = realloc(shape->levels, capacity * sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	shape->levels = levels;
	shape->capacity = capacity;
	return 0;
}

static int
grow_cells(struct tl_shape *shape)
{
	const size_t capacity =
	    shape->cells_capacity ? shape->cells_capacity * 2 : CELLS_FIRST;
	uint8_t *cells = realloc(shape->cells, capacity);

	if (!cells)
		return -ENOMEM;
	shape->cells = cells;
	shape->cells_capacity = capacity;
	return 0;
}

int
tl_shape_reserve(struct tl_shape *shape)
{
	const size_t room = CELLS_PER_OBJECT * TL_CELL_SIZE;
	int rc = 0;

	if (shape->cells_capacity - shape->cells_size < room)
		rc = grow_cells(shape);
	if (rc == 0 && shape->capacity - shape->depth < 2)
		rc = grow_levels(shape);
	return rc;
}

static void
put_cell(struct tl_shape *shape, uint8_t kind, uint64_t start, uint64_t end)
{
	const struct tl_cell cell = { .kind = kind,
		.id = (int32_t)shape->depth,
		.start = (int64_t)start,
		.end = (int64_t)end };

	tl_cell_put(shape->cells + shape->cells_size, &cell);
	shape->cells_size += TL_CELL_SIZE;
}

void
tl_shape_child(struct tl_shape *shape, uint64_t at)
{
	struct tl_shape_level *top = tl_shape_top(shape);

	if (at - top->marked >= TL_TRACE_MARK_EVERY) {
		put_cell(shape, TL_TRACE_MARK, at, top->children);
		top->marked = at;
	}
	top->children++;
}

void
tl_shape_begin(struct tl_shape *shape, uint64_t content, uint64_t user)
{
	shape->depth++;
	*tl_shape_top(shape) = (struct tl_shape_level){ .start = content,
		.marked = content,
		.user = user };
}

void
tl_shape_end(struct tl_shape *shape, uint64_t at)
{
	const uint64_t start = tl_shape_top(shape)->start;

	shape->depth--;
	if (at - start >= TL_TRACE_CELL_MIN)
		put_cell(shape, TL_TRACE_SPAN, start, at);
}
