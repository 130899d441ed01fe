/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - two traces against each other: what differs is
 * found where it is, and nothing else; deep and wide ones, too. */
#include "lib/diff_fixture.h"
#include "lib/test.h"

#include <pthread.h>

enum { DEEP = 100000, WIDE = 100000 };

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

static uint64_t
differences(void)
{
	uint64_t sum = 0;

	for (int i = TL_DIFF_SAME + 1; i < TL_DIFF_RESULTS; i++)
		sum += counts.items[i];
	return sum;
}

/* == a sink that counts and remembers the last difference == */

struct finder {
	struct tl_diff_sink sink; /* first: what the comparison sees */
	struct tl_trace *traces[2];
	struct tl_text path; /* of the difference: messages around it */
	uint8_t result;
	int64_t left_ns, right_ns;
	size_t memory_most;
	uint64_t items;
	char open[64];
};

static int
find_thread(struct tl_diff_sink *sink, const struct tl_trace_thread *left,
    const struct tl_trace_thread *right)
{
	(void)sink;
	(void)left;
	(void)right;
	return 0;
}

static int
find_item(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct finder *f = (struct finder *)sink;
	const struct tl_node *node = item->left ? item->left : item->right;
	const size_t memory =
	    tl_trace_memory(f->traces[0]) + tl_trace_memory(f->traces[1]);

	f->items++;
	if (memory > f->memory_most)
		f->memory_most = memory;
	if (item->depth < sizeof(f->open) && node->event.message)
		f->open[item->depth] = node->event.message->text.data[0];
	if (item->result == TL_DIFF_SAME)
		return 0;
	tl_text_clear(&f->path);
	if (item->depth < sizeof(f->open))
		tl_put_bytes(&f->path, tl_bytes(f->open, item->depth + 1));
	f->result = item->result;
	f->left_ns = item->left_ns;
	f->right_ns = item->right_ns;
	return 0;
}

static int
find_leaving(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	(void)sink;
	(void)item;
	return 0;
}

static int
find_end(struct tl_diff_sink *sink, const struct tl_diff_counts *c)
{
	(void)sink;
	(void)c;
	return 0;
}

static int
find_with(struct finder *f, const struct tl_diff_options *options)
{
	int rc;

	tl_text_free(&f->path);
	*f = (struct finder){ .sink = { find_thread, find_item, find_leaving,
				  find_end },
		.traces = { open_made(&made[0]), open_made(&made[1]) } };
	rc = tl_trace_diff(f->traces[0], f->traces[1], options, &f->sink,
	    &counts);
	tl_trace_close(f->traces[0]);
	tl_trace_close(f->traces[1]);
	return rc;
}

static void
find(struct finder *f)
{
	ck_assert_int_eq(find_with(f, &diff_options), 0);
}

static void
find_between(struct finder *f, const char *left, const char *right)
{
	write_letters(&made[0], left, NULL);
	write_letters(&made[1], right, NULL);
	find(f);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(one_call_is_found_at_its_path)
{
	static const char left[] = "a(b(i1j)c(d(2)d(2)e(f(3)))k)";
	static const struct {
		const char *right;
		const char *path;
		uint64_t count;
		uint8_t result;
	} cases[] = {
		{ "a(b(i1j)c(d(2)d(2)e(f(3)g(1)))k)", "aceg", 1,
		    TL_DIFF_ADDED },
		{ "a(b(i1j)c(d(2)e(f(3)))k)", "acd", 1, TL_DIFF_REMOVED },
		{ "a(b(1j)c(d(2)d(2)e(f(3)))k)", "abi", 1, TL_DIFF_REMOVED },
		{ "x(y)a(b(i1j)c(d(2)d(2)e(f(3)))k)", "xy", 2, TL_DIFF_ADDED },
		{ "a(b(i1j)c(d(2)d(2)e(f(99)))k)", "acef", 4, TL_DIFF_SLOWER },
		{ "a(b(i1j)c(d(2)d(2)e(f(2)))k)", "acef", 4, TL_DIFF_FASTER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finder f = { 0 };

		find_between(&f, left, cases[i].right);
		ck_assert_str_eq(tl_text_string(&f.path), cases[i].path);
		ck_assert_int_eq(f.result, cases[i].result);
		ck_assert_uint_eq(counts.items[cases[i].result],
		    cases[i].count);
		ck_assert_uint_le(differences(), 4);
		tl_text_free(&f.path);
	}
}

TEST(a_span_is_slower_by_both_thresholds)
{
	struct tl_diff_options options = diff_options;
	struct finder f = { 0 };

	find_between(&f, "a(99)", "a(999)");
	ck_assert_int_eq(f.result, TL_DIFF_SLOWER);
	ck_assert_int_eq(f.left_ns, 18 * US);
	ck_assert_int_eq(f.right_ns, 27 * US);
	options.percent = 51;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 0);
	options.percent = 50;
	options.least_ns = 9 * US + 1;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 0);
	options.least_ns = 9 * US;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 1);
	find_between(&f, "a(9)", "a(9999]"); /* nobody knows how long */
	ck_assert_int_eq(f.result, TL_DIFF_CHANGED);
	ck_assert_int_eq(f.right_ns, TL_DIFF_NO_TIME);
	tl_text_free(&f.path);
}

