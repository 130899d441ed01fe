/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - find pairs of nodes of two traces.
 */
#include "trace/diff/diff.h"

#include "event/event.h"
#include "event/message_map.h"
#include "trace/diff/script.h"
#include "trace/read.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

/* == identities == */

/* Starts from all zeros but for seed and lines. */
struct tl_diff_identities {
	struct tl_message_map known; /* from messages to their identities */
	uint64_t seed;               /* the same for both traces */
	bool lines;                  /* lines of places are compared */
};

#define PRIME UINT64_C(0x100000001b3)

static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t
mix_bytes(uint64_t hash, struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		hash = (hash ^ (uint8_t)bytes.data[i]) * PRIME;
	return mix(hash, bytes.size);
}

/* The last component of a path. */
static struct tl_bytes
file_name(struct tl_bytes path)
{
	const char *slash =
	    path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
	size_t skipped;

	if (!slash)
		return path;
	skipped = (size_t)(slash + 1 - path.data);
	return tl_bytes(slash + 1, path.size - skipped);
}

static uint64_t
identify(const struct tl_diff_identities *ids, const struct tl_message *m)
{
	uint64_t hash = mix(ids->seed, (uint64_t)m->kind << 8 | m->scope);

	hash = mix_bytes(hash, m->category);
	hash = mix_bytes(hash, m->text);
	hash = mix_bytes(hash, file_name(m->file));
	return ids->lines ? mix(hash, m->line) : hash;
}

static uint64_t
identity_of(struct tl_diff_identities *ids, const struct tl_message *message)
{
	const uint64_t *known = tl_message_map_find(&ids->known, message);
	uint64_t hash, *kept;

	if (known)
		return *known;
	hash = identify(ids, message);
	kept = malloc(sizeof(*kept));
	if (kept) {
		*kept = hash;
		if (tl_message_map_add(&ids->known, message, kept) < 0)
			free(kept); /* it is computed again each time */
	}
	return hash;
}

/*
 * A number that is the same for equal events of both traces, by the kind of the
 * event and by category, text, kind, scope and place of the message.  The
 * directory of a place does not count, and its line only if lines is set.
 */
static uint64_t
diff_identity(struct tl_diff_identities *ids, const struct tl_event *event)
{
	if (!event->message)
		return mix(ids->seed, event->kind);
	return mix(identity_of(ids, event->message), event->kind);
}

static void
diff_identities_free(struct tl_diff_identities *ids)
{
	tl_message_map_free(&ids->known, free);
}

/* Compare strings, whose numbers differ between traces. */
static bool
same_string(const struct tl_event *a, const struct tl_event *b, unsigned i)
{
	const struct tl_bytes x = tl_message_string(a->message, a->args[i]);
	const struct tl_bytes y = tl_message_string(b->message, b->args[i]);

	if (!x.data || !y.data)
		return !x.data && !y.data && a->args[i] == b->args[i];
	return tl_bytes_equal(x, y);
}

/* Do two events with the same identity have the same values? */
static bool
diff_same_values(const struct tl_event *a, const struct tl_event *b)
{
	if (!a->message || !b->message)
		return a->lost == b->lost;
	if (a->bare != b->bare || a->message->argc != b->message->argc)
		return false;
	for (unsigned i = 0; i < a->message->argc; i++) {
		const bool text =
		    a->message->args[i].format == TIMELINE_ARG_STRING;

		if (text ? !same_string(a, b, i) : a->args[i] != b->args[i])
			return false;
	}
	return true;
}

/* == pairs of threads == */

#define TL_DIFF_NO_THREAD SIZE_MAX

struct tl_diff_pair {
	size_t left; /* its index in its trace, or TL_DIFF_NO_THREAD */
	size_t right;
};

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

/* Sort threads by name; by_index: as if all had the same name. */
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

/* Give each thread of left its pair, and mark the threads of right that have
 * one. */
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

/*
 * The pairs in the order of the threads of left, then the threads that only
 * right has; the caller frees them.  Threads with the same name, or none, are
 * paired in the order of their traces.  0 or -ENOMEM.
 */
