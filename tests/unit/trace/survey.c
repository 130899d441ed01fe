/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survey.c - a damaged trace reads the same with a survey as without one,
 * whatever is lost, and no more of it is read than of a whole trace.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/opened.h"

enum { SEEDS = 12, COUNT = 8000, PROBES = 60, LARGE = 300000, RANGE = 256 };

static struct made made;
static struct program program;
static struct tl_trace *trace, *plain;

static void
setup(void)
{
	fixture_messages();
}

static void
teardown(void)
{
	tl_trace_close(trace);
	tl_trace_close(plain);
	made_free(&made);
	free(program.events);
	program.events = NULL;
	trace = plain = NULL;
}

/*
 * Make one of three shapes: random events; spans around very many small spans,
 * ending one by one; spans that nest deeply, up and down.
 */
static void
make(uint64_t seed)
{
	const unsigned shape = seed % 3;

	program = random_program(seed, COUNT, 1 + seed % 2);
	for (size_t i = 0; shape > 0 && i < program.count; i++) {
		struct tl_event *e = &program.events[i];
		const unsigned turn = (unsigned)(i / 2 % 1200);

		if (e->kind == TL_LOST || e->message->scope == TIMELINE_SOURCE)
			continue;
		e->message = &messages[i / 2 % SPANS];
		if (shape == 1 && i >= 300 && i / 2 % 1000 != 0) {
			const unsigned third = (unsigned)(i / 2 % 3);

			e->message = &messages[0];
			e->kind = third == 0   ? TL_BEGIN
				  : third == 1 ? TL_INSTANT
					       : TL_END;
		} else if (shape == 1)
			e->kind = i < 300 ? TL_BEGIN : TL_END;
		else
			e->kind = turn < 600 ? TL_BEGIN : TL_END;
		if (e->kind == TL_INSTANT)
			e->message = &messages[INSTANT_MESSAGE];
		e->bare = e->kind == TL_END;
		e->continued = false;
		e->level = e->message->level;
		memset(e->args, 0, sizeof(e->args));
	}
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 1024 }),
	    0);
}

/* Change some bytes or clear some pieces; sometimes cut off the end. */
static void
damage(uint64_t seed)
{
	const size_t size = made.data.size;

	if (seed % 2) /* lose the first begins */
		memset(made.data.data + 2500, 0, 4000);
	for (unsigned i = 0; i < 1 + seed % 4; i++) {
		const size_t at =
		    TL_TRACE_HEADER_SIZE + random_below(&seed, size - 5000);
		const size_t piece = random_below(&seed, 4000);

		if (random_below(&seed, 2))
			made.data.data[at] ^= 0x20;
		else
			memset(made.data.data + at, 0, piece);
	}
	if (random_below(&seed, 4) == 0)
		made.data.size -= random_below(&seed, size / 4);
}

static struct tl_trace *
open_damaged(bool with_index, bool is_plain)
{
	struct tl_trace *t;

	ck_assert_int_eq(open_bytes(&t, bytes_of(&made.data),
			     with_index ? bytes_of(&made.index)
					: tl_bytes(NULL, 0)),
	    0);
	for (size_t i = 0; i < t->index.lane_count; i++)
		t->index.lanes[i].plain = is_plain;
	return t;
}

/*
 * Read all events, so that all damage is known before the tests ask for nodes.
 */
static void
find_damage(struct tl_trace *t)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	ck_assert_ok(tl_trace_cursor(t, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0)
		continue;
	tl_cursor_close(cursor);
}

/* Compare a few random children of two nodes. */
static void
probe(struct tl_node *a, struct tl_node *b, uint64_t *seed)
{
	for (unsigned i = 0; i < PROBES && a->child_count > 0; i++) {
		const uint64_t at = random_below(seed, a->child_count);
		const struct tl_node *p, *q;

		ck_assert_ok(tl_trace_load(plain, a, at, 3));
		ck_assert_ok(tl_trace_load(trace, b, at, 3));
		p = tl_node_child(a, at);
		q = tl_node_child(b, at);
		ck_assert_int_eq(p != NULL, q != NULL);
		if (!p)
			continue;
		ck_assert(same_event(&p->event, &q->event));
		ck_assert_uint_eq(p->child_count, q->child_count);
		ck_assert_uint_eq(p->content, q->content);
		ck_assert_uint_eq(p->content_end, q->content_end);
		ck_assert_uint_eq(p->level, q->level);
		ck_assert_uint_eq(p->ended, q->ended);
	}
}

/*
 * Load and compare the children of two nodes; children that one tree lacks must
 * be missing in the other tree, too.
 */
static void
compare_children(struct tl_node *a, struct tl_node *b, uint64_t step)
{
	ck_assert_uint_eq(a->child_count, b->child_count);
	for (uint64_t i = 0; i < a->child_count; i += step) {
		ck_assert(tl_trace_load(plain, a, i, step) == 0);
		ck_assert(tl_trace_load(trace, b, i, step) == 0);
	}
	for (uint64_t i = 0; i < a->child_count; i++) {
		const struct tl_node *p = tl_node_child(a, i);
		const struct tl_node *q = tl_node_child(b, i);

		if (!p && !q)
			continue;
		if (!p || !q || !same_event(&p->event, &q->event) ||
		    p->ended != q->ended || p->content_end != q->content_end ||
		    p->level != q->level)
			ck_abort_msg("other children");
		if (p->ended == TL_NODE_ENDED && !same_event(&p->end, &q->end))
			ck_abort_msg("another end");
	}
}

