/* SPDX-License-Identifier: Apache-2.0 */
/* trace_diff_threads.c - two sorted lists of names, merged. */
#include "trace/diff/threads.h"

#include <errno.h>
#include <stdlib.h>

struct named {
	struct tl_bytes name;
	size_t index;
};

static int
compare_names(const struct named *a, const struct named *b)
{
	const size_t size =
	    a->name.size < b->name.size ? a->name.size : b->name.size;
	const int order =
	    size > 0 ? memcmp(a->name.data, b->name.data, size) : 0;

	if (order != 0 || a->name.size == b->name.size)
		return order;
	return a->name.size < b->name.size ? -1 : 1;
}

static int
compare(const void *one, const void *other)
{
	const struct named *a = one, *b = other;
	const int order = compare_names(a, b);

	return order != 0 ? order
			  : (a->index > b->index) - (a->index < b->index);
}

/* Without names all threads are of one name. */
static struct named *
sort_threads(const struct tl_trace *trace, bool by_index)
{
	const size_t count = tl_trace_thread_count(trace);
	struct named *threads = calloc(count + 1, sizeof(*threads));

	for (size_t i = 0; threads && i < count; i++) {
		threads[i].index = i;
		if (!by_index)
			threads[i].name = tl_trace_thread(trace, i)->name;
	}
	if (threads)
		qsort(threads, count, sizeof(*threads), compare);
	return threads;
}

/* Each of left's threads gets its pair; right's that have one are marked. */
static void
merge(const struct named *left, size_t left_count, const struct named *right,
    size_t right_count, struct tl_diff_pair *pairs, bool *taken)
{
	for (size_t i = 0, k = 0; i < left_count && k < right_count;) {
		const int order = compare_names(&left[i], &right[k]);

		if (order == 0) {
			pairs[left[i].index].right = right[k].index;
			taken[right[k].index] = true;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

int
tl_diff_pair_threads(const struct tl_trace *left, const struct tl_trace *right,
    bool by_index, struct tl_diff_pair **out, size_t *count)
{
	const size_t left_count = tl_trace_thread_count(left);
	const size_t right_count = tl_trace_thread_count(right);
	struct named *a = sort_threads(left, by_index);
	struct named *b = sort_threads(right, by_index);
	bool *taken = calloc(right_count + 1, sizeof(*taken));
	struct tl_diff_pair *pairs =
	    calloc(left_count + right_count + 1, sizeof(*pairs));
	int rc = a && b && taken && pairs ? 0 : -ENOMEM;

	if (rc == 0) {
		for (size_t i = 0; i < left_count; i++)
			pairs[i] =
			    (struct tl_diff_pair){ i, TL_DIFF_NO_THREAD };
		merge(a, left_count, b, right_count, pairs, taken);
		*count = left_count;
		for (size_t i = 0; i < right_count; i++)
			if (!taken[i])
				pairs[(*count)++] =
				    (struct tl_diff_pair){ TL_DIFF_NO_THREAD,
					    i };
		*out = pairs;
	} else {
		free(pairs);
	}
	free(a);
	free(b);
	free(taken);
	return rc;
}
