/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - a trace that was written is read as trees, and as events in both
 * orders; the reference is built in the simplest way.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"

enum { ROUNDS = 40, COUNT = 3000, SIZE_SLACK = 4096 };

static struct made made;
static struct program program;

static void
setup(void)
{
	fixture_messages();
}

static void
teardown(void)
{
	made_free(&made);
	free(program.events);
	program.events = NULL;
}

static struct tl_trace_options
some_options(uint64_t seed)
{
	static const size_t sizes[] = { 1024, 1500, 4096, 0 };

	return (struct tl_trace_options){ .strategy = seed % 3 == 2
							  ? TL_TRACE_COLLECT
							  : TL_TRACE_STREAMING,
		.block_size = sizes[seed / 3 % 4] };
}

static void
make(uint64_t seed, size_t count, unsigned threads)
{
	made_free(&made);
	free(program.events);
	program = random_program(seed, count, threads);
	ck_assert_int_eq(write_program(&made, &program, some_options(seed)), 0);
}

/* Build the reference tree of a thread. */
static struct tl_node *
dumb_end(struct tl_node *at, const struct tl_event *event)
{
	struct tl_node *open = at;

	while (open->parent && open->event.message != event->message)
		open = open->parent;
	if (!open->parent) {
		grow_child(at, event);
		return at;
	}
	for (; at != open; at = at->parent)
		at->ended = TL_NODE_CROSSED;
	open->ended = TL_NODE_ENDED;
	open->end = *event;
	return open->parent;
}

static struct tl_node *
dumb_tree(uint32_t tid)
{
	int rc = 0;
	struct tl_node *root = tl_node_new(&grown_budget, &rc), *at = root;

	for (size_t i = 0; i < program.count; i++) {
		const struct tl_event *e = &program.events[i];

		if (e->tid != tid)
			continue;
		if (e->kind == TL_END && e->message->scope == TIMELINE_THREAD) {
			at = dumb_end(at, e);
			continue;
		}
		struct tl_node *node = grow_child(at, e);

		if (e->kind == TL_BEGIN &&
		    e->message->scope == TIMELINE_THREAD) {
			node->ended = TL_NODE_UNFINISHED;
			at = node;
		}
	}
	place_grown();
	return root;
}

static void
compare_with_dumb(const struct tl_node *tree, uint32_t tid)
{
	struct tl_node *dumb = dumb_tree(tid);

	ck_assert(same_tree(dumb, tree));
	tl_node_free(dumb, &grown_budget);
	ck_assert_uint_eq(grown_budget.used, 0);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

static void
compare_lazily(struct tl_trace *trace, uint64_t step)
{
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++) {
		struct tl_node *root = tl_trace_root(trace, i);

		ck_assert_uint_eq(tl_trace_thread(trace, i)->pid, 100);
		load_all(trace, root, step);
		compare_with_dumb(root, tl_trace_thread(trace, i)->tid);
		tl_node_forget(root, &tl_trace_trees(trace)->budget);
		ck_assert_uint_eq(tl_trace_trees(trace)->budget.used, 0);
	}
}

TEST(what_is_loaded_child_by_child_is_the_same)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_trace *trace;

		make(seed, COUNT, 1 + seed % 5);
		ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
				     bytes_of(&made.index)),
		    0);
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
		ck_assert_uint_eq(fault_count, 0);
		ck_assert_uint_eq(tl_trace_thread_count(trace), 1 + seed % 5);
		compare_lazily(trace, seed % 4);
		compare_lazily(trace, 0);
		ck_assert_uint_eq(tl_trace_damage(trace), 0);
		tl_trace_close(trace);
	}
}

TEST(an_index_made_again_is_the_index_that_was_written)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_trace *trace;

		make(seed, COUNT * 10, 1 + seed % 5);
		ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
				     tl_bytes(NULL, 0)),
		    0);
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_MISSING);
		ck_assert_uint_eq(fault_count, 0);
		ck_assert(tl_bytes_equal(tl_trace_index_bytes(trace),
		    bytes_of(&made.index)));
		tl_trace_close(trace);
	}
}