TEST(other_values_are_a_change_where_that_is_asked_for)
{
	struct tl_diff_options options = diff_options;
	struct finder f = { 0 };

	options.values = true;
	find_between(&f, "a=1(b=2)c", "a=1(b=3)c");
	ck_assert_uint_eq(differences(), 0);
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(counts.items[TL_DIFF_CHANGED], 1);
	ck_assert_str_eq(tl_text_string(&f.path), "ab");
	tl_text_free(&f.path);
}

TEST(nothing_is_said_of_what_is_deeper_than_asked_for)
{
	struct tl_diff_options options = diff_options;
	struct finder f = { 0 };

	options.depth = 2;
	find_between(&f, "a(b(c(i)))", "a(b(c(j)))");
	ck_assert_uint_eq(differences(), 2);
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 0);
	ck_assert_uint_eq(counts.items[TL_DIFF_SAME], 2);
	tl_text_free(&f.path);
}

TEST(messages_are_the_same_by_category_text_and_file)
{
	static const char text[] = "a(b(i)c)";
	struct tl_diff_options options = diff_options;
	struct tl_message *m = &letters[1][1];
	struct finder f = { 0 };

	m->file = tl_bytes_of("/left/b.c");
	m->line = 1;
	write_letters(&made[0], text, NULL);
	m->file = tl_bytes_of("right/b.c");
	m->line = 2;
	write_letters(&made[1], text, NULL);
	find(&f);
	ck_assert_uint_eq(differences(), 0);
	options.lines = true;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 4);
	m->file = tl_bytes_of("right/c.c");
	write_letters(&made[1], text, NULL);
	find(&f);
	ck_assert_uint_eq(differences(), 4);
	m->file = tl_bytes_of("b.c");
	m->category = tl_bytes_of("words");
	write_letters(&made[1], text, NULL);
	find(&f);
	ck_assert_uint_eq(differences(), 4);
	tl_text_free(&f.path);
}

/* == threads == */

static void
write_threads(const char *left, const char *const *left_names,
    const char *right, const char *const *right_names)
{
	write_letters(&made[0], left, left_names);
	write_letters(&made[1], right, right_names);
}

TEST(threads_are_paired_by_name_or_place)
{
	static const char *const left[] = { "main", "worker", "worker", "io" };
	static const char *const right[] = { "worker", "gc", "worker", "main" };
	struct tl_diff_options options = diff_options;
	struct finder f = { 0 };

	write_threads("a|b|c|d", left, "b|e|c|a", right);
	find(&f);
	ck_assert_uint_eq(counts.threads, 3);
	ck_assert_uint_eq(counts.left_threads, 1);
	ck_assert_uint_eq(counts.right_threads, 1);
	ck_assert_uint_eq(counts.items[TL_DIFF_SAME], 3);
	ck_assert_uint_eq(counts.items[TL_DIFF_REMOVED], 1);
	ck_assert_uint_eq(counts.items[TL_DIFF_ADDED], 1);
	options.by_index = true;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(counts.threads, 4);
	ck_assert_uint_eq(counts.items[TL_DIFF_SAME], 1);
	tl_text_free(&f.path);
}

