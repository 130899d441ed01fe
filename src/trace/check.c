/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - check the cells of an index, and survey streams without one.
 */
#include "trace/opened.h"

#include "base/array.h"
#include "base/file.h"
#include "trace/point.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* == survey == */

/* A container with a known begin.  Containers whose begin is lost count as
 * orphans of the container around them. */
struct level {
	uint64_t start;  /* logical offset of the content */
	uint64_t number; /* number of spans open in the content */
	uint64_t orphans;
	uint64_t children;
	uint64_t marked;
};

struct pass {
	struct tl_survey *survey;
	struct tl_walk walk;
	struct level *levels; /* levels[0]: the thread itself */
	size_t depth;         /* index of the innermost level */
	size_t capacity;
};

static int
add_child(struct pass *p, uint64_t at)
{
	struct tl_survey *s = p->survey;
	struct level *top = &p->levels[p->depth];

	if (at - top->marked >= TL_TRACE_MARK_EVERY) {
		if (TL_ARRAY_ROOM(s->marks, s->mark_capacity, s->mark_count) <
		    0)
			return -ENOMEM;
		s->marks[s->mark_count++] = (struct tl_survey_mark){ top->start,
			top->children, at, top->orphans };
		top->marked = at;
	}
	top->children++;
	return 0;
}

static int
open_level(struct pass *p)
{
	const struct level *top = &p->levels[p->depth];
	const uint64_t number = top->number + top->orphans + 1;

	if (p->depth >= TL_TRACE_DEPTH_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(p->levels, p->capacity, p->depth + 1) < 0)
		return -ENOMEM;
	p->levels[++p->depth] = (struct level){ .start = p->walk.at,
		.number = number,
		.marked = p->walk.at };
	return 0;
}

/* End the innermost container.  A small container gets no entry. */
static int
close_level(struct pass *p, uint64_t end, enum tl_survey_end how)
{
	struct tl_survey *s = p->survey;
	const struct level *top = &p->levels[p->depth--];

	if (end - top->start < TL_TRACE_CELL_MIN)
		return 0;
	if (TL_ARRAY_ROOM(s->spans, s->span_capacity, s->span_count) < 0)
		return -ENOMEM;
	s->spans[s->span_count++] =
	    (struct tl_survey_span){ top->start, end, top->children, how };
	return 0;
}

static int
take_point(struct pass *p, const struct tl_point *point, uint64_t at)
{
	struct level *top = &p->levels[p->depth];
	int rc;

	if (point->kind != TL_TRACE_FOOTER) {
		rc = add_child(p, at);
		if (rc == 0 && point->kind == TL_TRACE_SPAN)
			rc = open_level(p);
		return rc;
	}
	if (top->orphans == 0 && p->depth > 0)
		return close_level(p, at, TL_SURVEY_FOOTER);
	rc = point->silent ? 0 : add_child(p, at);
	if (top->orphans > 0)
		top->orphans--;
	return rc;
}

static int
take_block(struct pass *p)
{
	const struct tl_trace_block *block =
	    &p->walk.lane->blocks[p->walk.block].block;
	const struct level *top = &p->levels[p->depth];
	int rc = 0;

	if (block->depth == top->number + top->orphans)
		return 0;
	while (rc == 0 && p->levels[p->depth].number > block->depth)
		rc = close_level(p, block->logical, TL_SURVEY_HOLE);
	p->levels[p->depth].orphans = block->depth - p->levels[p->depth].number;
	return rc;
}

static int
go_through(struct pass *p)
{
	struct tl_point point;
	int rc = 0;

	while (rc == 0) {
		const uint64_t at = p->walk.at;

		rc = tl_walk_next(&p->walk, &point);
		if (rc == TL_WALK_END)
			break;
		if (rc == TL_WALK_POINT)
			rc = take_point(p, &point, at);
		else if (rc == TL_WALK_BLOCK)
			rc = take_block(p);
	}
	while (rc == 0 && p->depth > 0)
		rc = close_level(p, p->walk.at, TL_SURVEY_STREAM);
	return rc;
}

