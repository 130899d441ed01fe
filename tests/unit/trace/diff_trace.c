/* SPDX-License-Identifier: Apache-2.0 */
/* diff_trace.c - the differences of two traces as a trace:
 * without what is marked as removed it is right's, mark for mark. */
#include "lib/diff_fixture.h"
#include "lib/test.h"
#include "trace/diff/trace.h"

enum { ROUNDS = 60, COUNT = 200 };

static struct made made[2];
static struct made result;
static struct tl_diff_counts counts;
static struct tl_trace *whole[3]; /* left, right, result */

static void
setup(void)
{
	diff_messages();
}

static void
close_all(void)
{
	for (int i = 0; i < 3; i++) {
		tl_trace_close(whole[i]);
		whole[i] = NULL;
	}
}

static void
teardown(void)
{
	close_all();
	made_free(&made[0]);
	made_free(&made[1]);
	made_free(&result);
}

static void
read_back(int i, const struct made *from)
{
	whole[i] = read_whole(bytes_of(&from->data));
	ck_assert_uint_eq(tl_trace_damage(whole[i]), 0);
}

static void
compare_made(const struct tl_diff_options *options)
{
	struct tl_trace *left = open_made(&made[0]);
	struct tl_trace *right = open_made(&made[1]);
	struct tl_trace_options writing = { 0 };
	struct tl_trace_writer *writer;
	struct tl_diff_sink *sink;

	close_all();
	made_free(&result);
	made_begin(&result, &writing, &writer);
	ck_assert_int_eq(tl_diff_trace_new(&sink, left, right, writer), 0);
	ck_assert_int_eq(tl_trace_diff(left, right, options, sink, &counts), 0);
	made_end(writer);
	tl_diff_trace_free(sink);
	tl_trace_close(left);
	tl_trace_close(right);
	read_back(0, &made[0]);
	read_back(1, &made[1]);
	read_back(2, &result);
}

static const struct tl_node *
tree(int i, size_t thread)
{
	return tl_trace_root(whole[i], thread);
}

/* == as letters again == */

/* "-b" removed, "+b" added, "!b" changed; t an instant of our own. */
static void
put_letters(struct tl_text *text, const struct tl_node *node)
{
	for (uint64_t i = 0; i < node->child_count; i++) {
		const struct tl_node *child = tl_node_child(node, i);
		const char *words = child->event.message->text.data;

		if (words[1] == ' ' && strchr("-+!", words[0])) {
			tl_put_char(text, words[0]);
			words += 2;
		}
		tl_put_char(text, words[0]);
		if (child->event.args[0] > 0)
			tl_put_unsigned(text, child->event.args[0]);
		if (child->ended == TL_NODE_LEAF)
			continue;
		tl_put_char(text, '(');
		put_letters(text, child);
		tl_put_char(text, child->ended == TL_NODE_ENDED ? ')' : ']');
	}
}