static int
diff_pair_threads(const struct tl_trace *left, const struct tl_trace *right,
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

/* == pairs of nodes == */

enum { LEFT, RIGHT, SIDES };

/* The children of a node, a part of which is loaded. */
struct list {
	struct tl_node *parent; /* NULL: there is no node */
	uint64_t first;         /* [first, last) are loaded */
	uint64_t last;
	uint64_t next; /* the next child of the walk */
	uint64_t gone; /* no child from gone - 1 on can be read; 0: unknown */
};

struct level {
	struct tl_diff_item item; /* the item whose children these are */
	struct list lists[SIDES];
	struct tl_diff_script script;
	size_t run;              /* the next run of the script */
	struct tl_diff_run rest; /* the rest of the current run */
};

struct diff {
	struct tl_trace *traces[SIDES];
	struct tl_diff_identities identities[SIDES];
	const struct tl_diff_options *options;
	struct tl_diff_sink *sink;
	struct tl_diff_counts *counts;
	struct level *levels;
	size_t count;
	size_t capacity;
};

/* == lists == */

static uint64_t
child_count(const struct tl_node *node)
{
	return node ? node->child_count : 0;
}

static uint64_t
piece_size(uint64_t count)
{
	const uint64_t size = count / TL_DIFF_PIECE_PART;

	if (size < TL_DIFF_PIECE_MIN)
		return TL_DIFF_PIECE_MIN;
	return size < TL_DIFF_PIECE_MAX ? size : TL_DIFF_PIECE_MAX;
}

/* Child i; NULL: it is lost in a damaged part. */
static int
child_at(struct diff *d, int side, struct list *list, uint64_t i,
    struct tl_node **child)
{
	const uint64_t count = list->parent->child_count;
	const uint64_t size = piece_size(count);
	int rc = 0;

	*child = NULL;
	if (list->gone > 0 && i >= list->gone - 1)
		return 0;
	if (i < list->first || i >= list->last) {
		tl_trace_forget(d->traces[side], list->parent);
		list->first = i;
		list->last = count - i < size ? count : i + size;
		rc = tl_trace_load(d->traces[side], list->parent, i,
		    list->last - i);
		if (list->parent->loaded == 0)
			list->gone = i + 1;
	}
	*child = tl_node_child(list->parent, i);
	return rc;
}

static int
identify_children(struct diff *d, int side, struct list *list, uint64_t *to)
{
	for (uint64_t i = 0; i < list->parent->child_count; i++) {
		struct tl_node *child;
		const int rc = child_at(d, side, list, i, &child);

		if (rc < 0)
			return rc;
		to[i] = child
			    ? diff_identity(&d->identities[side], &child->event)
			    : 0;
	}
	return 0;
}

static int
compare_lists(struct diff *d, struct level *level)
{
	struct list *left = &level->lists[LEFT], *right = &level->lists[RIGHT];
	const uint64_t left_count = left->parent->child_count;
	const uint64_t right_count = right->parent->child_count;
	uint64_t *items = calloc(left_count + right_count + 1, sizeof(*items));
	int rc = items ? identify_children(d, LEFT, left, items) : -ENOMEM;

	if (rc == 0)
		rc = identify_children(d, RIGHT, right, items + left_count);
	if (rc == 0)
		rc = tl_diff_script_make(&level->script,
		    (struct tl_diff_list){ items, left_count },
		    (struct tl_diff_list){ items + left_count, right_count });
	d->counts->guessed += level->script.guessed;
	free(items);
	return rc;
}

/* == levels == */

static int
grow(struct diff *d)
{
	const size_t capacity = d->capacity * 2 + 16;
	struct level *levels;

	if (d->count < d->capacity)
		return 0;
	levels = realloc(d->levels, capacity * sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	d->levels = levels;
	d->capacity = capacity;
	return 0;
}

/* Continue with the children of a pair, or of a single node. */
static int
push(struct diff *d, const struct tl_diff_item *item,
    struct tl_node *const nodes[SIDES])
{
	struct level *level;
	int rc = grow(d);

	if (rc < 0)
		return rc;
	level = &d->levels[d->count++];
	*level = (struct level){ .item = *item,
		.lists = { { .parent = nodes[LEFT] },
		    { .parent = nodes[RIGHT] } } };
	if (nodes[LEFT] && nodes[RIGHT])
		return compare_lists(d, level);
	level->rest.removed = child_count(nodes[LEFT]);
	level->rest.added = child_count(nodes[RIGHT]);
	return 0;
}

static void
pop(struct diff *d)
{
	struct level *level = &d->levels[--d->count];

	for (int side = 0; side < SIDES; side++)
		if (level->lists[side].parent)
			tl_trace_forget(d->traces[side],
			    level->lists[side].parent);
	tl_diff_script_free(&level->script);
}

/* == items == */

static int64_t
duration_of(const struct tl_node *node)
{
	uint64_t ns;

	if (!node || node->ended != TL_NODE_ENDED)
		return TL_DIFF_NO_TIME;
	if (node->end.ns < node->event.ns)
		return 0;
	ns = (uint64_t)node->end.ns - (uint64_t)node->event.ns;
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* Is one duration longer than another by both thresholds? */
static bool
is_longer(const struct tl_diff_options *options, int64_t longer,
    int64_t shorter, int64_t base)
{
	return longer > shorter && longer - shorter >= options->least_ns &&
	       100.0 * (double)(longer - shorter) >=
		   (double)base * options->percent;
}

static uint8_t
judge(const struct tl_diff_options *options, const struct tl_diff_item *item)
{
	const int64_t before = item->left_ns, now = item->right_ns;

	if (!item->right)
		return TL_DIFF_REMOVED;
	if (!item->left)
		return TL_DIFF_ADDED;
	if (before != TL_DIFF_NO_TIME && now != TL_DIFF_NO_TIME) {
		if (is_longer(options, now, before, before))
			return TL_DIFF_SLOWER;
		if (is_longer(options, before, now, before))
			return TL_DIFF_FASTER;
	}
	return item->changed || item->left->ended != item->right->ended
		   ? TL_DIFF_CHANGED
		   : TL_DIFF_SAME;
}

/* Do arguments or ends of a pair differ? */
static bool
is_changed(const struct tl_node *left, const struct tl_node *right)
{
	if (!diff_same_values(&left->event, &right->event))
		return true;
	return left->ended == TL_NODE_ENDED && right->ended == TL_NODE_ENDED &&
	       !diff_same_values(&left->end, &right->end);
}

static struct tl_diff_item
make_item(const struct diff *d, struct tl_node *const nodes[SIDES])
{
	const struct tl_node *left = nodes[LEFT], *right = nodes[RIGHT];
	struct tl_diff_item item = { .left = left,
		.right = right,
		.left_ns = duration_of(left),
		.right_ns = duration_of(right),
		.depth = (uint32_t)d->count - 1,
		.changed = d->options->values && left && right &&
			   is_changed(left, right) };

	item.has_inside = child_count(left) + child_count(right) > 0;
	item.result = judge(d->options, &item);
	return item;
}

static int
tell(struct diff *d, struct tl_node *const nodes[SIDES])
{
	const struct tl_diff_item item = make_item(d, nodes);
	int rc;

	d->counts->items[item.result]++;
	rc = d->sink->enter(d->sink, &item);
	if (rc < 0)
		return rc;
	if (item.has_inside &&
	    (d->options->depth == 0 || d->count < d->options->depth))
		return push(d, &item, nodes);
	return d->sink->leave(d->sink, &item);
}

/* Take the next child of one list or of both. */
static int
take(struct diff *d, struct level *level, bool left, bool right)
{
	const bool wanted[SIDES] = { left, right };
	struct tl_node *nodes[SIDES] = { NULL, NULL };

	for (int side = 0; side < SIDES; side++) {
		struct list *list = &level->lists[side];
		int rc;

		if (!wanted[side])
			continue;
		rc = child_at(d, side, list, list->next++, &nodes[side]);
		if (rc < 0)
			return rc;
		d->counts->unread += !nodes[side];
	}
	return nodes[LEFT] || nodes[RIGHT] ? tell(d, nodes) : 0;
}

void
tl_diff_put_counts(struct tl_text *text, const struct tl_diff_counts *counts)
{
	static const char *const words[TL_DIFF_RESULTS] = {
		[TL_DIFF_SAME] = "the same",
		[TL_DIFF_REMOVED] = "removed",
		[TL_DIFF_ADDED] = "added",
		[TL_DIFF_SLOWER] = "slower",
		[TL_DIFF_FASTER] = "faster",
		[TL_DIFF_CHANGED] = "changed",
	};

	for (unsigned i = TL_DIFF_REMOVED; i <= TL_DIFF_RESULTS; i++) {
		const unsigned result = i % TL_DIFF_RESULTS;

		tl_put_unsigned(text, counts->items[result]);
		tl_put_char(text, ' ');
		tl_put_string(text, words[result]);
		if (result != TL_DIFF_SAME)
			tl_put_string(text, ", ");
	}
}

/* == the walk == */

static int
end_level(struct diff *d)
{
	const struct tl_diff_item item = d->levels[d->count - 1].item;
	const int rc = d->count > 1 ? d->sink->leave(d->sink, &item) : 0;

	pop(d);
	return rc;
}

static int
step(struct diff *d)
{
	struct level *level = &d->levels[d->count - 1];

	if (level->rest.removed > 0) {
		level->rest.removed--;
		return take(d, level, true, false);
	}
	if (level->rest.added > 0) {
		level->rest.added--;
		return take(d, level, false, true);
	}
	if (level->rest.same > 0) {
		level->rest.same--;
		return take(d, level, true, true);
	}
	if (level->run == level->script.count)
		return end_level(d);
	level->rest = level->script.runs[level->run++];
	return 0;
}

static const struct tl_trace_thread *
thread_at(const struct diff *d, int side, size_t i)
{
	return i == TL_DIFF_NO_THREAD ? NULL
				      : tl_trace_thread(d->traces[side], i);
}

static struct tl_node *
root_at(struct diff *d, int side, size_t i)
{
	return i == TL_DIFF_NO_THREAD ? NULL
				      : tl_trace_root(d->traces[side], i);
}

static int
compare_threads(struct diff *d, const struct tl_diff_pair *pair)
{
	static const struct tl_diff_item nothing;
	struct tl_node *const roots[SIDES] = { root_at(d, LEFT, pair->left),
		root_at(d, RIGHT, pair->right) };
	int rc;

	if (d->options->unmatched == TL_DIFF_SKIP &&
	    (!roots[LEFT] || !roots[RIGHT]))
		return 0;
	for (int side = 0; side < SIDES; side++)
		if (roots[side]) /* loaded by the caller before */
			tl_trace_forget(d->traces[side], roots[side]);
	rc = d->sink->thread(d->sink, thread_at(d, LEFT, pair->left),
	    thread_at(d, RIGHT, pair->right));
	if (rc == 0)
		rc = push(d, &nothing, roots);
	while (rc == 0 && d->count > 0)
		rc = step(d);
	while (d->count > 0)
		pop(d);
	return rc;
}

static int
count_threads(struct diff *d, const struct tl_diff_pair *pairs, size_t count)
{
	struct tl_diff_counts *counts = d->counts;

	for (size_t i = 0; i < count; i++) {
		if (pairs[i].right == TL_DIFF_NO_THREAD)
			counts->left_threads++;
		else if (pairs[i].left == TL_DIFF_NO_THREAD)
			counts->right_threads++;
		else
			counts->threads++;
	}
	return d->options->unmatched == TL_DIFF_REFUSE &&
		       counts->left_threads + counts->right_threads > 0
		   ? -ENOENT
		   : 0;
}

static void
init_identities(struct diff *d)
{
	uint64_t seed = 0;

	/* without a random seed hashes are only easier to predict */
	(void)!getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	for (int side = 0; side < SIDES; side++) {
		d->identities[side].seed = seed;
		d->identities[side].lines = d->options->lines;
	}
}

int
tl_trace_diff(struct tl_trace *left, struct tl_trace *right,
    const struct tl_diff_options *options, struct tl_diff_sink *sink,
    struct tl_diff_counts *counts)
{
	struct diff d = { .traces = { left, right },
		.options = options,
		.sink = sink,
		.counts = counts };
	struct tl_diff_pair *pairs = NULL;
	size_t count = 0;
	int rc;

	*counts = (struct tl_diff_counts){ 0 };
	init_identities(&d);
	rc = diff_pair_threads(left, right, options->by_index, &pairs, &count);
	if (rc == 0)
		rc = count_threads(&d, pairs, count);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = compare_threads(&d, &pairs[i]);
	if (rc == 0)
		rc = sink->finish(sink, counts);
	for (int side = 0; side < SIDES; side++)
		diff_identities_free(&d.identities[side]);
	free(d.levels);
	free(pairs);
	return rc;
}
