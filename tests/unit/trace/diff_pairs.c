/* SPDX-License-Identifier: Apache-2.0 */
/* diff_pairs.c - random traces against each other: every node
 * is told of once and in order, and as many are pairs as a table of all pairs
 * finds. */
#include "lib/diff_fixture.h"
#include "lib/test.h"

enum { ROUNDS = 60, COUNT = 200 };

static struct made made[2];
static struct tl_diff_counts counts;

static void
setup(void)
{
	diff_messages();
}

static void
teardown(void)
{
	made_free(&made[0]);
	made_free(&made[1]);
}

/* == a sink that looks at everything == */

/* A pair of nodes that was entered, in trees that are loaded whole. */
struct place {
	const struct tl_node *nodes[2];
	uint64_t next[2];
	uint64_t pairs;
};

struct looker {
	struct tl_diff_sink sink; /* first: what the comparison sees */
	struct tl_trace *trees[2];
	size_t threads[2];
	struct place *places;
	size_t depth;
	size_t capacity;
	uint64_t items;
};

static bool
is_same(const struct tl_event *a, const struct tl_event *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == TL_LOST ||
	       (tl_bytes_equal(a->message->text, b->message->text) &&
		   tl_bytes_equal(a->message->category, b->message->category) &&
		   a->message->scope == b->message->scope);
}

/* How many children of two nodes can be pairs: the table of all. */
static uint64_t
dumb_pairs(const struct tl_node *a, const struct tl_node *b)
{
	const uint64_t n = a->child_count, m = b->child_count;
	uint64_t *table = calloc((n + 1) * (m + 1), sizeof(*table)), most;

	for (uint64_t i = n; i-- > 0;)
		for (uint64_t k = m; k-- > 0;) {
			uint64_t *at = &table[i * (m + 1) + k];

			if (is_same(&tl_node_child(a, i)->event,
				&tl_node_child(b, k)->event))
				*at = at[m + 2] + 1;
			if (at[1] > *at)
				*at = at[1];
			if (at[m + 1] > *at)
				*at = at[m + 1];
		}
	most = table[0];
	free(table);
	return most;
}

static struct place *
push_place(struct looker *l, const struct tl_node *left,
    const struct tl_node *right)
{
	if (l->depth == l->capacity) {
		l->capacity = l->capacity * 2 + 8;
		l->places =
		    realloc(l->places, l->capacity * sizeof(*l->places));
		ck_assert_ptr_nonnull(l->places);
	}
	l->places[l->depth] = (struct place){ .nodes = { left, right } };
	return &l->places[l->depth++];
}

/* Everything in it was told of. */
static void
check_place(struct looker *l)
{
	const struct place *p = &l->places[--l->depth];

	for (int side = 0; side < 2; side++)
		if (p->nodes[side])
			ck_assert_uint_eq(p->next[side],
			    p->nodes[side]->child_count);
	if (p->nodes[0] && p->nodes[1])
		ck_assert_uint_eq(p->pairs,
		    dumb_pairs(p->nodes[0], p->nodes[1]));
}

static const struct tl_node *
tree_of(const struct looker *l, int side, int32_t id)
{
	struct tl_trace *trace = l->trees[side];

	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		if (tl_trace_thread(trace, i)->id == id)
			return tl_trace_root(trace, i);
	return NULL;
}

static int
look_at_thread(struct tl_diff_sink *sink, const struct tl_trace_thread *left,
    const struct tl_trace_thread *right)
{
	struct looker *l = (struct looker *)sink;

	if (l->depth > 0)
		check_place(l);
	l->threads[0] += left != NULL;
	l->threads[1] += right != NULL;
	push_place(l, left ? tree_of(l, 0, left->id) : NULL,
	    right ? tree_of(l, 1, right->id) : NULL);
	return 0;
}

static const struct tl_node *
next_of(struct place *p, int side, const struct tl_node *told)
{
	const struct tl_node *node;

	if (!told)
		return NULL;
	node = tl_node_child(p->nodes[side], p->next[side]++);
	ck_assert_ptr_nonnull(node);
	ck_assert(same_event(&node->event, &told->event));
	ck_assert_uint_eq(node->child_count, told->child_count);
	ck_assert_int_eq(node->ended, told->ended);
	return node;
}

static int
look_at_item(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct looker *l = (struct looker *)sink;
	struct place *p = &l->places[l->depth - 1];
	const struct tl_node *left = next_of(p, 0, item->left);
	const struct tl_node *right = next_of(p, 1, item->right);

	ck_assert_uint_eq(item->depth, l->depth - 1);
	ck_assert_int_eq(item->result == TL_DIFF_REMOVED, !right);
	ck_assert_int_eq(item->result == TL_DIFF_ADDED, !left);
	if (left && right) {
		p->pairs++;
		ck_assert(is_same(&left->event, &right->event));
	}
	l->items++;
	push_place(l, left, right);
	return 0;
}

static int
look_at_leaving(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct looker *l = (struct looker *)sink;

	check_place(l);
	ck_assert_uint_eq(item->depth, l->depth - 1);
	return 0;
}

static int
look_at_end(struct tl_diff_sink *sink, const struct tl_diff_counts *c)
{
	struct looker *l = (struct looker *)sink;
	uint64_t sum = 0;

	if (l->depth > 0)
		check_place(l);
	for (int i = 0; i < TL_DIFF_RESULTS; i++)
		sum += c->items[i];
	ck_assert_uint_eq(sum, l->items);
	ck_assert_uint_eq(l->depth, 0);
	return 0;
}

static uint64_t
look(void)
{
	struct looker l = { .sink = { look_at_thread, look_at_item,
				look_at_leaving, look_at_end } };
	struct tl_trace *traces[2];

	for (int side = 0; side < 2; side++) {
		traces[side] = open_made(&made[side]);
		l.trees[side] = read_whole(bytes_of(&made[side].data));
	}
	ck_assert_int_eq(tl_trace_diff(traces[0], traces[1], &diff_options,
			     &l.sink, &counts),
	    0);
	for (int side = 0; side < 2; side++) {
		ck_assert_uint_eq(l.threads[side],
		    tl_trace_thread_count(l.trees[side]));
		ck_assert_uint_eq(tl_trace_memory(traces[side]), 0);
		tl_trace_close(traces[side]);
		tl_trace_close(l.trees[side]);
	}
	free(l.places);
	return l.items;
}

static void
make_random(struct made *m, uint64_t seed, unsigned threads)
{
	struct program p = random_program(seed, COUNT * threads, threads);

	made_free(m);
	ck_assert_int_eq(write_program(m, &p, (struct tl_trace_options){ 0 }),
	    0);
	free(p.events);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(every_list_of_children_keeps_as_much_as_it_can)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		make_random(&made[0], seed, 1 + seed % 3);
		make_random(&made[1], 1000 + seed, 1 + seed % 4);
		look();
		ck_assert_uint_eq(counts.guessed, 0);
		ck_assert_uint_eq(counts.unread, 0);
	}
}

TEST(equal_traces_do_not_differ)
{
	uint64_t items;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		make_random(&made[0], seed, 1 + seed % 4);
		make_random(&made[1], seed, 1 + seed % 4);
		items = look();
		ck_assert_uint_gt(counts.items[TL_DIFF_SAME], 0);
		ck_assert_uint_eq(counts.items[TL_DIFF_SAME], items);
		ck_assert_uint_eq(counts.threads, 1 + seed % 4);
	}
}