static int
by_start(const void *a, const void *b)
{
	const struct tl_survey_span *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

static int
by_number(const void *a, const void *b)
{
	const struct tl_survey_mark *p = a, *q = b;

	if (p->start != q->start)
		return p->start < q->start ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static int
make(struct tl_trace *trace, struct tl_trace_lane *lane, struct tl_survey *s)
{
	struct pass p = { .survey = s };
	int rc = TL_ARRAY_ROOM(p.levels, p.capacity, 0);

	tl_walk_init(&p.walk, trace, lane);
	if (rc == 0) {
		p.levels[0] = (struct level){ 0 };
		rc = go_through(&p);
	}
	tl_walk_free(&p.walk);
	free(p.levels);
	if (s->span_count > 1)
		qsort(s->spans, s->span_count, sizeof(*s->spans), by_start);
	if (s->mark_count > 1)
		qsort(s->marks, s->mark_count, sizeof(*s->marks), by_number);
	return rc;
}

const struct tl_survey *
tl_survey_get(struct tl_trace *trace, struct tl_trace_lane *lane, int *rc)
{
	*rc = 0;
	if (lane->survey || lane->plain)
		return lane->survey;
	lane->survey = calloc(1, sizeof(*lane->survey));
	*rc = lane->survey ? make(trace, lane, lane->survey) : -ENOMEM;
	if (*rc == 0)
		return lane->survey;
	tl_survey_free(lane->survey);
	lane->survey = NULL;
	lane->plain = *rc == -ENOMEM || *rc == -ENOSPC;
	if (lane->plain)
		*rc = 0;
	return NULL;
}

void
tl_survey_free(struct tl_survey *survey)
{
	if (!survey)
		return;
	free(survey->spans);
	free(survey->marks);
	free(survey);
}

const struct tl_survey_span *
tl_survey_find_span(const struct tl_survey *s, uint64_t start)
{
	const struct tl_survey_span key = { .start = start };

	if (s->span_count == 0)
		return NULL;
	return bsearch(&key, s->spans, s->span_count, sizeof(key), by_start);
}

const struct tl_survey_mark *
tl_survey_find_mark(const struct tl_survey *s, uint64_t start, uint64_t number)
{
	const struct tl_survey_mark key = { .start = start, .number = number };
	size_t i;

	TL_SEARCH(i, 0, s->mark_count, by_number(&s->marks[i], &key) <= 0);
	return i > 0 && s->marks[i - 1].start == start ? &s->marks[i - 1]
						       : NULL;
}

/* == check == */

/* Read the object at the current place, which may be the first of a block. */
static int
next_point(struct tl_walk *walk, struct tl_point *point)
{
	int rc;

	do {
		rc = tl_walk_next(walk, point);
	} while (rc == TL_WALK_BLOCK);
	return rc;
}

int
tl_check_jump(struct tl_walk *walk, uint64_t level, uint32_t message,
    struct tl_point *footer)
{
	struct tl_trace_lane *lane = walk->lane;
	const struct tl_span_place *span =
	    lane->holes ? NULL : tl_trace_lane_span(lane, walk->at);
	int rc;

	if (!span)
		return 0;
	if (span->depth + UINT64_C(1) != level)
		return TL_CELL_WRONG;
	rc = tl_walk_seek(walk, span->end);
	if (rc == 0)
		rc = next_point(walk, footer);
	if (rc == TL_WALK_POINT && footer->kind == TL_TRACE_FOOTER &&
	    footer->message == message &&
	    footer->size == span->end - span->start &&
	    footer->children <= footer->size / TL_POINT_SIZE_MIN)
		return 1;
	if (rc < 0 && rc != -EBADMSG)
		return rc;
	return lane->holes ? tl_walk_seek(walk, span->start) : TL_CELL_WRONG;
}

/* State of counting the children of a container. */
struct count {
	struct tl_walk walk;
	struct tl_inside inside;
	uint64_t level; /* number of spans open in the content */
	uint64_t to;
	uint64_t children;
	bool over; /* the last child has no end */
};

static int
count_point(struct count *c, const struct tl_point *point)
{
	const bool inside = c->inside.nested > 0;
	struct tl_point footer;
	int rc;

	if (point->kind == TL_TRACE_FOOTER && !inside)
		return TL_CELL_WRONG; /* the container itself would end here */
	c->children += tl_inside_step(&c->inside, point->kind, point->silent);
	if (inside || point->kind != TL_TRACE_SPAN || c->walk.lane->holes)
		return 0;
	if (tl_trace_lane_open(c->walk.lane, c->walk.at)) {
		c->over = true;
		return 0;
	}
	rc = tl_check_jump(&c->walk, c->level + 1, point->message, &footer);
	if (rc == 1)
		c->inside.nested = 0;
	return rc < 0 ? rc : 0;
}

static int
count_all(struct count *c)
{
	const struct tl_trace_lane *lane = c->walk.lane;
	struct tl_point point;
	int rc = 0;

	while (rc == 0 && !c->over && !lane->holes &&
	       (c->inside.nested > 0 || c->walk.at < c->to)) {
		rc = next_point(&c->walk, &point);
		if (rc == TL_WALK_END)
			break;
		if (rc == TL_WALK_POINT)
			rc = count_point(c, &point);
	}
	return rc < 0 ? rc : 0;
}

/* Does the child with this number begin at c->to?  Counted from a mark; NULL:
 * from the first child.  If c->to is the end of the stream, number must be the
 * number of children. */
static int
check_count(struct tl_trace *trace, struct tl_trace_lane *lane, struct count *c,
    uint64_t content, const struct tl_mark_place *from, uint64_t number)
{
	const uint64_t begin = from ? from->at : content;
	int rc;

	tl_walk_init(&c->walk, trace, lane);
	c->children = from ? from->number : 0;
	rc = begin == 0 ? 0 : tl_walk_seek(&c->walk, begin);
	if (rc == 0)
		rc = count_all(c);
	tl_walk_free(&c->walk);
	/* a failed seek is damage, unless blocks are lost in the stream */
	if (lane->holes)
		return rc == -EBADMSG ? 0 : rc;
	if (rc < 0)
		return rc == -EBADMSG ? TL_CELL_WRONG : rc;
	if (c->over ? c->to != lane->size : c->walk.at != c->to)
		return TL_CELL_WRONG;
	if (c->inside.nested > 0 && c->to != lane->size)
		return TL_CELL_WRONG;
	return c->children == number ? 0 : TL_CELL_WRONG;
}

static bool
is_trusted(const struct tl_trace *trace, const struct tl_trace_lane *lane)
{
	return trace->state != TL_INDEX_READ || lane->holes;
}

int
tl_check_mark(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, struct tl_mark_place *mark)
{
	struct count c = { .level = mark->depth, .to = mark->at };
	int rc;

	if (mark->checked || is_trusted(trace, lane))
		return 0;
	rc = check_count(trace, lane, &c, content,
	    tl_trace_lane_mark(lane, content, mark->at, mark->depth,
		UINT64_MAX),
	    mark->number);
	mark->checked = rc == 0;
	return rc;
}

/* Check the number of children of a container that lasts to the end of the
 * stream. */
static int
check_to_end(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, uint32_t level, uint64_t number)
{
	struct count c = { .level = level, .to = lane->size };

	return check_count(trace, lane, &c, content,
	    tl_trace_lane_mark(lane, content, lane->size, level, UINT64_MAX),
	    number);
}

int
tl_check_open(struct tl_trace *trace, struct tl_trace_lane *lane,
    struct tl_mark_place *open)
{
	int rc;

	if (open->checked || is_trusted(trace, lane))
		return 0;
	rc = check_to_end(trace, lane, open->at, open->depth + 1, open->number);
	open->checked = rc == 0;
	return rc;
}

int
tl_check_root(struct tl_trace *trace, struct tl_trace_lane *lane)
{
	int rc;

	if (lane->checked || is_trusted(trace, lane))
		return 0;
	rc = check_to_end(trace, lane, 0, 0, lane->children);
	lane->checked = rc == 0;
	return rc;
}

/* == mend == */

/* Replace the cells of a lane by rebuilt cells. */
static void
take_cells(struct tl_trace_lane *lane, struct tl_trace_lane *made)
{
	/* without rebuilt cells all blocks of the lane are damaged */
	struct tl_trace_lane none = { .holes = true,
		.children = lane->children };

	if (!made)
		made = &none;
	free(lane->spans);
	free(lane->marks);
	free(lane->open);
	lane->spans = made->spans;
	lane->span_count = made->span_count;
	lane->span_capacity = made->span_capacity;
	lane->marks = made->marks;
	lane->mark_count = made->mark_count;
	lane->mark_capacity = made->mark_capacity;
	lane->open = made->open;
	lane->open_count = made->open_count;
	lane->open_capacity = made->open_capacity;
	lane->children = made->children;
	lane->holes |= made->holes;
	made->spans = NULL;
	made->marks = made->open = NULL;
}

static void
take_index(struct tl_trace *t, struct tl_index *made)
{
	const struct tl_text bytes = t->index.bytes;

	t->index.bytes = made->bytes;
	made->bytes = bytes;
	for (size_t i = 0; i < t->index.lane_count; i++) {
		struct tl_trace_lane *lane = &t->index.lanes[i];
		size_t k = 0;

		while (k < made->lane_count && made->lanes[k].id != lane->id)
			k++;
		take_cells(lane, k < made->lane_count ? &made->lanes[k] : NULL);
		if (!t->trees.roots[i].chunks)
			t->trees.roots[i].child_count = lane->children;
	}
}

/* Rebuild the index quietly.  Damage has been reported, or will be when it is
 * read. */
static int
make_again(struct tl_trace *t)
{
	struct tl_trace_read_options quiet = t->options;
	struct tl_index made = { .data = t->index.data,
		.options = &quiet,
		.header = t->index.header,
		.seed = t->index.seed,
		.context = &t->context };
	int rc;

	quiet.report.say = NULL;
	rc = tl_index_rebuild(&made);
	if (rc == 0)
		take_index(t, &made);
	tl_index_clear(&made);
	tl_text_free(&made.bytes);
	return rc;
}

void
tl_trace_mend(struct tl_trace *t, struct tl_trace_lane *lane)
{
	const struct tl_trace_report *report = &t->options.report;

	if (t->state == TL_INDEX_READ) {
		tl_trace_say(report, 0, TL_FAULT_NOWHERE,
		    "the index is not used: a cell of thread %" PRId32
		    " is not what it points to",
		    lane->id);
		if (make_again(t) == 0) {
			t->state = TL_INDEX_BROKEN;
			tl_trace_write_back(t);
			return;
		}
	} else {
		t->index.damage++; /* no writer makes such cells */
	}
	lane->holes = true;
	tl_trace_say(report, 0, TL_FAULT_NOWHERE,
	    "thread %" PRId32 " is read without an index", lane->id);
}

/* Is the file still the file that was read, and not locked by a writer?
 * Otherwise the writer makes the index. */
static bool
is_ours(const struct tl_trace *t, const char *path, struct stat *st)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t bytes[TL_TRACE_HEADER_SIZE], same[TL_TRACE_HEADER_SIZE];
	bool ours;

	if (fd < 0)
		return false;
	tl_trace_header_put(same, &t->index.header);
	ours = fstat(fd, st) == 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
	       (uint64_t)st->st_size == t->index.data->size &&
	       pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) &&
	       memcmp(bytes, same, sizeof(bytes)) == 0;
	close(fd);
	return ours;
}

/* Write the index, with the mode of the data file.  This process is the
 * owner. */
static int
write_index(const struct tl_trace *t, const char *path, mode_t mode)
{
	const struct tl_bytes bytes = tl_trace_index_bytes(t);
	struct tl_file_new file;
	int rc = tl_file_new_begin(&file, path);

	if (rc < 0)
		return rc;
	rc = tl_write_at(file.fd, bytes.data, bytes.size, 0);
	if (rc == 0 && fchmod(file.fd, mode & 0666) < 0)
		rc = -errno;
	if (rc == 0)
		return tl_file_new_commit(&file);
	tl_file_new_abort(&file);
	return rc;
}

void
tl_trace_write_back(const struct tl_trace *t)
{
	struct tl_text name = { 0 };
	struct stat st;

	if (!t->path || t->state == TL_INDEX_READ || !is_ours(t, t->path, &st))
		return;
	tl_put_string(&name, t->path);
	tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
	if (name.rc == 0 &&
	    write_index(t, tl_text_string(&name), st.st_mode) == 0 &&
	    t->state == TL_INDEX_BROKEN)
		tl_trace_say(&t->options.report, 0, TL_FAULT_NOWHERE,
		    "the index was made again");
	tl_text_free(&name);
}