/* Compare all nodes below two nodes, depth first. */
static void
compare_all(struct tl_node *a, struct tl_node *b, uint64_t step)
{
	uint64_t *place = calloc(COUNT + 1, sizeof(*place)), depth = 0;

	compare_children(a, b, step);
	for (;;) {
		struct tl_node *p;

		if (place[depth] == a->child_count) {
			if (depth-- == 0)
				break;
			a = a->parent;
			b = b->parent;
			continue;
		}
		p = tl_node_child(a, place[depth]++);
		if (!p || p->child_count == 0)
			continue;
		b = tl_node_child(b, place[depth] - 1);
		a = p;
		place[++depth] = 0;
		compare_children(a, b, step);
	}
	free(place);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(what_is_read_with_a_survey_is_what_is_read_without, .to = 2)
{
	unsigned surveyed = 0, spans = 0, marks = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t dice = seed;

		make(seed);
		damage(seed);
		plain = open_damaged(_i, true);
		trace = open_damaged(_i, false);
		find_damage(plain);
		find_damage(trace);
		for (size_t i = 0; i < tl_trace_thread_count(trace); i++) {
			struct tl_node *a = tl_trace_root(plain, i);
			struct tl_node *b = tl_trace_root(trace, i);
			const struct tl_survey *survey;

			probe(a, b, &dice);
			tl_node_forget(a, &tl_trace_trees(plain)->budget);
			tl_node_forget(b, &tl_trace_trees(trace)->budget);
			compare_all(a, b, 100 + seed % 2 * 5000);
			survey = trace->index.lanes[i].survey;
			surveyed += survey != NULL;
			spans += survey ? survey->span_count : 0;
			marks += survey ? survey->mark_count : 0;
			ck_assert_ptr_null(plain->index.lanes[i].survey);
		}
		ck_assert_uint_eq(tl_trace_damage(plain),
		    tl_trace_damage(trace));
		teardown();
	}
	ck_assert_uint_gt(surveyed, SEEDS / 2);
	ck_assert_uint_gt(spans, SEEDS * 10);
	ck_assert_uint_gt(marks, SEEDS);
}

/* == how much is read == */

static struct tl_trace_stream *stream;

static void
put(struct tl_trace_writer *writer, unsigned kind, int64_t ns)
{
	const struct tl_event event = { .kind = (uint8_t)kind,
		.message = &messages[kind == TL_INSTANT ? INSTANT_MESSAGE : 0],
		.ns = ns,
		.bare = kind == TL_END };

	(void)writer;
	if (tl_trace_stream_put(stream, &event) < 0)
		ck_abort_msg("event at %lld", (long long)ns);
}

/* Make a large trace with one damaged block in its middle. */
static void
make_large(bool deep)
{
	struct tl_trace_options options = { .block_size = 16384 };
	struct tl_trace_writer *writer;

	made_begin(&made, &options, &writer);
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes_of("worker")));
	for (int i = 0; i < LARGE; i++)
		put(writer, deep ? TL_BEGIN : TL_INSTANT, i * 1000);
	for (int i = 0; deep && i < LARGE; i++)
		put(writer, TL_END, i * 1000);
	made_end(writer);
	made.data.data[made.data.size / (deep ? 4 : 2)] ^= 0x10;
}

static uint64_t
bytes_read(void)
{
	return ((struct storage *)(void *)trace->index.data)->bytes_read;
}

TEST(children_of_a_wide_damaged_thread_are_read_once)
{
	struct tl_node *root;

	make_large(false);
	trace = open_damaged(false, false);
	ck_assert_uint_gt(tl_trace_damage(trace), 0);
	root = tl_trace_root(trace, 0);
	for (uint64_t i = 0; i < root->child_count; i += RANGE)
		ck_assert_ok(tl_trace_load(trace, root, i, RANGE));
	ck_assert_uint_gt(root->loaded, LARGE * 9 / 10);
	ck_assert_uint_eq(root->loaded, root->child_count);
	ck_assert_uint_lt(bytes_read(), made.data.size * 6);
}

TEST(spans_in_spans_of_a_damaged_thread_are_read_once)
{
	struct tl_node *node;
	uint64_t depth = 0;

	make_large(true);
	trace = open_damaged(false, false);
	ck_assert_uint_gt(tl_trace_damage(trace), 0);
	for (node = tl_trace_root(trace, 0); node && node->child_count > 0;
	     node = tl_node_child(node, 0), depth++)
		ck_assert_ok(tl_trace_load(trace, node, 0, 1));
	ck_assert_uint_gt(depth, LARGE / 4);
	ck_assert_uint_lt(bytes_read(), made.data.size * 12);
}

/*
 * The begins of spans around very many others are lost.  The depth of each
 * inner span must be right wherever reading starts.
 */
TEST(orphans_are_known_at_every_child)
{
	struct tl_trace_options options = { .block_size = 1024 };
	struct tl_trace_writer *writer;
	uint64_t seed = 1;

	made_begin(&made, &options, &writer);
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes_of("worker")));
	for (int i = 0; i < 1000; i++)
		put(writer, TL_BEGIN, i);
	for (int i = 1000; i < LARGE / 8; i++) {
		put(writer, TL_BEGIN, i);
		put(writer, TL_INSTANT, i);
		put(writer, TL_END, i);
	}
	made_end(writer);
	memset(made.data.data + 3000, 0, 3000);
	trace = open_damaged(false, false);
	plain = open_damaged(false, true);
	for (struct tl_node *a = tl_trace_root(plain, 0),
			    *b = tl_trace_root(trace, 0);
	     a; a = tl_node_child(a, 0), b = tl_node_child(b, 0)) {
		if (a->child_count > 1000)
			probe(a, b, &seed);
		ck_assert_ok(tl_trace_load(plain, a, 0, 1));
		ck_assert_ok(tl_trace_load(trace, b, 0, 1));
	}
}