static void
becomes(const char *left, const char *right, const char *letters_of_result)
{
	struct tl_diff_options options = diff_options;
	struct tl_text text = { 0 };

	options.values = true;
	write_letters(&made[0], left, NULL);
	write_letters(&made[1], right, NULL);
	compare_made(&options);
	put_letters(&text, tree(2, 0));
	ck_assert_str_eq(tl_text_string(&text), letters_of_result);
	tl_text_free(&text);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(both_are_in_one_tree_with_marks)
{
	becomes("a(bc(d))", "a(bc(d))", "a(bc(d))");
	becomes("a(bc(d))", "a(c(de))", "a(-bc(d+e))");
	becomes("a(9b(2c)d)", "a(9b(1c)d)", "a(!b(t2000c)d)");
	becomes("a(b(3))", "a()", "!a(t3000-b(t3000))");
	becomes("a=1b=2", "a=1b=3", "a1-b2!b3");
	becomes("a(b(c(i", "a(b(c(i", "a(b(c(i]]]");
}

TEST(what_is_never_ended_holds_nothing_that_comes_after_it)
{
	/* b is open at the end of right; left goes on behind it */
	becomes("a(b()c)", "a(b(", "!a(!b()-c]");
	becomes("a(b(i)c)", "a(b(i]]", "!a(!b(i)-c]");
}

/* == without what is removed == */

static bool
is_ours(const struct tl_node *node)
{
	const struct tl_message *m = node->event.message;

	return m &&
	       (tl_bytes_equal(m->category, tl_bytes_of(TL_DIFF_CATEGORY)) ||
		   memcmp(m->text.data, "- ", 2) == 0);
}

static struct tl_bytes
unmarked(struct tl_bytes text)
{
	if (text.size > 1 && text.data[1] == ' ' && strchr("+!", text.data[0]))
		return tl_bytes(text.data + 2, text.size - 2);
	return text;
}

static void
same_but_for_marks(const struct tl_node *is, const struct tl_node *want)
{
	const struct tl_event *a = &is->event, *b = &want->event;

	ck_assert_int_eq(a->ns, b->ns);
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->tsc, b->tsc);
	ck_assert_uint_eq(a->cpu, b->cpu);
	ck_assert_uint_eq(a->lost, b->lost);
	if (!b->message)
		return;
	ck_assert(tl_bytes_equal(unmarked(a->message->text), b->message->text));
	ck_assert(tl_bytes_equal(a->message->category, b->message->category));
	ck_assert_int_eq(a->message->kind, b->message->kind);
	if (b->message->argc > 0 &&
	    b->message->args[0].format != TIMELINE_ARG_STRING)
		ck_assert_uint_eq(a->args[0], b->args[0]);
	if (want->ended == TL_NODE_ENDED) {
		ck_assert_int_eq(is->ended, TL_NODE_ENDED);
		ck_assert_int_eq(is->end.ns, want->end.ns);
	}
	ck_assert_int_eq(is->ended == TL_NODE_LEAF,
	    want->ended == TL_NODE_LEAF);
}

static void
is_right(const struct tl_node *is, const struct tl_node *want)
{
	uint64_t k = 0;

	for (uint64_t i = 0; i < is->child_count; i++) {
		const struct tl_node *child = tl_node_child(is, i);

		if (is_ours(child))
			continue;
		ck_assert_uint_lt(k, want->child_count);
		same_but_for_marks(child, tl_node_child(want, k));
		is_right(child, tl_node_child(want, k++));
	}
	ck_assert_uint_eq(k, want->child_count);
}

TEST(without_what_is_removed_it_is_right)
{
	struct tl_diff_options options = diff_options;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		const unsigned threads = 1 + seed % 3;

		options.values = seed % 2;
		options.by_index = true;
		for (int side = 0; side < 2; side++) {
			struct program p = random_program(seed + 1000 * side,
			    COUNT * threads, threads);

			made_free(&made[side]);
			ck_assert_int_eq(write_program(&made[side], &p,
					     (struct tl_trace_options){ 0 }),
			    0);
			free(p.events);
		}
		compare_made(&options);
		ck_assert_uint_eq(tl_trace_thread_count(whole[2]), threads);
		for (size_t i = 0; i < threads; i++)
			is_right(tree(2, i), tree(1, i));
	}
}

TEST(a_thread_that_only_left_has_keeps_its_times)
{
	static const char *const left[] = { "main", "io" };

	write_letters(&made[0], "9a|9b(3)", left);
	write_letters(&made[1], "a", left);
	compare_made(&diff_options);
	ck_assert_uint_eq(tl_trace_thread_count(whole[2]), 2);
	ck_assert_int_eq(tl_node_child(tree(2, 1), 0)->event.ns,
	    1000000000 + 9 * US);
	ck_assert_int_eq(tl_node_child(tree(2, 1), 0)->end.ns,
	    1000000000 + 12 * US);
	ck_assert_uint_eq(tl_node_child(tree(2, 1), 0)->child_count, 0);
}

TEST(how_they_differ_is_in_the_infos)
{
	struct tl_trace *trace;

	write_letters(&made[0], "ab", NULL);
	write_letters(&made[1], "acb", NULL);
	compare_made(&diff_options);
	trace = open_made(&result);
	ck_assert(tl_bytes_equal(tl_trace_info(trace, "diff"),
	    tl_bytes_of("0 removed, 1 added, 0 slower, 0 faster, 0 changed, "
			"2 the same")));
	tl_trace_close(trace);
}