static int
oldest_first(const void *a, const void *b)
{
	const struct tl_event *p = *(const struct tl_event *const *)a;
	const struct tl_event *q = *(const struct tl_event *const *)b;

	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return (p > q) - (p < q);
}

/*
 * The cursor must return exactly the events of each thread, in their order or
 * in its reverse.
 */
static void
compare_cursor(struct tl_trace *trace, enum tl_order order)
{
	size_t *next = calloc(program.threads, sizeof(*next));
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t count = 0;

	for (unsigned i = 0; order == TL_NEWEST_FIRST && i < program.threads;
	     i++)
		next[i] = program.count;
	ck_assert_ok(tl_trace_cursor(trace, order, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		size_t *at = &next[event.tid - 1000];

		if (order == TL_OLDEST_FIRST) {
			while (program.events[*at].tid != event.tid)
				++*at;
			ck_assert(same_event(&program.events[(*at)++], &event));
		} else {
			while (program.events[--*at].tid != event.tid)
				;
			ck_assert(same_event(&program.events[*at], &event));
		}
		count++;
	}
	tl_cursor_close(cursor);
	ck_assert_uint_eq(count, program.count);
	free(next);
}

TEST(a_cursor_gives_every_event_of_each_thread_in_its_order)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_trace *trace;

		make(seed, COUNT, 1 + seed % 5);
		ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
				     bytes_of(&made.index)),
		    0);
		compare_cursor(trace, TL_OLDEST_FIRST);
		compare_cursor(trace, TL_NEWEST_FIRST);
		tl_trace_close(trace);
	}
}

TEST(events_of_all_threads_come_in_order_of_time)
{
	const struct tl_event **sorted;
	struct tl_cursor *cursor;
	struct tl_trace *trace;
	struct tl_event event;

	program = random_program(5, COUNT, 4);
	sorted = calloc(COUNT, sizeof(*sorted));
	for (size_t i = 0; i < COUNT; i++) {
		program.events[i].ns = (int64_t)i * 3;
		sorted[i] = &program.events[i];
	}
	qsort(sorted, COUNT, sizeof(*sorted), oldest_first);
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 1024 }),
	    0);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	ck_assert_ok(tl_trace_cursor(trace, TL_NEWEST_FIRST, &cursor));
	for (size_t i = COUNT; i-- > 0;) {
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert(same_event(sorted[i], &event));
	}
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 0);
	tl_cursor_close(cursor);
	tl_trace_close(trace);
	free(sorted);
}

TEST(every_strategy_says_the_same)
{
	struct made other = { 0 };
	struct tl_trace *a, *b;

	program = random_program(9, COUNT, 3);
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 1024 }),
	    0);
	ck_assert_int_eq(write_program(&other, &program,
			     (struct tl_trace_options){
				 .strategy = TL_TRACE_COLLECT }),
	    0);
	a = read_whole(bytes_of(&made.data));
	b = read_whole(bytes_of(&other.data));
	for (size_t i = 0; i < 3; i++)
		ck_assert(same_tree(tl_trace_root(a, i), tl_trace_root(b, i)));
	tl_trace_close(a);
	tl_trace_close(b);
	made_free(&other);
	ck_assert_int_eq(write_program(&other, &program,
			     (struct tl_trace_options){
				 .strategy = TL_TRACE_NULL }),
	    0);
	ck_assert_uint_eq(other.data.size, 0);
	made_free(&other);
}

TEST(what_is_put_before_an_error_is_there_and_said_to_be_not_all, .to = 2)
{
	struct tl_trace_options options = {
		.strategy = _i ? TL_TRACE_COLLECT : TL_TRACE_STREAMING
	};
	struct tl_trace_writer *writer;
	struct tl_trace *trace;
	struct tl_sink *sink;

	program = random_program(3, COUNT, 1);
	made_begin(&made, &options, &writer);
	ck_assert_ok(tl_trace_sink(writer, &sink));
	for (size_t i = 0; i < program.count; i++)
		ck_assert_ok(sink->put(sink, &program.events[i]));
	ck_assert_ok(tl_trace_writer_stop(writer));
	tl_trace_writer_free(writer);
	trace = read_whole(bytes_of(&made.data));
	ck_assert_uint_gt(fault_count, 0);
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	ck_assert_uint_eq(tl_trace_thread(trace, 0)->events, COUNT);
	tl_trace_close(trace);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	tl_trace_close(trace);
}