TEST(threads_without_a_pair_are_left_out_or_refused_if_so_wished)
{
	static const char *const left[] = { "main", "io" };
	struct tl_diff_options options = diff_options;
	struct finder f = { 0 };

	write_threads("a|b", left, "a", left);
	options.unmatched = TL_DIFF_SKIP;
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(differences(), 0);
	ck_assert_uint_eq(counts.left_threads, 1);
	options.unmatched = TL_DIFF_REFUSE;
	ck_assert_int_eq(find_with(&f, &options), -ENOENT);
	ck_assert_uint_eq(f.items, 0);
	write_threads("a|b", left, "a|b", left);
	ck_assert_int_eq(find_with(&f, &options), 0);
	ck_assert_uint_eq(counts.threads, 2);
	tl_text_free(&f.path);
}

/* == large ones == */

static char *
repeat(const char *before, const char *each, size_t count, const char *middle,
    const char *after_each)
{
	struct tl_text text = { 0 };

	tl_put_string(&text, before);
	for (size_t i = 0; i < count; i++)
		tl_put_string(&text, each);
	tl_put_string(&text, middle);
	for (size_t i = 0; after_each && i < count; i++)
		tl_put_string(&text, after_each);
	tl_text_string(&text);
	ck_assert_int_eq(text.rc, 0);
	return text.data;
}

static void *
find_on_a_small_stack(void *context)
{
	find(context);
	return NULL;
}

TEST(deep_nesting_takes_no_stack)
{
	char *left = repeat("", "a(", DEEP, "i", ")");
	char *right = repeat("", "a(", DEEP, "j", ")");
	struct finder f = { 0 };
	pthread_attr_t small;
	pthread_t thread;

	write_letters(&made[0], left, NULL);
	write_letters(&made[1], right, NULL);
	pthread_attr_init(&small);
	ck_assert_int_eq(pthread_attr_setstacksize(&small, 64 << 10), 0);
	ck_assert_int_eq(pthread_create(&thread, &small, find_on_a_small_stack,
			     &f),
	    0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&small);
	ck_assert_uint_eq(counts.items[TL_DIFF_SAME], DEEP);
	ck_assert_uint_eq(counts.items[TL_DIFF_REMOVED], 1);
	ck_assert_uint_eq(counts.items[TL_DIFF_ADDED], 1);
	tl_text_free(&f.path);
	free(left);
	free(right);
}

TEST(wide_lists_are_never_loaded_whole)
{
	char *left = repeat("a(", "b(1c)d", WIDE / 2, ")", NULL);
	char *right = repeat("a(xb(1c)", "db(1c)", WIDE / 2, ")", NULL);
	struct finder f = { 0 };

	find_between(&f, left, right);
	ck_assert_uint_eq(counts.items[TL_DIFF_SAME], 1 + WIDE / 2 * 3);
	ck_assert_uint_eq(counts.items[TL_DIFF_ADDED], 3);
	ck_assert_uint_lt(f.memory_most, 4 << 20);
	tl_text_free(&f.path);
	free(left);
	free(right);
}

TEST(what_damage_has_swallowed_is_all_that_differs)
{
	char *text = repeat("a(", "b(1c)", WIDE, ")d", NULL);
	struct finder f = { 0 };

	write_letters(&made[0], text, NULL);
	write_letters(&made[1], text, NULL);
	made[0].data.data[made[0].data.size / 2] ^= 1; /* a block is lost */
	find(&f);
	ck_assert_uint_eq(counts.items[TL_DIFF_REMOVED], 0);
	ck_assert_uint_gt(counts.items[TL_DIFF_ADDED], 0);
	ck_assert_uint_gt(counts.items[TL_DIFF_SAME], 0);
	tl_text_free(&f.path);
	free(text);
}

static int
refuse_item(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	(void)sink;
	return item->depth == 2 ? -ENOSPC : 0;
}

TEST(what_a_sink_says_ends_it)
{
	struct finder f = { .sink = { find_thread, refuse_item, find_leaving,
				find_end } };

	write_threads("a(b(c(i)))", NULL, "a(b(c(i)))", NULL);
	f.traces[0] = open_made(&made[0]);
	f.traces[1] = open_made(&made[1]);
	ck_assert_int_eq(tl_trace_diff(f.traces[0], f.traces[1], &diff_options,
			     &f.sink, &counts),
	    -ENOSPC);
	ck_assert_uint_eq(tl_trace_memory(f.traces[0]), 0);
	tl_trace_close(f.traces[0]);
	tl_trace_close(f.traces[1]);
}