/*
 * The writer knows the size of the data before the end; its estimate for the
 * ends of open spans is a little too large.
 */
TEST(a_writer_knows_how_large_its_file_will_be)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_trace_options options = some_options(seed);
		const size_t count = COUNT / (1 + seed % 7);
		struct tl_trace_writer *writer;
		struct tl_sink *sink;
		uint64_t size;

		teardown();
		program = random_program(seed, count, 1 + seed % 5);
		options.alone = true;
		made_begin(&made, &options, &writer);
		ck_assert_ok(tl_trace_sink(writer, &sink));
		for (size_t i = 0; i < count; i++) {
			ck_assert(sink->put(sink, &program.events[i]) == 0);
			if (i % 500 == 499)
				ck_assert(tl_trace_writer_flush(writer) == 0);
		}
		size = tl_trace_writer_size(writer);
		made_end(writer);
		ck_assert_uint_le(made.data.size, size);
		ck_assert_uint_le(size, made.data.size + SIZE_SLACK);
	}
}

static void
add_observed(unsigned message, unsigned kind, uint64_t observed)
{
	const size_t i = program.count++;

	program.events[i] = (struct tl_event){ .message = &messages[message],
		.kind = (uint8_t)kind,
		.level = messages[message].level,
		.ns = 1000 + (int64_t)i,
		.tsc = 1000 + i,
		.number = i,
		.pid = 100,
		.tid = 200,
		.observed = observed };
}

/* Expect so many children; each digit is the enum tl_node_end of a child. */
static void
has_children(struct tl_trace *trace, struct tl_node *node, const char *ends)
{
	ck_assert_uint_eq(node->child_count, strlen(ends));
	ck_assert_ok(tl_trace_load(trace, node, 0, UINT64_MAX));
	for (size_t i = 0; ends[i]; i++)
		ck_assert_int_eq(tl_node_child(node, i)->ended, ends[i] - '0');
}

TEST(a_span_does_not_outlive_its_observed_interval)
{
	struct tl_trace *trace;
	struct tl_node *root;

	program.events = calloc(32, sizeof(*program.events));
	program.count = 0;
	add_observed(0, TL_BEGIN, 1); /* ended: observed in all of the bursts */
	add_observed(1, TL_BEGIN, 5); /* 0: ended */
	add_observed(1, TL_END, 5);
	add_observed(1, TL_BEGIN, 5); /* 1: cut */
	add_observed(1, TL_END, 6);   /* 2: alone */
	add_observed(1, TL_BEGIN, 6); /* 3: cut */
	add_observed(1, TL_BEGIN, 7); /* 4: ended */
	add_observed(1, TL_END, 7);
	add_observed(1, TL_BEGIN, 7);           /* 5: unsure */
	add_observed(1, TL_END, TL_UNOBSERVED); /* 6: alone */
	add_observed(1, TL_BEGIN, 8);           /* 7: cut in the next burst */
	add_observed(2, TL_BEGIN, 1);           /* inside of child 7 */
	add_observed(1, TL_BEGIN, 9);           /* inside of that span */
	add_observed(1, TL_END, 9);
	add_observed(2, TL_END, 1);
	add_observed(0, TL_END, 1);
	add_observed(1, TL_BEGIN, 9); /* unfinished */
	ck_assert_int_eq(write_program(&made, &program, some_options(0)), 0);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	root = tl_trace_root(trace, 0);
	has_children(trace, root, "13");
	has_children(trace, tl_node_child(root, 0), "12021202");
	has_children(trace, tl_node_child(tl_node_child(root, 0), 7), "1");
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	tl_trace_close(trace);
}
